//! Forces, torques, rates and derivatives by parameters that are derived from energies.

use derived::Derived;

impl Derived {
    /// Returns the law for particles in the unit cube.
    pub fn example() -> Self {
        let depth = [0.5, 0.25, 0.75, 1.0].map(|a| [1.0, 0.5, 0.25, 0.75].map(|b| a * b));
        Self { depth, size: 0.75, modes: [1.5, 2.0, 0.5] }
    }
}

/// Branches, loops, helpers, entries and functions of many kinds.
#[nbody::interaction]
pub mod derived {
    pub struct Derived {
        /// Depths by types.
        pub depth: [[Real; 4]; 4],
        pub size: Real,
        pub modes: [Real; 3],
    }
    pub struct Molecule {
        pub pos: Point,
        pub axis: Vector,
        pub charge: Real,
        pub kind: u32,
        pub vel: Vector,
    }
    pub struct Action {
        pub energy: Real,
        pub force: Vector,
        pub torque: Vector,
        pub by_charge: Real,
        pub by_size: Real,
        pub by_mode: Real,
        pub power: Real,
        pub swing: Vector,
        pub swing_rate: Vector,
    }

    /// Falls smoothly from 1 to 0 for x from 0 to 1.
    fn fall(x: Real) -> Real {
        if x <= 0.0 {
            return 1.0;
        }
        if x >= 1.0 {
            return 0.0;
        }
        let y = 1.0 - x;
        y * y * (3.0 - 2.0 * y)
    }

    fn turned(v: Vector, by: Real) -> Vector {
        Vector::new(v.y * by, v.z, v.x - by)
    }

    impl Interaction for Derived {
        type I = Molecule;
        type J = Molecule;
        type F = Action;

        fn pair(&self, i: &Molecule, j: &Molecule, f: &mut Action) {
            let d = i.pos - j.pos;
            let r2 = d.norm2() + 0.25;
            let s2 = self.size * self.size / r2;
            let depth = self.depth[i.kind][j.kind];
            let mut e = depth * (s2.powi(3) - s2);
            // Comparisons of numbers that are exact in single precision.
            let along = i.axis.dot(d);
            let bend = along * r2.rsqrt();
            if along > 0.0625 {
                let more = bend + 0.5;
                e += more * more * j.charge;
            } else {
                e *= 1.0 + 0.125 * (along.min(0.03125) - j.axis.dot(i.axis)).sin();
            }
            for k in 0..3 {
                let phase = self.modes[k] * d[k] + (k as Real);
                e += 0.125 * phase.cos() * [i.charge, s2, 0.5][j.kind % 3];
            }
            e += i.charge * j.charge * (-r2).exp() * fall(r2 - 0.5);
            e += 0.0625 * turned(d, i.charge).cross(i.axis).dot(j.axis) / (r2 + i.charge.powi(2));
            e += (0.25 * bend).atan2(r2) + (s2 + 0.5).powf(1.5);
            e += 0.25 * d.y.max(along).clamp(-0.25, 0.5) * (0.5 * s2).tanh();
            f.energy += e;
            f.force -= e.gradient(i.pos);
            f.torque -= i.axis.cross(e.gradient(i.axis));
            f.by_charge += e.gradient(i.charge);
            f.by_size += e.gradient(self.size);
            f.by_mode += e.gradient(self.modes[1]);
            f.power += e.rate(i.pos = i.vel, j.pos = j.vel, i.charge = 0.5);
            let swing = turned(d, 0.125 * e) * r2.rsqrt();
            f.swing += swing;
            f.swing_rate += swing.rate(i.pos = i.vel, j.pos = j.vel);
        }
    }
}
