//! All pairs on the CPU and on the available GPUs: `cargo bench -p nbody-benches`.
//! `nbody bench` measures every interaction, and reports more.
#![allow(missing_docs)]

use std::any::Any;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nbody::models::uniform;
use nbody::{AllPairs, Device, Engine, Interaction, Particles, Sources};
use nbody_interactions::Visitor;

/// Interactions in ascending order of the cost of a pair; the last one has a cutoff.
const INTERACTIONS: [&str; 4] = ["attraction", "gravity", "hermite", "lennard_jones"];

struct Bench<'a> {
    criterion: &'a mut Criterion,
    device: Device,
    sizes: &'static [usize],
}

impl Visitor for Bench<'_> {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        if !INTERACTIONS.contains(&X::LAW.name) {
            return;
        }
        let mut group =
            self.criterion.benchmark_group(format!("{} on {}", X::LAW.name, self.device));
        group.sample_size(10);
        for &n in self.sizes {
            let mut direct =
                AllPairs::new(&self.device, interaction.clone()).expect("the device answers");
            let i = direct.upload(&uniform::<X::I>(n, 1)).expect("room for the particles");
            let mut out = direct.results(n).expect("room for the results");
            let j: &dyn Any = &i;
            let j: &Particles<X::J> = j.downcast_ref().expect("i and j are of one type");
            group.throughput(Throughput::Elements((n * n) as u64));
            group.bench_function(BenchmarkId::from_parameter(n), |bencher| {
                bencher.iter_custom(|runs| {
                    let mut run = || direct.time(&i, Sources::Same(j), &mut out).expect("it runs");
                    (0..runs).map(|_| run()).sum()
                });
            });
        }
        group.finish();
    }
}

fn all_pairs(criterion: &mut Criterion) {
    for device in Device::all() {
        let sizes: &[usize] = match device.name().as_str() {
            "emulator" => continue,
            "cpu" => &[512, 1024, 4096],
            _ => &[2048, 16384, 131_072],
        };
        nbody_interactions::visit_all(&mut Bench { criterion, device, sizes });
    }
}

criterion_group!(benches, all_pairs);
criterion_main!(benches);
