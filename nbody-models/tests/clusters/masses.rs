//! Mass functions compared with their definitions.

use nbody_models::{Error, MassFunction, plummer};

use crate::{assert_centred, assert_distributed, mean};

/// Returns the number of stars per mass, up to a factor.
fn density(law: MassFunction, m: f64) -> f64 {
    match law {
        MassFunction::Salpeter => m.powf(-2.35),
        MassFunction::Kroupa if m < 0.08 => m.powf(-0.3),
        MassFunction::Kroupa if m < 0.5 => 0.08 * m.powf(-1.3),
        MassFunction::Kroupa => 0.08 * 0.5 * m.powf(-2.3),
    }
}

/// Tabulates the integral of a function of the mass, evenly in the logarithm of the mass.
struct Integral {
    least: f64,
    step: f64,
    sums: Vec<f64>,
}

impl Integral {
    fn new(f: impl Fn(f64) -> f64, [least, most]: [f64; 2]) -> Self {
        let parts = 40_000;
        let step = (most / least).ln() / f64::from(parts);
        let mut sum = 0.0;
        let add = |k| {
            let m = least * ((f64::from(k) + 0.5) * step).exp();
            sum += f(m) * m * step;
            sum
        };
        Self { least, step, sums: [0.0].into_iter().chain((0..parts).map(add)).collect() }
    }

    fn whole(&self) -> f64 {
        *self.sums.last().unwrap()
    }

    #[expect(clippy::cast_sign_loss, reason = "casts saturate")]
    fn at(&self, m: f64) -> f64 {
        let place = (m / self.least).ln() / self.step;
        self.sums[(place.round() as usize).min(self.sums.len() - 1)]
    }
}

const CASES: [(MassFunction, [f64; 2]); 7] = [
    (MassFunction::Salpeter, [0.1, 100.0]),
    (MassFunction::Salpeter, [0.01, 1000.0]),
    (MassFunction::Kroupa, [0.01, 100.0]),
    (MassFunction::Kroupa, [0.05, 0.3]),
    (MassFunction::Kroupa, [0.08, 50.0]),
    (MassFunction::Kroupa, [0.2, 0.45]),
    (MassFunction::Kroupa, [1.0, 20.0]),
];

#[test]
fn masses_have_their_distribution() {
    for (k, (law, limits)) in CASES.into_iter().enumerate() {
        let masses = law.sample(20_000, limits, k as u64).unwrap();
        assert!(masses.iter().all(|m| (limits[0]..=limits[1]).contains(m)), "{law:?} {limits:?}");
        let count = Integral::new(|m| density(law, m), limits);
        let what = format!("{law:?} {limits:?}");
        assert_distributed(&what, masses, |m| count.at(m) / count.whole());
    }
}

/// The slope of each part by maximum likelihood: the mean of ln(m / least) of a power law.
#[test]
fn slopes_are_the_published_ones() {
    let parts = [
        (MassFunction::Salpeter, 0.1, 2.35),
        (MassFunction::Kroupa, 0.01, 0.3),
        (MassFunction::Kroupa, 0.08, 1.3),
        (MassFunction::Kroupa, 0.5, 2.3),
    ];
    for (law, least, slope) in parts {
        let masses = law.sample(200_000, [0.01, 1000.0], 11).unwrap();
        let most = match least {
            0.01 => 0.08,
            0.08 => 0.5,
            _ => 1000.0,
        };
        let logs: Vec<f64> = masses
            .into_iter()
            .filter(|m| (least..most).contains(m))
            .map(|m: f64| (m / least).ln())
            .collect();
        let (n, range) = (logs.len() as f64, f64::ln(most / least));
        let found = mean(logs);
        // Newton's method for the exponent β = 1 − α of the density exp(βx) from 0 to the range.
        let mut beta = -0.9;
        for _ in 0..50 {
            let e = f64::exp(beta * range);
            let value = range * e / (e - 1.0) - 1.0 / beta - found;
            let rise = 1.0 / (beta * beta) - range * range * e / (e - 1.0).powi(2);
            beta -= value / rise;
        }
        // The Fisher information is the variance of the logarithm.
        let e = f64::exp(beta * range);
        let variance = 1.0 / (beta * beta) - range * range * e / (e - 1.0).powi(2);
        let error = (1.0 - beta - slope).abs() * (n * variance).sqrt();
        assert!(error < 4.0, "{law:?} from {least}: {}, not {slope}", 1.0 - beta);
    }
}

#[test]
fn masses_of_a_snapshot_are_scaled_and_centred() {
    let mut snapshot = plummer(3000, 5).unwrap();
    let before = snapshot.clone();
    let masses = MassFunction::Kroupa.sample(3000, [0.1, 50.0], 5).unwrap();
    snapshot.set_masses(&masses).unwrap();
    assert_centred(&snapshot);
    let ratio = snapshot.particles[17].mass / snapshot.particles[4].mass;
    assert!((ratio / (masses[17] / masses[4]) - 1.0).abs() < 1e-12);
    // The frame alone has changed.
    let shift = |k: usize| snapshot.particles[k].pos[1] - before.particles[k].pos[1];
    assert!((shift(0) - shift(2999)).abs() < 1e-14 && shift(0) != 0.0);
    // Masses do not depend on the places that the same seed gives.
    let outer = before.particles.iter().map(|p| crate::norm(p.pos)).zip(&masses);
    let outer: Vec<f64> = outer.filter(|(r, _)| *r > 0.77).map(|(_, m)| m.min(2.0)).collect();
    let (share, whole) = (mean(outer), mean(masses.iter().map(|m| m.min(2.0))));
    assert!((share / whole - 1.0).abs() < 0.08, "{share} {whole}");
    snapshot.virialise().unwrap();
    assert!((snapshot.potential_energy() + 0.5).abs() < 1e-12);
}

#[test]
fn a_seed_gives_the_same_masses_on_every_platform() {
    let sample = |seed| MassFunction::Kroupa.sample(3, [0.01, 100.0], seed).unwrap();
    assert_ne!(sample(1), sample(2));
    assert_eq!(sample(1).iter().map(|m| m.to_bits()).collect::<Vec<_>>(), BITS, "{:x?}", sample(1));
}

const BITS: [u64; 3] = [0x3fe0_3105_ab38_88d6, 0x3f91_6b73_65b5_67df, 0x3fc2_ba17_cc19_edce];

#[test]
fn limits_and_lists_that_are_impossible_are_refused() {
    for (least, most) in
        [(0.009, 1.0), (1.0, 0.9), (0.1, 1001.0), (f64::NAN, 1.0), (0.1, f64::NAN), (-1.0, 1.0)]
    {
        let refused = MassFunction::Kroupa.sample(3, [least, most], 1);
        assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{least} {most}");
    }
    for law in [MassFunction::Kroupa, MassFunction::Salpeter] {
        for limit in [0.01, 0.05, 0.08, 0.3, 0.5, 7.0, 1000.0] {
            assert_eq!(law.sample(2, [limit; 2], 1).unwrap(), [limit; 2]);
        }
        assert!(matches!(law.sample(usize::MAX, [0.1, 1.0], 1), Err(Error::TooMany { .. })));
    }
    let mut snapshot = plummer(2, 1).unwrap();
    let before = snapshot.clone();
    let refused = snapshot.set_masses(&[1.0]).unwrap_err();
    assert_eq!(refused.to_string(), "1 masses for 2 particles: expected one for each");
    for masses in [[0.0, 0.0], [1.0, -0.5], [1.0, f64::NAN], [f64::INFINITY, 1.0], [f64::MAX; 2]] {
        let refused = snapshot.set_masses(&masses);
        assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{masses:?}");
    }
    assert_eq!(snapshot, before);
}
