//! Benchmark of the CPU engine on one thread, at each level of vector instructions, and of the
//! fastest paths of the `particular` crate; of a histogram, compared with a plain loop; and of the
//! engine's best level in double precision, and on all threads:
//! `cargo bench -p nbody-benches --bench cpu`.
#![allow(missing_docs)]

use std::any::Any;
use std::hint::black_box;
use std::num::NonZero;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nbody::cpu::SimdLevel;
use nbody::law::Law;
use nbody::models::uniform;
use nbody::{AllPairs, Device, Engine, Interaction, Options, Pairs, Precision};
use nbody_interactions::Visitor;
use nbody_interactions::gravity::Body;
use particular::math::Vec3;
use particular::prelude::ComputeMethod;
use particular::sequential::{BruteForcePairsSoftened, BruteForceSoftenedSIMD};
use particular::storage::{ParticleOrdered, ParticleSliceSystem, PointMass};
use rayon::ThreadPoolBuilder;

const INTERACTIONS: [&str; 7] = [
    "attraction",
    "gravity",
    "hermite",
    "lennard_jones",
    "cubic_momentum3",
    "hologram",
    "histogram",
];
const SIZES: [usize; 2] = [1024, 8192];

/// The configuration of a measurement.
#[derive(Clone, Copy)]
struct Way {
    level: SimdLevel,
    precision: Precision,
    pairs: Pairs,
    threads: usize,
}

impl Way {
    fn all(law: &Law) -> impl Iterator<Item = Self> {
        let one =
            |level| Self { level, precision: Precision::Single, pairs: Pairs::Ordered, threads: 1 };
        let best = one(SimdLevel::best());
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let double = Self { precision: Precision::Double, ..best };
        let parallel = (threads > 1).then_some(Self { threads, ..best });
        let ways = SimdLevel::available().map(one).chain([double]).chain(parallel);
        let pairs = &[Pairs::Ordered, Pairs::Symmetric];
        let pairs = &pairs[..if law.third_law.is_some() { 2 } else { 1 }];
        ways.flat_map(move |way| pairs.iter().map(move |&pairs| Self { pairs, ..way }))
    }
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { level, precision, pairs, threads } = self;
        write!(f, "{level} {precision} {pairs} x{threads}")
    }
}

struct Bench<'a>(&'a mut Criterion);

impl Visitor for Bench<'_> {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        if !INTERACTIONS.contains(&X::LAW.name) {
            return;
        }
        let mut group = self.0.benchmark_group(X::LAW.name);
        for way in Way::all(X::LAW) {
            let Way { level, precision, pairs, threads } = way;
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            for n in SIZES {
                let options = Options::default().pairs(pairs).precision(precision);
                let mut direct = AllPairs::with_options(
                    &Device::cpu_with(level).unwrap(),
                    interaction.clone(),
                    options,
                )
                .expect("the machine has this level");
                let i = direct.upload(&uniform::<X::I>(n, 1)).expect("room for the particles");
                let j = direct.upload(&uniform::<X::J>(n, 2)).expect("room for the particles");
                let j = (&i as &dyn Any).downcast_ref().unwrap_or(&j);
                let mut out = direct.results(n).expect("room for the results");
                group.throughput(Throughput::Elements((n * n) as u64));
                group.bench_function(BenchmarkId::new(way.to_string(), n), |bencher| {
                    pool.install(|| bencher.iter(|| direct.evaluate_self_into(&i, j, &mut out)));
                });
            }
        }
        group.finish();
    }
}

/// Measures the accelerations of `attraction` with the `particular` crate.
fn particular(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("attraction");
    for n in SIZES {
        let softening = 0.01;
        let mass = |body: &Body| {
            let position = body.pos.0.map(|x| x as f32);
            PointMass::new(Vec3::from(position), body.mass as f32)
        };
        let bodies: Vec<_> = uniform::<Body>(n, 1).iter().map(mass).collect();
        let set = ParticleSliceSystem { affected: &bodies[..], massive: &bodies[..] };
        group.throughput(Throughput::Elements((n * n) as u64));
        group.bench_function(BenchmarkId::new("particular simd", n), |bencher| {
            bencher.iter(|| BruteForceSoftenedSIMD::<8, f32> { softening }.compute(set));
        });
        let ordered = ParticleOrdered::from(&bodies[..]);
        group.bench_function(BenchmarkId::new("particular pairs", n), |bencher| {
            bencher.iter(|| BruteForcePairsSoftened { softening }.compute(&ordered));
        });
    }
    group.finish();
}

/// The number of particles of each kind, as in docs/language.md.
#[nbody::interaction]
mod histogram {
    pub const BINS: u32 = 32;

    pub struct Histogram;
    pub struct Sample {
        pub kind: u32,
    }
    pub struct Bins {
        pub bins: [Real; BINS],
    }

    impl Interaction for Histogram {
        type I = Sample;
        type J = Sample;
        type F = Bins;
        const SELF_PAIRS: bool = true;

        fn pair(&self, _i: &Sample, j: &Sample, f: &mut Bins) {
            for k in 0..BINS {
                if j.kind == k {
                    f.bins[k] += 1.0;
                }
            }
        }
    }
}

/// Measures the histogram in a plain loop with an index.
fn plain_histogram(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(histogram::Histogram::LAW.name);
    for n in SIZES {
        let samples: Vec<u32> =
            uniform::<histogram::Sample>(n, 1).iter().map(|it| it.kind).collect();
        group.throughput(Throughput::Elements((n * n) as u64));
        group.bench_function(BenchmarkId::new("plain loop", n), |bencher| {
            bencher.iter(|| {
                let each = |_| {
                    let mut bins = [0_f32; histogram::BINS as usize];
                    for &kind in black_box(&samples) {
                        bins[kind as usize] += 1.0;
                    }
                    bins
                };
                (0..n).map(each).collect::<Vec<_>>()
            });
        });
    }
    group.finish();
}

fn cpu(criterion: &mut Criterion) {
    let mut bench = Bench(criterion);
    nbody_interactions::visit_all(&mut bench);
    bench.visit(histogram::Histogram);
    plain_histogram(criterion);
    particular(criterion);
}

/// Configures enough samples for medians of runs between 0.1 ms and seconds.
fn configuration() -> Criterion {
    let short = Criterion::default().sample_size(10);
    short.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(2))
}

criterion_group!(name = benches; config = configuration(); targets = cpu);
criterion_main!(benches);
