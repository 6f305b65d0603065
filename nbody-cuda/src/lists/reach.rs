//! Cutoffs of lists that depend on numbers of particles, and the bounds of these numbers
//! (`reach.cuh`).

use std::fmt::Write as _;

#[cfg(test)]
use nbody_core::interval::Role;
use nbody_core::interval::Step;
use nbody_core::lists;
use nbody_core::lists::cutoff::{Cutoff, Watched};
use nbody_core::pack::{Place, dim};
use nbody_core::{Interval, Law, Mixed, Precision};

use super::bounds::cutoff as cutoff_text;
use super::declared::{Lists, NewLists, Room};
use crate::backend::{Backend, Launch, Memory, Scratch};
use crate::border::{self, Address, Border, Const, Declared as _, Named, Reader, Writer, border};
use crate::error::Error;
use crate::layout::bytes_of;
use crate::order::curve::levels;
use crate::order::keys::kind;

border! {
    /// The place of a number in the records of particles, and its kind.
    pub struct Stored {
        pub byte: u32,
        pub kind: u32,
    }

    /// The growth of cutoffs per unit of a number, when the number grows and when it shrinks: for
    /// numbers of any sign, and if all numbers are at least zero.
    pub struct Slopes {
        pub any: [f64; 2],
        pub nonnegative: [f64; 2],
    }

    /// The reach of lists that the device finds.
    pub struct FoundReach {
        /// The greatest cutoff.
        pub greatest: f64,
        pub skin: f64,
        /// The reason if there is no reach.
        pub refused: u32,
        /// Whether all numbers of all particles are at least zero.
        pub is_nonnegative: u32,
    }

    /// The reach of cutoffs that depend on numbers of particles.
    pub struct VaryingReach {
        /// The greatest cutoff that depends on no particle.
        pub constant: f64,
        /// The skin is this share of a typical cutoff plus a length.
        pub share: f64,
        pub length: f64,
        /// The parameters of the cutoffs.
        pub parameters: Address<Const<Interval>>,
        /// The places of the numbers of i and of j.
        pub numbers: [Address<Const<Stored>>; 2],
        pub slopes: [Address<Const<Slopes>>; 2],
        /// The bounds of these numbers, for the groups and then level by level.
        pub bounds: [Address<Interval>; 2],
        /// The numbers when the lists were built, in order.
        pub values: [Address<f64>; 2],
        pub found: Address<FoundReach>,
    }

    /// The reach of cutoffs that depend on no particle.
    pub struct ConstantReach {
        /// The greatest cutoff and the skin.
        pub greatest: f64,
    }
}

impl Named for Interval {
    fn declare(name: &str) -> String {
        format!("bounds::Interval {name}")
    }
}

/// Corresponds to `Interval` of `interval.cuh`.
impl Border for Interval {
    fn write(&self, to: &mut Writer) {
        let begin = to.bytes();
        self.lo.write(to);
        self.hi.write(to);
        to.put(self.may_be_nan.into(), 1);
        to.pad(begin + size_of::<Self>());
    }

    fn read(from: &mut Reader) -> Self {
        let begin = from.bytes();
        let [lo, hi] = Border::read(from);
        let may_be_nan = from.take(1) != 0;
        from.skip(begin + size_of::<Self>());
        Self { lo, hi, may_be_nan }
    }
}

/// The reach of lists, as an argument of kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reach {
    Constant(ConstantReach),
    Varying(VaryingReach),
}

impl Reach {
    /// Passes the reach to a kernel.
    pub fn pass<'a>(&self, launch: Launch<'a>) -> Launch<'a> {
        match self {
            Self::Constant(reach) => launch.value(reach),
            Self::Varying(reach) => launch.value(reach),
        }
    }

    /// Passes lists to build within the reach.
    pub fn pass_lists<'a>(
        &self,
        launch: Launch<'a>,
        lists: Lists,
        (room, wanted): (Room, u32),
    ) -> Launch<'a> {
        match *self {
            Self::Constant(reach) => launch.value(&NewLists { lists, room, wanted, reach }),
            Self::Varying(reach) => launch.value(&NewLists { lists, room, wanted, reach }),
        }
    }
}

/// Returns the declarations for cutoffs that depend on no particle.
pub(crate) fn declared_constant() -> String {
    border::text(&[ConstantReach::text(), NewLists::<ConstantReach>::text()])
}

/// Returns the declarations for cutoffs that depend on numbers of particles; they need the
/// declarations of intervals.
pub(crate) fn declared_varying() -> String {
    let bytes = size_of::<Interval>();
    let interval = format!(
        "static_assert(sizeof(bounds::Interval) == {bytes}, \"the layout of the host\");\n\n"
    );
    let declared = [Stored::text(), Slopes::text(), FoundReach::text(), VaryingReach::text()];
    let lists = NewLists::<VaryingReach>::text();
    border::text(&[&[interval][..], &declared, &[lists]].concat())
}

/// Returns the place of a number in records of a precision.
fn stored(place: Place, precision: Precision) -> Stored {
    let (word, kind) = match precision {
        Precision::Single => (place.word::<f32>(), kind::SINGLE),
        Precision::Double => (place.word::<f64>(), kind::DOUBLE),
        Precision::Mixed => (place.word::<Mixed>(), kind::SINGLE),
    };
    let kind = if place.is_integer() { kind::INTEGER } else { kind };
    Stored { byte: (word * bytes_of(precision)) as u32, kind }
}

/// The cutoffs of lists that depend on numbers of particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Varying {
    laws: Vec<Declared>,
    /// The parameters of each cutoff.
    parameters: Vec<Vec<Interval>>,
    /// For each cutoff, the places of the numbers of i and of j that it depends on, among the
    /// numbers of the set.
    reads: Vec<[Vec<usize>; 2]>,
    /// The places of the numbers of i and of j.
    places: [Vec<Stored>; 2],
    /// The growth of cutoffs with each of these numbers.
    slopes: [Vec<Slopes>; 2],
    precision: Precision,
}

/// The name of a law, its cutoff, and the numbers of i and of j that the cutoff depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Declared {
    name: &'static str,
    cutoff: &'static [Step],
    reads: [&'static [usize]; 2],
}

impl Declared {
    fn of(law: &Law) -> Self {
        Self { name: law.name, cutoff: law.reach, reads: law.cutoff_reads }
    }
}

/// The memory of bounds.
#[derive(Debug, Default)]
pub(crate) struct ReachMemory {
    varying: Varying,
    /// The parameters, and the places and slopes of the numbers of i and of j.
    numbers: Option<Box<dyn Memory>>,
    /// Bounds and values, for i, and for j if it is in another buffer.
    bounds: [Scratch; 2],
    values: [Scratch; 2],
    found: Option<Box<dyn Memory>>,
}

impl Stored {
    /// The first number of a record in single precision.
    const FIRST: Self = Self { byte: 0, kind: kind::SINGLE };
}

impl Slopes {
    /// Cutoffs that do not grow.
    const NONE: Self = Self { any: [0.0; 2], nonnegative: [0.0; 2] };
}

impl Varying {
    /// Selects the cutoffs that depend on numbers of particles; `watched` has these numbers for
    /// each set.
    pub fn of(cutoffs: &[Cutoff], watched: [&Watched; 2], precision: Precision) -> Self {
        let mut varying = Self { precision, ..Self::default() };
        for (k, cutoff) in cutoffs.iter().enumerate().filter(|(_, it)| it.reads_particles()) {
            varying.laws.push(Declared::of(cutoff.law()));
            varying.parameters.push(cutoff.parameters().to_vec());
            varying.reads.push([0, 1].map(|role| watched[role].places_of(k, role).collect()));
        }
        let place = |&place: &Place| stored(place, precision);
        varying.places = watched.map(|watched| watched.places.iter().map(place).collect());
        varying.slopes = watched.map(|watched| {
            let [any, nonnegative] = [false, true].map(|it| watched.slopes(cutoffs, it));
            let both = any.into_iter().zip(nonnegative);
            both.map(|(any, nonnegative)| Slopes { any, nonnegative }).collect()
        });
        varying
    }

    /// Returns the same cutoffs for looks at other records of a set, which have some of the
    /// numbers: the index of each number and its place. The other numbers are not watched.
    #[must_use]
    pub fn with_numbers(&self, set: usize, numbers: &[(usize, Place)]) -> Self {
        let mut other = self.clone();
        let places = &mut other.places[set];
        places.fill(Stored { byte: 0, kind: kind::UNWATCHED });
        for &(number, place) in numbers {
            places[number] = stored(place, self.precision);
        }
        other
    }

    /// Returns the cutoff of a law with unknown parameters, for its text.
    pub fn of_law(law: &'static Law) -> Self {
        let reads = law.cutoff_reads.map(|reads| (0..reads.len()).collect());
        let places = law.cutoff_reads.map(|reads| vec![Stored::FIRST; reads.len()]);
        let parameters = vec![Interval::WHOLE; dim(law.parameters)];
        let slopes = law.cutoff_reads.map(|reads| vec![Slopes::NONE; reads.len()]);
        let precision = Precision::default();
        Self {
            laws: vec![Declared::of(law)],
            parameters: vec![parameters],
            reads: vec![reads],
            places,
            slopes,
            precision,
        }
    }

    /// Returns the first number of the records of i as a cutoff.
    #[cfg(test)]
    pub fn first_number() -> Self {
        let (cutoff, reads): (&[_], [&[_]; 2]) = (&[Step::Number(Role::I, 0)], [&[0], &[]]);
        let slope = |numbers: usize| vec![Slopes::NONE; numbers];
        Self {
            laws: vec![Declared { name: "test", cutoff, reads }],
            parameters: vec![Vec::new()],
            reads: vec![[vec![0], Vec::new()]],
            places: [vec![Stored::FIRST], Vec::new()],
            slopes: [slope(1), slope(0)],
            precision: Precision::Single,
        }
    }

    /// Returns whether there are no such cutoffs.
    pub fn is_empty(&self) -> bool {
        self.laws.is_empty()
    }

    /// Copies the parameters, and the places and slopes of the numbers of i and of j, to the
    /// device.
    pub fn upload(&self, backend: &dyn Backend) -> Result<Box<dyn Memory>, Error> {
        let parameters = self.parameters.iter().flatten().flat_map(border::words);
        let places = self.places.iter().flatten().flat_map(border::words);
        let slopes = self.slopes.iter().flatten().flat_map(border::words);
        let words: Vec<_> = parameters.chain(places).chain(slopes).collect();
        let mut numbers = backend.allocate(size_of_val(&words[..]))?;
        numbers.write(&mut |to| to[..words.len()].copy_from_slice(&words))?;
        Ok(numbers)
    }

    /// Returns the greatest cutoff that lists can have; infinite if no cutoff depends on
    /// particles, since constant cutoffs are checked before.
    pub fn most(&self) -> f64 {
        if self.is_empty() { f64::INFINITY } else { lists::cutoffs(self.precision)[1] }
    }

    /// Returns the name of the law of cutoff k.
    pub fn law(&self, k: usize) -> Option<&'static str> {
        self.laws.get(k).map(|law| law.name)
    }

    /// Returns the text of the cutoffs: each declared cutoff on intervals, and the function that
    /// calls them in turn.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (k, Declared { name, cutoff, reads }) in self.laws.iter().enumerate() {
            let (space, cutoff) = (format!("nbody::bounds::law{k}"), cutoff_text(cutoff, *reads));
            let _ = writeln!(
                text,
                "// {name}\nnamespace {space} {{\n\n{cutoff}\n}} // namespace {space}\n"
            );
        }
        let [i, j] = self.places.each_ref().map(Vec::len);
        let [least, most] = lists::cutoffs(self.precision);
        let _ = writeln!(
            text,
            "namespace nbody {{

constexpr u32 WATCHED_I = {i}, WATCHED_J = {j}; // numbers of a particle that cutoffs depend on
constexpr double LEAST_CUTOFF = {least:e}, MOST_CUTOFF = {most:e}; // of the greatest one, if it is not 0

// Calls `take` with each cutoff of pairs of particles whose numbers have these bounds.
template <typename Take>
__device__ __forceinline__ void each_cutoff(
    const bounds::Interval *parameters, const bounds::Interval *i, const bounds::Interval *j,
    const Take &take)
{{"
        );
        let mut first = 0;
        for (k, reads) in self.reads.iter().enumerate() {
            let of = |(role, reads): (&str, &Vec<usize>)| {
                let numbers: Vec<_> =
                    reads.iter().map(|place| format!("{role}[{place}]")).collect();
                let array =
                    format!("const bounds::Interval of_{role}[] = {{{}}};", numbers.join(", "));
                let none = format!("const bounds::Interval *const of_{role} = nullptr;");
                if numbers.is_empty() { none } else { array }
            };
            let [of_i, of_j] = [of(("i", &reads[0])), of(("j", &reads[1]))];
            let _ = writeln!(
                text,
                "    {{
        {of_i}
        {of_j}
        take({k}, bounds::law{k}::cutoff(parameters + {first}, of_i, of_j));
    }}"
            );
            first += self.parameters[k].len();
        }
        text.push_str("}\n\n} // namespace nbody\n");
        text
    }
}

impl ReachMemory {
    /// Copies the parameters and places of these cutoffs to the device.
    pub fn set(&mut self, backend: &dyn Backend, varying: Varying) -> Result<(), Error> {
        let numbers = varying.upload(backend)?;
        if self.found.is_none() {
            let mut found = backend.allocate(size_of::<FoundReach>())?;
            found.zero()?;
            self.found = Some(found);
        }
        (self.numbers, self.varying) = (Some(numbers), varying);
        Ok(())
    }

    pub fn varying(&self) -> &Varying {
        &self.varying
    }

    /// Reserves memory for two sets with these numbers of particles; the second may be the first.
    pub fn reserve(&mut self, backend: &dyn Backend, n: [usize; 2]) -> Result<(), Error> {
        for (set, n) in n.into_iter().enumerate() {
            let (numbers, nodes) = (self.varying.places[set].len(), levels(n).iter().sum());
            let sizes = [numbers, nodes, size_of::<Interval>()];
            self.bounds[set].reserve(backend, &sizes, false)?;
            self.values[set].reserve(backend, &[numbers, n, size_of::<f64>()], false)?;
        }
        Ok(())
    }

    pub fn memory(&self) -> Vec<&dyn Memory> {
        let scratch = self.bounds.iter().chain(&self.values).filter_map(Scratch::get);
        let others = [&self.numbers, &self.found].into_iter().flatten().map(|it| &**it);
        scratch.chain(others).collect()
    }

    /// Returns the memory as an argument of kernels, with the greatest cutoff that depends on no
    /// particle, and a skin that is a share of a typical cutoff plus a length. Records with other
    /// fields than the lists have `numbers` of their own.
    pub fn argument(
        &self,
        constant: f64,
        [share, length]: [f64; 2],
        is_one: bool,
        numbers: Option<&dyn Memory>,
    ) -> VaryingReach {
        let numbers = numbers.or(self.numbers.as_deref());
        let parameters = numbers.map_or(Address::NULL, Address::of);
        // The places of the numbers of i and of j follow the parameters; then follow the slopes.
        let mut at =
            self.varying.parameters.iter().map(Vec::len).sum::<usize>() * size_of::<Interval>();
        let mut next = |bytes: usize| {
            at += bytes;
            at - bytes
        };
        let Varying { places, slopes, .. } = &self.varying;
        let numbers = places.each_ref().map(|it| parameters.part(next(size_of_val(&it[..]))));
        let slopes = slopes.each_ref().map(|it| parameters.part(next(size_of_val(&it[..]))));
        let sets = [0, usize::from(!is_one)];
        VaryingReach {
            constant,
            share,
            length,
            parameters,
            numbers,
            slopes,
            bounds: sets.map(|set| Address::of(self.bounds[set].memory())),
            values: sets.map(|set| Address::of(self.values[set].memory())),
            found: self.found.as_deref().map_or(Address::NULL, Address::of),
        }
    }

    /// Returns the numbers that cutoffs depend on, as they were when the lists were built, for
    /// sets with these numbers of particles: a vector for each number, in order.
    pub fn values(&self, n: [usize; 2]) -> Result<[Vec<Vec<f64>>; 2], Error> {
        let mut values = [Vec::new(), Vec::new()];
        for (set, values) in values.iter_mut().enumerate() {
            let Some(memory) = self.values[set].get().filter(|_| n[set] > 0) else { continue };
            let numbers = self.varying.places[set].len();
            memory.read_words(0..numbers * n[set], &mut |words| {
                let of = |words: &[u64]| words.iter().copied().map(f64::from_bits).collect();
                *values = words.chunks(n[set]).map(of).collect();
            })?;
        }
        Ok(values)
    }

    /// Returns the greatest cutoff and the skin that the device has found.
    pub fn found(&self) -> Result<[f64; 2], Error> {
        let Some(memory) = &self.found else { return Ok([0.0; 2]) };
        let FoundReach { greatest, skin, .. } = memory.value()?;
        Ok([greatest, skin])
    }
}
