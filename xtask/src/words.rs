//! One word for one idea: no file uses a retired term, and doc comments begin with a verb or a noun.
//! The glossary in ARCHITECTURE.md has the words to use.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Retired terms, and the words to use instead. Terms in lower case are found in any case.
const RETIRED: [(&str, &str); 28] = [
    ("tiling", "summation order"),
    ("Choices", "KernelConfig, kernel configuration"),
    ("set_choices", "set_kernel_config"),
    ("scheme", "schedule"),
    ("Machine", "Backend"),
    ("traced", "bounded"),
    ("roundings", "rounding errors, running error bounds"),
    ("unordered", "symmetric"),
    ("tournament", "symmetric"),
    ("mutual", "symmetric"),
    ("act_both", "act_symmetric"),
    ("meet_both", "meet_symmetric"),
    ("pair_both", "pair_symmetric"),
    ("CpuFields", "CpuResults"),
    ("CudaFields", "CudaResults"),
    ("note", "hit"),
    ("notes", "hits"),
    ("noted", "found by the cutoff filter"),
    ("unnoted", "without the cutoff filter"),
    ("patience", "bags without the cutoff filter"),
    ("long way", "iterate, diverge"),
    ("may keep of", "registers for"),
    ("not a number", "NaN"),
    ("no number", "NaN"),
    ("space without end", "unbounded space"),
    ("what feels", "i-particle, target"),
    ("what acts", "j-particle, source"),
    ("what people", "name the thing itself"),
];

/// Words that do not begin a doc comment.
const OPENINGS: [&str; 3] = ["What", "How", "Of"];

/// Phrases in which a retired term is right.
const RIGHT: [&str; 2] = ["Chamomile scheme", "this literal is not a number of the language"];

/// Ends of names that are not searched: text by others, recorded output, and this list itself.
const SKIPPED: [&str; 7] =
    [".git", "target", "snapshots", ".stderr", "Cargo.lock", "LICENSE-APACHE", "words.rs"];

/// The entry of CHANGELOG.md that lists renamed items.
const RENAMED: &str = "- Words of the field:";

/// Text files of the project, by their paths: those that git tracks, or without git all that there are.
pub fn files() -> Vec<(String, String)> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(crate::root()).output();
    let mut paths = Vec::new();
    match listed {
        Ok(listed) if listed.status.success() => {
            let listed = String::from_utf8(listed.stdout).unwrap();
            paths.extend(listed.split_terminator('\0').map(str::to_owned));
        }
        _ => collect(crate::root(), "", &mut paths),
    }
    paths.retain(|path| !path.split('/').any(is_skipped));
    let read = |path: String| {
        let text = fs::read_to_string(crate::root().join(&path)).ok()?;
        Some((path, text))
    };
    let files: Vec<_> = paths.into_iter().filter_map(read).collect();
    assert!(files.len() > 200, "{} files", files.len());
    files
}

fn is_skipped(name: &str) -> bool {
    SKIPPED.iter().any(|end| name.ends_with(end))
}

fn collect(folder: &Path, path: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if !entry.file_type().unwrap().is_dir() {
            paths.push(format!("{path}{name}"));
        } else if !is_skipped(&name) {
            collect(&entry.path(), &format!("{path}{name}/"), paths);
        }
    }
}

/// Splits a text into words, each with the number of its line.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut renamed = false;
    let mut words = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        renamed = text.starts_with(RENAMED) || renamed && !text.starts_with("- ");
        if !renamed {
            let all = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.extend(all.filter(|word| !word.is_empty()).map(|word| (line, word)));
        }
    }
    words
}

/// Tests whether the words at `at` are a term, across lines and the marks of comments.
fn is_at(words: &[(usize, &str)], at: usize, term: &str) -> bool {
    if !term.as_bytes()[0].eq_ignore_ascii_case(&words[at].1.as_bytes()[0]) {
        return false;
    }
    let exact = term.chars().any(char::is_uppercase);
    let mut found = words[at..].iter().map(|(_, word)| *word);
    term.split(' ').all(|wanted| {
        let same = |word: &str| word == wanted || !exact && word.eq_ignore_ascii_case(wanted);
        found.next().is_some_and(same)
    })
}

/// Tests whether a phrase of [`RIGHT`] covers the word at `at`.
fn is_right(words: &[(usize, &str)], at: usize) -> bool {
    RIGHT.iter().any(|phrase| {
        let begin = at.saturating_sub(phrase.split(' ').count() - 1);
        (begin..=at).any(|begin| is_at(words, begin, &phrase.to_lowercase()))
    })
}

fn retired(path: &str, text: &str) -> Vec<String> {
    let words = words(text);
    let mut found = Vec::new();
    for (at, (line, _)) in words.iter().enumerate() {
        for (term, instead) in RETIRED {
            if is_at(&words, at, term) && !is_right(&words, at) {
                found.push(format!("{path}:{line}: `{term}`, say: {instead}"));
            }
        }
    }
    found
}

fn openings(path: &str, text: &str) -> Vec<String> {
    let doc = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::to_owned)
    };
    let mut found = Vec::new();
    let mut before = None;
    for (line, text) in (1..).zip(text.lines()) {
        let comment = doc(text);
        let first = comment.as_deref().and_then(|text| text.split_whitespace().next());
        if let Some(word) = first.filter(|word| before.is_none() && OPENINGS.contains(word)) {
            found.push(format!("{path}:{line}: a doc comment begins with `{word}`"));
        }
        before = comment;
    }
    found
}

#[test]
fn no_file_uses_a_retired_term() {
    let found: Vec<_> = files().iter().flat_map(|(path, text)| retired(path, text)).collect();
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn doc_comments_begin_with_a_verb_or_a_noun() {
    let files = files();
    let is_rust = |path: &str| Path::new(path).extension().is_some_and(|it| it == "rs");
    let rust = files.iter().filter(|(path, _)| is_rust(path));
    let found: Vec<_> = rust.flat_map(|(path, text)| openings(path, text)).collect();
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn terms_are_found_across_lines_and_not_within_words() {
    let text = "/// A pair takes the long\n/// way.\nlet Machine = 1;\nmachine, Chamomile Scheme";
    let lines = |text: &str| {
        retired("a.rs", text).iter().map(|it| it[5..6].to_owned()).collect::<Vec<_>>().concat()
    };
    assert_eq!(lines(text), "13");
    assert_eq!(
        lines("schemes\nThe scheme\n- Words of the field: the scheme\n  scheme\n- scheme"),
        "25"
    );
    let text = "/// Sums.\n/// What follows.\nfn a() {}\n    /// What it is.\n//! Of a";
    assert_eq!(openings("a.rs", text), ["a.rs:4: a doc comment begins with `What`"]);
}

#[test]
fn the_architecture_names_files_that_exist() {
    let files = files();
    let (_, text) = files.iter().find(|(path, _)| path == "ARCHITECTURE.md").unwrap();
    let is_path = |it: &&str| {
        [".rs", ".cuh", ".h", ".md", ".txt", "/"].iter().any(|end| it.ends_with(end))
            && !it.contains([' ', '*', '<'])
    };
    let named: Vec<_> = text.split('`').skip(1).step_by(2).filter(is_path).collect();
    assert!(named.len() > 50, "{}", named.len());
    let exists = |name: &str| {
        let within = format!("/{name}");
        let is_named = |path: &str| {
            path == name
                || path.ends_with(&within)
                || name.ends_with('/') && format!("/{path}").contains(&within)
        };
        files.iter().any(|(path, _)| is_named(path)) || crate::root().join(name).is_file()
    };
    let missing: Vec<_> = named.iter().filter(|name| !exists(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
