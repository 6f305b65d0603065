//! Interactions with charges, in addition to the library's.

/// Charged lines in a plane.
#[nbody::interaction]
pub mod planar {
    pub struct Planar {
        pub core2: Real,
    }
    pub struct Line {
        pub charge: Real,
        pub pos: Point<2>,
    }
    pub struct Field {
        pub field: Vector<2>,
        pub pot: Real,
    }

    impl Interaction for Planar {
        type I = Line;
        type J = Line;
        type F = Field;

        fn pair(&self, i: &Line, j: &Line, f: &mut Field) {
            let d = i.pos - j.pos;
            let r2 = d.norm2() + self.core2;
            f.field += j.charge / r2 * d;
            f.pot -= 0.5 * j.charge * r2.ln();
        }
    }
}

/// Gravity that is softened by a piece of another kernel.
#[nbody::interaction]
pub mod spline {
    pub struct SplineSoftened {
        pub radius: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
    }

    impl Interaction for SplineSoftened {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let r = d.norm();
            if r == 0.0 {
                return;
            }
            let w = if r < self.radius { self.radius.powi(-3) } else { r.powi(-3) };
            f.acc += j.mass * w * d;
        }
    }
}

/// Forces that are softened by a length of i, and two charges whose effects may cancel.
#[nbody::interaction]
pub mod plasma {
    pub struct Plasma;
    pub struct Grain {
        pub pos: Point,
        pub charge: Real,
        pub size: Real,
    }
    pub struct Cloud {
        pub pos: Point,
        pub ions: Real,
        pub electrons: Real,
    }
    pub struct Force {
        pub force: Vector,
    }

    impl Interaction for Plasma {
        type I = Grain;
        type J = Cloud;
        type F = Force;

        fn pair(&self, i: &Grain, j: &Cloud, f: &mut Force) {
            let d = i.pos - j.pos;
            let rinv = (d.norm2() + i.size * i.size).rsqrt();
            f.force += i.charge * (j.ions - j.electrons) * rinv.powi(3) * d;
        }
    }
}

/// Gravity that is softened by a length for each kind of i.
#[nbody::interaction]
pub mod kinds {
    pub struct Kinds {
        pub eps2: [Real; 4],
    }
    pub struct Probe {
        pub pos: Point,
        pub kind: u32,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub shape: Tensor,
    }
    pub struct Field {
        pub acc: Vector,
    }

    impl Interaction for Kinds {
        type I = Probe;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Probe, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2[i.kind]).rsqrt();
            f.acc += j.mass * rinv.powi(3) * d + rinv.powi(5) * j.shape.dot(d);
        }
    }
}

/// Currents, whose charges are momenta, and their potential.
#[nbody::interaction]
pub mod currents {
    pub struct Currents {
        pub core2: Real,
    }
    pub struct Mover {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
    }
    pub struct Flow {
        pub current: Vector,
        pub tide: Tensor,
        pub pot: Real,
    }

    impl Interaction for Currents {
        type I = Mover;
        type J = Mover;
        type F = Flow;

        fn pair(&self, i: &Mover, j: &Mover, f: &mut Flow) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.core2).rsqrt();
            f.current += j.mass * rinv * j.vel;
            f.tide += j.mass * rinv.powi(3) * Tensor::outer(d);
            f.pot -= j.mass * rinv;
        }
    }
}
