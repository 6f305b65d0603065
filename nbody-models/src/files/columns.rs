//! Columns of a table, and the order of the numbers of a particle.

use crate::Particle;

/// Names of the columns in CSV.
pub const COLUMNS: [&str; 7] = ["mass", "x", "y", "z", "vx", "vy", "vz"];

/// The order of the numbers of a particle.
#[derive(Clone, Copy)]
pub enum Order {
    /// Mass, position, velocity.
    MassFirst,
    /// Position, velocity, mass.
    MassLast,
}

impl Order {
    pub fn particle(self, numbers: [f64; COLUMNS.len()]) -> Particle {
        let mut numbers = numbers;
        if let Self::MassLast = self {
            numbers.rotate_right(1);
        }
        let [mass, x, y, z, vx, vy, vz] = numbers;
        Particle { mass, pos: [x, y, z], vel: [vx, vy, vz] }
    }

    pub fn names(self) -> [&'static str; COLUMNS.len()] {
        let mut names = COLUMNS;
        if let Self::MassLast = self {
            names.rotate_left(1);
        }
        names
    }
}
