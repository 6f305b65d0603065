//! The guide: its code is the code of the examples.

use nbody::law::{Field, Law, ParticleProgram};
use nbody::{Interaction, Tuple};
use nbody_interactions::{TupleVisitor, Visitor, visit_all, visit_tuples};

use crate::examples::examples;
use crate::tools::ROOT;

const EXTENSIONS: [(&str, &str); 4] =
    [("c", "c"), ("cpp", "cpp"), ("fortran", "f90"), ("rust", "rs")];

/// Splits a text into paragraphs: lines without indentation, between empty lines.
fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Vec<&'a str>> {
    let lines: Vec<_> = lines.map(str::trim).collect();
    let parts = lines.split(|line| line.is_empty());
    parts.filter(|part| !part.is_empty()).map(<[_]>::to_vec).collect()
}

/// Returns the blocks of code of a page: the language and the paragraphs of each.
fn blocks(page: &str) -> Vec<(&str, Vec<Vec<&str>>)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.trim().strip_prefix("```") {
            let code = lines.by_ref().take_while(|line| line.trim() != "```");
            blocks.push((language, paragraphs(code)));
        }
    }
    blocks
}

/// Tests whether an example has each paragraph, as lines that follow one another.
fn has(example: &str, block: &[Vec<&str>]) -> bool {
    let lines: Vec<_> = example.lines().map(str::trim).collect();
    block.iter().all(|part| lines.windows(part.len()).any(|window| window == &part[..]))
}

#[test]
fn the_code_of_the_guide_is_the_code_of_the_examples() {
    let read = |page: &str| std::fs::read_to_string(format!("{ROOT}/../docs/{page}")).unwrap();
    let pages = ["languages.md", "guide/c-and-fortran.md"].map(read).concat();
    let blocks = blocks(&pages);
    for (language, extension) in EXTENSIONS {
        let texts: Vec<_> = examples(extension)
            .into_iter()
            .map(|path| std::fs::read_to_string(path).unwrap())
            .collect();
        let mut of_language = blocks.iter().filter(|(it, _)| *it == language).peekable();
        assert!(of_language.peek().is_some(), "no code in {language}");
        for (_, block) in of_language {
            let found = texts.iter().any(|text| has(text, block));
            assert!(found, "no example .{extension} has the lines of {block:#?}");
        }
    }
    let others = blocks.iter().map(|(language, _)| *language);
    let untested: Vec<_> = others
        .filter(|it| !EXTENSIONS.iter().any(|(language, _)| language == it))
        .filter(|it| !["sh", "text"].contains(it))
        .collect();
    assert!(untested.is_empty(), "code in {untested:?} is not compared with the examples");
}

#[test]
fn the_guide_names_every_example() {
    let page = std::fs::read_to_string(format!("{ROOT}/../docs/languages.md")).unwrap();
    for (_, extension) in EXTENSIONS {
        for path in examples(extension) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let link = format!("(../nbody-capi/examples/{name})");
            assert!(page.contains(&link), "no link {link}");
        }
    }
}

fn list(fields: &[Field]) -> String {
    let fields: Vec<_> = fields.iter().map(|field| format!("`{field}`")).collect();
    fields.join(", ")
}

fn row(cells: [&str; 5]) -> String {
    cells.map(|cell| format!("| {cell} ")).concat().replace("|  ", "| ") + "|\n"
}

/// Returns the row of a law in the table of ready laws.
fn of_law(law: &Law) -> String {
    let j = if law.i == law.j { "the same".to_owned() } else { list(law.j) };
    let name = format!("`{}`", law.name);
    row([&name, &list(law.parameters), &list(law.i), &j, &list(law.f)])
}

/// Returns the row of a program in the table of ready tuples.
fn of_tuple(program: &ParticleProgram) -> String {
    assert!(program.parameters.is_empty(), "a column for parameters of `{}`", program.name);
    let [name, members] = [format!("`{}`", program.name), program.members.to_string()];
    row([&name, &members, &list(program.record), &list(program.p), &list(program.total)])
}

#[test]
fn the_guide_lists_every_ready_law_and_tuple() {
    struct Rows(String);
    impl Visitor for Rows {
        fn visit<X: Interaction>(&mut self, _: X) {
            self.0 += &of_law(X::LAW);
        }
    }
    impl TupleVisitor for Rows {
        fn visit<X: Tuple>(&mut self, _: X) {
            self.0 += &of_tuple(X::PROGRAM);
        }
    }
    let [mut laws, mut tuples] = [(); 2].map(|()| Rows(String::new()));
    visit_all(&mut laws);
    visit_tuples(&mut tuples);
    let page = std::fs::read_to_string(format!("{ROOT}/../docs/languages.md")).unwrap();
    for (what, rows) in [("laws", laws), ("tuples", tuples)] {
        assert!(page.contains(&rows.0), "the table of ready {what} is\n{}", rows.0);
    }
}
