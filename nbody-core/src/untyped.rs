//! Engines without the types of a law: rows of described records go in, rows of described records come out.
//!
//! Devices implement these traits, each in two files: one for the CPU, one for CUDA programs. All above them (the
//! typed shells, integrators, other languages, ranks) knows these traits alone. A law or a program is a value, which
//! may come from the compiler or from a table at run time.
//!
//! A row is one record as 64-bit words: the bits of an `f64` for a real number, or an integer. Buffers of another
//! device, precision or record are refused before anything is computed.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

pub use crate::listed::Listed;
use crate::near::cutoff::Cutoff;
pub use crate::pack::{OwnedRows, Rows, WriteRows};
use crate::{
    Csr, Domain, Error, Field, Law, ListState, NeighbourStats, Opening, Options, ParticleProgram,
    Precision, SimdLevel, Skin, TreeReport,
};
use crate::{Sources, Store};

/// Creates buffers and engines.
pub trait Device: Any + fmt::Debug + Send + Sync {
    /// Returns the display name.
    fn name(&self) -> String;

    /// Returns the level of the CPU's vector instructions; `None` on another device.
    fn simd_level(&self) -> Option<SimdLevel>;

    /// Releases memory that is kept for reuse.
    fn trim(&self) -> Result<(), Error>;

    /// Copies particles to the device, their reals rounded to the precision.
    fn upload(&self, particles: &dyn Rows, precision: Precision) -> Result<Box<dyn Buffer>, Error>;

    /// Creates an engine that evaluates all pairs, with these parameters of the law.
    fn all_pairs(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn Engine>, Error>;

    /// Creates an engine that evaluates by a tree.
    fn tree(
        &self,
        law: &'static Law,
        parameters: &[u64],
        opening: Opening,
        options: Options,
    ) -> Result<Box<dyn Tree>, Error>;

    /// Creates an engine that evaluates over neighbour lists.
    fn short_range(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn ShortRange>, Error>;

    /// Creates neighbour lists.
    fn neighbours(
        &self,
        domain: Domain,
        origin: Origin,
        precision: Precision,
    ) -> Result<Box<dyn Neighbours>, Error>;

    /// Creates an engine of programs per particle whose parameters have these fields and values.
    fn per_particle(
        &self,
        fields: &'static [Field],
        parameters: &[u64],
    ) -> Result<Box<dyn PerParticle>, Error>;

    /// Creates a selection of no particles.
    fn selection(&self) -> Result<Box<dyn Selection>, Error>;

    /// Creates a sequence of operations that are repeated; `None` where launches cost nothing.
    fn sequence(&self) -> Option<Box<dyn Sequence>>;
}

/// Rows of a described record in the memory of a device: particles or results.
pub trait Buffer: Any + fmt::Debug + Send + Sync {
    /// Returns the fields of a row.
    fn fields(&self) -> &'static [Field];

    /// Returns the number of rows.
    fn len(&self) -> usize;

    /// Returns whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the precision.
    fn precision(&self) -> Precision;

    /// Reads rows, after all earlier work on the device: `take` receives a function that writes them.
    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error>;

    /// Reads one field of all rows; an error if they have none of this name and type.
    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error>;

    /// Changes the number of rows. Their values are unspecified until an evaluation replaces them; memory is kept for
    /// a smaller number.
    fn resize(&mut self, n: usize) -> Result<(), Error>;
}

/// Evaluates the pairs of a law.
pub trait Engine: Any + fmt::Debug + Send + Sync {
    /// Returns the law.
    fn law(&self) -> &'static Law;

    /// Returns the options.
    fn options(&self) -> Options;

    /// Sets the parameters of the law; nothing is compiled again.
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error>;

    /// Sets the domain of the particles. A box that the precision cannot represent is an error, and the domain stays.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Allocates the results of `n` i-particles, with the values of no pair.
    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error>;

    /// Evaluates the pairs of the i-particles with these j-particles, and stores the sums.
    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error>;

    /// Measures the time of one evaluation on the device.
    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error>;

    /// Waits until it is known whether the last evaluation was refused, and returns its error if it was not yet known.
    fn settle(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns whether results depend on the particles and the parameters alone, and on no evaluation before.
    fn is_stateless(&self) -> bool {
        true
    }

    /// Returns the state that comes from evaluations before, and on which the next results depend in their last bits.
    fn state(&self) -> Result<EngineState, Error> {
        Ok(EngineState::Nothing)
    }

    /// Takes the state that an engine of the same kind had.
    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        check_state(state)
    }
}

/// The state of an engine that comes from evaluations before, and on which its next results depend in their last bits.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum EngineState {
    /// Nothing: all pairs, and trees that are opened by an angle.
    #[default]
    Nothing,
    /// The state of neighbour lists.
    Lists(ListState),
    /// The lengths of the results that the last evaluation compared estimates of errors with, of trees that
    /// are opened by a share of the results.
    Results(Vec<f64>),
}

/// Refuses the state of an engine of another kind.
pub(crate) fn check_state(state: &EngineState) -> Result<(), Error> {
    if *state == EngineState::Nothing { Ok(()) } else { Err(Error::OtherEngine) }
}

/// Takes the state of a tree.
pub fn restore_tree(tree: &mut dyn Tree, state: &EngineState) -> Result<(), Error> {
    match state {
        EngineState::Results(lengths) => tree.compare_with(lengths),
        state => check_state(state),
    }
}

/// Evaluates the pairs of a law by a tree.
pub trait Tree: Engine {
    /// Returns the criterion by which cells are opened.
    fn opening(&self) -> Opening;

    /// Sets the criterion by which cells are opened.
    fn set_opening(&mut self, opening: Opening) -> Result<(), Error>;

    /// Returns the distance from which on the law is harmonic.
    fn harmonic_distance(&self) -> f64;

    /// Returns the lengths of results that the last evaluation compared estimates of errors with.
    fn compared(&self) -> Result<Option<Vec<f64>>, Error>;

    /// Has the next evaluation compare estimates of errors with results of these lengths.
    fn compare_with(&mut self, lengths: &[f64]) -> Result<(), Error>;

    /// Begins to measure the times of the parts of evaluations, or ends it.
    fn set_timed(&mut self, is_on: bool);

    /// Returns the size of the tree of the last evaluation, its work and its times.
    fn report(&self) -> Result<TreeReport, Error>;
}

/// Evaluates the pairs of a law over neighbour lists.
pub trait ShortRange: Any + fmt::Debug + Send + Sync {
    /// Returns the law.
    fn law(&self) -> &'static Law;

    /// Returns the options.
    fn options(&self) -> Options;

    /// Sets the parameters of the law; nothing is compiled again.
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error>;

    /// Leaves out these pairs, instead of the pairs that were left out before.
    fn exclude(&mut self, pairs: &[[u32; 2]]);

    /// Allocates the results of `n` i-particles, with the values of no pair.
    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error>;

    /// Evaluates the pairs of lists, and stores the sums.
    fn evaluate(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error>;

    /// Measures the time of one evaluation on the device.
    fn time(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error>;
}

/// The origin of the pairs of lists.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Pairs are found within the cutoff plus the skin.
    Found(Skin),
    /// Pairs are given by the caller.
    Given(Csr),
}

impl From<Skin> for Origin {
    fn from(skin: Skin) -> Self {
        Self::Found(skin)
    }
}

impl From<Csr> for Origin {
    fn from(rows: Csr) -> Self {
        Self::Given(rows)
    }
}

impl Origin {
    /// Refuses a skin or rows that no lists can have.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Found(skin) => skin.check(),
            Self::Given(rows) => rows.check(),
        }
    }
}

/// Neighbour lists, which several laws share.
pub trait Neighbours: Any + fmt::Debug + Send + Sync {
    /// Returns the domain of the particles.
    fn domain(&self) -> Domain;

    /// Sets the domain of the particles, before the next update.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Returns the precision of the particles.
    fn precision(&self) -> Precision;

    /// Leaves out these pairs, instead of the pairs that were left out before.
    fn exclude(&mut self, pairs: &[[u32; 2]]);

    /// Looks whether the lists of these particles are still good for cutoffs, and builds them again if not.
    fn update(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<(), Error>;

    /// Makes the next update build the lists again.
    fn rebuild(&mut self);

    /// Returns the number of times that lists were built.
    fn rebuilds(&mut self) -> Result<u64, Error>;

    /// Returns figures of the lists.
    fn stats(&mut self) -> Result<NeighbourStats, Error>;

    /// Begins to measure the times of the parts of updates and evaluations, or ends it.
    fn set_timed(&mut self, is_on: bool);

    /// Returns the j-particles of each i-particle; `None` if the lists are not built.
    fn to_csr(&self) -> Result<Option<Csr>, Error>;

    /// Returns the positions that the lists were built for; `None` if they are not built.
    fn state(&self) -> Result<Option<ListState>, Error>;

    /// Has the next update build the lists as they were with this state, and then look whether they are still good.
    fn restore(&mut self, state: &ListState) -> Result<(), Error>;
}

/// The buffers that a program reads beside the particles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The second particles.
    pub q: Option<&'a dyn Buffer>,
    /// The results of an interaction.
    pub f: Option<&'a dyn Buffer>,
}

/// The first particles of a selection.
#[derive(Clone, Copy, Debug)]
pub struct First<'a> {
    /// The selection.
    pub selection: &'a dyn Selection,
    /// The number of particles.
    pub count: usize,
    /// The particles that are copied, where copies change and not the particles themselves.
    pub from: Option<&'a dyn Buffer>,
    /// Whether the parameter `due: u32` of the program is the time of the selection.
    pub is_due: bool,
}

/// Runs programs per particle that have one record of parameters.
pub trait PerParticle: Any + fmt::Debug + Send + Sync {
    /// Sets the parameters; nothing is compiled again.
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error>;

    /// Returns the domain of the particles.
    fn domain(&self) -> Domain;

    /// Sets the domain of the particles.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Returns whether positions are wrapped into the box.
    fn wraps(&self) -> bool;

    /// Sets whether positions are wrapped into the box.
    fn set_wrap(&mut self, wrap: bool);

    /// Changes each particle by an update; with a selection, its first particles alone.
    fn update(
        &mut self,
        program: &'static ParticleProgram,
        particles: &mut dyn Buffer,
        beside: Beside<'_>,
        first: Option<First<'_>>,
    ) -> Result<(), Error>;

    /// Returns the total of a measure over all particles, as one row.
    fn measure(
        &mut self,
        program: &'static ParticleProgram,
        particles: &dyn Buffer,
        beside: Beside<'_>,
    ) -> Result<Vec<u64>, Error>;
}

/// An order of particles in which the particles that take part come first.
pub trait Selection: Any + fmt::Debug + Send + Sync {
    /// Returns the number of particles.
    fn len(&self) -> usize;

    /// Returns whether there are no particles.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Orders particles by their field `active: u32`, and returns the number of particles that take part.
    fn select(&mut self, particles: &dyn Buffer) -> Result<usize, Error>;

    /// Orders particles by their field `due: u32` without waiting for the device.
    fn seek_soonest(&mut self, particles: &dyn Buffer, now: u32) -> Result<(), Error>;

    /// Returns the number of particles that take part, and the time until then.
    fn soonest(&self) -> Result<(usize, u32), Error>;

    /// Copies the first particles in this order.
    fn gather(&self, count: usize, from: &dyn Buffer, to: &mut dyn Buffer) -> Result<(), Error>;
}

/// Operations that are repeated.
pub trait Sequence: fmt::Debug + Send + Sync {
    /// Does work, whose launches are held back to its end.
    fn run(&mut self, work: &mut dyn FnMut()) -> Result<(), Error>;
}
