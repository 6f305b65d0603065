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

/// The embedded-atom method for one element, by the tables of a [setfl](crate::setfl) file.
///
/// E = Σᵢ F(ρᵢ) + ½ Σᵢ Σⱼ φ(r), with the density ρᵢ = Σⱼ ρ(r) of all neighbours, so that
/// Fᵢ = −Σⱼ ∇ᵢ [(F′(ρᵢ) + F′(ρⱼ)) ρ(r) + φ(r)] (Daw & Baskes 1984, Phys. Rev. B 29, 6443). Lengths
/// are in Å and energies in eV, as in the file.
///
/// An evaluation has three parts: [`EamDensity`](eam::EamDensity) sums densities over neighbours,
/// [`Embed`](eam::Embed) sets F and its slope of each atom from them, and [`Eam`](eam::Eam) sums
/// forces and pair energies. The energy of the system is the sum of [`Atom::embedding`](eam::Atom)
/// and half of the sum of [`Force::pot`](eam::Force).
#[nbody::interaction]
pub mod eam {
    /// Number of knots of each table.
    pub const KNOTS: u32 = 2048;

    /// The density of the neighbours of an atom.
    pub struct EamDensity {
        /// Density ρ over the distance r.
        pub density: Spline<KNOTS>,
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// Sets the embedding energy of an atom and its slope.
    pub struct Embed {
        /// Embedding energy F over the density.
        pub embedding: Spline<KNOTS>,
    }

    /// The forces and pair energies.
    pub struct Eam {
        /// Density ρ over the distance r.
        pub density: Spline<KNOTS>,
        /// Pair potential times distance, r φ, over r.
        pub pair: Spline<KNOTS>,
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// An atom.
    pub struct Atom {
        /// Position.
        pub pos: Point,
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

    impl Interaction for EamDensity {
        type I = Atom;
        type J = Atom;
        type F = Neighbourhood;

        fn cutoff(&self, i: &Atom, j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Neighbourhood) {
            f.density += self.density.at((i.pos - j.pos).norm());
        }
    }

    impl Update for Embed {
        type P = Atom;
        type F = Neighbourhood;

        fn update(&self, p: &mut Atom, f: &Neighbourhood) {
            p.embedding = self.embedding.at(f.density);
            p.slope = self.embedding.slope(f.density);
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
            let pair = self.pair.at(r) / r;
            let energy = (i.slope + j.slope) * self.density.at(r) + pair;
            f.force -= energy.gradient(i.pos);
            f.pot += pair;
        }
    }
}
