//! Inputs that all pairs refuse with typed errors: buffers of other engines, too many particles,
//! impossible kernel configurations.

use nbody::check::{ErrorBounds, compare, reference_self};
use nbody::cuda::{Error as CudaError, KernelConfig};
use nbody::prelude::*;
use nbody::{Accumulation, Error};
use nbody_interactions::gravity::{Field, Gravity};
use nbody_tests::bodies::{GRAVITY, bodies};

#[test]
fn wrong_lengths_are_refused() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let (four, five) = (direct.upload(&bodies(4)).unwrap(), direct.upload(&bodies(5)).unwrap());
        let mut out = direct.results(5).unwrap();
        let error = direct.evaluate_into(&four, &five, &mut out).unwrap_err();
        assert_eq!(
            error.to_string(),
            "results: found 5, expected 4; give one for each particle",
            "{device}"
        );
        let mut out = direct.results(4).unwrap();
        let three = direct.upload(&bodies(3)).unwrap();
        let error = direct.evaluate_self_into(&four, &three, &mut out).unwrap_err();
        let expected = "j-particles of one set: found 3, expected 4; give one for each particle";
        assert_eq!(error.to_string(), expected);
        let error = direct.evaluate_first_into(&three, &three, &mut out).unwrap_err();
        assert_eq!(
            error.to_string(),
            "particles of one set: found 3, expected at least 4; give every particle of the set"
        );
    }
}

#[test]
fn buffers_of_another_device_or_precision_are_refused() {
    let emulator = nbody_tests::emulator();
    let mut cpu = AllPairs::new(&Device::cpu(), GRAVITY).unwrap();
    let mut emulated = AllPairs::new(&emulator, GRAVITY).unwrap();
    let double = Options::default().precision(Precision::Double);
    let double = AllPairs::with_options(&emulator, GRAVITY, double).unwrap();
    let mut out = emulated.results(2).unwrap();
    let (here, there) = (emulated.upload(&bodies(2)).unwrap(), cpu.upload(&bodies(2)).unwrap());
    let wide = double.upload(&bodies(2)).unwrap();
    let error = emulated.evaluate_into(&here, &there, &mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "j-particles of cpu given to emulator; upload them with the engine that uses them"
    );
    assert!(cpu.evaluate_into(&there, &there, &mut out).is_err());
    assert_eq!(out.download::<f64>().unwrap(), [Field::default(); 2], "nothing is evaluated");
    let error = emulated.evaluate_into(&here, &wide, &mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "j-particles of emulator in double precision given to emulator in single precision; \
         upload them with the engine that uses them"
    );
    let direct = Options::default().accumulation(Accumulation::Direct);
    let direct = AllPairs::with_options(&emulator, GRAVITY, direct).unwrap();
    let mut narrow = direct.results(2).unwrap();
    let error = emulated.evaluate_into(&here, &here, &mut narrow).unwrap_err();
    assert!(matches!(error, Error::ForeignBuffer { what: "results", .. }), "{error}");
}

#[test]
fn engines_accept_buffers_of_their_device_and_precision() {
    let devices = nbody_tests::all_devices();
    let mut engines = Vec::new();
    for device in &devices {
        for (&precision, &accumulation) in
            Precision::ALL.iter().flat_map(|p| Accumulation::ALL.iter().map(move |a| (p, a)))
        {
            let options = Options::default().precision(precision).accumulation(accumulation);
            engines.push(AllPairs::with_options(device, GRAVITY, options).unwrap());
        }
    }
    let about: Vec<_> =
        engines.iter().map(|engine| (engine.device().name(), engine.options())).collect();
    let particles: Vec<_> =
        engines.iter().map(|engine| engine.upload(&bodies(9)).unwrap()).collect();
    let mut results: Vec<_> = engines.iter().map(|engine| engine.results(9).unwrap()).collect();
    for (own, engine) in engines.iter_mut().enumerate() {
        let (device, options) = &about[own];
        let right = engine.evaluate_self(&bodies(9)).unwrap();
        for (other, (of, with)) in about.iter().enumerate() {
            let tell = format!("{device} {options:?}, of {of} {with:?}");
            let fits = of == device && with.precision == options.precision;
            for [i, j] in [[other, own], [own, other]] {
                let mut out = engine.results(9).unwrap();
                let done = engine.evaluate_self_into(&particles[i], &particles[j], &mut out);
                assert_eq!(done.is_ok(), fits, "particles: {tell}: {done:?}");
                let found: Vec<Field> = out.download().unwrap();
                let nothing = vec![Field::default(); 9];
                assert_eq!(found, if fits { right.clone() } else { nothing }, "{tell}");
            }
            let fits = of == device && with.backup() == options.backup();
            let [i, j] = [&particles[own]; 2];
            let done = engine.evaluate_self_into(i, j, &mut results[other]);
            assert_eq!(done.is_ok(), fits, "results: {tell}: {done:?}");
        }
    }
}

#[nbody::interaction]
mod wide {
    pub struct Wide;
    pub struct Number {
        pub x: Real,
    }
    /// A result whose size is a power of two.
    pub struct Powers {
        pub sums: [Real; 16],
    }
    impl Interaction for Wide {
        type I = Number;
        type J = Number;
        type F = Powers;
        fn pair(&self, _i: &Number, j: &Number, f: &mut Powers) {
            for k in 0..16 {
                f.sums[k] += j.x;
            }
        }
    }
}

#[test]
fn memory_that_does_not_fit_is_an_error() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let direct = AllPairs::new(&device, GRAVITY).unwrap();
        let wide = AllPairs::new(&device, wide::Wide).unwrap();
        // Some of these numbers, times the size of a result, are small or zero modulo 2^64.
        for n in (0..20).flat_map(|shift| [usize::MAX >> shift, 1 << (63 - shift)]) {
            for error in [direct.results(n).map(drop), wide.results(n).map(drop)] {
                let error = error.unwrap_err().to_string();
                assert!(error.starts_with("out of memory"), "{device}: {n}: {error}");
            }
            let mut out = direct.results(2).unwrap();
            let error = out.resize(n).unwrap_err().to_string();
            assert!(error.starts_with("out of memory"), "{device}: {n}: {error}");
            assert_eq!(out.len(), 2, "{device}: {n}");
        }
    }
}

#[test]
fn a_bag_that_does_not_fit_is_an_error_before_anything_is_compiled() {
    let device = nbody_tests::emulator();
    let order = Some(SummationOrder { bag: 100_000, splits: 1 });
    let options = Options::default().order(order);
    let error = AllPairs::with_options(&device, GRAVITY, options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the kernel does not fit: a block needs 1600032 bytes of shared memory and can have 49152; \
         use a smaller bag (SummationOrder) or smaller j-particles"
    );
    assert!(AllPairs::with_options(&Device::cpu(), GRAVITY, options).is_ok());
    for order in [SummationOrder { bag: 0, splits: 1 }, SummationOrder { bag: 1, splits: 0 }] {
        let options = Options::default().order(order);
        for device in [&device, &Device::cpu()] {
            let error = AllPairs::with_options(device, GRAVITY, options).unwrap_err();
            assert!(error.to_string().contains("must be at least 1"), "{error}");
        }
    }
}

/// Backup accumulators of compensated sums are in shared memory if they fit there next to the bag.
#[test]
fn a_bag_has_the_shared_memory_of_backup_accumulators() {
    let device = nbody_tests::emulator();
    let bodies = bodies(50);
    let compensated = Options::default().accumulation(Accumulation::Compensated);
    let expected = reference_self(&GRAVITY, Domain::Open, &bodies, &bodies).unwrap();
    // j-particles of 16 bytes in 48 KiB, next to 5 to 17 KiB for accumulators.
    for (bag, are_shared) in [(1, true), (1982, true), (2751, false), (3070, false)] {
        let options = compensated.order(SummationOrder { bag, splits: 1 });
        let mut engine = AllPairs::with_options(&device, GRAVITY, options).unwrap();
        let found = engine.evaluate_self(&bodies).unwrap();
        let bounds = ErrorBounds::one_set(&GRAVITY, Domain::Open, &bodies, &bodies)
            .unwrap()
            .bounds(&options);
        let report = compare::<Field, f64>(&found, &expected, Some(&bounds)).unwrap();
        assert!(report.passes(), "{bag}\n{report}");
        let text = &engine.program().unwrap().source;
        let constant = format!("TOTALS_ARE_SHARED = {are_shared};");
        assert!(text.contains(&constant), "{bag}: no {constant}");
    }
    let options = compensated.order(SummationOrder { bag: 3071, splits: 1 });
    assert!(AllPairs::with_options(&device, GRAVITY, options).is_err());
}

#[nbody::interaction]
mod tables {
    /// Tables of 57616 bytes in single precision.
    pub struct Wide {
        pub tables: [Real; 4096],
        pub more: [Real; 4096],
        pub others: [Real; 4096],
        pub table: [[Real; 46]; 46],
    }
    pub struct Near {
        pub tables: [Real; 4096],
        pub more: [Real; 4096],
        pub others: [Real; 4096],
        pub table: [[Real; 46]; 46],
    }
    pub struct Atom {
        pub pos: Point,
        pub charge: Real,
        pub kind: u32,
    }
    pub struct Sum {
        pub pot: Real,
    }
    impl Interaction for Wide {
        type I = Atom;
        type J = Atom;
        type F = Sum;
        fn pair(&self, i: &Atom, j: &Atom, f: &mut Sum) {
            let factor = self.table[i.kind][i.kind];
            f.pot += j.charge * factor * (j.pos - i.pos).norm2().rsqrt();
        }
    }
    impl Interaction for Near {
        type I = Atom;
        type J = Atom;
        type F = Sum;
        fn cutoff(&self, _i: &Atom, _j: &Atom) -> Real {
            1.0
        }
        fn pair(&self, i: &Atom, j: &Atom, f: &mut Sum) {
            f.pot += self.table[i.kind][j.kind];
        }
    }
}

#[test]
#[allow(clippy::large_stack_arrays)] // parameters are arrays
fn tables_that_do_not_fit_are_named_as_the_cause() {
    let device = nbody_tests::emulator();
    let (table, row) = ([[1.0; 46]; 46], [1.0; 4096]);
    let wide = || tables::Wide { tables: row, more: row, others: row, table };
    let near = tables::Near { tables: row, more: row, others: row, table };
    let all_pairs = AllPairs::new(&device, wide()).map(drop);
    let atoms: Vec<tables::Atom> = nbody::models::uniform(4, 1);
    let lists = ShortRange::new(&device, near).unwrap().evaluate_self(&atoms).map(drop);
    let tree = Tree::new(&device, wide(), Opening::theta(0.5));
    let tree = tree.and_then(|mut tree| tree.evaluate_self(&atoms).map(drop));
    for error in [all_pairs, lists, tree] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains("most of it are the parameters"), "{error}");
    }
    // Here the bag takes more memory than the parameters.
    let options = Options::default().order(Some(SummationOrder { bag: 100_000, splits: 1 }));
    let error = AllPairs::with_options(&device, wide(), options).unwrap_err();
    assert!(error.to_string().contains("use a smaller bag"), "{error}");
}

#[test]
fn kernel_configurations_may_be_set_and_impossible_ones_are_refused() {
    let device = nbody_tests::emulator();
    let options = Options::default();
    let expected = AllPairs::new(&Device::cpu(), GRAVITY).unwrap().evaluate_self(&bodies(700));
    let expected = expected.unwrap();
    let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
    for config in KernelConfig::all(Gravity::LAW, options).unwrap() {
        direct.set_kernel_config(Some(config)).unwrap();
        let found = direct.evaluate_self(&bodies(700)).unwrap();
        assert_eq!(direct.program().unwrap().config, config);
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found.pot / expected.pot - 1.0).abs() < 1e-5, "{config:?}");
        }
        let spoil: [fn(&mut KernelConfig); 7] = [
            |config| config.block = 100,
            |config| config.i_per_thread = 0,
            |config| config.bag = 0,
            |config| config.unroll = 0,
            |config| config.block = 1 << 63,
            |config| config.i_per_thread = usize::MAX,
            |config| config.bag = usize::MAX,
        ];
        for spoil in spoil {
            let mut wrong = config;
            spoil(&mut wrong);
            let error = direct.set_kernel_config(Some(wrong)).unwrap_err();
            assert!(
                matches!(error.device(), Some(CudaError::ImpossibleKernelConfig(found)) if *found == wrong),
                "{error}"
            );
        }
    }
    direct.set_kernel_config(None).unwrap();
    assert_eq!(direct.evaluate_self(&bodies(9)).unwrap().len(), 9);
}
