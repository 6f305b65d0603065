use std::sync::atomic::Ordering;

use nbody_core::untyped::{Buffer as _, OnHost, OwnedRows, Parts as _};
use nbody_core::{Field, FieldKind, Precision};

use super::*;
use crate::backend::Buffer;
use crate::backend::another::Another;
use crate::backend::emulator::Emulator;
use crate::engine::parts::CudaParts;

const FIELDS: &[Field] = &[Field { name: "number", kind: FieldKind::U32 }];

/// The first of two ranks; it receives zeros.
#[derive(Debug)]
struct Zeros;

impl Communicator for Zeros {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        2
    }

    fn on_host(&self) -> OnHost {
        OnHost { rank: 0, size: 1 }
    }

    fn gather(&self, mine: &[u8], _: &[usize], all: &mut [u8]) -> Result<(), CoreError> {
        all[..mine.len()].copy_from_slice(mine);
        Ok(())
    }

    fn exchange(&self, _: &[&[u8]], sizes: &[usize]) -> Result<Vec<u8>, CoreError> {
        Ok(vec![0; sizes.iter().sum()])
    }
}

/// A rank without memory says so before rows move. With the reserved memory they move.
#[test]
fn memory_is_reserved_before_rows_move() {
    let backend = Arc::new(Another::of(Emulator::open().unwrap()));
    let (folder, ranks) = (tempfile::tempdir().unwrap(), Arc::new(Zeros) as Arc<dyn Communicator>);
    let shared: Arc<dyn Backend> = backend.clone();
    let cache = Cache::at(folder.path());
    let numbers = |n: u64| {
        let rows = OwnedRows::new(FIELDS, (1..=n).collect()).unwrap();
        let buffer = Buffer::of_particles(&shared, &rows, Precision::Single).unwrap();
        CudaParticles::of(buffer, FIELDS, &cache)
    };
    let kept = [Kept::First(0), Kept::First(600), Kept::Staying];
    for (kept, expected) in kept.into_iter().zip([701, 1301, 901]) {
        let mut parts = CudaParts::new((&shared, &cache), &ranks, None);
        let mut moves = |sent: u32, received: usize| {
            let own = if kept == Kept::Staying { (0..sent).collect() } else { vec![] };
            let lists = parts.listed(vec![own, (0..sent).collect()]).unwrap();
            Moves { lists, received: vec![0, received] }
        };
        let (few, many) = (moves(1, 1), moves(400, 701));
        let is_full = |is: bool| backend.is_full.store(is, Ordering::Relaxed);
        // The first exchange compiles the kernels.
        let first = if kept == Kept::First(600) { Kept::First(2) } else { kept };
        parts.exchange(None, &mut numbers(2), first, &few).unwrap();

        let mut rows = numbers(600);
        is_full(true);
        let refused = parts.reserve(None, &rows, kept, &many);
        is_full(false);
        assert!(matches!(refused, Err(CoreError::Device { .. })), "{kept:?}: {refused:?}");
        parts.reserve(None, &rows, kept, &many).unwrap();
        is_full(true);
        parts.exchange(None, &mut rows, kept, &many).unwrap();
        is_full(false);
        let mut found = vec![0; expected];
        rows.read(0..expected, &mut |write| write(0..expected, &mut found)).unwrap();
        let zeros = found.iter().filter(|number| **number == 0).count();
        assert_eq!((rows.len(), zeros), (expected, 701), "{kept:?}");
    }
}
