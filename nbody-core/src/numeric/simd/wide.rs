//! Vector registers as [`Lane`]s, in fast mathematics.

use crate::field::FieldKind;
use crate::numeric::lane::Lane;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::functions::Functions;
use crate::numeric::simd::lanes::{LINE, Lanes, Line, Word};
use crate::numeric::simd::series::{MOST_TERMS, Square, coefficients, economized};
use crate::numeric::simd::vector::{Integers, Mask, Vector, read, write};
use crate::numeric::spline::Cubic;

/// Returns `difference`, which is `limit` minus a positive product; returns `limit` if the
/// difference is NaN, because the estimate in the product is zero or infinite.
#[inline(always)]
fn at_most<V: Vector>(difference: V, limit: f64) -> V {
    V::min_with_number(difference, V::splat(limit))
}

/// Computes `estimate * (1 - error)^-exponent` by the coefficients of a series, for a small error.
#[inline(always)]
fn refined<V: Vector>(estimate: V, error: V, series: &[f64; MOST_TERMS + 1]) -> V {
    let error = at_most(error, 1.0);
    // Comes before `estimate * error`, which would otherwise occupy a register.
    let sum = series_after_one(error, series);
    V::mul_add(estimate * error, sum, estimate)
}

/// Computes `((1 - error)^-exponent - 1) / error` by the coefficients of a series.
#[inline(always)]
fn series_after_one<V: Vector>(error: V, series: &[f64; MOST_TERMS + 1]) -> V {
    let mut sum = V::splat(series[V::TERMS]);
    if const { V::TERMS > 2 } {
        sum = V::mul_add(sum, error, V::splat(series[2]));
    }
    if const { V::TERMS > 1 } {
        sum = V::mul_add(sum, error, V::splat(series[1]));
    }
    sum
}

/// Looks up, for each of `width` elements, the entry of its index; NaN beyond the end. It is not
/// inlined into loops, where vectors seldom look up several rows and columns at once.
#[cold]
#[inline(never)]
fn gather_elements<E: Scalar>(entries: &[E], indices: &[E::Word; LINE], width: usize) -> [E; LINE] {
    let mut found = [E::from_f64(f64::NAN); LINE];
    for (k, (index, found)) in indices.iter().zip(&mut found).enumerate().take(width) {
        if let Some(entry) = entries.get(E::word_to_u32(*index) as usize * width + k) {
            *found = *entry;
        }
    }
    found
}

/// Adds, for each of `width` elements, its term to the sum of its index, if the sum exists.
#[inline(never)]
fn scatter_elements<E: Scalar>(
    sums: &mut [E],
    indices: &[E::Word; LINE],
    terms: &[E; LINE],
    width: usize,
) {
    for (k, (index, term)) in indices.iter().zip(terms).enumerate().take(width) {
        if let Some(sum) = sums.get_mut(E::word_to_u32(*index) as usize * width + k) {
            *sum += *term;
        }
    }
}

/// Adds, for each of `width` elements, its integer to the count of its index, if the count exists.
#[inline(always)]
fn scatter_counts<E: Scalar>(
    counts: &mut [E::Word],
    indices: &[E::Word; LINE],
    terms: &[E::Word; LINE],
    width: usize,
) {
    for (k, (index, term)) in indices.iter().zip(terms).enumerate().take(width) {
        if let Some(count) = counts.get_mut(E::word_to_u32(*index) as usize * width + k) {
            let sum = E::word_to_u32(*count).wrapping_add(E::word_to_u32(*term));
            *count = E::word_from_u32(sum);
        }
    }
}

/// Implements functions with register operations, and with the functions of `functions`.
macro_rules! functions {
    (unary: $($unary:ident)*; binary: $($binary:ident)*; others: $($name:ident $other:ident),*) => {
        $(#[inline(always)]
        fn $unary(self) -> Self {
            Vector::$unary(self)
        })*
        $(#[inline(always)]
        fn $binary(self, other: Self) -> Self {
            Vector::$binary(self, other)
        })*
        $(#[inline(always)]
        fn $name(self) -> Self {
            self.$other()
        })*
    };
}

/// Implements comparisons of numbers and of integers.
macro_rules! comparisons {
    ($($method:ident $of_integers:ident),*) => {
        $(#[inline(always)]
        fn $method(a: Self, b: Self) -> V::Mask {
            Vector::$method(a, b)
        }
        #[inline(always)]
        fn $of_integers(a: V::Integers, b: V::Integers) -> V::Mask {
            Integers::$method(a, b)
        })*
    };
}

#[doc(hidden)]
impl<V: Vector> Lane for V {
    type Mask = V::Mask;
    type U32 = V::Integers;
    type Coordinate = V;
    const ROUNDOFF: f64 = V::Element::ROUNDOFF;
    const REORDERS: bool = true;
    const ENDS_EARLY: bool = false;
    /// The margin of fast mathematics on a GPU; vector roots and quotients need less.
    const MARGIN: f64 = 20.0;

    functions! {
        unary: sqrt abs floor ceil round_ties_even trunc;
        binary: min max copysign;
        others: exp exp_of, ln ln_of, cbrt cbrt_of, sin sin_of, cos cos_of, tan tan_of, asin asin_of,
            acos acos_of, atan atan_of, sinh sinh_of, cosh cosh_of, tanh tanh_of, erf erf_of,
            erfc erfc_of, round round_of
    }
    comparisons!(lt lt_u32, le le_u32, eq eq_u32);

    #[inline(always)]
    fn coordinate(value: f64) -> Self {
        Vector::splat(value)
    }
    #[inline(always)]
    fn select_coordinate(mask: V::Mask, yes: Self, no: Self) -> Self {
        Vector::select(mask, yes, no)
    }
    #[inline(always)]
    fn difference(a: Self, b: Self) -> Self {
        a - b
    }
    #[inline(always)]
    fn nearest_difference(a: Self, b: Self, length: Self, inverse: Self) -> Self {
        let d = a - b;
        V::neg_mul_add(length, V::round_ties_even(d * inverse), d)
    }
    #[inline(always)]
    fn apart(a: Self, b: Self) -> Self {
        a - b
    }
    #[inline(always)]
    fn without(d: Self, n: Self, length: Self) -> Self {
        V::neg_mul_add(length, n, d)
    }
    #[inline(always)]
    fn rounded(d: Self) -> Self {
        d
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Vector::splat(value)
    }
    #[inline(always)]
    fn splat_u32(value: u32) -> V::Integers {
        V::Integers::splat(value)
    }
    #[inline(always)]
    fn splat_mask(value: bool) -> V::Mask {
        V::Mask::splat(value)
    }
    #[inline(always)]
    fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        Vector::select(mask, yes, no)
    }
    #[inline(always)]
    fn any(mask: V::Mask) -> bool {
        mask.any()
    }
    type Element = V::Element;
    #[inline(always)]
    fn of_element(number: V::Element) -> Self {
        V::broadcast(number)
    }
    #[inline(always)]
    fn to_element(self) -> V::Element {
        let mut elements = [V::Element::default(); LINE];
        write(&mut elements, self);
        elements[0]
    }
    #[inline(always)]
    fn cubic(cubics: &[Cubic<V::Element>], index: Self) -> [Self; 4] {
        V::cubic(cubics, index)
    }
    #[inline(always)]
    fn gather(entries: &[Self], index: V::Integers) -> Self {
        let mut indices = [Word::<V>::default(); LINE];
        write(&mut indices, index);
        read(&gather_elements::<V::Element>(bytemuck::cast_slice(entries), &indices, V::WIDTH), 0)
    }
    #[inline(always)]
    fn scatter(sums: &mut [Self], index: V::Integers, term: Self) {
        let mut indices = [Word::<V>::default(); LINE];
        write(&mut indices, index);
        let mut terms = [V::Element::default(); LINE];
        write(&mut terms, term);
        scatter_elements(bytemuck::cast_slice_mut(sums), &indices, &terms, V::WIDTH);
    }
    #[inline(always)]
    fn scatter_u32(counts: &mut [V::Integers], index: V::Integers, term: V::Integers) {
        // An index without a count adds 0 to the first one: a branch would be mispredicted often.
        let exists = Integers::lt(index, V::Integers::splat(counts.len() as u32));
        let [index, term] =
            [index, term].map(|it| Integers::select(exists, it, V::Integers::splat(0)));
        let [mut indices, mut terms] = [[Word::<V>::default(); LINE]; 2];
        write(&mut indices, index);
        write(&mut terms, term);
        scatter_counts::<V::Element>(bytemuck::cast_slice_mut(counts), &indices, &terms, V::WIDTH);
    }
    #[inline(always)]
    fn uniform(integers: V::Integers) -> Option<u32> {
        let first = V::Integers::first(integers);
        Integers::eq(integers, V::Integers::splat(first)).all().then_some(first)
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        V::mul_add(a, b, self)
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        V::neg_mul_add(a, b, self)
    }
    #[inline(always)]
    fn times_minus(self, a: Self, b: Self) -> Self {
        V::mul_sub(self, a, b)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Vector::mul_add(self, a, b)
    }
    #[inline(always)]
    fn plus_where(self, mask: V::Mask, term: Self) -> Self {
        if const { V::MASKS } {
            Vector::select(mask, self + term, self)
        } else {
            self + Vector::select(mask, term, V::default())
        }
    }
    #[inline(always)]
    fn minus_where(self, mask: V::Mask, term: Self) -> Self {
        if const { V::MASKS } {
            Vector::select(mask, self - term, self)
        } else {
            self - Vector::select(mask, term, V::default())
        }
    }

    #[inline(always)]
    fn select_u32(mask: V::Mask, yes: V::Integers, no: V::Integers) -> V::Integers {
        Integers::select(mask, yes, no)
    }
    #[inline(always)]
    fn add_u32(a: V::Integers, b: V::Integers) -> V::Integers {
        Integers::wrapped(a + b)
    }
    #[inline(always)]
    fn sub_u32(a: V::Integers, b: V::Integers) -> V::Integers {
        Integers::wrapped(a - b)
    }
    #[inline(always)]
    fn mul_u32(a: V::Integers, b: V::Integers) -> V::Integers {
        Integers::wrapped(Integers::product(a, b))
    }
    #[inline(always)]
    fn div_u32(a: V::Integers, b: V::Integers) -> V::Integers {
        Integers::each(a, b, f32::div_u32)
    }
    #[inline(always)]
    fn rem_u32(a: V::Integers, b: V::Integers) -> V::Integers {
        Integers::each(a, b, f32::rem_u32)
    }
    #[inline(always)]
    fn shl_u32(a: V::Integers, b: V::Integers) -> V::Integers {
        Integers::wrapped(Integers::shl_each(a, b & Integers::splat(31)))
    }
    #[inline(always)]
    fn shr_u32(a: V::Integers, b: V::Integers) -> V::Integers {
        Integers::shr_each(a, b & Integers::splat(31))
    }
    #[inline(always)]
    fn ones_u32(a: V::Integers) -> V::Integers {
        // The sums of pairs of bits, then of four and of eight.
        let pairs = a - (Integers::shr(a, 1) & Integers::splat(0x5555_5555));
        let two = Integers::splat(0x3333_3333);
        let fours = (pairs & two) + (Integers::shr(pairs, 2) & two);
        let bytes = (fours + Integers::shr(fours, 4)) & Integers::splat(0x0F0F_0F0F);
        // The highest byte of the product is the sum of all.
        let product = Integers::product(bytes, Integers::splat(0x0101_0101));
        Integers::shr(Integers::wrapped(product), 24)
    }
    #[inline(always)]
    fn high_u32(a: V::Integers, b: V::Integers) -> V::Integers {
        Integers::high(a, b)
    }
    #[inline(always)]
    fn from_u32(a: V::Integers) -> Self {
        V::from_integers(a)
    }
    #[inline(always)]
    fn to_u32(a: Self) -> V::Integers {
        let zero = V::splat(0.0);
        let whole = Vector::trunc(Vector::select(Vector::lt(zero, a), a, zero));
        let beyond = Vector::le(V::splat(4_294_967_296.0), whole);
        let integer = if const { size_of::<V::Element>() == size_of::<u64>() } {
            // The bits of 2⁵² + the integer.
            Integers::wrapped(V::bits(whole + V::splat(4_503_599_627_370_496.0)))
        } else {
            // The bits of 2²³ + each half of the integer.
            let bits = |half| V::bits(half + V::splat(8_388_608.0)) & Integers::splat(0x007F_FFFF);
            let high = Vector::floor(whole * V::splat(2.0_f64.powi(-16)));
            let low = V::neg_mul_add(high, V::splat(65_536.0), whole);
            Integers::shl(bits(high), 16) | bits(low)
        };
        Integers::select(beyond, Integers::splat(u32::MAX), integer)
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        if const { V::TERMS == 0 } {
            return V::divide(V::splat(1.0), V::sqrt(self));
        }
        let y = V::rsqrt_estimate(self);
        refined(y, V::neg_mul_add(self * y, y, V::splat(1.0)), const { &coefficients(0.5) })
    }
    #[inline(always)]
    fn times_rsqrt_powi<const N: i32>(self, x: Self) -> Self {
        // The truncation error of the series grows with the power.
        if const { V::TERMS == 0 || N < 2 || N > 4 } {
            return self * x.rsqrt().powi(N);
        }
        let y = V::rsqrt_estimate(x);
        let square = y * y;
        if const { N < 4 && V::TERMS < 3 } {
            let series = const { Square::new(0.5 * N as f64) };
            let scaled = self * V::splat(series.factor);
            let power = if N == 2 { scaled * square } else { scaled * y * square };
            let limit = series.one_and_shift;
            let shifted = at_most(V::neg_mul_add(x, square, V::splat(limit)), limit);
            return power * V::mul_add(shifted, shifted, V::splat(series.rest));
        }
        // Comes before the series, so that y no longer occupies a register.
        let power = match N {
            2 => square,
            3 => y * square,
            _ => square * square,
        };
        let error = at_most(V::neg_mul_add(x, square, V::splat(1.0)), 1.0);
        let series = const { &economized(0.5 * N as f64, V::TERMS) };
        (self * power) * V::mul_add(series_after_one(error, series), error, V::splat(1.0))
    }
    #[inline(always)]
    fn recip(self) -> Self {
        if const { V::TERMS == 0 } {
            return V::divide(V::splat(1.0), self);
        }
        let y = V::recip_estimate(self);
        refined(y, V::neg_mul_add(self, y, V::splat(1.0)), const { &coefficients(1.0) })
    }
    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        self.powf_of(exponent)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        self.atan2_of(x)
    }
}

const INDICES: [u32; LINE] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

impl<V: Vector> Lanes for V {
    type Scalar = V::Element;
    const WIDTH: usize = V::WIDTH;
    const REGISTERS: usize = V::REGISTERS;

    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        <V as Vector>::vectorize(f)
    }
    #[inline(always)]
    fn load(line: &Line<Word<Self>>, at: usize) -> Self {
        read(&line.0, at)
    }
    #[inline(always)]
    fn load_u32(line: &Line<Word<Self>>, at: usize) -> V::Integers {
        read(&line.0, at)
    }
    #[inline(always)]
    fn broadcast(word: Word<Self>) -> Self {
        Vector::broadcast(V::Element::from_word(word))
    }
    #[inline(always)]
    fn store(self, line: &mut Line<Word<Self>>) {
        write(&mut line.0, self);
    }
    #[inline(always)]
    fn store_u32(integers: V::Integers, line: &mut Line<Word<Self>>) {
        write(&mut line.0, integers);
    }
    #[inline(always)]
    fn count_from(first: u32) -> V::Integers {
        let indices: V::Integers = read(&INDICES.map(V::Element::word_from_u32), 0);
        Integers::wrapped(V::Integers::splat(first) + indices)
    }
    #[inline(always)]
    fn reduce(self, kind: FieldKind) -> Word<Self> {
        let element = match kind {
            FieldKind::Min => V::smallest(self),
            FieldKind::Max => V::largest(self),
            _ => V::sum(self),
        };
        element.to_word()
    }
    #[inline(always)]
    fn coordinate_from(mut next: impl FnMut() -> Self) -> Self {
        next()
    }
}
