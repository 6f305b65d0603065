//! Given pairs and excluded pairs, in device memory.

use std::sync::Arc;

use nbody_core::lists::list::Lists;
use nbody_core::order::GROUP;
use nbody_core::order::image;
use nbody_core::{Csr, Error as CoreError};

use super::declared::{self, ExcludedRows, Placed};
use super::subset::{DeviceSubset, SubsetPairs};
use crate::backend::{Backend, Memory};
use crate::border::Address;
use crate::error::Error;

/// Lists of the pairs that the caller gives, of particles in the order of the caller. Entries have
/// no image: in a periodic box, each evaluation finds the nearest image of each pair.
#[derive(Debug)]
pub(crate) struct Given {
    pub rows: Csr,
    memory: Option<GivenMemory>,
    /// The rows in device memory, once a subset of them was listed.
    of_all: Option<[Box<dyn Memory>; 2]>,
}

#[derive(Debug)]
struct GivenMemory {
    /// The larger number of particles of the two sets; `None` for a subset.
    n: Option<usize>,
    begins: Box<dyn Memory>,
    counts: Box<dyn Memory>,
    entries: Box<dyn Memory>,
    masks: Box<dyn Memory>,
    /// The order of the caller: the identity.
    order: Box<dyn Memory>,
    /// Zeros: the origins of groups, and the positions when the lists were built.
    zeros: Box<dyn Memory>,
}

impl Given {
    pub fn new(rows: Csr) -> Self {
        Self { rows, memory: None, of_all: None }
    }

    /// Lists the pairs of a subset on the device, or of all particles with the next upload. Returns
    /// whether the subset has all j-particles of its pairs.
    pub fn list(
        &mut self,
        backend: &Arc<dyn Backend>,
        subset: &DeviceSubset,
    ) -> Result<bool, Error> {
        self.memory = None;
        if !subset.is_some() {
            return Ok(true);
        }
        if self.of_all.is_none() {
            let Csr { offsets, indices } = &self.rows;
            self.of_all = Some([backend.copied(offsets)?, backend.copied(indices)?]);
        }
        let of_all = self.of_all.as_ref().expect("copied above");
        let pairs = subset.pairs(backend, &self.rows, of_all)?;
        let SubsetPairs { begins, counts, entries, masks, order, has_all } = pairs;
        // The memory of the order has a number for each particle.
        let zeros = zeros(&**backend, order.words() * size_of::<u64>() / size_of::<u32>())?;
        self.memory = Some(GivenMemory { n: None, begins, counts, entries, masks, order, zeros });
        Ok(has_all)
    }

    /// Copies the lists of all particles to the device, for these numbers of i-particles and
    /// j-particles.
    pub fn upload(&mut self, backend: &dyn Backend, n: [usize; 2]) -> Result<(), Error> {
        if self.memory.as_ref().is_some_and(|memory| memory.n.is_none()) {
            return Ok(());
        }
        CoreError::check_length("rows", self.rows.len(), n[0])?;
        self.rows.check_indices(n[1])?;
        let n = n.into_iter().max().unwrap_or(0);
        if self.memory.as_ref().is_some_and(|memory| memory.n == Some(n)) {
            return Ok(());
        }
        let lists = Lists::of_rows(&self.rows, &|_, _| image::ITSELF);
        let lengths = lists.begins.windows(2).map(|ends| (ends[1] - ends[0]) as u32);
        let lengths: Vec<_> = lengths.collect();
        let order: Vec<_> = (0..n as u32).collect();
        let zeros = zeros(backend, n)?;
        self.memory = Some(GivenMemory {
            n: Some(n),
            begins: backend.copied(&lists.begins)?,
            counts: backend.copied(&lengths)?,
            entries: backend.copied(&lists.entries)?,
            masks: backend.copied(&lists.masks.unwrap_or_default())?,
            order: backend.copied(&order)?,
            zeros,
        });
        Ok(())
    }

    fn uploaded(&self) -> &GivenMemory {
        self.memory.as_ref().expect("given lists are evaluated once they are on the device")
    }

    /// Returns the order of `n` particles.
    pub fn placed(&self, n: usize) -> Placed {
        let memory = self.uploaded();
        let (order, before) = (memory.order.address(), memory.zeros.address());
        Placed { order: Address::at(order), before: Address::at(before), n: n as u32 }
    }

    pub fn lists(&self) -> declared::Lists {
        let GivenMemory { begins, counts, entries, zeros, .. } = self.uploaded();
        declared::Lists {
            begins: Address::at(begins.address()),
            counts: Address::at(counts.address()),
            entries: Address::at(entries.address()),
            origins: Address::at(zeros.address()),
        }
    }

    /// Returns the masks of entries.
    pub fn masks(&self) -> Address<u32> {
        Address::at(self.uploaded().masks.address())
    }

    pub fn memory(&self) -> impl Iterator<Item = &dyn Memory> {
        self.memory.iter().flat_map(|it| {
            [&it.begins, &it.counts, &it.entries, &it.masks, &it.order, &it.zeros].map(|it| &**it)
        })
    }
}

/// Pairs that are excluded from lists.
#[derive(Debug, Default)]
pub(crate) struct Excluded {
    pairs: Vec<[u32; 2]>,
    memory: Option<ExcludedMemory>,
}

/// The rows of excluded pairs.
#[derive(Debug)]
struct ExcludedMemory {
    /// The numbers of i-particles and j-particles, and whether they are one set.
    of: ([usize; 2], bool),
    offsets: Box<dyn Memory>,
    indices: Box<dyn Memory>,
}

impl Excluded {
    pub fn set(&mut self, pairs: &[[u32; 2]]) {
        *self = Self { pairs: pairs.to_vec(), memory: None };
    }

    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Copies the pairs to the device, for these numbers of i-particles and j-particles.
    pub fn upload(
        &mut self,
        backend: &dyn Backend,
        n: [usize; 2],
        one_set: bool,
    ) -> Result<(), Error> {
        let of = (n, one_set);
        if self.pairs.is_empty() || self.memory.as_ref().is_some_and(|memory| memory.of == of) {
            return Ok(());
        }
        let rows = Csr::of_excluded(&self.pairs, n, one_set)?;
        let (offsets, indices) = (backend.copied(&rows.offsets)?, backend.copied(&rows.indices)?);
        self.memory = Some(ExcludedMemory { of, offsets, indices });
        Ok(())
    }

    pub fn rows(&self) -> ExcludedRows {
        let memory = self.memory.as_ref();
        ExcludedRows {
            begins: memory.map_or(Address::NULL, |it| Address::at(it.offsets.address())),
            indices: memory.map_or(Address::NULL, |it| Address::at(it.indices.address())),
        }
    }

    pub fn memory(&self) -> impl Iterator<Item = &dyn Memory> {
        self.memory.iter().flat_map(|it| [&*it.offsets, &*it.indices])
    }
}

/// Returns zeros for the positions of `n` particles, and for the origins of their groups.
fn zeros(backend: &dyn Backend, n: usize) -> Result<Box<dyn Memory>, Error> {
    let mut zeros = backend.allocate(3 * n.next_multiple_of(GROUP) * size_of::<f64>())?;
    zeros.zero()?;
    Ok(zeros)
}
