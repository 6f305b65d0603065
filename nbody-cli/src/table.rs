//! Aligned tables.

use comfy_table::{CellAlignment, ContentArrangement, presets};

/// A table with aligned columns, the same on a terminal and in a pipe. A name that begins with `>`
/// heads a right-aligned column of numbers.
pub struct Table {
    table: comfy_table::Table,
    numbers: Vec<bool>,
}

impl Table {
    pub fn new(header: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(header.iter().map(|name| name.trim_start_matches('>')));
        Self { table, numbers: header.iter().map(|name| name.starts_with('>')).collect() }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.table.add_row(cells);
    }

    /// Returns the lines without trailing blanks.
    pub fn lines(mut self) -> Vec<String> {
        for (column, &number) in self.table.column_iter_mut().zip(&self.numbers) {
            if number {
                column.set_cell_alignment(CellAlignment::Right);
            }
            column.set_padding((0, 2));
        }
        self.table.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}
