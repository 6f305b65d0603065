//! A record that is written by hand must vouch for its layout.

use nbody::law::{Field, Lane, Reader, Record, Writer};

#[nbody::interaction]
mod gravity {
    pub struct Gravity;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Pull {
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Pull;

        fn pair(&self, i: &Body, j: &Body, f: &mut Pull) {
            f.pot -= j.mass / (j.pos - i.pos).norm();
        }
    }
}

/// Less than the body that it says it is.
#[derive(Clone, Copy, Debug, Default)]
struct Short;

impl Record for Short {
    type Lane = f64;
    type With<M: Lane> = gravity::Body<M>;
    type Host = gravity::Body;
    const FIELDS: &'static [Field] = &[];
    const DIM: usize = 1;

    fn read<R: Reader<f64>>(_: &mut R) -> Self {
        Self
    }
    fn write<W: Writer<f64>>(&self, _: &mut W) {}
}

fn main() {}
