//! Interactions of molecules.

/// The Lennard-Jones interaction, with parameters for each pair of types and three kinds of
/// cutoff.
///
/// With s = σ/r: u(r) = 4ε (s¹² − s⁶), F = −∇u, and the virial is Σⱼ F·(rᵢ − rⱼ). The potential
/// energy and the virial of the system are half of the sums over all particles (Lennard-Jones
/// 1931, Proc. Phys. Soc. 43, 461). Lengths, energies and forces are in any consistent system of
/// units.
///
/// - [`LennardJones`](lennard_jones::LennardJones): truncated at the cutoff.
/// - [`ShiftedLennardJones`](lennard_jones::ShiftedLennardJones): the potential shifted to zero at
///   the cutoff.
/// - [`SwitchedLennardJones`](lennard_jones::SwitchedLennardJones): the force switched off between
///   two radii, smooth at both (van der Spoel & van Maaren 2006, J. Chem. Theory Comput. 2, 1).
#[nbody::interaction]
pub mod lennard_jones {
    /// Number of types.
    pub const TYPES: u32 = 4;

    /// Truncated at the cutoff.
    pub struct LennardJones {
        /// Squared diameters σ², by types.
        pub sigma2: [[Real; TYPES]; TYPES],
        /// Well depths ε, by types.
        pub epsilon: [[Real; TYPES]; TYPES],
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// The potential shifted to zero at the cutoff.
    pub struct ShiftedLennardJones {
        /// Squared diameters σ², by types.
        pub sigma2: [[Real; TYPES]; TYPES],
        /// Well depths ε, by types.
        pub epsilon: [[Real; TYPES]; TYPES],
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// The force switched off between two radii.
    pub struct SwitchedLennardJones {
        /// Squared diameters σ², by types.
        pub sigma2: [[Real; TYPES]; TYPES],
        /// Well depths ε, by types.
        pub epsilon: [[Real; TYPES]; TYPES],
        /// Radius at which the switch begins.
        pub switch: Real,
        /// The cutoff radius, where force and potential are zero.
        pub cutoff: Real,
    }

    /// An atom.
    pub struct Atom {
        /// Position.
        pub pos: Point,
        /// Type, below `TYPES`.
        pub kind: u32,
    }

    /// The force, energy and virial of an atom.
    pub struct Force {
        /// Force.
        pub force: Vector,
        /// Potential energy.
        pub pot: Real,
        /// Virial.
        pub virial: Real,
    }

    /// s¹² − s⁶ from s².
    fn well(s2: Real) -> Real {
        let s6 = s2.powi(3);
        s6 * s6 - s6
    }

    /// The coefficient of (r − switch)² in the switched force of 1/rⁿ; cn = 1/cutoffⁿ.
    fn quadratic(n: Real, cn: Real, switch: Real, cutoff: Real) -> Real {
        let width = cutoff - switch;
        -n * ((n + 4.0) * cutoff - (n + 1.0) * switch) * cn / (cutoff * width).powi(2)
    }

    /// The coefficient of (r − switch)³.
    fn cubic(n: Real, cn: Real, switch: Real, cutoff: Real) -> Real {
        let width = cutoff - switch;
        n * ((n + 3.0) * cutoff - (n + 1.0) * switch) * cn / ((cutoff * width).powi(2) * width)
    }

    /// The switched force of 1/rⁿ, times r; rn = 1/rⁿ, x = r − switch beyond the switch, else 0.
    fn force(n: Real, rn: Real, cn: Real, r: Real, x: Real, switch: Real, cutoff: Real) -> Real {
        let added = quadratic(n, cn, switch, cutoff) + cubic(n, cn, switch, cutoff) * x;
        n * rn + added * x * x * r
    }

    /// The switched potential of 1/rⁿ, up to the constant that makes it zero at the cutoff.
    fn potential(n: Real, rn: Real, cn: Real, x: Real, switch: Real, cutoff: Real) -> Real {
        let a = quadratic(n, cn, switch, cutoff) / 3.0;
        let b = cubic(n, cn, switch, cutoff) / 4.0;
        rn - (a + b * x) * x * x * x
    }

    impl Interaction for LennardJones {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, _i: &Atom, _j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let epsilon = self.epsilon[i.kind][j.kind];
            let s2 = self.sigma2[i.kind][j.kind] / r2;
            let s6 = s2.powi(3);
            let virial = 24.0 * epsilon * s6 * (2.0 * s6 - 1.0);
            f.force += virial / r2 * d;
            f.virial += virial;
            f.pot += 4.0 * epsilon * well(s2);
        }
    }

    impl Interaction for ShiftedLennardJones {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, _i: &Atom, _j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let epsilon = self.epsilon[i.kind][j.kind];
            let sigma2 = self.sigma2[i.kind][j.kind];
            let s2 = sigma2 / r2;
            let s6 = s2.powi(3);
            let virial = 24.0 * epsilon * s6 * (2.0 * s6 - 1.0);
            f.force += virial / r2 * d;
            f.virial += virial;
            f.pot += 4.0 * epsilon * (well(s2) - well(sigma2 / (self.cutoff * self.cutoff)));
        }
    }

    impl Interaction for SwitchedLennardJones {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, _i: &Atom, _j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let r = r2.sqrt();
            let x = (r - self.switch).max(0.0);
            let width = self.cutoff - self.switch;
            // In units of σ⁶ and σ¹².
            let sigma2 = self.sigma2[i.kind][j.kind];
            let r6 = (sigma2 / r2).powi(3);
            let c6 = (sigma2 / (self.cutoff * self.cutoff)).powi(3);
            let r12 = r6 * r6;
            let c12 = c6 * c6;
            let epsilon4 = 4.0 * self.epsilon[i.kind][j.kind];
            let virial = epsilon4
                * (force(12.0, r12, c12, r, x, self.switch, self.cutoff)
                    - force(6.0, r6, c6, r, x, self.switch, self.cutoff));
            f.force += virial / r2 * d;
            f.virial += virial;
            let u12 = potential(12.0, r12, c12, x, self.switch, self.cutoff)
                - potential(12.0, c12, c12, width, self.switch, self.cutoff);
            let u6 = potential(6.0, r6, c6, x, self.switch, self.cutoff)
                - potential(6.0, c6, c6, width, self.switch, self.cutoff);
            f.pot += epsilon4 * (u12 - u6);
        }
    }
}

/// The Lennard-Jones interaction with the virial as a tensor, for the stress and the pressure of boxes that
/// are not cubes. Truncated at the cutoff.
///
/// With s = σ/r: u(r) = 4ε (s¹² − s⁶), F = −∇u, and Wᵢ = ½ Σⱼ (rᵢ − rⱼ) ⊗ F. The sum over all atoms is the
/// virial of the system: the pressure tensor is (Σ m v ⊗ v + W)/V, and −∂U/∂ε the derivative of the energy by a
/// strain ε of box and positions (Thompson, Plimpton & Mattson 2009, J. Chem. Phys. 131, 154107). Components
/// are in the order xx, yy, zz, xy, xz, yz. The potential energy of the system is half of the sum over all
/// atoms. Lengths and energies are in any consistent system of units.
#[nbody::interaction]
pub mod lennard_jones_stress {
    /// Truncated at the cutoff.
    pub struct LennardJonesStress {
        /// Squared diameter σ².
        pub sigma2: Real,
        /// Well depth ε.
        pub epsilon: Real,
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// An atom.
    pub struct Atom {
        /// Position.
        pub pos: Point,
    }

    /// The force, energy and virial of an atom.
    pub struct Force {
        /// Force.
        pub force: Vector,
        /// Potential energy.
        pub pot: Real,
        /// Virial, an energy.
        pub virial: Tensor,
    }

    impl Interaction for LennardJonesStress {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, _i: &Atom, _j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let s6 = (self.sigma2 / r2).powi(3);
            let stiffness = 24.0 * self.epsilon * s6 * (2.0 * s6 - 1.0) / r2;
            f.force += stiffness * d;
            f.pot += 4.0 * self.epsilon * (s6 * s6 - s6);
            f.virial += 0.5 * stiffness * Tensor::outer(d);
        }
    }
}

/// The Buckingham interaction: u(r) = A exp(−r/ρ) − C/r⁶, with force and potential (Buckingham
/// 1938, Proc. R. Soc. A 168, 264). One type of particle, truncated at the cutoff.
#[nbody::interaction]
pub mod buckingham {
    /// Exponential repulsion and dispersion.
    pub struct Buckingham {
        /// Strength of the repulsion, an energy.
        pub a: Real,
        /// Range of the repulsion.
        pub rho: Real,
        /// Strength of the dispersion, an energy times the sixth power of a length.
        pub c: Real,
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

    impl Interaction for Buckingham {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, _i: &Atom, _j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let r = r2.sqrt();
            let repulsion = self.a * (-r / self.rho).exp();
            let dispersion = self.c / r2.powi(3);
            f.force += (repulsion / (self.rho * r) - 6.0 * dispersion / r2) * d;
            f.pot += repulsion - dispersion;
        }
    }
}

/// The Gay-Berne interaction of two uniaxial molecules, as in liquid crystals: a Lennard-Jones
/// well whose range and depth depend on the directions of both axes.
///
/// With r = rᵢ − rⱼ, its direction n, a = uᵢ·n, b = uⱼ·n and c = uᵢ·uⱼ:
///
/// - u = 4ε (s¹² − s⁶), s = σ₀ / (r − σ + σ₀)
/// - σ = σ₀ g(χ)^(−1/2), ε = ε₀ (1 − χ² c²)^(−ν/2) g(χ′)^μ
/// - g(χ) = 1 − χ/2 ((a + b)² / (1 + χc) + (a − b)² / (1 − χc))
///
/// The force is −∂u/∂rᵢ and the torque −uᵢ × ∂u/∂uᵢ; the compiler derives both. The potential energy
/// of the system is half of the sum over all molecules. Lengths are in units of σ₀ and energies of
/// ε₀, or both in any consistent system. The axes are of length 1. Molecules closer than σ − σ₀,
/// deep inside one another, would attract, and a step must not take them there (Gay & Berne 1981,
/// J. Chem. Phys. 74, 3316).
#[nbody::interaction]
pub mod gay_berne {
    /// Truncated at the cutoff; `new` computes χ and χ′ from ratios.
    pub struct GayBerne {
        /// Range σ₀ of two molecules that lie across each other.
        pub sigma0: Real,
        /// Depth ε₀ of the well of two molecules that lie across each other.
        pub epsilon0: Real,
        /// Anisotropy χ of the range: (κ² − 1) / (κ² + 1) for the ratio κ of length to width.
        pub chi: Real,
        /// Anisotropy χ′ of the depth: (κ′^(1/μ) − 1) / (κ′^(1/μ) + 1) for the ratio κ′ of the
        /// depths side by side and end to end.
        pub chi_depth: Real,
        /// Exponent μ.
        pub mu: Real,
        /// Exponent ν.
        pub nu: Real,
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// A molecule.
    pub struct Molecule {
        /// Position of the centre.
        pub pos: Point,
        /// Direction of the axis, of length 1; its sign does not matter.
        pub axis: Vector,
    }

    /// The force, torque and energy of a molecule.
    pub struct Action {
        /// Force.
        pub force: Vector,
        /// Torque about the centre.
        pub torque: Vector,
        /// Potential energy.
        pub pot: Real,
    }

    /// The overlap g.
    fn overlap(chi: Real, a: Real, b: Real, c: Real) -> Real {
        let along = chi * c;
        let fractions = (a + b).powi(2) / (1.0 + along) + (a - b).powi(2) / (1.0 - along);
        1.0 - 0.5 * chi * fractions
    }

    impl Interaction for GayBerne {
        type I = Molecule;
        type J = Molecule;
        type F = Action;

        fn cutoff(&self, _i: &Molecule, _j: &Molecule) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Molecule, j: &Molecule, f: &mut Action) {
            let d = i.pos - j.pos;
            let r = d.norm();
            let n = d / r;
            let a = i.axis.dot(n);
            let b = j.axis.dot(n);
            let c = i.axis.dot(j.axis);
            let range = self.sigma0 * overlap(self.chi, a, b, c).rsqrt();
            let s6 = (self.sigma0 / (r - range + self.sigma0)).powi(6);
            // One exponential is cheaper than two powers.
            let depth = self.mu * overlap(self.chi_depth, a, b, c).ln()
                - 0.5 * self.nu * (1.0 - (self.chi * c).powi(2)).ln();
            let e = 4.0 * self.epsilon0 * depth.exp() * (s6 * s6 - s6);
            f.force -= e.gradient(i.pos);
            f.torque -= i.axis.cross(e.gradient(i.axis));
            f.pot += e;
        }
    }
}

impl gay_berne::GayBerne {
    /// Returns GB(κ, κ′, μ, ν) with σ₀ = ε₀ = 1, in the notation of Bates & Luckhurst 1999, J. Chem.
    /// Phys. 110, 7087: GB(3, 5, 2, 1) is Gay's and Berne's own.
    pub fn new([kappa, kappa_depth, mu, nu]: [f64; 4], cutoff: f64) -> Self {
        let anisotropy = |x: f64| (x - 1.0) / (x + 1.0);
        Self {
            sigma0: 1.0,
            epsilon0: 1.0,
            chi: anisotropy(kappa * kappa),
            chi_depth: anisotropy(kappa_depth.powf(mu.recip())),
            mu,
            nu,
            cutoff,
        }
    }
}
