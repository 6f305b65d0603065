//! Names and comments of all kinds, in programs that a C++ compiler must accept.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nbody_codegen::Cuda;
use proc_macro2::TokenStream;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

/// Number of modules with random names, all compiled at once.
const RANDOM_MODULES: usize = 24;

/// Configuration of a program, as nbody-cuda writes it.
const CONFIG: &str = "
namespace nbody {
using real = float;
using Coordinate = real;
using backup = double;
constexpr int BLOCK = 64, RESIDENT = 1, I_PER_THREAD = 2, BAG = 64, UNROLL = 2, PARTS = 1;
constexpr bool FOLD_EACH_BAG = true, COMPENSATED = true, EXACT = false, PERIODIC = true, TRICLINIC = false;
constexpr bool IN_ORDER = false, TOTALS_ARE_SHARED = true, SHARE = true;
constexpr unsigned BAGS_PER_FOLD = 2;
}
";

/// Some of the macros that compilers predefine.
const MACROS: [&str; 6] = ["NULL", "assert", "M_PI", "INFINITY", "linux", "cudaHostAllocMapped"];

/// Fields of parameters, particles and results, and statements. Together, their emitted text
/// contains every word that the code generator itself writes.
const EVERY_FIELD: [&str; 3] = [
    "every_table: [[Real; 2]; 2],",
    "every_place: Point, every_kind: u32, every_list: [Real; 3],",
    "every_force: Vector, every_least: EVERY_LEAST,",
];
const EVERY_WORD: &str = "
let every_d = J.every_place - I.every_place;
let every_r = (every_d.norm2() + 1e60).sqrt() / (every_d.dot(every_d) + 1e-60);
let every_rinv = every_r.rsqrt().powi(3) + every_r.powi(2) + J.every_list[I.every_kind];
F.every_force += every_d.cross(every_d) / every_rinv.clamp(1.0, 2.0).mul_add(3.0, every_d.norm());
F.every_least.min(self.every_table[I.every_kind][J.every_kind]);
";

const BEFORE: &str = "kernels/prelude.cuh";
const BEHIND: [&str; 5] = [
    "kernels/sums.cuh",
    "kernels/last_block.cuh",
    "kernels/bag.cuh",
    "kernels/force_loop.cuh",
    "src/pairs/ordered.cuh",
];
/// Other kernels, and the header of the emulator.
const OTHERS: [&str; 3] = ["src/pairs/symmetric.cuh", "src/pairs/few.cuh", "kernels/emulate.h"];

fn kernel(name: &str) -> String {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nbody-cuda");
    std::fs::read_to_string(kernels.join(name)).unwrap()
}

/// Names of everything in a module.
#[derive(Clone, Debug)]
struct Names {
    law: String,
    particle: String,
    result: String,
    /// Fields of each struct.
    fields: [Vec<String>; 3],
    constants: Vec<String>,
    functions: Vec<String>,
    /// Names of both particles and of the result in `pair`.
    roles: [String; 3],
    variables: Vec<String>,
    comment: String,
}

impl Names {
    /// Returns ordinary names, for the parts that a test does not name itself.
    fn plain() -> Self {
        let [law, particle, result] = ["Law", "Body", "Sum"].map(str::to_owned);
        let fields = [vec!["strength".to_owned()], vec!["x".to_owned()], vec!["sum".to_owned()]];
        let roles = ["it_feels", "it_acts", "it_sums"].map(str::to_owned);
        let comment = "as it is".to_owned();
        let [constants, functions, variables] = Default::default();
        Self { law, particle, result, fields, constants, functions, roles, variables, comment }
    }

    /// Returns a module in which all of the names are used.
    fn module(&self) -> String {
        let Self { law, particle, result, fields, roles: [i, j, f], comment, .. } = self;
        let mut text = format!("mod names {{\n#[doc = {comment:?}]\n");
        // Results that keep an index have no third law.
        let least = if self.constants.is_empty() { "ArgMin<Real>" } else { "Min<Real>" };
        let structs = [law, particle, result].into_iter().zip(fields).zip(EVERY_FIELD);
        for ((name, fields), every) in structs {
            let fields = fields.iter().map(|field| format!("#[doc = {comment:?}] {field}: Real,"));
            let every = every.replace("EVERY_LEAST", least);
            let _ = writeln!(text, "struct {name} {{ {} {every} }}", fields.collect::<String>());
        }
        for name in &self.constants {
            let _ = writeln!(text, "const {name}: Real = 2.0;");
        }
        for (k, name) in self.functions.iter().enumerate() {
            let called = self.functions[..k].last().filter(|_| k % 2 == 1);
            let called = called.map_or("1.0".to_owned(), |called| format!("{called}(1.0)"));
            let parameter = self.variables.get(k).map_or("x", String::as_str);
            let head = format!("fn {name}({parameter}: Real) -> Real");
            let _ = writeln!(text, "{head} {{ {parameter} + {called} }}");
        }
        let (local, field) = (self.variables.first().map_or("x", String::as_str), &fields[1][0]);
        let calls = self.functions.iter().map(|name| format!("{name}(1.0)"));
        let terms = calls.chain(self.constants.iter().cloned()).chain(["1.0".to_owned()]);
        let sum = terms.fold(String::new(), |sum, term| format!("{sum}{local} += {term};\n"));
        let _ = writeln!(
            text,
            "impl Interaction for {law} {{
             type I = {particle}; type J = {particle}; type F = {result};
             fn cutoff(&self, {i}: &{particle}, {j}: &{particle}) -> Real {{
             let mut {local} = {i}.{field};
             if {local} < {j}.{field} {{ return 2.0 * {local}; }}
             {sum} {local} }}
             fn pair(&self, {i}: &{particle}, {j}: &{particle}, {f}: &mut {result}) {{"
        );
        let calls = self.functions.iter().map(|name| format!("{name}(1.0)"));
        let of = |record: &str, fields: &[String]| -> Vec<String> {
            fields.iter().map(|field| format!("{record}.{field}")).collect()
        };
        let inputs = [of("self", &fields[0]), of(i, &fields[1]), of(j, &fields[1])].concat();
        let values = self.constants.iter().cloned().chain(calls).chain(inputs);
        let results = fields[2].iter().cycle();
        for (value, result) in values.zip(results.clone()) {
            let _ = writeln!(text, "{f}.{result} += {value};");
        }
        for (name, result) in self.variables.iter().zip(results) {
            let comment = comment.replace(['\n', '\r'], " ");
            let _ = writeln!(text, "let {name} = {j}.{}; // {comment}", fields[1][0]);
            let _ = writeln!(text, "{f}.{result} += {name};");
        }
        let every = [("I.", i), ("J.", j), ("F.", f)]
            .iter()
            .fold(EVERY_WORD.to_owned(), |text, (role, name)| {
                text.replace(role, &format!("{name}."))
            });
        text + &every + "} } }"
    }
}

/// Has a C++ compiler check the programs of these modules, each in its own namespace.
fn compile(name: &str, modules: &[String]) {
    let defined = MACROS.iter().map(|name| format!("#define {name} ?\n"));
    let mut text = defined.collect::<String>() + &kernel("kernels/emulate.h");
    for (k, module) in modules.iter().enumerate() {
        let tokens: TokenStream = module.parse().unwrap_or_else(|_| panic!("{module}"));
        let rust = nbody_codegen::interaction(TokenStream::new(), tokens.clone());
        syn::parse2::<syn::File>(rust).unwrap_or_else(|error| panic!("{error}: {module}"));
        let programs = nbody_codegen::cuda(tokens);
        let programs = programs.unwrap_or_else(|messages| panic!("{messages}\n{module:.2000}"));
        for Cuda { law, third_law, sums, compensated, .. } in programs {
            let both = third_law.unwrap_or_default();
            let _ = writeln!(text, "namespace case_{k} {{\n{CONFIG}{}", kernel(BEFORE));
            let _ = writeln!(text, "namespace nbody::law {{\n{law}{both}\n}}");
            let _ = writeln!(text, "namespace nbody {{\n{sums}{compensated}\n}}");
            // The kernels of all cases have the same names: without C linkage they may.
            for part in BEHIND {
                text += &kernel(part).replace("extern \"C\"", "");
            }
            text += "}\n";
        }
    }
    let source = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&source, text).unwrap();
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut command = Command::new(compiler);
    let compiled =
        command.args(["-std=c++17", "-w", "-fsyntax-only"]).arg(&source).output().unwrap();
    let errors = String::from_utf8_lossy(&compiled.stderr);
    let first: Vec<_> = errors.lines().take(40).collect();
    assert!(compiled.status.success(), "{}", first.join("\n"));
}

/// Returns the word as a name of Rust, if it can be one.
fn identifier(word: &str) -> Option<String> {
    if syn::parse_str::<syn::Ident>(word).is_ok() {
        return Some(word.to_owned());
    }
    let raw = format!("r#{word}");
    let fits = !["self", "Self", "super", "crate", "_"].contains(&word);
    (fits && syn::parse_str::<syn::Ident>(&raw).is_ok()).then_some(raw)
}

/// Returns every word of the program around the generated part, of C++, and of the headers that
/// compilers include by themselves.
fn words() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = BTreeSet::new();
    let header = include_str!("../../nbody-cuda/src/schedule/program.rs").lines();
    let header: String = header.filter(|line| line.starts_with("constexpr")).collect();
    let reserved = include_str!("../src/names.rs").split_once("];").unwrap().0;
    let kernels = BEHIND.iter().chain(&OTHERS).chain([&BEFORE]).map(|name| kernel(name));
    for text in kernels.chain([header, reserved.to_owned()]) {
        let code = text.lines().filter_map(|line| line.split("//").next());
        let found = code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        words.extend(found.filter_map(identifier));
    }
    words.extend(MACROS.map(str::to_owned));
    words
}

/// Tests for names that Rust reserves for the generated code, and names with a meaning in the
/// language.
fn is_refused(name: &str) -> bool {
    let types =
        ["Real", "Vector", "Point", "Interaction", "Min", "Max", "ArgMin", "ArgMax", "Count"];
    let rust = ["this", "f32", "f64", "u32", "usize", "bool", "str"];
    name.starts_with("__") || types.contains(&name) || rust.contains(&name)
}

#[test]
fn every_word_of_the_program_can_be_a_name() {
    let words: Vec<String> = words().into_iter().collect();
    assert!(words.len() > 400, "{}", words.len());
    let usable = || words.iter().filter(|word| !is_refused(word)).cloned();
    let constants = Names { constants: usable().collect(), ..Names::plain() };
    let functions = Names { functions: words.clone(), variables: words.clone(), ..Names::plain() };
    let plain = Names::plain().fields;
    let fields = [words.clone(), words.clone(), plain[2].clone()];
    let fields = Names { fields, ..Names::plain() };
    let variables = Names { variables: words.clone(), ..Names::plain() };
    let mut modules =
        vec![constants.module(), functions.module(), variables.module(), fields.module()];
    // Structs that share names with functions and parameters of the generated part. The first of
    // three structs is declared before the other two.
    let beside = [
        "packing",
        "f",
        "g",
        "COORDINATE",
        "i",
        "j",
        "take",
        "index",
        "space",
        "divide",
        "pair",
        "entry",
    ];
    modules.extend(beside.chunks_exact(3).map(|names| {
        let [law, particle, result] = [0, 1, 2].map(|k| names[k].to_owned());
        let fields = [&law, &particle, &result].map(|name| vec![name.clone()]);
        Names { law, particle, result, fields, ..Names::plain() }.module()
    }));
    compile("words.cpp", &modules);
}

/// Generates names that C++ easily confuses.
fn name() -> impl Strategy<Value = String> {
    let stems = ["step", "float", "P", "NULL", "stepé", "stepue9", "é", "名", "x", "cutoff", "f"];
    let (before, behind) = (["", "_", "r#"], ["", "_", "_2", "2", "__2"]);
    let parts = (prop::sample::select(before.to_vec()), prop::sample::select(stems.to_vec()));
    let parts = (parts, prop::sample::select(behind.to_vec()));
    parts.prop_map(|((before, stem), behind)| format!("{before}{stem}{behind}"))
}

/// Generates comments that do not stay on their line, or that mean something else in C++.
fn comment() -> impl Strategy<Value = String> {
    let pieces = [
        "a", " ", "\\", "/", "??/", "*/", "/*", "\"", "'", "\t", "\r", "\n", "\0", "\u{b}",
        "\u{c}", "\u{85}", "\u{2028}", "\u{202e}", "\u{2066}", "R\"(", "}", "#error", "ε",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..6)
        .prop_map(|pieces| pieces.concat())
}

fn names() -> impl Strategy<Value = Names> {
    let many = |n| prop::collection::btree_set(name(), n).prop_map(Vec::from_iter);
    let few = || many(1..4);
    (
        many(10..11).prop_shuffle(),
        [few(), few(), few()],
        many(3..4).prop_shuffle(),
        few(),
        comment(),
    )
        .prop_map(|(items, fields, roles, variables, comment)| {
            let item = |k: usize| items[k].clone();
            Names {
                law: item(0),
                particle: item(1),
                result: item(2),
                fields,
                constants: items[3..6].to_vec(),
                functions: items[6..].to_vec(),
                roles: roles.try_into().expect("three of them"),
                variables,
                comment,
            }
        })
}

/// Tests that no two names differ only in `r#`: Rust takes `x` and `r#x` for one name.
fn without_raw(names: &Names) -> bool {
    let bare = |name: &String| name.trim_start_matches("r#").to_owned();
    let all = |lists: &[&[String]]| {
        let list: Vec<_> = lists.iter().flat_map(|list| list.iter().map(bare)).collect();
        list.iter().collect::<BTreeSet<_>>().len() == list.len()
    };
    let types = [names.law.clone(), names.particle.clone(), names.result.clone()];
    all(&[&types, &names.constants, &names.functions])
        && all(&[&names.roles, &names.variables])
        && names.fields.iter().all(|fields| all(&[fields]))
        && names.functions.iter().all(|name| !names.variables.contains(name))
}

#[test]
fn random_names_and_comments_compile() {
    let mut runner = TestRunner::deterministic();
    let names = names().prop_filter("each name once", without_raw);
    let modules =
        (0..RANDOM_MODULES).map(|_| names.new_tree(&mut runner).unwrap().current().module());
    let modules: Vec<String> = modules.collect();
    compile("random.cpp", &modules);
}
