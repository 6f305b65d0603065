//! Devices over ranks that are threads, on every device. `nbody-mpi` tests ranks that are
//! processes.

/// Passes the operations of a communicator but the exchange on to the communicator `all`.
macro_rules! passes_on {
    () => {
        fn rank(&self) -> usize {
            self.all.rank()
        }

        fn size(&self) -> usize {
            self.all.size()
        }

        fn on_host(&self) -> nbody::untyped::OnHost {
            self.all.on_host()
        }

        fn gather(&self, mine: &[u8], sizes: &[usize], all: &mut [u8]) -> Result<(), nbody::Error> {
            self.all.gather(mine, sizes, all)
        }
    };
}

mod addresses;
mod faults;
mod integrators;
mod liquid;
mod lists;
mod pairs;
mod parts;
mod population;
mod trees;
mod tuples;

use std::sync::Arc;

use nbody::prelude::*;
use nbody_mpi::{Communicator, Ranks};

/// Numbers of ranks.
const RANKS: [usize; 5] = [1, 2, 3, 4, 7];

/// Returns the device over ranks, which share out every evaluation.
fn over(communicator: Arc<dyn Communicator>, device: &Device) -> Device {
    ranks(communicator, device).device()
}

/// Returns the device over ranks, which share out every evaluation, and distribute the particles of
/// trees.
fn distributed(communicator: Arc<dyn Communicator>, device: &Device) -> Device {
    ranks(communicator, device).distribute_trees().device()
}

fn ranks(communicator: Arc<dyn Communicator>, device: &Device) -> Ranks {
    let device = of_rank(device, communicator.rank());
    Ranks::new(communicator, &device).unwrap().share_from(0)
}

/// Returns the device of a rank; ranks take turns with the GPUs of the host. Where each has its own
/// one, NCCL passes their results, else the host.
fn of_rank(device: &Device, rank: usize) -> Device {
    if device.properties().is_none() {
        return device.clone();
    }
    let gpu = Device::cuda(rank % Device::cuda_count().unwrap()).unwrap();
    gpu.with_cache_dir(nbody_tests::kernels())
}
