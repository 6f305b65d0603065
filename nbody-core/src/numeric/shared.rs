//! Functions for the host and for devices, each written once.
//!
//! `shared!` generates Rust functions, and the same functions as text, statement by statement.
//! Their expressions have the same meaning in Rust and in C: operators, calls and fields, but no
//! methods, casts or references.

/// A function as text.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The comment.
    pub docs: &'static [&'static str],
    /// The name.
    pub name: &'static str,
    /// The names of the parameters, and their types as in Rust.
    pub parameters: &'static [[&'static str; 2]],
    /// The type of the result, as in Rust.
    pub output: &'static str,
    /// The statements.
    pub body: &'static [Statement],
}

/// A statement; its expressions are text.
#[derive(Clone, Copy, Debug)]
pub enum Statement {
    /// Defines a variable with this value.
    Let(&'static str, &'static str),
    /// Returns a value if a condition holds.
    ReturnIf(&'static str, &'static str),
    /// Defines a variable with a first value, which takes a new value for each value of a counter;
    /// the counter falls from the first number to the second.
    Fold {
        /// The variable.
        name: &'static str,
        /// The first value.
        first: &'static str,
        /// The counter.
        counter: &'static str,
        /// The first and the last value of the counter.
        range: [u32; 2],
        /// The expression of the next value.
        next: &'static str,
    },
    /// Returns a value.
    Return(&'static str),
}

/// Generates Rust functions, and the constant `FUNCTIONS` with their text. A body consists of any
/// number of statements, and a value:
///
/// - `let x = ..;`
/// - `if (..) return ..;`
/// - `fold x = .., n from 9 to 1 => ..;`: x is the first value, and then the second one for each
///   n.
macro_rules! shared {
    ($(
        $(#[doc = $doc:literal])*
        fn $name:ident($($parameter:ident: $type:ident),* $(,)?) -> $output:ident { $($body:tt)* }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[inline]
            pub fn $name($($parameter: $type),*) -> $output {
                $crate::numeric::shared::run!($($body)*)
            }
        )*

        /// The functions as text.
        pub const FUNCTIONS: &[$crate::numeric::shared::Function] = &[$(
            $crate::numeric::shared::Function {
                docs: &[$($doc),*],
                name: stringify!($name),
                parameters: &[$([stringify!($parameter), stringify!($type)]),*],
                output: stringify!($output),
                body: $crate::numeric::shared::text!([] $($body)*),
            }
        ),*];
    };
}

/// The value of a body.
macro_rules! run {
    (let $x:ident = $value:expr; $($rest:tt)*) => {{
        let $x = $value;
        $crate::numeric::shared::run!($($rest)*)
    }};
    (if ($condition:expr) return $value:expr; $($rest:tt)*) => {
        if $condition { $value } else { $crate::numeric::shared::run!($($rest)*) }
    };
    (fold $x:ident = $first:expr, $n:ident from $begin:literal to $end:literal => $next:expr; $($rest:tt)*) => {{
        let mut $x = $first;
        for $n in ($end..=$begin).rev() {
            $x = $next;
        }
        $crate::numeric::shared::run!($($rest)*)
    }};
    ($value:expr) => { $value };
}

/// The statements of a body.
macro_rules! text {
    ([$($done:expr,)*] let $x:ident = $value:expr; $($rest:tt)*) => {
        $crate::numeric::shared::text!([
            $($done,)*
            $crate::numeric::shared::Statement::Let(stringify!($x), stringify!($value)),
        ] $($rest)*)
    };
    ([$($done:expr,)*] if ($condition:expr) return $value:expr; $($rest:tt)*) => {
        $crate::numeric::shared::text!([
            $($done,)*
            $crate::numeric::shared::Statement::ReturnIf(stringify!($condition), stringify!($value)),
        ] $($rest)*)
    };
    (
        [$($done:expr,)*]
        fold $x:ident = $first:expr, $n:ident from $begin:literal to $end:literal => $next:expr;
        $($rest:tt)*
    ) => {
        $crate::numeric::shared::text!([
            $($done,)*
            $crate::numeric::shared::Statement::Fold {
                name: stringify!($x),
                first: stringify!($first),
                counter: stringify!($n),
                range: [$begin, $end],
                next: stringify!($next),
            },
        ] $($rest)*)
    };
    ([$($done:expr,)*] $value:expr) => {
        &[$($done,)* $crate::numeric::shared::Statement::Return(stringify!($value))]
    };
}

pub(crate) use run;
pub(crate) use shared;
pub(crate) use text;
