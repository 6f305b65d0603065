//! Constants of interval arithmetic.

use std::f64::consts;

use crate::numeric::accuracy;

macro_rules! constants {
    ($($(#[doc = $doc:literal])* $name:ident = $value:expr;)*) => {
        $(
            $(#[doc = $doc])*
            pub const $name: f64 = $value;
        )*

        /// The constants by name.
        pub const CONSTANTS: &[(&str, f64)] = &[$((stringify!($name), $name)),*];
    };
}

constants! {
    /// The unit roundoff of `f32`.
    ROUNDOFF = <f32 as crate::numeric::lane::Lane>::ROUNDOFF;
    /// The factor by which known errors are enlarged, which also covers rounding in `f64`.
    SLACK = 2.0;
    /// The error of a sum, in roundoffs of its terms: engines may reorder the terms of a scalar
    /// product.
    SUM = 4.0;
    /// The error of a quotient, in roundoffs.
    DIVISION = accuracy::DIVISION;
    /// The error of a root, in roundoffs.
    ROOT = accuracy::ROOT;
    /// The error of any other function, in roundoffs.
    FUNCTION = accuracy::FUNCTION;
    /// Smaller numbers may become 0.
    TINY = f32::MIN_POSITIVE as f64;
    /// Larger numbers may become infinite, and their reciprocals 0.
    LARGE = 0.25 / TINY;
    /// Half a turn.
    PI = consts::PI;
    /// The square root of 2.
    SQRT_2 = consts::SQRT_2;
    /// The binary logarithm of e.
    LOG2_E = consts::LOG2_E;
    /// The natural logarithm of 2.
    LN_2 = consts::LN_2;
    /// The upper bits of ln 2, whose products with small integers are exact.
    LN_2_HIGH = f64::from_bits(consts::LN_2.to_bits() & !0xffff_ffff);
    /// The lower bits of ln 2.
    LN_2_LOW = 4.749_325_039_031_672_6e-7;
    /// The least normal number.
    SMALLEST = f64::MIN_POSITIVE;
    /// The exponential of this number exceeds any `f32`, and 2 to its power is a normal number.
    GREATEST = 709.0;
    /// Below this, hyperbolic functions are computed by the first terms of their series.
    SMALL = 1.0 / 4096.0;
}
