//! Functions of the language: methods that a body may call.

use super::types::Type;

/// Class of a function in [operation counts](super::Operations).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    Sqrt,
    Div,
    Special,
    Compare,
    MulAdd,
    Integer,
    Spline,
    Free,
}

/// Parity of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A change of the operand's sign changes the sign of the result.
    Odd,
    /// The sign of the operand has no effect.
    Even,
    /// The sign of the operand has another effect.
    Kept,
}

macro_rules! builtins {
    (
        real: $($variant:ident $name:literal $arguments:literal $cost:ident)*;
        integer: $($integer:ident $of_integer:literal $on_lanes:literal $taken:literal)*;
        spline: $($spline:ident $of_spline:literal)*;
    ) => {
        /// A method of `Real`, `u32`, `Vector` or `Spline`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Builtin { $($variant,)* $($integer,)* $($spline,)* Dot, Cross, Norm, Norm2 }

        impl Builtin {
            /// Methods of `Real`; their arguments and result are `Real` too.
            pub const OF_REAL: &'static [Self] = &[$(Self::$variant),*];
            /// Methods of `u32`; their arguments and result are `u32` too.
            pub const OF_INTEGER: &'static [Self] = &[$(Self::$integer),*];
            /// Methods of `Spline`, the value and its derivatives; their argument and result are
            /// `Real`.
            pub const OF_SPLINE: &'static [Self] = &[$(Self::$spline),*];
            /// Methods of `Vector`.
            pub const OF_VECTOR: &'static [Self] =
                &[Self::Dot, Self::Cross, Self::Norm, Self::Norm2];

            /// Returns the name, which is the same in the declaration, in CUDA and, but for integers,
            /// in Rust.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    $(Self::$integer => $of_integer,)*
                    $(Self::$spline => $of_spline,)*
                    Self::Dot => "dot",
                    Self::Cross => "cross",
                    Self::Norm => "norm",
                    Self::Norm2 => "norm2",
                }
            }

            /// Returns the function of a lane for a method of `u32`.
            pub fn of_integers(self) -> Option<&'static str> {
                match self {
                    $(Self::$integer => Some($on_lanes),)*
                    _ => None,
                }
            }

            /// Returns the number of arguments besides the receiver.
            pub fn arguments(self) -> usize {
                match self {
                    $(Self::$variant => $arguments,)*
                    $(Self::$integer => $taken,)*
                    $(Self::$spline => 1,)*
                    Self::Dot | Self::Cross => 1,
                    Self::Norm | Self::Norm2 => 0,
                }
            }

            /// Returns the class of the cost of a method.
            pub fn cost(self) -> Cost {
                match self {
                    $(Self::$variant => Cost::$cost,)*
                    $(Self::$integer => Cost::Integer,)*
                    $(Self::$spline => Cost::Spline,)*
                    Self::Dot | Self::Cross | Self::Norm | Self::Norm2 => Cost::Free,
                }
            }
        }
    };
}

builtins! {
    real:
    Sqrt "sqrt" 0 Sqrt
    Rsqrt "rsqrt" 0 Sqrt
    Recip "recip" 0 Div
    Powf "powf" 1 Special
    Cbrt "cbrt" 0 Special
    Exp "exp" 0 Special
    Ln "ln" 0 Special
    Sin "sin" 0 Special
    Cos "cos" 0 Special
    Tan "tan" 0 Special
    Asin "asin" 0 Special
    Acos "acos" 0 Special
    Atan "atan" 0 Special
    Atan2 "atan2" 1 Special
    Sinh "sinh" 0 Special
    Cosh "cosh" 0 Special
    Tanh "tanh" 0 Special
    Erf "erf" 0 Special
    Erfc "erfc" 0 Special
    Abs "abs" 0 Free
    Min "min" 1 Compare
    Max "max" 1 Compare
    Clamp "clamp" 2 Compare
    Floor "floor" 0 Compare
    Ceil "ceil" 0 Compare
    Round "round" 0 Compare
    Trunc "trunc" 0 Compare
    Copysign "copysign" 1 Compare
    MulAdd "mul_add" 2 MulAdd;
    integer:
    Least "min" "min_u32" 1
    Greatest "max" "max_u32" 1
    RotateLeft "rotate_left" "rotate_u32" 1
    CountOnes "count_ones" "ones_u32" 0
    MulHigh "mul_high" "high_u32" 1;
    spline:
    At "at"
    Slope "slope"
    Curvature "curvature"
    Third "third_derivative";
}

/// Returns the upper 32 bits of a product of integers.
pub fn high_of_product(a: u32, b: u32) -> u32 {
    let product = u64::from(a) * u64::from(b);
    u32::try_from(product >> u32::BITS).expect("the half of 64 bits")
}

impl Builtin {
    /// Finds the method of this name for values of this type.
    pub fn find(receiver: Type, name: &str) -> Option<Self> {
        Self::of(receiver).iter().copied().find(|builtin| builtin.name() == name)
    }

    /// Returns the methods of values of this type.
    pub fn of(receiver: Type) -> &'static [Self] {
        match receiver {
            Type::Real => Self::OF_REAL,
            Type::U32 => Self::OF_INTEGER,
            Type::Vector(_) => Self::OF_VECTOR,
            Type::Spline(_) => Self::OF_SPLINE,
            _ => &[],
        }
    }

    /// Returns the type of the arguments besides a receiver of this type.
    pub fn argument(receiver: Type) -> Type {
        if matches!(receiver, Type::Spline(_)) { Type::Real } else { receiver }
    }

    /// Tests whether the result depends on the sign of a zero, which a difference and its negative
    /// do not define.
    pub fn sees_sign_of_zero(self) -> bool {
        matches!(self, Self::Atan2 | Self::Copysign)
    }

    /// Returns the parity in the operand (in each operand if there are several), exact to every
    /// bit of the result.
    pub fn sign(self) -> Sign {
        match self {
            Self::Recip
            | Self::Cbrt
            | Self::Sin
            | Self::Tan
            | Self::Asin
            | Self::Atan
            | Self::Sinh
            | Self::Tanh
            | Self::Erf
            | Self::Round
            | Self::Trunc
            | Self::Dot
            | Self::Cross => Sign::Odd,
            Self::Abs | Self::Cos | Self::Cosh | Self::Norm | Self::Norm2 => Sign::Even,
            _ => Sign::Kept,
        }
    }

    /// Returns the type of the result.
    pub fn output(self, receiver: Type) -> Type {
        if self == Self::Cross || receiver == Type::U32 { receiver } else { Type::Real }
    }
}

macro_rules! consts {
    ($($name:ident)*) => {
        /// Named constants of `core::f64::consts` that a body may use.
        pub const CONSTS: &[(&str, f64)] = &[$((stringify!($name), std::f64::consts::$name)),*];
    };
}
consts! {
    PI TAU E SQRT_2 FRAC_1_SQRT_2 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4
    FRAC_PI_6 FRAC_PI_8 LN_2 LN_10 LOG2_10 LOG2_E LOG10_2 LOG10_E
}
