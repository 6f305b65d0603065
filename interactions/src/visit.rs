//! The lists of all interactions and tuples, for tools that iterate over them.

use nbody::{Interaction, Spline, Splines, Tuple};

use crate::{
    biot_savart, bonded, buckingham, coulomb, cubic_spline_2d, cubic_spline_3d, double_layer, dpd,
    eam, ewald, gay_berne, gravity, hermite, hologram, kolmogorov_smirnov, lennard_jones,
    lennard_jones_stress, neighbours, single_layer, softened, tabulated, wendland_2d, wendland_3d,
    yukawa,
};

/// A function generic over the tuple.
pub trait TupleVisitor {
    /// Visits a tuple.
    fn visit<X: Tuple>(&mut self, tuple: X);
}

/// Visits every tuple of this crate.
pub fn visit_tuples(visitor: &mut impl TupleVisitor) {
    visitor.visit(bonded::HarmonicBond);
    visitor.visit(bonded::MorseBond);
    visitor.visit(bonded::FeneBond);
    visitor.visit(bonded::HarmonicAngle);
    visitor.visit(bonded::CosineAngle);
    visitor.visit(bonded::PeriodicDihedral);
    visitor.visit(bonded::RyckaertBellemans);
    visitor.visit(bonded::HarmonicImproper);
}

/// A function generic over the interaction.
pub trait Visitor {
    /// Visits an interaction. Its parameters suit particles in the unit cube and are exact in
    /// `f32`.
    fn visit<X: Interaction>(&mut self, interaction: X);
}

/// Visits every interaction of this crate but `radial_distribution`: distances at the edges of its bins
/// depend on the last bit of a root, so that its counts differ between precisions.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit(gravity::Gravity { eps2: 1.0 / 64.0 });
    visitor.visit(gravity::Attraction { eps2: 1.0 / 64.0 });
    visitor.visit(softened::Softened);
    visitor.visit(hermite::Hermite { eps2: 1.0 / 64.0 });
    hydrodynamics(visitor);
    molecular(visitor);
    visitor.visit(dpd::Dpd {
        repulsion: 25.0,
        friction: 4.5,
        temperature: 1.0,
        dt: 1.0 / 32.0,
        cutoff: 0.25,
        seed: 7,
        step: 11,
    });
    visitor.visit(coulomb::Coulomb);
    visitor.visit(yukawa::Yukawa { kappa: 2.0 });
    visitor.visit(ewald::Ewald { alpha: 2.0, cutoff: 0.5 });
    visitor.visit(single_layer::SingleLayer);
    visitor.visit(double_layer::DoubleLayer);
    visitor.visit(hologram::Hologram { wavenumber: 4.0, wavenumber_lo: 0.0 });
    visitor.visit(biot_savart::BiotSavart { core2: 1.0 / 64.0 });
    visitor.visit(kolmogorov_smirnov::KolmogorovSmirnov);
    visitor.visit(neighbours::Neighbours { radius2: 1.0 / 16.0 });
}

fn embedded(visitor: &mut impl Visitor, cutoff: f64) {
    let density = std::array::from_fn(|k| {
        let scale = 1.0 + k as f64 / 4.0;
        Spline::from_fn(0.0..=cutoff, |r| scale * (cutoff - r).powi(2)).expect("a finite function")
    });
    let density = Splines::from(density);
    let pair = std::array::from_fn(|k| {
        let zero = 0.125 - k as f64 / 512.0;
        Spline::from_fn(0.0..=cutoff, |r| zero - r).expect("a finite function")
    });
    let elements = 8;
    visitor.visit(eam::EamDensity { density: density.clone(), elements, cutoff });
    visitor.visit(eam::Eam { density, pair: pair.into(), elements, cutoff });
}

fn hydrodynamics(visitor: &mut impl Visitor) {
    visitor.visit(cubic_spline_2d::CubicDensity2);
    visitor.visit(cubic_spline_2d::CubicMomentum2 { alpha: 1.0 });
    visitor.visit(cubic_spline_3d::CubicDensity3);
    visitor.visit(cubic_spline_3d::CubicMomentum3 { alpha: 1.0 });
    visitor.visit(wendland_2d::WendlandDensity2);
    visitor.visit(wendland_2d::WendlandMomentum2 { alpha: 1.0 });
    visitor.visit(wendland_3d::WendlandDensity3);
    visitor.visit(wendland_3d::WendlandMomentum3 { alpha: 1.0 });
}

fn molecular(visitor: &mut impl Visitor) {
    // Diameters from 1/32 to 1/16, and depths from 1 to 2.
    let table = |f: fn(usize) -> f64| {
        std::array::from_fn(|k| std::array::from_fn(|l| f(k.max(l)) * f(k.min(l))))
    };
    let sigma2 = table(|k| (1.0 + k as f64 / 4.0) / 32.0);
    let epsilon = table(|k| 1.0 + k as f64 / 8.0);
    let cutoff = 0.25;
    visitor.visit(lennard_jones::LennardJones { sigma2, epsilon, cutoff });
    visitor.visit(lennard_jones::ShiftedLennardJones { sigma2, epsilon, cutoff });
    visitor.visit(lennard_jones::SwitchedLennardJones { sigma2, epsilon, switch: 0.1875, cutoff });
    let [sigma2, epsilon] = [1.0 / 32.0, 1.0];
    visitor.visit(lennard_jones_stress::LennardJonesStress { sigma2, epsilon, cutoff });
    visitor.visit(buckingham::Buckingham { a: 1024.0, rho: 1.0 / 64.0, c: 1.0 / 1024.0, cutoff });
    let energy = Spline::from_fn(1.0 / 1024.0..=0.0625, |r2| (1.0 / 32.0 / r2).powi(2) - 1.0 / r2);
    let energy = energy.expect("a finite function");
    visitor.visit(tabulated::Tabulated { energy, cutoff });
    embedded(visitor, cutoff);
    // Axes in the unit cube are up to √3 long, for which 3χ takes the place of χ.
    visitor.visit(gay_berne::GayBerne {
        sigma0: 1.0 / 32.0,
        epsilon0: 1.0,
        chi: 0.25,
        chi_depth: 0.125,
        mu: 2.0,
        nu: 1.0,
        cutoff,
    });
}
