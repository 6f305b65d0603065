//! One result over all pairs, in every way, against the sum of the results of the reference.

use nbody::check::{ErrorBounds, reference, reference_self};
use nbody::law::{FieldKind, Record};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Interaction, PairTotal, Sources};
use nbody_tests::covering::Covering;
use nbody_tests::histogram::{Histogram, Sample, Shells};
use nbody_tests::ways::{DOMAINS, check_rows, levels, message, numbers};
use nbody_tests::{arithmetic, cuda_devices, emulator, grains};

use crate::reductions::nearest::Nearest;

/// Numbers of particles around the sizes of blocks, tiles and bags.
const SIZES: [[usize; 2]; 9] = [
    [1025, 257],
    [63, 1030],
    [0, 5],
    [512, 256],
    [1, 1],
    [300, 0],
    [129, 511],
    [1024, 255],
    [64, 768],
];

/// Number of choices of each option of a row: the law, the precision, mathematics, accumulation, one
/// or two sets, the space, and a given bag.
const OPTIONS: [usize; 7] = [5, 3, 2, 4, 2, DOMAINS, 2];

#[derive(Clone, Debug)]
struct Way {
    law: usize,
    options: Options,
    one_set: bool,
    n: [usize; 2],
}

impl Way {
    fn of(row: &[usize], turn: usize) -> Self {
        let options = Options::default()
            .precision(Precision::ALL[row[1]])
            .math(Math::ALL[row[2]])
            .accumulation(Accumulation::ALL[row[3]])
            .domain(nbody_tests::ways::domain(row[5], 1.0))
            .order((row[6] == 1).then_some(SummationOrder { bag: 96, splits: 3 }));
        Self { law: row[0], options, one_set: row[4] == 1, n: SIZES[turn % SIZES.len()] }
    }

    fn check(&self, device: &Device) -> Result<usize, String> {
        match self.law {
            0 => self.check_law(device, Histogram { reach2: 0.375 }),
            1 => self.check_law(device, Shells { width: 16.0 }),
            2 => self.check_law(device, Nearest { radius2: 0.125 }),
            3 => self.check_law(device, arithmetic::Arithmetic::example()),
            _ => self.check_law(device, grains::Grains { reach: 0.625 }),
        }
    }

    fn check_law<X>(&self, device: &Device, law: X) -> Result<usize, String>
    where
        X: Interaction + Clone,
    {
        let domain = self.options.domain;
        let (i, j): (Vec<X::I>, Vec<X::J>) = if self.one_set {
            (uniform(self.n[0], 1), uniform(self.n[0], 1))
        } else {
            (uniform(self.n[0], 1), uniform(self.n[1], 2))
        };
        let mut engine =
            PairTotals::with_options(device, law.clone(), self.options).map_err(message)?;
        let uploaded = (engine.upload(&i).map_err(message)?, engine.upload(&j).map_err(message)?);
        let mut total = || {
            let j = &uploaded.1;
            let j = if self.one_set { Sources::Same(j) } else { Sources::Others(j) };
            engine.total_of(&uploaded.0, j).map_err(message)
        };
        let (found, again) = (total()?, total()?);
        if found.untyped() != again.untyped() {
            return Err("another total at the second time".to_owned());
        }
        let (results, bounds) = if self.one_set {
            (
                reference_self::<_, f64>(&law, domain, &i, &j).map_err(message)?,
                ErrorBounds::one_set(&law, domain, &i, &j),
            )
        } else {
            (
                reference::<_, f64>(&law, domain, &i, &j).map_err(message)?,
                ErrorBounds::new(&law, domain, &i, &j),
            )
        };
        let bounds = bounds.map_err(message)?.bounds(&engine.options());
        compare::<X::F>(&found, &results, &bounds)?;
        Ok(i.len())
    }
}

/// Compares a total with the results of all particles and their bounds.
pub(super) fn compare<F: Record<Lane = f64>>(
    found: &PairTotal<F>,
    results: &[F],
    bounds: &[F],
) -> Result<(), String> {
    let found = numbers(&[found.result().map_err(message)?]);
    let [results, bounds, nothing] = [numbers(results), numbers(bounds), numbers(&[F::default()])];
    let mut c = 0;
    for field in F::FIELDS {
        // All values of this field, in order.
        let first = c;
        let values = first..first + field.kind.components() / 2;
        let mut least: Vec<f64> =
            results.chunks_exact(F::DIM).flat_map(|row| &row[values.clone()]).copied().collect();
        least.sort_by(f64::total_cmp);
        for part in 0..field.kind.components() {
            let column = |rows: &[f64]| -> Vec<f64> {
                rows.chunks_exact(F::DIM).map(|row| row[c]).collect()
            };
            let (terms, errors) = (column(&results), column(&bounds));
            let sum = || terms.iter().fold(nothing[c], |sum, x| sum + x);
            let most = errors.iter().fold(0.0, |most: f64, x| most.max(*x));
            let magnitude: f64 = terms.iter().map(|x| x.abs()).sum();
            let (expected, bound) = match field.kind {
                FieldKind::Min => (terms.iter().fold(nothing[c], |a, b| a.min(*b)), most),
                FieldKind::Max => (terms.iter().fold(nothing[c], |a, b| a.max(*b)), most),
                FieldKind::ArgMin if part == 0 => {
                    (terms.iter().fold(nothing[c], |a, b| a.min(*b)), most)
                }
                FieldKind::ArgMax if part == 0 => {
                    (terms.iter().fold(nothing[c], |a, b| a.max(*b)), most)
                }
                FieldKind::Nearest(n) if part < n => {
                    (least.get(part).copied().unwrap_or(f64::INFINITY), most)
                }
                // The index of some particle with the extreme value.
                FieldKind::ArgMin | FieldKind::ArgMax | FieldKind::Nearest(_) => (found[c], 0.0),
                _ => (sum(), errors.iter().sum::<f64>() + 1e-13 * magnitude),
            };
            let is_count = matches!(field.kind, FieldKind::Count | FieldKind::Counts(_));
            let bound = if is_count { errors.iter().sum() } else { bound };
            let error = (found[c] - expected).abs();
            if found[c] != expected && (error.is_nan() || error > bound) {
                let (of, found) = (field.name, found[c]);
                return Err(format!("{of}[{part}]: {found}, expected {expected} ± {bound}"));
            }
            c += 1;
        }
    }
    Ok(())
}

#[test]
fn totals_are_sums_of_results_in_every_way() {
    let covering = Covering { choices: &OPTIONS, strength: 2, allows: &|_| true };
    let mut devices = levels();
    devices.extend(cuda_devices());
    check_rows(&covering, &devices, 1, &Way::of, &|device, way| way.check(device));
}

#[nbody::interaction]
mod wide {
    pub const MANY: u32 = 1024;
    const HALF: u32 = MANY / 2;

    /// Counts more than 32 bits hold.
    pub struct Wide;
    /// Adds numbers of the data.
    pub struct Any;
    /// Counts more than blocks can.
    pub struct Larger;
    pub struct Number {
        pub x: u32,
    }
    pub struct Sum {
        pub n: Count,
        pub parts: [Count; 2],
    }

    impl Interaction for Wide {
        type I = Number;
        type J = Number;
        type F = Sum;

        fn pair(&self, i: &Number, j: &Number, f: &mut Sum) {
            f.n += if i.x == j.x { HALF } else { 3 };
            f.parts[j.x] += 512;
        }
    }
    impl Interaction for Any {
        type I = Number;
        type J = Number;
        type F = Sum;

        fn pair(&self, i: &Number, j: &Number, f: &mut Sum) {
            f.n += j.x;
            f.parts[i.x] += 1;
        }
    }
    impl Interaction for Larger {
        type I = Number;
        type J = Number;
        type F = Sum;

        fn pair(&self, i: &Number, j: &Number, f: &mut Sum) {
            f.n += MANY;
            f.parts[i.x + j.x] += 1;
        }
    }
}
use wide::{Any, Larger, Number, Sum, Wide};

#[test]
fn counts_beyond_32_bits_are_exact_or_refused() {
    let nj = (1 << 23) + 5;
    let one: Number = Number { x: 1 };
    let (i, j) = ([one], vec![one; nj]);
    let mut engine = PairTotals::new(&Device::cpu(), Wide).unwrap();
    let total = engine
        .total_of(&engine.upload(&i).unwrap(), Sources::Others(&engine.upload(&j).unwrap()))
        .unwrap();
    assert_eq!(total.counts("n"), Ok(&[512 * nj as u64][..]));
    assert_eq!(total.counts("parts"), Ok(&[0, 512 * nj as u64][..]));
    assert!(
        total.result().unwrap_err().to_string().starts_with("a total of 4294969856 in `n: Count`")
    );
    assert!(total.counts("m").is_err());
}

#[test]
fn counts_without_a_known_bound_are_refused() {
    for device in [Device::cpu(), emulator()] {
        let of_any = PairTotals::new(&device, Any).unwrap_err().to_string();
        assert!(
            of_any.starts_with("a pair of `any` may add more than 1024 to its counts"),
            "{of_any}"
        );
        assert!(PairTotals::new(&device, Larger).is_err());
    }
}

#[test]
fn particles_of_another_precision_length_or_device_are_refused() {
    for device in [Device::cpu(), emulator()] {
        let mut engine = PairTotals::new(&device, Shells { width: 1.0 }).unwrap();
        let samples: Vec<Sample> = uniform(3, 1);
        let three = engine.upload(&samples).unwrap();
        let two = engine.upload(&samples[..2]).unwrap();
        let double = device.upload(&samples, Precision::Double).unwrap();
        assert!(engine.total_of(&three, Sources::Same(&two)).is_err());
        assert!(engine.total_of(&three, Sources::Others(&double)).is_err());
        let other = if device.is_cpu() { emulator() } else { Device::cpu() };
        let foreign = other.upload(&samples, Precision::Single).unwrap();
        assert!(engine.total_of(&foreign, Sources::Others(&two)).is_err());
        engine.set_parameters(Shells { width: f64::NAN });
        assert!(engine.total_of(&three, Sources::Same(&three)).is_err());
    }
}

/// The arrays of counts of a block share memory with its bag.
#[test]
fn results_that_no_block_holds_are_refused() {
    let order = Some(SummationOrder { bag: 3000, splits: 1 });
    let options = Options::default().order(order);
    let error = PairTotals::with_options(&emulator(), Shells { width: 1.0 }, options).unwrap_err();
    assert!(error.to_string().contains("give the result fewer numbers"), "{error}");
    assert_eq!(
        Sum::default(),
        PairTotals::new(&Device::cpu(), Wide).unwrap().total_self(&[] as &[Number]).unwrap()
    );
}
