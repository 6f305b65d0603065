//! Lists of pairs given by the caller, and pairs excluded from lists.

use crate::error::Error;
use crate::lists::csr::Csr;
use crate::lists::list::{Lists, octets};
use crate::order::GROUP;
use crate::order::image;
use crate::order::image::nearest;
use crate::order::image::{IMAGES, INDEX_BITS, LIMIT};
use crate::order::ordered::Ordered;
use crate::parallel;
use crate::triclinic::Cell;

/// Pairs given by the caller, each with its nearest image.
pub struct Given {
    /// The lists.
    pub lists: Lists,
    /// For each entry, the [`octets`] of its group that it acts on.
    pub near: Vec<u8>,
    /// The greatest distance of a pair.
    pub greatest: f64,
    /// The largest relative motion of two particles that cannot change the nearest image of a
    /// pair.
    pub skin: f64,
}

impl Given {
    /// Builds the lists of these pairs, for particles in the order of the caller, in this box.
    pub fn new(csr: &Csr, i: &Ordered, j: &Ordered, cell: &Cell) -> Self {
        let displacement = |k: usize, index: u32| {
            let (a, b) = (&i.positions[k], &j.positions[index as usize]);
            [0, 1, 2].map(|axis| b[axis] - a[axis])
        };
        let lists = Lists::of_rows(csr, &|k, index| nearest(&displacement(k, index), cell));
        let near = lists.masks.iter().flatten().copied().map(octets).collect();
        let mut each = vec![(0.0_f64, f64::INFINITY); i.len()];
        parallel::each_chunk(&mut each, GROUP, &|first, each| {
            for (k, (greatest, skin)) in (first..).zip(each) {
                for &index in csr.row(k) {
                    let d = displacement(k, index);
                    let shift = image::displacement(nearest(&d, cell), cell);
                    let [x, y, z] = [0, 1, 2].map(|axis| d[axis] + shift[axis]);
                    *greatest = greatest.max((x * x + y * y + z * z).sqrt());
                    for (d, length) in [x, y, z].into_iter().zip(&cell.lengths) {
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
    /// Builds the rows of `n` particles of one set from pairs, each of which acts both ways; the
    /// pair of a particle with itself acts once. Refuses more particles than lists can hold.
    pub fn from_pairs(n: usize, pairs: &[[u32; 2]]) -> Result<Self, Error> {
        if n > LIMIT {
            return Err(Error::TooManyParticles { found: n, limit: LIMIT });
        }
        check_indices("pairs", pairs.iter().map(|pair| &pair[..]), n)?;
        Ok(Self::of(n, both_ways(pairs)))
    }

    /// Builds rows of excluded pairs, each in ascending order, for these numbers of i-particles
    /// and j-particles. Pairs of one set are excluded both ways.
    pub fn of_excluded(pairs: &[[u32; 2]], n: [usize; 2], one_set: bool) -> Result<Self, Error> {
        check_excluded(pairs, n)?;
        let mut rows = if one_set {
            Self::of(n[0], both_ways(pairs))
        } else {
            Self::of(n[0], pairs.iter().copied())
        };
        for ends in rows.offsets.windows(2) {
            rows.indices[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        Ok(rows)
    }

    /// Builds rows; all indices of pairs are below the numbers of particles.
    fn of(n: usize, pairs: impl Iterator<Item = [u32; 2]> + Clone) -> Self {
        let mut offsets = vec![0_u64; n + 1];
        for [i, _] in pairs.clone() {
            offsets[i as usize + 1] += 1;
        }
        for k in 0..n {
            offsets[k + 1] += offsets[k];
        }
        let mut ends = offsets.clone();
        let mut indices = vec![0; offsets[n] as usize];
        for [i, j] in pairs {
            let end = &mut ends[i as usize];
            indices[*end as usize] = j;
            *end += 1;
        }
        Self { offsets, indices }
    }

    /// Refuses offsets that do not begin with 0, that descend, or that do not end with the number
    /// of indices.
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

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Tests whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Refuses indices that are not below `n`, the number of j-particles.
    pub fn check_indices(&self, n: usize) -> Result<(), Error> {
        check_indices("indices", self.indices.chunks(1), n)
    }
}

/// Refuses indices that are not below `n`, in pairs or in rows of one index.
pub fn check_indices<'a>(
    what: &'static str,
    indices: impl Iterator<Item = &'a [u32]>,
    n: usize,
) -> Result<(), Error> {
    for (at, indices) in indices.enumerate() {
        if let Some(&found) = indices.iter().find(|&&index| index as usize >= n) {
            let found = found as usize;
            return Err(Error::NoParticle { what, at, found, n });
        }
    }
    Ok(())
}

/// Returns each pair of one set both ways; the pair of a particle with itself once.
fn both_ways(pairs: &[[u32; 2]]) -> impl Iterator<Item = [u32; 2]> + Clone {
    pairs.iter().flat_map(|&[a, b]| [Some([a, b]), (a != b).then_some([b, a])]).flatten()
}

/// Refuses excluded pairs with indices beyond these numbers of i-particles and j-particles.
pub fn check_excluded(pairs: &[[u32; 2]], n: [usize; 2]) -> Result<(), Error> {
    for (k, n) in n.into_iter().enumerate() {
        check_indices("excluded pairs", pairs.iter().map(|it| &it[k..=k]), n)?;
    }
    Ok(())
}

impl Lists {
    /// Builds lists from rows of j-particles, for particles in the order of the caller; `image`
    /// chooses the image of each pair.
    pub fn of_rows(rows: &Csr, image: &(dyn Fn(usize, u32) -> u32 + Sync)) -> Self {
        let (lists, _) = Self::collect(rows.len().div_ceil(GROUP), &|group, part| {
            let mut pairs = Vec::new();
            for k in group * GROUP..rows.len().min((group + 1) * GROUP) {
                pairs.extend(
                    rows.row(k)
                        .iter()
                        .map(|&index| (index | image(k, index) << INDEX_BITS, 1 << (k % GROUP))),
                );
            }
            pairs.sort_unstable();
            let mut last = None;
            for (entry, bit) in pairs {
                match part.masks.last_mut() {
                    // A pair given twice counts twice.
                    Some(mask) if last == Some(entry) && *mask & bit == 0 => *mask |= bit,
                    _ => {
                        part.entries.push(entry);
                        part.masks.push(bit);
                    }
                }
                last = Some(entry);
            }
        });
        lists
    }

    /// Excludes the pairs of these rows, whose indices are in the order of the caller. `places`
    /// has the place of each j-particle in its order.
    pub fn exclude(&mut self, rows: &Csr, i: &Ordered, places: &[u32], cell: &Cell) {
        self.masks = Some(self.masks_without(rows, i, places, cell));
    }

    /// Returns for each entry a bit for each i-particle of its group that it acts on, without the
    /// pairs of these rows.
    pub fn masks_without(&self, rows: &Csr, i: &Ordered, places: &[u32], cell: &Cell) -> Vec<u32> {
        let mut parts = vec![Vec::new(); self.begins.len().saturating_sub(1)];
        parallel::each_chunk(&mut parts, 1, &|group, parts| {
            // There may be no i-particles, and no list.
            for part in parts {
                part.extend(self.range(group).map(|entry| self.mask(entry)));
                for image in (0..IMAGES).filter(|&image| image::exists(image, cell)) {
                    self.exclude_from(group, image, rows, i, places, part);
                }
            }
        });
        parts.concat()
    }

    /// Clears the bits of excluded pairs in one image, in the masks of a group's list.
    fn exclude_from(
        &self,
        group: usize,
        image: u32,
        rows: &Csr,
        i: &Ordered,
        places: &[u32],
        masks: &mut [u32],
    ) {
        let list = self.of(group);
        let begin = list.partition_point(|&entry| entry < image << INDEX_BITS);
        let of_image = list[begin..].partition_point(|&entry| entry >> INDEX_BITS == image);
        let (list, masks) = (&list[begin..][..of_image], &mut masks[begin..][..of_image]);
        let particles = i.indices.chunks(GROUP).nth(group).unwrap_or_default();
        // Most images of most lists have no entry.
        for (k, &index) in particles.iter().enumerate().filter(|_| !list.is_empty()) {
            for &j in rows.row(index as usize) {
                let entry = places[j as usize] | image << INDEX_BITS;
                let first = list.partition_point(|&other| other < entry);
                let equal = list[first..].iter().take_while(|&&other| other == entry).count();
                for mask in &mut masks[first..][..equal] {
                    *mask &= !(1 << k);
                }
            }
        }
    }
}
