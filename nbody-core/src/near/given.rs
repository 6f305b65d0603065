//! Lists of pairs that the caller gives, and pairs that are left out of lists.

use super::image::{self, IMAGES, INDEX_BITS};
use super::list::{Lists, parts};
use super::order::Ordered;
use super::pairs::Csr;
use super::{GROUP, image::nearest};
use crate::{Error, parallel};

/// Pairs that the caller gives, with the images that are nearest.
pub struct Given {
    /// The lists.
    pub lists: Lists,
    /// The [`parts`] of its group that each entry acts on.
    pub near: Vec<u8>,
    /// The greatest distance of a pair.
    pub greatest: f64,
    /// The distance by which two particles may approach each other until another image may be the nearest.
    pub skin: f64,
}

impl Given {
    /// Makes the lists of the pairs of these particles, which are in the order of the caller, in a box of
    /// these lengths.
    pub fn new(csr: &Csr, i: &Ordered, j: &Ordered, lengths: &[f64; 3]) -> Self {
        let groups = i.tree.groups().len();
        let displacement = |k: usize, index: u32| {
            let (a, b) = (&i.positions[k], &j.positions[index as usize]);
            [0, 1, 2].map(|axis| b[axis] - a[axis])
        };
        let (lists, _) = Lists::collect(groups, &|group, part| {
            let mut pairs = Vec::new();
            for k in group * GROUP..i.len().min((group + 1) * GROUP) {
                pairs.extend(csr.row(k).iter().map(|&index| {
                    let image = nearest(&displacement(k, index), lengths);
                    (index | image << INDEX_BITS, 1 << (k % GROUP))
                }));
            }
            pairs.sort_unstable();
            let mut last = None;
            for (entry, bit) in pairs {
                match part.masks.last_mut() {
                    // A pair that is given twice counts twice.
                    Some(mask) if last == Some(entry) && *mask & bit == 0 => *mask |= bit,
                    _ => {
                        part.entries.push(entry);
                        part.masks.push(bit);
                    }
                }
                last = Some(entry);
            }
        });
        let near = lists.masks.iter().flatten().copied().map(parts).collect();
        let mut each = vec![(0.0_f64, f64::INFINITY); i.len()];
        parallel::each_chunk(&mut each, GROUP, &|first, each| {
            for (k, (greatest, skin)) in (first..).zip(each) {
                for &index in csr.row(k) {
                    let d = displacement(k, index);
                    let shift = image::displacement(nearest(&d, lengths), lengths);
                    let [x, y, z] = [0, 1, 2].map(|axis| d[axis] + shift[axis]);
                    *greatest = greatest.max((x * x + y * y + z * z).sqrt());
                    for (d, length) in [x, y, z].into_iter().zip(lengths) {
                        if *length > 0.0 {
                            *skin = skin.min((length / 2.0 - d.abs()).max(0.0));
                        }
                    }
                }
            }
        });
        let (greatest, skin) = each
            .into_iter()
            .fold((0.0, f64::INFINITY), |a, b| (f64::max(a.0, b.0), f64::min(a.1, b.1)));
        Self { lists, near, greatest, skin }
    }
}

impl Csr {
    /// Makes the rows of `n` particles of one set from pairs, each of which acts both ways; one of a
    /// particle and itself acts once.
    pub fn from_pairs(n: usize, pairs: &[[u32; 2]]) -> Result<Self, Error> {
        check_indices("pairs", pairs.iter().map(|pair| &pair[..]), n)?;
        let both = || pairs.iter().flat_map(|&[a, b]| [Some([a, b]), (a != b).then_some([b, a])]);
        let mut offsets = vec![0_u64; n + 1];
        for [i, _] in both().flatten() {
            offsets[i as usize + 1] += 1;
        }
        for k in 0..n {
            offsets[k + 1] += offsets[k];
        }
        let mut ends = offsets.clone();
        let mut indices = vec![0; offsets[n] as usize];
        for [i, j] in both().flatten() {
            let end = &mut ends[i as usize];
            indices[*end as usize] = j;
            *end += 1;
        }
        Ok(Self { offsets, indices })
    }

    /// Refuses offsets that do not begin with 0, descend, or do not end with the number of indices.
    pub fn check(&self) -> Result<(), Error> {
        let end = self.indices.len() as u64;
        let [mut least, mut greatest] = [0, 0];
        for (at, &found) in self.offsets.iter().enumerate() {
            if !(least..=greatest).contains(&found) {
                return Err(Error::Offsets { at, found, least, greatest });
            }
            [least, greatest] = [found, end];
        }
        let Some(at) = self.offsets.len().checked_sub(1) else { return Err(Error::NoOffsets) };
        if least == end {
            Ok(())
        } else {
            Err(Error::Offsets { at, found: least, least: end, greatest: end })
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Tests whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Refuses indices that are not those of `n` j-particles.
    pub fn check_indices(&self, n: usize) -> Result<(), Error> {
        check_indices("indices", self.indices.chunks(1), n)
    }
}

/// Refuses indices that are not below `n`, of pairs or of single particles.
pub fn check_indices<'a>(
    what: &'static str,
    indices: impl Iterator<Item = &'a [u32]>,
    n: usize,
) -> Result<(), Error> {
    for (at, indices) in indices.enumerate() {
        if let Some(&found) = indices.iter().find(|&&index| index as usize >= n) {
            return Err(Error::NoParticle { what, at, found, n });
        }
    }
    Ok(())
}

impl Lists {
    /// Leaves out pairs of an i-particle and a j-particle, by the indices of the caller.
    pub fn exclude(
        &mut self,
        i: &Ordered,
        j: &Ordered,
        lengths: &[f64; 3],
        pairs: impl Iterator<Item = [u32; 2]>,
    ) {
        let [of_i, of_j] = [i, j].map(Ordered::places);
        let mut masks = self.masks.take().unwrap_or_else(|| vec![u32::MAX; self.entries.len()]);
        for [a, b] in pairs {
            let (a, b) = (of_i[a as usize] as usize, of_j[b as usize]);
            let range = self.range(a / GROUP);
            let list = &self.entries[range.clone()];
            for image in (0..IMAGES).filter(|&image| image::exists(image, lengths)) {
                let entry = b | image << INDEX_BITS;
                let first = list.partition_point(|&other| other < entry);
                let equal = list[first..].iter().take_while(|&&other| other == entry).count();
                for mask in &mut masks[range.start + first..][..equal] {
                    *mask &= !(1 << (a % GROUP));
                }
            }
        }
        self.masks = Some(masks);
    }
}
