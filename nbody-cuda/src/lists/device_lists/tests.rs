//! Compares lists that kernels build with the lists of nbody-core.

use std::sync::atomic::Ordering;
use std::time::Duration;

use nbody_core::lists::list::Lists;
use nbody_core::order::frame::Frame;
use nbody_core::order::ordered::Ordered;
use nbody_core::{Domain, Field, FieldKind, Precision, Skin};

use super::download::Downloaded;
use super::update::ENTRIES;
use super::*;
use crate::backend::Buffer;
use crate::backend::another::Another;
use crate::backend::emulator::Emulator;
use crate::backend::gpu;
use crate::lists::extent::ListedSet;

const FIELDS: &[Field] = &[
    Field { name: "kind", kind: FieldKind::U32 },
    Field { name: "pos", kind: FieldKind::Point(3) },
];

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// Uniform; in two densities; in a plane; on few points; with a few particles far away; on one
/// point.
type Distribution = fn([f64; 3], usize) -> [f64; 3];
const DISTRIBUTIONS: [Distribution; 6] = [
    |u, _| u.map(|u| 9.0 * u - 3.0),
    |u, k| u.map(|u| if k % 5 == 0 { u } else { 0.3 + 1e-1 * u }),
    |u, _| [u[0], 0.5, 2.0 * u[2]],
    |u, _| u.map(|u| (2.0 * u).floor()),
    |u, k| u.map(|u| if k % 100 == 7 { 1e6 * (u - 0.5) } else { u }),
    |_, _| [0.25; 3],
];

/// Records with these positions in double precision.
#[derive(Clone, Debug)]
struct Bodies(Vec<[f64; 3]>);

impl nbody_core::pack::Rows for Bodies {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn fields(&self) -> &'static [Field] {
        FIELDS
    }
    fn write(&self, records: std::ops::Range<usize>, rows: &mut [u64]) {
        for (position, row) in self.0[records].iter().zip(rows.chunks_exact_mut(4)) {
            row[0] = 7;
            row[1..].copy_from_slice(&position.map(f64::to_bits));
        }
    }
}

struct Check {
    backend: Arc<dyn Backend>,
    lists: DeviceLists,
}

impl Check {
    fn new(backend: Arc<dyn Backend>) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let lists = match DeviceLists::new(&backend, &Cache::at(folder.path())) {
            Err(Error::NvrtcNotFound(_)) => return None,
            lists => lists.unwrap(),
        };
        Some(Self { backend, lists })
    }

    /// Calls a function with the lists and the particles of some sets.
    fn with<T>(
        &mut self,
        sets: &[Bodies],
        act: impl FnOnce(&mut DeviceLists, [Option<ListedSet>; 2]) -> T,
    ) -> T {
        let binding = nbody_core::pack::Binding::new("test", &FIELDS[1..], FIELDS).unwrap();
        let position = binding.places()[0];
        let buffer = |bodies: &Bodies| {
            Buffer::of_particles(&self.backend, bodies, Precision::Double).unwrap()
        };
        let buffers: Vec<_> = sets.iter().map(buffer).collect();
        let mut sets = buffers.iter().map(|buffer| ListedSet {
            buffer,
            words: 4,
            position,
            dimensions: 3,
            contents: 0,
        });
        let sets = [sets.next(), sets.next()];
        act(&mut self.lists, sets)
    }

    fn update(&mut self, sets: &[Bodies], extent: ListExtent) -> Outcome {
        self.with(sets, |lists, sets| match lists.update(sets, extent).unwrap() {
            Outcome::Good => lists.outcome().unwrap(),
            known => known,
        })
    }

    /// Compares lists with the lists of the definition.
    fn check(&mut self, i: Vec<[f64; 3]>, j: Option<Vec<[f64; 3]>>, domain: Domain, cutoff: f64) {
        let frame = Frame::of(i.len(), &|k| i[k], &domain, 3);
        let n = [i.len(), j.as_ref().map_or(0, Vec::len)];
        let cell = domain.cell();
        let of_i = Ordered::of(&i, &domain, &frame);
        let of_j = j.as_ref().map(|j| Ordered::of(j, &domain, &frame));
        let expected =
            Lists::build(&of_i, of_j.as_ref().unwrap_or(&of_i), &cell, &(cutoff + 0.125));
        let sets: Vec<_> = [Some(i), j].into_iter().flatten().map(Bodies).collect();
        let has_j = n[1] > 0;
        let one_set = !has_j;
        let extent =
            ListExtent { n, has_j, one_set, domain, frame, cutoff, skin: Skin::Length(0.125) };
        self.lists.forget();
        self.lists.set_tilted(domain.is_triclinic());
        assert_eq!(self.update(&sets, extent), Outcome::Built(expected.entries.len()));
        let Downloaded { lists, sets: found, .. } = self.lists.download().unwrap();
        assert_eq!(found[0].indices, of_i.indices);
        assert_eq!(found[1].indices, of_j.map_or(Vec::new(), |of_j| of_j.indices));
        assert!(lists == expected, "{n:?} {domain:?}");
        assert_eq!(self.update(&sets, extent), Outcome::Good);
    }

    fn check_all(&mut self, sizes: &[usize]) {
        let domains = [
            Domain::Open,
            Domain::periodic([2.0, 3.0, 2.5]).unwrap(),
            Domain::periodic([2.0, f64::INFINITY, 3.0]).unwrap(),
            Domain::triclinic([[2.0, 0.0, 0.0], [-0.9, 3.0, 0.0], [0.7, 1.5, 2.5]]).unwrap(),
        ];
        for (turn, &n) in sizes.iter().enumerate() {
            let mut state = turn as u64 + 1;
            let distribution = DISTRIBUTIONS[turn % DISTRIBUTIONS.len()];
            let mut positions = |n: usize| -> Vec<_> {
                let mut unit = || [0; 3].map(|_| random(&mut state));
                (0..n).map(|k| distribution(unit(), k)).collect()
            };
            let (i, j) = (positions(n), (turn % 4 == 1).then(|| positions(n / 2 + 1)));
            self.check(
                i,
                j,
                domains[(turn + turn / 4) % domains.len()],
                0.125 + 0.01 * turn as f64,
            );
        }
    }
}

const SIZES: [usize; 12] = [1, 2, 31, 32, 33, 100, 1024, 1025, 1500, 4099, 700, 2000];

#[test]
fn lists_are_those_of_the_definition() {
    Check::new(Arc::new(Emulator::open().unwrap())).unwrap().check_all(&SIZES);
    let Some((_one, gpu)) = gpu::tests::gpu() else { return };
    let Some(mut check) = Check::new(Arc::new(gpu)) else { return };
    check.check_all(&SIZES);
    check.check_all(&[100_000, 200_001, 30_000]);
}

#[test]
fn lists_are_built_when_a_particle_has_moved_too_far() {
    let emulator: Arc<dyn Backend> = Arc::new(Emulator::open().unwrap());
    let mut check = Check::new(emulator).unwrap();
    let domain = Domain::periodic([2.0; 3]).unwrap();
    let mut state = 1;
    let mut bodies = Bodies((0..500).map(|_| [0; 3].map(|_| 2.0 * random(&mut state))).collect());
    let frame = Frame::of(500, &|k| bodies.0[k], &domain, 3);
    let (n, has_j, one_set) = ([500, 0], false, true);
    let extent =
        ListExtent { n, has_j, one_set, domain, frame, cutoff: 0.25, skin: Skin::Length(0.25) };
    let mut update = |bodies: &Bodies| check.update(std::slice::from_ref(bodies), extent);
    assert!(matches!(update(&bodies), Outcome::Built(_)));
    bodies.0[77][1] += 0.125 - 1e-9 - 4.0;
    assert_eq!(update(&bodies), Outcome::Good);
    bodies.0[77][1] += 1e-6;
    assert!(matches!(update(&bodies), Outcome::Built(_)));
    assert_eq!(update(&bodies), Outcome::Good);
    bodies.0[33][2] = f64::NAN;
    assert_eq!(update(&bodies), Outcome::NotFinite(33));
    bodies.0[33][2] = 0.0;
    assert!(matches!(update(&bodies), Outcome::Built(_)));
}

/// Lists that do not fit are built twice in one update.
#[test]
fn a_rebuild_without_room_counts_once() {
    let emulator: Arc<dyn Backend> = Arc::new(Emulator::open().unwrap());
    let mut check = Check::new(emulator).unwrap();
    check.lists.timer.set(true);
    check.check(vec![[0.25; 3]; 700], None, Domain::Open, 0.125);
    assert!(check.lists.capacity > ENTRIES * 700, "{}", check.lists.capacity);
    let times = check.lists.timer.totals().unwrap();
    assert_eq!((times.updates, times.rebuilds), (2, 1), "{times:?}");
    assert_eq!(check.lists.counts_of_looks(), [1, 1]);
    assert!(times.order > Duration::ZERO && times.list > Duration::ZERO, "{times:?}");
    // After `restore`, lists outgrow their memory as before; last bits depend on that.
    let (extent, room) =
        (*check.lists.built().unwrap(), [2, 3].map(|k| k * check.lists.capacity as u64));
    let sets = [Bodies(vec![[0.25; 3]; 700])];
    check.with(&sets, |lists, sets| lists.restore(sets, extent, room)).unwrap();
    assert_eq!(check.lists.room().unwrap(), room);
}

/// A kernel reads the numbers of its own cutoffs: if memory for other numbers is lacking, kernel
/// and numbers stay.
#[test]
fn cutoffs_that_have_no_memory_leave_the_old_ones() {
    let backend = Arc::new(Another::of(Emulator::open().unwrap()));
    let mut check = Check::new(backend.clone()).unwrap();
    backend.is_full.store(true, Ordering::Relaxed);
    let error = check.lists.set_cutoffs(Varying::first_number()).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    backend.is_full.store(false, Ordering::Relaxed);
    assert!(check.lists.varying().is_empty());
    assert!(check.lists.kernel().unwrap().program.source == Program::neighbours().source);
    check.check(vec![[0.25; 3]; 40], None, Domain::Open, 0.125);
}
