//! Neighbour lists that are copied to the host.

use nbody_core::near::GROUP;
use nbody_core::near::boxes::Tree;
use nbody_core::near::list::Lists;
use nbody_core::near::order::Ordered;

use super::{NO_ROOM, Neighbours};
use crate::Error;
use crate::backend::Scratch;

/// Lists on the host, and the particles of each set in order.
#[derive(Debug)]
pub(crate) struct Downloaded {
    pub lists: Lists,
    pub sets: [Ordered; 2],
    /// The numbers that cutoffs depend on, a slice for each, in this order.
    pub values: [Vec<Vec<f64>>; 2],
}

impl Neighbours {
    /// Copies the lists to the host, and the particles of each set in order.
    pub fn download(&self) -> Result<Downloaded, Error> {
        let build = self.built.expect("lists are downloaded once they are built");
        let groups = build.n[0].div_ceil(GROUP);
        let (begins, counts) = (read(&self.begins)?, read(&self.counts)?);
        let (counts, entries) = (as_u32(&counts), read(&self.entries)?);
        let mut lists = Lists { begins: vec![0], ..Lists::default() };
        for (&begin, &count) in begins.iter().zip(counts).take(groups) {
            if count == NO_ROOM {
                lists.entries.extend(build.all_entries());
            } else {
                let list = &as_u32(&entries)[begin as usize..][..count as usize];
                lists.entries.extend_from_slice(list);
            }
            lists.begins.push(lists.entries.len() as u64);
        }
        let ordered = |set: usize| {
            let (order, n) = (&self.orders[set], build.n[set]);
            let mut indices = Vec::new();
            order.indices().read(&mut |words| indices = as_u32(words)[..n].to_vec())?;
            let mut positions = Vec::new();
            order.positions().read(&mut |words| {
                let at = |k: usize| [k, n + k, 2 * n + k].map(|k| f64::from_bits(words[k]));
                positions = (0..n).map(at).collect();
            })?;
            let tree = Tree::of(&positions);
            Ok::<_, Error>(Ordered { indices, positions, tree })
        };
        let values = self.reach.values(build.n)?;
        Ok(Downloaded { lists, sets: [ordered(0)?, ordered(1)?], values })
    }
}

fn read(scratch: &Scratch) -> Result<Vec<u64>, Error> {
    let mut found = Vec::new();
    scratch.memory().read(&mut |words| found = words.to_vec())?;
    Ok(found)
}

fn as_u32(words: &[u64]) -> &[u32] {
    bytemuck::cast_slice(words)
}
