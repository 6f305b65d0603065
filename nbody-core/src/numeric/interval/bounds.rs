//! Interval arithmetic. Every function bounds the results of any engine for all numbers within the
//! bounds of its operands; the bounds of integers and conditions are exact.

use crate::numeric::interval::constants::{
    DIVISION, FUNCTION, LARGE, PI, ROOT, ROUNDOFF, SLACK, SUM, TINY,
};
use crate::numeric::interval::functions::{
    cbrt_of, cosh_of, exp_of, ln_of, powf_of, sinh_of, tanh_of,
};
use crate::numeric::interval::primitives::{
    MOST, ceil_of, choose, difference_of, fabs, floor_of, fmax, fmin, high_of, infinite, integers,
    interval, is_nan, leading_zeros, number_of, ones_of, product_of, quotient_of, remainder_of,
    round_of, saturated, single, sqrt_of, sum_of, trunc_of, truth, wide,
};
use crate::numeric::interval::values::{Integers, Interval, Truth};
use crate::numeric::shared::shared;

shared! {
    /// Returns all numbers, and NaN.
    fn whole() -> Interval {
        interval(-infinite(), infinite(), true)
    }

    /// Returns a number that every engine has exactly.
    fn exactly(x: f64) -> Interval {
        if (is_nan(x)) return whole();
        interval(x, x, false)
    }

    /// Returns an integer.
    fn integer(n: u32) -> Integers {
        integers(n, n)
    }

    /// Returns whether a condition holds.
    fn known(holds: bool) -> Truth {
        truth(holds, !holds)
    }

    /// Tests whether 0 is within the bounds.
    fn contains_zero(a: Interval) -> bool {
        a.lo <= 0.0 && 0.0 <= a.hi
    }

    /// Tests whether a bound is infinite.
    fn is_unbounded(a: Interval) -> bool {
        a.lo == -infinite() || a.hi == infinite()
    }

    /// Tests whether it is certainly a finite number.
    fn is_finite(a: Interval) -> bool {
        -infinite() < a.lo && a.hi < infinite() && !a.may_be_nan
    }

    /// Returns the same bounds of a number that may be NaN, too.
    fn or_nan(a: Interval, may_be_nan: bool) -> Interval {
        interval(a.lo, a.hi, a.may_be_nan || may_be_nan)
    }

    /// Returns an interval that contains both.
    fn hull(a: Interval, b: Interval) -> Interval {
        interval(fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.may_be_nan || b.may_be_nan)
    }

    /// Returns a lower bound of a number that is at least `x` but for an error.
    fn below(x: f64, error: f64) -> f64 {
        let bound = choose(x == infinite(), x, x - (SLACK * error + TINY));
        choose(bound < -LARGE, -infinite(), bound)
    }

    /// Returns an upper bound of a number that is at most `x` but for an error.
    fn above(x: f64, error: f64) -> f64 {
        -below(-x, error)
    }

    /// Tests whether every engine has exactly this number.
    fn is_exact(x: f64) -> bool {
        let size = fabs(single(x));
        single(x) == x && (x == 0.0 || (size >= TINY && size < infinite()))
    }

    /// Tests whether there is only one number, the same on every engine.
    fn is_one(a: Interval) -> bool {
        a.lo == a.hi && !a.may_be_nan && is_exact(a.lo)
    }

    /// Tests whether a sum is exact: each term is its difference from the other (Dekker 1971).
    fn is_exact_sum(a: f64, b: f64) -> bool {
        let total = a + b;
        is_exact(total) && total - a == b && total - b == a
    }

    /// Returns bounds of results between these two but for an error, in roundoffs. It does not change their sign.
    fn rounded(lo: f64, hi: f64, roundoffs: f64) -> Interval {
        if (is_nan(lo) || is_nan(hi)) return whole();
        let low = below(lo, roundoffs * ROUNDOFF * fabs(lo));
        let high = above(hi, roundoffs * ROUNDOFF * fabs(hi));
        interval(choose(lo >= 0.0, fmax(low, 0.0), low), choose(hi <= 0.0, fmin(high, 0.0), high), false)
    }

    /// Returns the hull of these results, each with an error.
    fn of_results(a: f64, b: f64, c: f64, d: f64, roundoffs: f64) -> Interval {
        if (is_nan(a) || is_nan(b) || is_nan(c) || is_nan(d)) return whole();
        let lo = fmin(fmin(a, b), fmin(c, d));
        let hi = fmax(fmax(a, b), fmax(c, d));
        rounded(lo, hi, roundoffs)
    }

    /// Returns bounds of the numbers that engines read from memory, rounded once.
    fn stored(a: Interval) -> Interval {
        let bounds = rounded(a.lo, a.hi, 1.0);
        let lo = choose(is_exact(a.lo), a.lo, bounds.lo);
        let hi = choose(is_exact(a.hi), a.hi, bounds.hi);
        interval(lo, hi, a.may_be_nan || bounds.may_be_nan)
    }

    /// Returns a constant, rounded to the precision of engines.
    fn constant(x: f64) -> Interval {
        if (is_exact(x)) return interval(x, x, false);
        stored(exactly(x))
    }

    /// Returns the integers within the bounds.
    fn integers_within(a: Interval) -> Integers {
        integers(saturated(ceil_of(a.lo)), saturated(floor_of(a.hi)))
    }

    /// Returns an integer as a number.
    fn converted(n: Integers) -> Interval {
        if (n.lo > n.hi) return whole();
        stored(interval(number_of(n.lo), number_of(n.hi), false))
    }

    /// Returns a number as an integer, cut off: the nearest one for numbers beyond integers, 0 for NaN.
    fn truncated(a: Interval) -> Integers {
        if (a.may_be_nan) return integers(0, saturated(a.hi));
        integers(saturated(a.lo), saturated(a.hi))
    }

    /// Returns the negative.
    fn negative(a: Interval) -> Interval {
        interval(-a.hi, -a.lo, a.may_be_nan)
    }

    /// Tests for infinities whose sum is NaN.
    fn cancel(a: f64, b: f64) -> bool {
        fabs(a) == infinite() && b == -a
    }

    /// Returns a sum that is rounded, and never exact, since engines may add products in another order.
    fn rounded_sum(a: Interval, b: Interval) -> Interval {
        let lo = a.lo + b.lo;
        let hi = a.hi + b.hi;
        if (is_nan(lo) || is_nan(hi)) return whole();
        let low = below(lo, SUM * ROUNDOFF * (fabs(a.lo) + fabs(b.lo)));
        let high = above(hi, SUM * ROUNDOFF * (fabs(a.hi) + fabs(b.hi)));
        let may_be_nan = a.may_be_nan || b.may_be_nan || cancel(a.lo, b.hi) || cancel(a.hi, b.lo);
        interval(
            choose(a.lo >= 0.0 && b.lo >= 0.0, fmax(low, 0.0), low),
            choose(a.hi <= 0.0 && b.hi <= 0.0, fmin(high, 0.0), high),
            may_be_nan
        )
    }

    /// Returns a sum.
    fn sum(a: Interval, b: Interval) -> Interval {
        if (is_one(a) && is_one(b) && is_exact_sum(a.lo, b.lo)) return exactly(a.lo + b.lo);
        rounded_sum(a, b)
    }

    /// Returns a product. The product of two `f32` numbers is exact in `f64`; zero times infinity is
    /// NaN.
    fn product(a: Interval, b: Interval) -> Interval {
        if (is_one(a) && is_one(b) && is_exact(a.lo * b.lo)) return exactly(a.lo * b.lo);
        let bounds = of_results(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi, 1.0);
        let vanishes = (contains_zero(a) && is_unbounded(b)) || (contains_zero(b) && is_unbounded(a));
        or_nan(bounds, vanishes || a.may_be_nan || b.may_be_nan)
    }

    /// Returns a quotient.
    fn quotient(a: Interval, b: Interval) -> Interval {
        if (contains_zero(b)) return whole();
        let bounds = of_results(a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi, DIVISION);
        or_nan(bounds, (is_unbounded(a) && is_unbounded(b)) || a.may_be_nan || b.may_be_nan)
    }

    /// Returns the magnitude.
    fn abs(a: Interval) -> Interval {
        let lo = choose(a.lo >= 0.0, a.lo, choose(a.hi <= 0.0, -a.hi, 0.0));
        let hi = choose(a.lo >= 0.0, a.hi, choose(a.hi <= 0.0, -a.lo, fmax(a.hi, -a.lo)));
        interval(fmax(lo, 0.0), hi, a.may_be_nan)
    }

    /// Returns the smaller one; of a number and NaN, the number.
    fn min(a: Interval, b: Interval) -> Interval {
        let least = interval(fmin(a.lo, b.lo), fmin(a.hi, b.hi), false);
        let or_b = choose(a.may_be_nan, hull(least, interval(b.lo, b.hi, false)), least);
        let or_a = choose(b.may_be_nan, hull(or_b, interval(a.lo, a.hi, false)), or_b);
        or_nan(or_a, a.may_be_nan && b.may_be_nan)
    }

    /// Returns the larger one; of a number and NaN, the number.
    fn max(a: Interval, b: Interval) -> Interval {
        negative(min(negative(a), negative(b)))
    }

    /// Returns a power by repeated squaring, from the power of the bits before.
    fn raised(power: Interval, x: Interval, bits: u32) -> Interval {
        if (bits == 0) return power;
        if (bits == 1) return x;
        let square = product(power, power);
        if ((bits & 1) == 0) return square;
        product(square, x)
    }

    /// Returns a power of a number.
    fn power_of(x: Interval, n: u32) -> Interval {
        if (n == 0) return exactly(1.0);
        if (n == 2) return product(x, x);
        fold power = x, bit from 31 to 0 => raised(power, x, n >> bit);
        power
    }

    /// Returns a power: both ends raised, since powers of numbers that are not negative increase, and odd powers do.
    fn power(x: Interval, n: u32) -> Interval {
        let base = choose((n & 1) == 0, abs(x), x);
        let lo = power_of(exactly(base.lo), n);
        let hi = power_of(exactly(base.hi), n);
        interval(lo.lo, hi.hi, x.may_be_nan)
    }

    /// Returns the part in the domain of a function, which is NaN elsewhere.
    fn inside(x: Interval, lo: f64, hi: f64) -> Interval {
        if (x.hi < lo || hi < x.lo) return whole();
        interval(fmax(x.lo, lo), fmin(x.hi, hi), x.may_be_nan || x.lo < lo || x.hi > hi)
    }

    /// Returns values of a function between these two, but for its error.
    fn between(x: Interval, lo: f64, hi: f64) -> Interval {
        or_nan(rounded(lo, hi, FUNCTION), x.may_be_nan)
    }

    /// Returns the square root.
    fn sqrt(a: Interval) -> Interval {
        let x = inside(a, 0.0, infinite());
        or_nan(rounded(sqrt_of(x.lo), sqrt_of(x.hi), ROOT), x.may_be_nan)
    }

    /// Returns the cube root.
    fn cbrt(x: Interval) -> Interval {
        between(x, cbrt_of(x.lo), cbrt_of(x.hi))
    }

    /// Returns the exponential.
    fn exp(x: Interval) -> Interval {
        between(x, exp_of(x.lo), exp_of(x.hi))
    }

    /// Returns the natural logarithm.
    fn ln(a: Interval) -> Interval {
        let x = inside(a, 0.0, infinite());
        between(x, ln_of(x.lo), ln_of(x.hi))
    }

    /// Returns a power; the logarithm of a power is linear in the exponent, and in the logarithm of
    /// the base.
    fn powf(x: Interval, n: Interval) -> Interval {
        if (x.lo < 0.0 || (x.lo == 0.0 && n.lo < 0.0)) return whole();
        let bounds = of_results(
            powf_of(x.lo, n.lo), powf_of(x.lo, n.hi), powf_of(x.hi, n.lo), powf_of(x.hi, n.hi), FUNCTION
        );
        or_nan(bounds, x.may_be_nan || n.may_be_nan)
    }

    /// Returns the hyperbolic sine.
    fn sinh(x: Interval) -> Interval {
        between(x, sinh_of(x.lo), sinh_of(x.hi))
    }

    /// Returns the hyperbolic cosine.
    fn cosh(a: Interval) -> Interval {
        let x = abs(a);
        between(x, cosh_of(x.lo), cosh_of(x.hi))
    }

    /// Returns the hyperbolic tangent.
    fn tanh(x: Interval) -> Interval {
        between(x, tanh_of(x.lo), tanh_of(x.hi))
    }

    /// Returns the range of a sine or a cosine.
    fn wave(x: Interval) -> Interval {
        or_nan(between(x, -1.0, 1.0), is_unbounded(x))
    }

    /// Returns the range of the arc sine.
    fn asin(x: Interval) -> Interval {
        between(inside(x, -1.0, 1.0), -PI / 2.0, PI / 2.0)
    }

    /// Returns the range of the arc cosine.
    fn acos(x: Interval) -> Interval {
        between(inside(x, -1.0, 1.0), 0.0, PI)
    }

    /// Returns the range of the arc tangent.
    fn atan(x: Interval) -> Interval {
        between(x, -PI / 2.0, PI / 2.0)
    }

    /// Returns the range of the angle of a point.
    fn atan2(y: Interval, x: Interval) -> Interval {
        or_nan(between(y, -PI, PI), x.may_be_nan)
    }

    /// Returns the range of the error function.
    fn erf(x: Interval) -> Interval {
        between(x, -1.0, 1.0)
    }

    /// Returns the range of the complementary error function.
    fn erfc(x: Interval) -> Interval {
        between(x, 0.0, 2.0)
    }

    /// Rounds down to a whole number.
    fn floor(x: Interval) -> Interval {
        interval(floor_of(x.lo), floor_of(x.hi), x.may_be_nan)
    }

    /// Rounds up to a whole number.
    fn ceil(x: Interval) -> Interval {
        interval(ceil_of(x.lo), ceil_of(x.hi), x.may_be_nan)
    }

    /// Rounds to a whole number, halves away from zero.
    fn round(x: Interval) -> Interval {
        interval(round_of(x.lo), round_of(x.hi), x.may_be_nan)
    }

    /// Rounds towards zero.
    fn trunc(x: Interval) -> Interval {
        interval(trunc_of(x.lo), trunc_of(x.hi), x.may_be_nan)
    }

    /// Returns the chosen number, or the hull of both where it is undecided.
    fn select(condition: Truth, yes: Interval, no: Interval) -> Interval {
        if (condition.may_hold == condition.may_fail) return hull(yes, no);
        choose(condition.may_hold, yes, no)
    }

    /// Returns the magnitude with another sign.
    fn copysign(x: Interval, sign: Interval) -> Interval {
        let is_negative = truth(sign.lo <= 0.0 || sign.may_be_nan, sign.hi >= 0.0 || sign.may_be_nan);
        select(is_negative, negative(abs(x)), abs(x))
    }

    /// Compares `a < b`.
    fn less(a: Interval, b: Interval) -> Truth {
        truth(a.lo < b.hi, a.hi >= b.lo || a.may_be_nan || b.may_be_nan)
    }

    /// Compares `a <= b`.
    fn at_most(a: Interval, b: Interval) -> Truth {
        truth(a.lo <= b.hi, a.hi > b.lo || a.may_be_nan || b.may_be_nan)
    }

    /// Compares `a == b`.
    fn equal(a: Interval, b: Interval) -> Truth {
        let differ = a.lo < b.hi || b.lo < a.hi;
        truth(a.lo <= b.hi && b.lo <= a.hi, differ || a.may_be_nan || b.may_be_nan)
    }

    /// Returns the opposite of a condition.
    fn opposite(a: Truth) -> Truth {
        truth(a.may_fail, a.may_hold)
    }

    /// Returns whether both conditions hold.
    fn both(a: Truth, b: Truth) -> Truth {
        truth(a.may_hold && b.may_hold, a.may_fail || b.may_fail)
    }

    /// Returns whether a condition of two holds.
    fn either(a: Truth, b: Truth) -> Truth {
        truth(a.may_hold || b.may_hold, a.may_fail && b.may_fail)
    }

    /// Returns whether one condition of two holds, and the other one does not.
    fn differ(a: Truth, b: Truth) -> Truth {
        either(both(a, opposite(b)), both(opposite(a), b))
    }

    /// Compares integers: `a < b`.
    fn less_integer(a: Integers, b: Integers) -> Truth {
        truth(a.lo < b.hi, a.hi >= b.lo)
    }

    /// Compares integers: `a <= b`.
    fn at_most_integer(a: Integers, b: Integers) -> Truth {
        truth(a.lo <= b.hi, a.hi > b.lo)
    }

    /// Compares integers: `a == b`.
    fn equal_integers(a: Integers, b: Integers) -> Truth {
        truth(a.lo <= b.hi && b.lo <= a.hi, !(a.lo == b.hi && a.hi == b.lo))
    }

    /// Returns the chosen integer, or the hull of both where it is undecided.
    fn select_integer(condition: Truth, yes: Integers, no: Integers) -> Integers {
        let lo = choose(yes.lo < no.lo, yes.lo, no.lo);
        let hi = choose(yes.hi > no.hi, yes.hi, no.hi);
        if (condition.may_hold == condition.may_fail) return integers(lo, hi);
        choose(condition.may_hold, yes, no)
    }

    /// Tests whether both are known.
    fn are_known(a: Integers, b: Integers) -> bool {
        a.lo == a.hi && b.lo == b.hi
    }

    /// Returns a sum.
    fn sum_of_integers(a: Integers, b: Integers) -> Integers {
        if (are_known(a, b)) return integer(sum_of(a.lo, b.lo));
        if (a.hi > MOST - b.hi) return integers(0, MOST);
        integers(sum_of(a.lo, b.lo), sum_of(a.hi, b.hi))
    }

    /// Returns a difference.
    fn difference_of_integers(a: Integers, b: Integers) -> Integers {
        if (are_known(a, b)) return integer(difference_of(a.lo, b.lo));
        if (a.lo < b.hi) return integers(0, MOST);
        integers(difference_of(a.lo, b.hi), difference_of(a.hi, b.lo))
    }

    /// Returns a product.
    fn product_of_integers(a: Integers, b: Integers) -> Integers {
        if (are_known(a, b)) return integer(product_of(a.lo, b.lo));
        if (wide(a.hi) * wide(b.hi) > wide(MOST)) return integers(0, MOST);
        integers(product_of(a.lo, b.lo), product_of(a.hi, b.hi))
    }

    /// Returns the largest integer with no more bits than these.
    fn most_of_bits(bits: u32) -> u32 {
        if (bits == 0) return 0;
        MOST >> leading_zeros(bits)
    }

    /// Returns the bits of both.
    fn and_integers(a: Integers, b: Integers) -> Integers {
        if (are_known(a, b)) return integer(a.lo & b.lo);
        integers(0, choose(a.hi < b.hi, a.hi, b.hi))
    }

    /// Returns the bits of either.
    fn or_integers(a: Integers, b: Integers) -> Integers {
        if (are_known(a, b)) return integer(a.lo | b.lo);
        integers(choose(a.lo > b.lo, a.lo, b.lo), most_of_bits(a.hi | b.hi))
    }

    /// Returns the bits that differ.
    fn xor_integers(a: Integers, b: Integers) -> Integers {
        if (are_known(a, b)) return integer(a.lo ^ b.lo);
        integers(0, most_of_bits(a.hi | b.hi))
    }

    /// Returns a quotient, cut off; the greatest integer for a division by 0.
    fn quotient_of_integers(a: Integers, b: Integers) -> Integers {
        integers(quotient_of(a.lo, b.hi), quotient_of(a.hi, b.lo))
    }

    /// Returns a remainder; the dividend for a division by 0.
    fn remainder_of_integers(a: Integers, b: Integers) -> Integers {
        if (are_known(a, b)) return integer(remainder_of(a.lo, b.lo));
        if (b.hi == 0 || a.hi < b.lo) return a;
        integers(0, choose(b.lo == 0 || a.hi < b.hi, a.hi, difference_of(b.hi, 1)))
    }

    /// Returns integers that are shifted to the left.
    fn shifted_left(a: Integers, b: Integers) -> Integers {
        let bits = b.lo & 31;
        if (are_known(a, b)) return integer(a.lo << bits);
        if (b.lo != b.hi || a.hi > (MOST >> bits)) return integers(0, MOST);
        integers(a.lo << bits, a.hi << bits)
    }

    /// Returns integers that are shifted to the right.
    fn shifted_right(a: Integers, b: Integers) -> Integers {
        let bits = b.lo & 31;
        if (b.lo != b.hi) return integers(0, a.hi);
        integers(a.lo >> bits, a.hi >> bits)
    }

    /// Returns the smaller integer.
    fn least_integer(a: Integers, b: Integers) -> Integers {
        integers(choose(a.lo < b.lo, a.lo, b.lo), choose(a.hi < b.hi, a.hi, b.hi))
    }

    /// Returns the larger integer.
    fn greatest_integer(a: Integers, b: Integers) -> Integers {
        integers(choose(a.lo > b.lo, a.lo, b.lo), choose(a.hi > b.hi, a.hi, b.hi))
    }

    /// Returns integers whose bits are rotated to the left.
    fn rotated_integer(a: Integers, b: Integers) -> Integers {
        if (are_known(a, b)) return integer((a.lo << (b.lo & 31)) | (a.lo >> (difference_of(0, b.lo) & 31)));
        integers(0, MOST)
    }

    /// Returns the number of bits that are set.
    fn ones_of_integer(a: Integers) -> Integers {
        if (a.lo == a.hi) return integer(ones_of(a.lo));
        integers(choose(a.lo == 0, 0, 1), ones_of(most_of_bits(a.hi)))
    }

    /// Returns the upper half of a product.
    fn high_of_product(a: Integers, b: Integers) -> Integers {
        integers(high_of(a.lo, b.lo), high_of(a.hi, b.hi))
    }
}
