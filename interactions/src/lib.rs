//! Ready interactions. Each is a module as a user would write it; copy one as a start for your
//! own. The package compiles all of them, for a minute on two cores.
//!
//! | module | interaction | per pair |
//! | --- | --- | --- |
//! | [`gravity`] | softened Newtonian gravity | acceleration, potential |
//! | [`gravity::Attraction`] | the same without potential | acceleration |
//! | [`softened`] | the same with a softening length for each particle | acceleration, potential |
//! | [`hermite`] | the same for Hermite integrators | acceleration, jerk, potential |
//! | [`cubic_spline_2d`], [`cubic_spline_3d`], [`wendland_2d`], [`wendland_3d`] | smoothed particle hydrodynamics | density and its correction; acceleration, heating, signal velocity |
//! | [`lennard_jones`] | Lennard-Jones 12-6 by types, truncated, shifted or switched | force, potential, virial |
//! | [`lennard_jones_stress`] | Lennard-Jones 12-6 of one type | force, potential, virial tensor |
//! | [`buckingham`] | exponential repulsion and dispersion | force, potential |
//! | [`tabulated`] | a pair potential given as a spline | force, potential |
//! | [`eam`] | the embedded-atom method, of up to eight elements, with tables of [`setfl`] files | density; force, potential |
//! | [`bonded`] | bonds, angles, dihedrals and impropers of given atoms | force, energy, virial of bonds |
//! | [`gay_berne`] | rods and discs: an anisotropic Lennard-Jones well | force, torque, potential |
//! | [`dpd`] | dissipative particle dynamics: soft beads with friction and noise | force, potential |
//! | [`coulomb`] | point charges | field, potential |
//! | [`yukawa`] | screened charges | field, potential |
//! | [`ewald`] | the real-space sum of Ewald's method | field, potential |
//! | [`single_layer`], [`double_layer`] | boundary elements of Laplace's equation | potential, gradient |
//! | [`hologram`] | waves from point sources, with accurate phases | complex field |
//! | [`biot_savart`] | vortex particles | velocity, stretching |
//! | [`kolmogorov_smirnov`] | distribution functions of two samples | counts |
//! | [`neighbours`] | the nearest neighbour, and the particles within a radius | distance, index, count |
//!
//! Programs per particle:
//!
//! | module | program | changes |
//! | --- | --- | --- |
//! | [`eam::Embed`] | embedding energies from densities | energies and their slopes |
//! | [`langevin`] | Langevin dynamics: steps of the splitting BAOAB, or the thermostat alone | positions, velocities |
#![forbid(unsafe_code)]

mod bonds;
mod boundary;
mod dissipative;
mod electrostatics;
mod gravitation;
mod hydrodynamics;
mod molecular;
mod optics;
mod ready;
pub mod setfl;
mod sources;
mod statistics;
mod tables;
mod thermostats;
mod visit;
mod vortex;

pub use bonds::bonded;
pub use boundary::{double_layer, single_layer};
pub use dissipative::dpd;
pub use electrostatics::{coulomb, ewald, yukawa};
pub use gravitation::{gravity, hermite, softened};
pub use hydrodynamics::{cubic_spline_2d, cubic_spline_3d, wendland_2d, wendland_3d};
pub use molecular::{buckingham, gay_berne, lennard_jones, lennard_jones_stress};
pub use optics::{double_single, hologram};
pub use ready::{law, laws, tuple, tuples};
pub use sources::{names, source};
pub use statistics::{kolmogorov_smirnov, neighbours, radial_distribution};
pub use tables::{eam, tabulated};
pub use thermostats::langevin;
pub use visit::{TupleVisitor, Visitor, visit_all, visit_tuples};
pub use vortex::biot_savart;
