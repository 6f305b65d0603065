/// Bonds with a record, and angles without one.
mod bonds {
    /// A bond that breaks.
    pub struct Bond {
        /// Extent at which it breaks.
        pub extent: Real,
    }
    /// A bend towards a right angle.
    pub struct Bend {
        pub k: Real,
    }
    pub struct Atom {
        pub pos: Point,
        pub kind: u32,
    }
    /// The parameters of a bond.
    pub struct Spring {
        pub k: Real,
        pub length: Real,
    }
    pub struct Force {
        pub force: Vector,
        pub pot: Real,
        pub broken: Count,
    }

    impl Tuple for Bond {
        type T = Spring;
        type P = Atom;
        type F = Force;

        /// Pulls both atoms.
        fn tuple(&self, t: &Spring, [a, b]: [&Atom; 2], [f, g]: [&mut Force; 2]) {
            let d = a.pos - b.pos;
            let r = d.norm();
            if r > self.extent {
                f.broken += 1;
                g.broken += b.kind;
                return;
            }
            let e = 0.5 * t.k * (r - t.length).powi(2);
            f.force -= e.gradient(a.pos);
            g.force -= e.gradient(b.pos);
            f.pot += 0.5 * e;
            g.pot += 0.5 * e;
        }
    }

    impl Tuple for Bend {
        type P = Atom;
        type F = Force;

        fn tuple(&self, [a, b, c]: [&Atom; 3], [fa, fb, fc]: [&mut Force; 3]) {
            let p = a.pos - b.pos;
            let q = c.pos - b.pos;
            let e = self.k * p.dot(q).powi(2);
            fa.force -= e.gradient(p);
            fc.force -= e.gradient(q);
            fb.force += e.gradient(p) + e.gradient(q);
            fb.pot += e;
            fb.broken += 1;
        }
    }
}
