//! The reach of an interaction: bounds of its cutoff for groups of particles.

use std::slice;

use crate::numeric::interval::{Index, Slope};
use crate::pack::dim;
use crate::{Interaction, Interval, Lane, Law, Open, Reader, Record};

/// Bounds of the numbers of two groups of particles, and the parameters of their interaction.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a> {
    parameters: &'a [Interval],
    i: &'a [Interval],
    j: &'a [Interval],
    /// The number that changes, if its slope is asked for: that of i or of j, and its index in the record.
    changing: Option<[usize; 2]>,
}

impl Law {
    /// Returns bounds of the cutoff of every pair of two groups of particles, as any engine computes it;
    /// infinite without a cutoff. The arguments are bounds of each number of the records, integers
    /// among them, in order; those of positions are not used, so that a cutoff that depends on positions
    /// has no bounds. A distance is compared with the magnitude of the cutoff.
    ///
    /// # Panics
    ///
    /// If there are fewer bounds than numbers of a record.
    pub fn reach(&self, parameters: &[Interval], i: &[Interval], j: &[Interval]) -> Interval {
        (self.reach)(&Groups { parameters, i, j, changing: None })
    }

    /// Returns by how much the magnitude of the cutoff of any pair grows at most, as a share, when a number of i
    /// (role 0) or of j (role 1) grows, and when it becomes smaller, while all numbers are within bounds; infinite
    /// where there is no such share.
    pub(crate) fn slopes(
        &self,
        parameters: &[Interval],
        [role, number]: [usize; 2],
        bounds: Interval,
    ) -> [f64; 2] {
        // The rounding of a greater cutoff is greater.
        const ROUNDING: f64 = 1.0 + 1.0 / 1024.0;
        let [i, j] = [self.i, self.j].map(|fields| vec![bounds; dim(fields)]);
        let changing = Some([role, number]);
        let Interval { lo, hi, may_be_nan } =
            (self.reach)(&Groups { parameters, i: &i, j: &j, changing });
        [hi, -lo].map(|slope| if may_be_nan { f64::INFINITY } else { slope.max(0.0) * ROUNDING })
    }
}

impl Groups<'_> {
    /// Returns bounds of the cutoff of an interaction; those of its slope if a number changes.
    pub fn cutoff<X: Interaction>(&self) -> Interval {
        if let Some([role, number]) = self.changing {
            return self.slope::<X>(role, number);
        }
        let parameters = X::With::<Interval>::read(&mut Bounds(self.parameters.iter()));
        let i = <X::I as Record>::With::<Interval>::read(&mut Bounds(self.i.iter()));
        let j = <X::J as Record>::With::<Interval>::read(&mut Bounds(self.j.iter()));
        X::cutoff(&parameters, &Open, &i, &j)
    }

    fn slope<X: Interaction>(&self, role: usize, number: usize) -> Interval {
        let read =
            |numbers, of: usize| Slopes { numbers, changing: (of == role).then_some(number) };
        let parameters = X::With::<Slope>::read(&mut read(self.parameters, usize::MAX));
        let i = <X::I as Record>::With::<Slope>::read(&mut read(self.i, 0));
        let j = <X::J as Record>::With::<Slope>::read(&mut read(self.j, 1));
        let cutoff = Lane::abs(X::cutoff::<Slope, Open>(&parameters, &Open, &i, &j));
        Interval::new(cutoff.lo, cutoff.hi)
    }
}

/// Reader of bounds, of which one number changes.
struct Slopes<'a> {
    numbers: &'a [Interval],
    /// The count of numbers that are left to read until that one.
    changing: Option<usize>,
}

impl Slopes<'_> {
    /// Returns the next number, and whether it changes.
    fn take(&mut self) -> (Interval, bool) {
        let (first, rest) = self.numbers.split_first().expect("bounds for each number");
        let changes = self.changing == Some(0);
        self.numbers = rest;
        self.changing = self.changing.and_then(|left| left.checked_sub(1));
        (*first, changes)
    }
}

impl Reader<Slope> for Slopes<'_> {
    fn real(&mut self) -> Slope {
        let (value, changes) = self.take();
        let slope = if changes { 1.0 } else { 0.0 };
        Slope { value: value.stored(), lo: slope, hi: slope }
    }
    fn index(&mut self) -> Index {
        let (value, changes) = self.take();
        Index { integers: value.integers(), changes }
    }
    fn coordinate(&mut self) {
        self.take();
    }
}

/// Reader of bounds.
struct Bounds<'a>(slice::Iter<'a, Interval>);

impl Bounds<'_> {
    fn take(&mut self) -> Interval {
        *self.0.next().expect("bounds for each number")
    }
}

impl Reader<Interval> for Bounds<'_> {
    fn real(&mut self) -> Interval {
        self.take().stored()
    }
    fn index(&mut self) -> <Interval as Lane>::U32 {
        self.take().integers()
    }
    fn coordinate(&mut self) {
        self.take();
    }
}
