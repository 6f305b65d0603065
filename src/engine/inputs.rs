//! The buffers that a program per particle reads besides the particles.

use nbody_core::Records;
use nbody_core::untyped::Beside;

use super::buffers::{Particles, Results, Total};
use crate::law::{Nothing, Record};

/// The buffers that a program reads besides the particles, in the order of its function: first
/// [`Particles`], then [`Results`], with a record for each particle, and last [`Total`]s, each one record
/// for all. `()` is none, `&results` one, and tuples such as `(&others, &results, &total)` or `(&forces,
/// &field)` are several, up to four of each kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the buffers that a program per particle reads",
    label = "give references to second particles first, then to results, then to totals, such as `(&others, &results, &total)`, or `()` for none"
)]
pub trait Inputs: Sized + Sealed {
    /// The records of the second particles.
    type Q: Records;
    /// The records of the results.
    type F: Records;
    /// The records of the totals.
    type G: Records;

    /// Calls a function with the buffers without their types.
    fn with<R>(self, run: impl FnOnce(Beside<'_>) -> R) -> R;
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// Results that an evaluation has just changed.
impl<F> Sealed for &mut Results<F> {}

impl<F: Record<Lane = f64>> Inputs for &mut Results<F> {
    type Q = Nothing;
    type F = F;
    type G = Nothing;

    fn with<R>(self, run: impl FnOnce(Beside<'_>) -> R) -> R {
        <&Results<F>>::with(self, run)
    }
}

/// Returns the type of records of one kind.
macro_rules! joined {
    () => { Nothing };
    ($one:ident) => { $one };
    ($($several:ident)+) => { ($($several),+) };
}

/// Implements one tuple, or one buffer.
macro_rules! of {
    ($tuple:ty, $pattern:pat, $($q:ident)*; $($f:ident)*; $($g:ident)*) => {
        impl<$($q,)* $($f,)* $($g),*> Sealed for $tuple {}

        #[allow(non_snake_case, reason = "buffers have the names of their types")]
        impl<$($q: Record<Lane = f64>,)* $($f: Record<Lane = f64>,)* $($g: Record<Lane = f64>),*> Inputs for $tuple {
            type Q = joined!($($q)*);
            type F = joined!($($f)*);
            type G = joined!($($g)*);

            fn with<R>(self, run: impl FnOnce(Beside<'_>) -> R) -> R {
                let $pattern = self;
                run(Beside {
                    q: &[$($q.untyped()),*],
                    f: &[$($f.untyped()),*],
                    g: &[$($g.untyped()),*],
                })
            }
        }
    };
}

of!(&Particles<A>, A, A; ; );
of!(&Results<A>, A, ; A; );
of!(&Total<A>, A, ; ; A);

/// Implements tuples of every number of second particles, of results and of totals.
macro_rules! tuples {
    ($([$($q:ident)*])*) => { $(tuples!(@f [$($q)*] [] [F] [F F1] [F F1 F2] [F F1 F2 F3]);)* };
    (@f $q:tt $($f:tt)*) => { $(tuples!(@g $q $f [] [G] [G G1] [G G1 G2] [G G1 G2 G3]);)* };
    (@g $q:tt $f:tt $($g:tt)*) => { $(tuples!(@one $q $f $g);)* };
    (@one [$($q:ident)*] [$($f:ident)*] [$($g:ident)*]) => {
        of!(
            ($(&Particles<$q>,)* $(&Results<$f>,)* $(&Total<$g>,)*),
            ($($q,)* $($f,)* $($g,)*),
            $($q)*; $($f)*; $($g)*
        );
    };
}
tuples!([] [Q] [Q Q1] [Q Q1 Q2] [Q Q1 Q2 Q3]);
