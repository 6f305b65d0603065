//! Tests of the emulator.

use super::*;
use crate::Origin;

/// Returns a program for the emulator, whose results have this number of numbers.
fn program(results: usize, kernel: &str) -> Program {
    let source = format!(
        "
namespace nbody {{
constexpr int BLOCK = 32, FDIM = {results};
struct Accumulators {{ float numbers[FDIM]; }};
{kernel}
}} // namespace nbody
"
    );
    let records = "2 * sizeof(Accumulators) + 2 * FDIM * sizeof(double)";
    Program { records, ..Program::by_hand(source) }
}

/// The offset of the processor type in the header of a shared object, and a type that does not
/// exist.
const PROCESSOR: usize = 18;
const NONE: [u8; 2] = [0xfe, 0xca];

#[test]
fn a_program_for_another_processor_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    let emulator = Emulator::open().unwrap();
    let program = program(1, "__global__ void by_hand() {}");
    let build = || emulator.build(&program, &cache).map(|(_, build)| build).unwrap();
    let compiled = build();
    assert_eq!(compiled.origin, Origin::Compiled);
    let key = compiled.source.as_ref().unwrap().file_stem().unwrap().to_str().unwrap();
    let mut foreign = compiled.image.to_vec();
    foreign[PROCESSOR..PROCESSOR + 2].copy_from_slice(&NONE);
    // Intact, as if a computer with that processor had stored it.
    cache.store(key, "so", &foreign).unwrap();
    let error = EmulatedModule::load(&foreign, &program).unwrap_err().to_string();
    assert!(error.starts_with("cannot load the emulated program: dlopen failed: /"), "{error}");
    assert_eq!(build().origin, Origin::Repaired);
    assert_eq!(build().origin, Origin::Cached);
}

/// Runs a kernel without arguments, in one block.
fn run(program: &Program) -> Result<(), Error> {
    let folder = tempfile::tempdir().unwrap();
    let emulator = Emulator::open().unwrap();
    let (module, _) = emulator.build(program, &Cache::at(folder.path())).unwrap();
    module.launch(Launch::new(c"by_hand", 1))
}

#[test]
fn stacks_hold_large_results() {
    // Each thread waits with its sums and their backups, twice, on its stack.
    let kernel = "
__device__ void fill(double (&total)[FDIM], Accumulators &sum)
{
for (int k = 0; k < FDIM; ++k) {
    sum.numbers[k] = float(k % 8);
    total[k] = threadIdx.x;
}
}
__device__ void check(const double (&total)[FDIM], const Accumulators &sum)
{
for (int k = 0; k < FDIM; ++k) {
    if (sum.numbers[k] != float(k % 8) || total[k] != threadIdx.x) __builtin_abort();
}
}
__global__ void by_hand()
{
double total[FDIM], part[FDIM];
Accumulators sum, lost;
fill(total, sum);
fill(part, lost);
__syncthreads();
check(total, sum);
check(part, lost);
}";
    run(&program(9 * 4096, kernel)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_stack_overflow_hits_the_guard() {
    use std::os::unix::process::ExitStatusExt as _;

    const CHILD: &str = "NBODY_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        // Exceeds the stack by more than one stack and less than two.
        let kernel = "
__device__ int down(int bytes)
{
volatile char frame[1024];
frame[0] = char(bytes);
return bytes < 0 ? 0 : down(bytes - 1024) + frame[0];
}
__global__ void by_hand() { if (threadIdx.x == 1) down(3 * 512 * 1024); }";
        let _ = run(&program(1, kernel));
        return;
    }
    let name = "backend::emulator::tests::a_stack_overflow_hits_the_guard";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let status = child.args(["--exact", name]).env(CHILD, "yes").output().unwrap().status;
    assert!(matches!(status.signal(), Some(7 | 11)), "{status}");
}
