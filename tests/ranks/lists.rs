//! Neighbour lists over ranks, and what else uses their particles: random sequences of operations
//! have the results of the device alone.

use nbody::prelude::*;
use nbody::{
    Csr, Neighbours, Particles, Results, Selection, ShortRange, Skin, Sources, Store, Values,
};
use nbody_mpi::threads;
use nbody_tests::contacts::contact::{
    Ball, Either, Everywhere, Found, Gather, Near, Nearest, Uniform,
};
use nbody_tests::contacts::{Random, UNIT};
use nbody_tests::ways::{domain, levels, numbers};

use super::over;
use programs::{Borrow, Drift, First, Follow, Mark, Remark, Resum, Sums};

/// Programs whose numbers are exact.
#[nbody::interaction]
mod programs {
    pub struct Ball {
        pub pos: Point,
        pub h: Real,
        pub mass: Real,
    }
    pub struct Near {
        pub count: Count,
        pub mass: Real,
    }
    /// Numbers of a ball in another buffer.
    pub struct Mark {
        pub bias: Real,
        pub active: u32,
    }

    /// A number of a ball in another buffer.
    pub struct Flag {
        pub active: u32,
    }
    pub struct Found {
        pub nearest: ArgMin<Real>,
        pub count: Count,
    }

    /// Reads several records of each kind.
    pub struct Drift {
        pub step: Vector,
        pub lift: Vector,
    }
    impl Update for Drift {
        type P = Ball;
        type Q = (Mark, Flag);
        type F = (Near, Found);
        fn update(&self, p: &mut Ball, q: &Mark, flag: &Flag, f: &Near, found: &Found) {
            p.pos += q.bias * self.step;
            if f.count > 4 + flag.active {
                p.pos += self.lift;
            }
            if found.count % 2 == 1 {
                p.pos -= self.lift + self.step;
            }
        }
    }

    /// Counts in the marks.
    pub struct Remark {
        pub least: u32,
    }
    impl Update for Remark {
        type P = Mark;
        type F = Near;
        fn update(&self, p: &mut Mark, f: &Near) {
            p.active = 0;
            if f.count > self.least {
                p.active = 1;
                p.bias = 0.0 - p.bias;
            }
        }
    }

    pub struct Total {
        pub mass: Real,
        pub count: Count,
        pub least: Min<Real>,
        pub most: Max<Real>,
    }
    pub struct Sums {
        pub scale: Real,
        pub origin: Point,
    }
    impl Measure for Sums {
        type P = Ball;
        type Q = Mark;
        type F = Near;
        type T = Total;
        fn measure(&self, p: &Ball, q: &Mark, f: &Near, t: &mut Total) {
            t.mass += self.scale * f.mass * q.bias;
            t.count += f.count + q.active;
            let d = p.pos - self.origin;
            t.least.min(d.x);
            t.most.max(d.z + q.bias);
        }
    }

    /// Moves balls by a total that the host has not seen.
    pub struct Follow {
        pub step: Vector,
    }
    impl Update for Follow {
        type P = Ball;
        type G = Total;
        fn update(&self, p: &mut Ball, all: &Total) {
            p.pos += (all.count % 3) as Real * self.step;
        }
    }

    /// Moves balls by the marks of other balls.
    pub struct Borrow {
        pub step: Vector,
        pub last: u32,
    }
    impl Update for Borrow {
        type P = Ball;
        type Q = Mark;
        fn update(&self, p: &mut Ball, q: &Mark) {
            p.pos += q[(7 * q.active + 3).min(self.last)].bias * self.step;
        }
    }

    pub struct Resum {
        pub scale: Real,
    }
    impl Measure for Resum {
        type P = Ball;
        type G = Total;
        type T = Total;
        fn measure(&self, p: &Ball, g: &Total, t: &mut Total) {
            t.mass += self.scale * (p.mass - p.mass);
            t.count += g.count;
            t.least.min(p.mass + g.least);
            t.most.max(p.h);
        }
    }

    pub struct Lightest {
        pub ball: ArgMin<Real>,
        pub heaviest: ArgMax<Real>,
    }
    pub struct First {
        pub scale: Real,
    }
    impl Measure for First {
        type P = Ball;
        type T = Lightest;
        fn measure(&self, p: &Ball, t: &mut Lightest) {
            t.ball.min(self.scale * p.mass);
            t.heaviest.max(self.scale * p.mass);
        }
    }
}

/// The space, the precision, the skin and the numbers of particles of a world.
#[derive(Clone, Copy, Debug)]
struct Setting {
    domain: Domain,
    precision: Precision,
    skin: Skin,
    n: [usize; 2],
    seed: u64,
}

/// Balls that move, and walls that act on them.
struct World {
    setting: Setting,
    balls: Particles<Ball>,
    walls: Particles<Ball>,
    marks: Particles<Mark>,
    near: [Neighbours; 3],
    /// Given pairs of balls, and of balls and walls.
    given: [Neighbours; 2],
    bonds: ShortRange<Everywhere>,
    uniform: ShortRange<Uniform>,
    either: ShortRange<Either>,
    gather: ShortRange<Gather>,
    nearest: ShortRange<Nearest>,
    everywhere: AllPairs<Everywhere>,
    drift: PerParticle<Drift>,
    remark: PerParticle<Remark>,
    sums: PerParticle<Sums>,
    first: PerParticle<First>,
    follow: PerParticle<Follow>,
    resum: PerParticle<Resum>,
    borrow: PerParticle<Borrow>,
    total: nbody::Total<programs::Total>,
    selection: Selection,
    out: Results<Near>,
    found: Results<Found>,
    excluded: u32,
    /// The numbers that were read, and the operation of each.
    log: Vec<(&'static str, Vec<f64>)>,
}

/// The operations, with how often each is chosen.
const OPERATIONS: [(&str, u64); 27] = [
    ("look", 4),
    ("uniform", 6),
    ("add uniform", 2),
    ("either", 3),
    ("walls", 3),
    ("add walls", 2),
    ("look at bonds", 2),
    ("bonds", 3),
    ("add bonds", 3),
    ("add near bonds", 1),
    ("add ties", 2),
    ("nearest", 1),
    ("everywhere", 1),
    ("add everywhere", 1),
    ("drift", 12),
    ("drift walls", 2),
    ("remark", 3),
    ("sums", 3),
    ("first", 1),
    ("follow", 2),
    ("resum", 2),
    ("borrow", 2),
    ("read", 2),
    ("write", 1),
    ("select", 1),
    ("rows", 1),
    ("exclude", 1),
];

impl World {
    fn new(device: &Device, setting: Setting) -> Self {
        let Setting { domain, precision, skin, n, seed } = setting;
        let options = Options::default().precision(precision);
        let mut random = Random(seed);
        let [balls, walls] = n.map(|n| random.balls(n));
        let given = [bonds(&balls, seed), ties(n)]
            .map(|rows| Neighbours::with_options(device, rows, options.domain(domain)).unwrap());
        let marks: Vec<_> = (0..n[0])
            .map(|k| Mark { bias: [1.0, -1.0, 2.0][k % 3], active: (k % 2) as u32 })
            .collect();
        let near = [(); 3]
            .map(|()| Neighbours::with_options(device, skin, options.domain(domain)).unwrap());
        let [step, lift] = [[UNIT, 0.0, -UNIT], [0.0, UNIT, 0.0]].map(Vector);
        let mut drift = PerParticle::new(device, Drift { step, lift }).unwrap();
        drift.set_domain(domain).unwrap();
        drift.set_wrap(domain != Domain::Open);
        let sums = PerParticle::new(device, Sums { scale: 2.0, origin: Point::default() }).unwrap();
        let mut follow = PerParticle::new(device, Follow { step }).unwrap();
        follow.set_domain(domain).unwrap();
        follow.set_wrap(domain != Domain::Open);
        let last = (n[0] as u32).saturating_sub(1);
        let mut borrow = PerParticle::new(device, Borrow { step, last }).unwrap();
        borrow.set_domain(domain).unwrap();
        borrow.set_wrap(domain != Domain::Open);
        let uniform = ShortRange::with_options(device, Uniform { cutoff: 0.25 }, options).unwrap();
        let nearest = ShortRange::with_options(device, Nearest { cutoff: 0.25 }, options).unwrap();
        Self {
            setting,
            balls: device.upload(&balls, precision).unwrap(),
            walls: device.upload(&walls, precision).unwrap(),
            marks: device.upload(&marks, precision).unwrap(),
            near,
            given,
            bonds: ShortRange::with_options(device, Everywhere, options).unwrap(),
            either: ShortRange::with_options(device, Either { factor: 2.0 }, options).unwrap(),
            gather: ShortRange::with_options(device, Gather { factor: 2.0 }, options).unwrap(),
            everywhere: AllPairs::with_options(device, Everywhere, options).unwrap(),
            drift,
            remark: PerParticle::new(device, Remark { least: 6 }).unwrap(),
            total: sums.total().unwrap(),
            sums,
            follow,
            borrow,
            resum: PerParticle::new(device, Resum { scale: 1.0 }).unwrap(),
            first: PerParticle::new(device, First { scale: 1.0 }).unwrap(),
            selection: Selection::new(device).unwrap(),
            out: uniform.results(n[0]).unwrap(),
            found: nearest.results(n[0]).unwrap(),
            uniform,
            nearest,
            excluded: 0,
            log: Vec::new(),
        }
    }

    /// Does an operation.
    fn act(&mut self, name: &'static str) {
        let [n, _] = self.setting.n;
        let Self { balls, walls, marks, near, out, .. } = self;
        let store = if name.starts_with("add") { Store::Add } else { Store::Replace };
        let one_set = Sources::Same(&*balls);
        match name {
            // Other operations follow before the evaluation.
            "look" => near[0].update(balls, &[&self.uniform, &self.either]).unwrap(),
            "uniform" | "add uniform" => {
                near[0].update(balls, &[&self.uniform, &self.either]).unwrap();
                self.uniform.evaluate_over_with(&near[0], balls, one_set, out, store).unwrap();
            }
            "either" => {
                near[0].update(balls, &[&self.uniform, &self.either]).unwrap();
                // Only the first balls, in results of their own.
                let mut first = self.either.results(n / 3).unwrap();
                let of_all = Sources::First(&*balls);
                let mut evaluate = |out: &mut _, sources, store| {
                    self.either.evaluate_over_with(&near[0], balls, sources, out, store).unwrap();
                };
                evaluate(&mut first, of_all, Store::Replace);
                evaluate(out, one_set, Store::Add);
                evaluate(&mut first, of_all, Store::Add);
                let first = first.download::<f64>().unwrap();
                self.log.push((name, numbers(&first)));
            }
            "walls" | "add walls" => {
                let sources = Sources::Others(&*walls);
                near[1].update_with(balls, sources, &[&self.gather]).unwrap();
                self.gather.evaluate_over_with(&near[1], balls, sources, out, store).unwrap();
            }
            name if name.contains("bonds") || name.contains("ties") => self.act_by_given(name),
            "nearest" => {
                near[2].update(balls, &[&self.nearest]).unwrap();
                self.nearest.evaluate_over(&near[2], balls, &mut self.found).unwrap();
                self.log.push((name, numbers(&self.found.download::<f64>().unwrap())));
            }
            "everywhere" | "add everywhere" => {
                self.everywhere.evaluate_with(balls, one_set, out, store).unwrap();
            }
            "read" => self.read(),
            "write" => {
                let some: Vec<u32> = (0..n as u32).filter(|k| k % 5 == 1).collect();
                let others = Random(self.log.len() as u64).balls(some.len());
                balls.write_at(&some, &others).unwrap();
                let others = Random(some.len() as u64).balls(n);
                match self.log.len() % 3 {
                    0 => balls.replace_field("pos", Values::each(&others, |it| it.pos)),
                    1 => balls.replace_field("h", Values::each(&others, |it| it.h)),
                    _ => balls.replace_field("mass", Values::each(&others, |it| it.mass)),
                }
                .unwrap();
            }
            "select" => {
                let count = self.selection.select(marks, "active").unwrap();
                let mut to =
                    self.drift.device().upload::<Ball>(&[], self.setting.precision).unwrap();
                self.selection.gather(count, balls, &mut to).unwrap();
                self.log.push((name, numbers(&to.download().unwrap())));
            }
            "rows" => self.list_rows(name),
            "exclude" => {
                let n = n as u32;
                self.excluded += 1;
                let pairs: Vec<_> =
                    (0..n / 2).map(|k| [k, (k + self.excluded) % n.max(1)]).collect();
                match self.excluded % 5 {
                    0 => self.uniform.exclude(&pairs),
                    1 => near[0].exclude(&pairs),
                    2 => self.given[0].exclude(&pairs),
                    3 => self.bonds.exclude(&pairs[..pairs.len() / 2]),
                    _ => self.uniform.exclude(&[]),
                }
            }
            program => self.run(program),
        }
    }

    /// Runs programs per particle.
    fn run(&mut self, name: &'static str) {
        let Self { balls, walls, marks, out, .. } = self;
        match name {
            "drift" => {
                let inputs = (&*marks, &*marks, &*out, &self.found);
                self.drift.update_by_name(balls, inputs).unwrap();
            }
            "drift walls" => {
                // The walls have no results and marks of their own.
                let counts = self.uniform.results(walls.len()).unwrap();
                let marks = vec![Mark::<f64> { bias: 3.0, active: 0 }; walls.len()];
                let marks = self.drift.device().upload(&marks, self.setting.precision).unwrap();
                let found = self.nearest.results(walls.len()).unwrap();
                let inputs = (&marks, &marks, &counts, &found);
                self.drift.update_by_name(walls, inputs).unwrap();
            }
            "remark" => self.remark.update_by_name(marks, &*out).unwrap(),
            "sums" => {
                let inputs = (&*marks, &*out);
                let total = self.sums.measure_by_name(balls, inputs).unwrap();
                self.log.push((name, numbers(&[total])));
            }
            "follow" => {
                let inputs = (&*marks, &*out);
                self.sums.measure_into_by_name(balls, inputs, &mut self.total).unwrap();
                self.follow.update_by_name(balls, &self.total).unwrap();
            }
            "borrow" => self.borrow.update_by_name(balls, &*marks).unwrap(),
            "resum" => {
                // The total becomes NaN in every second call, and spoils the last one.
                let scale = if self.log.len().is_multiple_of(2) { f64::INFINITY } else { 1.0 };
                self.resum.set_parameters(Resum { scale });
                let mut next = self.sums.total().unwrap();
                self.resum.measure_into_by_name(balls, &self.total, &mut next).unwrap();
                let total = self.resum.measure_by_name(balls, &next).unwrap();
                for total in [next.download().unwrap(), total] {
                    let known = |x: f64| if x.is_nan() { -77.0 } else { x };
                    let row = numbers(&[total]).into_iter().map(known);
                    self.log.push((name, row.collect()));
                }
            }
            "first" => {
                let total = self.first.measure_by_name(balls, ()).unwrap();
                self.log.push((name, numbers(&[total])));
            }
            _ => unreachable!("{name}"),
        }
    }

    /// Reads the rows of lists, and compares figures with them.
    fn list_rows(&mut self, name: &'static str) {
        let Self { balls, near, given, .. } = self;
        let (near, given) = (&mut near[0], &mut given[0]);
        near.rebuild();
        near.update(balls, &[&self.uniform, &self.either]).unwrap();
        given.update(balls, &[&self.bonds, &self.uniform]).unwrap();
        let [found, given] = [near.to_csr(), given.to_csr()].map(|rows| rows.unwrap().unwrap());
        for Csr { offsets, indices } in [&found, &given] {
            let rows = offsets.iter().map(|x| *x as f64);
            let rows = rows.chain(indices.iter().map(|x| f64::from(*x)));
            self.log.push((name, rows.collect()));
        }
        let (stats, n) = (near.stats().unwrap(), balls.len());
        assert_eq!((stats.particles, stats.age), (n, 0));
        let neighbours = found.indices.len() as f64 / n.max(1) as f64;
        assert!((stats.neighbours - neighbours).abs() < 1e-12);
        assert!(stats.tested >= 1.0 || found.indices.is_empty(), "{stats}");
        // Each rank has at most all particles of the others.
        assert!(stats.ghosts >= 0.0 && stats.ghosts <= 6.0, "{stats}");
    }

    /// Does an operation over given pairs.
    fn act_by_given(&mut self, name: &str) {
        let Self { balls, walls, near, given, out, .. } = self;
        let store = if name.starts_with("add") { Store::Add } else { Store::Replace };
        let (one_set, two_sets) = (Sources::Same(&*balls), Sources::Others(&*walls));
        let [bonds, ties] = given;
        if name == "add ties" {
            ties.update_with(balls, two_sets, &[&self.bonds]).unwrap();
            self.bonds.evaluate_over_with(ties, balls, two_sets, out, store).unwrap();
            return;
        }
        bonds.update(balls, &[&self.bonds, &self.uniform]).unwrap();
        match name {
            // The balls may move to other ranks before the evaluation.
            "look at bonds" => {}
            "bonds" | "add bonds" => {
                near[0].update(balls, &[&self.uniform, &self.either]).unwrap();
                self.bonds.evaluate_over_with(bonds, balls, one_set, out, store).unwrap();
            }
            "add near bonds" => {
                self.uniform.evaluate_over_with(bonds, balls, one_set, out, store).unwrap();
            }
            _ => unreachable!("{name}"),
        }
    }

    /// Reads all buffers.
    fn read(&mut self) {
        self.log.push(("read balls", numbers(&self.balls.download().unwrap())));
        self.log.push(("read walls", numbers(&self.walls.download().unwrap())));
        self.log.push(("read marks", numbers(&self.marks.download().unwrap())));
        self.log.push(("read results", numbers(&self.out.download::<f64>().unwrap())));
    }
}

/// Returns pairs of balls: of close ones, or of any, some of them twice.
fn bonds(balls: &[Ball], seed: u64) -> Csr {
    let n = balls.len();
    let all = (0..n).flat_map(|a| (0..a).map(move |b| [a, b]));
    let is_close = |&[a, b]: &[usize; 2]| (balls[a].pos - balls[b].pos).norm2() < 0.02;
    let pairs: Vec<_> = if seed.is_multiple_of(2) {
        (0..n).map(|k| [k, (7 * k + 3) % n]).collect()
    } else {
        all.filter(is_close).collect()
    };
    let pairs: Vec<_> = pairs.into_iter().map(|pair| pair.map(|k| k as u32)).collect();
    Csr::from_pairs(n, &pairs).unwrap()
}

/// Returns pairs of balls and walls.
fn ties([balls, walls]: [usize; 2]) -> Csr {
    let mut rows = Csr { offsets: vec![0], indices: Vec::new() };
    for k in 0..balls {
        rows.indices.extend((0..walls as u32).filter(|j| (*j as usize + k).is_multiple_of(13)));
        rows.offsets.push(rows.indices.len() as u64);
    }
    rows
}

/// Does random operations; returns what was read.
fn run(device: &Device, setting: Setting, operations: usize) -> Vec<(&'static str, Vec<f64>)> {
    let (mut world, mut random) = (World::new(device, setting), Random(setting.seed + 1));
    let all: u64 = OPERATIONS.iter().map(|(_, weight)| weight).sum();
    for _ in 0..operations {
        let mut chosen = random.below(all);
        let name = OPERATIONS.iter().find(|(_, weight)| {
            let is_it = chosen < *weight;
            chosen = chosen.wrapping_sub(*weight);
            is_it
        });
        world.act(name.unwrap().0);
    }
    world.read();
    world.log
}

/// Checks worlds on some of these devices in turn.
fn check(devices: &[Device], seeds: std::ops::Range<u64>, sizes: &[[usize; 2]], operations: usize) {
    for seed in seeds {
        let k = seed as usize;
        let setting = Setting {
            domain: domain(k % 3, 1.0),
            precision: Precision::ALL[k / 2 % 3],
            skin: [Skin::Auto, Skin::Length(12.0 * UNIT), Skin::Length(0.0)][k / 3 % 3],
            n: sizes[k % sizes.len()],
            seed,
        };
        let (ranks, device) = ([2, 3, 4, 7][k % 4], &devices[k % devices.len()]);
        let expected = run(device, setting, operations);
        for found in threads(ranks, |all| run(&over(all, device), setting, operations)) {
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{setting:?}, {ranks} ranks, {device}");
            }
            assert_eq!(found.len(), expected.len());
        }
    }
}

#[test]
fn random_operations_have_the_results_of_the_device_alone() {
    let sizes = [[300, 120], [33, 1], [1, 40], [700, 300], [2, 0], [0, 0], [90, 500]];
    check(&levels(), 0..42, &sizes, 60);
}

/// The same, where the ranks find and move parts of particles by kernels.
#[test]
fn random_operations_on_gpus_have_the_results_of_one() {
    let sizes = [[130, 60], [33, 1], [1, 40], [70, 100], [2, 0], [0, 0]];
    check(&nbody_tests::cuda_devices(), 0..12, &sizes, 30);
}

/// Ranks divide rectangular boxes; all pairs have no regions.
#[test]
fn lists_over_ranks_refuse_triclinic_boxes() {
    let vectors = [[2.0, 0.0, 0.0], [0.5, 2.0, 0.0], [0.0, -1.0, 2.0]];
    let domain = Domain::triclinic(vectors).unwrap();
    threads(2, |all| {
        let device = over(all, &Device::cpu());
        let options = Options::default().domain(domain);
        let mut near = Neighbours::new(&device, Skin::Auto).unwrap();
        let refused = [
            Neighbours::with_options(&device, Skin::Auto, options).map(|_| ()),
            near.set_domain(domain),
        ];
        for refused in refused {
            let error = refused.unwrap_err().to_string();
            assert!(error.starts_with("neighbour lists over ranks in a triclinic box"), "{error}");
        }
        assert_eq!(near.domain(), Domain::Open);
        AllPairs::with_options(&device, Uniform { cutoff: 0.25 }, options).unwrap();
    });
}

/// Given pairs are listed again only after particles have moved to other ranks.
#[test]
fn given_pairs_are_listed_when_particles_move() {
    for device in [&levels()[..1], &nbody_tests::cuda_devices()[..]].concat() {
        let all = threads(3, |all| {
            let device = over(all, &device);
            let balls = Random(3).balls(200);
            let mut near = Neighbours::new(&device, Skin::Length(12.0 * UNIT)).unwrap();
            let mut given = Neighbours::new(&device, bonds(&balls, 0)).unwrap();
            let uniform = ShortRange::new(&device, Uniform { cutoff: 0.25 }).unwrap();
            let mut bonds = ShortRange::new(&device, Everywhere).unwrap();
            let particles = near.upload(&balls).unwrap();
            let mut out = bonds.results(200).unwrap();
            let mut counts = Vec::new();
            for k in 0..9 {
                if k % 3 == 1 {
                    near.rebuild();
                }
                near.update(&particles, &[&uniform]).unwrap();
                given.update(&particles, &[&bonds]).unwrap();
                bonds.evaluate_over(&given, &particles, &mut out).unwrap();
                counts.push([near.rebuilds().unwrap(), given.rebuilds().unwrap()]);
            }
            counts
        });
        let expected = [1, 2, 2, 2, 3, 3, 3, 4, 4].map(|k| [k; 2]);
        assert!(all.iter().all(|counts| *counts == expected), "{device}: {all:?}");
    }
}
