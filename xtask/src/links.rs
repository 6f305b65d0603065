//! Checks that links between pages lead somewhere: each relative file exists, and each anchor is a
//! heading of its page.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::words::{files, has_extension};

/// Returns the lines of a page without blocks of code, each with its number.
fn lines(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(page.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns the targets of the links of a line, without spans of code.
fn targets(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect();
    let ends = prose.split("](").skip(1);
    ends.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

/// Returns the anchors that GitHub gives the headings of a page: letters, digits, `-` and `_` of
/// the text in lower case, hyphens for spaces, and a number after an anchor that was there before.
fn anchors(page: &str) -> Vec<String> {
    let mut seen = BTreeMap::new();
    let headings = lines(page).filter_map(|(_, line)| {
        let text = line.trim_start_matches('#');
        (text.len() < line.len()).then(|| text.strip_prefix(' ')).flatten()
    });
    let anchor = |text: &str| {
        let kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
        let anchor = text.trim().to_lowercase().chars().filter(kept).collect::<String>();
        let anchor = anchor.replace(' ', "-");
        let earlier = seen.entry(anchor.clone()).and_modify(|n| *n += 1).or_insert(0);
        if *earlier == 0 { anchor } else { format!("{anchor}-{earlier}") }
    };
    headings.map(anchor).collect()
}

/// Returns the path that a link of a page names, below the root of the repository.
fn resolved(page: &str, link: &str) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(page).parent().unwrap().join(link).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            part => path.push(part),
        }
    }
    path.to_str().unwrap().to_owned()
}

/// Returns the links of the pages that lead nowhere, and the number of all relative links.
fn broken(files: &[(String, String)]) -> (Vec<String>, usize) {
    let pages: BTreeMap<_, _> =
        files.iter().filter(|(path, _)| has_extension(path, "md")).cloned().collect();
    let exists = |path: &str| {
        let folder = format!("{}/", path.trim_end_matches('/'));
        files.iter().any(|(file, _)| file == path || file.starts_with(&folder))
            || crate::root().join(path).is_file()
    };
    let leads = |page: &str, target: &str| {
        let (link, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = if link.is_empty() { page.to_owned() } else { resolved(page, link) };
        let has = |page: &String| anchors(page).iter().any(|it| it == anchor);
        exists(&path) && (anchor.is_empty() || pages.get(&path).is_some_and(has))
    };
    let (mut broken, mut number) = (Vec::new(), 0);
    for (path, page) in &pages {
        let links =
            lines(page).flat_map(|(n, line)| targets(line).into_iter().map(move |it| (n, it)));
        for (line, target) in links.filter(|(_, target)| !target.contains("://")) {
            number += 1;
            if !leads(path, &target) {
                broken.push(format!("{path}:{line}: {target}"));
            }
        }
    }
    (broken, number)
}

#[test]
fn links_of_pages_lead_somewhere() {
    let (broken, number) = broken(&files());
    assert!(number > 150, "{number} links");
    assert!(broken.is_empty(), "{} of {number} links:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn broken_links_are_found() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let page = "# C++, `x_y`\n## C++\n[a](b.md#c) [b](../a/a.md) `[c](c.md)`\n```\n[d](d.md)\n# no\n```\n\
                [e](#c-1) [f](#c-x_y) [g](https://x.y/z) [h](#c)\n![i](../a/i.png) [j](#no) [k](b.md#d)";
    let (broken, number) = broken(&[file("a/a.md", page), file("a/b.md", "# C")]);
    let expected = ["8: #c-1", "9: ../a/i.png", "9: #no", "9: b.md#d"];
    assert_eq!(broken, expected.map(|it| format!("a/a.md:{it}")));
    assert_eq!(number, 8);
}

/// Numbers of lines change with every edit: a tenth more or less is true enough.
#[test]
fn examples_have_about_the_stated_lines() {
    let files = files();
    let (path, page) = files.iter().find(|(path, _)| path == "docs/guide/examples.md").unwrap();
    let lines_of = |example: &str| -> usize {
        let is_of = |file: &str| file == example || file.starts_with(&format!("{example}/"));
        files.iter().filter(|(file, _)| is_of(file)).map(|(_, text)| text.lines().count()).sum()
    };
    let (mut wrong, mut number) = (Vec::new(), 0);
    for row in page.lines() {
        let mut cells = row.split(" | ");
        let (Some(link), Some(stated)) = (cells.next(), cells.next()) else { continue };
        let Ok(stated) = stated.parse::<usize>() else { continue };
        let found = lines_of(&resolved(path, &targets(link)[0]));
        number += 1;
        if found.abs_diff(stated) * 10 > found {
            wrong.push(format!("{link}: {stated}, found {found}"));
        }
    }
    assert!(number > 20 && wrong.is_empty(), "{number} rows:\n{}", wrong.join("\n"));
}
