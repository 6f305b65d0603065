//! The CPU engine on one thread, with each of the vector instructions that there are, and the
//! fastest paths of the `particular` crate: `cargo bench --bench cpu`.
#![allow(missing_docs)]

use std::any::Any;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nbody::models::uniform;
use nbody::{CpuAllPairs, Engine, Interaction, Options, Pairs, SimdLevel};
use nbody_interactions::Visitor;
use nbody_interactions::gravity::Body;
use particular::math::Vec3;
use particular::prelude::ComputeMethod;
use particular::sequential::{BruteForcePairsSoftened, BruteForceSoftenedSIMD};
use particular::storage::{ParticleOrdered, ParticleSliceSystem, PointMass};

const INTERACTIONS: [&str; 6] =
    ["attraction", "gravity", "hermite", "lennard_jones", "cubic_momentum3", "hologram"];
const SIZES: [usize; 2] = [1024, 8192];

struct Bench<'a>(&'a mut Criterion);

impl Visitor for Bench<'_> {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        if !INTERACTIONS.contains(&X::NAME) {
            return;
        }
        let mut group = self.0.benchmark_group(X::NAME);
        group.sample_size(10);
        let all = [Pairs::Ordered, Pairs::Unordered];
        let pairs = &all[..if X::THIRD_LAW.is_some() { 2 } else { 1 }];
        for (level, &pairs) in
            SimdLevel::available().flat_map(|level| pairs.iter().map(move |pairs| (level, pairs)))
        {
            for n in SIZES {
                let options = Options { pairs, ..Options::default() };
                let mut direct = CpuAllPairs::with_level(interaction, options, level)
                    .expect("the machine has this level");
                let i = direct.upload(&uniform::<X::I>(n, 1)).expect("room for the particles");
                let j = direct.upload(&uniform::<X::J>(n, 2)).expect("room for the particles");
                let j = (&i as &dyn Any).downcast_ref().unwrap_or(&j);
                let mut out = direct.fields(n).expect("room for the results");
                group.throughput(Throughput::Elements((n * n) as u64));
                group.bench_function(BenchmarkId::new(format!("{level} {pairs}"), n), |bencher| {
                    bencher.iter(|| direct.evaluate_self_into(&i, j, &mut out));
                });
            }
        }
        group.finish();
    }
}

/// The accelerations that `attraction` computes.
fn particular(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("attraction");
    group.sample_size(10);
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

fn cpu(criterion: &mut Criterion) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    nbody_interactions::visit_all(&mut Bench(criterion));
    particular(criterion);
}

criterion_group!(benches, cpu);
criterion_main!(benches);
