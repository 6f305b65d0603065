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

/// Pronouns that stand for a noun in comments and documents, and the words to use instead.
const PRONOUNS: [(&str, &str); 41] = [
    ("those of", "the noun: the cells of"),
    ("those that", "the noun, and a participle: opened cells"),
    ("those which", "the noun, and a participle: opened cells"),
    ("those who", "the noun"),
    ("those whose", "the noun: laws whose"),
    ("those with", "the noun: laws with"),
    ("those without", "the noun: laws without"),
    ("those within", "the noun: the particles within"),
    ("those in", "the noun: the particles in"),
    ("those on", "the noun: the buffers on"),
    ("those at", "the noun: the particles at"),
    ("those for", "the noun: the kernels for"),
    ("those from", "the noun: the numbers from"),
    ("those to", "the noun: the numbers to"),
    ("those before", "the noun: earlier lists"),
    ("those after", "the noun: later phases"),
    ("those behind", "the noun: later cells"),
    ("those between", "the noun: the cells between"),
    ("those beyond", "the noun: pairs beyond"),
    ("those above", "the noun: the bits above"),
    ("those below", "the noun: the bits below"),
    ("those already", "the noun: earlier lists"),
    ("those not", "the noun"),
    ("are those", "the noun, or: come from"),
    ("the ones", "the noun"),
    ("that of", "the noun: the index of"),
    ("this of", "the noun: the index of"),
    ("of which some", "the noun, and its number: opened cells, and the number already tested"),
    ("of which as many", "all, or the number: all blocks must be resident"),
    (", of which", "two sentences, or the noun: the last element holds the total"),
    ("as many as", "the number: `n` results, one slot for each type"),
    ("as there are", "the number: `n` results, one slot for each type"),
    ("as many", "the number: `n` results, the same number of steps"),
    ("may keep", "register budget, room for"),
    ("what it", "the noun: the pairs that a walk meets"),
    ("what they", "the noun: the numbers that bounds depend on"),
    ("of what", "the noun"),
    ("how much", "the amount, the growth, the length"),
    ("how many", "the number of"),
    ("the former", "the noun"),
    ("the latter", "the noun"),
];

/// Words that do not begin a doc comment, nor a comment of a kernel.
const OPENINGS: [&str; 9] = ["What", "How", "Of", "Those", "That", "As many", "They", "It", "Them"];

/// Phrases in which a retired term or a pronoun is right.
const RIGHT: [&str; 7] = [
    "Chamomile scheme",
    "color scheme", // of HTML
    "this literal is not a number of the language",
    "so that of",
    "twice as many",
    "times as many",
    "with those of its functions", // a message
];

/// Ends of names that are not searched: text by others, recorded output, and this list itself.
const SKIPPED: [&str; 7] =
    [".git", "target", "snapshots", ".stderr", "Cargo.lock", "LICENSE-APACHE", "words.rs"];

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
    let mut words = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let all = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.extend(all.filter(|word| !word.is_empty()).map(|word| (line, word)));
    }
    words
}

/// The end of a sentence, of a comment or of a paragraph.
const END: &str = ".";

/// Splits comments, or the prose of Markdown, into words and marks, each with the number of its line. A span of code is
/// one word.
fn prose<'a>(path: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    let is_markdown = has_extension(path, "md");
    let mut is_code = false;
    let mut all = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let mut text = text.trim();
        if is_markdown {
            let is_fence = text.starts_with("```");
            is_code ^= is_fence;
            if is_code || is_fence || text.is_empty() {
                text = END;
            }
        } else if let Some((before, comment)) = text.split_once("//") {
            if !before.is_empty() {
                all.push((line, END));
            }
            text = comment.trim_start_matches(['/', '!']).trim();
            text = if text.is_empty() { END } else { text };
        } else {
            text = END;
        }
        words_and_marks(line, text, &mut all);
    }
    all
}

/// Splits a line into words, spans of code and marks.
fn words_and_marks<'a>(line: usize, mut text: &'a str, all: &mut Vec<(usize, &'a str)>) {
    let is_of_word = |c: char| c.is_alphanumeric() || "_-'’".contains(c);
    while let Some(first) = text.chars().next() {
        let length = match first {
            '`' => text[1..].find('`').map_or(text.len(), |end| end + 2),
            c if is_of_word(c) => text.find(|c| !is_of_word(c)).unwrap_or(text.len()),
            c => c.len_utf8(),
        };
        let (word, rest) = text.split_at(length);
        if !"*[]".contains(word) && !word.trim().is_empty() {
            all.push((line, word));
        }
        text = rest;
    }
}

pub fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == extension)
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
    found(path, &words(text), &RETIRED)
}

/// Finds pronouns in comments of Rust and of kernels, and in Markdown.
fn pronouns(path: &str, text: &str) -> Vec<String> {
    if ["rs", "cuh", "md"].iter().any(|it| has_extension(path, it)) {
        found(path, &prose(path, text), &PRONOUNS)
    } else {
        Vec::new()
    }
}

/// Finds terms that do not overlap, the first of the list at each place.
fn found(path: &str, words: &[(usize, &str)], terms: &[(&str, &str)]) -> Vec<String> {
    let (mut found, mut next) = (Vec::new(), 0);
    for (at, (line, _)) in words.iter().enumerate() {
        let here = terms.iter().find(|(term, _)| at >= next && is_at(words, at, term));
        if let Some((term, instead)) = here.filter(|_| !is_right(words, at)) {
            found.push(format!("{path}:{line}: `{term}`, say: {instead}"));
            next = at + term.split(' ').count();
        }
    }
    found
}

fn openings(path: &str, text: &str) -> Vec<String> {
    let marks: &[&str] = if has_extension(path, "rs") { &["///", "//!"] } else { &["//"] };
    let doc = |line: &str| {
        let line = line.trim_start();
        marks.iter().find_map(|mark| line.strip_prefix(mark)).map(str::to_owned)
    };
    let begins = |comment: &str, opening: &str| {
        let rest = comment.trim_start().strip_prefix(opening);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let mut found = Vec::new();
    let mut before = None;
    for (line, text) in (1..).zip(text.lines()) {
        let comment = doc(text);
        let first = comment.as_deref().filter(|_| before.is_none());
        let opening = first.and_then(|text| OPENINGS.iter().find(|it| begins(text, it)));
        if let Some(word) = opening {
            found.push(format!("{path}:{line}: a comment begins with `{word}`"));
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
fn comments_name_the_noun() {
    let found: Vec<_> = files().iter().flat_map(|(path, text)| pronouns(path, text)).collect();
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn doc_comments_begin_with_a_verb_or_a_noun() {
    let files = files();
    let is_source = |path: &str| ["rs", "cuh"].iter().any(|it| has_extension(path, it));
    let sources = files.iter().filter(|(path, _)| is_source(path));
    let found: Vec<_> = sources.flat_map(|(path, text)| openings(path, text)).collect();
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn terms_are_found_across_lines_and_not_within_words() {
    let text = "/// A pair takes the long\n/// way.\nlet Machine = 1;\nmachine, Chamomile Scheme";
    let lines = |text: &str| {
        retired("a.rs", text).iter().map(|it| it[5..6].to_owned()).collect::<Vec<_>>().concat()
    };
    assert_eq!(lines(text), "13");
    let text = "/// Sums.\n/// What follows.\nfn a() {}\n    /// What it is.\n//! Of a\n\n/// It.";
    let begins = |line, word| format!("a.rs:{line}: a comment begins with `{word}`");
    assert_eq!(openings("a.rs", text), [begins(4, "What"), begins(7, "It")]);
    assert_eq!(
        openings("a.cuh", "// Those of.\nint Those;\n// Itself"),
        ["a.cuh:1: a comment begins with `Those`"]
    );
}

#[test]
fn pronouns_are_found_in_prose_alone() {
    let lines = |path, text: &str| {
        let found = pronouns(path, text);
        found.iter().map(|it| it.split(':').nth(1).unwrap().to_owned()).collect::<Vec<_>>().concat()
    };
    let text =
        "let s = \"those of\"; // that of a\n/// Cells, those\n/// of `b`.\nlet a = 1;\n// of";
    assert_eq!(lines("a.rs", text), "12");
    let text = "Those of.\n```\nthose of\n```\nthose\n\nof; after that. Of `those of` a\nas many.";
    assert_eq!(lines("a.md", text), "18");
    assert_eq!(lines("a.md", "Cells, of which some\nare so that of two, twice as many,"), "1");
    assert_eq!(lines("a.toml", "# those of"), "");
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
