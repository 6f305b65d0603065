//! The numbers of a subset of all particles, and the given pairs of a subset, in device memory.

use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::Csr;
use nbody_core::order::{GROUP, image};
use nbody_core::untyped::{Buffer, Subset, SubsetNumbers};

use crate::backend::{Backend, LateKernel, Launch, Memory, Scratch};
use crate::border::{self, Address, Const, Declared as _, border};
use crate::compile::program::Program;
use crate::config::warp;
use crate::engine::buffer::particles;
use crate::error::Error;

const BLOCK: usize = 256;

border! {
    /// The memory of the given pairs of a subset.
    pub struct GivenLists {
        /// The first entry of each list.
        pub begins: Address<u64>,
        /// The length of each list.
        pub counts: Address<u32>,
        pub entries: Address<u32>,
        pub masks: Address<u32>,
        /// The number of entries that lists have taken.
        pub used: Address<u64>,
        /// Set to 1 if the subset lacks a j-particle.
        pub missing: Address<u64>,
    }
}

border! {
    /// The numbers of particles, where these are a subset; null for all particles.
    pub struct Numbers {
        pub of_i: Address<Const<u32>>,
        pub of_j: Address<Const<u32>>,
    }
}

/// The numbers of the particles of lists, if these are a subset.
#[derive(Debug)]
pub(crate) struct DeviceSubset {
    kernels: LateKernel,
    known: Option<Known>,
    /// The numbers of the i-particles, if they are not the j-particles, and of the j-particles.
    numbers: [Scratch; 2],
    /// The row of each particle plus 1 by its number; 0 for others.
    rows: Scratch,
}

/// The numbers of particles of a subset.
#[derive(Clone, Copy, Debug)]
struct Known {
    one_set: bool,
    /// The numbers of i-particles and of j-particles, of the subset and of all.
    of: [usize; 2],
    of_all: [usize; 2],
    own: usize,
}

/// The lists of given pairs of a subset, in device memory.
#[derive(Debug)]
pub(crate) struct SubsetPairs {
    pub begins: Box<dyn Memory>,
    pub counts: Box<dyn Memory>,
    pub entries: Box<dyn Memory>,
    pub masks: Box<dyn Memory>,
    /// The order of the rows.
    pub order: Box<dyn Memory>,
    /// Whether the subset has all j-particles of the pairs.
    pub has_all: bool,
}

impl DeviceSubset {
    pub fn new(cache: &Cache) -> Self {
        let (known, numbers, rows) = Default::default();
        Self { kernels: LateKernel::new(cache, Program::subset), known, numbers, rows }
    }

    /// Copies the numbers of a subset; with `has_rows` also finds the row of each number.
    pub fn set(
        &mut self,
        backend: &Arc<dyn Backend>,
        subset: Option<&Subset<'_>>,
        has_rows: bool,
    ) -> Result<(), Error> {
        self.known = None;
        let Some(subset) = subset else { return Ok(()) };
        let of_i: Vec<&dyn Buffer> = subset.i.into_iter().collect();
        if has_rows {
            let sizes = [subset.n[1].max(1), size_of::<u32>()];
            self.rows.reserve(&**backend, &sizes, false)?;
            self.rows.memory_mut().zero()?;
        }
        let mut of = [0; 2];
        for (k, buffers) in [&of_i[..], subset.j].into_iter().enumerate() {
            of[k] = buffers.iter().map(|buffer| buffer.len()).sum();
            let room = of[k] + of[k] / 8;
            self.numbers[k].reserve(&**backend, &[room.max(1), size_of::<u32>()], false)?;
            let mut first = 0;
            for buffer in buffers {
                let from = &particles("numbers", &**backend, *buffer)?.buffer;
                let rows = (has_rows && k == 1).then(|| self.rows.memory());
                let to = self.numbers[k].memory();
                self.number(backend, Some(&*from.memory), (to, rows), [first, from.n])?;
                first += from.n;
            }
        }
        let one_set = subset.i.is_none();
        if one_set {
            of[0] = of[1];
        }
        self.known = Some(Known { one_set, of, of_all: subset.n, own: subset.own });
        Ok(())
    }

    /// Appends numbers to `first` others, or the numbers of rows, and stores the rows of particles.
    fn number(
        &self,
        backend: &Arc<dyn Backend>,
        from: Option<&dyn Memory>,
        (to, rows): (&dyn Memory, Option<&dyn Memory>),
        [first, n]: [usize; 2],
    ) -> Result<(), Error> {
        if n == 0 {
            return Ok(());
        }
        let address =
            |memory: Option<&dyn Memory>| memory.map_or(Address::<u32>::NULL, Address::of);
        let launch = Launch::new(c"number_rows", n.div_ceil(BLOCK) as u32);
        let launch = launch.value(&address(from)).pointers([to]).value(&address(rows));
        let launch = from.into_iter().chain(rows).fold(launch, Launch::reads);
        let launch = launch.numbers([first, n].map(|it| it as u32));
        self.kernels.get(backend)?.module.launch(launch)
    }

    /// Returns whether the particles are a subset.
    pub fn is_some(&self) -> bool {
        self.known.is_some()
    }

    /// Returns the numbers of all i-particles and j-particles, for lists of these numbers.
    pub fn named(&self, n: [usize; 2]) -> [usize; 2] {
        self.known.map_or(n, |known| known.of_all)
    }

    /// Refuses other numbers of particles than the subset has.
    pub fn check(&self, n: [usize; 2]) -> Result<(), Error> {
        let Some(known) = self.known else { return Ok(()) };
        let names = ["i-particles of the subset", "j-particles of the subset"];
        for ((what, found), expected) in names.into_iter().zip(n).zip(known.of) {
            nbody_core::Error::check_length(what, found, expected)?;
        }
        Ok(())
    }

    /// Returns the numbers of particles.
    pub fn numbers(&self) -> Numbers {
        let Some(known) = self.known else {
            return Numbers { of_i: Address::NULL, of_j: Address::NULL };
        };
        let [of_i, of_j] =
            [usize::from(known.one_set), 1].map(|k| Address::of(self.numbers[k].memory()));
        Numbers { of_i, of_j }
    }

    /// Returns the memory of the numbers.
    pub fn memory(&self) -> impl Iterator<Item = &dyn Memory> {
        let numbers = self.numbers.iter().filter_map(Scratch::get);
        numbers.take(if self.known.is_some() { 2 } else { 0 })
    }

    /// Copies the numbers to the host; `None` for all particles.
    pub fn on_host(&self) -> Result<Option<SubsetNumbers>, Error> {
        let Some(Known { one_set, of, of_all, own }) = self.known else { return Ok(None) };
        let read = |k: usize| -> Result<Vec<u32>, Error> {
            let mut numbers = Vec::new();
            self.numbers[k].memory().read(&mut |words| {
                numbers = bytemuck::cast_slice(words)[..of[k]].to_vec();
            })?;
            Ok(numbers)
        };
        let j = read(1)?;
        let i = if one_set { j.clone() } else { read(0)? };
        Ok(Some(SubsetNumbers { of: [i, j], own, n: of_all }))
    }

    /// Lists the given pairs of the subset: `all` has the pairs of all particles, and `of_all` their
    /// offsets and indices in device memory.
    ///
    /// # Panics
    ///
    /// If the particles are no subset.
    pub fn pairs(
        &self,
        backend: &Arc<dyn Backend>,
        all: &Csr,
        [offsets, indices]: &[Box<dyn Memory>; 2],
    ) -> Result<SubsetPairs, Error> {
        let known = self.known.expect("pairs of a subset are listed once it is set");
        nbody_core::Error::check_length("rows", all.len(), known.of_all[0])?;
        all.check_indices(known.of_all[1])?;
        let [ni, nj] = known.of;
        let groups = ni.div_ceil(GROUP);
        let allocate = |n: usize, size: usize| backend.allocate(n.max(1) * size);
        let [counts, entries, masks, order] =
            [groups, all.indices.len(), all.indices.len(), ni.max(nj)]
                .map(|n| allocate(n, size_of::<u32>()));
        let (begins, counts, entries) = (allocate(groups, size_of::<u64>())?, counts?, entries?);
        let (masks, order) = (masks?, order?);
        let mut state = allocate(2, size_of::<u64>())?;
        state.zero()?;
        self.number(backend, None, (&*order, None), [0, ni.max(nj)])?;
        let numbers = self.numbers();
        let lists = GivenLists {
            begins: Address::of(&*begins),
            counts: Address::of(&*counts),
            entries: Address::of(&*entries),
            masks: Address::of(&*masks),
            used: Address::of(&*state),
            missing: Address::at(state.address() + size_of::<u64>() as u64),
        };
        if groups > 0 {
            let launch = Launch::new(c"list_pairs", (groups * GROUP).div_ceil(BLOCK) as u32);
            let launch = launch.pointers([&**offsets, &**indices]).value(&numbers.of_i);
            let launch = launch.pointers([self.rows.memory()]).value(&lists);
            let launch = self.memory().fold(launch, Launch::reads);
            let written = [&*begins, &*counts, &*entries, &*masks, &*state];
            let launch = written.into_iter().fold(launch, Launch::reads);
            let image = image::ITSELF << image::INDEX_BITS;
            let launch = launch.numbers([image, known.own as u32, groups as u32]);
            self.kernels.get(backend)?.module.launch(launch)?;
        }
        let mut has_all = false;
        state.read_words(1..2, &mut |words| has_all = words[0] == 0)?;
        Ok(SubsetPairs { begins, counts, entries, masks, order, has_all })
    }
}

impl Program {
    /// Returns the program that lists the given pairs of a subset of particles.
    pub fn subset() -> Self {
        let declared = border::text(&[warp::text(), GivenLists::text()]);
        let parts =
            [&*declared, include_str!("../../kernels/scan.cuh"), include_str!("subset.cuh")];
        let kernels = &[c"number_rows", c"list_pairs"];
        Self::of_words("subset", "given pairs of a subset of particles", kernels, BLOCK, &parts)
    }
}
