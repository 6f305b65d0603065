//! Checks the published packages: they can be packed, and build from their archives.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Packs the workspace, unpacks the published packages into a workspace of their own, and checks
/// that they build there, without the rest of this repository, and also without CUDA.
pub fn check(root: &Path, target: &Path) -> Result<(), String> {
    // Uncommitted changes are packed too. Offline: every dependency is in the lock file.
    let pack = ["--workspace", "--no-verify", "--allow-dirty", "--offline", "--quiet"];
    cargo(root, "package", &pack)?;
    let folder = target.join("packages");
    let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(describe)?;
    }
    fs::create_dir_all(&folder).map_err(describe)?;
    let packages = published(&metadata(root, &["--no-deps"])?)?;
    for package in &packages {
        unpack(&target.join("package").join(format!("{package}.crate")), &folder)?;
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).map_err(describe)?;
    fs::write(folder.join("Cargo.toml"), workspace(&packages, &manifest)).map_err(describe)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(describe)?;
    let target = target.display().to_string();
    let check = |which: &[&str]| {
        cargo(
            &folder,
            "check",
            &[&["--offline", "--quiet", "--target-dir", &target], which].concat(),
        )
    };
    check(&["--workspace"])?;
    check(WITHOUT_CUDA)?;
    println!("packages: {}", packages.join(", "));
    Ok(())
}

/// Packages that build without CUDA: the facade, and the interactions, which need only it.
const WITHOUT_CUDA: &[&str] =
    &["--package", "nbody", "--package", "nbody-interactions", "--no-default-features"];

/// Writes the manifest of a workspace of these packages. Its profiles are the profiles of this
/// workspace, so that dependencies are compiled once for both.
fn workspace(packages: &[String], manifest: &str) -> String {
    let patch = |package: &String| {
        let name = package.rsplit_once('-').map_or("", |(name, _)| name);
        format!("{name} = {{ path = {package:?} }}\n")
    };
    let patches: String = packages.iter().map(patch).collect();
    let profiles = manifest.find("[profile.").map_or("", |start| &manifest[start..]);
    format!(
        "[workspace]\nmembers = {packages:?}\nresolver = \"3\"\n\n\
         [patch.crates-io]\n{patches}\n{profiles}"
    )
}

/// Unpacks a package. Its files get the current time: otherwise cargo would take older builds to
/// be current.
fn unpack(package: &Path, folder: &Path) -> Result<(), String> {
    let mut tar = Command::new("tar");
    tar.arg("-xzmf").arg(package).arg("-C").arg(folder);
    let status = tar.status().map_err(|error| format!("cannot start tar: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("cannot unpack {}", package.display())) }
}

fn cargo(folder: &Path, command: &str, arguments: &[&str]) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.arg(command).args(arguments).current_dir(folder);
    let status = cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {command} failed")) }
}

/// Runs `cargo metadata`.
pub fn metadata(root: &Path, arguments: &[&str]) -> Result<Value, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--offline"]).args(arguments);
    let output = cargo.current_dir(root).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// Returns the elements of an array of the metadata.
pub fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], String> {
    let list = value[key].as_array().ok_or_else(|| format!("cargo metadata: no list `{key}`"))?;
    Ok(list)
}

/// Returns a string of the metadata.
pub fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value[key].as_str().ok_or_else(|| format!("cargo metadata: no text `{key}`"))
}

/// Lists the published packages, as cargo names their archives: `nbody-core-0.1.0`.
fn published(metadata: &Value) -> Result<Vec<String>, String> {
    let packages = list(metadata, "packages")?.iter().filter(|package| is_published(package));
    packages.map(|it| Ok(format!("{}-{}", text(it, "name")?, text(it, "version")?))).collect()
}

/// Tests whether a package of the workspace is published: `publish` is null, or lists registries.
fn is_published(package: &Value) -> bool {
    package["publish"].as_array().is_none_or(|registries| !registries.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
    }

    /// Maps identifiers to packages, or to nodes of the dependency graph.
    fn by_id(packages: &[Value]) -> BTreeMap<&str, &Value> {
        packages.iter().map(|package| (text(package, "id").unwrap(), package)).collect()
    }

    /// Returns the published packages and all packages that they are built from.
    fn built_from(metadata: &Value) -> BTreeSet<&str> {
        let nodes = by_id(list(&metadata["resolve"], "nodes").unwrap());
        let packages = by_id(list(metadata, "packages").unwrap());
        let members = list(metadata, "workspace_members").unwrap().iter();
        let members = members.map(|member| member.as_str().unwrap());
        let mut next: Vec<&str> = members.filter(|id| is_published(packages[id])).collect();
        let mut found = BTreeSet::new();
        while let Some(id) = next.pop() {
            if found.insert(id) {
                let needed = list(nodes[id], "deps").unwrap().iter().filter(|dependency| {
                    let kinds = list(dependency, "dep_kinds").unwrap();
                    kinds.iter().any(|kind| kind["kind"] != "dev")
                });
                next.extend(needed.map(|dependency| text(dependency, "pkg").unwrap()));
            }
        }
        found
    }

    fn version(text: &str) -> Vec<u32> {
        text.split('.').map(|number| number.parse().unwrap()).collect()
    }

    #[test]
    fn no_dependency_requires_a_newer_rust() {
        // AVX-512 is stable from Rust 1.89 on; lints report anything else that is newer.
        const RUST: &str = "1.89";
        let metadata = metadata(root(), &["--filter-platform", "x86_64-unknown-linux-gnu"]);
        let metadata = metadata.unwrap();
        let packages = by_id(list(&metadata, "packages").unwrap());
        let from = built_from(&metadata);
        assert!(from.len() > 50, "{}", from.len());
        for id in from {
            let package = packages[id];
            match package["rust_version"].as_str() {
                Some(asked) if package["source"].is_null() => assert_eq!(asked, RUST, "{id}"),
                Some(asked) => assert!(version(asked) <= version(RUST), "{id} requires {asked}"),
                None => assert!(!package["source"].is_null(), "{id} has no rust-version"),
            }
        }
        for page in ["README.md", "docs/language.md"] {
            let text = fs::read_to_string(root().join(page)).unwrap();
            assert!(text.contains(&format!("Rust {RUST} or newer")), "{page}");
        }
    }

    #[test]
    fn no_cuda_crate_is_built_without_the_feature() {
        let built = |which: &[&str]| {
            let mut tree = Command::new(env!("CARGO"));
            tree.args(["tree", "--offline", "--edges", "normal,build", "--prefix", "none"]);
            let output = tree.args(which).current_dir(root()).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            // Only the names: a folder may have any.
            let text = String::from_utf8(output.stdout).unwrap();
            text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
        };
        let with: Vec<String> = built(&["--package", "nbody"]);
        assert!(["nbody-cuda", "cudarc"].iter().all(|name| with.iter().any(|it| it == name)));
        let without: Vec<String> = built(WITHOUT_CUDA);
        let expected = ["nbody-core", "nbody-interactions"];
        assert!(expected.iter().all(|name| without.iter().any(|it| it == name)), "{without:?}");
        assert!(!without.iter().any(|name| name.contains("cuda")), "{without:?}");
    }

    #[test]
    fn published_packages_have_metadata_and_licences() {
        let metadata = metadata(root(), &["--no-deps"]).unwrap();
        let packages = list(&metadata, "packages").unwrap();
        let published: Vec<_> = packages.iter().filter(|it| is_published(it)).collect();
        assert!(published.iter().any(|package| package["name"] == "nbody"));
        assert!(published.len() < packages.len(), "tests and tasks are not published");
        for package in published {
            let name = text(package, "name").unwrap();
            for key in ["description", "license", "readme"] {
                assert!(!text(package, key).unwrap().is_empty(), "{name}: {key}");
            }
            for key in ["keywords", "categories"] {
                assert!((1..=5).contains(&list(package, key).unwrap().len()), "{name}: {key}");
            }
            let folder = Path::new(text(package, "manifest_path").unwrap()).parent().unwrap();
            for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
                assert!(folder.join(file).is_file(), "{name}: {file}");
            }
        }
    }

    #[test]
    fn the_manifest_names_the_folder_of_each_package() {
        let packages = ["nbody-0.1.0".to_owned(), "nbody-core-0.1.0".to_owned()];
        let expected = "[workspace]\nmembers = [\"nbody-0.1.0\", \"nbody-core-0.1.0\"]\n\
            resolver = \"3\"\n\n[patch.crates-io]\nnbody = { path = \"nbody-0.1.0\" }\n\
            nbody-core = { path = \"nbody-core-0.1.0\" }\n\n[profile.dev]\nopt-level = 1\n";
        let manifest = "[package]\nname = \"nbody\"\n\n[profile.dev]\nopt-level = 1\n";
        assert_eq!(workspace(&packages, manifest), expected);
    }
}
