//! Dissipative particles.

use nbody::check::reference;
use nbody::prelude::*;
use nbody_interactions::dpd::{Bead, Dpd, Force};

use crate::near;
use crate::shapes::{disorder, sphere};

/// The fluid of Groot & Warren 1997: a density of 3, a = 25, σ = 3.
const FLUID: Dpd = Dpd {
    repulsion: 25.0,
    friction: 4.5,
    temperature: 1.0,
    dt: 0.04,
    cutoff: 1.0,
    seed: 1,
    step: 0,
};

fn bead(pos: [f64; 3], vel: [f64; 3], id: u32) -> Bead {
    Bead { pos: Point(pos), vel: Vector(vel), id }
}

fn force(law: &Dpd, i: Bead, j: Bead) -> Force {
    reference::<_, f64>(law, Domain::Open, &[i], &[j]).unwrap()[0]
}

/// Without noise the force is along the line of the centres: the repulsion a (1 − r) and the
/// friction γ (1 − r)² times the velocity of approach; neither acts beyond the cutoff.
///
/// Fails with `self.friction * n`, with `+ drag`, with `1.0 - r`, with `self.repulsion * w`, with the
/// difference of the positions or the velocities reversed; the energy without `0.5` or
/// `self.cutoff`.
#[test]
fn dpd_repels_and_slows() {
    for (k, n) in sphere(50).into_iter().enumerate() {
        let [a, gamma, cutoff] = [12.0, 3.0, 1.25];
        let law = Dpd { repulsion: a, friction: gamma, temperature: 0.0, cutoff, ..FLUID };
        let r = 0.7 + 0.5 * disorder(k, 0);
        let velocity = [1, 2, 3].map(|l| disorder(k, l));
        let others = [4, 5, 6].map(|l| disorder(k, l));
        let at = n.map(|x| 0.5 + r * x);
        let found = force(&law, bead(at, velocity, 1), bead([0.5; 3], others, 2));
        let (close, area) = ((cutoff - r) / cutoff, (cutoff - r).powi(2) / cutoff.powi(2));
        let apart: f64 = (0..3).map(|x| n[x] * (velocity[x] - others[x])).sum();
        for (found, n) in found.force.0.into_iter().zip(n) {
            near(found, (a * close - gamma * area * apart) * n, 1.0, 1e-13);
        }
        // The work of the repulsion on the way to the cutoff, a straight line that falls to zero.
        near(found.pot, 0.5 * a * close * (cutoff - r), 1.0, 1e-13);
        let beyond = force(&law, bead(n, velocity, 1), bead(n.map(|x| -0.25 * x), others, 2));
        assert_eq!(beyond, Force::default());
    }
}

/// The noise of all pairs of two groups in units of its amplitude, √(2γkT/Δt) (1 − r).
fn noise(seed: u32, step: u32) -> Vec<[f64; OTHERS]> {
    let law = Dpd { repulsion: 0.0, seed, step, ..FLUID };
    let amplitude = (2.0 * law.friction * law.temperature / law.dt).sqrt() * 0.75;
    let one = |id| bead([0.25, 0.0, 0.0], [0.0; 3], id);
    let other = |k| bead([0.0; 3], [0.0; 3], 7 + 3 * k as u32);
    let column = |id| {
        std::array::from_fn(|k| {
            let [there, back] =
                [(one(id), other(k)), (other(k), one(id))].map(|(i, j)| force(&law, i, j).force);
            assert_eq!(there, -back);
            assert_eq!([there.y, there.z], [0.0; 2]);
            there.x / amplitude
        })
    };
    // Numbers of beads below, between and above the others.
    (0..BEADS as u32).map(|id| column(3 * id + 2)).collect()
}

const BEADS: usize = 160;
const OTHERS: usize = 64;

/// The noise has mean 0, variance 1 and kurtosis 3, within four standard errors; of different
/// pairs, steps and seeds it is independent. Both beads of a pair have the same.
///
/// Fails with `i.id, j.id`, with their sum, their minimum or their maximum alone, without `self.step`
/// or `self.seed`, with `random` for `gaussian`, with `2.0` left out, with `* self.dt` and with `w * w`.
#[test]
fn noise_of_dpd_is_normal_and_shared() {
    let all = (BEADS * OTHERS) as f64;
    let one = noise(1, 0);
    let moment = |k| one.iter().flatten().map(|x| x.powi(k)).sum::<f64>() / all;
    near(moment(1), 0.0, 1.0, 4.0 / all.sqrt());
    near(moment(2), 1.0, 1.0, 4.0 * (2.0 / all).sqrt());
    near(moment(4), 3.0, 1.0, 4.0 * (96.0 / all).sqrt());
    // The sum over one of the beads has the variance of so many independent numbers.
    let rows = one.iter().map(|row| row.iter().sum::<f64>().powi(2)).sum::<f64>();
    near(rows / all, 1.0, 1.0, 4.0 * (2.0 / BEADS as f64).sqrt());
    let column = |k: usize| one.iter().map(|row| row[k]).sum::<f64>().powi(2);
    let columns = (0..OTHERS).map(column).sum::<f64>();
    near(columns / all, 1.0, 1.0, 4.0 * (2.0 / OTHERS as f64).sqrt());
    for other in [noise(1, 1), noise(2, 0), noise(0, 1)] {
        let product: f64 =
            one.iter().flatten().zip(other.iter().flatten()).map(|(x, y)| x * y).sum();
        near(product / all, 0.0, 1.0, 4.0 / all.sqrt());
    }
    assert_eq!(noise(1, 0), one);
}

/// Beads, their box, the steps until they are warm, and blocks of steps that are measured.
const N: usize = 192;
const LENGTH: f64 = 4.0;
const BEFORE: usize = 60;
const BLOCKS: usize = 12;
const BLOCK: usize = 32;

/// Moves beads by the integrator of Groot & Warren, with their λ = 0.65, from rest on a disturbed
/// lattice. Returns the mean temperature in each block.
fn temperatures() -> Vec<f64> {
    const LAMBDA: f64 = 0.65;
    let domain = Domain::periodic([LENGTH; 3]).unwrap();
    let options = Options::default().precision(Precision::Double).domain(domain);
    let mut engine = AllPairs::with_options(&Device::cpu(), FLUID, options).unwrap();
    let place = |k: usize| {
        let cell = [k % 6, k / 6 % 6, k / 36].map(|x| 0.66 * x as f64);
        std::array::from_fn(|l| cell[l] + 0.1 * disorder(k, l))
    };
    let mut beads: Vec<_> = (0..N).map(|k| bead(place(k), [0.0; 3], k as u32)).collect();
    let mut velocities = vec![Vector([0.0; 3]); N];
    let mut forces = velocities.clone();
    let dt = FLUID.dt;
    let mut all = Vec::new();
    for step in 0..BEFORE + BLOCKS * BLOCK {
        for ((bead, velocity), force) in beads.iter_mut().zip(&velocities).zip(&forces) {
            bead.pos += dt * *velocity + 0.5 * dt * dt * *force;
            bead.vel = *velocity + LAMBDA * dt * *force;
        }
        engine.set_parameters(Dpd { step: step as u32, ..FLUID });
        let found = engine.evaluate_self(&beads).unwrap();
        let (mut momentum, mut energy) = (Vector([0.0; 3]), 0.0);
        for ((velocity, force), found) in velocities.iter_mut().zip(&mut forces).zip(found) {
            *velocity += 0.5 * dt * (*force + found.force);
            *force = found.force;
            momentum += *velocity;
            energy += 0.5 * velocity.norm2();
        }
        near(momentum.norm(), 0.0, 1.0, 1e-11);
        // Momentum takes three degrees of freedom.
        all.push(2.0 * energy / (3 * N - 3) as f64);
    }
    all[BEFORE..].chunks(BLOCK).map(|block| block.iter().sum::<f64>() / BLOCK as f64).collect()
}

/// Friction and noise bring a fluid from rest to kT, within four standard errors, and its momentum
/// stays zero.
///
/// Fails with `self.friction * n`, with `+ drag`, with `2.0` left out, with `* self.dt`, with `w * w` in
/// the noise, with noise that is not shared, and without `self.step`.
#[test]
fn dpd_keeps_the_temperature_and_momentum() {
    let blocks = temperatures();
    let mean = blocks.iter().sum::<f64>() / BLOCKS as f64;
    let squares: f64 = blocks.iter().map(|x| (x - mean).powi(2)).sum();
    let error = (squares / (BLOCKS * (BLOCKS - 1)) as f64).sqrt();
    assert!(error < 0.02, "{error}");
    near(mean, FLUID.temperature, 1.0, 4.0 * error);
}
