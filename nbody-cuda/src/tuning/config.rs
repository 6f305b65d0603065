//! What programs are compiled for: schemes, tiles, bags and registers.

use nbody_core::pack::dim;
use nbody_core::{Accumulation, Law, Options, Precision, SummationOrder};

use crate::Error;
use crate::engine::buffer::{bytes_of, numbers_of};

/// Shared memory that every GPU grants a block without asking, in bytes.
const SHARED_MEMORY: usize = 48 * 1024;
/// Of a multiprocessor, what each block takes besides.
const RESERVED: usize = 1024;
/// Threads of a block.
const BLOCK: usize = 128;
/// 32-bit registers that a thread may keep of i-particles and accumulators, in an interaction
/// without branches; with branches or functions, whose latency takes many warps to hide; and in
/// the symmetric schedule, whose backup accumulators are in memory.
const KEPT: usize = 64;
const KEPT_BRANCHING: usize = 40;
const KEPT_DOUBLE: usize = 100;
const KEPT_SYMMETRIC: usize = 98;
/// Registers of a multiprocessor, and the fewest of a thread besides what it keeps of particles.
pub(crate) const REGISTERS: usize = 65536;
const FEWEST_OTHER_REGISTERS: usize = 24;
/// j-particles in shared memory at a time, in the symmetric schedule: `GROUP` of `symmetric.cuh`.
pub(crate) const GROUP: usize = 64;

/// Operations of a pair that is short.
const SHORT: u32 = 24;
/// j-particles that a word has a bit for each of: `WORD` of `force_loop.cuh`.
pub(crate) const WORD: usize = 32;
/// Bytes of a `Note` there.
const NOTE: usize = 8;
/// What shared memory is aligned to, in bytes.
const ALIGNED: usize = 16;

/// How a program goes through the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// Every ordered pair by itself: `all_pairs.cuh`.
    Ordered,
    /// Both directions of a pair at once, by Newton's third law: `symmetric.cuh`.
    Symmetric,
}

impl Schedule {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Symmetric => "symmetric",
        }
    }
}

/// What a program is compiled for. None of it changes results, but for the bag, which is part of
/// the order of summation ([`SummationOrder`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct KernelConfig {
    /// How it goes through the pairs.
    pub schedule: Schedule,
    /// Threads of a block.
    pub block: usize,
    /// i-particles of a thread.
    pub i_per_thread: usize,
    /// j-particles of a bag.
    pub bag: usize,
    /// j-particles of one turn of the FORCE-LOOP.
    pub unroll: usize,
    /// Blocks that a multiprocessor must have registers for; 0 leaves it to the compiler.
    pub resident: usize,
}

impl KernelConfig {
    /// What suits many particles, and needs the fewest instructions for a pair.
    pub fn widest(law: &Law, options: Options) -> Result<Self, Error> {
        let kept = Registers::of(law, options).blocked;
        let most = match options.precision {
            Precision::Double => KEPT_DOUBLE,
            _ if branches(law) => KEPT_BRANCHING,
            _ => KEPT,
        };
        let fits = |&n: &usize| n * kept <= most && bag(law, options, n).is_ok();
        Self::all_pairs(law, options, [4, 2].into_iter().find(fits).unwrap_or(1))
    }

    /// What suits some number of particles, the widest first.
    pub fn candidates(law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        let widest = Self::widest(law, options)?;
        let fewer = [2, 1].into_iter().filter(|&n| n < widest.i_per_thread);
        let fewer = fewer.map(|n| Self::all_pairs(law, options, n));
        std::iter::once(Ok(widest)).chain(fewer).collect()
    }

    /// Every ordered pair, with this many i-particles for a thread.
    fn all_pairs(law: &Law, options: Options, i_per_thread: usize) -> Result<Self, Error> {
        let kept = i_per_thread * Registers::of(law, options).blocked;
        // What the pairs that are computed at a time need besides.
        let (other, most) = match options.precision {
            Precision::Double if i_per_thread > 2 => (88, 6),
            Precision::Double => (40 + 16 * i_per_thread, 6),
            _ if law.cutoff => (40 + 4 * i_per_thread, 6),
            _ if branches(law) => (32 + 4 * i_per_thread, 7),
            _ if i_per_thread > 2 => (80, 6),
            _ => (14 * i_per_thread, 6),
        };
        Ok(Self {
            schedule: Schedule::Ordered,
            block: BLOCK,
            i_per_thread,
            bag: bag(law, options, i_per_thread)?,
            unroll: if i_per_thread == 1 || is_short(law, options) { 8 } else { 4 },
            resident: resident(kept + other, most),
        })
    }

    /// Both directions of a pair at once; `None` where parity does not allow it, the sums are
    /// compensated, or the accumulators do not fit.
    pub fn symmetric(law: &Law, options: Options) -> Option<Self> {
        law.third_law?;
        if options.accumulation == Accumulation::Compensated {
            return None;
        }
        let registers = Registers::of(law, options).direct;
        let other = if options.precision == Precision::Double { 100 } else { 60 };
        let felt = BLOCK / 32 * GROUP * dim(law.f);
        let numbers = felt + numbers_of(law.parameters, options.precision);
        let shared = numbers * bytes_of(options.precision) + 2 * GROUP * slot(law, options);
        if registers > KEPT_SYMMETRIC || shared > SHARED_MEMORY {
            return None;
        }
        let most = if branches(law) { 4 } else { 12 };
        let i_per_thread = (KEPT_SYMMETRIC / registers).min(most);
        Some(Self {
            schedule: Schedule::Symmetric,
            block: BLOCK,
            i_per_thread,
            bag: SummationOrder::default().bag,
            unroll: 1,
            resident: resident(i_per_thread * registers + other, 6),
        })
    }

    /// The same with more registers for a thread, or then with fewer i-particles, where there may be
    /// fewer: what an engine takes where a compiler would keep numbers in local memory otherwise.
    pub fn narrower(&self, law: &Law, options: Options) -> Option<Self> {
        let n = self.i_per_thread;
        match self.schedule {
            Schedule::Ordered => {
                let usual = Self::all_pairs(law, options, n).ok()?;
                if self.resident == usual.resident && self.resident > 2 {
                    return Some(Self { resident: self.resident - 1, ..*self });
                }
                if n > 1 { Self::all_pairs(law, options, n / 2).ok() } else { None }
            }
            Schedule::Symmetric if n > 1 => Some(Self { i_per_thread: 2 * n / 3, ..*self }),
            Schedule::Symmetric => None,
        }
    }

    /// The same with a bag no larger than usual, where a multiprocessor of so many bytes of shared
    /// memory would have room for fewer blocks.
    pub(crate) fn beside_others(self, law: &Law, options: Options, available: usize) -> Self {
        let block = |bag| shared_memory(law, options, bag, self.tile()) + RESERVED;
        let mut bag = self.bag;
        while options.order.is_none()
            && bag > SummationOrder::default().bag
            && self.resident * block(bag) > available
        {
            bag /= 2;
        }
        Self { bag, ..self }
    }

    /// 32-bit registers that a thread keeps of particles and accumulators.
    pub(crate) fn kept(&self, law: &Law, options: Options) -> usize {
        let Registers { blocked, direct } = Registers::of(law, options);
        self.i_per_thread * if self.schedule == Schedule::Symmetric { direct } else { blocked }
    }

    /// What may be worth measuring.
    pub(crate) fn trials(law: &Law, options: Options) -> Vec<Self> {
        let ordered = [1, 2, 3, 4, 6, 8].into_iter();
        let ordered = ordered.filter_map(|n| Self::all_pairs(law, options, n).ok());
        let symmetric = Self::symmetric(law, options).into_iter().flat_map(|config| {
            let most = 2 * config.i_per_thread;
            [4, 6, 7, 8, 10, 12, 14]
                .into_iter()
                .filter(move |&n| n <= most)
                .map(move |i_per_thread| Self { i_per_thread, ..config })
        });
        let resident = |config: Self| {
            let needed = config.kept(law, options) + FEWEST_OTHER_REGISTERS;
            let most = REGISTERS / (config.block * needed);
            let fitting = move |&resident: &usize| resident <= most && resident + 3 >= most.min(8);
            let each = move |resident| Self { resident, ..config };
            [0, 2, 3, 4, 5, 6, 8].into_iter().filter(fitting).map(each)
        };
        ordered.chain(symmetric).flat_map(resident).collect()
    }

    /// Refuses config that no kernel can be compiled for.
    pub(crate) fn check(&self, law: &Law, options: Options) -> Result<(), Error> {
        let Self { schedule, block, i_per_thread, bag, unroll, resident } = *self;
        let refusal = Err(Error::ImpossibleKernelConfig(*self));
        let whole = block.is_multiple_of(32) && block <= 1024;
        let bounded = i_per_thread <= 64 && unroll <= 256 && resident <= 32;
        // What is told of a tile below is told of numbers of a few digits.
        if !whole || !bounded || [block, i_per_thread, bag, unroll].contains(&0) {
            return refusal;
        }
        let possible = match schedule {
            Schedule::Ordered => options.order.is_none_or(|order| order.bag == bag),
            Schedule::Symmetric => {
                options.order.is_none()
                    && Self::symmetric(law, options).is_some()
                    && block >= GROUP
                    && bag.is_multiple_of(GROUP)
                    && self.tile().is_multiple_of(GROUP)
            }
        };
        let fits = match schedule {
            Schedule::Ordered => shared_memory(law, options, bag, self.tile()) <= SHARED_MEMORY,
            // A bag is only how often sums are folded.
            Schedule::Symmetric => true,
        };
        if possible && fits { Ok(()) } else { refusal }
    }

    /// i-particles of a block.
    pub fn tile(&self) -> usize {
        self.block.saturating_mul(self.i_per_thread)
    }
}

/// 32-bit registers that a thread keeps for each of its i-particles.
struct Registers {
    /// With the backup accumulators.
    blocked: usize,
    /// Without.
    direct: usize,
}

impl Registers {
    fn of(law: &Law, options: Options) -> Self {
        let [words, backup] = [options.precision, options.backup()].map(|it| bytes_of(it) / 4);
        let (i, f) = (numbers_of(law.i, options.precision), dim(law.f));
        let direct = (i + f) * words;
        // Compensated sums need the backup accumulators only when they end.
        let beside = if options.accumulation == Accumulation::Compensated { words } else { backup };
        Self { blocked: direct + f * beside, direct }
    }
}

/// Whether the pairs of a warp may go different ways, or wait for functions.
fn branches(law: &Law) -> bool {
    law.operations.compare > 0 || law.operations.special > 0
}

/// Whether a pair is so short that the loop around several of them counts.
fn is_short(law: &Law, options: Options) -> bool {
    options.precision != Precision::Double && !branches(law) && law.operations.flops() <= SHORT
}

/// How many blocks a multiprocessor has so many registers of a thread for, up to `most`.
fn resident(registers: usize, most: usize) -> usize {
    (REGISTERS / (BLOCK * registers)).clamp(2, most)
}

/// Bytes of a j-particle in a bag.
fn slot(law: &Law, options: Options) -> usize {
    (numbers_of(law.j, options.precision) * bytes_of(options.precision))
        .next_multiple_of(16)
        .max(16)
}

/// Bytes of shared memory of a block for ordered pairs: the parameters, the bag, with a cutoff the
/// notes, one for each word of the bag with an i-particle and one behind them, and whether the block
/// is the last.
fn shared_memory(law: &Law, options: Options, bag: usize, tile: usize) -> usize {
    let parameters = numbers_of(law.parameters, options.precision) * bytes_of(options.precision);
    let other = parameters.next_multiple_of(ALIGNED) + ALIGNED;
    if !law.cutoff {
        return bag.saturating_mul(slot(law, options)).saturating_add(other);
    }
    let words = bag.div_ceil(WORD);
    let notes = words.saturating_add(1).saturating_mul(tile.saturating_mul(NOTE));
    let bag = words.saturating_mul(WORD * slot(law, options));
    bag.saturating_add(notes).saturating_add(other)
}

/// The bag that was asked for; or the default, half of it where there are few particles, else twice
/// where each thread goes through its own notes (the more there are of them, the less their numbers
/// differ), or the largest power of two that fits.
fn bag(law: &Law, options: Options, i_per_thread: usize) -> Result<usize, Error> {
    let default = SummationOrder::default().bag;
    let mut bag = match options.order {
        Some(order) => order.bag,
        None if i_per_thread == 1 => default / 2,
        None if law.cutoff => 2 * default,
        None => default,
    };
    let needed = |bag| shared_memory(law, options, bag, BLOCK * i_per_thread);
    while options.order.is_none() && bag > 1 && needed(bag) > SHARED_MEMORY {
        bag /= 2;
    }
    if needed(bag) <= SHARED_MEMORY {
        return Ok(bag);
    }
    Err(Error::KernelDoesNotFit {
        what: "bytes of shared memory",
        needed: needed(bag),
        available: SHARED_MEMORY,
        hint: "use a smaller bag (SummationOrder) or smaller j-particles",
    })
}
