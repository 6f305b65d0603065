/// Jerks that are derived from accelerations.
pub mod rates {
    pub struct Hermite {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
        pub jerk: Vector,
    }

    impl Interaction for Hermite {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let a = j.mass * rinv.powi(3) * d;
            f.acc += a;
            // The rate of the acceleration.
            f.jerk += a.rate(i.pos = i.vel, j.pos = j.vel);
        }
    }
}
