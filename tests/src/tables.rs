//! Tests the tables in the documentation. Every row is a promise and has its own check: a row without a check fails its
//! suite, and so does a check without a row.

use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

/// A row of a table in `docs/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    cells: Vec<String>,
}

/// The check of a row, by the text of the row's first cell.
pub type Check = (&'static str, fn(&Row));

impl Row {
    fn new(line: &str) -> Self {
        let line = line.trim().trim_start_matches('|').trim_end_matches('|');
        Self { cells: line.split(" | ").map(|cell| cell.trim().to_owned()).collect() }
    }

    /// The text of a column, counted from 0; empty if there is no such column.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    /// The text between backticks in a column.
    pub fn code(&self, column: usize) -> Vec<&str> {
        self.cell(column).split('`').skip(1).step_by(2).collect()
    }

    /// The commands in a column, without the program's name.
    pub fn commands(&self, column: usize) -> Vec<&str> {
        self.code(column).into_iter().filter_map(|code| code.strip_prefix("ubp ")).collect()
    }

    /// The integers in a column, outside of code. `1,000` is one number.
    pub fn numbers(&self, column: usize) -> Vec<u64> {
        let text: String = self.cell(column).split('`').step_by(2).collect::<Vec<_>>().join(" ");
        let words = text.split(|c: char| !c.is_ascii_digit() && c != ',');
        words.filter_map(|word| word.replace(',', "").parse().ok()).collect()
    }
}

/// The tables of `docs/PAGE.md`: the heading above each, and its rows.
///
/// # Panics
/// If there is no such page.
fn tables(page: &str) -> Vec<(String, Vec<Row>)> {
    let path = PathBuf::from(format!("../docs/{page}.md"));
    let text = fs::read_to_string(&path);
    assert!(text.is_ok(), "{}: {text:?}", path.display());
    let mut found: Vec<(String, Vec<Row>)> = Vec::new();
    let (mut heading, mut inside) = (String::new(), false);
    for line in text.unwrap_or_default().lines() {
        if line.starts_with('#') {
            line.trim_start_matches(['#', ' ']).clone_into(&mut heading);
        } else if line.starts_with("|---") {
            found.push((heading.clone(), Vec::new()));
            inside = true;
        } else if inside && line.starts_with('|') {
            if let Some((_, rows)) = found.last_mut() {
                rows.push(Row::new(line));
            }
        } else {
            inside = false;
        }
    }
    found
}

/// The headings of `docs/PAGE.md` that have tables, in order.
pub fn headings(page: &str) -> Vec<String> {
    let mut headings: Vec<String> = tables(page).into_iter().map(|(heading, _)| heading).collect();
    headings.dedup();
    headings
}

/// Checks every row below `heading` of `docs/PAGE.md`, in order.
///
/// # Panics
/// If a row has no check, a check has no row, or a check fails.
#[allow(clippy::print_stdout)]
pub fn run(page: &str, heading: &str, checks: &[Check]) {
    let tables = tables(page).into_iter().filter(|(of, _)| of == heading);
    let rows: Vec<Row> = tables.flat_map(|(_, rows)| rows).collect();
    let (named, known): (Vec<&str>, Vec<&str>) =
        (rows.iter().map(|row| row.cell(0)).collect(), checks.iter().map(|(name, _)| *name).collect());
    let unknown: Vec<&&str> = named.iter().filter(|name| !known.contains(name)).collect();
    assert!(unknown.is_empty(), "docs/{page}.md, {heading}: rows without a check: {unknown:#?}");
    let gone: Vec<&&str> = known.iter().filter(|name| !named.contains(name)).collect();
    assert!(gone.is_empty(), "docs/{page}.md, {heading}: checks without a row: {gone:#?}");
    let mut failed = Vec::new();
    for row in &rows {
        for (name, check) in checks.iter().filter(|(name, _)| *name == row.cell(0)) {
            println!("docs/{page}.md, {heading}: {name}");
            if catch_unwind(|| check(row)).is_err() {
                failed.push(*name);
            }
        }
    }
    assert!(failed.is_empty(), "docs/{page}.md, {heading}: failed rows: {failed:#?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_split_into_text_code_commands_and_numbers() {
        let row = Row::new("| `a b` | 1 to 100,000; `ubp x 7`, `ubp y`, or 5 |");
        assert_eq!((row.cell(0), row.cell(2)), ("`a b`", ""));
        assert_eq!(row.code(0), ["a b"]);
        assert_eq!(row.commands(1), ["x 7", "y"]);
        assert_eq!(row.numbers(1), [1, 100_000, 5]);
    }

    #[test]
    #[should_panic(expected = "failed rows: [\n    \"`path`\",\n    \"`content`\",\n]")]
    fn every_failing_row_is_reported() {
        let holds = |_: &Row| {};
        run(
            "query",
            "The table",
            &[
                ("`path`", |row| assert_eq!(row.cell(0), "")),
                ("every key of front matter", holds),
                ("`content`", |row| assert_eq!(row.cell(0), "")),
                ("`updated_at`", holds),
                ("`embedding`", holds),
            ],
        );
    }

    #[test]
    #[should_panic(expected = "rows without a check")]
    fn a_row_without_a_check_fails() {
        run("query", "The table", &[("`path`", |_| {})]);
    }

    #[test]
    #[should_panic(expected = "checks without a row")]
    fn a_check_without_a_row_fails() {
        run("query", "No such heading", &[("`path`", |_| {})]);
    }
}
