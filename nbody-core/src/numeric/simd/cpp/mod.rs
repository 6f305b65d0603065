//! The lanes of `nbody-declare/cpp`, compared with the lanes of this crate to the last bit.
//!
//! An operation is an expression that means the same in Rust and in C++; `driver.cpp` defines the
//! same variables as `evaluate`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::domain::{Domain, InDomain};
use crate::field::FieldKind;
use crate::numeric::extremum::{ArgMax, ArgMin};
use crate::numeric::mixed::Mixed;
use crate::numeric::nearest::Nearest;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::array::Array;
use crate::numeric::simd::fits;
use crate::numeric::simd::lanes::{LINE, Lanes, Line, Word};
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::{avx2, avx512, level::SimdLevel};
use crate::numeric::space::{Either, OfLists, Open, Periodic, Space, Triclinic};
use crate::numeric::spline::{Cubics, Spline};
use crate::numeric::splines::Splines;
use crate::numeric::vector::{Point, Vector, add_to_count, add_to_entry, select_array};
use crate::records::record::compensate;

const LENGTHS: [f64; 3] = [0.7, 1.3, f64::INFINITY];
const VECTORS: [[f64; 3]; 3] = [[0.7, 0.0, 0.0], [-0.3, 1.3, 0.0], [0.1, 0.45, 0.9]];

/// The arguments of a block of particles.
struct Block<Real: Lanes> {
    reals: [Line<Word<Real>>; 3],
    integers: [Line<Word<Real>>; 2],
    number: f64,
}

/// Defines operations, and their text.
macro_rules! operations {
    (
        fn evaluate($block:ident, $at:ident) { $($let:tt)* }
        reals { $($real:expr;)* }
        integers { $($integer:expr;)* }
        masks { $($mask:expr;)* }
    ) => {
        const REALS: &[&str] = &[$(stringify!($real)),*];
        const OTHERS: &[&str] = &[$(stringify!($integer),)* $(stringify!($mask)),*];

        /// Evaluates all operations on the lane that contains an element of a block.
        #[inline(always)]
        fn evaluate<Real: Lanes>(
            $block: &Block<Real>,
            $at: usize,
            results: &mut [Line<Word<Real>>; REALS.len() + OTHERS.len()],
        ) {
            $($let)*
            let mut lines = results.iter_mut();
            let mut next = || lines.next().expect("a line for each operation");
            $(apart::<Real>(
                next(),
                #[inline(always)]
                |line| Lanes::store($real, line),
            );)*
            $(apart::<Real>(
                next(),
                #[inline(always)]
                |line| Real::store_u32($integer, line),
            );)*
            $(apart::<Real>(
                next(),
                #[inline(always)]
                |line| {
                    let bits = Real::select_u32($mask, Real::splat_u32(1), Real::splat_u32(0));
                    Real::store_u32(bits, line);
                },
            );)*
        }
    };
}

/// Writes a result by a function of its own, since one of all operations compiles for a minute.
#[inline(never)]
fn apart<Real: Lanes>(line: &mut Line<Word<Real>>, write: impl FnOnce(&mut Line<Word<Real>>)) {
    Real::vectorize(
        #[inline(always)]
        || write(line),
    );
}

/// Returns a table of numbers that tell their places.
#[inline(never)]
fn large<Real: Lanes>() -> [[Real; 18]; 20] {
    std::array::from_fn(|r| std::array::from_fn(|s| Real::splat((18 * r + s) as f64)))
}

/// Returns a spline of four knots whose numbers tell their places.
#[inline(never)]
fn spline<Real: Lanes>() -> Spline<4, Real> {
    let number = |k: u32| Real::splat(f64::from(k) * 0.75 - 1.5).to_element();
    let cubics = (0..6).map(|n| [0, 1, 2, 3].map(|k| number(4 * n + k)));
    Spline(Cubics::Owned(cubics.collect()))
}

/// Returns six splines of three knots whose numbers tell their places.
#[inline(never)]
fn splines<Real: Lanes>() -> Splines<3, 2, 3, Real> {
    let number = |k: u32| Real::splat(f64::from(k) * 0.125 - 1.5).to_element();
    let cubics = (0..30).map(|n| [0, 1, 2, 3].map(|k| number(4 * n + k)));
    Splines(Cubics::Owned(cubics.collect()))
}

/// Reads a coordinate from its numbers.
#[inline(always)]
fn coordinate<Real: Lanes>(hi: Real, lo: Real) -> Real::Coordinate {
    let mut is_first = true;
    Real::coordinate_from(
        #[inline(always)]
        || if std::mem::take(&mut is_first) { hi } else { lo },
    )
}

#[inline(always)]
fn select<Real: Lanes>(mask: Real::Mask, yes: Vector<Real>, no: Vector<Real>) -> Vector<Real> {
    Vector::select(mask, yes, no)
}

operations! {
    fn evaluate(block, at) {
        let (d, last) = (block.number, u32::MAX);
        let [a, b, c] = block.reals.each_ref().map(
            #[inline(always)]
            |line| Real::load(line, at),
        );
        let [k, l] = block.integers.each_ref().map(
            #[inline(always)]
            |line| Real::load_u32(line, at),
        );
        let (m, n) = (Real::lt(a, b), Real::lt_u32(k, l));

        let (v, w, x) = (Vector([a, b, c]), Vector([c, -a, b]), Vector([b, a]));
        let small = Real::splat(2.0_f64.powi(-30));
        let p = [coordinate(a, c * small), coordinate(b, a), coordinate(c, b * small)];
        let q = [coordinate(b, a * small), coordinate(c, b), coordinate(a, -c * small)];
        let (p, q) = (Point::<Real, 3>(p), Point::<Real, 3>(q));
        let domain = Domain::periodic(LENGTHS).unwrap();
        let (open, periodic) = (Open, Periodic::<Real>::new(&domain));
        let everywhere = Either::<Real>::in_domain(&Domain::Open);
        let inside = Either::<Real>::in_domain(&domain);
        let listed = OfLists(periodic);
        let skewed = Domain::triclinic(VECTORS).unwrap();
        let (triclinic, tilted) = (Triclinic::<Real>::new(&skewed), Either::<Real>::in_domain(&skewed));

        let all = [a, b, c, a + b, b + c];
        let entries = &all;
        let table = &[[a, b, c, a], [b, c, a, b], [-a, -b, -c, -a]];
        let large = &large::<Real>();
        let spline = spline::<Real>();
        let splines = splines::<Real>();
        let mut sums = all;
        add_to_entry(&mut sums, k, m, c);
        let mut counts = [k, l, k];
        add_to_count::<Real>(&mut counts, k & Real::splat_u32(3), m, l);
        let (mut sum, mut lost) = (a, b);
        compensate(c, &mut sum, &mut lost);
        let (mut first, mut any) = (ArgMin::<Real>::default(), ArgMin::<Real>::default());
        first.take::<Open>(a, k);
        first.take::<Open>(b, l);
        any.take::<OfLists<Open>>(a, k);
        any.take::<OfLists<Open>>(b, l);
        any.take::<OfLists<Open>>(a, l);
        let chosen = ArgMin::select(m, first, any);
        let (mut farthest, mut most) = (ArgMax::<Real>::default(), ArgMax::<Real>::default());
        farthest.take::<Open>(a, k);
        farthest.take::<Open>(b, l);
        most.take::<OfLists<Open>>(a, l);
        most.take::<OfLists<Open>>(b, k);
        most.take::<OfLists<Open>>(a, k);
        let (mut few, mut many) = (Nearest::<2, Real>::default(), Nearest::<3, Real>::default());
        for (value, index) in [(a, k), (b, l), (a, l), (c, k)] {
            few.take::<Open>(value, index);
            many.take::<OfLists<Open>>(value, index);
        }
        let mut both = many;
        both.merge::<OfLists<Open>>(&Nearest { values: [a, c, c], indices: [l, k, l] });
        let both = Nearest::select(m, both, many);
        let near = Real::splat(1.0) - Real::splat(Real::ROUNDOFF) * Real::from_u32(k);
        let total = Real::broadcast(a.reduce(FieldKind::Real));
        let least = Real::broadcast(a.reduce(FieldKind::Min));
        let greatest = Real::broadcast(a.reduce(FieldKind::Max));
        // The functions of the host that C++ gets here.
        let [erf, erfc, cbrt] = if Real::REORDERS {
            [a.erf(), a.erfc(), a.cbrt()]
        } else {
            [1.0, 2.0, 3.0].map(|x| a + Real::splat(x))
        };
        let words = Real::Scalar::COORDINATE_WORDS;
        let constants = Real::WIDTH + 100 * Real::REGISTERS + 10_000 * words;
        let constants = constants
            + 100_000 * usize::from(Real::REORDERS)
            + 1_000_000 * usize::from(Real::ENDS_EARLY);
        let constants = Real::splat_u32(constants as u32);
    }
    reals {
        a + b; a - b; a * b; a / b; -a;
        Real::splat(d);
        Real::select(m, a, b);
        a.plus_product(b, c); a.minus_product(b, c); a.times_minus(b, c); a.mul_add(b, c);
        a.plus_where(n, b); a.minus_where(n, b);
        a.sqrt(); a.rsqrt(); a.recip(); a.abs();
        a.min(b); a.max(b); a.clamp(b, c); a.copysign(b);
        a.floor(); a.ceil(); a.round(); a.round_ties_even(); a.trunc();
        a.powi(0); a.powi(1); a.powi(2); a.powi(3); a.powi(7); a.powi(-1); a.powi(-6);
        b.times_rsqrt_powi::<1>(a); b.times_rsqrt_powi::<2>(a); b.times_rsqrt_powi::<3>(a);
        b.times_rsqrt_powi::<4>(a); b.times_rsqrt_powi::<5>(a); b.times_rsqrt_powi::<-3>(a);
        a.exp(); a.ln(); cbrt; a.powf(b);
        a.powf(Real::splat(0.5)); a.powf(Real::splat(-0.5)); a.powf(Real::splat(1.5));
        a.powf(Real::splat(2.0)); a.powf(Real::splat(-1.0)); a.powf(Real::splat(3.0));
        Real::splat(2.0).powf(a); Real::splat(0.125).powf(a);
        Real::splat(10.0).powf(a); Real::splat(1.0).powf(a); Real::splat(3.0).powf(a);
        a.sin(); a.cos(); a.tan(); a.asin(); a.acos(); a.atan(); a.atan2(b);
        a.sinh(); a.cosh(); a.tanh(); erf; erfc;
        Real::from_u32(k);
        Real::gather(entries, k);
        Real::gather_entry(table, k, l);
        Real::gather_entry(large, k, l);
        spline.at(a); spline.slope(b); spline.curvature(c); spline.third_derivative(a);
        splines.element(k).at(a); splines.element(l).slope(b);
        splines.entry(k, l).curvature(c); splines.entry(l & Real::splat_u32(1), k).at(b);
        splines.element(k & Real::splat_u32(3)).third_derivative(a);
        sums[0]; sums[1]; sums[2]; sums[3]; sums[4];
        total; least; greatest; sum; lost;
        first.value; any.value; chosen.value; farthest.value; most.value;
        few.values[0]; few.values[1]; many.values[0]; many.values[1]; many.values[2];
        both.values[0]; both.values[1]; both.values[2];
        v.dot(w); v.dot_plus(w, a); v.norm2(); v.norm2_plus(c); v.norm(); x.dot(x); x.norm2_plus(a);
        (v + w)[0]; (v - w)[1]; (-v)[2]; (v * b)[0]; (v / b)[2];
        v.cross(w)[0]; v.cross(w)[1]; v.cross(w)[2];
        v.plus_product(a, w)[1]; v.minus_product(a, w)[1]; v.times_minus(a, w)[2];
        v.plus_where(m, w)[1]; v.minus_where(m, w)[1];
        select(m, v, w)[2]; select_array(m, all, sums)[0];
        (p - q)[0]; (p - q)[1];
        Real::difference(p[0], Real::coordinate(d));
        Real::nearest_difference(p[0], q[0], Real::coordinate(0.7), Real::splat(1.25));
        Real::difference(Real::select_coordinate(m, p[0], q[0]), q[1]);
        open.difference(p, q)[2];
        periodic.difference(p, q)[0]; periodic.difference(p, q)[1]; periodic.difference(p, q)[2];
        everywhere.difference(p, q)[0]; inside.difference(p, q)[0];
        listed.difference(p, q)[1];
        Real::rounded(Real::apart(p[0], q[0]));
        Real::rounded(Real::without(p[0], b.round_ties_even(), q[0]));
        triclinic.difference(p, q)[0]; triclinic.difference(p, q)[1];
        triclinic.difference(p, q)[2]; tilted.difference(p, q)[0];
    }
    integers {
        Real::add_u32(k, l); Real::sub_u32(k, l); Real::mul_u32(k, l);
        Real::div_u32(k, l); Real::rem_u32(k, l); Real::div_u32(l, k); Real::rem_u32(l, k);
        Real::shl_u32(k, l); Real::shr_u32(k, l); Real::shl_u32(l, k); Real::shr_u32(l, k);
        Real::min_u32(k, l); Real::max_u32(k, l); Real::rotate_u32(k, l); Real::rotate_u32(l, k);
        Real::ones_u32(k); Real::ones_u32(l); Real::high_u32(k, l); Real::high_u32(k, k);
        Real::to_u32(a); Real::to_u32(b); Real::to_u32(Real::from_u32(k));
        Real::to_u32(a.abs() * c.abs()); Real::to_u32(a * b + c);
        k & l; k | l; k ^ l;
        Real::select_u32(m, k, l);
        Real::count_from(5); Real::count_from(last - 2); Real::splat_u32(last);
        first.index; any.index; chosen.index; farthest.index; most.index;
        few.indices[0]; few.indices[1]; many.indices[0]; many.indices[1]; many.indices[2];
        both.indices[0]; both.indices[1]; both.indices[2]; counts[0]; counts[1]; counts[2];
        constants;
    }
    masks {
        Real::le(a, b); Real::eq(a, b); Real::lt(a, b);
        Real::lt_u32(k, l); Real::le_u32(k, l); Real::eq_u32(k, l);
        m & n; m | n; m ^ n; !m;
        Real::splat_mask(true); Real::splat_mask(Real::any(m));
        Real::within_reach(a, b); Real::within_reach(a, a * a * near);
    }
}

/// Returns the C++ program that evaluates all operations on a lane.
fn program(lane: &str) -> String {
    let skewed = Domain::triclinic(VECTORS).unwrap();
    let [lengths, inverses] = Domain::periodic(LENGTHS).unwrap().factors();
    let [of_skewed, inverses_of_skewed] = skewed.factors();
    let list = |numbers: [f64; 3]| numbers.map(|x| format!("{x:?}")).join(", ");
    let operations = REALS.iter().chain(OTHERS);
    let operations: Vec<_> =
        operations.map(|text| format!("put({});", text.replace("::<", "<"))).collect();
    let driver = include_str!("driver.cpp")
        .replace("EDGES", &list(of_skewed))
        .replace("PER_EDGE", &list(inverses_of_skewed))
        .replace("TILTS", &list(skewed.tilts()))
        .replace("LENGTHS", &list(lengths))
        .replace("INVERSES", &list(inverses))
        .replace("OPERATIONS", &operations.join("\n    "));
    let domain = "struct Domain { double lengths[3], inverses[3], tilts[3]; bool is_periodic, is_triclinic; };";
    let head = format!(
        "namespace nbody {{ {domain} }}\n#define NBODY_LANE NBODY_{lane}\n#include \"lane.hpp\"\n"
    );
    fits::text() + &head + &driver
}

/// Compiles a program and runs it on an input.
fn run(lane: &str, features: &str, input: &[u8]) -> Vec<u8> {
    let stem = std::env::temp_dir().join(format!("nbody-lanes-{}-{lane}", std::process::id()));
    let (source, program_file) = (stem.with_extension("cpp"), stem.with_extension("exe"));
    std::fs::write(&source, program(lane)).unwrap();
    let command = std::env::var("CXX").unwrap_or_else(|_| String::from("c++"));
    let mut words = command.split_whitespace();
    let output = Command::new(words.next().expect("a compiler in CXX"))
        .args(words)
        .args("-std=c++17 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math".split(' '))
        .args("-Wall -Wextra -Werror".split(' '))
        .args(features.split_whitespace())
        .arg(concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../nbody-declare/cpp"))
        .args([source.as_os_str(), "-o".as_ref(), program_file.as_os_str(), "-lm".as_ref()])
        .output()
        .unwrap_or_else(|error| panic!("{command}: {error}; install g++, or set CXX"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{lane}: {errors}");
    let (into, from) = (Stdio::piped(), Stdio::piped());
    let mut child = Command::new(&program_file).stdin(into).stdout(from).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    });
    for file in [source, program_file] {
        std::fs::remove_file(file).unwrap();
    }
    assert!(output.status.success(), "{lane}: {}", output.status);
    output.stdout
}

/// Pseudorandom bits (Steele, Lea & Flood 2014, `SplitMix`).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// Returns a number between -1 and 1.
    fn signed(&mut self) -> f64 {
        self.bits().cast_signed() as f64 / 2.0_f64.powi(63)
    }

    /// Returns a number: ordinary, of any exponent, or at an end of the range of a function.
    fn real(&mut self) -> f64 {
        const ENDS: &str = "0 1 0.5 1.5 2.5 3 1e-45 5e-324 1.2e-38 2.3e-308 1e-30 1e30 3.4e38 \
            1.7e308 inf NaN 104 88.7 90 710.5 746 1e4 1.6e6 1e9 0.55 11 28 16777217 8388607.5 \
            0.4999999701976776 0.99 1.0001";
        let sign = self.signed().signum();
        match self.bits() % 6 {
            0 => {
                let ends: Vec<&str> = ENDS.split_whitespace().collect();
                sign * ends[self.bits() as usize % ends.len()].parse::<f64>().unwrap()
            }
            1 => f64::from(f32::from_bits(self.bits() as u32)),
            2 => f64::from_bits(self.bits()),
            3 => 4.0 * self.signed(),
            4 => 300.0 * self.signed(),
            _ => (40.0 * self.signed()).exp2(),
        }
    }

    /// Returns an integer: small, at an end of the range, or any.
    fn integer(&mut self) -> u32 {
        const ENDS: [u32; 6] = [0, 1, 1 << 31, (1 << 31) - 1, u32::MAX - 1, u32::MAX];
        match self.bits() % 4 {
            0 => ENDS[self.bits() as usize % ENDS.len()],
            1 => self.bits() as u32,
            _ => self.bits() as u32 % 21,
        }
    }
}

impl<Real: Lanes> Block<Real> {
    fn random(random: &mut Random) -> Self {
        let zero = Line([Word::<Real>::default(); LINE]);
        let mut block = Self { reals: [zero; 3], integers: [zero; 2], number: random.real() };
        for word in block.reals.iter_mut().flat_map(|line| &mut line.0) {
            *word = Real::Scalar::from_f64(random.real()).to_word();
        }
        for line in &mut block.integers {
            // Integers are often the same in all elements.
            let (same, differ) = (random.integer(), random.bits().is_multiple_of(2));
            for word in &mut line.0 {
                *word = Real::Scalar::word_from_u32(if differ { random.integer() } else { same });
            }
        }
        block
    }

    /// Appends the bytes of the struct of the driver.
    fn write(&self, to: &mut Vec<u8>) {
        for line in self.reals.iter().chain(&self.integers) {
            to.extend_from_slice(bytemuck::cast_slice(&line.0));
        }
        to.extend_from_slice(&self.number.to_ne_bytes());
        to.extend_from_slice(&[0; 56]);
    }
}

/// Compares all operations on a lane.
fn compare<Real: Lanes>(lane: &str, features: &str) {
    let mut random = Random(1);
    let blocks: Vec<_> = (0..400).map(|_| Block::<Real>::random(&mut random)).collect();
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for block in &blocks {
        block.write(&mut input);
        Real::vectorize(
            #[inline(always)]
            || {
                for at in (0..LINE).step_by(Real::WIDTH) {
                    let mut results =
                        [Line([Word::<Real>::default(); LINE]); REALS.len() + OTHERS.len()];
                    evaluate(block, at, &mut results);
                    expected.extend(results);
                }
            },
        );
    }
    let found = run(lane, features, &input);
    let found: Vec<Word<Real>> = bytemuck::pod_collect_to_vec(&found);
    assert_eq!(found.len(), expected.len() * Real::WIDTH, "{lane}");
    let names: Vec<_> = REALS.iter().chain(OTHERS).collect();
    let mut wrong = Vec::new();
    for (r, (found, expected)) in found.chunks(Real::WIDTH).zip(&expected).enumerate() {
        let (operation, lane_number) = (r % names.len(), r / names.len());
        let block = &blocks[lane_number * Real::WIDTH / LINE];
        for (e, (found, expected)) in found.iter().zip(&expected.0).enumerate() {
            let numbers = [*found, *expected].map(|word| Real::Scalar::from_word(word).to_f64());
            let is_nan = operation < REALS.len() && numbers.iter().all(|x| x.is_nan());
            if !is_nan && bytemuck::bytes_of(found) != bytemuck::bytes_of(expected) {
                let at = lane_number * Real::WIDTH % LINE + e;
                let real = |line: &Line<Word<Real>>| Real::Scalar::from_word(line.0[at]).to_f64();
                let integer = |line: &Line<Word<Real>>| Real::Scalar::word_to_u32(line.0[at]);
                wrong.push(format!(
                    "{}: {found:?} instead of {expected:?} ({numbers:?}) of {:?}, {:?}, {:?}",
                    names[operation],
                    block.reals.each_ref().map(real),
                    block.integers.each_ref().map(integer),
                    block.number,
                ));
            }
        }
    }
    let (count, shown) = (wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    assert!(wrong.is_empty(), "{lane}: {count} of {} differ\n{shown}", found.len());
}

#[test]
fn scalars_in_cpp_have_the_same_bits() {
    compare::<f32>("SINGLE", "");
    compare::<f64>("DOUBLE", "");
    compare::<Mixed>("MIXED", "");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn registers_in_cpp_have_the_same_bits() {
    const AVX2: &str = "-mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpopcnt";
    const AVX512: &str = "-mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl -mavx2 -mfma";
    if SimdLevel::Avx2.is_available() {
        compare::<avx2::Single>("AVX2_SINGLE", AVX2);
        compare::<avx2::Double>("AVX2_DOUBLE", AVX2);
    }
    if SimdLevel::Avx512.is_available() {
        compare::<avx512::Single>("AVX512_SINGLE", AVX512);
        compare::<avx512::Double>("AVX512_DOUBLE", AVX512);
    }
}

#[test]
fn arrays_in_cpp_have_the_same_bits() {
    compare::<Array<f32, 4>>("NEON_SINGLE", "");
    compare::<Array<f64, 2>>("NEON_DOUBLE", "");
}
