//! Interactions of bonded atoms: bonds, angles, dihedrals and improper dihedrals.

/// The potentials of bonds, angles and dihedrals of molecular force fields; forces are derived from
/// the energies.
///
/// Each tuple has a record with its parameters. The energy of a tuple is shared out equally among
/// its atoms, and so is the virial Σ F·r of a bond; sums over all atoms are the totals. The virial of
/// angles and dihedrals is zero, since they do not change with scale. Lengths, energies and angles
/// (in radians) are in any consistent system of units.
///
/// An angle θ is at the second of three atoms. A dihedral φ of four atoms is the angle between the
/// planes of the first three and of the last three, 0 where the first and the last atom are on one
/// side (cis), with the sign of IUPAC (1974, Pure Appl. Chem. 40, 291). Where atoms are in a line, so
/// that an angle has no direction in which it grows, the force is zero.
///
/// - [`HarmonicBond`](bonded::HarmonicBond): ½k(r − r₀)².
/// - [`MorseBond`](bonded::MorseBond): D(1 − exp(−a(r − r₀)))² (Morse 1929, Phys. Rev. 34, 57).
/// - [`FeneBond`](bonded::FeneBond): −½kR² ln(1 − r²/R²) (Kremer & Grest 1990, J. Chem. Phys. 92,
///   5057); NaN beyond r = R, where it is infinite.
/// - [`HarmonicAngle`](bonded::HarmonicAngle): ½k(θ − θ₀)².
/// - [`CosineAngle`](bonded::CosineAngle): ½k(cos θ − cos θ₀)², as in GROMOS.
/// - [`PeriodicDihedral`](bonded::PeriodicDihedral): k(1 + cos(nφ − φ₀)).
/// - [`RyckaertBellemans`](bonded::RyckaertBellemans): Σ cₙ cosⁿ(φ − π), n from 0 to 5 (Ryckaert &
///   Bellemans 1978, Faraday Discuss. 66, 95).
/// - [`HarmonicImproper`](bonded::HarmonicImproper): ½k(φ − φ₀)², where the difference is in [−π, π].
#[nbody::interaction]
pub mod bonded {
    /// A full turn.
    const TAU: Real = core::f64::consts::TAU;

    /// A harmonic bond.
    pub struct HarmonicBond;
    /// A Morse bond.
    pub struct MorseBond;
    /// A bond that extends by no more than a length.
    pub struct FeneBond;
    /// A harmonic angle.
    pub struct HarmonicAngle;
    /// An angle, harmonic in its cosine.
    pub struct CosineAngle;
    /// A periodic dihedral.
    pub struct PeriodicDihedral;
    /// A dihedral, a polynomial of its cosine.
    pub struct RyckaertBellemans;
    /// A harmonic improper dihedral.
    pub struct HarmonicImproper;

    /// An atom.
    pub struct Atom {
        /// Position.
        pub pos: Point,
    }

    /// The parameters of a harmonic bond.
    pub struct Harmonic {
        /// Force constant k.
        pub k: Real,
        /// Length r₀.
        pub length: Real,
    }

    /// The parameters of a Morse bond.
    pub struct Morse {
        /// Depth D.
        pub depth: Real,
        /// Inverse width a.
        pub steepness: Real,
        /// Length r₀.
        pub length: Real,
    }

    /// The parameters of a FENE bond.
    pub struct Fene {
        /// Force constant k.
        pub k: Real,
        /// Greatest extent R.
        pub extent: Real,
    }

    /// The parameters of an angle or an improper dihedral.
    pub struct Angle {
        /// Force constant k.
        pub k: Real,
        /// Angle θ₀ or φ₀.
        pub angle: Real,
    }

    /// The parameters of a periodic dihedral.
    pub struct Periodic {
        /// Force constant k.
        pub k: Real,
        /// Phase φ₀.
        pub phase: Real,
        /// Multiplicity n.
        pub n: u32,
    }

    /// The parameters of a dihedral of Ryckaert and Bellemans.
    pub struct Polynomial {
        /// Coefficients c₀ to c₅.
        pub c: [Real; 6],
    }

    /// The force, energy and virial of an atom of bonds.
    pub struct BondForce {
        /// Force.
        pub force: Vector,
        /// Share of the potential energy.
        pub pot: Real,
        /// Share of the virial.
        pub virial: Real,
    }

    /// The force and energy of an atom of angles and dihedrals.
    pub struct Force {
        /// Force.
        pub force: Vector,
        /// Share of the potential energy.
        pub pot: Real,
    }

    /// The angle between two vectors, without a slope where they are in a line.
    fn angle_between(a: Vector, b: Vector) -> Real {
        let sin2 = a.cross(b).norm2();
        let sin = if sin2 > 0.0 { sin2.sqrt() } else { 0.0 };
        sin.atan2(a.dot(b))
    }

    /// The dihedral of planes with these normals, from its sine times the lengths of both; 0 where two bond
    /// vectors are in a line.
    fn dihedral(sin: Real, m: Vector, n: Vector) -> Real {
        if m.norm2() * n.norm2() > 0.0 { sin.atan2(m.dot(n)) } else { 0.0 }
    }

    /// A slope by a dihedral over the square of one normal; 0 where two bond vectors are in a line.
    fn over(slope: Real, normal: Vector, other: Vector) -> Real {
        if normal.norm2() * other.norm2() > 0.0 { slope / normal.norm2() } else { 0.0 }
    }

    /// The slope by the middle one of three bond vectors, from slopes over squares of normals (Blondel &
    /// Karplus 1996, J. Comput. Chem. 17, 1132); the slopes by the others are `q.norm() * by * normal`.
    fn by_middle(p: Vector, q: Vector, r: Vector, by_m: Real, by_n: Real) -> Vector {
        let inverse = if q.norm2() > 0.0 { 1.0 / q.norm() } else { 0.0 };
        -inverse * (p.dot(q) * by_m * p.cross(q) + r.dot(q) * by_n * q.cross(r))
    }

    impl Tuple for HarmonicBond {
        type T = Harmonic;
        type P = Atom;
        type F = BondForce;

        fn tuple(&self, t: &Harmonic, [a, b]: [&Atom; 2], [f, g]: [&mut BondForce; 2]) {
            let d = a.pos - b.pos;
            let e = 0.5 * t.k * (d.norm() - t.length).powi(2);
            let force = -e.gradient(d);
            f.force += force;
            g.force -= force;
            f.pot += 0.5 * e;
            g.pot += 0.5 * e;
            let virial = 0.5 * force.dot(d);
            f.virial += virial;
            g.virial += virial;
        }
    }

    impl Tuple for MorseBond {
        type T = Morse;
        type P = Atom;
        type F = BondForce;

        fn tuple(&self, t: &Morse, [a, b]: [&Atom; 2], [f, g]: [&mut BondForce; 2]) {
            let d = a.pos - b.pos;
            let e = t.depth * (1.0 - (-t.steepness * (d.norm() - t.length)).exp()).powi(2);
            let force = -e.gradient(d);
            f.force += force;
            g.force -= force;
            f.pot += 0.5 * e;
            g.pot += 0.5 * e;
            let virial = 0.5 * force.dot(d);
            f.virial += virial;
            g.virial += virial;
        }
    }

    impl Tuple for FeneBond {
        type T = Fene;
        type P = Atom;
        type F = BondForce;

        fn tuple(&self, t: &Fene, [a, b]: [&Atom; 2], [f, g]: [&mut BondForce; 2]) {
            let d = a.pos - b.pos;
            let r2 = t.extent * t.extent;
            let e = -0.5 * t.k * r2 * (1.0 - d.norm2() / r2).ln();
            let force = -e.gradient(d);
            f.force += force;
            g.force -= force;
            f.pot += 0.5 * e;
            g.pot += 0.5 * e;
            let virial = 0.5 * force.dot(d);
            f.virial += virial;
            g.virial += virial;
        }
    }

    impl Tuple for HarmonicAngle {
        type T = Angle;
        type P = Atom;
        type F = Force;

        fn tuple(&self, t: &Angle, [a, b, c]: [&Atom; 3], [f, g, h]: [&mut Force; 3]) {
            let p = a.pos - b.pos;
            let q = c.pos - b.pos;
            let e = 0.5 * t.k * (angle_between(p, q) - t.angle).powi(2);
            let of_a = -e.gradient(p);
            let of_c = -e.gradient(q);
            f.force += of_a;
            g.force -= of_a + of_c;
            h.force += of_c;
            let pot = e / 3.0;
            f.pot += pot;
            g.pot += pot;
            h.pot += pot;
        }
    }

    impl Tuple for CosineAngle {
        type T = Angle;
        type P = Atom;
        type F = Force;

        fn tuple(&self, t: &Angle, [a, b, c]: [&Atom; 3], [f, g, h]: [&mut Force; 3]) {
            let p = a.pos - b.pos;
            let q = c.pos - b.pos;
            let cos = p.dot(q) / (p.norm2() * q.norm2()).sqrt();
            let e = 0.5 * t.k * (cos - t.angle.cos()).powi(2);
            let of_a = -e.gradient(p);
            let of_c = -e.gradient(q);
            f.force += of_a;
            g.force -= of_a + of_c;
            h.force += of_c;
            let pot = e / 3.0;
            f.pot += pot;
            g.pot += pot;
            h.pot += pot;
        }
    }

    impl Tuple for PeriodicDihedral {
        type T = Periodic;
        type P = Atom;
        type F = Force;

        fn tuple(&self, t: &Periodic, [a, b, c, d]: [&Atom; 4], [fa, fb, fc, fd]: [&mut Force; 4]) {
            let p = b.pos - a.pos;
            let q = c.pos - b.pos;
            let r = d.pos - c.pos;
            let m = p.cross(q);
            let n = q.cross(r);
            let length = q.norm();
            let angle = dihedral(length * p.dot(n), m, n);
            let e = t.k * (1.0 + (t.n as Real * angle - t.phase).cos());
            let by_m = over(e.gradient(angle), m, n);
            let by_n = over(e.gradient(angle), n, m);
            let of_p = length * by_m * m;
            let of_q = by_middle(p, q, r, by_m, by_n);
            let of_r = length * by_n * n;
            fa.force += of_p;
            fb.force += of_q - of_p;
            fc.force += of_r - of_q;
            fd.force -= of_r;
            let pot = 0.25 * e;
            fa.pot += pot;
            fb.pot += pot;
            fc.pot += pot;
            fd.pot += pot;
        }
    }

    impl Tuple for RyckaertBellemans {
        type T = Polynomial;
        type P = Atom;
        type F = Force;

        fn tuple(
            &self,
            t: &Polynomial,
            [a, b, c, d]: [&Atom; 4],
            [fa, fb, fc, fd]: [&mut Force; 4],
        ) {
            let p = b.pos - a.pos;
            let q = c.pos - b.pos;
            let r = d.pos - c.pos;
            let m = p.cross(q);
            let n = q.cross(r);
            let norms2 = m.norm2() * n.norm2();
            let x = if norms2 > 0.0 { -m.dot(n) / norms2.sqrt() } else { -1.0 };
            let c = t.c;
            let e = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
            let of_p = e.gradient(p);
            let of_q = e.gradient(q);
            let of_r = e.gradient(r);
            fa.force += of_p;
            fb.force += of_q - of_p;
            fc.force += of_r - of_q;
            fd.force -= of_r;
            let pot = 0.25 * e;
            fa.pot += pot;
            fb.pot += pot;
            fc.pot += pot;
            fd.pot += pot;
        }
    }

    impl Tuple for HarmonicImproper {
        type T = Angle;
        type P = Atom;
        type F = Force;

        fn tuple(&self, t: &Angle, [a, b, c, d]: [&Atom; 4], [fa, fb, fc, fd]: [&mut Force; 4]) {
            let p = b.pos - a.pos;
            let q = c.pos - b.pos;
            let r = d.pos - c.pos;
            let m = p.cross(q);
            let n = q.cross(r);
            let length = q.norm();
            let angle = dihedral(length * p.dot(n), m, n);
            let more = angle - t.angle;
            let nearest = more - TAU * (more / TAU).round();
            let e = 0.5 * t.k * nearest.powi(2);
            let by_m = over(e.gradient(angle), m, n);
            let by_n = over(e.gradient(angle), n, m);
            let of_p = length * by_m * m;
            let of_q = by_middle(p, q, r, by_m, by_n);
            let of_r = length * by_n * n;
            fa.force += of_p;
            fb.force += of_q - of_p;
            fc.force += of_r - of_q;
            fd.force -= of_r;
            let pot = 0.25 * e;
            fa.pot += pot;
            fb.pot += pot;
            fc.pot += pot;
            fd.pot += pot;
        }
    }
}
