//! The state of an integrator with a shared step.

use nbody::{FieldKind, Record};
use nbody_core::pack;

use crate::Error;
pub use crate::programs::leapfrog::Motion;

impl Motion {
    /// Returns the motions of an interaction's particles: the fields `pos`, `vel` and `mass`, velocities
    /// of zero and masses of one where there are none.
    pub fn of<P: Record<Lane = f64>>(
        interaction: &'static str,
        particles: &[P],
    ) -> Result<Vec<Self>, Error> {
        let Some(pos) = numbers::<P>("pos", FieldKind::Point(3)) else {
            let (record, field) = ("particles", "pos: Point");
            return Err(Error::MissingField { interaction, record, field });
        };
        let vel = numbers::<P>("vel", FieldKind::Vector(3));
        let mass = numbers::<P>("mass", FieldKind::Real);
        let rows = pack::rows(&particles);
        let motions = rows.chunks_exact(P::DIM.max(1)).map(|row| {
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

    /// Refuses motions that are no numbers.
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

/// Returns where the numbers of a field begin in a record; `None` if it has none of this kind.
pub(crate) fn numbers<P: Record>(name: &str, kind: FieldKind) -> Option<usize> {
    let found = P::FIELDS.iter().position(|field| field.name == name && field.kind == kind)?;
    Some(pack::dim(&P::FIELDS[..found]))
}
