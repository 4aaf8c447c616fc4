//! Names of pages in Logseq: the `title::` property, or the file name with its escapes undone. Journals are named by date
//! in files, and by a date format of the graph in links.

use jiff::civil::Date;

use crate::page::percent_decoded;
use crate::path;

/// Logseq's format of journal titles unless the graph has another.
const USUAL_FORMAT: &str = "MMM do, yyyy";

/// The name of the page in `file`: `a___b.md` is `a/b`.
pub(super) fn name_of(file: &str) -> String {
    percent_decoded(&stem(file).replace("___", "/"))
}

/// The name of a file of a page in Markdown or Org mode, without its ending.
fn stem(file: &str) -> &str {
    let name = path::page_name(file);
    name.strip_suffix(".org").unwrap_or(name)
}

/// The date of the journal in `file`.
pub(super) fn date_of(file: &str) -> Option<Date> {
    let name = stem(file).replace('_', "-");
    let parts: Vec<&str> = name.split('-').collect();
    let [year, month, day] = match parts.as_slice() {
        [whole] if whole.len() == 8 => [whole.get(..4)?, whole.get(4..6)?, whole.get(6..)?],
        [year, month, day] => [*year, *month, *day],
        _ => return None,
    };
    let fits = year.len() == 4 && month.len() == 2 && day.len() == 2;
    fits.then(|| Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()).flatten()
}

/// The format of journal titles in the configuration of a graph.
pub(super) fn title_format(config: &str) -> String {
    let mut setting = config.lines().filter_map(|line| {
        let line = line.split(';').next()?;
        let (_, value) = line.split_once(":journal/page-title-format")?;
        value.split('"').nth(1).map(str::to_owned)
    });
    setting.next_back().unwrap_or_else(|| USUAL_FORMAT.into())
}

/// The date in a format of Logseq's configuration.
pub(super) fn formatted(date: Date, format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let (literal, after) = quoted.split_once('\'').unwrap_or((quoted, ""));
            out.push_str(literal);
            rest = after;
            continue;
        }
        let run = rest.len() - rest.trim_start_matches(c).len();
        let (letters, after) = rest.split_at(run);
        if let ("d", Some(after)) = (letters, after.strip_prefix('o')) {
            out.push_str(&ordinal(date.day()));
            rest = after;
            continue;
        }
        let specifier = match (c, run) {
            ('y', 2) => "%y",
            ('y', _) => "%Y",
            ('M', 1) => "%-m",
            ('M', 2) => "%m",
            ('M', 3) => "%b",
            ('M', _) => "%B",
            ('d', 1) => "%-d",
            ('d', _) => "%d",
            ('E', 1..=3) => "%a",
            ('E', _) => "%A",
            _ => {
                out.push_str(letters);
                rest = after;
                continue;
            }
        };
        out.push_str(&date.strftime(specifier).to_string());
        rest = after;
    }
    out
}

fn ordinal(day: i8) -> String {
    let ending = match (day % 10, day) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{day}{ending}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_unescaped() {
        assert_eq!(name_of("pages/a___b.md"), "a/b");
        assert_eq!(name_of("pages/What%3F.md"), "What?");
        assert_eq!(name_of("pages/100% sure.md"), "100% sure");
    }

    #[test]
    fn journals_are_titled_in_the_format_of_the_graph() {
        let date = date_of("journals/2024_03_02.md").unwrap();
        assert_eq!(formatted(date, USUAL_FORMAT), "Mar 2nd, 2024");
        assert_eq!(formatted(date, "EEEE, dd.MM.yyyy"), "Saturday, 02.03.2024");
        assert_eq!(formatted(date, "yyyy'year' M d"), "2024year 3 2");
        assert_eq!(date_of("journals/20240302.org"), Some(date));
        assert_eq!(date_of("journals/2024_13_02.md"), None);
        assert_eq!(date_of("journals/notes.md"), None);
        let days = [(1, "1st"), (11, "11th"), (12, "12th"), (21, "21st"), (23, "23rd"), (30, "30th")];
        assert!(days.iter().all(|(day, written)| ordinal(*day) == *written));
    }

    #[test]
    fn the_title_format_is_read_from_the_configuration() {
        assert_eq!(title_format("{:a 1\n :journal/page-title-format \"yyyy-MM-dd\"}"), "yyyy-MM-dd");
        assert_eq!(title_format(";; :journal/page-title-format \"x\"\n"), USUAL_FORMAT);
    }
}
