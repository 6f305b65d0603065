//! Installs the libraries for other languages: shared libraries with versions of their symbols,
//! headers, modules, and files for pkg-config.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A library for other languages.
struct Library {
    package: &'static str,
    /// The name of the static library.
    target: &'static str,
    /// The name for the linker.
    name: &'static str,
    description: &'static str,
    /// The version of the interface: the number of the shared library and of its symbols.
    interface: u32,
    /// The exported symbols, as a pattern of the linker.
    symbols: &'static str,
    /// Files of the package, and the folders that they are installed in.
    files: &'static [(&'static str, &'static str)],
    /// The names for pkg-config.
    names: &'static [&'static str],
    /// A program in C that uses the library, and returns 0.
    check: &'static str,
}

const LIBRARIES: [Library; 2] = [NBODY, SAPPORO];

const NBODY: Library = Library {
    package: "nbody-capi",
    target: "nbody_capi",
    name: "nbody",
    description: "Pairwise interactions on GPUs and CPUs",
    interface: 1,
    symbols: "nbody_*",
    files: &[
        ("include/nbody.h", "include"),
        ("include/nbody.hpp", "include"),
        ("fortran/nbody.f90", "share/nbody"),
    ],
    names: &["nbody"],
    check: "#include <nbody.h>\nint main(void) {\n    nbody_device device;\n    return \
            nbody_abi_version() != NBODY_ABI_VERSION || nbody_device_open(\"cpu\", &device);\n}\n",
};

const SAPPORO: Library = Library {
    package: "nbody-g6",
    target: "sapporo",
    name: "sapporo",
    description: "The calls of the GRAPE-6 library, on GPUs and CPUs",
    interface: 1,
    symbols: "g6_*; g6calc_*",
    files: &[("include/g6lib.h", "include")],
    names: &["sapporo", "sapporo_light"],
    check: "#include <g6lib.h>\nint main(void) { return g6_npipes() != 16384; }\n",
};

/// Installs all libraries below a folder, and checks that a program in C can use each. The static
/// libraries that they are linked from are built, or taken from a folder.
pub fn install(root: &Path, prefix: &Path, archives: Option<&Path>) -> Result<(), String> {
    make(prefix)?;
    let prefix = &prefix.canonicalize().map_err(|error| describe(prefix, &error))?;
    for library in LIBRARIES {
        let archive = match archives {
            Some(folder) => folder.join(format!("lib{}.a", library.target)),
            None => library.build(root)?,
        };
        library.link(&archive, prefix)?;
        library.copy(root, prefix)?;
        library.check(prefix)?;
        println!("{}: {}", library.name, prefix.join("lib").join(library.file()).display());
    }
    Ok(())
}

impl Library {
    /// Returns the file name of the shared library.
    fn file(&self) -> String {
        format!("lib{}.so.{}", self.name, self.interface)
    }

    /// Builds the static library, and returns its path.
    fn build(&self, root: &Path) -> Result<PathBuf, String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--release", "--package", self.package]);
        cargo.args(["--message-format", "json-render-diagnostics"]).current_dir(root);
        let output = cargo.stderr(std::process::Stdio::inherit()).output();
        let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo cannot build {}", self.package));
        }
        let messages = String::from_utf8_lossy(&output.stdout);
        let archive = messages.lines().find_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let is_library = message["target"]["name"] == *self.target;
            let files = message["filenames"].as_array().filter(|_| is_library)?;
            let mut files = files.iter().filter_map(Value::as_str).map(PathBuf::from);
            files.find(|file| file.extension().is_some_and(|it| it == "a"))
        });
        archive.ok_or_else(|| format!("cargo built no static library of {}", self.package))
    }

    /// Links the shared library. Only the symbols of the interface are exported, with its version.
    fn link(&self, archive: &Path, prefix: &Path) -> Result<(), String> {
        let folder = prefix.join("lib");
        make(&folder)?;
        let script = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
        let version = format!("{}_{}", self.name.to_uppercase(), self.interface);
        let text = format!("{version} {{ global: {}; local: *; }};\n", self.symbols);
        write(script.path(), &text)?;
        let mut linker = Command::new(compiler());
        linker.args(["-shared", "-s", "-Wl,--gc-sections", "-Wl,--as-needed"]);
        linker.arg(format!("-Wl,-soname,{}", self.file()));
        linker.arg(format!("-Wl,--version-script={}", script.path().display()));
        linker.arg("-Wl,--whole-archive").arg(archive).arg("-Wl,--no-whole-archive");
        linker.args(["-lgcc_s", "-lpthread", "-ldl", "-lm", "-lc", "-o"]);
        run(linker.arg(folder.join(self.file())), "link the library")?;
        let link = folder.join(format!("lib{}.so", self.name));
        let _ = fs::remove_file(&link);
        let linked = std::os::unix::fs::symlink(self.file(), &link);
        linked.map_err(|error| describe(&link, &error))
    }

    /// Copies headers and modules, and writes the files for pkg-config.
    fn copy(&self, root: &Path, prefix: &Path) -> Result<(), String> {
        for (file, folder) in self.files {
            let (from, folder) = (root.join(self.package).join(file), prefix.join(folder));
            make(&folder)?;
            let to = folder.join(from.file_name().unwrap_or_default());
            fs::copy(&from, &to).map_err(|error| describe(&to, &error))?;
        }
        let folder = prefix.join("lib/pkgconfig");
        make(&folder)?;
        for name in self.names {
            let mut text = format!("prefix={}\n", prefix.display());
            let _ = write!(
                text,
                "Name: {name}\nDescription: {}\nVersion: {}\nCflags: -I${{prefix}}/include\nLibs: \
                 -L${{prefix}}/lib -l{}\n",
                self.description,
                env!("CARGO_PKG_VERSION"),
                self.name
            );
            write(&folder.join(format!("{name}.pc")), &text)?;
        }
        Ok(())
    }

    /// Compiles a program in C with the installed files, and runs it.
    fn check(&self, prefix: &Path) -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let [source, program] = ["check.c", "check"].map(|name| folder.path().join(name));
        write(&source, self.check)?;
        let (include, lib) = (prefix.join("include"), prefix.join("lib"));
        let mut compile = Command::new(compiler());
        compile.arg(&source).arg(format!("-I{}", include.display()));
        compile.arg(format!("-L{}", lib.display())).arg(format!("-l{}", self.name));
        compile.arg(format!("-Wl,-rpath,{}", lib.display())).arg("-o").arg(&program);
        run(&mut compile, "compile a program with the library")?;
        run(&mut Command::new(&program), "run a program with the library")
    }
}

/// Returns the compiler of C, which also links.
fn compiler() -> String {
    env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

fn run(command: &mut Command, purpose: &str) -> Result<(), String> {
    let output = command.output();
    let output = output.map_err(|error| format!("cannot {purpose}: {command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let [out, err] =
        [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    Err(format!("cannot {purpose}: {command:?}: {}\n{out}{err}", output.status))
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| describe(folder, &error))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| describe(path, &error))
}

fn describe(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
