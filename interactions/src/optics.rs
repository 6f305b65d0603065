//! Waves from point sources.

/// Splits a number into the nearest `f32` and the rest (hi and lo of double-single arithmetic),
/// for particles and parameters that need more than the 24 bits of `f32`: together they hold 48.
///
/// ```
/// let [hi, lo] = nbody_interactions::double_single(0.1);
/// assert_eq!(hi, f64::from(0.1_f32));
/// assert!((hi + lo - 0.1).abs() < 1e-16);
/// ```
pub fn double_single(x: f64) -> [f64; 2] {
    let hi = f64::from(x as f32);
    // Beyond the range of `f32`, hi is infinite and lo is 0.
    let lo = if hi.is_finite() { f64::from((x - hi) as f32) } else { 0.0 };
    [hi, lo]
}

/// The complex field of point sources, u(x) = Σⱼ aⱼ exp(i (2π r / λ + φⱼ)) / r: the field in the
/// plane of a computer-generated hologram (Lucente 1993, J. Electron. Imaging 2, 28; Ito et al.
/// 2005, Opt. Express 13, 1923).
///
/// The distance and its phase are computed in twice the working precision (Dekker 1971, Numer.
/// Math. 18, 224; Knuth, TAOCP 2, section 4.2.2), from positions in hi and lo ([`double_single`]).
/// In `f32` the error of the phase is thus within 10⁻⁶ radians for 2π r / λ up to 10⁶, while `f32`
/// alone errs by tenths of a radian.
#[nbody::interaction]
pub mod hologram {
    const TURN: Real = 2.0 * core::f64::consts::PI;

    /// Monochromatic light.
    pub struct Hologram {
        /// 1/λ, hi.
        pub wavenumber: Real,
        /// 1/λ, lo.
        pub wavenumber_lo: Real,
    }

    /// A pixel of the hologram, at which the field is evaluated.
    pub struct Pixel {
        /// Position, hi.
        pub pos: Vector,
        /// Position, lo.
        pub lo: Vector,
    }

    /// A point source.
    pub struct Source {
        /// Position, hi.
        pub pos: Vector,
        /// Position, lo.
        pub lo: Vector,
        /// Amplitude at unit distance.
        pub amplitude: Real,
        /// Phase at the source, in radians.
        pub phase: Real,
    }

    /// The field at a pixel.
    pub struct Field {
        /// Real part.
        pub re: Real,
        /// Imaginary part.
        pub im: Real,
    }

    /// a + b rounded, and its rounding error.
    fn two_sum(a: Real, b: Real) -> [Real; 2] {
        let sum = a + b;
        let rest = sum - a;
        [sum, (a - (sum - rest)) + (b - rest)]
    }

    /// x² + y²; x and y² are each given by hi and lo.
    fn add_square(x: [Real; 2], y2: [Real; 2]) -> [Real; 2] {
        let square = x[0] * x[0];
        let rest = x[0].mul_add(x[0], -square) + 2.0 * x[0] * x[1];
        let sum = two_sum(square, y2[0]);
        two_sum(sum[0], sum[1] + rest + y2[1])
    }

    /// a − b, both given by hi and lo.
    fn difference(a: Real, a_lo: Real, b: Real, b_lo: Real) -> [Real; 2] {
        let hi = two_sum(a, -b);
        let lo = two_sum(a_lo, -b_lo);
        let sum = two_sum(hi[0], lo[0]);
        two_sum(sum[0], sum[1] + hi[1] + lo[1])
    }

    impl Interaction for Hologram {
        type I = Pixel;
        type J = Source;
        type F = Field;

        fn pair(&self, i: &Pixel, j: &Source, f: &mut Field) {
            let mut r2 = [0.0, 0.0];
            for k in 0..3 {
                r2 = add_square(difference(j.pos[k], j.lo[k], i.pos[k], i.lo[k]), r2);
            }
            // One step of Newton's method gives lo of the root.
            let r = r2[0].sqrt();
            let r_lo = ((-r).mul_add(r, r2[0]) + r2[1]) / (2.0 * r);
            let turns = r * self.wavenumber;
            let rest = r.mul_add(self.wavenumber, -turns)
                + (r * self.wavenumber_lo + r_lo * self.wavenumber);
            // Whole periods drop out.
            let phase = TURN * ((turns - turns.round()) + rest) + j.phase;
            let amplitude = j.amplitude / r;
            f.re += amplitude * phase.cos();
            f.im += amplitude * phase.sin();
        }
    }
}
