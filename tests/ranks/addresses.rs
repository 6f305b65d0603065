//! Memory of devices that passes between ranks by its address, as GPU-aware MPI passes it.
#![allow(unsafe_code, reason = "a message is addresses")]

use std::fmt::Debug;
use std::ptr;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nbody::untyped::{Message, PassMemory};
use nbody::{Error, Opening, Tree};
use nbody_integrate::{BlockHermite, HermiteOptions, Integrator as _, Leapfrog};
use nbody_interactions::gravity::Gravity;
use nbody_mpi::{Communicator, Ranks, threads};

use super::integrators::{EPS2, law, motions, options};
use super::{distributed, over};

/// A communicator that takes addresses, and counts the messages.
#[derive(Debug)]
struct ByAddress {
    all: Arc<dyn Communicator>,
    count: AtomicUsize,
}

impl ByAddress {
    fn of(all: Arc<dyn Communicator>) -> Arc<Self> {
        Arc::new(Self { all, count: AtomicUsize::new(0) })
    }
}

impl Communicator for ByAddress {
    passes_on!();

    fn exchange(&self, sent: &[&[u8]], sizes: &[usize]) -> Result<Vec<u8>, Error> {
        self.all.exchange(sent, sizes)
    }

    fn memory(&self) -> Option<&dyn PassMemory> {
        Some(self)
    }
}

impl PassMemory for ByAddress {
    fn takes_devices(&self) -> bool {
        false
    }

    fn pass(&self, messages: &[Message]) -> Result<(), Error> {
        self.count.fetch_add(messages.len(), Ordering::Relaxed);
        let mut sent = vec![&[][..]; self.size()];
        let mut rooms = vec![0..0; self.size()];
        for message in messages {
            let bytes = message.sent();
            if !bytes.is_empty() {
                let count = (bytes.end - bytes.start) as usize;
                // SAFETY: as the message promises.
                sent[message.rank()] =
                    unsafe { slice::from_raw_parts(bytes.start as *const u8, count) };
            }
            rooms[message.rank()] = message.received();
        }
        let sizes: Vec<_> = rooms.iter().map(|room| (room.end - room.start) as usize).collect();
        let mut rest = &self.all.exchange(&sent, &sizes)?[..];
        for (room, size) in rooms.iter().zip(sizes) {
            let (bytes, others) = rest.split_at(size);
            // SAFETY: as the message promises.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), room.start as *mut u8, size) };
            rest = others;
        }
        Ok(())
    }
}

/// Compares the outcome of ranks by addresses with the outcome by messages.
fn compare<T: Debug + PartialEq + Send>(run: impl Fn(Arc<dyn Communicator>) -> T + Sync) {
    let expected = threads(3, &run);
    let found = threads(3, |all| {
        let by_address = ByAddress::of(all);
        let found = run(by_address.clone());
        assert!(by_address.count.load(Ordering::Relaxed) > 0);
        found
    });
    assert_eq!(found, expected);
}

/// Results and particles arrive as by messages of the host. The ranks pass messages if one of them has
/// a communicator that takes no addresses.
#[test]
fn passed_memory_gives_the_bits_of_messages() {
    const STEP: f64 = 1.0 / 256.0;
    let emulator = nbody_tests::emulator();
    let all_particles = |all: Arc<dyn Communicator>| {
        let law = law(&over(all, &emulator));
        let mut run = BlockHermite::new(law, &motions(70), HermiteOptions::default()).unwrap();
        run.advance_to(STEP).unwrap();
        run.checkpoint().unwrap()
    };
    // Particles move to the ranks of their regions.
    let own_particles = |all: Arc<dyn Communicator>| {
        let (device, law) = (distributed(all, &emulator), Gravity { eps2: EPS2 });
        let tree = Tree::with_options(&device, law, Opening::theta(0.6), options()).unwrap();
        let mut run = Leapfrog::new(tree, &motions(400), STEP).unwrap();
        run.advance_to(40.0 * STEP).unwrap();
        run.checkpoint().unwrap()
    };
    compare(all_particles);
    compare(own_particles);
    let way = |all: Arc<dyn Communicator>| Ranks::new(all, &emulator).unwrap().way();
    assert_eq!(threads(2, |all| way(ByAddress::of(all))), ["GPU-aware MPI"; 2]);
    let mixed = threads(2, |all| if all.rank() == 0 { way(ByAddress::of(all)) } else { way(all) });
    assert_eq!(mixed, ["staging"; 2]);
}
