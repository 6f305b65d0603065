/// Forces that are derived from energies.
pub mod gradients {
    pub struct Yukawa {
        pub kappa: Real,
        pub switch: Real,
        pub end: Real,
    }
    pub struct Atom {
        pub pos: Point,
        pub charge: Real,
    }
    pub struct Force {
        pub force: Vector,
        pub energy: Real,
    }

    /// Falls from 1 to 0 between two distances.
    fn fall(r: Real, switch: Real, end: Real) -> Real {
        if r <= switch {
            return 1.0;
        }
        let x = (r - switch) / (end - switch);
        1.0 - x * x * (3.0 - 2.0 * x)
    }

    impl Interaction for Yukawa {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let r = (i.pos - j.pos).norm();
            let e = i.charge * j.charge * (-self.kappa * r).exp() / r
                * fall(r, self.switch, self.end);
            f.energy += 0.5 * e;
            // The force on i.
            f.force -= e.gradient(i.pos);
        }
    }
}
