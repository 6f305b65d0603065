//! Vector functions compared with the libm crate in `f64`.

use crate::numeric::lane::Lane;
use crate::numeric::precision::Precision;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::array::Array;
use crate::numeric::simd::lanes::{LINE, Lanes, Line, Word};
use crate::numeric::simd::level::SimdLevel;
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::{avx2, avx512};
use crate::numeric::spline::{Cubics, Spline};
use crate::numeric::splines::Splines;

/// Returns the levels of this CPU, and the level of arrays, which run on every CPU.
fn levels() -> impl Iterator<Item = SimdLevel> {
    let all = SimdLevel::ALL.iter().copied();
    all.filter(|level| level.is_available() || *level == SimdLevel::Neon)
}

/// A computation on lanes of any type.
trait Task {
    type Result;
    fn run<L: Lanes>(self) -> Self::Result;
}

/// Runs a task on the vectors of a level, or on scalars.
fn run<T: Task>(level: SimdLevel, precision: Precision, task: T) -> T::Result {
    match level {
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => on::<avx2::Single, avx2::Double, T>(precision, task),
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 => on::<avx512::Single, avx512::Double, T>(precision, task),
        SimdLevel::Neon => on::<Array<f32, 4>, Array<f64, 2>, T>(precision, task),
        _ => on::<f32, f64, T>(precision, task),
    }
}

fn on<S: Lanes, D: Lanes, T: Task>(precision: Precision, task: T) -> T::Result {
    match precision {
        Precision::Double => task.run::<D>(),
        _ => task.run::<S>(),
    }
}

/// A function, its largest permissible error in units in the last place of `f32` and `f64`, and
/// the interval in which it is tested.
struct Function {
    name: &'static str,
    truth: fn(f64) -> f64,
    ulp: [f64; 2],
    from: f64,
    to: f64,
}

/// Finds the largest error of a function on lanes of one type.
struct Error<'a>(&'a Function);

impl Task for Error<'_> {
    type Result = (f64, f64);

    fn run<L: Lanes>(self) -> (f64, f64) {
        let Function { name, truth, from, to, .. } = self.0;
        let mut worst = (0.0, 0.0);
        let mut at = 0.0;
        for block in 0..4000_u32 {
            let mut line = Line([Word::<L>::default(); LINE]);
            for (k, word) in (0..).zip(&mut line.0) {
                // A quasi-random sequence (multiples of the golden ratio).
                let x: f64 = f64::from(block * 16 + k) * 0.618_033_988_749_894_9;
                *word = L::Scalar::from_f64(from + (to - from) * x.fract()).to_word();
            }
            let arguments = line;
            L::vectorize(
                #[inline(always)]
                || {
                    for at in (0..LINE).step_by(L::WIDTH) {
                        let mut part = arguments;
                        evaluate(name, L::load(&arguments, at)).store(&mut part);
                        line.0[at..][..L::WIDTH].copy_from_slice(&part.0[..L::WIDTH]);
                    }
                },
            );
            for (x, y) in arguments.0.iter().zip(&line.0) {
                let (x, y) = (L::Scalar::from_word(*x).to_f64(), L::Scalar::from_word(*y).to_f64());
                let truth = truth(x);
                let ulp = 2.0 * L::ROUNDOFF * 2_f64.powi(truth.abs().log2().floor() as i32);
                let error = (y - truth).abs() / ulp;
                if error.is_nan() || error > worst.0 {
                    worst = (if error.is_nan() { f64::INFINITY } else { error }, x);
                }
                at += y;
            }
        }
        assert!(at.is_finite(), "{name}");
        worst
    }
}

fn evaluate<L: Lane>(name: &str, x: L) -> L {
    match name {
        "exp" => x.exp(),
        "ln" => x.ln(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "cbrt" => x.cbrt(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "atan2(x, -0.75)" => x.atan2(L::splat(-0.75)),
        "atan2(0.75, x)" => L::splat(0.75).atan2(x),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "x^2.5" => x.powf(L::splat(2.5)),
        "x^-13" => x.powf(L::splat(-13.0)),
        "1.40625^x" => L::splat(1.40625).powf(x),
        "round" => x.round(),
        "erf" => x.erf(),
        "erfc" => x.erfc(),
        "sqrt" => x.sqrt(),
        "rsqrt" => x.rsqrt(),
        "recip" => x.recip(),
        "rsqrt^3" => L::splat(1.0).times_rsqrt_powi::<3>(x),
        "rsqrt^16" => L::splat(1.0).times_rsqrt_powi::<16>(x),
        _ => L::splat(f64::NAN),
    }
}

const FUNCTIONS: &[Function] = &[
    Function { name: "exp", truth: libm::exp, ulp: [2.0, 2.0], from: -87.0, to: 88.0 },
    Function { name: "ln", truth: libm::log, ulp: [2.0, 2.0], from: 1e-3, to: 10.0 },
    Function { name: "ln", truth: libm::log, ulp: [2.0, 2.0], from: 0.9, to: 1.1 },
    Function { name: "sin", truth: libm::sin, ulp: [2.0, 2.0], from: -3.0, to: 3.0 },
    Function { name: "cos", truth: libm::cos, ulp: [2.0, 2.0], from: -1.5, to: 1.5 },
    Function { name: "tan", truth: libm::tan, ulp: [4.0, 4.0], from: -1.5, to: 1.5 },
    Function { name: "cbrt", truth: libm::cbrt, ulp: [1.5, 1.5], from: -1e3, to: 1e3 },
    Function { name: "cbrt", truth: libm::cbrt, ulp: [1.5, 1.5], from: 0.4, to: 4.0 },
    Function { name: "asin", truth: libm::asin, ulp: [3.0, 3.0], from: -1.0, to: 1.0 },
    Function { name: "acos", truth: libm::acos, ulp: [3.0, 3.0], from: -1.0, to: 1.0 },
    Function { name: "atan", truth: libm::atan, ulp: [3.0, 3.0], from: -5.0, to: 5.0 },
    Function {
        name: "atan2(x, -0.75)",
        truth: |x| x.atan2(-0.75),
        ulp: [3.0, 3.0],
        from: -2.0,
        to: 2.0,
    },
    Function {
        name: "atan2(0.75, x)",
        truth: |x| 0.75_f64.atan2(x),
        ulp: [3.0, 3.0],
        from: -2.0,
        to: 2.0,
    },
    Function { name: "sinh", truth: libm::sinh, ulp: [3.0, 3.0], from: -20.0, to: 20.0 },
    Function { name: "sinh", truth: libm::sinh, ulp: [3.0, 3.0], from: -1.5, to: 1.5 },
    Function { name: "cosh", truth: libm::cosh, ulp: [3.0, 3.0], from: -89.0, to: 89.0 },
    Function { name: "tanh", truth: libm::tanh, ulp: [3.0, 3.0], from: -10.0, to: 10.0 },
    Function { name: "x^2.5", truth: |x| x.powf(2.5), ulp: [2.0, 2.0], from: 1e-3, to: 1e3 },
    Function { name: "x^2.5", truth: |x| x.powf(2.5), ulp: [2.0, 2.0], from: 0.9, to: 1.1 },
    Function { name: "x^-13", truth: |x| x.powf(-13.0), ulp: [2.0, 2.0], from: -500.0, to: -0.01 },
    Function {
        name: "1.40625^x",
        truth: |x| 1.40625_f64.powf(x),
        ulp: [1.3, 1.3],
        from: -255.0,
        to: 255.0,
    },
    Function { name: "round", truth: f64::round, ulp: [0.0, 0.0], from: 0.5, to: 9.0 },
    Function { name: "erf", truth: libm::erf, ulp: [3.0, 3.0], from: -4.0, to: 4.0 },
    Function { name: "erfc", truth: libm::erfc, ulp: [6.0, 8.0], from: -4.0, to: 9.0 },
    Function { name: "sqrt", truth: f64::sqrt, ulp: [0.51, 0.51], from: 1e-3, to: 1e3 },
    Function { name: "rsqrt", truth: |x| 1.0 / x.sqrt(), ulp: [2.0, 2.0], from: 1e-3, to: 1e3 },
    Function { name: "recip", truth: |x| 1.0 / x, ulp: [2.0, 2.0], from: -1e3, to: 1e3 },
    Function {
        name: "rsqrt^3",
        truth: |x| x.sqrt().powi(-3),
        ulp: [6.0, 6.0],
        from: 1e-3,
        to: 1e3,
    },
    Function { name: "rsqrt^16", truth: |x| x.powi(-8), ulp: [40.0, 40.0], from: 0.1, to: 10.0 },
];

#[test]
fn functions_are_within_their_errors() {
    for function in FUNCTIONS {
        for level in levels().skip(1) {
            for (precision, ulp) in
                [Precision::Single, Precision::Double].into_iter().zip(function.ulp)
            {
                let (error, at) = run(level, precision, Error(function));
                println!("{:8} {level} {precision}: {error:.2} ulp at {at:e}", function.name);
                assert!(error <= ulp, "{} {level} {precision}: {error} at {at:e}", function.name);
            }
        }
    }
}

/// Evaluates a function at one argument.
struct At(&'static str, f64);

impl Task for At {
    type Result = Vec<f64>;

    fn run<L: Lanes>(self) -> Vec<f64> {
        let mut line = Line([Word::<L>::default(); LINE]);
        L::vectorize(
            #[inline(always)]
            || evaluate(self.0, L::splat(self.1)).store(&mut line),
        );
        line.0[..L::WIDTH].iter().map(|word| L::Scalar::from_word(*word).to_f64()).collect()
    }
}

/// Rounds a number to the precision.
fn rounded(x: f64, precision: Precision) -> f64 {
    if precision == Precision::Single { f64::from(x as f32) } else { x }
}

#[test]
fn ends_of_the_range_are_those_of_the_functions() {
    let arguments =
        [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -1.0, 1e-30, 3e4, 1e30, -200.0];
    for function in FUNCTIONS.iter().filter(|function| function.name != "rsqrt^16") {
        for argument in arguments {
            for level in levels() {
                for precision in [Precision::Single, Precision::Double] {
                    let round = |x: f64| rounded(x, precision);
                    let denormal = if precision == Precision::Single { 2e-45 } else { 0.0 };
                    let truth = round((function.truth)(round(argument)));
                    for found in run(level, precision, At(function.name, argument)) {
                        let near = (found - truth).abs() <= 1e-5 * truth.abs() + denormal;
                        let same = found == truth || found.is_nan() && truth.is_nan();
                        // The reduction of angles loses the sign of zero.
                        let sign = truth != 0.0
                            || ["sin", "tan"].contains(&function.name)
                            || found.is_sign_negative() == truth.is_sign_negative();
                        assert!(
                            (near || same) && sign,
                            "{}({argument:e}) {level} {precision}: {found:e}, {truth:e}",
                            function.name
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn halves_round_away_from_zero() {
    for x in [0.5, -0.5, 1.5, 2.5, -3.5, 0.499_999_970_197_677_6, -0.25, 8_388_607.5] {
        for level in levels() {
            for precision in [Precision::Single, Precision::Double] {
                for found in run(level, precision, At("round", x)) {
                    assert_eq!(found.to_bits(), x.round().to_bits(), "{x} {level} {precision}");
                }
            }
        }
    }
}

type Binary = fn(f64, f64) -> f64;

/// Evaluates a function of two numbers.
struct AtTwo(&'static str, f64, f64);

impl Task for AtTwo {
    type Result = Vec<f64>;

    fn run<L: Lanes>(self) -> Vec<f64> {
        let Self(name, x, y) = self;
        let [x, y] = [x, y].map(L::splat);
        let mut line = Line([Word::<L>::default(); LINE]);
        L::vectorize(
            #[inline(always)]
            || {
                let result = if name == "powf" { x.powf(y) } else { x.atan2(y) };
                result.store(&mut line);
            },
        );
        line.0[..L::WIDTH].iter().map(|word| L::Scalar::from_word(*word).to_f64()).collect()
    }
}

#[test]
fn functions_of_two_numbers_have_the_special_values_of_c99() {
    let sizes = [0.0, 0.5, 1.0, 2.0, 3.0, 2.5, 1e-30, 1e30, 16_777_217.0, f64::INFINITY, f64::NAN];
    let numbers = || sizes.into_iter().flat_map(|size| [size, -size]);
    for (name, truth) in [("powf", libm::pow as Binary), ("atan2", libm::atan2)] {
        for (x, y) in numbers().flat_map(|x| numbers().map(move |y| (x, y))) {
            for level in levels().skip(1) {
                for precision in [Precision::Single, Precision::Double] {
                    let round = |x: f64| rounded(x, precision);
                    let truth = round(truth(round(x), round(y)));
                    for found in run(level, precision, AtTwo(name, x, y)) {
                        let near = (found - truth).abs() <= 1e-6 * truth.abs();
                        let same = found == truth || found.is_nan() && truth.is_nan();
                        let sign =
                            found.is_nan() || found.is_sign_negative() == truth.is_sign_negative();
                        assert!(
                            (near || same) && sign,
                            "{name}({x:e}, {y:e}) {level} {precision}: {found:e}, {truth:e}"
                        );
                    }
                }
            }
        }
    }
}

/// Looks up consecutive entries, from an index on, in a table of 0, 1, 2, ...
struct Entries {
    length: u32,
    from: u32,
}

impl Task for Entries {
    type Result = Vec<f64>;

    fn run<L: Lanes>(self) -> Vec<f64> {
        let entries: Vec<L> = (0..self.length).map(|k| L::splat(k.into())).collect();
        let mut line = Line([Word::<L>::default(); LINE]);
        let found = L::gather(&entries, L::count_from(self.from));
        found.store(&mut line);
        line.0[..L::WIDTH].iter().map(|word| L::Scalar::from_word(*word).to_f64()).collect()
    }
}

#[test]
fn entries_are_found_in_tables_of_any_length() {
    for length in [0, 1, 3, 4, 7, 8, 9, 16, 17, 40] {
        for from in [0, 1, 5, 13, 39, u32::MAX - 20] {
            for level in levels() {
                for precision in Precision::ALL {
                    let found = run(level, *precision, Entries { length, from });
                    for (index, found) in (from..).zip(found) {
                        let inside = index < length;
                        let right = if inside { found == f64::from(index) } else { found.is_nan() };
                        assert!(right, "{level} {precision}: {found} at {index} of {length}");
                    }
                }
            }
        }
    }
}

/// Looks up entries of a two-dimensional table, where each index varies between elements or not.
struct Cells(u32, u32, [bool; 2]);

impl Task for Cells {
    type Result = Vec<(u32, u32, f64)>;

    fn run<L: Lanes>(self) -> Self::Result {
        let Self(row, column, varies) = self;
        let table: [[L; 5]; 4] =
            std::array::from_fn(|r| std::array::from_fn(|c| L::splat((10 * r + c) as f64)));
        let index = |first, varies| if varies { L::count_from(first) } else { L::splat_u32(first) };
        let found = L::gather_entry(&table, index(row, varies[0]), index(column, varies[1]));
        let mut line = Line([Word::<L>::default(); LINE]);
        found.store(&mut line);
        let at = |first: u32, varies: bool, k: u32| first.wrapping_add(if varies { k } else { 0 });
        let found = line.0[..L::WIDTH].iter().map(|word| L::Scalar::from_word(*word).to_f64());
        (0..)
            .zip(found)
            .map(|(k, x)| (at(row, varies[0], k), at(column, varies[1], k), x))
            .collect()
    }
}

#[test]
fn cells_of_tables_are_found_whatever_varies() {
    for (row, column) in [(0, 0), (1, 3), (3, 4), (4, 1), (2, 5), (u32::MAX, 0), (1, u32::MAX)] {
        for varies in [[false, false], [true, false], [false, true], [true, true]] {
            for level in levels() {
                for precision in Precision::ALL {
                    let found = run(level, *precision, Cells(row, column, varies));
                    for (r, c, found) in found {
                        let inside = r < 4 && c < 5;
                        let right = f64::from(10 * u64::from(r).min(9) as u32 + c.min(9));
                        let same = if inside { found == right } else { found.is_nan() };
                        assert!(same, "{level} {precision} {varies:?}: {found} at {r}, {c}");
                    }
                }
            }
        }
    }
}

/// Evaluates a spline and its derivatives.
struct Tabulated(f64);

impl Task for Tabulated {
    type Result = [Vec<f64>; 5];

    fn run<L: Lanes>(self) -> Self::Result {
        let host = Spline::<33>::from_fn(0.5..=4.5, |x| (3.0 * x).sin()).unwrap();
        let cubics = host.0.all().iter();
        let cubics = cubics.map(|cubic| cubic.map(|number| L::splat(number).to_element()));
        let spline = Spline::<33, L>(Cubics::Owned(cubics.collect()));
        // A distance for each element.
        let x = L::splat(self.0) + L::from_u32(L::count_from(0)) * L::splat(0.3);
        // Two of four splines are zero, and numbers from 4 on have none.
        let zero = vec![[L::Element::default(); 4]; 35];
        let all = [&zero[..], spline.0.all(), &zero, spline.0.all()].concat();
        let all = Splines::<33, 4, 1, L>(Cubics::Owned(all.into()));
        let chosen = all.element(L::count_from(1) & L::splat_u32(7)).slope(x);
        [spline.at(x), spline.slope(x), spline.curvature(x), spline.third_derivative(x), chosen]
            .map(|it| {
                let mut line = Line([Word::<L>::default(); LINE]);
                it.store(&mut line);
                let words = line.0[..L::WIDTH].iter();
                words.map(|word| L::Scalar::from_word(*word).to_f64()).collect()
            })
    }
}

#[test]
fn elements_find_their_own_pieces() {
    let host = Spline::<33>::from_fn(0.5..=4.5, |x| (3.0 * x).sin()).unwrap();
    for first in [-3.0, 0.49, 0.51, 1.3, 4.4, 1e30, -1e30, f64::NAN] {
        for level in levels() {
            for precision in Precision::ALL {
                let bound = if *precision == Precision::Double { 1e-9 } else { 2e-2 };
                let found = run(level, *precision, Tabulated(first));
                for k in 0..found[0].len() {
                    let x = first + k as f64 * 0.3;
                    let (chosen, slope) = (found[4][k], found[1][k]);
                    let right = match (k + 1) % 8 {
                        1 | 3 => chosen.to_bits() == slope.to_bits() || slope.is_nan(),
                        0 | 2 => chosen == 0.0 || x.is_nan(),
                        _ => chosen.is_nan(),
                    };
                    assert!(right, "{level} {precision}: {chosen} at {x}, {slope}");
                    let exact =
                        [host.at(x), host.slope(x), host.curvature(x), host.third_derivative(x)];
                    for (order, exact) in exact.into_iter().enumerate() {
                        let (found, scale) = (found[order][k], exact.abs().max(100.0));
                        // Derivatives of higher order are steps at the ends.
                        let right = if x.is_nan() {
                            found.is_nan()
                        } else {
                            (found - exact).abs() <= bound * scale
                        };
                        assert!(right, "{level} {precision}: {found} at {x}, {exact}");
                    }
                }
            }
        }
    }
}
