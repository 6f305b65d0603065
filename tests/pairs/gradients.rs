//! Gradients against differences of energies, in double precision on every device.

use nbody::Precision;
use nbody::prelude::*;
use nbody_tests::derived::derived::{Action, Derived, Molecule};
use nbody_tests::inputs::{Digits, Inputs, particles};

/// The distance over which energies differ.
const STEP: f64 = 1e-5;

/// A number of a particle.
type Number = fn(&mut Molecule) -> &mut f64;

/// Returns the slopes of the energies of all i-particles, when one number of each changes, and
/// the change of the slope.
fn slopes(energies: impl Fn(f64) -> Vec<f64>) -> Vec<[f64; 2]> {
    let [below, middle, above] = [-STEP, 0.0, STEP].map(energies);
    let of = |k: usize| {
        let [a, b] = [(above[k] - middle[k]) / STEP, (middle[k] - below[k]) / STEP];
        [0.5 * (a + b), (a - b).abs()]
    };
    (0..middle.len()).map(of).collect()
}

fn compare(name: &str, found: impl Iterator<Item = f64>, slopes: &[[f64; 2]]) {
    for (k, (found, [slope, change])) in found.zip(slopes).enumerate() {
        let error = (found - slope).abs();
        let bound = 1e-6 * (1.0 + slope.abs()) + change;
        assert!(error < bound && *change < 0.1, "{name} {k}: {found}, not {slope} +- {change}");
    }
}

#[test]
fn forces_are_the_slopes_of_energies() {
    let i: Vec<Molecule> = particles(33, Inputs::Uniform, Digits::All, 3);
    let j: Vec<Molecule> = particles(70, Inputs::Uniform, Digits::All, 5);
    for device in nbody_tests::all_devices() {
        for math in [Math::Fast, Math::Exact] {
            let options = Options::default().precision(Precision::Double).math(math);
            let evaluate_both = |law: Derived, i: &[Molecule], j: &[Molecule]| -> Vec<Action> {
                let mut engine = AllPairs::with_options(&device, law, options).unwrap();
                engine.evaluate(i, j).unwrap()
            };
            let evaluate = |law: Derived, i: &[Molecule]| evaluate_both(law, i, &j);
            let law = Derived::example();
            let found = evaluate(law, &i);
            let energies = |law, i: &[Molecule]| -> Vec<f64> {
                evaluate(law, i).iter().map(|action| action.energy).collect()
            };
            let moved = |number: Number| {
                slopes(|by| {
                    let mut moved = i.clone();
                    for molecule in &mut moved {
                        *number(molecule) += by;
                    }
                    energies(law, &moved)
                })
            };
            let by_law = |number: fn(&mut Derived) -> &mut f64| {
                slopes(|by| {
                    let mut law = law;
                    *number(&mut law) += by;
                    energies(law, &i)
                })
            };
            let of = |name| format!("{device} {math:?}, {name}");
            let pos: [Number; 3] =
                [|it| &mut it.pos.0[0], |it| &mut it.pos.0[1], |it| &mut it.pos.0[2]];
            for (k, number) in pos.into_iter().enumerate() {
                let force = found.iter().map(|it| -[it.force.x, it.force.y, it.force.z][k]);
                compare(&of("force"), force, &moved(number));
            }
            let axis: [Number; 3] = [|it| &mut it.axis.x, |it| &mut it.axis.y, |it| &mut it.axis.z];
            let [x, y, z] = axis.map(moved);
            // The torque is the vector product of the axis and the negative gradient.
            let torques = found.iter().map(|it| it.torque.x);
            let expected = i.iter().zip(y.iter().zip(&z));
            let expected: Vec<_> = expected
                .map(|(it, (y, z))| [it.axis.z * y[0] - it.axis.y * z[0], y[1] + z[1]])
                .collect();
            compare(&of("torque"), torques, &expected);
            assert!(x.iter().any(|x| x[0].abs() > 0.1));
            let charges = found.iter().map(|it| it.by_charge);
            compare(&of("charge"), charges, &moved(|it| &mut it.charge));
            let sizes = found.iter().map(|it| it.by_size);
            compare(&of("size"), sizes, &by_law(|law| &mut law.size));
            let modes = found.iter().map(|it| it.by_mode);
            compare(&of("mode"), modes, &by_law(|law| &mut law.modes[1]));
            let after = |time: f64, charging: f64| {
                let moved = |it: &Molecule, charging: f64| Molecule {
                    pos: it.pos + time * it.vel,
                    charge: it.charge + time * charging,
                    ..*it
                };
                let i: Vec<_> = i.iter().map(|it| moved(it, charging)).collect();
                let j: Vec<_> = j.iter().map(|it| moved(it, 0.0)).collect();
                evaluate_both(law, &i, &j)
            };
            let powers = slopes(|time| after(time, 0.5).iter().map(|it| it.energy).collect());
            compare(&of("power"), found.iter().map(|it| it.power), &powers);
            for k in 0..3 {
                let swings = slopes(|time| after(time, 0.0).iter().map(|it| it.swing[k]).collect());
                compare(&of("swing"), found.iter().map(|it| it.swing_rate[k]), &swings);
            }
        }
    }
}
