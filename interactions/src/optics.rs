//! Waves from point sources.

/// Splits a number into what `f32` holds of it and what that leaves, for particles and
/// parameters that need more than `f32` gives: together they hold 48 bits.
///
/// ```
/// let [high, low] = nbody_interactions::split(0.1);
/// assert_eq!(high, f64::from(0.1_f32));
/// assert!((high + low - 0.1).abs() < 1e-16);
/// ```
pub fn split(x: f64) -> [f64; 2] {
    let high = f64::from(x as f32);
    // Beyond the range of `f32` nothing is left to say.
    let low = if high.is_finite() { f64::from((x - high) as f32) } else { 0.0 };
    [high, low]
}

/// The complex field of point sources, u(x) = Σⱼ aⱼ exp(i (2π r / λ + φⱼ)) / r: the field in the
/// plane of a computer-generated hologram (Lucente 1993, J. Electron. Imaging 2, 28; Ito et al.
/// 2005, Opt. Express 13, 1923).
///
/// The distance and its phase are computed in twice the working precision (Dekker 1971, Numer.
/// Math. 18, 224; Knuth, TAOCP 2, section 4.2.2), from positions that are the sums of two parts
/// ([`split`]). In `f32` the phase is so within 10⁻⁶ radians of the true one for
/// 2π r / λ up to 10⁶, where `f32` by itself is off by tenths of a radian.
#[nbody::interaction]
pub mod hologram {
    const TURN: Real = 2.0 * core::f64::consts::PI;

    /// Monochromatic light.
    pub struct Hologram {
        /// 1/λ, what `f32` holds of it.
        pub wavenumber: Real,
        /// The rest of it.
        pub wavenumber_low: Real,
    }

    /// Where the field is evaluated.
    pub struct Pixel {
        /// Position, what `f32` holds of it.
        pub pos: Vector,
        /// The rest of it.
        pub low: Vector,
    }

    /// A point source.
    pub struct Source {
        /// Position, what `f32` holds of it.
        pub pos: Vector,
        /// The rest of it.
        pub low: Vector,
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

    /// a + b, rounded, and what rounding left.
    fn two_sum(a: Real, b: Real) -> [Real; 2] {
        let sum = a + b;
        let rest = sum - a;
        [sum, (a - (sum - rest)) + (b - rest)]
    }

    /// x² + y², x given by its two parts and y² by its two.
    fn add_square(x: [Real; 2], y2: [Real; 2]) -> [Real; 2] {
        let square = x[0] * x[0];
        let rest = x[0].mul_add(x[0], -square) + 2.0 * x[0] * x[1];
        let sum = two_sum(square, y2[0]);
        two_sum(sum[0], sum[1] + rest + y2[1])
    }

    /// a − b, both given by two parts.
    fn difference(a: Real, a_low: Real, b: Real, b_low: Real) -> [Real; 2] {
        let high = two_sum(a, -b);
        let low = two_sum(a_low, -b_low);
        let sum = two_sum(high[0], low[0]);
        two_sum(sum[0], sum[1] + high[1] + low[1])
    }

    impl Interaction for Hologram {
        type I = Pixel;
        type J = Source;
        type F = Field;

        fn pair(&self, i: &Pixel, j: &Source, f: &mut Field) {
            let mut r2 = [0.0, 0.0];
            for k in 0..3 {
                r2 = add_square(difference(j.pos[k], j.low[k], i.pos[k], i.low[k]), r2);
            }
            // One step of Newton's method gives the second part of the root.
            let r = r2[0].sqrt();
            let r_low = ((-r).mul_add(r, r2[0]) + r2[1]) / (2.0 * r);
            let turns = r * self.wavenumber;
            let rest = r.mul_add(self.wavenumber, -turns)
                + (r * self.wavenumber_low + r_low * self.wavenumber);
            // Whole turns do not matter.
            let phase = TURN * ((turns - turns.round()) + rest) + j.phase;
            let amplitude = j.amplitude / r;
            f.re += amplitude * phase.cos();
            f.im += amplitude * phase.sin();
        }
    }
}
