//! Programs per particle and per tuple: updates, measures and tuples.
//!
//! They compute in IEEE `f64` for every precision of the buffers, since their cost grows only with
//! the number of particles. Numbers are converted exactly when they are loaded and rounded when
//! they are stored; only numbers that an update assigns are stored. Totals are merged in trees of
//! 256, with the same operations on every engine, so that all engines agree to the last bit. On
//! the CPU one loop over blocks is compiled for each program; conversion, threads and trees are
//! compiled once.

use std::fmt;
use std::marker::PhantomData;

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::{Operations, points};
use crate::law::particle_loop::{LoadParticleLoop, ParticleLoop};
use crate::numeric::lane::Lane;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::space::Space;
use crate::particles::engine::Beside;
use crate::records::joined::Records;
use crate::records::record::numbers_of_variable;
use crate::records::record::{Output, Record};

/// A record without numbers, for programs that read no second particle or no results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Nothing<L = f64>(PhantomData<L>);

// SAFETY: there are no fields, and nothing is read or written.
#[allow(unsafe_code)]
unsafe impl<L: Lane> Record for Nothing<L> {
    type Lane = L;
    type With<M: Lane> = Nothing<M>;
    type Host = Nothing;
    const FIELDS: &'static [Field] = &[];
    const DIM: usize = 0;

    fn read<R: Reader<L>>(_: &mut R) -> Self {
        Self(PhantomData)
    }
    fn write<W: Writer<L>>(&self, _: &mut W) {}
}

/// All second particles, which a program reads by an index.
pub trait Others<Q, Index> {
    /// Returns the second particle of this index; without one, NaN for its reals, and 2³² − 1 for its
    /// integers.
    fn at(&self, index: Index) -> Q;
}

/// The generated part of the CUDA program of a [`ParticleProgram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParticleText {
    /// The declaration: structs, constants, functions and `update`, `measure` or `tuple`, in the
    /// namespace `nbody::law`.
    pub law: &'static str,
    /// The names by which kernels use it, in the namespace `nbody`, and for measures and tuples the
    /// initial values and the merging of their results.
    pub names: &'static str,
}

/// A program per particle or per tuple as a value, [`Update::PROGRAM`], [`Measure::PROGRAM`] or
/// [`Tuple::PROGRAM`]: everything that engines and the cache know of it. It is not `Copy`, so that safe code cannot change the text
/// that engines run.
pub struct ParticleProgram {
    /// The name in messages: the name of the declaration's struct of parameters, in snake case.
    pub name: &'static str,
    /// The cost for one particle or tuple.
    pub operations: Operations,
    /// The number of particles of a tuple; 0 for a program per particle.
    pub members: usize,
    /// The generated part of its CUDA program.
    pub cuda: ParticleText,
    /// Whether an update assigns each field of `p`, in the order of the fields; empty for
    /// other programs. Other fields keep their bits.
    pub changes: &'static [bool],
    /// The number of expressions that read second particles by an index.
    pub gathers: usize,
    /// The layout of the parameters.
    pub parameters: &'static [Field],
    /// The layout of the particle, [`Update::P`], or of each particle of a tuple.
    pub p: &'static [Field],
    /// The layout of the record of a tuple, [`Tuple::T`]; empty if there is none.
    pub record: &'static [Field],
    /// The layout of each second particle, [`Update::Q`].
    pub q: &'static [&'static [Field]],
    /// The layout of each of the results that it reads, [`Update::F`].
    pub f: &'static [&'static [Field]],
    /// The layout of each total that all particles read, [`Update::G`].
    pub g: &'static [&'static [Field]],
    /// The layout of the total of a measure, [`Measure::T`], or of the result of a particle of a
    /// tuple, [`Tuple::F`]; empty for an update.
    pub total: &'static [Field],
    /// The loop over particles or tuples on the CPU.
    pub(crate) cpu_loop: CpuLoop,
}

/// The origin of a program's loop on the CPU.
#[derive(Clone, Copy)]
pub(crate) enum CpuLoop {
    /// The Rust compiler: [`Update::cpu_loop`].
    Compiled(fn() -> ParticleLoop),
    /// A C++ compiler, at run time.
    Loaded(&'static dyn LoadParticleLoop),
    /// There is no loop.
    None,
}

/// Prints only the name, since the texts are long.
impl fmt::Debug for ParticleProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParticleProgram").field(&self.name).finish()
    }
}

impl ParticleProgram {
    /// Returns the loop over particles on the CPU; an error if the program has none.
    pub(crate) fn cpu_loop(&self) -> Result<ParticleLoop, Error> {
        match self.cpu_loop {
            CpuLoop::Compiled(code) => Ok(code()),
            CpuLoop::Loaded(code) => code.load(),
            CpuLoop::None => Err(Error::NoLoops { law: self.name }),
        }
    }

    /// Refuses a measure where an update is needed.
    pub fn check_update(&self) -> Result<(), Error> {
        let (program, expected) = (self.name, "an update");
        if self.total.is_empty() { Ok(()) } else { Err(Error::WrongProgram { program, expected }) }
    }

    /// Refuses an update where a measure is needed.
    pub fn check_measure(&self) -> Result<(), Error> {
        let (program, expected) = (self.name, "a measure");
        if self.total.is_empty() || self.members > 0 {
            return Err(Error::WrongProgram { program, expected });
        }
        Ok(())
    }

    /// Refuses a tuple where a program per particle is needed.
    pub fn check_particle(&self) -> Result<(), Error> {
        let (program, expected) = (self.name, "a program per particle");
        if self.members == 0 { Ok(()) } else { Err(Error::WrongProgram { program, expected }) }
    }

    /// Refuses a program per particle where a tuple is needed.
    pub fn check_tuple(&self) -> Result<(), Error> {
        let (program, expected) = (self.name, "a tuple");
        if self.members > 0 { Ok(()) } else { Err(Error::WrongProgram { program, expected }) }
    }

    /// Refuses other numbers of buffers than of records that the program reads.
    pub fn check_buffers(&self, beside: &Beside) -> Result<(), Error> {
        let program = self.name;
        for (what, found, expected) in [
            ("second particles", beside.q.len(), self.q.len()),
            ("results", beside.f.len(), self.f.len()),
            ("totals", beside.g.len(), self.g.len()),
        ] {
            if found != expected {
                return Err(Error::BufferCount { program, what, found, expected });
            }
        }
        Ok(())
    }

    /// Refuses to wrap positions where it would change nothing: in open space, or without points of
    /// the particle.
    pub fn check_wrap(&self, domain: &Domain) -> Result<(), Error> {
        let program = self.name;
        if points(self.p) == 0 {
            Err(Error::WrapWithoutPoint { program })
        } else if domain.is_open() {
            Err(Error::WrapWithoutBox { program })
        } else {
            Ok(())
        }
    }

    /// Refuses a periodic box for a program without points, where it would change nothing.
    pub fn check_domain(&self, domain: &Domain) -> Result<(), Error> {
        let p = points(self.p);
        // Points of other records have a difference if there are two.
        let of_q = self.q.iter().map(|q| points(q)).sum::<usize>();
        let of_q = of_q * if self.gathers > 0 { 2 } else { 1 };
        let has_points = p > 0 || of_q + points(self.record) + points(self.parameters) > 1;
        if has_points || domain.is_open() {
            return Ok(());
        }
        Err(Error::NoPoint { name: self.name, record: "P" })
    }

    /// Returns whether each number of `p` may change.
    pub fn changed_numbers(&self) -> Vec<bool> {
        let each = self.p.iter().zip(self.changes);
        each.flat_map(|(field, &is)| std::iter::repeat_n(is, field.kind.components())).collect()
    }

    /// Returns the stack that the loop on the CPU needs, in bytes: see
    /// [`Law`](crate::law::interaction::Law).
    pub(crate) fn stack(&self) -> usize {
        const COPIES: usize = 32;
        let count = self.members.max(1);
        let one = [self.parameters, self.record].into_iter();
        let one = one.chain(self.f.iter().chain(self.g).copied()).map(|fields| (fields, 1));
        let second = self.q.iter().map(|fields| (*fields, 1 + self.gathers));
        let records = one.chain(second).chain([(self.p, count), (self.total, count)]);
        let numbers: usize =
            records.map(|(fields, count)| numbers_of_variable(fields) * count).sum();
        numbers.saturating_mul(COPIES * size_of::<f64>())
    }
}

/// The part of a [`ParticleProgram`] that the macro writes.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields of `ParticleProgram`")]
pub struct ParticleDeclaration {
    pub name: &'static str,
    pub operations: Operations,
    pub cuda: ParticleText,
    pub changes: &'static [bool],
    pub gathers: usize,
}

impl ParticleDeclaration {
    /// Returns the program of the declared update.
    pub const fn update<U: Update>(self) -> ParticleProgram {
        let Self { name, operations, cuda, changes, gathers } = self;
        ParticleProgram {
            name,
            operations,
            members: 0,
            cuda,
            changes,
            gathers,
            parameters: U::FIELDS,
            p: U::P::FIELDS,
            record: &[],
            q: U::Q::EACH,
            f: U::F::EACH,
            g: U::G::EACH,
            total: &[],
            cpu_loop: CpuLoop::Compiled(U::cpu_loop),
        }
    }

    /// Returns the program of the declared measure.
    pub const fn measure<M: Measure>(self) -> ParticleProgram {
        let Self { name, operations, cuda, changes, gathers } = self;
        ParticleProgram {
            name,
            operations,
            members: 0,
            cuda,
            changes,
            gathers,
            parameters: M::FIELDS,
            p: M::P::FIELDS,
            record: &[],
            q: M::Q::EACH,
            f: M::F::EACH,
            g: M::G::EACH,
            total: M::T::FIELDS,
            cpu_loop: CpuLoop::Compiled(M::cpu_loop),
        }
    }

    /// Returns the program of the declared tuple.
    pub const fn tuple<X: Tuple>(self) -> ParticleProgram {
        let Self { name, operations, cuda, changes, gathers } = self;
        ParticleProgram {
            name,
            operations,
            members: <X::Members as Members>::COUNT,
            cuda,
            changes,
            gathers,
            parameters: X::FIELDS,
            p: X::P::FIELDS,
            record: X::T::FIELDS,
            q: &[],
            f: &[],
            g: &[],
            total: X::F::FIELDS,
            cpu_loop: CpuLoop::Compiled(X::cpu_loop),
        }
    }
}

/// A program that changes each particle: a kick, a drift, an equation of state. The value holds its
/// uniform parameters.
///
/// Written by `#[nbody::interaction]` from a module with an `impl Update for ...`, and by nothing
/// else.
///
/// Programs per particle compute in `f64` with IEEE arithmetic on every engine, whatever the
/// precision of the particles, which are rounded when they are stored. This is cheap, since their
/// cost grows with the number of particles and not with the number of pairs.
///
/// # Safety
///
/// As for [`Interaction`](crate::law::interaction::Interaction): the CUDA text must declare the
/// structs as the records say, and neither read nor write anything else.
#[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
pub unsafe trait Update: Record<Lane = f64, Host = Self, With<f64> = Self> {
    /// The particle that is changed.
    type P: Record<Lane = f64, Host = Self::P, With<f64> = Self::P>;
    /// A second record of the particle, which is read; several as a tuple; [`Nothing`] if there is
    /// none.
    type Q: Records<Lane = f64, With<f64> = Self::Q>;
    /// The results of an interaction for the particle, which are read; of several as a tuple;
    /// [`Nothing`] if there are none.
    type F: Records<Lane = f64, With<f64> = Self::F>;
    /// The total of a measure, the same for all particles, which is read; several as a tuple;
    /// [`Nothing`] if there is none.
    type G: Records<Lane = f64, With<f64> = Self::G>;

    /// The program as a value.
    const PROGRAM: &'static ParticleProgram;

    /// Updates one particle.
    fn update<L, S, A>(
        this: &Self::With<L>,
        space: &S,
        p: &mut <Self::P as Record>::With<L>,
        q: &<Self::Q as Records>::With<L>,
        f: &<Self::F as Records>::With<L>,
        g: &<Self::G as Records>::With<L>,
        others: &A,
    ) where
        L: Lane<Coordinate = L>,
        S: Space<L>,
        A: Others<<Self::Q as Records>::With<L>, L::U32>;

    /// Returns the compiled loop over particles. Without a default, the loop is compiled in the
    /// package that declares the update.
    #[doc(hidden)]
    fn cpu_loop() -> ParticleLoop;
}

/// A program that adds up a property of all particles: an energy, a momentum, the largest speed.
/// The value holds its uniform parameters.
///
/// Written by `#[nbody::interaction]` from a module with an `impl Measure for ...`, and by nothing
/// else. It computes as an [`Update`] does.
///
/// # Safety
///
/// As for [`Update`].
#[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
pub unsafe trait Measure: Record<Lane = f64, Host = Self, With<f64> = Self> {
    /// The particle.
    type P: Record<Lane = f64, Host = Self::P, With<f64> = Self::P>;
    /// A second record of the particle; several as a tuple; [`Nothing`] if there is none.
    type Q: Records<Lane = f64, With<f64> = Self::Q>;
    /// The results of an interaction for the particle; of several as a tuple; [`Nothing`] if there
    /// are none.
    type F: Records<Lane = f64, With<f64> = Self::F>;
    /// The total of an earlier measure, the same for all particles; several as a tuple; [`Nothing`]
    /// if there is none.
    type G: Records<Lane = f64, With<f64> = Self::G>;
    /// The total, which is accumulated over the particles.
    type T: Output<Lane = f64, Host = Self::T, With<f64> = Self::T>;

    /// The program as a value.
    const PROGRAM: &'static ParticleProgram;

    /// Adds to `t` the contribution of the particle of this index.
    #[allow(clippy::too_many_arguments, reason = "each record is an argument")]
    fn measure<L, S, A>(
        this: &Self::With<L>,
        space: &S,
        p: &<Self::P as Record>::With<L>,
        q: &<Self::Q as Records>::With<L>,
        f: &<Self::F as Records>::With<L>,
        g: &<Self::G as Records>::With<L>,
        others: &A,
        index: L::U32,
        t: &mut <Self::T as Record>::With<L>,
    ) where
        L: Lane<Coordinate = L>,
        S: Space<L>,
        A: Others<<Self::Q as Records>::With<L>, L::U32>;

    /// Returns the compiled loop over particles.
    #[doc(hidden)]
    fn cpu_loop() -> ParticleLoop;
}

/// The interaction of a few given particles, such as a bond, an angle or a dihedral. The value
/// holds its uniform parameters.
///
/// Written by `#[nbody::interaction]` from a module with an `impl Tuple for ...`, and by nothing
/// else. It computes in `f64`, as an [`Update`] does, since the number of tuples grows only with the
/// number of particles.
///
/// # Safety
///
/// As for [`Update`].
#[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
pub unsafe trait Tuple: Record<Lane = f64, Host = Self, With<f64> = Self> {
    /// Each particle.
    type P: Record<Lane = f64, Host = Self::P, With<f64> = Self::P>;
    /// The record of a tuple; [`Nothing`] if there is none.
    type T: Record<Lane = f64, Host = Self::T, With<f64> = Self::T>;
    /// The result of each particle.
    type F: Output<Lane = f64, Host = Self::F, With<f64> = Self::F>;
    /// The indices of the particles of a tuple: `[u32; 2]` for a bond.
    type Members: Members;

    /// The program as a value.
    const PROGRAM: &'static ParticleProgram;

    /// Adds to the result of each particle.
    fn tuple<L: Lane<Coordinate = L>, S: Space<L>>(
        this: &Self::With<L>,
        space: &S,
        t: &<Self::T as Record>::With<L>,
        p: &[<Self::P as Record>::With<L>],
        f: &mut [<Self::F as Record>::With<L>],
    );

    /// Returns the compiled loop over tuples.
    #[doc(hidden)]
    fn cpu_loop() -> ParticleLoop;
}

/// The indices of the particles of a tuple: `[u32; N]`.
pub trait Members: Copy + fmt::Debug + Send + Sync + 'static {
    /// The number of particles.
    const COUNT: usize;
    /// An array with an item for each particle.
    #[doc(hidden)]
    type Of<T>: AsRef<[T]> + AsMut<[T]>;

    /// Returns the indices.
    fn indices(&self) -> &[u32];

    /// Makes an item for each particle.
    #[doc(hidden)]
    fn each<T>(make: impl FnMut(usize) -> T) -> Self::Of<T>;
}

/// Implements arrays of indices. Their items are written out: a closure of the standard library would not be
/// inlined into functions with other vector instructions.
macro_rules! members {
    ($($n:literal: $($k:literal)*;)*) => {
        $(impl Members for [u32; $n] {
            const COUNT: usize = $n;
            type Of<T> = [T; $n];

            fn indices(&self) -> &[u32] {
                self
            }
            #[inline(always)]
            fn each<T>(mut make: impl FnMut(usize) -> T) -> [T; $n] {
                [$(make($k)),*]
            }
        })*
    };
}
members! {
    1: 0;
    2: 0 1;
    3: 0 1 2;
    4: 0 1 2 3;
    5: 0 1 2 3 4;
    6: 0 1 2 3 4 5;
    7: 0 1 2 3 4 5 6;
    8: 0 1 2 3 4 5 6 7;
}
