//! Particle models to compute on, and their files: Plummer spheres ([`plummer()`]), King models
//! ([`king()`]), Hernquist spheres ([`hernquist()`]), uniform spheres ([`uniform_sphere()`]), disk
//! galaxies ([`galaxy()`]), fractal clusters ([`fractal()`]) and random records ([`uniform()`]).
//!
//! A model becomes a star cluster by masses of stars ([`MassFunction`]), rotation
//! ([`Snapshot::rotate`]), a virial ratio ([`Snapshot::virialise_to`]) and binaries
//! ([`Binaries`]), in this order.
//!
//! Standard N-body units unless stated otherwise: G = 1, total mass 1, total
//! energy -1/4 (Heggie & Mathieu 1986), so that the virial radius is 1 and the crossing time
//! 2√2.
//!
//! This is a crate of its own so that neither the core nor the interactions depend on file formats
//! and random numbers.
#![forbid(unsafe_code)]

mod binaries;
mod error;
mod files;
mod fractal;
mod galaxy;
mod hernquist;
mod isotropic;
mod king;
mod masses;
mod motion;
mod plummer;
mod random;
mod snapshot;
mod sphere;
mod uniform;

pub use binaries::Binaries;
pub use error::Error;
pub use fractal::fractal;
pub use galaxy::{Component, galaxy};
pub use hernquist::hernquist;
pub use king::king;
pub use masses::MassFunction;
pub use plummer::plummer;
pub use snapshot::{Particle, Snapshot};
pub use sphere::uniform_sphere;
pub use uniform::{uniform, uniform_far, uniform_far_rows, uniform_rows};

/// Returns an empty list with room for this many entries.
fn room_for<T>(entries: usize, what: &'static str, particles: usize) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    let reserved = list.try_reserve_exact(entries);
    reserved.map_err(|_| Error::TooMany { what, found: particles })?;
    Ok(list)
}
