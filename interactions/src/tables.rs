//! Interactions given as tables.

/// A pair potential given as a spline over the square of the distance.
///
/// u(r) = s(r²), and F = −∇u. Without a root and a division it takes little longer than
/// Lennard-Jones, whatever the potential. The potential energy of the system is half of the sum over
/// all particles. Below the first knot the spline continues as its tangent: begin it at a distance
/// that no pair reaches. Lengths and energies are in any consistent system of units.
#[nbody::interaction]
pub mod tabulated {
    /// Number of knots.
    pub const KNOTS: u32 = 1024;

    /// The potential, truncated at the cutoff.
    pub struct Tabulated {
        /// Potential u over r².
        pub energy: Spline<KNOTS>,
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// An atom.
    pub struct Atom {
        /// Position.
        pub pos: Point,
    }

    /// The force and energy of an atom.
    pub struct Force {
        /// Force.
        pub force: Vector,
        /// Potential energy.
        pub pot: Real,
    }

    impl Interaction for Tabulated {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, i: &Atom, j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let energy = self.energy.at((i.pos - j.pos).norm2());
            f.force -= energy.gradient(i.pos);
            f.pot += energy;
        }
    }
}

/// The embedded-atom method for up to eight elements, by the tables of a [setfl](crate::setfl) file.
///
/// E = Σᵢ F(ρᵢ) + ½ Σᵢ Σⱼ φ(r), with the density ρᵢ = Σⱼ ρ(r) of all neighbours: F is a function of the
/// element of i, ρ of the element of j, and φ of both, whichever comes first. So
/// Fᵢ = −Σⱼ ∇ᵢ [F′(ρᵢ) ρ(r; j) + F′(ρⱼ) ρ(r; i) + φ(r)] (Daw & Baskes 1984, Phys. Rev. B 29, 6443).
/// Lengths are in Å and energies in eV, as in the file.
///
/// An evaluation has three parts: [`EamDensity`](eam::EamDensity) sums densities over neighbours,
/// [`Embed`](eam::Embed) sets F and its slope of each atom from them, and [`Eam`](eam::Eam) sums
/// forces and pair energies. The energy of the system is the sum of [`Atom::embedding`](eam::Atom)
/// and half of the sum of [`Force::pot`](eam::Force). An atom of an element that the file lacks
/// gives NaN.
#[nbody::interaction]
pub mod eam {
    /// Number of knots of each table.
    pub const KNOTS: u32 = 2048;
    /// The most elements.
    pub const ELEMENTS: u32 = 8;
    /// The most pairs of elements.
    pub const PAIRS: u32 = ELEMENTS * (ELEMENTS + 1) / 2;
    /// An index without a table.
    const NONE: u32 = 4294967295;

    /// The density of the neighbours of an atom.
    pub struct EamDensity {
        /// Densities ρ over the distance r, by the element of the neighbour.
        pub density: [Spline<KNOTS>; ELEMENTS],
        /// Number of elements.
        pub elements: u32,
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// Sets the embedding energy of an atom and its slope.
    pub struct Embed {
        /// Embedding energies F over the density, by the element.
        pub embedding: [Spline<KNOTS>; ELEMENTS],
        /// Number of elements.
        pub elements: u32,
    }

    /// The forces and pair energies.
    pub struct Eam {
        /// Densities ρ over the distance r, by the element.
        pub density: [Spline<KNOTS>; ELEMENTS],
        /// Pair potentials times distance, r φ, over r. Pairs of elements are in the order of the file:
        /// (0, 0), (1, 0), (1, 1), (2, 0) and so on.
        pub pair: [Spline<KNOTS>; PAIRS],
        /// Number of elements.
        pub elements: u32,
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// An atom.
    pub struct Atom {
        /// Position.
        pub pos: Point,
        /// Element, by its place in the file.
        pub kind: u32,
        /// Embedding energy F.
        pub embedding: Real,
        /// Slope F′ of the embedding energy.
        pub slope: Real,
    }

    /// The density at an atom.
    pub struct Neighbourhood {
        /// Density ρ of all neighbours.
        pub density: Real,
    }

    /// The force on an atom, and its pair energy.
    pub struct Force {
        /// Force.
        pub force: Vector,
        /// Sum of φ over neighbours.
        pub pot: Real,
    }

    /// The place of the table of an element.
    fn place(kind: u32, elements: u32) -> u32 {
        (kind < elements).select(kind, NONE)
    }

    /// The place of the table of a pair of elements.
    fn place_of_pair(a: u32, b: u32, elements: u32) -> u32 {
        let most = a.max(b);
        (most < elements).select((most * (most + 1) >> 1) + a.min(b), NONE)
    }

    impl Interaction for EamDensity {
        type I = Atom;
        type J = Atom;
        type F = Neighbourhood;

        fn cutoff(&self, i: &Atom, j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Neighbourhood) {
            let r = (i.pos - j.pos).norm();
            f.density += self.density[place(j.kind, self.elements)].at(r);
        }
    }

    impl Update for Embed {
        type P = Atom;
        type F = Neighbourhood;

        fn update(&self, p: &mut Atom, f: &Neighbourhood) {
            let k = place(p.kind, self.elements);
            p.embedding = self.embedding[k].at(f.density);
            p.slope = self.embedding[k].slope(f.density);
        }
    }

    impl Interaction for Eam {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, i: &Atom, j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let r = (i.pos - j.pos).norm();
            let of_i = self.density[place(i.kind, self.elements)].at(r);
            let of_j = self.density[place(j.kind, self.elements)].at(r);
            let pair = self.pair[place_of_pair(i.kind, j.kind, self.elements)].at(r) / r;
            let energy = i.slope * of_j + j.slope * of_i + pair;
            f.force -= energy.gradient(i.pos);
            f.pot += pair;
        }
    }
}
