//! The particles of `nbody bench --lists`: near the points of a lattice in a periodic box, with random
//! velocities.

use std::f64::consts::PI;

use nbody::law::{Field, FieldKind, Interval, Law};
use nbody::models::uniform_rows;
use nbody::untyped::OwnedRows;
use nbody::{Domain, Error};

use super::{Refused, Space};

/// The random numbers of the particles.
const SEED: u64 = 1;
/// The greatest integer of a field of random particles.
const GREATEST: f64 = 3.0;

/// Particles at a constant density.
pub struct Liquid {
    pub dimensions: usize,
    /// The greatest cutoff of a pair.
    pub cutoff: f64,
    pub density: f64,
    pub skin: f64,
    pub domain: Domain,
    pub rows: OwnedRows,
    /// The speed of the fastest particle.
    pub fastest: f64,
}

impl Liquid {
    /// Samples `n` particles of a law. Numbers that its cutoff depends on are 1, so that all particles
    /// have the same.
    pub fn new(
        law: &'static Law,
        parameters: &[Interval],
        n: usize,
        space: &Space,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let cutoff = reach(law, parameters)?;
        let dimensions = law.i.iter().find_map(|field| match field.kind {
            FieldKind::Point(dimensions) => Some(dimensions),
            _ => None,
        });
        let dimensions = dimensions.unwrap_or(3);
        let within = match dimensions {
            2 => PI * cutoff.powi(2),
            _ => 4.0 / 3.0 * PI * cutoff.powi(3),
        };
        let density = space.density.unwrap_or(space.neighbours / within);
        let edge = (n as f64 / density).powf(1.0 / dimensions as f64);
        let lengths = [edge, edge, if dimensions == 2 { f64::INFINITY } else { edge }];
        let skin = space.skin.unwrap_or(0.2 * cutoff);
        let fields = fields(law, dimensions);
        let mut words = uniform_rows(fields, n, SEED).words().to_vec();
        let fastest = place(law, fields, &mut words, (n, edge, dimensions));
        let (domain, rows) = (Domain::periodic(lengths)?, OwnedRows::new(fields, words)?);
        Ok(Self { dimensions, cutoff, density, skin, domain, rows, fastest })
    }
}

/// Returns the field by which particles move.
fn velocity(dimensions: usize) -> Field {
    Field { name: "vel", kind: FieldKind::Vector(dimensions) }
}

/// Returns the fields of particles that are i- and j-particles of a law, and that move.
fn fields(law: &Law, dimensions: usize) -> &'static [Field] {
    let mut fields = law.i.to_vec();
    for field in law.j.iter().chain([&velocity(dimensions)]) {
        if fields.iter().all(|known| known.name != field.name) {
            fields.push(*field);
        }
    }
    // Buffers take fields that live as long as the process; there is one such set for a measurement.
    fields.leak()
}

/// Returns the numbers of records of these fields, each with the field and its component.
fn numbers(fields: &[Field]) -> impl Iterator<Item = (&Field, usize)> {
    fields.iter().flat_map(|field| (0..field.kind.components()).map(move |k| (field, k)))
}

/// Returns the greatest cutoff of a pair.
fn reach(law: &'static Law, parameters: &[Interval]) -> Result<f64, Box<dyn std::error::Error>> {
    if !law.cutoff {
        return Err(Refused::NoCutoff { law: law.name }.into());
    }
    let [i, j] = [0, 1].map(|role| {
        let bounds = |(k, (field, _)): (usize, (&Field, usize))| match field.kind {
            _ if !law.cutoff_reads[role].contains(&k) => Interval::WHOLE,
            FieldKind::U32 => Interval::new(0.0, GREATEST),
            _ => Interval::from(1.0),
        };
        numbers([law.i, law.j][role]).enumerate().map(bounds).collect::<Vec<_>>()
    });
    let bounds = law.reach(parameters, &i, &j);
    let cutoff = bounds.hi.abs().max(bounds.lo.abs());
    if !bounds.is_finite() {
        return Err(Error::UnboundedCutoff { law: law.name }.into());
    }
    if cutoff == 0.0 {
        return Err(Refused::Nothing { law: law.name }.into());
    }
    Ok(cutoff)
}

/// Places random particles near the points of a lattice, with velocities of any direction; returns the
/// greatest speed.
fn place(
    law: &Law,
    fields: &[Field],
    words: &mut [u64],
    (n, edge, dimensions): (usize, f64, usize),
) -> f64 {
    let is_position = |field: &Field| matches!(field.kind, FieldKind::Point(_));
    let position = numbers(fields).position(|(field, _)| is_position(field)).unwrap_or(0);
    // Another field of this name is refused when particles move.
    let has_velocity = |field: &Field| *field == velocity(dimensions);
    let velocity = numbers(fields).position(|(field, _)| has_velocity(field));
    let equal = equal(law, fields);
    let cells = (1..=n).find(|cells| cells.pow(dimensions as u32) >= n).unwrap_or(1);
    let (sites, spacing) = (cells.pow(dimensions as u32), edge / cells as f64);
    let width = words.len() / n;
    let mut fastest = 0.0_f64;
    for (k, row) in words.chunks_exact_mut(width).enumerate() {
        // Sites without a particle are spread over the lattice.
        let mut site = (k as u128 * sites as u128 / n as u128) as usize;
        let mut speed2 = 0.0;
        for axis in 0..dimensions {
            let at = &mut row[position + axis];
            let near = (site % cells) as f64 + 0.25 + 0.5 * f64::from_bits(*at);
            *at = (spacing * near).to_bits();
            site /= cells;
            let Some(velocity) = velocity else { continue };
            let speed = &mut row[velocity + axis];
            let along = 2.0 * f64::from_bits(*speed) - 1.0;
            *speed = along.to_bits();
            speed2 += along * along;
        }
        for &number in &equal {
            row[number] = 1.0_f64.to_bits();
        }
        fastest = fastest.max(speed2.sqrt());
    }
    fastest
}

/// Returns the numbers, of records of these fields, that the cutoff of a law depends on; integers are
/// left out.
fn equal(law: &Law, fields: &[Field]) -> Vec<usize> {
    let mut equal = Vec::new();
    for (of_role, reads) in [law.i, law.j].into_iter().zip(law.cutoff_reads) {
        for (k, (field, component)) in numbers(of_role).enumerate() {
            if !reads.contains(&k) || field.kind == FieldKind::U32 {
                continue;
            }
            let is_it = |(other, k): (&Field, usize)| other.name == field.name && k == component;
            equal.extend(numbers(fields).position(is_it));
        }
    }
    equal
}

#[cfg(test)]
mod tests {
    use nbody::untyped::Rows as _;
    use nbody_interactions::cubic_spline_2d::CubicMomentum2;
    use nbody_interactions::cubic_spline_3d::CubicDensity3;
    use nbody_interactions::lennard_jones::LennardJones;

    use super::*;
    use crate::interactions::Chosen;

    fn liquid(chosen: &Chosen, n: usize, density: Option<f64>) -> Liquid {
        let parameters = chosen.parameters.iter().map(|word| f64::from_bits(*word));
        let parameters: Vec<_> = parameters.map(Interval::from).collect();
        let space = Space { density, neighbours: 50.0, skin: None };
        Liquid::new(chosen.law, &parameters, n, &space).unwrap()
    }

    #[test]
    fn particles_fill_the_box() {
        let (sigma2, epsilon) = ([[1.0; 4]; 4], [[1.0; 4]; 4]);
        let law = Chosen::new(LennardJones { sigma2, epsilon, cutoff: 2.5 });
        let liquid = liquid(&law, 1500, Some(0.75));
        assert_eq!((liquid.cutoff, liquid.skin, liquid.dimensions), (2.5, 0.5, 3));
        let edge = (1500.0_f64 / 0.75).cbrt();
        let Domain::Periodic(lengths) = liquid.domain else { panic!("an open space") };
        assert!(lengths.to_array().iter().all(|length| (length / edge - 1.0).abs() < 1e-12));
        // Position, type, velocity.
        let mut octants = [0; 8];
        for row in liquid.rows.words().chunks_exact(7) {
            let at = [0, 1, 2].map(|axis| f64::from_bits(row[axis]));
            assert!(at.iter().all(|x| (0.0..edge).contains(x)), "{at:?}");
            octants[at.iter().fold(0, |k, x| 2 * k + usize::from(*x > edge / 2.0))] += 1;
        }
        assert!(octants.iter().all(|count| (150..230).contains(count)), "{octants:?}");
        assert!(liquid.fastest > 1.5 && liquid.fastest <= 3.0_f64.sqrt());
    }

    /// Smoothing lengths are 1, and i- and j-particles have one record.
    #[test]
    fn cutoffs_of_all_particles_are_equal() {
        for (chosen, dimensions, ball) in [
            (Chosen::new(CubicDensity3), 3, 32.0 / 3.0),
            (Chosen::new(CubicMomentum2 { alpha: 1.0 }), 2, 4.0),
        ] {
            let liquid = liquid(&chosen, 1000, None);
            assert_eq!((liquid.cutoff, liquid.dimensions), (2.0, dimensions));
            let neighbours = liquid.density * ball * PI;
            assert!((neighbours - 50.0).abs() < 1e-9, "{neighbours}");
            let fields = liquid.rows.fields();
            let h = numbers(fields).position(|(field, _)| field.name == "h").unwrap();
            let width = liquid.rows.words().len() / 1000;
            let mut rows = liquid.rows.words().chunks_exact(width);
            assert!(rows.all(|row| row[h] == 1.0_f64.to_bits()));
            assert_eq!(fields.iter().filter(|field| field.name == "vel").count(), 1);
        }
    }
}
