//! Records of more numbers than a stack has room for.

use nbody::prelude::*;
use nbody::{Case, Interaction};

#[nbody::interaction]
mod large {
    pub struct Large {
        pub weights: [[Real; 32]; 32],
    }
    pub struct Sample {
        pub x: Real,
        pub kind: u32,
    }
    pub struct Sums {
        pub plain: [Real; 4096],
        pub alike: [Real; 4096],
        pub less: [Real; 4096],
    }

    impl Interaction for Large {
        type I = Sample;
        type J = Sample;
        type F = Sums;

        fn pair(&self, i: &Sample, j: &Sample, f: &mut Sums) {
            f.plain[0] += self.weights[i.kind][j.kind] * j.x;
            if i.kind == j.kind {
                f.alike[2048] += i.x + j.x;
            }
            f.less[4095] -= i.x - j.x;
        }
    }
}
use large::{Large, Sample};

/// Threads of tests have two megabytes of stack, a tenth of what some of these evaluations take.
#[test]
fn large_results_are_evaluated_on_the_cpu() {
    let law = Large { weights: [[0.5; 32]; 32] };
    let samples: Vec<Sample> = nbody_models::uniform(40, 1);
    let case = Case::one_set(&law, Domain::Open, samples.clone(), samples).unwrap();
    for (&precision, &accumulation) in
        Precision::ALL.iter().flat_map(|p| Accumulation::ALL.iter().map(move |a| (p, a)))
    {
        for (math, pairs) in [
            (Math::Fast, Pairs::Ordered),
            (Math::Fast, Pairs::Unordered),
            (Math::Exact, Pairs::Ordered),
        ] {
            let options = Options { precision, accumulation, math, pairs, ..Options::default() };
            let mut direct = AllPairs::with_options(&Device::cpu(), law, options).unwrap();
            let report = case.check(&mut direct, &options).unwrap();
            assert!(report.passes(), "{options:?}\n{report}");
        }
    }
    assert!(Large::LAW.third_law.is_some());
}
