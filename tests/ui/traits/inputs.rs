//! Buffers that a program per particle does not read.

#[nbody::interaction]
mod kicks {
    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
    }
    pub struct Field {
        pub acc: Vector,
    }
    pub struct Other {
        pub acc: Vector,
    }
    pub struct Kick;
    impl Update for Kick {
        type P = Body;
        type F = (Field, Other);
        fn update(&self, p: &mut Body, f: &Field, g: &Other) {
            p.vel += f.acc + g.acc;
        }
    }
}

use kicks::{Body, Field, Kick, Other};
use nbody::{Particles, PerParticle, Results};

fn given(
    kick: &mut PerParticle<Kick>,
    bodies: &mut Particles<Body>,
    (field, other): (&Results<Field>, &Results<Other>),
) -> Result<(), nbody::Error> {
    kick.update(bodies, (field, other))?;
    kick.update_by_name(bodies, (other, other))?;
    kick.update(bodies, (other, field))?;
    kick.update(bodies, field)?;
    kick.update_by_name(bodies, 2.0)?;
    kick.update_by_name(bodies, [field, field])
}

fn main() {}
