//! The ranks of a command: processes that `mpirun` has started, threads with a GPU each, or one
//! process alone.

use std::error::Error;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use nbody::{Device, DeviceName};
use nbody_mpi::{Communicator, Error as RankError, Launcher, Mpi, Ranks, threads};

use crate::numbers::RANKS;
use crate::wrong::Wrong;
use crate::{Outcome, message};

/// A rank of a command.
#[derive(Clone, Debug)]
pub struct Rank {
    communicator: Option<Arc<dyn Communicator>>,
    /// Whether each rank has the GPU of its number.
    has_gpu: bool,
    distributes_trees: bool,
}

/// Returns whether this is one of several processes of `mpirun`.
pub fn is_launched() -> bool {
    Launcher::find().is_some_and(|launcher| launcher.size != Some(1))
}

/// Runs a command as this process, as each process of `mpirun`, or as a thread for each of the
/// first `gpus` GPUs. Ranks distribute the particles of trees, or each has all.
pub fn run(
    gpus: Option<NonZeroUsize>,
    distributes_trees: bool,
    command: impl Fn(&Rank) -> Outcome + Sync,
) -> Outcome {
    let rank = Rank { communicator: None, has_gpu: false, distributes_trees };
    if let Some(gpus) = gpus.filter(|gpus| gpus.get() as u64 > RANKS) {
        return Err(
            Wrong(format!("--gpus is {gpus}, expected a whole number from 1 to {RANKS}")).into()
        );
    }
    match (is_launched(), gpus) {
        (true, Some(_)) => {
            Err("--gpus is for one process; leave it out under mpirun, where each takes a GPU"
                .into())
        }
        (true, None) => run_mpi(&rank, command),
        (false, Some(gpus)) => run_threads(&rank, gpus.get(), command),
        (false, None) => command(&rank),
    }
}

/// Runs a command as a process of `mpirun`. A failure ends all processes.
fn run_mpi(rank: &Rank, command: impl Fn(&Rank) -> Outcome) -> Outcome {
    let mpi = Arc::new(Mpi::start()?);
    let rank = Rank { communicator: Some(mpi.clone()), ..rank.clone() };
    match command(&rank) {
        Ok(code) => {
            mpi.finish()?;
            Ok(code)
        }
        Err(error) => {
            message::print(format_args!("error: rank {}: {error}", mpi.rank()));
            mpi.abort(1);
            Err(error)
        }
    }
}

/// Runs a command as threads, and returns what the first rank returns.
fn run_threads(rank: &Rank, size: usize, command: impl Fn(&Rank) -> Outcome + Sync) -> Outcome {
    Ok(of_threads(rank, size, command)?.into_iter().next().unwrap_or(ExitCode::SUCCESS))
}

/// Returns what each of `size` ranks measures: threads with a device each; one rank is its device
/// without ranks.
pub fn each<T: Send>(
    size: usize,
    distributes_trees: bool,
    measure: impl Fn(&Rank) -> Result<T, Box<dyn Error>> + Sync,
) -> Result<Vec<T>, Box<dyn Error>> {
    let rank = Rank { communicator: None, has_gpu: false, distributes_trees };
    if size == 1 {
        return Ok(vec![measure(&rank)?]);
    }
    of_threads(&rank, size, measure)
}

/// Runs a function as threads. Returns the error of the rank that failed first, not the errors of
/// ranks that have waited for it.
fn of_threads<T: Send>(
    rank: &Rank,
    size: usize,
    command: impl Fn(&Rank) -> Result<T, Box<dyn Error>> + Sync,
) -> Result<Vec<T>, Box<dyn Error>> {
    let ended = threads(size, |communicator| {
        let rank = Rank { communicator: Some(communicator), has_gpu: true, ..rank.clone() };
        command(&rank).map_err(|error| (has_waited(&*error), error.to_string()))
    });
    let (mut all, mut failed) = (Vec::new(), None::<(bool, String)>);
    for done in ended {
        match done {
            Ok(done) => all.push(done),
            Err(error) if failed.as_ref().is_none_or(|(waited, _)| *waited && !error.0) => {
                failed = Some(error);
            }
            Err(_) => {}
        }
    }
    failed.map_or(Ok(all), |(_, message)| Err(message.into()))
}

/// Returns whether an error is about another rank that has ended.
fn has_waited(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let of_ranks = error.downcast_ref::<nbody::Error>().and_then(nbody::Error::device);
        if matches!(of_ranks, Some(RankError::RankEnded { .. } | RankError::OtherRank { .. })) {
            return true;
        }
        next = error.source();
    }
    false
}

impl Rank {
    /// Returns whether this rank writes files and messages.
    pub fn is_first(&self) -> bool {
        self.communicator.as_ref().is_none_or(|all| all.rank() == 0)
    }

    /// Returns whether this rank has a device of its own: under `mpirun`, and with `--gpus`.
    pub fn has_device(&self) -> bool {
        self.communicator.is_some()
    }

    /// Returns whether there are other ranks.
    pub fn has_others(&self) -> bool {
        self.communicator.as_ref().is_some_and(|all| all.size() > 1)
    }

    /// Opens the device of this rank, and connects it with the others.
    pub fn open(&self, name: Option<DeviceName>) -> Result<Device, nbody::Error> {
        match &self.communicator {
            Some(all) => Ok(self.connect(all, name)?.device()),
            None => name.map_or_else(|| Ok(Device::best()), DeviceName::open),
        }
    }

    /// Opens the device as [`open`](Self::open) does, for ranks that share out even the smallest
    /// evaluation.
    pub fn open_sharing(&self, name: Option<DeviceName>) -> Result<Device, nbody::Error> {
        match &self.communicator {
            Some(all) => Ok(self.connect(all, name)?.share_from(0).device()),
            None => self.open(name),
        }
    }

    fn connect(
        &self,
        all: &Arc<dyn Communicator>,
        name: Option<DeviceName>,
    ) -> Result<Ranks, nbody::Error> {
        let device = match name {
            None if self.has_gpu => Device::cuda(all.rank()),
            None | Some(DeviceName::Best) => Ok(Device::best_of(all.on_host().rank)),
            Some(name) => name.open(),
        };
        let ranks = Ranks::of_opened(all.clone(), device)?;
        Ok(if self.distributes_trees { ranks.distribute_trees() } else { ranks })
    }

    /// Returns what the first rank reads or makes, as bytes.
    pub fn of_first(
        &self,
        make: impl FnOnce() -> Result<Vec<u8>, Box<dyn Error>>,
    ) -> Result<Vec<u8>, Box<dyn Error>> {
        let mine = if self.is_first() { make()? } else { Vec::new() };
        match &self.communicator {
            Some(all) if all.size() > 1 => Ok(all.gather_all(&mine)?.swap_remove(0)),
            _ => Ok(mine),
        }
    }

    /// Returns whether any rank says yes to each of two questions, and the longest of their times.
    pub fn ask(
        &self,
        says: [bool; 2],
        time: Duration,
    ) -> Result<([bool; 2], Duration), nbody::Error> {
        let Some(all) = &self.communicator else { return Ok((says, time)) };
        let [first, second] = says.map(u64::from);
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let answers = all.gather_equal(&(time << 2 | second << 1 | first).to_le_bytes())?;
        let answers = answers.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let (any, slowest) = answers
            .fold((0, 0), |(any, slowest), answer| (any | answer & 3, slowest.max(answer >> 2)));
        Ok(([any & 1 != 0, any & 2 != 0], Duration::from_nanos(slowest)))
    }
}
