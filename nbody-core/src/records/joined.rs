//! Records that a program per particle reads beside one another.

use std::fmt::Debug;

use crate::field::Field;
use crate::numeric::lane::Lane;
use crate::numeric::rows::Reader;
use crate::records::record::Record;

/// The records of one kind that a program per particle reads, each from a buffer of its own: a record,
/// two to four records as a tuple, or [`Nothing`](crate::Nothing). Nothing else implements it.
pub trait Records: Clone + Debug + Default + Send + Sync + Sealed + 'static {
    /// The type of real fields.
    type Lane: Lane;
    /// The records with real fields of another type.
    type With<M: Lane>: Records<Lane = M>;

    /// The fields of each record.
    const EACH: &'static [&'static [Field]];
    /// The number of numbers in all records.
    const DIM: usize;

    /// Reads the numbers of all records, one record after another.
    fn read<R: Reader<Self::Lane>>(from: &mut R) -> Self;
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

impl<T: Record> Sealed for T {}

impl<T: Record> Records for T {
    type Lane = T::Lane;
    type With<M: Lane> = T::With<M>;
    const EACH: &'static [&'static [Field]] = if T::FIELDS.is_empty() { &[] } else { &[T::FIELDS] };
    const DIM: usize = T::DIM;

    #[inline(always)]
    fn read<R: Reader<T::Lane>>(from: &mut R) -> Self {
        <T as Record>::read(from)
    }
}

macro_rules! joined {
    ($($first:ident $($other:ident)+;)*) => {
        $(impl<L: Lane, $first: Record<Lane = L>, $($other: Record<Lane = L>),+> Sealed
            for ($first, $($other),+)
        {
        }

        impl<L: Lane, $first: Record<Lane = L>, $($other: Record<Lane = L>),+> Records
            for ($first, $($other),+)
        {
            type Lane = L;
            type With<M: Lane> = ($first::With<M>, $($other::With<M>),+);
            const EACH: &'static [&'static [Field]] = &[$first::FIELDS, $($other::FIELDS),+];
            const DIM: usize = $first::DIM $(+ $other::DIM)+;

            #[inline(always)]
            fn read<R: Reader<L>>(from: &mut R) -> Self {
                (<$first as Record>::read(from), $(<$other as Record>::read(from)),+)
            }
        })*
    };
}
joined! {
    A B;
    A B C;
    A B C D;
}
