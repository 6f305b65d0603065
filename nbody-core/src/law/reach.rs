//! The reach of an interaction: bounds of its cutoff for groups of particles.

use std::slice;

use crate::{Interaction, Interval, Law, Open, Reader, Record};

/// Bounds of the numbers of two groups of particles, and the parameters of their interaction.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a> {
    parameters: &'a [Interval],
    i: &'a [Interval],
    j: &'a [Interval],
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
        (self.reach)(&Groups { parameters, i, j })
    }
}

impl Groups<'_> {
    /// Returns bounds of the cutoff of an interaction.
    pub fn cutoff<X: Interaction>(&self) -> Interval {
        let parameters = X::With::<Interval>::read(&mut Bounds(self.parameters.iter()));
        let i = <X::I as Record>::With::<Interval>::read(&mut Bounds(self.i.iter()));
        let j = <X::J as Record>::With::<Interval>::read(&mut Bounds(self.j.iter()));
        X::cutoff(&parameters, &Open, &i, &j)
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
    fn index(&mut self) -> <Interval as crate::Lane>::U32 {
        self.take().integers()
    }
    fn coordinate(&mut self) {
        self.take();
    }
}
