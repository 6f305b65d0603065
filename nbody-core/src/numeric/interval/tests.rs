use proptest::prelude::*;

use super::*;
use crate::numeric::simd::array::Array;
use crate::numeric::simd::{LINE, Lanes, Line, Word};
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::{SimdLevel, avx2, avx512};
use crate::{Scalar, Vector};

const INF: f64 = f64::INFINITY;

fn interval(lo: f64, hi: f64) -> Interval {
    Interval::new(lo, hi)
}

/// The number of inputs of a program.
const INPUTS: usize = 4;
/// One operation, and the earlier values that it takes.
type Step = (usize, [usize; 4]);

/// All operations.
fn apply<L: Lane>(operation: usize, [a, b, c, d]: [L; 4]) -> L {
    let (u, v) = (Vector([a, b, c]), Vector([b, c, d]));
    match operation {
        0 => a + b,
        1 => a - b,
        2 => a * b,
        3 => a / b,
        4 => -a,
        5 => a.sqrt(),
        6 => a.rsqrt(),
        7 => a.recip(),
        8 => a.powi(2),
        9 => a.powi(3),
        10 => a.powi(-2),
        11 => a.powi(-5),
        12 => a.powf(b),
        13 => a.cbrt(),
        14 => a.exp(),
        15 => a.ln(),
        16 => a.sin() + b.cos(),
        17 => a.tan(),
        18 => a.asin(),
        19 => a.acos(),
        20 => a.atan(),
        21 => a.atan2(b),
        22 => a.sinh(),
        23 => a.cosh(),
        24 => a.tanh(),
        25 => a.erf(),
        26 => a.erfc(),
        27 => a.abs(),
        28 => a.min(b),
        29 => a.max(b),
        30 => a.clamp(b, c),
        31 => a.floor(),
        32 => a.ceil(),
        33 => a.round(),
        34 => a.round_ties_even(),
        35 => a.trunc(),
        36 => a.copysign(b),
        37 => a.mul_add(b, c),
        38 => a.plus_product(b, c),
        39 => a.minus_product(b, c),
        40 => a.times_minus(b, c),
        41 => a.times_rsqrt_powi::<3>(b),
        42 => u.dot(v),
        43 => u.dot_plus(v, d),
        44 => u.norm(),
        45 => u.norm2_plus(d),
        46 => L::select(L::lt(a, b), c, d),
        47 => L::select(!L::le(a, b) & L::lt(c, d), c, d),
        48 => L::select(L::eq(a, b) | L::le(b, c), c, d),
        49 => L::select(L::lt(a, b) ^ L::lt(b, c), c, d),
        50 => a.plus_where(L::lt(a, b), c),
        _ => a.minus_where(L::le(a, b), c),
    }
}
const OPERATIONS: usize = 52;

/// Returns all values of a program.
fn run<L: Lane>(inputs: [f64; INPUTS], steps: &[Step]) -> Vec<L> {
    let mut values: Vec<L> = inputs.iter().map(|&x| L::splat(x)).collect();
    follow(&mut values, steps);
    values
}

fn follow<L: Lane>(values: &mut Vec<L>, steps: &[Step]) {
    for (operation, operands) in steps {
        let operands = operands.map(|k| values[k % values.len()]);
        values.push(apply(*operation, operands));
    }
}

fn on_scalars<S: Scalar>(inputs: [f64; INPUTS], steps: &[Step]) -> Vec<f64> {
    run::<S>(inputs, steps).into_iter().map(Scalar::to_f64).collect()
}

fn on_vectors<L: Lanes>(inputs: [f64; INPUTS], steps: &[Step]) -> Vec<f64> {
    let first = |value: L| {
        let mut line = Line([Word::<L>::default(); LINE]);
        value.store(&mut line);
        L::Scalar::from_word(line.0[0]).to_f64()
    };
    L::vectorize(|| run::<L>(inputs, steps).into_iter().map(first).collect())
}

/// Returns the values of a program on every lane.
fn on_lanes(inputs: [f64; INPUTS], steps: &[Step]) -> Vec<(&'static str, Vec<f64>)> {
    let mut values = vec![
        ("f64", on_scalars::<f64>(inputs, steps)),
        ("f32", on_scalars::<f32>(inputs, steps)),
        ("array", on_vectors::<Array<f32, 4>>(inputs, steps)),
    ];
    #[cfg(target_arch = "x86_64")]
    {
        if SimdLevel::Avx2.is_available() {
            values.push(("avx2", on_vectors::<avx2::Single>(inputs, steps)));
        }
        if SimdLevel::Avx512.is_available() {
            values.push(("avx512", on_vectors::<avx512::Single>(inputs, steps)));
        }
    }
    values
}

/// Checks that values of numbers within these bounds are within the bounds of the values.
fn check(bounds: [Interval; INPUTS], steps: &[Step], at: [[f64; INPUTS]; 4]) {
    let mut values = bounds.map(Interval::stored).to_vec();
    follow(&mut values, steps);
    for at in at {
        let inputs = std::array::from_fn(|k| {
            let Interval { lo, hi, .. } = bounds[k];
            (lo + at[k] * (hi - lo)).clamp(lo, hi)
        });
        for (lane, found) in on_lanes(inputs, steps) {
            for (k, (found, bounds)) in found.into_iter().zip(&values).enumerate() {
                let step = k.checked_sub(INPUTS).map(|k| steps[k]);
                assert!(bounds.contains(found), "{lane} {inputs:?} {step:?}: {found} {bounds:?}");
            }
        }
    }
}

/// Numbers of every magnitude, and small integers and halves, whose sums and products are exact.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-8_i32..=8).prop_map(|k| f64::from(k) / 2.0),
        4 => -10.0..10.0,
        2 => (-140.0..140.0_f64, any::<bool>()).prop_map(|(x, minus)| {
            if minus { -x.exp2() } else { x.exp2() }
        }),
        1 => Just(16_777_216.0),
    ]
}

fn bounds() -> impl Strategy<Value = Interval> {
    prop_oneof![
        number().prop_map(Interval::from),
        (number(), number()).prop_map(|(a, b)| interval(a.min(b), a.max(b))),
        (number(), 0.0..1e-5).prop_map(|(x, by)| interval(x, x + by * x.abs())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn each_operation_is_within_its_bounds(
        bounds in prop::array::uniform4(bounds()),
        at in prop::array::uniform4(prop::array::uniform4(0.0..=1.0)),
    ) {
        let steps: Vec<_> = (0..OPERATIONS).map(|operation| (operation, [0, 1, 2, 3])).collect();
        // None takes the value of another.
        for step in steps {
            check(bounds, &[step], at);
        }
    }

    #[test]
    fn programs_are_within_their_bounds(
        bounds in prop::array::uniform4(bounds()),
        steps in prop::collection::vec((0..OPERATIONS, prop::array::uniform4(0_usize..12)), 2..9),
        at in prop::array::uniform4(prop::array::uniform4(0.0..=1.0)),
    ) {
        check(bounds, &steps, at);
    }

    #[test]
    fn integers_are_within_their_bounds(
        (a, b) in (integers(), integers()),
        at in prop::array::uniform4(any::<u32>()),
    ) {
        for k in 0..4 {
            let inside = |range: Integers, at: u32| match (range.hi - range.lo).checked_add(1) {
                Some(n) => range.lo + at % n,
                None => at,
            };
            let (x, y) = (inside(a, at[k]), inside(b, at[(k + 1) % 4]));
            let found = of_integers::<f64>(x, y);
            for (k, (found, bounds)) in found.into_iter().zip(of_integers::<Interval>(a, b)).enumerate() {
                let holds = bounds.lo <= found && found <= bounds.hi;
                prop_assert!(holds, "{k} of {x} {y}: {found} in {bounds:?}, {a:?} {b:?}");
            }
        }
    }
}

fn integers() -> impl Strategy<Value = Integers> {
    let integer = || prop_oneof![3 => 0_u32..20, 1 => any::<u32>(), 1 => u32::MAX - 5..=u32::MAX];
    prop_oneof![
        integer().prop_map(|n| Integers { lo: n, hi: n }),
        (integer(), integer()).prop_map(|(a, b)| Integers { lo: a.min(b), hi: a.max(b) }),
    ]
}

/// All operations on integers.
fn of_integers<L: Lane>(a: L::U32, b: L::U32) -> [L::U32; 10] {
    let select = |mask| L::select_u32(mask, a, b);
    [
        L::add_u32(a, b),
        L::sub_u32(a, b),
        L::mul_u32(a, b),
        a & b,
        a | b,
        a ^ b,
        select(L::lt_u32(a, b)),
        select(L::le_u32(a, b)),
        select(!L::eq_u32(a, b)),
        L::select_u32(L::eq_u32(a, b), L::splat_u32(1), L::splat_u32(0)),
    ]
}

#[test]
fn numbers_on_every_engine_have_no_width() {
    let (x, y) = (Interval::from(0.75), Interval::from(3.0));
    for (found, expected) in [
        (x + y, 3.75),
        (x - y, -2.25),
        (x * y, 2.25),
        (-x, -0.75),
        (x.max(y), 3.0),
        (y.powi(3), 27.0),
        (Lane::splat(0.25), 0.25),
        (Interval::from_u32(Interval::splat_u32(7)), 7.0),
    ] {
        assert_eq!(found, Interval::from(expected));
    }
    let tenth = Interval::splat(0.1);
    assert!(tenth.contains(0.1) && tenth.contains(0.1_f32.into()), "{tenth:?}");
    assert!(!tenth.contains(0.1 + 1e-7), "{tenth:?}");
    // 2^24 + 1 has a digit too many for f32, and 1e-39 may become 0.
    let odd = Interval::from_u32(Interval::splat_u32((1 << 24) + 1));
    assert!(odd.contains(16_777_216.0) && odd.contains(16_777_217.0), "{odd:?}");
    let small = Interval::splat(1e-39);
    assert!(small.lo == 0.0 && small.hi >= 1e-39, "{small:?}");
}

/// Bounds of single numbers are as close as `f32` allows, but for functions of which only the range is
/// known.
#[test]
fn bounds_are_narrow() {
    let inputs = [0.7, 1.3, 2.9, 0.4];
    for operation in (0..OPERATIONS).filter(|k| ![16, 17, 18, 19, 20, 21, 25, 26].contains(k)) {
        let found = *run::<Interval>(inputs, &[(operation, [0, 1, 2, 3])]).last().unwrap();
        let exact = *run::<f64>(inputs, &[(operation, [0, 1, 2, 3])]).last().unwrap();
        assert!(found.contains(exact), "{operation}: {exact} {found:?}");
        let is_narrow = found.hi - found.lo <= 1e-5 * exact.abs();
        assert!(is_narrow && found.is_finite(), "{operation}: {exact} {found:?}");
    }
}

#[test]
fn bounds_of_bounds() {
    let x = interval(-2.0, 3.0);
    let near = |found: Interval, lo: f64, hi: f64| {
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-5 * b.abs().max(1e-30);
        assert!(close(found.lo, lo) && close(found.hi, hi) && !found.may_be_nan, "{found:?}");
    };
    near(x * x, -6.0, 9.0);
    near(x.powi(2), 0.0, 9.0);
    near(x.powi(3), -8.0, 27.0);
    near(x.abs(), 0.0, 3.0);
    near(x.max(interval(1.0, 2.0)), 1.0, 3.0);
    near(x.min(interval(-1.0, 2.0)), -2.0, 2.0);
    near(interval(1.0, 2.0) / interval(-4.0, -2.0), -1.0, -0.25);
    near(Vector([x, x]).norm2(), 0.0, 18.0);
    near(x.cosh(), 1.0, 3.0_f64.cosh());
    near(interval(-1.0, 1.0).acos(), 0.0, PI);
    near(x.sin(), -1.0, 1.0);
    near(x.floor() + x.copysign(interval(-1.0, 1.0)), -5.0, 6.0);
    near(Interval::select(Interval::lt(x, Interval::from(0.0)), x, Interval::from(9.0)), -2.0, 9.0);
    near(Interval::select(Interval::lt(x, Interval::from(4.0)), x, Interval::from(9.0)), -2.0, 3.0);
}

#[test]
fn what_may_be_no_number_is_known() {
    let (x, infinite) = (interval(-2.0, 3.0), Interval::from(INF));
    for nan in [
        x / x,
        x.sqrt(),
        x.ln(),
        x.asin(),
        x.powf(x),
        infinite - infinite,
        infinite * x,
        x * infinite,
        infinite / infinite,
        infinite.sin(),
        Interval::from(f64::NAN),
        Interval::from(f64::NAN).tanh(),
        Interval::from(f64::NAN).abs().min(Interval::from(f64::NAN)),
        Interval::new(1.0, INF) - Interval::new(1.0, INF),
        Interval::difference((), ()),
        Interval { lo: f64::NAN, ..x }.stored(),
    ] {
        assert!(nan.may_be_nan && !nan.is_finite(), "{nan:?}");
    }
    // Of a number and NaN, the number.
    let root = interval(-2.0, 4.0).sqrt();
    for number in [root.max(Interval::from(1.0)), Interval::from(1.0).max(root)] {
        assert!(number.contains(1.0) && number.contains(2.0) && number.is_finite(), "{number:?}");
    }
    let least = Interval::from(f64::NAN).min(Interval::from(5.0));
    assert!(least.contains(5.0) && !least.may_be_nan, "{least:?}");
    // Beyond f32.
    assert_eq!(Interval::splat(1e39).hi, INF);
    assert!((infinite + x).hi == INF && !(infinite + x).is_finite());
}

#[test]
fn entries_are_bounded_by_those_within_reach() {
    let entries = [3.0, 1.0, 4.0, 1.5].map(Interval::from);
    let at = |lo, hi| Interval::gather(&entries, Integers { lo, hi });
    assert_eq!(at(2, 2), Interval::from(4.0));
    assert_eq!(at(0, 1), interval(1.0, 3.0));
    assert_eq!(at(1, 4), Interval::WHOLE);
    assert_eq!(at(7, 9), Interval::WHOLE);
    assert_eq!(at(0, u32::MAX), Interval::WHOLE);
    // Rows and columns, and not what lies between them in memory.
    let table: [[Interval; 3]; 3] =
        std::array::from_fn(|r| std::array::from_fn(|c| Interval::from((10 * r + c) as f64)));
    let within = |[a, b]: [u32; 2], [c, d]: [u32; 2]| {
        Interval::gather_entry(&table, Integers { lo: a, hi: b }, Integers { lo: c, hi: d })
    };
    assert_eq!(within([1, 2], [0, 0]), interval(10.0, 20.0));
    assert_eq!(within([0, 1], [1, 2]), interval(1.0, 12.0));
    assert_eq!(within([2, 2], [2, 3]), Interval::WHOLE);
    assert_eq!(within([2, 3], [0, 0]), Interval::WHOLE);
}

#[test]
fn terms_are_added_to_the_sums_of_their_indices() {
    let mut sums = [0.0; 3].map(Interval::from);
    Interval::scatter(&mut sums, Integers { lo: 1, hi: 1 }, Interval::from(2.0));
    Interval::scatter(&mut sums, Integers { lo: 1, hi: 9 }, Interval::from(-1.0));
    assert_eq!(sums, [Interval::from(0.0), interval(1.0, 2.0), interval(-1.0, 0.0)]);
}
