//! Records larger than a stack.

use nbody::Interaction;
use nbody::check::Case;
use nbody::prelude::*;

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

/// An interaction whose accumulators alone fill a stack of 256 KiB.
#[nbody::interaction]
mod larger {
    pub struct Larger;
    pub struct Number {
        pub x: Real,
    }
    pub struct Sums {
        pub a: [Real; 4096],
        pub b: [Real; 4096],
        pub c: [Real; 4096],
        pub d: [Real; 4096],
        pub e: [Real; 4096],
        pub f: [Real; 4096],
        pub g: [Real; 4096],
        pub h: [Real; 4096],
        pub k: [Real; 4096],
    }

    impl Interaction for Larger {
        type I = Number;
        type J = Number;
        type F = Sums;

        fn pair(&self, i: &Number, j: &Number, f: &mut Sums) {
            f.a[0] += i.x * j.x;
            f.b[1] += j.x;
            f.c[2] += j.x;
            f.d[3] += j.x;
            f.e[4] += j.x;
            f.f[5] += j.x;
            f.g[6] += j.x;
            f.h[7] += j.x;
            f.k[4095] += j.x;
        }
    }
}
use larger::{Larger, Number};

#[test]
fn larger_results_are_right_on_the_cpu_and_in_the_emulator() {
    let numbers = [1.0, 2.0, 3.0].map(|x| Number { x });
    for device in [Device::cpu(), nbody_tests::emulator()] {
        let mut direct = AllPairs::new(&device, Larger).unwrap();
        let sums = direct.evaluate(&numbers[..2], &numbers).unwrap();
        for (sums, i) in sums.iter().zip(&numbers) {
            assert_eq!((sums.a[0], sums.k[4095]), (6.0 * i.x, 6.0), "{device}");
            assert!(sums.e.iter().sum::<f64>() == 6.0, "{device}");
        }
    }
}

/// Threads of tests have two megabytes of stack, a tenth of the size that some of these
/// evaluations need.
#[test]
fn large_results_are_evaluated_on_the_cpu() {
    let law = Large { weights: [[0.5; 32]; 32] };
    let samples: Vec<Sample> = nbody::models::uniform(40, 1);
    let case = Case::one_set(&law, Domain::Open, samples.clone(), samples).unwrap();
    for (&precision, &accumulation) in
        Precision::ALL.iter().flat_map(|p| Accumulation::ALL.iter().map(move |a| (p, a)))
    {
        for (math, pairs) in [
            (Math::Fast, Pairs::Ordered),
            (Math::Fast, Pairs::Symmetric),
            (Math::Exact, Pairs::Ordered),
        ] {
            let options = Options::default()
                .precision(precision)
                .accumulation(accumulation)
                .math(math)
                .pairs(pairs);
            let mut direct = AllPairs::with_options(&Device::cpu(), law, options).unwrap();
            let report = case.check(&mut direct).unwrap();
            assert!(report.passes(), "{options:?}\n{report}");
        }
    }
    assert!(Large::LAW.third_law.is_some());
}
