//! Tables within 80 columns, and the words around them.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, presets};

/// Columns of a page.
pub const WIDTH: usize = 80;
/// Blanks between two columns.
const GAP: usize = 2;
/// Least width of a column of words that is broken into lines.
const LEAST: usize = 20;
/// A cell without a figure.
pub const UNKNOWN: &str = "-";

/// A table with aligned columns, the same on a terminal and in a pipe. A name that begins with `>`
/// heads a right-aligned column of numbers. A column without a figure in any row is left out. Words
/// in the last column are broken into lines.
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new() }
    }

    /// Creates a table of these rows.
    pub fn of(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        Self { rows: rows.into_iter().collect(), ..Self::new(header) }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Returns the columns that are shown.
    fn shown(&self) -> impl Iterator<Item = usize> {
        let has_figure = |k: usize| {
            let mut cells = self.rows.iter().filter_map(move |row| row.get(k));
            k == 0 || cells.any(|cell| !cell.is_empty() && cell != UNKNOWN)
        };
        (0..self.header.len()).filter(move |&k| has_figure(k))
    }

    /// Returns the names of the columns that are shown.
    fn names(&self) -> Vec<String> {
        self.shown().map(|k| name(&self.header[k]).to_owned()).collect()
    }

    /// Returns the lines without trailing blanks.
    pub fn lines(&self) -> Vec<String> {
        let shown: Vec<_> = self.shown().collect();
        let mut table = comfy_table::Table::new();
        table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(shown.iter().map(|&k| name(&self.header[k])));
        for row in self.broken(&shown) {
            table.add_row(row);
        }
        for (column, &k) in table.column_iter_mut().zip(&shown) {
            if self.header[k].starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
            column.set_padding((0, GAP as u16));
        }
        table.lines().map(|line| line.trim_end().to_owned()).collect()
    }

    /// Returns the shown cells, with further rows for the lines of words in the last column.
    fn broken(&self, shown: &[usize]) -> Vec<Vec<String>> {
        let cells = |row: &Vec<String>| -> Vec<_> {
            shown.iter().map(|&k| row.get(k).cloned().unwrap_or_default()).collect()
        };
        let rows = self.rows.iter().map(cells);
        let Some((&last, before)) = shown.split_last() else { return Vec::new() };
        let width = |k: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(k)).map(|cell| length(cell));
            cells.chain([length(name(&self.header[k]))]).max().unwrap_or(0)
        };
        let left: usize = before.iter().map(|&k| width(k) + GAP).sum();
        let room = WIDTH.saturating_sub(left);
        if self.header[last].starts_with('>') || room < LEAST {
            return rows.collect();
        }
        let mut broken = Vec::new();
        for mut row in rows {
            let lines = wrapped(&row.pop().unwrap_or_default(), room);
            for (k, line) in lines.into_iter().enumerate() {
                let before = if k == 0 { row.clone() } else { vec![String::new(); before.len()] };
                broken.push([before, vec![line]].concat());
            }
        }
        broken
    }
}

fn name(header: &str) -> &str {
    header.trim_start_matches('>')
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A page of tables: a head, tables with titles, and the words of their columns.
pub struct Page {
    parts: Vec<String>,
    /// The names of the columns of all tables.
    columns: Vec<String>,
}

impl Page {
    pub fn new(head: &str) -> Self {
        let mut page = Self { parts: Vec::new(), columns: Vec::new() };
        page.words(head);
        page
    }

    /// Adds words, broken into lines; nothing if there are none.
    pub fn words(&mut self, words: &str) {
        let words = words.trim_matches('\n');
        if !words.is_empty() {
            self.parts.push(wrapped(words, WIDTH).join("\n"));
        }
    }

    /// Adds a line as it is, such as a command that is to be copied.
    pub fn line(&mut self, line: String) {
        self.parts.push(line);
    }

    /// Adds a table below its title.
    pub fn table(&mut self, title: &str, table: &Table) {
        self.words(title);
        self.columns.extend(table.names());
        self.parts.push(table.lines().join("\n"));
    }

    /// Adds the meaning of each column that a table shows.
    pub fn legend(&mut self, meanings: &[(&str, &str)]) {
        let shown = |(name, _): &&(&str, &str)| self.columns.iter().any(|it| it == name);
        let shown: Vec<_> = meanings.iter().filter(shown).collect();
        let indent = shown.iter().map(|(name, _)| length(name) + GAP).max().unwrap_or(0);
        let line = |(name, meaning): &&(&str, &str)| {
            let gap = "\n".to_owned() + &" ".repeat(indent);
            format!("{name:indent$}{}", wrapped(meaning, WIDTH - indent).join(&gap))
        };
        let lines: Vec<_> = shown.iter().map(line).collect();
        if !lines.is_empty() {
            self.parts.push(lines.join("\n"));
        }
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.join("\n\n"))
    }
}

/// Breaks words into lines of this width; a longer word is broken after commas.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let pieces = if length(word) > width {
                word.split_inclusive(',')
            } else {
                word.split_inclusive('\n')
            };
            for (k, piece) in pieces.enumerate() {
                let blank = usize::from(k == 0 && !line.is_empty());
                if !line.is_empty() && length(&line) + blank + length(piece) > width {
                    lines.push(std::mem::take(&mut line));
                } else if blank == 1 {
                    line.push(' ');
                }
                line.push_str(piece);
            }
        }
        lines.push(line);
    }
    lines
}

/// Groups rows by their titles, in the order of the first ones.
pub fn sections<T>(rows: &[T], title: impl Fn(&T) -> String) -> Vec<(String, Vec<&T>)> {
    let mut sections: Vec<(String, Vec<&T>)> = Vec::new();
    for row in rows {
        let title = title(row);
        match sections.iter_mut().find(|(found, _)| *found == title) {
            Some((_, rows)) => rows.push(row),
            None => sections.push((title, vec![row])),
        }
    }
    sections
}

/// Formats a known figure.
pub fn known(figure: Option<impl fmt::Display>) -> String {
    figure.map_or_else(|| UNKNOWN.to_owned(), |figure| figure.to_string())
}

/// Formats a time in milliseconds.
pub fn ms(time: std::time::Duration) -> String {
    format!("{:.3}", 1e3 * time.as_secs_f64())
}

/// Formats the difference of the greatest and the least time of runs, in terms of the median.
pub fn spread([median, least, greatest]: [std::time::Duration; 3]) -> String {
    let spread = greatest.saturating_sub(least).as_secs_f64() / median.as_secs_f64();
    format!("{:.0}%", 100.0 * spread)
}

/// The meaning of a column of [`spread`].
pub const SPREAD: (&str, &str) =
    ("spread", "of the runs, the slowest less the fastest, in terms of the median");

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 4]]) -> Table {
        let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec());
        Table::of(&["name", ">count", ">rate", "words"], rows)
    }

    #[test]
    fn columns_align_and_those_without_a_figure_are_left_out() {
        let lines = table(&[["a", "1", "-", "x"], ["long", "1000", "-", "y z"]]).lines();
        assert_eq!(lines, ["name  count  words", "a         1  x", "long   1000  y z"]);
        let lines = table(&[["a", "1", "-", ""], ["b", "2", "0.5", ""]]).lines();
        assert_eq!(lines, ["name  count  rate", "a         1     -", "b         2   0.5"]);
    }

    #[test]
    fn words_are_broken_and_names_are_not() {
        let words = "word ".repeat(30);
        let lines = table(&[["a", "1", "2", &words], ["b", "3", "4", "end"]]).lines();
        assert!(lines.iter().all(|line| length(line) <= WIDTH), "{lines:?}");
        assert!(lines[1].starts_with("a         1     2  word word"), "{lines:?}");
        let indent = " ".repeat(19);
        assert!(lines[2].starts_with(&format!("{indent}word")), "{lines:?}");
        assert_eq!(lines.last().unwrap(), "b         3     4  end");
        let path = "/a".repeat(50);
        assert_eq!(wrapped(&format!("at {path} now"), 80), ["at", &path, "now"]);
        assert_eq!(wrapped("a = 1,22,333,4 b", 6), ["a = 1,", "22,", "333,4", "b"]);
        assert_eq!(wrapped("a\n\nb", 6), ["a", "", "b"]);
    }

    #[test]
    fn a_page_explains_the_columns_that_it_shows() {
        let mut page = Page::new("Head.");
        page.table("title", &table(&[["a", "1", "-", "x"]]));
        page.legend(&[("count", &"how often ".repeat(9)), ("rate", "per second")]);
        page.words("");
        let text = page.to_string();
        assert!(
            text.starts_with("Head.\n\ntitle\n\nname  count  words\na         1  x\n\ncount  how")
        );
        assert!(text.contains("\n       often") && !text.contains("per second"), "{text}");
        assert!(text.lines().all(|line| length(line) <= WIDTH), "{text}");
    }

    #[test]
    fn rows_are_grouped_in_the_order_of_their_titles() {
        let rows = ["b1", "a1", "b2"];
        let found = sections(&rows, |row| row[..1].to_owned());
        assert_eq!(found, [("b".to_owned(), vec![&"b1", &"b2"]), ("a".to_owned(), vec![&"a1"])]);
    }
}
