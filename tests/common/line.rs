//! Positions and vectors of one component.

/// Charged beads on a line, with forces that are derived.
#[nbody::interaction]
pub mod line {
    pub struct Beads {
        pub eps2: Real,
        pub drag: Vector<1>,
    }
    pub struct Bead {
        pub pos: Point<1>,
        pub vel: Vector<1>,
        pub charge: Real,
    }
    pub struct Push {
        pub force: Vector<1>,
        pub pot: Real,
        pub near: Count,
        pub stress: Tensor<1>,
    }

    impl Interaction for Beads {
        type I = Bead;
        type J = Bead;
        type F = Push;

        fn pair(&self, i: &Bead, j: &Bead, f: &mut Push) {
            let d = i.pos - j.pos;
            let e = i.charge * j.charge / (d.norm2() + self.eps2).sqrt();
            let mut v = j.vel - i.vel;
            v.x *= 0.5;
            f.force -= e.gradient(i.pos);
            f.force += self.drag.dot(v) * Vector::new(d[0]);
            f.pot += 0.5 * e;
            f.stress += i.charge * Tensor::outer(d);
            if d.x < 0.25 {
                f.near += 1;
            }
        }
    }

    /// The motion of beads.
    pub struct Slide {
        pub dt: Real,
    }
    impl Update for Slide {
        type P = Bead;
        fn update(&self, p: &mut Bead) {
            p.pos += self.dt * p.vel;
            p.vel = -p.vel / 2.0;
        }
    }

    /// Beads within a cutoff.
    pub struct Touch {
        pub reach: Real,
    }
    impl Interaction for Touch {
        type I = Bead;
        type J = Bead;
        type F = Push;
        fn cutoff(&self, _i: &Bead, _j: &Bead) -> Real {
            self.reach
        }
        fn pair(&self, i: &Bead, j: &Bead, f: &mut Push) {
            f.force += j.charge * (j.pos - i.pos);
            f.pot += j.charge;
            f.near += 1;
            f.stress.xx -= j.charge;
        }
    }
}
