//! Numbers, vectors and lanes of numbers.

pub mod accuracy;
pub mod bounded;
pub mod components;
pub mod extremum;
pub mod interval;
pub mod lane;
pub mod mixed;
pub mod narrow;
pub mod nearest;
pub mod positions;
pub mod precision;
pub mod rows;
pub mod scalar;
pub mod shared;
pub mod simd;
pub mod space;
pub mod spline;
pub mod splines;
pub mod tensor;
pub mod vector;
