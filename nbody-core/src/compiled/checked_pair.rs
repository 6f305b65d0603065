//! The pair function of an interaction on the numbers of checks.

use std::slice;

use crate::domain::InDomain as _;
use crate::law::checked_pair::{CheckSetting, CompiledPair};
use crate::law::interaction::Interaction;
use crate::numeric::bounded::Bounded;
use crate::numeric::lane::Lane;
use crate::numeric::narrow::Narrow;
use crate::numeric::positions::Positions;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::space::{Either, Space};
use crate::numeric::spline::Cubics;
use crate::records::record::Record;

/// The invariant of readers and writers.
const A_NUMBER: &str = "a number for each component";

/// A lane that a check computes with.
pub(crate) trait CheckLane:
    Lane<Mask = bool, U32 = u32, Coordinate = Self, Element = Bounded>
{
    /// The space of its positions.
    type Space: Space<Self>;

    fn space(positions: &Positions) -> Self::Space;
    fn of(number: Bounded) -> Self;
    fn number(self) -> Bounded;
}

impl CheckLane for Bounded {
    type Space = Positions;

    #[inline(always)]
    fn space(positions: &Positions) -> Positions {
        *positions
    }
    #[inline(always)]
    fn of(number: Bounded) -> Self {
        number
    }
    #[inline(always)]
    fn number(self) -> Bounded {
        self
    }
}

impl CheckLane for Narrow {
    type Space = Either<Self>;

    #[inline(always)]
    fn space(positions: &Positions) -> Either<Self> {
        Either::in_domain(&positions.domain)
    }
    #[inline(always)]
    fn of(number: Bounded) -> Self {
        Self::new(number.value)
    }
    #[inline(always)]
    fn number(self) -> Bounded {
        Bounded { value: self.to_f64(), error: 0.0 }
    }
}

impl CompiledPair {
    /// Returns the functions of an interaction, compiled in the code-generation unit of `U`.
    pub(crate) fn of<U: Compile<X, L>, X: Interaction, L: CheckLane>() -> Self {
        Self { pair: U::pair, cutoff: U::cutoff, within: U::within }
    }
}

/// Compiles the functions in the unit of the `Self` type, as the loops over pairs.
pub(crate) trait Compile<X, L> {
    fn pair(
        setting: &CheckSetting<'_>,
        i: &[Bounded],
        j: &[Bounded],
        index: u32,
        f: &mut [Bounded],
    );
    fn cutoff(setting: &CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> Bounded;
    fn within(setting: &CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> bool;
}

impl<U, X: Interaction, L: CheckLane> Compile<X, L> for U {
    fn pair(
        setting: &CheckSetting<'_>,
        i: &[Bounded],
        j: &[Bounded],
        index: u32,
        f: &mut [Bounded],
    ) {
        let parameters: X::With<L> = read(setting.parameters);
        let (i, j) = (read(i), read(j));
        let mut sums: <X::F as Record>::With<L> = read(f);
        X::pair(&parameters, &L::space(&setting.positions), &i, &j, index, &mut sums);
        sums.write(&mut Numbers(f.iter_mut()));
    }

    fn cutoff(setting: &CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> Bounded {
        let parameters: X::With<L> = read(setting.parameters);
        X::cutoff(&parameters, &L::space(&setting.positions), &read(i), &read(j)).number()
    }

    fn within(setting: &CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> bool {
        let parameters: X::With<L> = read(setting.parameters);
        X::within(&parameters, &L::space(&setting.positions), &read(i), &read(j))
    }
}

/// Returns the record of these numbers.
#[inline(always)]
fn read<P: Record<Lane: CheckLane>>(numbers: &[Bounded]) -> P {
    P::read(&mut Given(numbers[..P::DIM].iter()))
}

/// Reader of the numbers of a record.
struct Given<'a>(slice::Iter<'a, Bounded>);

impl Given<'_> {
    #[inline(always)]
    fn take(&mut self) -> Bounded {
        *self.0.next().expect(A_NUMBER)
    }
}

impl<L: CheckLane> Reader<L> for Given<'_> {
    #[inline(always)]
    fn real(&mut self) -> L {
        L::of(self.take())
    }
    // Integers, which `f64` holds exactly.
    #[allow(clippy::cast_sign_loss)]
    #[inline(always)]
    fn index(&mut self) -> u32 {
        self.take().value as u32
    }
    #[inline(always)]
    fn coordinate(&mut self) -> L {
        L::of(self.take())
    }
    #[inline(always)]
    fn cubics(&mut self, n: usize) -> Cubics<Bounded> {
        let (numbers, rest) = self.0.as_slice().split_at(4 * n);
        self.0 = rest.iter();
        // SAFETY: there are four numbers for each cubic. Checks read parameters when they begin, from
        // numbers of their setting, and drop them at their end.
        #[allow(unsafe_code)]
        unsafe {
            Cubics::lent(numbers.as_ptr().cast(), n)
        }
    }
}

/// Writer of the numbers of a result.
struct Numbers<'a>(slice::IterMut<'a, Bounded>);

impl Numbers<'_> {
    #[inline(always)]
    fn put(&mut self, number: Bounded) {
        *self.0.next().expect(A_NUMBER) = number;
    }
}

impl<L: CheckLane> Writer<L> for Numbers<'_> {
    #[inline(always)]
    fn real(&mut self, value: L) {
        self.put(value.number());
    }
    #[inline(always)]
    fn index(&mut self, value: u32) {
        self.put(Bounded { value: value.into(), error: 0.0 });
    }
    #[inline(always)]
    fn coordinate(&mut self, value: L) {
        self.put(value.number());
    }
}
