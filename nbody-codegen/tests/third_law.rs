//! Both directions at once against one after the other, in the emitted text, compiled as C++.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nbody_codegen::Cuda;
use proc_macro2::{TokenStream, TokenTree};

const MODULES: [&str; 6] = [
    "tests/modules/gravity.rs",
    "tests/modules/fluid.rs",
    "../interactions/src/gravitation.rs",
    "../interactions/src/electrostatics.rs",
    "../interactions/src/molecular.rs",
    "../interactions/src/vortex.rs",
];

/// Functions that run an interaction on random particles. All words of a record are real numbers,
/// except the fields that INTEGERS sets. Counts are stored in the totals by their bits.
const CHECK: &str = r"
inline double random_number()
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return 0.05 + double(state >> 40) / (1 << 24);
}
template <typename T> void fill(T &record)
{
    double *words = reinterpret_cast<double *>(&record);
    for (size_t k = 0; k < sizeof(T) / sizeof(double); ++k) words[k] = random_number();
}
inline bool differ(double a, double b, double scale)
{
    if (a == b || (a != a && b != b)) return false;
    const bool counts = fabs(a) < 1e-300 && fabs(b) < 1e-300;
    return counts || !(fabs(a - b) <= 1e-10 * scale);
}
template <int N> bool differ(const double (&a)[N], const double (&b)[N])
{
    double scale = 1e-6;
    for (double x : a) if (fabs(x) > scale) scale = fabs(x);
    for (int k = 0; k < N; ++k) if (differ(a[k], b[k], scale)) return true;
    return false;
}
";

const RUN: &str = r"
inline int check()
{
    int wrong = 0;
    const Space space = {};
    for (int turn = 0; turn < 2000; ++turn) {
        Parameters self;
        ParticleI i, j;
        fill(self), fill(i), fill(j);
        INTEGERS
        Accumulators f = nothing(), g = nothing(), both_f = nothing(), both_g = nothing();
        law::pair(self, space, i, j, f);
        law::pair(self, space, j, i, g);
        law::pair_symmetric(self, space, i, j, both_f, both_g);
        double totals[4][FDIM];
        for (auto &total : totals) reset(total);
        fold(f, totals[0]), fold(g, totals[1]), fold(both_f, totals[2]), fold(both_g, totals[3]);
        wrong += differ(totals[0], totals[2]) || differ(totals[1], totals[3]);
    }
    return wrong;
}
";

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Returns the modules of a file.
fn modules(text: &str) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = text.parse::<TokenStream>().unwrap().into_iter().collect();
    let is_module = |tokens: &&[TokenTree]| {
        let is_word = matches!(&tokens[0], TokenTree::Ident(word) if word == "mod");
        is_word && matches!(&tokens[2], TokenTree::Group(_))
    };
    let modules = tokens.windows(3).filter(is_module);
    modules.map(|tokens| tokens.iter().cloned().collect()).collect()
}

/// Sets the integers of both particles.
fn integers(Cuda { law, sums, .. }: &Cuda) -> String {
    let particle = sums.split_once("using ParticleI = law::").unwrap().1;
    let particle = particle.split_once(';').unwrap().0;
    let fields = law.split_once(&format!(" {particle} {{")).unwrap().1;
    let fields = fields.split_once("};").unwrap().0.lines();
    let names = fields.filter_map(|line| line.split_once(" u32 ")?.1.split_once(';'));
    names.fold(String::new(), |mut text, (name, _)| {
        for particle in ["i", "j"] {
            let _ = write!(text, "{particle}.{name} = random_number() < 0.5; ");
        }
        text
    })
}

/// Returns the interactions that have both directions, each in its own namespace.
fn programs() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for module in MODULES.iter().flat_map(|path| modules(&read(path))) {
        for program in nbody_codegen::cuda(module).unwrap() {
            let run = RUN.replace("INTEGERS", &integers(&program));
            let Cuda { name, law, third_law, sums, .. } = program;
            if let Some(both) = third_law {
                programs.push((name, format!("namespace law {{\n{law}{both}}}\n{sums}{run}")));
            }
        }
    }
    programs
}

fn run(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(format!("{name}.cpp")), folder.join(name));
    std::fs::write(&source, text).unwrap();
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut compile = Command::new(compiler);
    compile.args(["-std=c++17", "-O1", "-w", "-o"]).arg(&program).arg(&source);
    let compiled = compile.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    String::from_utf8(Command::new(program).output().unwrap().stdout).unwrap()
}

#[test]
fn both_directions_at_once_are_the_two_directions() {
    let kernels = "../nbody-cuda/kernels";
    let mut text = read(format!("{kernels}/emulate.h"));
    text += "extern \"C\" int printf(const char *, ...);\nnamespace nbody {\nusing real = double;\nusing Coordinate = real;\nusing backup = double;\n";
    text +=
        "constexpr bool EXACT = true, PERIODIC = false, TRICLINIC = false, IN_ORDER = true;\n}\n";
    text += &read(format!("{kernels}/prelude.cuh"));
    text += CHECK;
    let (mut calls, mut expected) = (String::new(), String::new());
    for (k, (name, program)) in programs().into_iter().enumerate() {
        let _ = writeln!(text, "namespace nbody::case_{k} {{\n{program}\n}}");
        let _ = writeln!(calls, "printf(\"{name} %d\\n\", nbody::case_{k}::check());");
        let _ = writeln!(expected, "{name} 0");
    }
    let _ = writeln!(text, "int main() {{\n{calls}}}");
    assert!(expected.lines().count() > 10, "{expected}");
    assert_eq!(run("third_law", &text), expected);
}
