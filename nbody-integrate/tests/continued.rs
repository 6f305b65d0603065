//! Runs that are cut and continued from checkpoints: they equal the uninterrupted ones to the last bit, for every
//! integrator, every engine and every device.

use nbody::cuda::Walk;
use nbody::untyped::EngineState;
use nbody::{
    Accumulation, AllPairs, Device, Domain, Engine, Expansion, Math, Neighbours, Opening, Options,
    Precision, ShortRange, Skin, Tree,
};
use nbody_integrate::{BlockHermite, Error, Hermite, HermiteOptions, Integrator, Leapfrog, Motion};
use nbody_interactions::gravity::{self, Gravity};
use nbody_interactions::hermite;
use nbody_interactions::lennard_jones::{Atom, ShiftedLennardJones};
use nbody_models::{Particle, plummer, uniform};

use grains::{Grain, Repulsion};

/// Steps between the cuts of a run, and after them.
const PARTS: [u32; 4] = [3, 6, 1, 5];

fn devices() -> Vec<Device> {
    let devices = Device::all();
    assert!(devices.len() >= 2, "the CPU and the emulator: {devices:?}");
    devices
}

#[nbody::interaction]
mod grains {
    /// Soft spheres.
    pub struct Repulsion {
        pub stiffness: Real,
    }
    pub struct Grain {
        pub radius: Real,
        pub pos: Point,
    }
    pub struct Push {
        pub acc: Vector,
    }
    impl Interaction for Repulsion {
        type I = Grain;
        type J = Grain;
        type F = Push;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            i.radius + j.radius
        }
        fn pair(&self, i: &Grain, j: &Grain, f: &mut Push) {
            let d = j.pos - i.pos;
            let r = d.norm();
            f.acc -= self.stiffness * (i.radius + j.radius - r) / r * d;
        }
    }
}

/// Does what a run does in steps, cut after each part or not.
fn in_parts<R: Integrator>(mut run: R, cut: &dyn Fn(&R) -> Option<R>) -> R {
    for (part, steps) in PARTS.into_iter().enumerate() {
        if part > 0
            && let Some(rest) = cut(&run)
        {
            run = rest;
        }
        (0..steps).try_for_each(|_| run.advance()).unwrap();
    }
    run
}

/// Asserts that a run by leapfrog that is cut equals the uninterrupted one.
fn check_leapfrog<X>(
    what: &str,
    engine: &dyn Fn() -> Box<dyn Engine<X>>,
    (particles, motions): (&[X::I], &[Motion]),
    step: f64,
) where
    X: nbody::Interaction<J = <X as nbody::Interaction>::I>,
{
    let start = || Leapfrog::with_motions(engine(), particles, motions, 0.5, step).unwrap();
    let whole = in_parts(start(), &|_| None);
    let cut = in_parts(start(), &|run| {
        let checkpoint = run.checkpoint().unwrap();
        Some(Leapfrog::resume(engine(), particles, &checkpoint, step).unwrap())
    });
    let [whole, cut] = [whole, cut].map(|run| run.checkpoint().unwrap());
    let others = whole.motions.iter().zip(&cut.motions).filter(|(a, b)| a != b).count();
    assert_eq!(others, 0, "{what}: of {} particles", particles.len());
    assert!(whole == cut, "{what}");
    let moved = whole.motions.iter().zip(motions).all(|(a, b)| a.pos != b.pos);
    assert!(moved, "{what}");
}

/// Hot atoms on a lattice, which leave the box.
fn atoms() -> (Vec<Atom>, Vec<Motion>) {
    let place = |k: usize| [k % 6, k / 6 % 6, k / 36].map(|k| 1.2 * k as f64 - 0.1).into();
    let atoms = (0..216).map(|k| Atom { pos: place(k), kind: 0 }).collect();
    let speeds = uniform::<Motion>(216, 3);
    let motion = |(k, it): (usize, &Motion)| Motion { pos: place(k), vel: 4.0 * it.vel, mass: 1.0 };
    (atoms, speeds.iter().enumerate().map(motion).collect())
}

/// Neighbour lists in single and double precision, in a box and not, built on the way and not.
#[test]
fn leapfrog_over_lists_continues() {
    let (atoms, motions) = atoms();
    let law = ShiftedLennardJones { sigma2: [[1.0; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff: 2.0 };
    let single = Options::default();
    let double = single.precision(Precision::Double).math(Math::Exact);
    let mixed = single.precision(Precision::Mixed).accumulation(Accumulation::Compensated);
    let boxed = Domain::periodic([7.2; 3]).unwrap();
    let cases = [
        (single, boxed, Skin::Auto),
        (double, boxed, Skin::Length(0.1)),
        (mixed, boxed, Skin::Auto),
        (double, Domain::Open, Skin::Auto),
        (single, Domain::Open, Skin::Length(0.0)),
    ];
    for device in devices() {
        for (options, domain, skin) in cases {
            let near = || Neighbours::with_options(&device, skin, options.domain(domain));
            let engine = || {
                let engine = ShortRange::with_options(&device, law, options).unwrap();
                Box::new(engine.with_lists(near().unwrap())) as Box<dyn Engine<_>>
            };
            let what = format!("{device}, {options:?}, {domain:?}, {skin:?}");
            check_leapfrog(&what, &engine, (&atoms, &motions), 0.004);
        }
    }
}

/// Cutoffs of each particle; given pairs; pairs that are left out.
#[test]
fn leapfrog_over_lists_of_any_pairs_continues() {
    let (_, motions) = atoms();
    let grain =
        |(k, it): (usize, &Motion)| Grain { radius: 0.5 + 0.01 * (k % 20) as f64, pos: it.pos };
    let grains: Vec<_> = motions.iter().enumerate().map(grain).collect();
    let pairs: Vec<_> = (0..215).map(|k| [k, k + 1]).collect();
    let domain = Domain::periodic([7.2; 3]).unwrap();
    let law = Repulsion { stiffness: 100.0 };
    for device in devices() {
        for precision in [Precision::Single, Precision::Double] {
            let options = Options::default().precision(precision);
            let engine = |near| {
                let engine = ShortRange::with_options(&device, law, options).unwrap();
                Box::new(engine.with_lists(near)) as Box<dyn Engine<_>>
            };
            let found = || {
                let skin = Skin::Length(0.1);
                let mut near = Neighbours::with_options(
                    &device,
                    skin,
                    Options::default().precision(precision).domain(domain),
                )
                .unwrap();
                near.exclude(&pairs[..50]);
                engine(near)
            };
            let given = || {
                let rows = nbody::Csr::from_pairs(216, &pairs).unwrap();
                let near = Neighbours::with_options(
                    &device,
                    rows,
                    Options::default().precision(precision).domain(domain),
                )
                .unwrap();
                engine(near)
            };
            let particles = (&grains[..], &motions[..]);
            check_leapfrog(&format!("{device}, {precision}, found"), &found, particles, 0.004);
            check_leapfrog(&format!("{device}, {precision}, given"), &given, particles, 0.004);
        }
    }
}

fn stars(n: usize) -> (Vec<gravity::Body>, Vec<Motion>) {
    let particles = plummer(n, 1).unwrap().particles;
    let body =
        |it: &Particle| hermite::Body { pos: it.pos.into(), vel: it.vel.into(), mass: it.mass };
    let motions = Motion::of(&particles.iter().map(body).collect::<Vec<_>>()).unwrap();
    let masses = motions.iter().map(|it| gravity::Body { pos: it.pos, mass: it.mass }).collect();
    (masses, motions)
}

#[test]
fn leapfrog_by_all_pairs_continues() {
    let (bodies, motions) = stars(100);
    for device in devices() {
        for precision in [Precision::Single, Precision::Mixed, Precision::Double] {
            let options = Options::default().precision(precision);
            let law = Gravity { eps2: 1e-4 };
            let engine = || -> Box<dyn Engine<_>> {
                Box::new(AllPairs::with_options(&device, law, options).unwrap())
            };
            check_leapfrog(&format!("{device}, {precision}"), &engine, (&bodies, &motions), 0.01);
        }
    }
}

#[test]
fn leapfrog_by_trees_continues() {
    let (bodies, motions) = stars(300);
    let monopole = Opening::theta(0.6).expansion(Expansion::Monopole);
    for device in devices() {
        for (k, opening) in
            [Opening::relative(1e-3), Opening::theta(0.6), monopole].into_iter().enumerate()
        {
            let precision = [Precision::Single, Precision::Double, Precision::Mixed][k];
            let options = Options::default().precision(precision);
            let both = !device.is_cpu() && opening.share().is_some();
            let walks = [Walk::Groups, Walk::Particles];
            let walks = &walks[..if both { 2 } else { 1 }];
            for &walk in walks {
                let engine = || {
                    let law = Gravity { eps2: 1e-4 };
                    let mut tree = Tree::with_options(&device, law, opening, options).unwrap();
                    tree.set_walk(walk).unwrap();
                    Box::new(tree) as Box<dyn Engine<_>>
                };
                let what = format!("{device}, {opening}, {walk:?}");
                check_leapfrog(&what, &engine, (&bodies, &motions), 0.01);
            }
        }
    }
}

#[test]
fn hermite_continues() {
    let (_, motions) = stars(60);
    let body = |it: &Motion| hermite::Body { pos: it.pos, vel: it.vel, mass: it.mass };
    let mut bodies: Vec<_> = motions.iter().map(body).collect();
    bodies[7].mass = 0.0;
    let law = hermite::Hermite { eps2: 1e-4 };
    for device in devices() {
        for (precision, iterations) in
            [(Precision::Single, 1), (Precision::Mixed, 2), (Precision::Double, 1)]
        {
            let options = Options::default().precision(precision);
            let engine = || AllPairs::with_options(&device, law, options).unwrap();
            let steps = HermiteOptions::default().iterations(iterations);
            let start = || Hermite::new(engine(), &bodies, 0.5, steps).unwrap();
            let whole = in_parts(start(), &|_| None);
            let cut = in_parts(start(), &|run| {
                let checkpoint = run.checkpoint().unwrap();
                Some(Hermite::resume(engine(), &bodies, &checkpoint, steps).unwrap())
            });
            let [whole, cut] = [whole, cut].map(|run| run.checkpoint().unwrap());
            assert!(whole == cut, "{device}, {precision}, shared");
            let start = || BlockHermite::new(engine(), &bodies, 0.5, steps).unwrap();
            let whole = in_parts(start(), &|_| None);
            let cut = in_parts(start(), &|run| {
                let checkpoint = run.checkpoint().unwrap();
                Some(BlockHermite::resume(engine(), &bodies, &checkpoint, steps).unwrap())
            });
            let [whole, cut] = [whole, cut].map(|run| run.checkpoint().unwrap());
            assert!(whole == cut, "{device}, {precision}, block");
        }
    }
}

#[test]
fn states_of_other_engines_are_refused() {
    let (bodies, motions) = stars(20);
    let device = Device::cpu();
    let law = Gravity { eps2: 1e-4 };
    let tree = || Tree::new(&device, law, Opening::relative(1e-3)).unwrap();
    let mut run = Leapfrog::with_motions(tree(), &bodies, &motions, 0.0, 0.01).unwrap();
    run.advance().unwrap();
    let mut checkpoint = run.checkpoint().unwrap();
    let EngineState::Results(lengths) = &checkpoint.engine else {
        panic!("{:?}", checkpoint.engine)
    };
    assert_eq!(lengths.len(), 20);
    let all = AllPairs::new(&device, law).unwrap();
    let error = Leapfrog::resume(all, &bodies, &checkpoint, 0.01).unwrap_err();
    assert!(matches!(error, Error::Engine(nbody::Error::OtherEngine)), "{error}");
    checkpoint.engine = EngineState::Nothing;
    Leapfrog::resume(tree(), &bodies, &checkpoint, 0.01).unwrap();
}
