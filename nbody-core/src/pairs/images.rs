//! Several images of a pair: boxes shorter than two cutoffs.
//!
//! Such a box is repeated along its vectors until each length is at least two cutoffs. In the box of
//! all copies no more than one image of a particle is within the cutoff of another one: the nearest.
//! An evaluation takes the j-particles of one copy after another, displaced by whole vectors, with
//! the loops and kernels of longer boxes, and adds the results. The first copy is the particles
//! themselves, so that self pairs are left out there alone: an image of a particle acts on the
//! particle. The j-particles of each copy have the indices of the particles.

use crate::domain::Domain;
use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::law::interaction::Law;
use crate::numeric::interval::Interval;
use crate::records::pack;
use crate::triclinic::Cell;

/// The most copies of a box.
const COPIES: usize = 4096;

/// Bounds of each number of the i-particles and of the j-particles; `None` without particles.
pub type Bounds = Option<[Vec<Interval>; 2]>;

/// Copies of a box that is shorter than two cutoffs.
#[derive(Clone, Debug)]
pub struct Images {
    domain: Domain,
    displacements: Vec<[f64; 3]>,
}

impl Images {
    /// Returns the copies of a box for a law with these parameters (one row); `None` if at most one
    /// image of a pair can be within the cutoff, or if the law has no cutoff. `bounds` bounds the
    /// numbers of the particles, and is called if the cutoff depends on them.
    ///
    /// Refuses a cutoff without a bound, a point among the parameters, and too many copies.
    pub fn of(
        law: &'static Law,
        parameters: &[u64],
        domain: &Domain,
        bounds: &mut dyn FnMut() -> Result<Bounds, Error>,
    ) -> Result<Option<Self>, Error> {
        let cell = domain.cell().in_dimensions(dimensions(law));
        if !law.cutoff || cell.lengths.iter().all(|length| *length == 0.0) {
            return Ok(None);
        }
        let of_particles = if law.cutoff_reads.iter().all(|reads| reads.is_empty()) {
            Some([law.i, law.j].map(|fields| vec![Interval::WHOLE; pack::dim(fields)]))
        } else {
            bounds()?
        };
        let Some([i, j]) = of_particles else { return Ok(None) };
        let parameters: Vec<_> = pack::reals(law.parameters, parameters).collect();
        let cutoff = if let Some(number) = law.parameter_as_cutoff() {
            parameters[number].abs()
        } else {
            let parameters: Vec<_> = parameters.into_iter().map(Interval::from).collect();
            law.greatest_cutoff(&parameters, &i, &j)
        };
        Self::within(law, cutoff, domain, &cell)
    }

    /// Returns the copies of a box for this greatest cutoff.
    fn within(
        law: &'static Law,
        cutoff: f64,
        domain: &Domain,
        cell: &Cell,
    ) -> Result<Option<Self>, Error> {
        let name = law.name;
        if cutoff == f64::INFINITY {
            return Err(Error::UnboundedImages { law: name });
        }
        let is_short = |length: f64| length > 0.0 && cutoff > length / 2.0;
        if !cell.lengths.iter().any(|length| is_short(*length)) {
            return Ok(None);
        }
        if law.has_fixed_points() {
            return Err(Error::PointOfImages { law: name, cutoff });
        }
        let along =
            |length: f64| if is_short(length) { (2.0 * cutoff / length).ceil() } else { 1.0 };
        let copies = cell.lengths.map(along);
        let found = copies.iter().product::<f64>();
        if found > COPIES as f64 {
            return Err(Error::TooManyImages { law: name, cutoff, found, limit: COPIES });
        }
        let vectors = cell.vectors();
        let displacements = displacements(copies, vectors);
        Ok(Some(Self { domain: repeated(domain, copies)?, displacements }))
    }

    /// Returns the box of all copies.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// Returns the displacement of each copy, zero of the box itself first.
    pub fn displacements(&self) -> &[[f64; 3]] {
        &self.displacements
    }
}

/// Returns the displacement of the j-particles of each copy, zero first: whole numbers of vectors,
/// as close to 0 as possible.
fn displacements(copies: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> Vec<[f64; 3]> {
    let numbers =
        copies.map(|n| (0..n as i32).map(move |k| f64::from(k) - ((n - 1.0) / 2.0).floor()));
    let [along_a, along_b, along_c] = numbers;
    let mut all = Vec::new();
    for n in along_c {
        for m in along_b.clone() {
            let of_row = |l: f64| [0, 1, 2].map(|k| l * a[k] + m * b[k] + n * c[k]);
            all.extend(along_a.clone().map(of_row));
        }
    }
    let own = all.iter().position(|d| d.iter().all(|x| *x == 0.0));
    let own = own.expect("zero is among the numbers of vectors along each axis");
    all[..=own].rotate_right(1);
    all
}

/// Returns the box that so many copies of a box fill along its vectors.
fn repeated(domain: &Domain, copies: [f64; 3]) -> Result<Domain, Error> {
    match domain {
        Domain::Open => Ok(Domain::Open),
        Domain::Periodic(lengths) => {
            let lengths = lengths.to_array();
            Domain::periodic([0, 1, 2].map(|k| lengths[k] * copies[k]))
        }
        Domain::Triclinic(vectors) => {
            let vectors = vectors.to_array();
            Domain::triclinic_reduced([0, 1, 2].map(|k| vectors[k].map(|x| x * copies[k])))
        }
    }
}

/// Returns the number of dimensions of the position of a j-particle.
fn dimensions(law: &Law) -> usize {
    let point = law.j.iter().find_map(|field| match field.kind {
        FieldKind::Point(n) => Some(n),
        _ => None,
    });
    point.unwrap_or(3)
}

/// Returns bounds of each number of rows with these fields; `None` without rows.
pub fn bounds(fields: &[Field], rows: &[u64]) -> Option<Vec<Interval>> {
    let numbers: Vec<f64> = pack::reals(fields, rows).collect();
    let mut each = numbers.chunks_exact(pack::dim(fields).max(1));
    let mut bounds: Vec<_> = each.next()?.iter().map(|x| Interval::from(*x)).collect();
    for row in each {
        for (bounds, x) in bounds.iter_mut().zip(row) {
            *bounds = bounds.hull(Interval::from(*x));
        }
    }
    Some(bounds)
}
