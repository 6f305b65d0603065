//! Tuples in device memory.

use std::collections::HashMap;
use std::sync::Arc;

use nbody_core::pack::{OwnedRows, Rows, dim};
use nbody_core::untyped::TupleList;
use nbody_core::{Error, ParticleProgram, Precision};

use super::shares::Shares;
use crate::backend::{Backend, Buffer, Memory};
use crate::border;

/// Tuples in device memory.
#[derive(Debug)]
pub(super) struct Given {
    /// The number of blocks of threads.
    pub blocks: usize,
    /// The first shares of the blocks, and behind them further shares.
    pub shares: Box<dyn Memory>,
    /// For each tuple of each share its particles, the index of its record, and the places of its
    /// results.
    pub indices: Box<dyn Memory>,
    pub kinds: Box<dyn Memory>,
    pub slots: Box<dyn Memory>,
    /// The ends of the results of each particle of each share.
    pub ends: Box<dyn Memory>,
    /// The records that differ: tuples have few kinds, which stay in the caches.
    pub records: Buffer,
}

impl Given {
    /// Copies tuples to device memory.
    pub fn new(
        backend: &Arc<dyn Backend>,
        program: &ParticleProgram,
        list: &TupleList,
        records: &dyn Rows,
    ) -> Result<Self, Error> {
        let shares = Shares::new(list);
        let (rows, kinds) = kinds(program, records);
        let kind = |tuple: &u32| kinds.get(*tuple as usize).copied().unwrap_or(0);
        let kinds: Vec<u32> = shares.tuples.iter().map(kind).collect();
        let members = list.members();
        let of_tuple = |tuple: &u32| &list.indices()[*tuple as usize * members..][..members];
        let indices: Vec<u32> = shares.tuples.iter().flat_map(of_tuple).copied().collect();
        let all = shares.first.iter().chain(&shares.further);
        let all: Vec<u64> = all.flat_map(border::words).collect();
        Ok(Self {
            blocks: shares.first.len(),
            shares: backend.copied(&all)?,
            indices: backend.copied(&indices)?,
            kinds: backend.copied(&kinds)?,
            slots: backend.copied(&shares.slots)?,
            ends: backend.copied(&shares.ends)?,
            records: Buffer::of_particles(backend, &rows, Precision::Double)?,
        })
    }
}

/// Returns the records that differ, and for each record its index among them.
fn kinds(program: &ParticleProgram, records: &dyn Rows) -> (OwnedRows, Vec<u32>) {
    let width = dim(program.record);
    let mut rows = vec![0; records.count() * width];
    records.write(0..records.count(), &mut rows);
    let (mut found, mut distinct) = (HashMap::new(), Vec::new());
    let kind = |row| {
        let next = found.len() as u32;
        *found.entry(row).or_insert_with(|| {
            distinct.extend_from_slice(row);
            next
        })
    };
    let kinds = rows.chunks_exact(width.max(1)).map(kind).collect();
    let rows = OwnedRows::new(program.record, distinct).expect("whole rows");
    (rows, kinds)
}
