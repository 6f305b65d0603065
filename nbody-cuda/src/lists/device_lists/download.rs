//! Copies neighbour lists to the host.

use nbody_core::lists::list::Lists;
use nbody_core::order::GROUP;
use nbody_core::order::boxes::BoxTree;
use nbody_core::order::image;
use nbody_core::order::ordered::Ordered;

use super::DeviceLists;
use crate::backend::Scratch;
use crate::error::Error;
use crate::lists::declared::entry::NO_ROOM;
use crate::lists::extent::ListExtent;
use nbody_core::Csr;

/// Lists on the host, and the particles of each set in order.
#[derive(Debug)]
pub(crate) struct Downloaded {
    pub lists: Lists,
    pub sets: [Ordered; 2],
    /// For each set, the numbers that cutoffs depend on, a vector for each number, in order.
    pub values: [Vec<Vec<f64>>; 2],
}

impl DeviceLists {
    /// Copies the lists, without excluded pairs, and the particles of each set in order to the
    /// host. Given pairs have the order of the caller, and positions of 0.
    pub fn download(&self) -> Result<Downloaded, Error> {
        let extent = self.built.expect("lists are downloaded once they are built");
        let subset = self.subset.on_host()?;
        let (mut lists, sets) = match &self.given {
            Some(given) => {
                let rows = subset.as_ref().map(|subset| subset.rows(&given.rows).0);
                let rows = rows.as_ref().unwrap_or(&given.rows);
                let lists = Lists::of_rows(rows, &|_, _| image::ITSELF);
                (
                    lists,
                    extent
                        .n
                        .map(|n| Ordered::in_order((0..n as u32).collect(), &vec![[0.0; 3]; n])),
                )
            }
            None => (
                self.download_lists(&extent)?,
                [self.ordered(0, extent.n[0])?, self.ordered(1, extent.n[1])?],
            ),
        };
        if !self.excluded.pairs().is_empty() {
            let rows = Csr::of_excluded(
                self.excluded.pairs(),
                self.subset.named([extent.n[0], extent.nj()]),
                extent.one_set,
            )?;
            let rows = match &subset {
                Some(subset) => subset.rows(&rows).0,
                None => rows,
            };
            let places = sets[usize::from(extent.has_j)].places();
            lists.exclude(&rows, &sets[0], &places, &extent.cell());
        }
        let values = self.reach.values(extent.n)?;
        Ok(Downloaded { lists, sets, values })
    }

    /// Copies the lists that the device found.
    fn download_lists(&self, extent: &ListExtent) -> Result<Lists, Error> {
        let groups = extent.n[0].div_ceil(GROUP);
        let (begins, counts) = (read(&self.begins)?, read(&self.counts)?);
        let (counts, entries) = (as_u32(&counts), read(&self.entries)?);
        let mut lists = Lists { begins: vec![0], ..Lists::default() };
        for (&begin, &count) in begins.iter().zip(counts).take(groups) {
            if count == NO_ROOM {
                lists.entries.extend(extent.all_entries());
            } else {
                let list = &as_u32(&entries)[begin as usize..][..count as usize];
                lists.entries.extend_from_slice(list);
            }
            lists.begins.push(lists.entries.len() as u64);
        }
        Ok(lists)
    }

    /// Copies the order of the `n` particles of a set.
    fn ordered(&self, set: usize, n: usize) -> Result<Ordered, Error> {
        let order = &self.orders[set];
        let mut indices = Vec::new();
        order.indices().read(&mut |words| indices = as_u32(words)[..n].to_vec())?;
        let mut positions = Vec::new();
        order.positions().read(&mut |words| {
            let at = |k: usize| [k, n + k, 2 * n + k].map(|k| f64::from_bits(words[k]));
            positions = (0..n).map(at).collect();
        })?;
        let tree = BoxTree::of(&positions);
        Ok(Ordered { indices, positions, tree })
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
