//! Results of i-particles in the order of an engine, which ranks share out.

use std::ffi::CStr;

use nbody_core::untyped;
use nbody_core::{Law, Options};

use super::ScheduleText;
use crate::backend::{Kernel, Launch, Memory, Scratch};
use crate::border::{self, Address, Const, Declared as _, border};
use crate::compile::program::Program;
use crate::config::{KernelConfig, Schedule};
use crate::engine::setup::Setup;
use crate::error::Error;

/// The text of places and rows.
pub(crate) const DEALT: &str = include_str!("dealt.cuh");
/// The text that stores results.
pub(crate) const STORE: &str = include_str!("store.cuh");
const ARRANGE: &CStr = c"arrange_results";
const FIND_PLACES: &CStr = c"find_places";
/// Threads of a block.
const BLOCK: usize = 128;

border! {
    /// Places of an order, dealt to ranks in turn.
    pub struct Dealt {
        pub rank: u32,
        pub ranks: u32,
        /// The places of a hand.
        pub hand: u32,
        /// The rows of each rank.
        pub piece: u32,
    }

    /// The way in which results are stored.
    pub struct Stored {
        /// The lengths of the results; null if they are not wanted.
        pub lengths: Address<f64>,
        /// The number of leading i-particles whose results are wanted.
        pub wanted: u32,
        /// Whether to add the results to earlier results.
        pub adds: u32,
        /// Whether the lengths are the lengths of the sums then.
        pub of_sums: u32,
    }
}

impl Dealt {
    pub fn new(dealt: untyped::Dealt, rank: usize) -> Self {
        let untyped::Dealt { ranks, hand, piece, .. } = dealt;
        let [rank, ranks, hand, piece] = [rank, ranks, hand, piece].map(|it| it as u32);
        Self { rank, ranks, hand, piece }
    }
}

/// Rows of results, and the order of their places.
pub(crate) struct Rows<'a> {
    pub dealt: Dealt,
    pub memory: &'a dyn Memory,
    pub order: Address<Const<u32>>,
    /// The number of places.
    pub n: usize,
}

/// Returns the declarations of dealt places and of the results that are stored.
pub(crate) fn declared(law: &Law) -> String {
    let first = law.f.first().map_or(0, |field| field.kind.components());
    let constants = format!(
        "\
// The length of a result is the length of its first field.
namespace nbody {{

constexpr int FIRST_FIELD = {first}; // numbers

}} // namespace nbody

"
    );
    border::text(&[Dealt::text(), Stored::text()]) + &constants
}

impl Program {
    /// Returns the program that stores the results of ranks in the order of the caller.
    pub fn arrange(law: &Law, options: Options) -> Self {
        let config = KernelConfig {
            schedule: Schedule::Ordered,
            block: BLOCK,
            i_per_thread: 1,
            bag: 1,
            unroll: 1,
            resident: 1,
        };
        let text = ScheduleText {
            title: "results of ranks",
            parts: &[DEALT, STORE, include_str!("arrange.cuh")],
            merging: 0,
            in_order: true,
            kernels: &[ARRANGE, FIND_PLACES],
        };
        Self::assemble(law, options, config, text, &declared(law))
    }
}

/// Stores results of ranks in the order of the caller, by [`Program::arrange`].
#[derive(Debug, Default)]
pub(crate) struct Arranging {
    /// Compiled when first needed.
    kernel: Option<Kernel>,
    /// The place of each index.
    places: Scratch,
}

impl Arranging {
    /// Compiles the kernel and reserves memory, so that nothing is left to fail once the ranks have
    /// agreed on the results.
    pub fn prepare(&mut self, setup: &Setup, wanted: usize) -> Result<(), Error> {
        self.places.reserve(&*setup.backend, &[wanted, size_of::<u32>()], false)?;
        if self.kernel.is_none() {
            let program = Program::arrange(setup.law, setup.options);
            let (module, build) = setup.backend.build(&program, &setup.cache)?;
            self.kernel = Some(Kernel { program, module, build });
        }
        Ok(())
    }

    /// Stores the results of these rows, [prepared](Self::prepare) before; `reads` is the memory of the order and of the lengths.
    pub fn arrange(
        &self,
        rows: &Rows<'_>,
        (out, stored): (&dyn Memory, &Stored),
        reads: &[&dyn Memory],
    ) -> Result<(), Error> {
        let module = &self.kernel.as_ref().expect("prepared").module;
        let (wanted, places) = (stored.wanted as usize, self.places.memory());
        let of_places = Launch::new(FIND_PLACES, rows.n.div_ceil(BLOCK) as u32).value(&rows.order);
        let of_places = reads.iter().copied().fold(of_places, Launch::reads);
        module.launch(of_places.numbers([rows.n as u32, stored.wanted]).pointers([places]))?;
        let launch = Launch::new(ARRANGE, wanted.div_ceil(BLOCK) as u32);
        let launch = launch.value(&rows.dealt).value(stored).pointers([places]);
        let launch = reads.iter().copied().fold(launch, Launch::reads);
        module.launch(launch.pointers([rows.memory, out]))
    }
}
