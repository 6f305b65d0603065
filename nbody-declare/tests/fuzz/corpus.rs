//! The texts that are mutated, and the words that go into them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::tokens::{is_word, tokens};

/// Files with modules under `#[nbody::interaction]`: ready laws, and laws that together use the whole
/// language.
const FILES: [&str; 14] = [
    "interactions/src/boundary.rs",
    "interactions/src/electrostatics.rs",
    "interactions/src/gravitation.rs",
    "interactions/src/molecular.rs",
    "interactions/src/optics.rs",
    "interactions/src/statistics.rs",
    "interactions/src/vortex.rs",
    "tests/common/bodies.rs",
    "tests/common/charged.rs",
    "tests/common/contacts.rs",
    "tests/common/indexed.rs",
    "tests/common/lib.rs",
    "tests/common/particle_programs.rs",
    "tests/common/points.rs",
];
/// Files that are a module.
const MODULES: [&str; 5] = [
    "nbody-codegen/tests/modules/everything.rs",
    "nbody-codegen/tests/modules/extremes.rs",
    "nbody-codegen/tests/modules/fluid.rs",
    "nbody-codegen/tests/modules/gravity.rs",
    "nbody-codegen/tests/modules/simulation.rs",
];
/// Texts around the emitted text, whose words are names in mutants.
const AROUND: [&str; 16] = [
    "nbody-codegen/src/names.rs",
    "nbody-cuda/kernels/emulate.h",
    "nbody-cuda/kernels/prelude.cuh",
    "nbody-cuda/kernels/sums.cuh",
    "nbody-cuda/src/pairs/ordered.cuh",
    "nbody-cuda/src/particles/buffers.cuh",
    "nbody-declare/cpp/avx512.hpp",
    "nbody-declare/cpp/functions.hpp",
    "nbody-declare/cpp/lane.hpp",
    "nbody-declare/cpp/loops.hpp",
    "nbody-declare/cpp/particles.hpp",
    "nbody-declare/cpp/record.hpp",
    "nbody-declare/cpp/scalar.hpp",
    "nbody-declare/cpp/space.hpp",
    "nbody-declare/cpp/vector.hpp",
    "nbody-declare/cpp/wide.hpp",
];
/// Words of the language, of Rust and of C++, and names that are no names of C++.
const WORDS: &str = "Real Vector Point u32 bool Min Max ArgMin ArgMax Nearest Count Interaction Update Measure self \
    Self i j f fn pair cutoff update measure struct impl const type let mut if else for in return \
    true false loop while match unsafe async await dyn move ref where crate super static enum trait \
    union macro_rules r#type r#struct r#fn r#if gen try box yield int float double char template \
    typename class namespace operator new delete this auto register volatile explicit friend goto \
    virtual inline and or not xor bitand compl asm alignas noexcept nullptr constexpr decltype \
    consteval concept requires co_await typeof __int128 _Complex _Float16 _Bool __device__ \
    __forceinline__ __shared__ __global__ __host__ __restrict__ __launch_bounds__ threadIdx blockIdx \
    blockDim warpSize NULL INFINITY NAN M_PI EOF errno assert linux unix i386 stdin FLT_MAX CHAR_BIT \
    INT_MAX UINT64_C NBODY_INLINE NBODY_LANE size_t uint32_t float4 double2 half std main memcpy \
    printf y0 j1 yn gamma index space law names nbody ε étoile 名 ß İ ﬁ x1 x_1 _x __x _ l1 O0 std_ \
    _mm512_add_ps __builtin_expect __LINE__ __func__ defined pragma include";

/// The texts and the words of mutants.
pub struct Corpus {
    /// The tokens of each text.
    pub texts: Vec<Vec<String>>,
    pub words: Vec<String>,
}

fn text(file: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Corpus {
    pub fn read() -> Self {
        let marked = FILES.iter().flat_map(|file| modules(&text(file)));
        let texts: Vec<_> = marked.chain(MODULES.iter().map(|file| tokens(&text(file)))).collect();
        assert!(texts.len() > 30, "{} texts", texts.len());
        let around = AROUND.iter().flat_map(|file| tokens(&text(file)));
        let words = WORDS.split_whitespace().map(str::to_owned);
        let words: BTreeSet<_> = around.filter(|token| is_word(token)).chain(words).collect();
        Self { texts, words: words.into_iter().collect() }
    }
}

/// Returns the modules of a file that declare interactions.
fn modules(text: &str) -> Vec<Vec<String>> {
    let marked = text.split("#[nbody::interaction]\n").skip(1).map(tokens);
    // A declaration by a macro has holes.
    let plain = marked.filter(|tokens| !tokens.iter().any(|token| token == "$"));
    plain.map(|tokens| tokens[..end(&tokens)].to_vec()).collect()
}

/// Returns the number of tokens up to the brace that closes the first one.
fn end(tokens: &[String]) -> usize {
    let mut depth = 0;
    let closes = |token: &String| {
        depth += i32::from(token == "{") - i32::from(token == "}");
        token == "}" && depth == 0
    };
    tokens.iter().position(closes).expect("a whole module") + 1
}
