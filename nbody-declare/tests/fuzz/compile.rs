//! Has compilers read the texts of many laws at a time.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use nbody_core::untyped::{Device as _, OwnedRows};
use nbody_core::{Cpu, Domain, Law, Math, Options, ParticleProgram, Precision, Sources, Store};
use nbody_cuda::nvrtc::Nvrtc;
use nbody_cuda::{ParticleBuffers, Program};
use nbody_declare::declare_in;

const EMULATE: &str = include_str!("../../../nbody-cuda/kernels/emulate.h");
const SAMPLE: &str = include_str!("sample.rs");
/// Calls everything of a law or program that loops call.
const CHECK: &str = include_str!("check.hpp");
/// The architecture of NVRTC.
const ARCHITECTURE: u32 = 90;

/// The texts of an accepted law or program.
pub struct Texts {
    pub cuda: String,
    pub cpp: String,
    pub is_program: bool,
    /// The text that declares it.
    pub declared: String,
}

impl Texts {
    pub fn of_law(law: &Law, cpp: String, declared: &str) -> Self {
        let both = law.third_law.as_ref().map_or("", |both| both.cuda);
        let (names, declared) = ([law.cuda.sums, law.cuda.compensated].concat(), declared.into());
        Self { cuda: within([law.cuda.law, both, &names]), cpp, is_program: false, declared }
    }

    pub fn of_program(program: &ParticleProgram, cpp: String, declared: &str) -> Self {
        let cuda = within([program.cuda.law, "", program.cuda.names]);
        Self { cuda, cpp, is_program: true, declared: declared.to_owned() }
    }
}

fn within([law, both, names]: [&str; 3]) -> String {
    format!("namespace law {{\n{law}{both}\n}}\n{names}\n")
}

/// The texts in front of the texts of laws.
pub struct Compilers {
    cuda: [String; 2],
    /// For numbers and for vectors.
    cpp: [String; 2],
    sample: Program,
    nvrtc: Option<Nvrtc>,
}

/// A compiler for a batch of texts.
#[derive(Clone, Copy, Debug)]
pub enum Compiler {
    Cpp,
    Simd,
    Emulator,
    Nvrtc,
}

impl Compilers {
    /// Takes the texts in front of a law from the programs of a sample.
    pub fn new(folder: &Path) -> Self {
        let sample = declare_in(SAMPLE, folder).unwrap();
        let (law, program) = (sample.laws[0], sample.programs[0]);
        let options = Options::default().domain(Domain::periodic([1.0; 3]).unwrap());
        let of_law = Program::new(law, options).unwrap();
        let buffers = ParticleBuffers::of(program, [Precision::Double; 3]);
        let of_program = Program::per_particle(program, buffers, Domain::Open, false).unwrap();
        let cuda = [&of_law, &of_program].map(|program| {
            let at = program.source.find(program.declaration()).unwrap();
            program.source[..at].to_owned()
        });
        let cpp = [Math::Exact, Math::Fast].map(|math| {
            let folder = folder.join(math.to_string());
            let _ = fs::remove_dir_all(&folder);
            let law =
                declare_in(&SAMPLE.replace("Law", &format!("Law{math}")), &folder).unwrap().laws[0];
            // An evaluation makes the loops, and with them their text.
            let cpu = Cpu::new(None);
            let mut engine = cpu.all_pairs(law, &[0; 17], options.math(math)).unwrap();
            let rows = OwnedRows::new(law.i, vec![0; 4]).unwrap();
            let body = cpu.upload(&rows, Precision::Single).unwrap();
            let mut out = engine.results(1).unwrap();
            engine.evaluate(&*body, Sources::Same(&*body), &mut *out, Store::Replace).unwrap();
            let mut files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            let text = files.find(|file| file.extension().is_some_and(|it| it == "cpp")).unwrap();
            let text = fs::read_to_string(text).unwrap();
            text.split_once("namespace law {").unwrap().0.to_owned() + CHECK
        });
        let nvrtc = Nvrtc::find().ok().map(|path| Nvrtc::open(&path).unwrap());
        Self { cuda, cpp, sample: of_law, nvrtc }
    }

    /// Returns the compilers that there are.
    pub fn all(&self) -> Vec<Compiler> {
        let nvrtc = self.nvrtc.as_ref().map(|_| Compiler::Nvrtc);
        [Compiler::Cpp, Compiler::Simd, Compiler::Emulator].into_iter().chain(nvrtc).collect()
    }

    /// Compiles texts, all at once; if they are refused, returns each that is, with the log.
    pub fn refused<'a>(
        &self,
        compiler: Compiler,
        texts: &[&'a Texts],
        folder: &Path,
    ) -> Vec<(&'a Texts, String)> {
        let Err(log) = self.compile(compiler, texts, folder) else { return Vec::new() };
        let [text] = texts else {
            let (one, other) = texts.split_at(texts.len() / 2);
            let halves = [one, other].map(|half| self.refused(compiler, half, folder));
            return halves.into_iter().flatten().collect();
        };
        vec![(text, log)]
    }

    fn compile(&self, compiler: Compiler, texts: &[&Texts], folder: &Path) -> Result<(), String> {
        match compiler {
            Compiler::Cpp => syntax(&self.cpp(0, texts), &[], folder),
            Compiler::Simd => syntax(&self.cpp(1, texts), &["-march=native"], folder),
            Compiler::Emulator => {
                let compile = |is_program: bool| {
                    let text = self.cuda(is_program, texts);
                    syntax(&format!("{EMULATE}\n{text}"), &[], folder)
                };
                compile(false).and_then(|()| compile(true))
            }
            Compiler::Nvrtc => {
                let compile = |is_program: bool| {
                    let mut program = self.sample.clone();
                    program.source = self.cuda(is_program, texts);
                    let nvrtc = self.nvrtc.as_ref().unwrap();
                    let code = nvrtc.compile(&program, ARCHITECTURE);
                    code.map(|_| ()).map_err(|error| error.to_string())
                };
                compile(false).and_then(|()| compile(true))
            }
        }
    }

    /// Returns the C++ of all texts.
    fn cpp(&self, lane: usize, texts: &[&Texts]) -> String {
        let mut all = self.cpp[lane].clone();
        for (k, Texts { cpp, is_program, .. }) in texts.iter().enumerate() {
            let kind = if *is_program { "Program" } else { "Law" };
            let _ = writeln!(all, "namespace case_{k} {{\n{cpp}");
            let _ =
                writeln!(all, "void check(const Setting &setting, const Line *lines, Line *out)");
            let _ = writeln!(all, "{{ check_{kind}<{kind}>(setting, lines, out); }}\n}}");
        }
        all + "}\n"
    }

    /// Returns the CUDA text of all laws, or of all programs, among the texts.
    fn cuda(&self, is_program: bool, texts: &[&Texts]) -> String {
        let mut all = self.cuda[usize::from(is_program)].clone();
        for (k, text) in texts.iter().enumerate().filter(|(_, it)| it.is_program == is_program) {
            let _ = writeln!(all, "namespace nbody::case_{k} {{\n{}}}", text.cuda);
        }
        all
    }
}

/// Has the C++ compiler check a text.
fn syntax(text: &str, options: &[&str], folder: &Path) -> Result<(), String> {
    let source = tempfile::Builder::new().suffix(".cpp").tempfile_in(folder).unwrap();
    fs::write(source.path(), text).unwrap();
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut command = Command::new(compiler);
    command.args(["-std=c++17", "-w", "-fsyntax-only"]).args(options).arg(source.path());
    let output = command.output().unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}
