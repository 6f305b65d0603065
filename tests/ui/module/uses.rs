//! A program that uses a refused module sees the refusals and nothing else.

use nbody::prelude::*;

#[nbody::interaction]
mod signature {
    pub struct Gravity {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &mut Body, f: &Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

#[nbody::interaction]
mod missing {
    pub struct Gravity {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

#[nbody::interaction]
mod misspelt {
    pub struct Gravity {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Gravity {
        fn scale(&self) {}
    }

    impl Interaction for Gravty {
        type I = Boddy;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Boddy, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

#[nbody::interaction]
mod path {
    pub struct Gravity {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Gravity<f64> {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

#[nbody::interaction]
mod foreign {
    pub struct Gravity {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: i32,
        pub alive: bool,
        pub shell: [u8; 2],
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

#[nbody::interaction]
mod private {
    pub struct Gravity {
        pub eps2: Real,
    }
    struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

#[nbody::interaction]
mod constant {
    pub const TYPES: usize = 2;
    pub const SCALE: Real = scale();

    pub fn twice(x: Real) -> Real {
        x + x
    }
    pub struct Gravity {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot += self.eps2 * SCALE;
        }
    }
}

#[nbody::interaction]
mod tuples {
    pub struct Gravity {
        pub eps2: Real,
    }
    pub struct Body(Point, Real);
    pub struct Field(pub Vector);

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;

        fn cutoff(&self, i: &Body) -> Real {
            self.eps2
        }

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.0 += j.1 * (j.0 - i.0);
        }
    }
}

macro_rules! use_of {
    ($module:ident $(, $field:ident: $value:expr)*) => {{
        use $module::{Body, Field, Gravity};
        let body = |x| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0, kind: 1, $($field: $value,)* };
        let bodies: Vec<Body> = vec![body(0.0), body(1.0)];
        let mut engine = AllPairs::new(&Device::best(), Gravity { eps2: 1.0 })?;
        let found: Vec<Field> = engine.evaluate_self(&bodies)?;
        for Field { acc, pot } in &found {
            println!("{acc:?} {pot}");
        }
        engine.set_parameters(Gravity { eps2: found[0].pot + bodies[0].mass });
    }};
}

fn main() -> Result<(), nbody::Error> {
    use_of!(signature);
    use_of!(missing);
    use_of!(misspelt);
    use_of!(path);
    use_of!(foreign, alive: true, shell: [1, 2]);
    use_of!(private);
    use_of!(constant);
    let bodies = [tuples::Body(Point::new(0.0, 0.0, 0.0), 1.0)];
    let mut engine = AllPairs::new(&Device::best(), tuples::Gravity { eps2: 1.0 })?;
    let found: Vec<tuples::Field> = engine.evaluate_self(&bodies)?;
    println!("{:?}", found[0].0);
    println!("{} {}", vec![1.0; constant::TYPES].len(), constant::twice(constant::SCALE));
    Ok(())
}
