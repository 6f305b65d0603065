use proptest::prelude::*;

use super::bounds::*;
use super::*;
use crate::numeric::interval::steps::{Function, Role, Step, evaluate};
use crate::numeric::interval::values::Integers;
use crate::numeric::lane::Lane;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::array::Array;
use crate::numeric::simd::lanes::{LINE, Lanes, Line, Word};
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::level::SimdLevel;
use crate::numeric::simd::{avx2, avx512};
use crate::numeric::vector::Vector;

const INF: f64 = f64::INFINITY;

fn between(lo: f64, hi: f64) -> Interval {
    Interval::new(lo, hi)
}

fn one(x: f64) -> Interval {
    x.into()
}

/// The number of inputs of a program.
const INPUTS: usize = 4;
/// One operation, and the indices of its operands.
type Chosen = (usize, [usize; 4]);

/// All operations on a lane, as they are generated from declarations.
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
        34 => a.trunc(),
        35 => a.copysign(b),
        36 => a.mul_add(b, c),
        37 => a.plus_product(b, c),
        38 => a.minus_product(b, c),
        39 => a.times_minus(b, c),
        40 => a.times_rsqrt_powi::<3>(b),
        41 => u.dot(v),
        42 => u.dot_plus(v, d),
        43 => u.norm(),
        44 => u.norm2_plus(d),
        45 => L::select(L::lt(a, b), c, d),
        46 => L::select(!L::le(a, b) & L::lt(c, d), c, d),
        47 => L::select(L::eq(a, b) | L::le(b, c), c, d),
        48 => L::select(L::lt(a, b) ^ L::lt(b, c), c, d),
        49 => a.plus_where(L::lt(a, b), c),
        50 => L::from_u32(L::to_u32(a)) - L::from_u32(L::to_u32(b * c)),
        _ => a.minus_where(L::le(a, b), c),
    }
}
const OPERATIONS: usize = 52;
/// Operations for which only the range is known.
const RANGES: [usize; 8] = [16, 17, 18, 19, 20, 21, 25, 26];

/// The same operations on intervals, as the compiler expresses them.
fn bounds_of(operation: usize, [a, b, c, d]: [Interval; 4]) -> Interval {
    let over = |x| quotient(one(1.0), x);
    let minus = |a, b| sum(a, negative(b));
    let dot = || rounded_sum(rounded_sum(product(a, b), product(b, c)), product(c, d));
    let norm2 = || rounded_sum(rounded_sum(power(a, 2), power(b, 2)), power(c, 2));
    match operation {
        0 => sum(a, b),
        1 => minus(a, b),
        2 => product(a, b),
        3 => quotient(a, b),
        4 => negative(a),
        5 => sqrt(a),
        6 => over(sqrt(a)),
        7 => over(a),
        8 => power(a, 2),
        9 => power(a, 3),
        10 => over(power(a, 2)),
        11 => over(power(a, 5)),
        12 => powf(a, b),
        13 => cbrt(a),
        14 => exp(a),
        15 => ln(a),
        16 => sum(wave(a), wave(b)),
        17 => whole(),
        18 => asin(a),
        19 => acos(a),
        20 => atan(a),
        21 => atan2(a, b),
        22 => sinh(a),
        23 => cosh(a),
        24 => tanh(a),
        25 => erf(a),
        26 => erfc(a),
        27 => abs(a),
        28 => min(a, b),
        29 => max(a, b),
        30 => min(max(a, b), c),
        31 => floor(a),
        32 => ceil(a),
        33 => round(a),
        34 => trunc(a),
        35 => copysign(a, b),
        36 => rounded_sum(c, product(a, b)),
        37 => rounded_sum(a, product(b, c)),
        38 => minus(a, product(b, c)),
        39 => minus(product(a, b), c),
        40 => product(a, product(one(1.0), power(over(sqrt(b)), 3))),
        41 => dot(),
        42 => sum(dot(), d),
        43 => sqrt(norm2()),
        44 => sum(norm2(), d),
        45 => select(less(a, b), c, d),
        46 => select(both(opposite(at_most(a, b)), less(c, d)), c, d),
        47 => select(either(equal(a, b), at_most(b, c)), c, d),
        48 => select(differ(less(a, b), less(b, c)), c, d),
        49 => sum(a, select(less(a, b), c, one(0.0))),
        50 => minus(converted(truncated(a)), converted(truncated(product(b, c)))),
        _ => minus(a, select(at_most(a, b), c, one(0.0))),
    }
}

/// Returns all values of a program.
fn run<L: Lane>(inputs: [f64; INPUTS], steps: &[Chosen]) -> Vec<L> {
    follow(inputs.map(L::splat), steps, apply)
}

fn follow<T: Copy>(
    inputs: [T; INPUTS],
    steps: &[Chosen],
    apply: impl Fn(usize, [T; 4]) -> T,
) -> Vec<T> {
    let mut values = inputs.to_vec();
    for (operation, operands) in steps {
        let operands = operands.map(|k| values[k % values.len()]);
        values.push(apply(*operation, operands));
    }
    values
}

fn on_scalars<S: Scalar>(inputs: [f64; INPUTS], steps: &[Chosen]) -> Vec<f64> {
    run::<S>(inputs, steps).into_iter().map(Scalar::to_f64).collect()
}

fn on_vectors<L: Lanes>(inputs: [f64; INPUTS], steps: &[Chosen]) -> Vec<f64> {
    let first = |value: L| {
        let mut line = Line([Word::<L>::default(); LINE]);
        value.store(&mut line);
        L::Scalar::from_word(line.0[0]).to_f64()
    };
    L::vectorize(|| run::<L>(inputs, steps).into_iter().map(first).collect())
}

/// Returns the values of a program on every lane.
fn on_lanes(inputs: [f64; INPUTS], steps: &[Chosen]) -> Vec<(&'static str, Vec<f64>)> {
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

/// Checks that results for numbers within these bounds lie within the bounds of the results.
fn check(bounds: [Interval; INPUTS], steps: &[Chosen], at: [[f64; INPUTS]; 4]) {
    let values = follow(bounds.map(stored), steps, bounds_of);
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

/// Generates numbers of every magnitude, and small integers and halves, whose sums and products
/// are exact.
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
        (number(), number()).prop_map(|(a, b)| between(a.min(b), a.max(b))),
        (number(), 0.0..1e-5).prop_map(|(x, by)| between(x, x + by * x.abs())),
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
        // Tests each operation alone.
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
            for (k, (found, bounds)) in found.into_iter().zip(bounds_of_integers(a, b)).enumerate() {
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
fn of_integers<L: Lane>(a: L::U32, b: L::U32) -> [L::U32; 19] {
    let select = |mask| L::select_u32(mask, a, b);
    [
        L::add_u32(a, b),
        L::sub_u32(a, b),
        L::mul_u32(a, b),
        L::div_u32(a, b),
        L::rem_u32(a, b),
        L::shl_u32(a, b),
        L::shr_u32(a, b),
        L::min_u32(a, b),
        L::max_u32(a, b),
        L::rotate_u32(a, b),
        L::ones_u32(a),
        L::high_u32(a, b),
        a & b,
        a | b,
        a ^ b,
        select(L::lt_u32(a, b)),
        select(L::le_u32(a, b)),
        select(!L::eq_u32(a, b)),
        L::select_u32(L::eq_u32(a, b), L::splat_u32(1), L::splat_u32(0)),
    ]
}

/// The same operations on bounds.
fn bounds_of_integers(a: Integers, b: Integers) -> [Integers; 19] {
    let select = |condition| select_integer(condition, a, b);
    [
        sum_of_integers(a, b),
        difference_of_integers(a, b),
        product_of_integers(a, b),
        quotient_of_integers(a, b),
        remainder_of_integers(a, b),
        shifted_left(a, b),
        shifted_right(a, b),
        least_integer(a, b),
        greatest_integer(a, b),
        rotated_integer(a, b),
        ones_of_integer(a),
        high_of_product(a, b),
        and_integers(a, b),
        or_integers(a, b),
        xor_integers(a, b),
        select(less_integer(a, b)),
        select(at_most_integer(a, b)),
        select(opposite(equal_integers(a, b))),
        select_integer(equal_integers(a, b), integer(1), integer(0)),
    ]
}

#[test]
fn numbers_on_every_engine_have_no_width() {
    let (x, y) = (one(0.75), one(3.0));
    for (found, expected) in [
        (sum(x, y), 3.75),
        (sum(x, negative(y)), -2.25),
        (product(x, y), 2.25),
        (negative(x), -0.75),
        (max(x, y), 3.0),
        (power(y, 3), 27.0),
        (constant(0.25), 0.25),
        (converted(integer(7)), 7.0),
    ] {
        assert_eq!(found, one(expected));
    }
    let tenth = constant(0.1);
    assert!(tenth.contains(0.1) && tenth.contains(0.1_f32.into()), "{tenth:?}");
    assert!(!tenth.contains(0.1 + 1e-7), "{tenth:?}");
    // 2^24 + 1 has a digit too many for f32, and 1e-39 may become 0.
    let odd = converted(integer((1 << 24) + 1));
    assert!(odd.contains(16_777_216.0) && odd.contains(16_777_217.0), "{odd:?}");
    let small = constant(1e-39);
    assert!(small.lo == 0.0 && small.hi >= 1e-39, "{small:?}");
}

/// Bounds of exact numbers are as narrow as `f32` allows, except for functions with a known range
/// only.
#[test]
fn bounds_are_narrow() {
    let inputs = [0.7, 1.3, 2.9, 0.4];
    for operation in (0..OPERATIONS).filter(|k| !RANGES.contains(k)) {
        let found = bounds_of(operation, inputs.map(constant));
        let exact = *run::<f64>(inputs, &[(operation, [0, 1, 2, 3])]).last().unwrap();
        assert!(found.contains(exact), "{operation}: {exact} {found:?}");
        let is_narrow = found.hi - found.lo <= 1e-5 * exact.abs();
        assert!(is_narrow && found.is_finite(), "{operation}: {exact} {found:?}");
    }
}

#[test]
fn bounds_of_bounds() {
    let x = between(-2.0, 3.0);
    let near = |found: Interval, lo: f64, hi: f64| {
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-5 * b.abs().max(1e-30);
        assert!(close(found.lo, lo) && close(found.hi, hi) && !found.may_be_nan, "{found:?}");
    };
    near(product(x, x), -6.0, 9.0);
    near(power(x, 2), 0.0, 9.0);
    near(power(x, 3), -8.0, 27.0);
    near(abs(x), 0.0, 3.0);
    near(max(x, between(1.0, 2.0)), 1.0, 3.0);
    near(min(x, between(-1.0, 2.0)), -2.0, 2.0);
    near(quotient(between(1.0, 2.0), between(-4.0, -2.0)), -1.0, -0.25);
    near(rounded_sum(power(x, 2), power(x, 2)), 0.0, 18.0);
    near(cosh(x), 1.0, 3.0_f64.cosh());
    near(acos(between(-1.0, 1.0)), 0.0, std::f64::consts::PI);
    near(wave(x), -1.0, 1.0);
    near(sum(floor(x), copysign(x, between(-1.0, 1.0))), -5.0, 6.0);
    near(select(less(x, one(0.0)), x, one(9.0)), -2.0, 9.0);
    near(select(less(x, one(4.0)), x, one(9.0)), -2.0, 3.0);
}

#[test]
fn what_may_be_no_number_is_known() {
    let (x, infinite, nan) = (between(-2.0, 3.0), one(INF), one(f64::NAN));
    for nan in [
        quotient(x, x),
        sqrt(x),
        ln(x),
        asin(x),
        powf(x, x),
        sum(infinite, negative(infinite)),
        product(infinite, x),
        product(x, infinite),
        quotient(infinite, infinite),
        wave(infinite),
        nan,
        tanh(nan),
        min(abs(nan), nan),
        sum(between(1.0, INF), negative(between(1.0, INF))),
        evaluate(&[Step::Unknown], &[&[], &[], &[]]),
        stored(Interval { lo: f64::NAN, ..x }),
    ] {
        assert!(nan.may_be_nan && !nan.is_finite(), "{nan:?}");
    }
    // The extremes of a number and NaN are the number.
    let root = sqrt(between(-2.0, 4.0));
    for number in [max(root, one(1.0)), max(one(1.0), root)] {
        assert!(number.contains(1.0) && number.contains(2.0) && number.is_finite(), "{number:?}");
    }
    let least = min(nan, one(5.0));
    assert!(least.contains(5.0) && !least.may_be_nan, "{least:?}");
    // Beyond f32.
    assert_eq!(constant(1e39).hi, INF);
    let far = sum(infinite, x);
    assert!(far.hi == INF && !far.is_finite());
}

#[test]
fn entries_are_bounded_by_those_within_reach() {
    let entries = [3.0, 1.0, 4.0, 1.5].map(one);
    let number = |k| Step::Number(Role::I, k);
    let index = |lo: u32, hi: u32| between(lo.into(), hi.into());
    let at = |lo, hi| {
        let program = [
            number(0),
            number(1),
            number(2),
            number(3),
            Step::Index(Role::J, 0),
            Step::Entry(&[0, 1, 2, 3], 4),
        ];
        evaluate(&program, &[&[], &entries, &[index(lo, hi)]])
    };
    assert_eq!(at(2, 2), one(4.0));
    assert_eq!(at(0, 1), between(1.0, 3.0));
    assert_eq!(at(1, 4), Interval::WHOLE);
    assert_eq!(at(7, 9), Interval::WHOLE);
    assert_eq!(at(0, u32::MAX), Interval::WHOLE);
    // Entries are selected by rows and columns, not by ranges of memory; another parameter comes
    // first.
    let table: Vec<_> =
        [9.9].into_iter().chain((0..9).map(|k| f64::from(10 * (k / 3) + k % 3))).map(one).collect();
    let within = |[a, b]: [u32; 2], [c, d]: [u32; 2]| {
        let program = [
            Step::Index(Role::I, 0),
            Step::Index(Role::J, 0),
            Step::Lookup { first: 1, size: [3, 3], at: [0, 1] },
        ];
        evaluate(&program, &[&table, &[index(a, b)], &[index(c, d)]])
    };
    assert_eq!(within([1, 2], [0, 0]), between(10.0, 20.0));
    assert_eq!(within([0, 1], [1, 2]), between(1.0, 12.0));
    assert_eq!(within([2, 2], [2, 3]), Interval::WHOLE);
    assert_eq!(within([2, 3], [0, 0]), Interval::WHOLE);
}

#[test]
fn functions_take_as_many_values_as_they_say() {
    for &function in Function::ALL {
        let found = TEXT.functions[1].iter().find(|it| it.name == function.name()).unwrap();
        let types: Vec<_> = found.parameters.iter().map(|[_, of]| (*of).to_owned()).collect();
        let inputs: Vec<_> = function.inputs().iter().map(|kind| format!("{kind:?}")).collect();
        assert_eq!((types, found.output), (inputs, &*format!("{:?}", function.output())));
    }
}
