pub mod gravity {
    /// Newtonian gravity with Plummer softening; G = 1.
    pub struct Gravity {
        /// Squared softening length.
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
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
            // Softening keeps close encounters finite.
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv; // the potential of j
            f.acc += mr * rinv * rinv * d;
            f.pot -= mr;
        }
    }
}
