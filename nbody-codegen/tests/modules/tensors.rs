/// Symmetric tensors.
pub mod tensors {
    /// Harmonic repulsion; a shear that particles feel.
    pub struct Spring {
        pub k: Real,
        pub shear: Tensor,
    }
    pub struct Atom {
        pub pos: Point,
        pub strain: Tensor,
        pub flat: Vector<2>,
    }
    pub struct Force {
        pub force: Vector,
        pub virial: Tensor,
        pub flat: Tensor<2>,
        pub line: Tensor<1>,
    }

    /// The part of a tensor without a trace.
    fn deviator(t: Tensor) -> Tensor {
        let p = t.trace() / 3.0;
        t - Tensor::new(p, p, p, 0.0, 0.0, 0.0)
    }

    impl Interaction for Spring {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let push = self.k * d + self.shear.dot(d);
            // Half for each particle.
            f.virial += 0.5 * Tensor::symmetric(d, push);
            f.force += push;
            let mut t = if d.norm2() < 1.0 { i.strain } else { deviator(j.strain) };
            t.xy += d.x;
            t *= 2.0;
            t -= -j.strain / self.k;
            f.virial -= t;
            f.virial.yz += t.dot(d).z;
            f.flat += Tensor::outer(i.flat - j.flat);
            f.line += Tensor::new(d.y);
        }
    }

    pub struct Relax {
        pub rate: Real,
    }

    impl Update for Relax {
        type P = Atom;
        type F = Force;

        fn update(&self, p: &mut Atom, f: &Force) {
            p.strain += self.rate * f.virial;
            p.strain = Tensor::new(
                p.strain.yy, p.strain.xx, p.strain.zz,
                p.strain.xy, p.strain.yz, p.strain.xz,
            );
            p.strain.zz *= 0.5;
        }
    }

    pub struct Total {
        pub pressure: Tensor,
    }

    pub struct Pressure;

    impl Measure for Pressure {
        type P = Atom;
        type F = Force;
        type T = Total;

        fn measure(&self, p: &Atom, f: &Force, t: &mut Total) {
            t.pressure += f.virial + p.strain;
        }
    }
}
