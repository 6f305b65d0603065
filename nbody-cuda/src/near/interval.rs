//! Intervals of CUDA programs (`interval.cuh`) against those of nbody-core, to the last bit.

use std::fmt::Write as _;

use nbody_core::{Interval, Lane, Vector};

use crate::backend::emulator::Emulator;
use crate::backend::{Backend, Launch, gpu};
use crate::compile::cache::Cache;
use crate::near::BLOCK;
use crate::{Error, Program};

/// The inputs of a program, and the operations that follow, each on four earlier values.
const INPUTS: usize = 4;
const STEPS: usize = 6;
const VALUES: usize = INPUTS + STEPS;
const PROGRAMS: usize = 10_000;

/// An operation in CUDA, and in Rust as it is generated from the same declaration.
type Operation = (&'static str, fn([Interval; 4]) -> Interval);
const OPERATIONS: &[Operation] = &[
    ("a + b", |[a, b, ..]| a + b),
    ("a - b", |[a, b, ..]| a - b),
    ("a * b", |[a, b, ..]| a * b),
    ("a / b", |[a, b, ..]| a / b),
    ("-a", |[a, ..]| -a),
    ("a + b * c", |[a, b, c, _]| a.plus_product(b, c)),
    ("a * b + c", |[a, b, c, _]| c.plus_product(a, b)),
    ("a * b + c * d", |[a, b, c, d]| (a * b).plus_product(c, d)),
    ("a - b * c", |[a, b, c, _]| a.minus_product(b, c)),
    ("a * b - c", |[a, b, c, _]| a.times_minus(b, c)),
    ("sqrt(a)", |[a, ..]| a.sqrt()),
    ("rsqrt(a)", |[a, ..]| a.rsqrt()),
    ("recip(a)", |[a, ..]| a.recip()),
    ("powi<0>(a)", |[a, ..]| a.powi(0)),
    ("powi<2>(a)", |[a, ..]| a.powi(2)),
    ("powi<3>(a)", |[a, ..]| a.powi(3)),
    ("powi<-2>(a)", |[a, ..]| a.powi(-2)),
    ("powi<-5>(a)", |[a, ..]| a.powi(-5)),
    ("a * rsqrt_powi<3>(b)", |[a, b, ..]| a.times_rsqrt_powi::<3>(b)),
    ("powf(a, b)", |[a, b, ..]| a.powf(b)),
    ("cbrt(a)", |[a, ..]| a.cbrt()),
    ("exp(a)", |[a, ..]| a.exp()),
    ("ln(a)", |[a, ..]| a.ln()),
    ("sin(a)", |[a, ..]| a.sin()),
    ("cos(a)", |[a, ..]| a.cos()),
    ("tan(a)", |[a, ..]| a.tan()),
    ("asin(a)", |[a, ..]| a.asin()),
    ("acos(a)", |[a, ..]| a.acos()),
    ("atan(a)", |[a, ..]| a.atan()),
    ("atan2(a, b)", |[a, b, ..]| a.atan2(b)),
    ("sinh(a)", |[a, ..]| a.sinh()),
    ("cosh(a)", |[a, ..]| a.cosh()),
    ("tanh(a)", |[a, ..]| a.tanh()),
    ("erf(a)", |[a, ..]| a.erf()),
    ("erfc(a)", |[a, ..]| a.erfc()),
    ("abs(a)", |[a, ..]| a.abs()),
    ("min(a, b)", |[a, b, ..]| a.min(b)),
    ("max(a, b)", |[a, b, ..]| a.max(b)),
    ("clamp(a, b, c)", |[a, b, c, _]| a.clamp(b, c)),
    ("floor(a)", |[a, ..]| a.floor()),
    ("ceil(a)", |[a, ..]| a.ceil()),
    ("round(a)", |[a, ..]| a.round()),
    ("trunc(a)", |[a, ..]| a.trunc()),
    ("copysign(a, b)", |[a, b, ..]| a.copysign(b)),
    ("mul_add(a, b, c)", |[a, b, c, _]| Lane::mul_add(a, b, c)),
    ("dot(u, v)", |[a, b, c, d]| Vector([a, b, c]).dot(Vector([b, c, d]))),
    ("dot_plus(u, v, d)", |[a, b, c, d]| Vector([a, b, c]).dot_plus(Vector([b, c, d]), d)),
    ("norm(u)", |[a, b, c, _]| Vector([a, b, c]).norm()),
    ("norm2_plus(u, d)", |[a, b, c, d]| Vector([a, b, c]).norm2_plus(d)),
    ("(u + d * v)[1]", |[a, b, c, d]| Vector([a, b, c]).plus_product(d, Vector([b, c, d])).0[1]),
    ("(-u / d - v)[2]", |[a, b, c, d]| (-Vector([a, b, c]) / d - Vector([b, c, d])).0[2]),
    ("cross(u, v)[0]", |[a, b, c, d]| Vector([a, b, c]).cross(Vector([b, c, d])).0[0]),
    ("(a < b).select(c, d)", |[a, b, c, d]| Interval::select(Interval::lt(a, b), c, d)),
    ("(!(a <= b) && c < d).select(c, d)", |[a, b, c, d]| {
        Interval::select(!Interval::le(a, b) & Interval::lt(c, d), c, d)
    }),
    ("(a == b || b <= c).select(c, d)", |[a, b, c, d]| {
        Interval::select(Lane::eq(a, b) | Interval::le(b, c), c, d)
    }),
    ("((a < b) != (b < c)).select(c, d)", |[a, b, c, d]| {
        Interval::select(Interval::lt(a, b) ^ Interval::lt(b, c), c, d)
    }),
    ("Interval::of(n + m)", |all| of_integers(all, Interval::add_u32)),
    ("Interval::of(n - m)", |all| of_integers(all, Interval::sub_u32)),
    ("Interval::of(n * m)", |all| of_integers(all, Interval::mul_u32)),
    ("Interval::of(n & m)", |all| of_integers(all, |n, m| n & m)),
    ("Interval::of(n | m)", |all| of_integers(all, |n, m| n | m)),
    ("Interval::of(n ^ m)", |all| of_integers(all, |n, m| n ^ m)),
    ("(n < m).select(a, b)", |all| chosen_by(all, Interval::lt_u32)),
    ("(n <= m).select(a, b)", |all| chosen_by(all, Interval::le_u32)),
    ("(n == m).select(a, b)", |all| chosen_by(all, Interval::eq_u32)),
    ("entry(Array<4>{a, b, c, d}, n)", |all| Interval::gather(&all, integers(all).0)),
    ("entry(Array<9>{a, b, c, d, a, b, c, d, a}, m & n)", |all @ [a, b, c, d]| {
        let (n, m) = integers(all);
        Interval::gather(&[a, b, c, d, a, b, c, d, a], m & n)
    }),
    ("Interval::of(0.1) * a", |[a, ..]| Interval::splat(0.1) * a),
];

type Integers = <Interval as Lane>::U32;

/// Integers that comparisons choose.
fn integers([a, b, c, d]: [Interval; 4]) -> (Integers, Integers) {
    let of = Interval::splat_u32;
    let n = Interval::select_u32(Interval::lt(a, b), of(3), of(0));
    let m = Interval::select_u32(Interval::lt(c, d), of(7), of(0xffff_fffe));
    (n, m)
}

fn of_integers(all: [Interval; 4], operation: fn(Integers, Integers) -> Integers) -> Interval {
    let (n, m) = integers(all);
    Interval::from_u32(operation(n, m))
}

fn chosen_by(
    all: [Interval; 4],
    compare: fn(Integers, Integers) -> <Interval as Lane>::Mask,
) -> Interval {
    let (n, m) = integers(all);
    Interval::select(compare(n, m), all[0], all[1])
}

fn program() -> Program {
    let mut cases = String::new();
    for (k, (operation, _)) in OPERATIONS.iter().enumerate() {
        let _ = writeln!(cases, "    case {k}: return {operation};");
    }
    let text = format!(
        "
namespace nbody::bounds {{

__device__ Interval apply(
    u32 operation, const Interval &a, const Interval &b, const Interval &c, const Interval &d)
{{
    const Vector<3> u = {{a, b, c}}, v = {{b, c, d}};
    const Integers n = (a < b).select(Integers::of(3u), Integers::of(0u));
    const Integers m = (c < d).select(Integers::of(7u), Integers::of(0xfffffffeu));
    switch (operation) {{
{cases}    default: return Interval::whole();
    }}
}}

}} // namespace nbody::bounds

namespace nbody {{

// A thread follows a program.
extern \"C\" __global__ void __launch_bounds__(BLOCK, 1) follow(
    const unsigned char *steps, bounds::Interval *values, u32 programs)
{{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= programs) return;
    values += k * {VALUES};
    steps += k * {STEPS} * 8;
    for (u32 step = 0; step < {STEPS}; ++step, steps += 8) {{
        values[{INPUTS} + step] = bounds::apply(
            steps[0], values[steps[1]], values[steps[2]], values[steps[3]], values[steps[4]]);
    }}
}}

}} // namespace nbody
"
    );
    let parts = [include_str!("../../kernels/interval.cuh"), &text];
    Program::near("intervals", "bounds of numbers", &[c"follow"], &parts)
}

/// A generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % n
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 30)
    }

    /// Numbers of every magnitude, and small integers and halves, whose sums and products are exact.
    fn number(&mut self) -> f64 {
        match self.below(8) {
            0..3 => self.below(17) as f64 / 2.0 - 4.0,
            3..6 => 20.0 * self.unit() - 10.0,
            6 => 16_777_216.0,
            _ => (280.0 * self.unit() - 140.0).exp2().copysign(self.unit() - 0.5),
        }
    }

    fn interval(&mut self) -> Interval {
        let (a, by) = (self.number(), self.number());
        let b = match self.below(3) {
            0 => a,
            1 => a * (1.0 + 1e-6 * by),
            _ => by,
        };
        match self.below(40) {
            0 => Interval::WHOLE,
            1 => Interval::new(a, f64::INFINITY),
            _ => Interval::new(a.min(b), a.max(b)),
        }
    }
}

fn words(interval: Interval) -> [u64; 3] {
    // Zeros of either sign are alike.
    let bits = |x: f64| if x == 0.0 { 0 } else { x.to_bits() };
    [bits(interval.lo), bits(interval.hi), interval.may_be_nan.into()]
}

fn check(backend: &dyn Backend) {
    let folder = tempfile::tempdir().unwrap();
    let module = match backend.build(&program(), &Cache::at(folder.path())) {
        Err(Error::NvrtcNotFound(_)) => return,
        built => built.unwrap().0,
    };
    let mut random = Random(1);
    let (mut steps, mut inputs, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for program in 0..PROGRAMS {
        let mut values: Vec<_> = (0..INPUTS).map(|_| random.interval()).collect();
        inputs.extend(values.iter().copied().chain([Interval::from(0.0); STEPS]).flat_map(words));
        for step in 0..STEPS {
            let operation = (program * STEPS + step) % OPERATIONS.len();
            let operands = [0; 4].map(|_| random.below(values.len()));
            let bytes = [operation, operands[0], operands[1], operands[2], operands[3], 0, 0, 0];
            steps.push(u64::from_le_bytes(bytes.map(|byte| byte as u8)));
            values.push(OPERATIONS[operation].1(operands.map(|k| values[k])));
        }
        expected.push(values);
    }
    let memory = |words: &[u64]| {
        let mut memory = backend.allocate(size_of_val(words)).unwrap();
        memory.write(&mut |to| to[..words.len()].copy_from_slice(words)).unwrap();
        memory
    };
    let (steps, values) = (memory(&steps), memory(&inputs));
    let launch = Launch::new(c"follow", PROGRAMS.div_ceil(BLOCK) as u32);
    let launch = launch.pointers([&*steps, &*values]).numbers([PROGRAMS as u32]);
    module.launch(launch).unwrap();
    let mut found = Vec::new();
    values.read(&mut |words| found = words.to_vec()).unwrap();
    for (program, (expected, found)) in expected.iter().zip(found.chunks(3 * VALUES)).enumerate() {
        for (k, (expected, found)) in expected.iter().zip(found.chunks(3)).enumerate() {
            let of = |word: u64| f64::from_bits(word);
            let found =
                Interval { lo: of(found[0]), hi: of(found[1]), may_be_nan: found[2] & 1 == 1 };
            let step = k.checked_sub(INPUTS);
            let operation =
                step.map(|step| OPERATIONS[(program * STEPS + step) % OPERATIONS.len()].0);
            assert_eq!(words(found), words(*expected), "{operation:?}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn bounds_are_those_of_nbody_core() {
    check(&Emulator::open().unwrap());
    if let Some((_one, gpu)) = gpu::tests::gpu() {
        check(&gpu);
    }
}
