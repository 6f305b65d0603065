//! All pairs by a CUDA program: on a GPU or in the emulator.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use nbody_core::{
    Accumulation, Domain, Engine, Interaction, Options, Precision, Record, Scalar, Tiling, pack,
};

use crate::build::Build;
use crate::cache::Cache;
use crate::launch::Launch;
use crate::machine::{Machine, Memory, Module};
use crate::{Error, Program};

/// Threads and bags are numbered in 32 bits, with room to step past the end.
const LIMIT: usize = i32::MAX as usize;

/// Sums an interaction over all pairs by a CUDA program.
///
/// The sums are made in a fixed order, so that results are bitwise the same from run to run.
#[derive(Debug)]
pub struct CudaAllPairs<X> {
    interaction: X,
    program: Program,
    machine: Arc<dyn Machine>,
    cache: Cache,
    module: Box<dyn Module>,
    build: Build,
    /// The sums of the splits, kept from one evaluation to the next.
    scratch: Option<(usize, Box<dyn Memory>)>,
}

/// Particles in the memory of a device, in the precision of an evaluation.
#[derive(Debug)]
pub struct CudaParticles<P> {
    buffer: Buffer,
    record: PhantomData<P>,
}

/// Results in the memory of a device, in the precision of the backup accumulators.
#[derive(Debug)]
pub struct CudaFields<F> {
    buffer: Buffer,
    record: PhantomData<F>,
}

/// Records in the memory of a machine.
#[derive(Debug)]
struct Buffer {
    memory: Box<dyn Memory>,
    n: usize,
    precision: Precision,
    machine: Arc<dyn Machine>,
}

impl<P> CudaParticles<P> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.buffer.n
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<F> CudaFields<F> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.buffer.n
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Buffer {
    /// Fills a buffer of results with what no pair gives.
    fn clear<F: Record<Lane = f64>>(&mut self) -> Result<(), Error> {
        let nothing = match self.precision {
            Precision::Single => columns::<u32>(&pack::pack::<F, f32>(&[F::default()]), self.n),
            Precision::Double => columns::<u64>(&pack::pack::<F, f64>(&[F::default()]), self.n),
        };
        match nothing {
            None => self.memory.zero(),
            Some(bytes) => self.memory.write(&bytes),
        }
    }

    /// Refuses a buffer of another machine or precision.
    fn check(
        &self,
        what: &'static str,
        machine: &dyn Machine,
        precision: Precision,
    ) -> Result<(), Error> {
        let name = |machine: &dyn Machine, precision| {
            format!("{} in {precision} precision", machine.describe())
        };
        let (found, expected) = (name(&*self.machine, self.precision), name(machine, precision));
        if found == expected { Ok(()) } else { Err(Error::ForeignBuffer { what, found, expected }) }
    }
}

impl<X: Interaction> CudaAllPairs<X> {
    pub(crate) fn new(
        machine: &Arc<dyn Machine>,
        cache: &Cache,
        interaction: X,
        options: Options,
    ) -> Result<Self, Error> {
        let program = Program::new::<X>(options)?;
        let (module, build) = machine.build(&program, cache)?;
        let (machine, cache) = (machine.clone(), cache.clone());
        Ok(Self { interaction, program, machine, cache, module, build, scratch: None })
    }

    /// The interaction, with its parameters.
    pub fn interaction(&self) -> &X {
        &self.interaction
    }

    /// Changes the parameters; the program stays.
    pub fn set_interaction(&mut self, interaction: X) {
        self.interaction = interaction;
    }

    /// Changes the space that the particles are in. The lengths of a box change at no cost;
    /// another program is taken only where a box comes or goes.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        let options = Options { domain, ..self.options() };
        if domain.is_periodic() == self.options().domain.is_periodic() {
            self.program.options = options;
        } else {
            let program = Program::new::<X>(options)?;
            (self.module, self.build) = self.machine.build(&program, &self.cache)?;
            self.program = program;
        }
        Ok(())
    }

    /// How it computes.
    pub fn options(&self) -> Options {
        self.program.options
    }

    /// The CUDA program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How the program came to be ready to run.
    pub fn build(&self) -> &Build {
        &self.build
    }

    fn accumulators(&self) -> Precision {
        match self.options().accumulation {
            Accumulation::BlockedF64 => Precision::Double,
            Accumulation::Direct | Accumulation::Blocked => self.options().precision,
        }
    }

    fn buffer(&self, n: usize, dim: usize, precision: Precision) -> Result<Buffer, Error> {
        let memory = self.allocate(&[n, dim, bytes_of(precision)])?;
        Ok(Buffer { memory, n, precision, machine: self.machine.clone() })
    }

    fn allocate(&self, sizes: &[usize]) -> Result<Box<dyn Memory>, Error> {
        let bytes = sizes.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
        match bytes {
            Some(bytes) => self.machine.allocate(bytes),
            None => Err(Error::OutOfMemory { bytes: usize::MAX, device: self.machine.describe() }),
        }
    }

    fn check(&self, i: &Buffer, j: &Buffer, out: &Buffer, one_set: bool) -> Result<(), Error> {
        nbody_core::Error::check_length("results", out.n, i.n)?;
        if one_set {
            nbody_core::Error::check_length("j-particles of one set", j.n, i.n)?;
        }
        for (what, found) in [("i-particles", i.n), ("j-particles", j.n)] {
            if found > LIMIT {
                return Err(Error::TooManyParticles { what, found, limit: LIMIT });
            }
        }
        let (machine, precision) = (&*self.machine, self.options().precision);
        i.check("i-particles", machine, precision)?;
        j.check("j-particles", machine, precision)?;
        out.check("results", machine, self.accumulators())
    }

    fn run(
        &mut self,
        i: &Buffer,
        j: &Buffer,
        out: &mut Buffer,
        one_set: bool,
    ) -> Result<(), Error> {
        self.check(i, j, out, one_set)?;
        if i.n == 0 || j.n == 0 {
            return out.clear::<X::F>();
        }
        let plan = self.plan(i.n, j.n)?;
        let (parameters, space) = (self.parameters(), self.space());
        let (ni, nj) = (i.n as u32, j.n as u32);
        let launch = |sums| Launch::AllPairs {
            parameters: &parameters,
            space: &space,
            i: &*i.memory,
            ni,
            j: &*j.memory,
            nj,
            tiles: plan.tiles,
            splits: plan.splits,
            bags_per_split: plan.bags_per_split,
            one_set,
            sums,
        };
        if plan.splits == 1 {
            return self.module.launch(&launch(&*out.memory));
        }
        let n = out.n * <X::F as Record>::DIM;
        self.reserve(n, plan.splits as usize)?;
        let Some((_, sums)) = &self.scratch else { return Ok(()) };
        self.module.launch(&launch(&**sums))?;
        let splits = plan.splits;
        self.module.launch(&Launch::MergeSplits { sums: &**sums, ni, splits, out: &*out.memory })
    }

    /// How to cut the work: `splits` parts of the j-particles for each tile of i-particles.
    fn plan(&self, ni: usize, nj: usize) -> Result<Plan, Error> {
        let choices = self.program.choices;
        let tiles = ni.div_ceil(choices.tile());
        let tiling = self.options().tiling.unwrap_or_else(|| {
            let splits = (self.machine.blocks_to_fill() / tiles).max(1);
            Tiling { bag: choices.bag, splits }
        });
        let bags_per_split = tiling.bags_per_split(nj);
        let splits = nj.div_ceil(choices.bag).div_ceil(bags_per_split);
        let blocks = tiles.saturating_mul(splits);
        if blocks > LIMIT {
            let what = "blocks (tiles of i-particles times splits)";
            return Err(Error::TooManyParticles { what, found: blocks, limit: LIMIT });
        }
        Ok(Plan {
            tiles: tiles as u32,
            splits: splits as u32,
            bags_per_split: bags_per_split as u32,
        })
    }

    /// Makes room for the sums of the splits.
    fn reserve(&mut self, n: usize, splits: usize) -> Result<(), Error> {
        let needed = n.saturating_mul(splits);
        if self.scratch.as_ref().is_none_or(|(found, _)| *found < needed) {
            // What is there goes first, so that both need not fit at once.
            self.scratch = None;
            let memory = self.allocate(&[n, splits, bytes_of(self.accumulators())])?;
            self.scratch = Some((needed, memory));
        }
        Ok(())
    }

    /// The parameters as they lie in the program's `Parameters`.
    fn parameters(&self) -> Vec<u64> {
        words(&match self.options().precision {
            Precision::Single => bytes::<X, f32>(&[self.interaction]),
            Precision::Double => bytes::<X, f64>(&[self.interaction]),
        })
    }

    /// The space as the kernel takes it.
    fn space(&self) -> Vec<u64> {
        let factors = self.options().domain.factors();
        words(&match self.options().precision {
            Precision::Single => bytemuck::cast_slice(&factors.map(|x| x as f32)).to_vec(),
            Precision::Double => bytemuck::cast_slice(&factors).to_vec(),
        })
    }
}

struct Plan {
    tiles: u32,
    splits: u32,
    bags_per_split: u32,
}

fn bytes_of(precision: Precision) -> usize {
    match precision {
        Precision::Single => 4,
        Precision::Double => 8,
    }
}

/// Bytes as they lie in memory, the last word filled up with zeros.
fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

/// The words of one record, each `n` times, as bytes; `None` if they are all zero.
fn columns<W: bytemuck::Pod + PartialEq>(words: &[W], n: usize) -> Option<Vec<u8>> {
    let zero = words.iter().all(|word| *word == W::zeroed());
    (!zero).then(|| {
        let words = words.iter().flat_map(|word| std::iter::repeat_n(*word, n));
        bytemuck::cast_slice(&words.collect::<Vec<W>>()).to_vec()
    })
}

/// The records as they lie in device memory.
fn bytes<P, S>(records: &[P]) -> Vec<u8>
where
    P: Record,
    P::Lane: Scalar,
    S: Scalar,
{
    bytemuck::cast_slice(&pack::pack::<P, S>(records)).to_vec()
}

impl<X: Interaction> Engine<X> for CudaAllPairs<X> {
    type Error = Error;
    type Particles<P: Record<Lane = f64>> = CudaParticles<P>;
    type Fields = CudaFields<X::F>;

    fn upload<P>(&self, particles: &[P]) -> Result<CudaParticles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        let precision = self.options().precision;
        let bytes = match precision {
            Precision::Single => bytes::<P, f32>(particles),
            Precision::Double => bytes::<P, f64>(particles),
        };
        let mut buffer = self.buffer(particles.len(), P::DIM, precision)?;
        buffer.memory.write(&bytes)?;
        Ok(CudaParticles { buffer, record: PhantomData })
    }

    fn fields(&self, n: usize) -> Result<CudaFields<X::F>, Error> {
        let mut buffer = self.buffer(n, <X::F as Record>::DIM, self.accumulators())?;
        buffer.clear::<X::F>()?;
        Ok(CudaFields { buffer, record: PhantomData })
    }

    fn evaluate_into(
        &mut self,
        i: &CudaParticles<X::I>,
        j: &CudaParticles<X::J>,
        out: &mut CudaFields<X::F>,
    ) -> Result<(), Error> {
        self.run(&i.buffer, &j.buffer, &mut out.buffer, false)
    }

    fn evaluate_self_into(
        &mut self,
        i: &CudaParticles<X::I>,
        j: &CudaParticles<X::J>,
        out: &mut CudaFields<X::F>,
    ) -> Result<(), Error> {
        self.run(&i.buffer, &j.buffer, &mut out.buffer, true)
    }

    fn download<S: Scalar>(
        &self,
        fields: &CudaFields<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        let Buffer { memory, n, precision, .. } = &fields.buffer;
        let bytes = memory.read()?;
        Ok(match precision {
            Precision::Single => {
                let words: Vec<u32> = bytemuck::allocation::pod_collect_to_vec(&bytes);
                pack::unpack_columns::<_, f32>(&words, *n)
            }
            Precision::Double => {
                let words: Vec<u64> = bytemuck::allocation::pod_collect_to_vec(&bytes);
                pack::unpack_columns::<_, f64>(&words, *n)
            }
        })
    }

    fn time(
        &mut self,
        i: &CudaParticles<X::I>,
        j: &CudaParticles<X::J>,
        out: &mut CudaFields<X::F>,
    ) -> Result<Duration, Error> {
        let machine = self.machine.clone();
        machine.time(&mut || self.run(&i.buffer, &j.buffer, &mut out.buffer, false))
    }
}
