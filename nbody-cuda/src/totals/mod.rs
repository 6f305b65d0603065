//! One result over all pairs on one backend.

mod program;

use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::untyped::{self, Images, PairTotal};
use nbody_core::{Domain, Error as CoreError, FieldKind, Law, Options, Sources};

use crate::backend::{Backend, Buffer, Kernel, Launch, Scratch};
use crate::compile::program::Program;
use crate::engine::buffer::pairs;
use crate::engine::images::ImageCopies;
use crate::engine::setup::Setup;
use crate::error::Error;
use crate::layout::PARTICLE_LIMIT;
use program::{counts, words};

/// Number of blocks that fill any GPU several times over. It fixes the order of sums, which
/// therefore does not depend on the GPU.
const BLOCKS: usize = 2048;

/// Evaluates totals on one backend.
#[derive(Debug)]
pub(crate) struct TotalsEngine {
    setup: Setup,
    most_counted: u32,
    kernel: Kernel,
    /// Counts of 64 bits.
    counts: Scratch,
    /// The other sums of each block.
    parts: Scratch,
    images: ImageCopies,
}

/// The division of an evaluation among blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Division {
    tiles: usize,
    splits: usize,
    bags_per_split: usize,
}

impl TotalsEngine {
    /// Creates an engine with these parameters of the law, one row.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Self, CoreError> {
        let most_counted = untyped::most_counted(law)?;
        let options = untyped::options_of_totals(options);
        let setup = Setup::new(backend, cache, law, parameters, options)?;
        let kernel = build(backend, cache, law, options)?;
        let [counts, parts] = [(); 2].map(|()| Scratch::default());
        let images = ImageCopies::new(cache);
        Ok(Self { setup, most_counted, kernel, counts, parts, images })
    }

    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn run(&mut self, i: &Buffer, j: Sources<Buffer>) -> Result<PairTotal, Error> {
        self.setup.check_particles(i, j, PARTICLE_LIMIT)?;
        let mut total = PairTotal::nothing(self.setup.law.f);
        if i.n == 0 || j.particles().n == 0 {
            return Ok(total);
        }
        let Some(images) = self.images.of(&self.setup, [i, j.particles()])? else {
            self.add(i, j, &mut total)?;
            return Ok(total);
        };
        let domain = self.setup.options.domain;
        self.setup.set_options(self.setup.options.domain(images.domain()));
        let done = self.add_images(&images, i, j, &mut total);
        self.setup.set_options(self.setup.options.domain(domain));
        done.map(|()| total)
    }

    /// Adds the totals over the j-particles of each copy of the box.
    fn add_images(
        &mut self,
        images: &Images,
        i: &Buffer,
        j: Sources<Buffer>,
        total: &mut PairTotal,
    ) -> Result<(), Error> {
        self.add(i, j, total)?;
        for displacement in &images.displacements()[1..] {
            let moved = self.images.displaced(j.particles(), self.setup.law.j, *displacement)?;
            let done = self.add(i, Sources::Others(&moved), total);
            self.images.keep(moved);
            done?;
        }
        Ok(())
    }

    /// Adds the total over all pairs, each at its nearest image.
    fn add(&mut self, i: &Buffer, j: Sources<Buffer>, total: &mut PairTotal) -> Result<(), Error> {
        let law = self.setup.law;
        let (one_set, j) = (u32::from(j.is_one_set()), j.particles());
        let config = &self.kernel.program.config;
        let division = divide([i.n, j.n], [config.tile(), config.bag], self.most_counted);
        let Division { tiles, splits, bags_per_split } = division;
        let blocks = tiles.saturating_mul(splits);
        let blocks = i32::try_from(blocks).ok().and_then(|blocks| u32::try_from(blocks).ok());
        let blocks = blocks.ok_or(Error::TooManyParticles {
            what: "i-particles of one total",
            found: i.n,
            limit: i32::MAX as usize / splits * config.tile(),
        })?;
        let (backend, counts, words) = (&*self.setup.backend, counts(law), words(law));
        self.counts.reserve(backend, &[counts.max(1), size_of::<u64>()], false)?;
        self.counts.memory_mut().zero()?;
        self.parts.reserve(backend, &[blocks as usize, words, size_of::<f64>()], false)?;
        let launch = self.setup.parameters.pass(Launch::new(c"pair_total", blocks));
        let launch = launch.record(&self.setup.space);
        let launch = launch.pointers([&*i.memory]).numbers([i.n as u32]);
        let launch = launch.pointers([&*j.memory]).numbers([j.n as u32]);
        let launch = launch.numbers([tiles as u32, bags_per_split as u32, one_set]);
        let launch = launch.pointers([self.counts.memory(), self.parts.memory()]);
        self.kernel.module.launch(launch)?;
        self.merge(blocks as usize, total)
    }

    /// Adds the sums of all blocks, in their order, and their counts.
    fn merge(&self, blocks: usize, total: &mut PairTotal) -> Result<(), Error> {
        let law = self.setup.law;
        let (counts, words) = (counts(law), words(law));
        let mut found = vec![0; counts];
        if counts > 0 {
            let memory = self.counts.memory();
            memory.read_words(0..counts, &mut |words| found.copy_from_slice(words))?;
        }
        let mut parts = vec![0; blocks * words];
        let memory = self.parts.memory();
        memory.read_words(0..parts.len(), &mut |words| parts.copy_from_slice(words))?;
        for block in 0..blocks {
            // The counts are of all blocks.
            let counts = (block == 0).then_some(&found[..]);
            total.add(&row(law, counts, &|c| parts[c * blocks + block]));
        }
        Ok(())
    }
}

/// Returns the row of a result, from its counts, or zeros, and its other words.
fn row(law: &Law, counts: Option<&[u64]>, word: &dyn Fn(usize) -> u64) -> Vec<u64> {
    let (mut row, mut seen, mut next) = (Vec::new(), 0, 0);
    for kind in law.f.iter().map(|field| field.kind) {
        let n = kind.components();
        if matches!(kind, FieldKind::Counts(_)) {
            row.extend((seen..seen + n).map(|k| counts.map_or(0, |counts| counts[k])));
            seen += n;
        } else {
            // One word is in place of the arrays of counts, after the first of them.
            let first = next + usize::from(seen > 0);
            row.extend((first..first + n).map(word));
            next += n;
        }
    }
    row
}

fn build(
    backend: &Arc<dyn Backend>,
    cache: &Cache,
    law: &Law,
    options: Options,
) -> Result<Kernel, Error> {
    let program = Program::pair_total(law, options)?;
    let (module, build) = backend.build(&program, cache)?;
    Ok(Kernel { program, module, build })
}

/// Divides the pairs of these numbers of particles among blocks, for tiles and bags of these
/// lengths. A block counts in 32 bits.
fn divide([ni, nj]: [usize; 2], [tile, bag]: [usize; 2], most_counted: u32) -> Division {
    let (tiles, bags) = (ni.div_ceil(tile), nj.div_ceil(bag));
    let of_bag = (tile * bag).saturating_mul(most_counted.max(1) as usize);
    let held = u32::MAX as usize / of_bag;
    assert!(held > 0, "shared memory bounds a bag, and laws bound counts");
    let splits = (BLOCKS / tiles).clamp(1, bags);
    let bags_per_split = bags.div_ceil(splits).min(held);
    Division { tiles, splits: bags.div_ceil(bags_per_split), bags_per_split }
}

impl untyped::PairTotals for TotalsEngine {
    fn law(&self) -> &'static Law {
        self.setup.law
    }

    fn options(&self) -> Options {
        self.setup.options
    }

    fn parameters(&self) -> &[u64] {
        self.setup.parameters.row()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), CoreError> {
        self.setup.parameters.set(parameters)
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), CoreError> {
        let (options, needs_others) = self.setup.in_domain(domain)?;
        if needs_others {
            let Setup { backend, cache, law, .. } = &self.setup;
            self.kernel = build(backend, cache, law, options)?;
        }
        self.setup.set_options(options);
        Ok(())
    }

    fn total(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
    ) -> Result<PairTotal, CoreError> {
        let [i, of_j] = pairs(&*self.setup.backend, self.setup.law, i, j)?;
        Ok(self.run(i, j.with(of_j))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_out_all_bags_and_count_in_32_bits() {
        for ni in [1, 1000, 1024, 1025, 100_000, 3_000_000, PARTICLE_LIMIT] {
            for nj in [1, 256, 257, 100_000, 10_000_000, PARTICLE_LIMIT] {
                for most in [0, 1, 5, 1024] {
                    let Division { tiles, splits, bags_per_split } =
                        divide([ni, nj], [1024, 256], most);
                    let bags = nj.div_ceil(256);
                    assert!(tiles * 1024 >= ni && splits * bags_per_split >= bags);
                    assert!((splits - 1) * bags_per_split < bags, "an empty split");
                    let counted = 1024 * 256 * bags_per_split * most as usize;
                    assert!(u32::try_from(counted).is_ok(), "{ni} {nj} {most}: {counted}");
                }
            }
        }
    }
}
