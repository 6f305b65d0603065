/// Functions given as tables.
pub mod splines {
    pub const KNOTS: u32 = 64;
    pub const TYPES: u32 = 3;

    pub struct Tabulated {
        pub kind: u32,
        /// An energy over the square of the distance.
        pub energy: Spline<KNOTS>,
        pub scale: Real,
        pub density: Spline<9>,
        /// Energies over the distance, by the kinds of i and j.
        pub of_pair: [[Spline<12>; TYPES]; TYPES],
        pub of_kind: [Spline<5>; TYPES],
    }
    pub struct Atom {
        pub pos: Point,
        pub density: Real,
        pub kind: u32,
    }
    pub struct Sums {
        pub energy: Real,
        pub force: Vector,
        pub bend: Real,
    }
    pub struct Embed {
        pub embedding: Spline<16>,
        pub of_kind: [Spline<16>; TYPES],
        pub due: u32,
    }

    impl Interaction for Tabulated {
        type I = Atom;
        type J = Atom;
        type F = Sums;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Sums) {
            let r2 = (i.pos - j.pos).norm2();
            let e = self.energy.at(r2) + self.scale * self.density.at(i.density * r2.sqrt());
            if j.kind == self.kind {
                f.energy += e;
            }
            f.force -= e.gradient(i.pos);
            let r = r2.sqrt();
            let of_pair = self.of_pair[i.kind][j.kind].at(r) * self.of_kind[j.kind].at(r);
            f.energy += of_pair + self.of_kind[2].slope(r);
            f.force -= of_pair.gradient(i.pos);
            for k in 0..TYPES {
                f.bend += self.of_pair[0][k].curvature(r);
            }
            let slope = self.density.slope(i.density + j.density);
            f.bend += slope.gradient(i.density) - self.density.curvature(r2).gradient(r2);
        }
    }

    impl Update for Embed {
        type P = Atom;

        fn update(&self, p: &mut Atom) {
            p.density = self.embedding.at(p.density) + self.embedding.slope(p.density);
            p.density += self.of_kind[p.kind].at(p.density);
        }
    }
}
