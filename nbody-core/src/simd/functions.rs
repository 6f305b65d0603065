//! Exponentials, logarithms, trigonometric and error functions of vectors.
//!
//! Arguments are reduced to a small range, where minimax polynomials (Remez 1934) take over; each
//! was fitted to the relative error, with 60 digits. The tests of this file say how far results
//! may be from the true ones. Other functions are taken element by element.
// Coefficients are not read, and only near to constants.
#![allow(clippy::unreadable_literal, clippy::approx_constant)]

use fearless_simd::prelude::*;

use super::hardware::Hardware;
use super::kind::Kind;
use super::wide::Wide;
use crate::{Lane, Scalar};

/// A polynomial, from its constant term on, for `f32` and for `f64`.
struct Fit<const N: usize, const M: usize> {
    single: [f64; N],
    double: [f64; M],
}

/// What e^r has beyond 1 + r, over r², for |r| up to half of ln 2.
const EXP: Fit<5, 12> = Fit {
    single: [
        0.49999993447796487,
        0.16666520631709497,
        0.041668388045313996,
        0.00836871687972814,
        0.0013814598646664034,
    ],
    double: [
        0.5,
        0.16666666666666666,
        0.041666666666666706,
        0.008333333333333337,
        0.0013888888888864673,
        0.000198412698412537,
        2.4801587363841052e-05,
        2.755731926548063e-06,
        2.755724047250817e-07,
        2.505205589324312e-08,
        2.092504100401555e-09,
        1.6091229118303917e-10,
    ],
};
/// What ln((1 + s) / (1 - s)) has beyond 2 s, over s³, in s².
const LN: Fit<4, 7> = Fit {
    single: [0.666666656412929, 0.4000033621926285, 0.2853723832509064, 0.23583568845754077],
    double: [
        0.6666666666666735,
        0.3999999999941109,
        0.28571428743262955,
        0.22222198475963328,
        0.18183569740789435,
        0.15313903225620162,
        0.1479750788734048,
    ],
};
/// What sin r has beyond r, over r³, in r², for |r| up to π/4.
const SIN: Fit<3, 6> = Fit {
    single: [-0.1666665460227223, 0.008332160291646967, -0.00019515218086521634],
    double: [
        -0.1666666666666663,
        0.008333333333322108,
        -0.00019841269829580166,
        2.755731361801777e-06,
        -2.5050747218268525e-08,
        1.589619764003117e-10,
    ],
};
/// What cos r has beyond 1 - r²/2, over r⁴, in r², for |r| up to π/4.
const COS: Fit<3, 6> = Fit {
    single: [0.04166664567015485, -0.0013887315616471047, 2.443308268484657e-05],
    double: [
        0.041666666666666595,
        -0.001388888888887304,
        2.4801587288841397e-05,
        -2.755731417623929e-07,
        2.0875700416021908e-09,
        -1.1358513949794758e-11,
    ],
};
/// erf(x) / x, in x², for x up to 1.
const ERF: Fit<7, 13> = Fit {
    single: [
        1.1283791657257949,
        -0.37612625816780226,
        0.1128358505190945,
        -0.026853807389281968,
        0.005188318102950245,
        -0.0008010101162025862,
        7.853528785527578e-05,
    ],
    double: [
        1.1283791670955126,
        -0.3761263890318375,
        0.11283791670954857,
        -0.026866170645072837,
        0.0052239776247802894,
        -0.0008548326978707736,
        0.00012055331035597563,
        -1.4925593474576435e-05,
        1.6460972283054334e-06,
        -1.6350019404844392e-07,
        1.4657839709761854e-08,
        -1.1365507165332011e-09,
        5.944987234354085e-11,
    ],
};
/// (1 + 2 x) e^(x²) erfc x, in (x - 2) / (x + 2), for x from 0 on (Shepherd & Laframboise 1981).
const ERFC: Fit<11, 24> = Fit {
    single: [
        1.276978394836079,
        -0.09276388021696207,
        -0.1660315700116675,
        0.1640525960246675,
        -0.05420286627939769,
        -0.008039214813870299,
        0.008631618965127315,
        0.0012545310398230645,
        -0.0012518002585634764,
        -0.00034308143356497756,
        3.7184205965484815e-05,
    ],
    double: [
        1.2769783815525289,
        -0.09276382658575309,
        -0.16603039761532307,
        0.16405128003422562,
        -0.05422000099008913,
        -0.008034015107958639,
        0.00872265382956006,
        0.0012713393489257215,
        -0.0014568133612100358,
        -0.0004543440108782986,
        0.00020636270353272058,
        0.0001510552057117936,
        -1.4874336864816909e-06,
        -3.64746045671428e-05,
        -1.3567165653865282e-05,
        3.815486113715532e-06,
        5.389480936039594e-06,
        1.3723557999395896e-06,
        -9.409522970060883e-07,
        -7.480081385639082e-07,
        -3.013111426603149e-08,
        1.3140338337596596e-07,
        3.3655080965468315e-08,
        -1.944599894731174e-09,
    ],
};
/// What tanh x has beyond x, over x³, in x², for x up to 0.55.
const TANH: Fit<5, 10> = Fit {
    single: [
        -0.33333317535326995,
        0.13332585230561078,
        -0.0538522066771847,
        0.02107122333021985,
        -0.00627355420521308,
    ],
    double: [
        -0.3333333333333231,
        0.13333333333168246,
        -0.05396825387585222,
        0.02186948596936273,
        -0.008863194430593946,
        0.003591719099745496,
        -0.0014532137716277435,
        0.000579128061646697,
        -0.0002102876017161676,
        5.101112684406378e-05,
    ],
};

/// ln 2 in two parts, and π/2 in three: products of the first ones with the integers that occur are
/// exact.
const LN_2: [[f64; 2]; 2] =
    [[0.693145751953125, 1.4286068203094173e-6], [0.6931471805601177, -1.7239444525614835e-13]];
const HALF_PI: [[f64; 3]; 2] = [
    [1.5703125, 0.0004837512969970703, 7.549789954891882e-8],
    [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21],
];
/// Angles up to these have such a multiple of π/2.
const LARGEST_ANGLE: [f64; 2] = [1e4, 1.6e6];

impl<S: Hardware, T: Kind<S>> Wide<S, T> {
    const SINGLE: bool = size_of::<T::Element>() == 4;
    /// Which of two precisions.
    const PRECISION: usize = if Self::SINGLE { 0 } else { 1 };
    /// The bits of the fraction of a number.
    const FRACTION: u32 = if Self::SINGLE { 23 } else { 52 };

    #[inline(always)]
    fn polynomial<const N: usize, const M: usize>(self, fit: &Fit<N, M>) -> Self {
        if Self::SINGLE { self.horner(&fit.single) } else { self.horner(&fit.double) }
    }

    #[inline(always)]
    fn horner<const N: usize>(self, coefficients: &[f64; N]) -> Self {
        let mut sum = Self::splat(coefficients[N - 1]);
        for k in (0..N - 1).rev() {
            sum = Self::splat(coefficients[k]).plus_product(sum, self);
        }
        sum
    }

    /// A number whose sum with a small integer ends in the bits of the integer.
    #[inline(always)]
    fn shift() -> Self {
        Self::splat(1.5 * (1_u64 << Self::FRACTION) as f64)
    }

    /// The nearest integer to a small number, and its last bits.
    #[inline(always)]
    fn nearest(self) -> (Self, T::Integers) {
        let sum = self + Self::shift();
        (sum - Self::shift(), T::bits(sum.0))
    }

    /// 2ⁿ of an integer, of a normal number's exponent.
    #[inline(always)]
    fn power_of_two(self) -> Self {
        let bits = T::bits((self + Self::shift()).0) << Self::FRACTION;
        Self::of(T::from_bits(bits + T::bits(Self::splat(1.0).0)))
    }

    /// The number itself where it is none, else the result.
    #[inline(always)]
    fn unless_nan(self, result: Self) -> Self {
        Self::select(Lane::eq(self, self), result, self)
    }

    /// e^(x + rest), of a small rest.
    #[inline(always)]
    fn exp_plus(self, rest: Self) -> Self {
        // Beyond these everything is zero or infinite.
        let [low, high] = if Self::SINGLE { [-104.0, 89.0] } else { [-746.0, 710.0] };
        let x = self.max(Self::splat(low)).min(Self::splat(high));
        let (n, _) = (x * Self::splat(std::f64::consts::LOG2_E)).nearest();
        let [high, low] = LN_2[Self::PRECISION];
        let (high, low) = (Self::splat(high), Self::splat(low));
        let r = x.minus_product(n, high).minus_product(n, low) + rest;
        let power = Self::splat(1.0) + r.plus_product(r * r, r.polynomial(&EXP));
        // In two steps, since the result may have an exponent that 2ⁿ has not.
        let (half, _) = (n * Self::splat(0.5)).nearest();
        self.unless_nan(power * half.power_of_two() * (n - half).power_of_two())
    }

    #[inline(always)]
    pub(super) fn exp_of(self) -> Self {
        self.exp_plus(Self::splat(0.0))
    }

    #[inline(always)]
    pub(super) fn ln_of(self) -> Self {
        let (one, half) = (T::bits(Self::splat(1.0).0), std::f64::consts::FRAC_1_SQRT_2);
        let half = T::bits(Self::splat(half).0);
        let smallest = if Self::SINGLE { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE };
        let tiny = Lane::lt(self, Self::splat(smallest));
        let scale = Self::splat((1_u64 << Self::FRACTION) as f64 * 4.0);
        let x = Self::select(tiny, self * scale, self);
        // x = 2ᵉ m, with m around 1.
        let bits = T::bits(x.0) - half + one;
        let bias = Self::splat(if Self::SINGLE { 127.0 } else { 1023.0 });
        let scaled = Self::splat(f64::from(Self::FRACTION + 2));
        let e = Self::of(T::reals(bits >> Self::FRACTION)) - bias;
        let e = Self::select(tiny, e - scaled, e);
        let fraction = T::bits(Self::splat(2.0).0) - one - Self::unit();
        let m = Self::of(T::from_bits((bits & fraction) + half));
        // ln m = f - (f²/2 - s (f²/2 + R)), with s = f / (2 + f).
        let f = m - Self::splat(1.0);
        let s = f / (Self::splat(2.0) + f);
        let z = s * s;
        let square = Self::splat(0.5) * f * f;
        let rest = z * z.polynomial(&LN);
        let [high, low] = LN_2[Self::PRECISION];
        let (high, low) = (Self::splat(high), Self::splat(low));
        let ln = f - (square - (e * low).plus_product(s, square + rest));
        let ln = ln.plus_product(e, high);
        let infinity = Self::splat(f64::INFINITY);
        let ln = Self::select(Lane::eq(x, infinity), x, ln);
        let zero = Self::splat(0.0);
        let ln = Self::select(Lane::eq(x, zero), -infinity, ln);
        let ln = Self::select(Lane::lt(x, zero), Self::splat(f64::NAN), ln);
        self.unless_nan(ln)
    }

    /// The lowest bit.
    #[inline(always)]
    fn unit() -> T::Integers {
        T::Integers::splat(S::here(), T::Scalar::word_from_u32(1))
    }

    /// The sine and the cosine of the rest of an angle beyond the nearest multiple of π/2, and the
    /// last bits of this multiple.
    #[inline(always)]
    fn of_rest(self) -> (Self, Self, T::Integers) {
        let (n, quadrant) = (self * Self::splat(std::f64::consts::FRAC_2_PI)).nearest();
        let mut r = self;
        for part in HALF_PI[Self::PRECISION] {
            r = r.minus_product(n, Self::splat(part));
        }
        let z = r * r;
        let sin = r.plus_product(r * z, z.polynomial(&SIN));
        let cos = Self::splat(1.0).minus_product(z, Self::splat(0.5));
        (sin, cos.plus_product(z * z, z.polynomial(&COS)), quadrant)
    }

    /// Whether all angles are of a size that [`of_rest`](Self::of_rest) takes.
    #[inline(always)]
    fn are_angles(self) -> bool {
        let largest = Self::splat(LARGEST_ANGLE[Self::PRECISION]);
        !Self::any(!Lane::le(self.abs(), largest))
    }

    /// The sine of an angle in this quadrant, of what [`of_rest`](Self::of_rest) gives.
    #[inline(always)]
    fn in_quadrant(sin: Self, cos: Self, quadrant: T::Integers) -> Self {
        let bit = |mask: T::Integers| (quadrant & mask).simd_eq(mask);
        let (one, two) = (Self::unit(), Self::unit() << 1);
        let chosen = Self::select(bit(one), cos, sin);
        Self::select(bit(two), -chosen, chosen)
    }

    #[inline(always)]
    pub(super) fn sin_of(self) -> Self {
        if !self.are_angles() {
            return self.each(Lane::sin);
        }
        let (sin, cos, quadrant) = self.of_rest();
        Self::in_quadrant(sin, cos, quadrant)
    }

    #[inline(always)]
    pub(super) fn cos_of(self) -> Self {
        if !self.are_angles() {
            return self.each(Lane::cos);
        }
        let (sin, cos, quadrant) = self.of_rest();
        Self::in_quadrant(sin, cos, quadrant + Self::unit())
    }

    #[inline(always)]
    pub(super) fn tan_of(self) -> Self {
        if !self.are_angles() {
            return self.each(Lane::tan);
        }
        let (sin, cos, quadrant) = self.of_rest();
        let odd = (quadrant & Self::unit()).simd_eq(Self::unit());
        Self::select(odd, -cos, sin) / Self::select(odd, sin, cos)
    }

    #[inline(always)]
    pub(super) fn erf_of(self) -> Self {
        let x = self.abs();
        let z = x * x;
        let near = x * z.polynomial(&ERF);
        let far = Self::splat(1.0) - x.erfc_of_positive();
        let chosen = Self::select(Lane::lt(x, Self::splat(1.0)), near, far);
        self.unless_nan(chosen.copysign(self))
    }

    #[inline(always)]
    pub(super) fn erfc_of(self) -> Self {
        let erfc = self.abs().erfc_of_positive();
        let negative = Lane::lt(self, Self::splat(0.0));
        self.unless_nan(Self::select(negative, Self::splat(2.0) - erfc, erfc))
    }

    #[inline(always)]
    fn erfc_of_positive(self) -> Self {
        // Beyond this it is zero.
        let x = self.min(Self::splat(if Self::SINGLE { 11.0 } else { 28.0 }));
        let two = Self::splat(2.0);
        let scaled = ((x - two) / (x + two)).polynomial(&ERFC);
        // What rounding takes from x² counts: the square of the first digits is exact.
        let digits = Self::FRACTION / 2 + 1;
        let first = Self::of(T::from_bits((T::bits(x.0) >> digits) << digits));
        let gauss = (-(first * first)).exp_plus((first - x) * (first + x));
        gauss * scaled / Self::splat(1.0).plus_product(two, x)
    }

    #[inline(always)]
    pub(super) fn tanh_of(self) -> Self {
        let x = self.abs();
        let z = x * x;
        let near = x.plus_product(x * z, z.polynomial(&TANH));
        let one = Self::splat(1.0);
        let far = one - Self::splat(2.0) / (one + (x + x).exp_of());
        let chosen = Self::select(Lane::lt(x, Self::splat(0.55)), near, far);
        self.unless_nan(chosen.copysign(self))
    }
}
