//! Compares interval arithmetic on devices with nbody-core, to the last bit.

use std::fmt::Write as _;

use nbody_compile::Cache;
use nbody_core::Interval;
use nbody_core::interval::{Function, Kind, Role, Step, evaluate};

use super::bounds::{arithmetic, cutoff};
use crate::backend::emulator::Emulator;
use crate::backend::{Backend, Launch, gpu};
use crate::compile::program::Program;
use crate::error::Error;
use crate::order::BLOCK;

/// The inputs of a chain, and the number of operations that follow, each on four earlier values.
const INPUTS: usize = 4;
const STEPS: usize = 6;
const VALUES: usize = INPUTS + STEPS;
const CHAINS: usize = 10_000;

/// The first steps of an operation: four numbers, two conditions, and integers selected by these
/// conditions, with their last bits.
const FIRST: [Step; 16] = [
    Step::Number(Role::I, 0),
    Step::Number(Role::I, 1),
    Step::Number(Role::J, 2),
    Step::Number(Role::J, 3),
    Step::Apply(Function::Less, [0, 1, 0]),
    Step::Apply(Function::AtMost, [2, 3, 0]),
    Step::Integer(3),
    Step::Integer(0),
    Step::Integer(7),
    Step::Integer(0xffff_fffe),
    Step::Apply(Function::SelectInteger, [4, 6, 7]),
    Step::Apply(Function::SelectInteger, [5, 8, 9]),
    Step::Index(Role::I, 1),
    Step::Integer(1),
    Step::Apply(Function::AndIntegers, [10, 13, 0]),
    Step::Apply(Function::AndIntegers, [11, 13, 0]),
];

/// Returns programs of four numbers, and of a table of these numbers and the first two again: each
/// function, and every other kind of step.
fn operations() -> Vec<Vec<Step>> {
    let with = |steps: &[Step]| [&FIRST[..], steps].concat();
    let next = FIRST.len() as u16;
    let mut operations = Vec::new();
    for &function in Function::ALL {
        // Known integers, and bounded integers.
        for integers in [[10, 11], [12, 10], [6, 8]] {
            let mut places = [[0, 1].as_slice(), &[4, 5], &integers].map(|places| places.iter());
            let mut operands = [0; 3];
            for (operand, kind) in operands.iter_mut().zip(function.inputs()) {
                let of_kind = match kind {
                    Kind::Interval => &mut places[0],
                    Kind::Truth => &mut places[1],
                    Kind::Integers => &mut places[2],
                };
                *operand = *of_kind.next().unwrap();
            }
            let step = Step::Apply(function, operands);
            let result = match function.output() {
                Kind::Interval => None,
                Kind::Truth => Some(Step::Apply(Function::Select, [next, 2, 3])),
                Kind::Integers => Some(Step::Apply(Function::Converted, [next, 0, 0])),
            };
            operations.push(with(&[step].into_iter().chain(result).collect::<Vec<_>>()));
            if !function.inputs().contains(&Kind::Integers) {
                break;
            }
        }
    }
    operations.extend([0, 1, 2, 3, 6, 16].map(|n| with(&[Step::Power(0, n)])));
    for index in [7, 10, 12, 14] {
        operations.push(with(&[Step::Entry(&[0, 1, 2, 3], index)]));
        for (first, size) in [(0, [2, 3]), (2, [2, 2])] {
            operations.push(with(&[Step::Lookup { first, size, at: [index, 15] }]));
            operations.push(with(&[Step::Lookup { first, size, at: [15, index] }]));
        }
    }
    for x in [0.1, -2.5, 1e39, -1e-40, f64::INFINITY, f64::NEG_INFINITY] {
        operations.push(with(&[Step::Real(x), Step::Apply(Function::Product, [0, next, 0])]));
    }
    let chosen = Step::Apply(Function::Select, [next, 0, 1]);
    operations.push(with(&[Step::Truth(true), chosen]));
    operations.push(with(&[Step::Truth(false), chosen]));
    operations.push(with(&[Step::Unknown, Step::Apply(Function::Max, [next, 0, 0])]));
    operations
}

fn program(operations: &[Vec<Step>]) -> Program {
    let (mut functions, mut cases) = (String::new(), String::new());
    for (k, steps) in operations.iter().enumerate() {
        let cutoff = cutoff(steps, [&[0, 1], &[2, 3]]);
        let _ = writeln!(functions, "namespace nbody::bounds::of_{k} {{\n{cutoff}}}");
        let _ = writeln!(cases, "    case {k}: return bounds::of_{k}::cutoff(x, x, x + 2);");
    }
    let text = format!(
        "
{functions}
namespace nbody {{

__device__ bounds::Interval apply(u32 operation, const bounds::Interval *x)
{{
    switch (operation) {{
{cases}    default: return bounds::whole();
    }}
}}

// A thread follows a chain.
extern \"C\" __global__ void __launch_bounds__(BLOCK, 1) follow(
    const unsigned char *steps, bounds::Interval *values, u32 chains)
{{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= chains) return;
    values += k * {VALUES};
    steps += k * {STEPS} * 8;
    for (u32 step = 0; step < {STEPS}; ++step, steps += 8) {{
        const bounds::Interval x[] = {{
            values[steps[1]], values[steps[2]], values[steps[3]], values[steps[4]],
            values[steps[1]], values[steps[2]]}};
        values[{INPUTS} + step] = apply(steps[0], x);
    }}
}}

}} // namespace nbody
"
    );
    let parts = &[&*arithmetic(), &text];
    Program::of_exact_words("intervals", "bounds of numbers", &[c"follow"], BLOCK, parts)
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

    /// Returns a number of any magnitude, or a small integer or half, whose sums and products are
    /// exact.
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
    // Zeros of either sign are equal.
    let bits = |x: f64| if x == 0.0 { 0 } else { x.to_bits() };
    [bits(interval.lo), bits(interval.hi), interval.may_be_nan.into()]
}

fn check(backend: &dyn Backend) {
    let folder = tempfile::tempdir().unwrap();
    let operations = operations();
    let module = match backend.build(&program(&operations), &Cache::at(folder.path())) {
        Err(Error::NvrtcNotFound(_)) => return,
        built => built.unwrap().0,
    };
    let mut random = Random(1);
    let (mut steps, mut inputs, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for chain in 0..CHAINS {
        let mut values: Vec<_> = (0..INPUTS).map(|_| random.interval()).collect();
        inputs.extend(values.iter().copied().chain([Interval::from(0.0); STEPS]).flat_map(words));
        for step in 0..STEPS {
            let operation = (chain * STEPS + step) % operations.len();
            let operands = [0; 4].map(|_| random.below(values.len()));
            let bytes = [operation, operands[0], operands[1], operands[2], operands[3], 0, 0, 0];
            steps.push(u64::from_le_bytes(bytes.map(|byte| u8::try_from(byte).unwrap())));
            let x = [0, 1, 2, 3, 0, 1].map(|k: usize| values[operands[k]]);
            values.push(evaluate(&operations[operation], &[&x, &x, &x]));
        }
        expected.push(values);
    }
    let memory = |words: &[u64]| {
        let mut memory = backend.allocate(size_of_val(words)).unwrap();
        memory.write(&mut |to| to[..words.len()].copy_from_slice(words)).unwrap();
        memory
    };
    let (steps, values) = (memory(&steps), memory(&inputs));
    let launch = Launch::new(c"follow", CHAINS.div_ceil(BLOCK) as u32);
    let launch = launch.pointers([&*steps, &*values]).numbers([CHAINS as u32]);
    module.launch(launch).unwrap();
    let mut found = Vec::new();
    values.read(&mut |words| found = words.to_vec()).unwrap();
    for (chain, (expected, found)) in expected.iter().zip(found.chunks(3 * VALUES)).enumerate() {
        for (k, (expected, found)) in expected.iter().zip(found.chunks(3)).enumerate() {
            let of = |word: u64| f64::from_bits(word);
            let found =
                Interval { lo: of(found[0]), hi: of(found[1]), may_be_nan: found[2] & 1 == 1 };
            let step = k.checked_sub(INPUTS);
            let operation = step
                .map(|step| &operations[(chain * STEPS + step) % operations.len()][FIRST.len()..]);
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
