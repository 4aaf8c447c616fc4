//! Writes the front matter of imported pages, so that every value keeps its type.

use super::draft::Line;
use crate::page::plain_scalar;

/// A typed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    /// Text.
    Text(String),
    /// A number, boolean or date, in YAML's spelling.
    Plain(String),
    /// A list of texts.
    List(Vec<String>),
}

/// The front matter with these fields; no lines without fields. Lines of all fields come from line `origin`.
pub(super) fn block(fields: &[(String, Field)], origin: usize) -> Vec<Line> {
    if fields.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::new(origin, "---")];
    for (key, value) in fields {
        let key = plain_scalar(key, false);
        match value {
            Field::Text(text) => {
                lines.push(Line::new(origin, format!("{key}: {}", plain_scalar(text, false))))
            }
            Field::Plain(text) => lines.push(Line::new(origin, format!("{key}: {text}"))),
            Field::List(items) if items.is_empty() => lines.push(Line::new(origin, format!("{key}: []"))),
            Field::List(items) => {
                lines.push(Line::new(origin, format!("{key}:")));
                let item = |item: &String| Line::new(origin, format!("  - {}", plain_scalar(item, false)));
                lines.extend(items.iter().map(item));
            }
        }
    }
    lines.push(Line::new(origin, "---"));
    lines
}

/// Keys with a meaning in UBP, which a property of another program does not have.
const OWN: [&str; 9] =
    ["id", "title", "type", "doc_type", "source_refs", "created_at", "updated_at", "agents", "publish"];

/// A key for a property called `name`; those of UBP get the name of the program in front.
pub(super) fn free_key(name: &str, program: &str) -> String {
    if OWN.contains(&name) { format!("{program}_{name}") } else { name.to_owned() }
}

/// A number in YAML's spelling. Codes such as `007` and telephone numbers are not numbers.
pub(super) fn number(value: &str) -> Option<String> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let grouped = rest.iter().all(|group| group.len() == 3 && is_digits(group))
        && (rest.is_empty() || first.len() <= 3);
    let plain = is_digits(first) && (first == "0" || !first.starts_with('0'));
    let exact = first.len() + 3 * rest.len() <= 15;
    let fits = plain && grouped && exact && fraction.is_none_or(is_digits);
    fits.then(|| value.replace(',', ""))
}
