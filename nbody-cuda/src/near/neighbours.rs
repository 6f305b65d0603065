//! Neighbour lists on one backend, without the types of their particles.

use std::sync::Arc;

use nbody_core::near::GROUP;
use nbody_core::near::boxes::Tree;
use nbody_core::near::frame::Frame;
use nbody_core::near::image::LIMIT;
use nbody_core::near::list::Lists;
use nbody_core::near::order::Ordered;
use nbody_core::pack::Place;
use nbody_core::{Domain, Skin};

use super::order::{self, Order, Positions};
use super::reach::{Reach, Varying};
use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Reply, Scratch};
use crate::compile::cache::Cache;
use crate::{Error, Program};

/// Entries of the lists of a particle at first.
const ENTRIES: usize = 16;
/// Numbers of an origin.
const ORIGIN: usize = 3;
/// The first particle whose position is not finite, where all are.
const ALL_FINITE: u64 = u32::MAX as u64;

/// Neighbour lists of particles in device memory.
#[derive(Debug)]
pub(crate) struct Neighbours {
    backend: Arc<dyn Backend>,
    kernel: Kernel,
    cache: Cache,
    /// The cutoffs that depend on particles.
    reach: Reach,
    /// The order of the i-particles, and of the j-particles if they are in another buffer.
    orders: [Order; 2],
    begins: Scratch,
    counts: Scratch,
    origins: Scratch,
    entries: Scratch,
    /// The entries that there is room for.
    capacity: usize,
    /// A `State` of the text, the number of entries, and the count of blocks at a barrier.
    state: Box<dyn Memory>,
    reply: Box<dyn Reply>,
    launches: u32,
    /// Whether the outcome of the last look is not yet known.
    is_awaited: bool,
    /// The number of rebuilds, and of looks since the last one that found the lists good.
    counts_of_looks: [u64; 2],
    /// The particles and the reach of the lists; `None` if they are to be built in any case.
    built: Option<Build>,
}

/// The particles and the reach that lists are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Build {
    /// The numbers of i-particles, and of j-particles in another buffer.
    pub n: [usize; 2],
    pub domain: Domain,
    pub frame: Frame,
    /// The greatest cutoff that depends on no particle, and the length that lists reach farther.
    pub cutoff: f64,
    pub skin: Skin,
}

/// The particles of lists: a buffer, the words of its records, and the first coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set<'a> {
    pub buffer: &'a Buffer,
    pub words: usize,
    pub position: Place,
}

/// The outcome of a look at the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The lists are still good.
    Good,
    /// They were built, and have this many entries.
    Built(usize),
    /// The position of this particle is not finite; those of j follow those of i.
    NotFinite(usize),
    /// This one of the cutoffs that depend on particles may be infinite or NaN.
    Unbounded(usize),
    /// A cutoff is half of a periodic box or more.
    BeyondBox,
}

impl Outcome {
    fn of(answer: u64) -> Self {
        const BITS: u32 = 60;
        const BEYOND_BOX: usize = u32::MAX as usize - 1;
        let number = (answer & ((1 << BITS) - 1)) as usize;
        match answer >> BITS {
            0 => Self::Good,
            1 => Self::Built(number),
            _ if number == BEYOND_BOX => Self::BeyondBox,
            _ if number > LIMIT * 2 => Self::Unbounded(BEYOND_BOX - 1 - number),
            _ => Self::NotFinite(number),
        }
    }

    /// Returns whether the lists were not built, for a reason.
    fn is_refusal(self) -> bool {
        !matches!(self, Self::Good | Self::Built(_))
    }
}

impl Neighbours {
    pub fn new(backend: &Arc<dyn Backend>, cache: &Cache) -> Result<Self, Error> {
        let kernel = build(&**backend, cache, Program::neighbours())?;
        let mut state = backend.allocate(3 * size_of::<u64>())?;
        state.write(&mut |words| words.copy_from_slice(&[ALL_FINITE << 32, 0, 0]))?;
        Ok(Self {
            backend: backend.clone(),
            kernel,
            cache: cache.clone(),
            reach: Reach::default(),
            orders: Default::default(),
            begins: Scratch::default(),
            counts: Scratch::default(),
            origins: Scratch::default(),
            entries: Scratch::default(),
            capacity: 0,
            state,
            reply: backend.reply()?,
            launches: 0,
            is_awaited: false,
            counts_of_looks: [0; 2],
            built: None,
        })
    }

    /// Takes other cutoffs that depend on particles, for the lists of the next update. Their program is
    /// compiled, or loaded from the cache.
    pub fn set_cutoffs(&mut self, varying: Varying) -> Result<(), Error> {
        self.built = None;
        if varying == *self.reach.varying() {
            return Ok(());
        }
        let program = Program::neighbours_of(&varying);
        if program.source != self.kernel.program.source {
            self.kernel = build(&*self.backend, &self.cache, program)?;
        }
        self.reach.set(&*self.backend, varying)
    }

    /// Returns the cutoffs that depend on particles.
    pub fn varying(&self) -> &Varying {
        self.reach.varying()
    }

    /// Returns the greatest cutoff and the skin that the device has found last, of cutoffs that depend on
    /// particles.
    pub fn reach_found(&self) -> Result<[f64; 2], Error> {
        self.reach.found()
    }

    /// Returns the greatest cutoff and the skin of lists.
    pub fn reach(&self, build: &Build) -> Result<[f64; 2], Error> {
        if self.reach.varying().is_empty() {
            let [lengths, _] = build.domain.factors();
            return Ok([build.cutoff, build.skin.length(build.cutoff, &lengths)]);
        }
        self.reach.found()
    }

    /// Forgets the lists, which the next update builds.
    pub fn forget(&mut self) {
        self.built = None;
    }

    /// Returns what the lists are of.
    pub fn built(&self) -> Option<&Build> {
        self.built.as_ref()
    }

    /// Looks whether the lists of these particles are still good, and builds them if not; in any case
    /// if they were of something else. The host waits only for lists that must be built, and otherwise
    /// learns the outcome at the next look.
    ///
    /// Where there is no room for the lists that the device builds, evaluations take every j-particle,
    /// until the next look makes room.
    pub fn update(&mut self, sets: [Option<Set>; 2], build: Build) -> Result<Outcome, Error> {
        for found in build.n {
            if found > LIMIT {
                return Err(Error::TooManyParticles { what: "particles", found, limit: LIMIT });
            }
        }
        let before = self.outcome()?;
        if before.is_refusal() {
            return Ok(before);
        }
        let full = match before {
            Outcome::Built(entries) if 4 * entries > 3 * self.capacity => Some(entries),
            _ => None,
        };
        if self.built == Some(build) && full.is_none() {
            self.launch(sets, &build, false)?;
            return self.known_outcome();
        }
        self.built = None;
        self.reserve(&build)?;
        self.grow(full.map_or(0, |entries| 2 * entries))?;
        let outcome = loop {
            self.launch(sets, &build, true)?;
            match self.outcome()? {
                Outcome::Built(entries) if entries > self.capacity => {
                    // Twice as many, since the lists of the next time may be longer.
                    self.grow(2 * entries)?;
                    self.counts_of_looks[0] -= 1;
                }
                outcome => break outcome,
            }
        };
        self.built = (!outcome.is_refusal()).then_some(build);
        Ok(outcome)
    }

    /// Waits for the outcome of the last look, unless it was known before.
    pub fn outcome(&mut self) -> Result<Outcome, Error> {
        if !self.is_awaited {
            return Ok(Outcome::Good);
        }
        self.is_awaited = false;
        let outcome = Outcome::of(self.reply.receive()?);
        match outcome {
            Outcome::Good => self.counts_of_looks[1] += 1,
            Outcome::Built(_) => self.counts_of_looks = [self.counts_of_looks[0] + 1, 0],
            // Evaluations since then did nothing, and the lists are as they were.
            Outcome::NotFinite(_) => self.reset()?,
            Outcome::Unbounded(_) | Outcome::BeyondBox => {
                self.reset()?;
                self.built = None;
            }
        }
        Ok(outcome)
    }

    /// Returns that a position is not finite if the last look has already said so.
    fn known_outcome(&mut self) -> Result<Outcome, Error> {
        match self.reply.peek().map(Outcome::of) {
            Some(refusal) if refusal.is_refusal() => self.outcome(),
            _ => Ok(Outcome::Good),
        }
    }

    /// Returns how often lists were built, and how often they were found good since; waits for the last
    /// look.
    pub fn counts_of_looks(&mut self) -> Result<[u64; 2], Error> {
        if let Some(answer) = self.is_awaited.then(|| self.reply.receive()).transpose()? {
            let [rebuilds, age] = self.counts_of_looks;
            return Ok(match Outcome::of(answer) {
                Outcome::Built(_) => [rebuilds + 1, 0],
                _ => [rebuilds, age + 1],
            });
        }
        Ok(self.counts_of_looks)
    }

    /// Resets what launches leave behind.
    fn reset(&mut self) -> Result<(), Error> {
        self.launches = 0;
        self.state.write(&mut |words| words.copy_from_slice(&[ALL_FINITE << 32, 0, 0]))
    }

    fn blocks(&self) -> usize {
        self.kernel.module.resident_blocks(c"rebuild")
    }

    fn reserve(&mut self, build: &Build) -> Result<(), Error> {
        let (backend, blocks) = (self.backend.clone(), self.blocks());
        for (order, n) in self.orders.iter_mut().zip(build.n) {
            order.reserve(&*backend, n, blocks)?;
        }
        let groups = build.n[0].div_ceil(GROUP);
        self.begins.reserve(&*backend, &[groups, size_of::<u64>()], false)?;
        self.counts.reserve(&*backend, &[groups, size_of::<u32>()], false)?;
        self.origins.reserve(&*backend, &[groups, ORIGIN, size_of::<f64>()], false)?;
        if !self.reach.varying().is_empty() {
            self.reach.reserve(&*backend, build.n)?;
        }
        self.grow(ENTRIES * build.n[0])
    }

    /// Makes room for this many entries.
    fn grow(&mut self, entries: usize) -> Result<(), Error> {
        let entries = entries.max(GROUP);
        if entries > self.capacity {
            self.entries.reserve(&*self.backend, &[entries, size_of::<u32>()], false)?;
            self.capacity = entries;
        }
        Ok(())
    }

    fn launch(
        &mut self,
        [i, j]: [Option<Set>; 2],
        build: &Build,
        forced: bool,
    ) -> Result<(), Error> {
        if self.launches == u32::MAX {
            self.reset()?;
        }
        let Some(i) = i else { return Ok(()) };
        self.launches += 1;
        self.reply.expect()?;
        let [lengths, _] = build.domain.factors();
        let skin = build.skin.length(build.cutoff, &lengths);
        let allowed = skin * 0.5;
        let phases = [order::phases(build.n[0]), j.map_or(0, |_| order::phases(build.n[1]))];
        let request = [
            (allowed * allowed).to_bits(),
            u64::from(self.launches) | u64::from(forced) << 32,
            u64::from(j.is_some()) | u64::from(phases[0]) << 32,
            phases[1].into(),
        ];
        let of_j = j.unwrap_or(i);
        let Build { domain, frame, .. } = build;
        let order = |order: &Order, set: &Set| {
            order.argument(&Positions::of(set.buffer, set.words, set.position), domain, frame)
        };
        let launch = Launch::new(c"rebuild", self.blocks() as u32).argument(&request);
        let launch = launch.argument(&order(&self.orders[0], &i));
        let launch = launch.argument(&order(&self.orders[usize::from(j.is_some())], &of_j));
        let lists = [&self.begins, &self.counts, &self.origins, &self.entries];
        let mut words: Vec<_> = lists.iter().map(|scratch| scratch.memory().address()).collect();
        let [state, used, arrived] = [0, 8, 16].map(|byte| self.state.address() + byte);
        words.extend([self.capacity as u64, used]);
        if self.reach.varying().is_empty() {
            words.push((build.cutoff + skin).to_bits());
        } else {
            words.extend(self.reach.argument(build.cutoff, build.skin.parts(), j.is_none()));
        }
        let launch = launch.argument(&words).argument(&[state]).argument(&[arrived]);
        let launch = launch.argument(&[self.reply.address()]);
        let orders = self.orders.iter().flat_map(Order::memory);
        let memory = orders.chain(lists.into_iter().map(Scratch::memory)).chain([&*self.state]);
        let launch = memory.chain(self.reach.memory()).fold(launch, Launch::reads);
        let launch = launch.reads(&*i.buffer.memory).reads(&*of_j.buffer.memory);
        // A look, the order of each set, lists, the answer.
        self.is_awaited = true;
        self.kernel.module.launch(launch.phases(3 + phases[0] + phases[1]))
    }

    /// Returns the order of the i-particles or of the j-particles: a `Placed` of `schedule/list.cuh`.
    pub fn placed(&self, set: usize) -> [u64; 3] {
        let build = self.built.expect("lists are evaluated once they are built");
        let order = &self.orders[set];
        [order.indices().address(), order.positions().address(), build.n[set] as u64]
    }

    /// Returns the lists: a `Lists` of `schedule/list.cuh`.
    pub fn lists(&self) -> [u64; 5] {
        const NOT_FINITE: u64 = 4; // bytes of the state in front of it
        let scratch = [&self.begins, &self.counts, &self.entries, &self.origins];
        let [begins, counts, entries, origins] = scratch.map(|it| it.memory().address());
        [begins, counts, entries, origins, self.state.address() + NOT_FINITE]
    }

    /// Returns the memory of both.
    pub fn memory(&self) -> Vec<&dyn Memory> {
        let lists = [&self.begins, &self.counts, &self.entries, &self.origins];
        let orders = self.orders.iter().flat_map(Order::memory);
        lists.map(Scratch::memory).into_iter().chain(orders).chain([&*self.state]).collect()
    }

    /// Copies the lists to the host, and the particles of each set in order.
    pub fn download(&self) -> Result<Downloaded, Error> {
        let build = self.built.expect("lists are downloaded once they are built");
        let groups = build.n[0].div_ceil(GROUP);
        let (begins, counts) = (read(&self.begins)?, read(&self.counts)?);
        let (counts, entries) = (as_u32(&counts), read(&self.entries)?);
        let mut lists = Lists { begins: vec![0], ..Lists::default() };
        for (&begin, &count) in begins.iter().zip(counts).take(groups) {
            let list = &as_u32(&entries)[begin as usize..][..count as usize];
            lists.entries.extend_from_slice(list);
            lists.begins.push(lists.entries.len() as u64);
        }
        let ordered = |set: usize| {
            let (order, n) = (&self.orders[set], build.n[set]);
            let mut indices = Vec::new();
            order.indices().read(&mut |words| indices = as_u32(words)[..n].to_vec())?;
            let mut positions = Vec::new();
            order.positions().read(&mut |words| {
                let at = |k: usize| [k, n + k, 2 * n + k].map(|k| f64::from_bits(words[k]));
                positions = (0..n).map(at).collect();
            })?;
            let tree = Tree::of(&positions);
            Ok::<_, Error>(Ordered { indices, positions, tree })
        };
        let values = self.reach.values(build.n)?;
        Ok(Downloaded { lists, sets: [ordered(0)?, ordered(1)?], values })
    }

    /// Returns the bytes of device memory.
    pub fn bytes(&self) -> usize {
        self.memory()
            .iter()
            .chain(&self.reach.memory())
            .map(|memory| memory.words() * size_of::<u64>())
            .sum()
    }
}

fn build(backend: &dyn Backend, cache: &Cache, program: Program) -> Result<Kernel, Error> {
    let (module, build) = backend.build(&program, cache)?;
    Ok(Kernel { program, module, build })
}

/// Lists on the host, and the particles of each set in order.
#[derive(Debug)]
pub(crate) struct Downloaded {
    pub lists: Lists,
    pub sets: [Ordered; 2],
    /// The numbers that cutoffs depend on, a slice for each, in this order.
    pub values: [Vec<Vec<f64>>; 2],
}

fn read(scratch: &Scratch) -> Result<Vec<u64>, Error> {
    let mut found = Vec::new();
    scratch.memory().read(&mut |words| found = words.to_vec())?;
    Ok(found)
}

fn as_u32(words: &[u64]) -> &[u32] {
    bytemuck::cast_slice(words)
}

#[cfg(test)]
mod tests {
    use nbody_core::{Field, FieldKind, Precision};

    use super::*;
    use crate::backend::emulator::Emulator;
    use crate::backend::gpu;

    const FIELDS: &[Field] = &[
        Field { name: "kind", kind: FieldKind::U32 },
        Field { name: "pos", kind: FieldKind::Point(3) },
    ];

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform; in two densities; in a plane; on few points; with some far away; on one point.
    type Distribution = fn([f64; 3], usize) -> [f64; 3];
    const DISTRIBUTIONS: [Distribution; 6] = [
        |u, _| u.map(|u| 9.0 * u - 3.0),
        |u, k| u.map(|u| if k % 5 == 0 { u } else { 0.3 + 1e-1 * u }),
        |u, _| [u[0], 0.5, 2.0 * u[2]],
        |u, _| u.map(|u| (2.0 * u).floor()),
        |u, k| u.map(|u| if k % 100 == 7 { 1e6 * (u - 0.5) } else { u }),
        |_, _| [0.25; 3],
    ];

    /// Records of these positions in double precision.
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
        lists: Neighbours,
    }

    impl Check {
        fn new(backend: Arc<dyn Backend>) -> Option<Self> {
            let folder = tempfile::tempdir().unwrap();
            let lists = match Neighbours::new(&backend, &Cache::at(folder.path())) {
                Err(Error::NvrtcNotFound(_)) => return None,
                lists => lists.unwrap(),
            };
            Some(Self { backend, lists })
        }

        fn update(&mut self, sets: &[Bodies], build: Build) -> Outcome {
            let binding = nbody_core::pack::Binding::new("test", &FIELDS[1..], FIELDS).unwrap();
            let position = binding.places()[0];
            let buffer = |bodies: &Bodies| {
                Buffer::of_particles(&self.backend, bodies, Precision::Double).unwrap()
            };
            let buffers: Vec<_> = sets.iter().map(buffer).collect();
            let mut sets = buffers.iter().map(|buffer| Set { buffer, words: 4, position });
            let sets = [sets.next(), sets.next()];
            match self.lists.update(sets, build).unwrap() {
                Outcome::Good => self.lists.outcome().unwrap(),
                known => known,
            }
        }

        /// Compares lists with those of the definition.
        fn check(
            &mut self,
            i: Vec<[f64; 3]>,
            j: Option<Vec<[f64; 3]>>,
            domain: Domain,
            cutoff: f64,
        ) {
            let frame = Frame::of(i.len(), &|k| i[k], &domain, 3);
            let n = [i.len(), j.as_ref().map_or(0, Vec::len)];
            let [lengths, _] = domain.factors();
            let of_i = Ordered::of(&i, &domain, &frame);
            let of_j = j.as_ref().map(|j| Ordered::of(j, &domain, &frame));
            let expected =
                Lists::build(&of_i, of_j.as_ref().unwrap_or(&of_i), &lengths, &|_, _| {
                    cutoff + 0.125
                });
            let sets: Vec<_> = [Some(i), j].into_iter().flatten().map(Bodies).collect();
            let build = Build { n, domain, frame, cutoff, skin: Skin::Length(0.125) };
            self.lists.forget();
            assert_eq!(self.update(&sets, build), Outcome::Built(expected.entries.len()));
            let Downloaded { lists, sets: found, .. } = self.lists.download().unwrap();
            assert_eq!(found[0].indices, of_i.indices);
            assert_eq!(found[1].indices, of_j.map_or(Vec::new(), |of_j| of_j.indices));
            assert!(lists == expected, "{n:?} {domain:?}");
            assert_eq!(self.update(&sets, build), Outcome::Good);
        }

        fn check_all(&mut self, sizes: &[usize]) {
            let domains = [
                Domain::Open,
                Domain::periodic([2.0, 3.0, 2.5]).unwrap(),
                Domain::periodic([2.0, f64::INFINITY, 3.0]).unwrap(),
            ];
            for (turn, &n) in sizes.iter().enumerate() {
                let mut state = turn as u64 + 1;
                let distribution = DISTRIBUTIONS[turn % DISTRIBUTIONS.len()];
                let mut positions = |n: usize| -> Vec<_> {
                    let mut unit = || [0; 3].map(|_| random(&mut state));
                    (0..n).map(|k| distribution(unit(), k)).collect()
                };
                let (i, j) = (positions(n), (turn % 4 == 1).then(|| positions(n / 2 + 1)));
                self.check(i, j, domains[turn % domains.len()], 0.125 + 0.01 * turn as f64);
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
        let mut bodies =
            Bodies((0..500).map(|_| [0; 3].map(|_| 2.0 * random(&mut state))).collect());
        let frame = Frame::of(500, &|k| bodies.0[k], &domain, 3);
        let build = Build { n: [500, 0], domain, frame, cutoff: 0.25, skin: Skin::Length(0.25) };
        let mut update = |bodies: &Bodies| check.update(std::slice::from_ref(bodies), build);
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
}
