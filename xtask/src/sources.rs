//! Checks that no Rust file is forgotten: each is the root of one of cargo's targets, or a module
//! of a target.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::packages::{list, metadata, text};

/// Folders of files that compilers see only when tests read them.
const READ: [&str; 6] = [
    "tests/ui/",
    "tests/programs/laws/",
    "nbody-codegen/tests/golden/",
    "nbody-codegen/tests/modules/",
    "nbody-capi/examples/",
    "nbody-declare/tests/fuzz/sample.rs",
];

/// Returns the files of all targets.
fn roots() -> Vec<PathBuf> {
    let metadata = metadata(crate::root(), &["--no-deps"]).unwrap();
    let packages = list(&metadata, "packages").unwrap().iter();
    let targets = packages.flat_map(|package| list(package, "targets").unwrap());
    let path = |target| {
        let path = Path::new(text(target, "src_path").unwrap());
        path.strip_prefix(crate::root()).unwrap().to_owned()
    };
    targets.map(path).collect()
}

/// Returns the paths where the modules that a file declares may be.
fn modules(path: &Path, text: &str, is_root: bool) -> Vec<PathBuf> {
    let folder = path.parent().unwrap();
    let below = if is_root || path.ends_with("mod.rs") {
        folder.to_owned()
    } else {
        path.with_extension("")
    };
    let (mut paths, mut before) = (Vec::new(), "");
    for line in text.lines().map(str::trim) {
        if let Some(name) = declared(line) {
            let named = before.strip_prefix("#[path = \"").and_then(|it| it.strip_suffix("\"]"));
            if let Some(named) = named {
                paths.push(normal(&folder.join(named)));
            } else {
                paths.push(below.join(format!("{name}.rs")));
                paths.push(below.join(name).join("mod.rs"));
            }
        }
        before = line;
    }
    paths
}

/// Returns the name of a module that a line declares in another file.
fn declared(line: &str) -> Option<&str> {
    let (before, name) = line.strip_suffix(';')?.rsplit_once("mod ")?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && (before.is_empty() || before.starts_with("pub"))).then_some(name)
}

/// Returns a path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            normal.pop();
        } else {
            normal.push(component);
        }
    }
    normal
}

/// Returns the files that belong to no target.
fn forgotten(files: &[(String, String)], roots: Vec<PathBuf>) -> Vec<&str> {
    let mut found: BTreeSet<PathBuf> = BTreeSet::new();
    let mut next: Vec<_> = roots.into_iter().map(|root| (root, true)).collect();
    while let Some((path, is_root)) = next.pop() {
        let file = files.iter().find(|(name, _)| path == Path::new(name));
        if let Some((_, text)) = file.filter(|_| !found.contains(&path)) {
            next.extend(modules(&path, text, is_root).into_iter().map(|path| (path, false)));
            found.insert(path);
        }
    }
    let is_rust = |path: &str| Path::new(path).extension().is_some_and(|it| it == "rs");
    let paths = files.iter().map(|(path, _)| path.as_str()).filter(|path| is_rust(path));
    let paths = paths.filter(|path| !READ.iter().any(|folder| path.starts_with(folder)));
    paths.filter(|path| !found.contains(Path::new(path))).collect()
}

#[test]
fn every_file_belongs_to_a_target() {
    let files = crate::words::files();
    let forgotten = forgotten(&files, roots());
    assert!(
        forgotten.is_empty(),
        "cargo does not compile {forgotten:?}; declare them as modules, or list them as targets"
    );
}

#[test]
fn forgotten_files_are_found() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let files = [
        file("tests/a/main.rs", "mod b;\n#[path = \"../x.rs\"]\nmod c;\nuse mod_d;\n// mod e;\n"),
        file("tests/a/b.rs", "pub(crate) mod f;\n"),
        file("tests/a/b/f.rs", "mod g;\n"),
        file("tests/a/b/f/g/mod.rs", "mod h {\n}\n"),
        file("tests/a/b/f/g/h.rs", ""),
        file("tests/a/e.rs", ""),
        file("tests/x.rs", ""),
        file("tests/y/main.rs", ""),
        file("tests/y.md", ""),
    ];
    let found = forgotten(&files, vec!["tests/a/main.rs".into()]);
    assert_eq!(found, ["tests/a/b/f/g/h.rs", "tests/a/e.rs", "tests/y/main.rs"]);
}
