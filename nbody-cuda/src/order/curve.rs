//! Particles along a Hilbert curve on one backend, with the boxes of groups of them (`curve.cuh`).

use nbody_core::order::GROUP;

use super::keys::cells_of_lists::KEY_BITS;
use super::keys::{Frame, Position, Positions};
use super::sort::{self, Sort, SortMemory};
use crate::backend::{Backend, Memory, Scratch};
use crate::border::{Address, border};
use crate::error::Error;

border! {
    /// The least and greatest coordinates of a number of particles; infinite for no particle.
    pub struct Bounds {
        pub least: [f64; 3],
        pub greatest: [f64; 3],
    }

    /// The order of particles, which a sort leaves in its memory.
    pub struct Order {
        pub from: Positions,
        pub frame: Frame,
        /// The sort, which leaves the caller's index of each particle, in order.
        pub sort: Sort,
        /// The positions in order, all x first.
        pub positions: Address<f64>,
        /// The bounds of groups, followed by the bounds of each level above them.
        pub bounds: Address<Bounds>,
        /// The positions at the last look, continuous in time.
        pub now: Address<Position>,
    }
}

/// The memory of an order of particles.
#[derive(Debug, Default)]
pub(crate) struct OrderMemory {
    sort: SortMemory,
    positions: Scratch,
    bounds: Scratch,
    now: Scratch,
}

/// Returns the number of boxes of each level of the tree over `n` particles, beginning with the
/// groups.
pub(crate) fn levels(n: usize) -> Vec<usize> {
    let mut levels = vec![n.div_ceil(GROUP)];
    while let Some(&boxes) = levels.last()
        && boxes > GROUP
    {
        levels.push(boxes.div_ceil(GROUP));
    }
    levels
}

/// Returns the number of phases that order `n` particles.
pub(crate) fn phases(n: usize) -> u32 {
    // Keys and two levels of boxes; then a phase for each level.
    2 + sort::phases(KEY_BITS) + levels(n).len().saturating_sub(2) as u32
}

impl OrderMemory {
    /// Reserves memory for `n` particles, ordered by this number of blocks.
    pub fn reserve(&mut self, backend: &dyn Backend, n: usize, blocks: usize) -> Result<(), Error> {
        self.sort.reserve(backend, n, blocks)?;
        let boxes = levels(n).iter().sum();
        self.positions.reserve(backend, &[n, size_of::<Position>()], false)?;
        self.bounds.reserve(backend, &[boxes, size_of::<Bounds>()], false)?;
        self.now.reserve(backend, &[n, size_of::<Position>()], false)?;
        Ok(())
    }

    /// Returns the memory.
    pub fn memory(&self) -> Vec<&dyn Memory> {
        let sort = self.sort.memory().into_iter();
        sort.chain([&self.positions, &self.bounds, &self.now].map(Scratch::memory)).collect()
    }

    /// Returns the memory as an argument of kernels.
    pub fn argument(&self, from: Positions, frame: Frame) -> Order {
        Order {
            from,
            frame,
            sort: self.sort.argument(),
            positions: Address::of(self.positions.memory()),
            bounds: Address::of(self.bounds.memory()),
            now: Address::of(self.now.memory()),
        }
    }

    /// Returns the index of each particle in the order.
    pub fn indices(&self) -> &dyn Memory {
        self.sort.values(KEY_BITS)
    }

    /// Returns the coordinates of the particles in order, wrapped into the box: all x, all y, all
    /// z.
    pub fn positions(&self) -> &dyn Memory {
        self.positions.memory()
    }

    /// Returns the positions at the last look, in order and continuous in time.
    pub fn now(&self) -> &dyn Memory {
        self.now.memory()
    }

    /// Returns the least and greatest coordinates of groups, and of the boxes of each level above
    /// them.
    #[cfg(test)]
    pub fn bounds(&self) -> &dyn Memory {
        self.bounds.memory()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::sync::Arc;

    use nbody_core::order::boxes;
    use nbody_core::order::frame;
    use nbody_core::order::ordered::{Ordered, key};
    use nbody_core::pack::{Binding, Place};
    use nbody_core::{Domain, Field, FieldKind, Precision};

    use nbody_compile::Cache;

    use super::super::BLOCK;
    use super::*;
    use crate::backend::emulator::Emulator;
    use crate::backend::{Buffer, Launch, Module, gpu};
    use crate::border;
    use crate::compile::program::Program;
    use crate::layout::{bytes_of, numbers_of};

    /// Particles in records with other fields.
    struct Particles {
        positions: Vec<[f64; 3]>,
        precision: Precision,
        dimensions: usize,
    }

    impl fmt::Debug for Particles {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let Self { positions, precision, dimensions } = self;
            write!(f, "{} particles, {precision}, {dimensions}-D", positions.len())
        }
    }

    const fn fields(dimensions: usize) -> [Field; 3] {
        let (real, point) = (FieldKind::Real, FieldKind::Point(dimensions));
        [
            Field { name: "m", kind: real },
            Field { name: "x", kind: point },
            Field { name: "q", kind: real },
        ]
    }
    static FIELDS: [[Field; 3]; 2] = [fields(2), fields(3)];

    impl Particles {
        fn new(
            n: usize,
            distribution: Distribution,
            precision: Precision,
            dimensions: usize,
        ) -> Self {
            let mut state = 1_u64;
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let positions = (0..n).map(|k| distribution([random(), random(), random()], k));
            Self { positions: positions.collect(), precision, dimensions }
        }

        /// Returns a coordinate in two parts, as mixed precision stores it.
        fn parts(x: f64) -> [f32; 2] {
            let hi = x as f32;
            [hi, (x - f64::from(hi)) as f32]
        }

        /// Returns the positions as stored in records.
        fn stored(&self) -> Vec<[f64; 3]> {
            let stored = |x: f64| match self.precision {
                Precision::Single => f64::from(x as f32),
                Precision::Mixed => Self::parts(x).map(f64::from).iter().sum(),
                Precision::Double => x,
            };
            let position = |&[x, y, z]: &[f64; 3]| match self.dimensions {
                2 => [stored(x), stored(y), 0.0],
                _ => [x, y, z].map(stored),
            };
            self.positions.iter().map(position).collect()
        }

        /// Returns records in device memory, the words of a record, and the place of its position.
        fn upload(&self, backend: &Arc<dyn Backend>) -> (Buffer, usize, Place) {
            let fields = &FIELDS[self.dimensions - 2];
            let (n, precision) = (self.positions.len(), self.precision);
            let words = numbers_of(fields, precision);
            let mut buffer = Buffer::new(backend, n, words, precision).unwrap();
            let mut bytes = Vec::new();
            for position in &self.positions {
                let other = vec![0xff; bytes_of(precision)];
                bytes.extend(&other);
                for &x in &position[..self.dimensions] {
                    match precision {
                        Precision::Single => bytes.extend((x as f32).to_ne_bytes()),
                        Precision::Mixed => {
                            bytes.extend(bytemuck::cast::<_, [u8; 8]>(Self::parts(x)));
                        }
                        Precision::Double => bytes.extend(x.to_ne_bytes()),
                    }
                }
                bytes.extend(&other);
            }
            let fill = |words: &mut [u64]| {
                bytemuck::cast_slice_mut(words)[..bytes.len()].copy_from_slice(&bytes);
            };
            buffer.memory.write(&mut { fill }).unwrap();
            let place = Binding::new("order", &fields[1..2], fields).unwrap().places()[0];
            (buffer, words, place)
        }
    }

    /// The position of the particle with an index, from three random numbers below 1.
    type Distribution = fn([f64; 3], usize) -> [f64; 3];
    /// Within and around the box; clustered; in a plane; on few points; with a few particles far
    /// away; on one point.
    const DISTRIBUTIONS: [Distribution; 6] = [
        |u, _| u.map(|u| 9.0 * u - 3.0),
        |u, k| u.map(|u| if k % 5 == 0 { u } else { 0.3 + 1e-5 * u }),
        |u, _| [u[0], 0.5, 2.0 * u[2]],
        |u, _| u.map(|u| (2.0 * u).floor()),
        |u, k| u.map(|u| if k % 100 == 7 { 1e6 * (u - 0.5) } else { u }),
        |_, _| [0.25; 3],
    ];

    /// Returns a program whose kernel only orders.
    fn program() -> Program {
        const KERNEL: &str = "
namespace nbody {

extern \"C\" __global__ void __launch_bounds__(BLOCK) order(
    u32 *arrived, const Order order, const u32 first_phase, const u32 end_phase)
{
    __shared__ OrderShared shared;
    in_phases(first_phase, end_phase, arrived, [&](u32 phase) { order_phase(order, phase, shared); });
}

} // namespace nbody
";
        let declared = border::text(&super::super::declared()) + &super::super::tilted(false);
        let parts = [&[&*declared], &super::super::TEXT[..], &[KERNEL]].concat();
        Program::of_exact_words("order", "particles along a curve", &[c"order"], BLOCK, &parts)
    }

    /// The kernel on a backend.
    struct Rebuild {
        backend: Arc<dyn Backend>,
        module: Box<dyn Module>,
        arrived: Box<dyn Memory>,
        order: OrderMemory,
    }

    impl Rebuild {
        fn new(backend: Arc<dyn Backend>) -> Option<Self> {
            let folder = tempfile::tempdir().unwrap();
            let module = match backend.build(&program(), &Cache::at(folder.path())) {
                Err(Error::NvrtcNotFound(_)) => return None,
                built => built.unwrap().0,
            };
            let (mut arrived, order) = (backend.allocate(4).unwrap(), OrderMemory::default());
            arrived.zero().unwrap();
            Some(Self { backend, module, arrived, order })
        }

        fn order(&mut self, particles: &Particles, frame: Frame) {
            let n = particles.positions.len();
            let (p, words, place) = particles.upload(&self.backend);
            let from = Positions::of(&p, words, place);
            let blocks = self.module.resident_blocks(c"order");
            self.order.reserve(&*self.backend, n, blocks).unwrap();
            let launch = Launch::new(c"order", blocks as u32);
            let launch = launch.pointers([&*self.arrived]).reads(&*p.memory);
            let launch = self.order.memory().into_iter().fold(launch, Launch::reads);
            let launch = launch.value(&self.order.argument(from, frame));
            self.module.launch(launch.phases(0..phases(n))).unwrap();
        }

        /// Compares an order with the order of nbody-core.
        fn check(&mut self, particles: &Particles, domain: &Domain) {
            let (n, stored) = (particles.positions.len(), particles.stored());
            let frame = frame::Frame::of(n, &|k| stored[k], domain, particles.dimensions);
            let expected = Ordered::of(&stored, domain, &frame);
            self.order(particles, Frame::of(&frame, domain));
            let indices = read(self.order.indices());
            let indices = &bytemuck::cast_slice::<_, u32>(&indices)[..n];
            assert!(indices == expected.indices, "{particles:?}");
            let keys = expected.positions.iter().map(|position| key(&frame, position));
            assert!(
                read(self.order.sort.memory()[0])[..n].iter().copied().eq(keys),
                "{particles:?}"
            );
            let positions = numbers(self.order.positions());
            let at = |k: usize| [k, n + k, 2 * n + k].map(|k| positions[k]);
            assert!((0..n).map(at).eq(expected.positions), "{particles:?}");
            let levels = levels(n);
            assert_eq!(levels, expected.tree.levels.iter().map(Vec::len).collect::<Vec<_>>());
            let bounds = numbers(self.order.bounds());
            let bounds = bounds.chunks(6).map(|numbers| boxes::Bounds {
                least: [numbers[0], numbers[1], numbers[2]],
                greatest: [numbers[3], numbers[4], numbers[5]],
            });
            let expected = expected.tree.levels.concat();
            assert!(bounds.take(levels.iter().sum()).eq(expected), "{particles:?}");
        }

        fn check_all(&mut self, sizes: &[usize]) {
            let periodic = Domain::periodic([2.0, 3.0, 2.5]).unwrap();
            let slab = Domain::periodic([2.0, f64::INFINITY, 0.5]).unwrap();
            let cases = [
                (Precision::Single, periodic, 3),
                (Precision::Double, Domain::Open, 3),
                (Precision::Mixed, slab, 3),
                (Precision::Double, slab, 2),
                (Precision::Single, Domain::Open, 2),
            ];
            for (turn, &n) in sizes.iter().enumerate() {
                let (precision, domain, dimensions) = cases[turn % cases.len()];
                let distribution = DISTRIBUTIONS[turn % DISTRIBUTIONS.len()];
                self.check(&Particles::new(n, distribution, precision, dimensions), &domain);
            }
        }
    }

    fn read(memory: &dyn Memory) -> Vec<u64> {
        let mut found = Vec::new();
        memory.read(&mut |words| found = words.to_owned()).unwrap();
        found
    }

    fn numbers(memory: &dyn Memory) -> Vec<f64> {
        read(memory).into_iter().map(f64::from_bits).collect()
    }

    const SIZES: [usize; 12] = [0, 1, 2, 31, 32, 33, 1024, 1025, 4099, 4100, 1500, 33_000];

    #[test]
    fn the_order_and_its_boxes_are_those_of_the_definition() {
        Rebuild::new(Arc::new(Emulator::open().unwrap())).unwrap().check_all(&SIZES);
        let Some((_one, gpu)) = gpu::tests::gpu() else { return };
        let Some(mut rebuild) = Rebuild::new(Arc::new(gpu)) else { return };
        rebuild.check_all(&SIZES);
        rebuild.check_all(&[1 << 20, 262_144, 3_000_001, 100_000, 100_001]);
    }
}
