//! Motions of particles, and their energies.

use nbody::law::{Field, FieldKind, Record};
use nbody::untyped::Rows;
use nbody::{Device, PerParticle, Point, Precision, Update, Vector};
use nbody_core::pack::{self, Once};

use crate::Error;
use crate::programs::leapfrog::Energies;
pub use crate::programs::leapfrog::Motion;

const POS: (&str, FieldKind) = ("pos", FieldKind::Point(3));
const VEL: (&str, FieldKind) = ("vel", FieldKind::Vector(3));
const MASS: (&str, FieldKind) = ("mass", FieldKind::Real);

impl Motion {
    /// Creates the motion of a particle.
    pub fn new(pos: impl Into<Point>, vel: impl Into<Vector>, mass: f64) -> Self {
        Self { pos: pos.into(), vel: vel.into(), mass }
    }

    /// Returns the motions of particles, by their fields `pos: Point`, `vel: Vector` and `mass:
    /// Real`; without these fields, velocities are zero and masses one.
    pub fn of<P: Record<Lane = f64>>(particles: &[P]) -> Result<Vec<Self>, Error> {
        Self::of_rows(&particles)
    }

    fn of_rows(particles: &dyn Rows) -> Result<Vec<Self>, Error> {
        let particles = &Once::of(particles);
        let fields = particles.fields();
        let Some(pos) = numbers(fields, POS.0, POS.1) else {
            return Err(Error::NoMotion { field: "pos: Point" });
        };
        let (vel, mass) = (numbers(fields, VEL.0, VEL.1), numbers(fields, MASS.0, MASS.1));
        let rows = pack::rows(particles);
        let motions = rows.chunks_exact(pack::dim(fields)).map(|row| {
            let real = |at: usize| f64::from_bits(row[at]);
            let three = |at: usize| std::array::from_fn(|k| real(at + k));
            Self {
                pos: three(pos).into(),
                vel: vel.map_or([0.0; 3], three).into(),
                mass: mass.map_or(1.0, real),
            }
        });
        Ok(motions.collect())
    }

    /// Returns the motions of particles that have all three fields.
    pub(crate) fn of_all_fields(particles: &dyn Rows) -> Result<Vec<Self>, Error> {
        let particles = &Once::of(particles);
        for ((name, kind), field) in [(VEL, "vel: Vector"), (MASS, "mass: Real")] {
            if numbers(particles.fields(), name, kind).is_none() {
                return Err(Error::NoMotion { field });
            }
        }
        Self::of_rows(particles)
    }

    /// Returns the motions that a program predicts from the states of particles. It runs on the
    /// CPU, with the same bits as on every device.
    pub(crate) fn predict<U, S>(program: U, states: &[S]) -> Result<Vec<Self>, Error>
    where
        U: Update + Record<Lane = f64, Host = U>,
        S: Record<Lane = f64, Host = S>,
    {
        let cpu = Device::cpu();
        let mut motions = cpu.upload(&Self::of(states)?, Precision::Double)?;
        let states = cpu.upload(states, Precision::Double)?;
        PerParticle::new(&cpu, program)?.update_by_name(&mut motions, &states)?;
        Ok(motions.download()?)
    }

    /// Refuses motions with a NaN or infinite number.
    pub fn check(motions: &[Self]) -> Result<(), Error> {
        for (index, motion) in motions.iter().enumerate() {
            let numbers = [("pos", motion.pos.0), ("vel", motion.vel.0)];
            let numbers = numbers.into_iter().flat_map(|(field, three)| three.map(|x| (field, x)));
            for (field, value) in numbers.chain([("mass", motion.mass)]) {
                if !value.is_finite() {
                    return Err(Error::NotFinite { index, field, value });
                }
            }
        }
        Ok(())
    }
}

/// Returns the index of a field's first number in a record; `None` if the record has no field of
/// this name and kind.
pub(crate) fn numbers(fields: &[Field], name: &str, kind: FieldKind) -> Option<usize> {
    let found = fields.iter().position(|field| field.name == name && field.kind == kind)?;
    Some(pack::dim(&fields[..found]))
}

impl Energies {
    /// Returns the total energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}
