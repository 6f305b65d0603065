//! Gravity, declared and used: the whole program.
#![allow(missing_docs)]
use nbody::prelude::*;

#[nbody::interaction]
#[rustfmt::skip]
pub mod gravity {
    pub struct Gravity { pub eps2: Real }
    pub struct Body { pub pos: Point, pub mass: Real }
    pub struct Field { pub acc: Vector, pub pot: Real }
    impl Interaction for Gravity {
        type I = Body; type J = Body; type F = Field;
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv;
            f.acc += mr * rinv * rinv * d;
            f.pot -= mr;
        }
    }
}

pub fn main() -> Result<(), nbody::Error> {
    let body = |x| gravity::Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 };
    let mut direct = AllPairs::new(&Device::best(), gravity::Gravity { eps2: 0.0 })?;
    for field in direct.evaluate_self(&[body(0.0), body(1.0), body(3.0)])? {
        println!("{:?} {:?}", field.acc, field.pot);
    }
    Ok(())
}
