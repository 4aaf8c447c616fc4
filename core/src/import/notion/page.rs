//! A page of Notion: its title, its properties if it is a row of a database, and its text.

use super::UNTITLED;
use super::layout::Site;
use super::table::Table;
use super::values::{Column, dates, key, options, related};
use crate::import::NoticeKind;
use crate::import::draft::{Drafts, Line};
use crate::import::front_matter::{Field, number};
use crate::page::LinkTypes;
use crate::{message, path};

/// A page as exported.
#[derive(Debug, Default)]
pub(super) struct Exported {
    /// Its title, never empty.
    pub title: String,
    /// Names and values of its properties, with their lines.
    pub properties: Vec<(String, String)>,
    /// Line of the first property.
    pub line: usize,
    /// Its lines without the properties; the title is the first of them.
    pub lines: Vec<Line>,
}

impl Exported {
    /// Reads a page called `name` by its file. `columns` are those of the database that it is a row of.
    pub(super) fn read(name: &str, lines: Vec<Line>, columns: &[String]) -> Self {
        let mut lines = lines;
        let heading = lines.first().and_then(|line| line.text.strip_prefix("# ")).map(str::trim);
        let named = if name.is_empty() { UNTITLED } else { name };
        let title = heading.filter(|title| !title.is_empty()).unwrap_or(named).to_owned();
        let mut page = Self { title, line: 1, ..Self::default() };
        if lines.first().is_none_or(|line| !line.text.starts_with("# ")) {
            lines.splice(0..0, [Line::new(1, format!("# {}", page.title)), Line::new(1, "")]);
        } else if heading.is_some_and(str::is_empty) {
            lines[0].text = format!("# {}", page.title);
        } else if page.title.contains("](") {
            // Bold text that begins in a link and ends after it is not bold in Markdown.
            lines[0].text = format!("# {}", page.title.replace("**", ""));
        }
        let start = lines
            .iter()
            .skip(1)
            .position(|line| !line.text.trim().is_empty())
            .map_or(lines.len(), |at| at + 1);
        let mut end = start;
        for line in lines.iter().skip(start) {
            let property =
                line.text.split_once(':').filter(|(name, _)| columns.iter().any(|column| column == name));
            if let Some((name, value)) = property {
                page.properties.push((name.into(), value.trim().into()));
            } else if let Some((_, value)) =
                page.properties.last_mut().filter(|_| !line.text.trim().is_empty())
            {
                // A value of several lines.
                value.push('\n');
                value.push_str(line.text.trim_end());
            } else {
                break;
            }
            end += 1;
        }
        if end > start {
            page.line = lines.get(start).map_or(1, |line| line.origin);
            while lines.get(end).is_some_and(|line| line.text.trim().is_empty()) {
                end += 1;
            }
            lines.drain(start..end);
        }
        page.lines = lines;
        page
    }
}

/// The typed fields of a page's properties. `site` says what paths in them lead to.
pub(super) fn fields(
    properties: &[(String, String)],
    table: &Table,
    site: &Site<'_>,
    line: usize,
    drafts: &mut Drafts,
) -> Vec<(String, Field)> {
    let mut fields: Vec<(String, Field)> = Vec::new();
    for (name, value) in properties {
        let (key, value) = (key(name), value.trim());
        if value.is_empty() {
            continue;
        }
        let text = || Field::Text(value.to_owned());
        let field = match table.type_of(name) {
            Column::Checkbox => Field::Plain((value == "Yes").to_string()),
            Column::Number => number(value).map_or_else(text, Field::Plain),
            Column::Date => match dates(value) {
                Some((first, Some(last))) => {
                    add(&mut fields, key.clone(), Field::Plain(first));
                    add(&mut fields, format!("{key}_end"), Field::Plain(last));
                    continue;
                }
                Some((first, None)) => Field::Plain(first),
                None => text(),
            },
            Column::Relation => relation(&key, value, site, line, drafts),
            column => match (site.files(value), column) {
                (files, _) if !files.is_empty() => Field::List(files),
                (_, Column::List) => {
                    let items = options(value).into_iter().filter(|item| !item.is_empty());
                    // A tag has no spaces.
                    let item = |item: &str| match key.as_str() {
                        "tags" => item.split_whitespace().collect::<Vec<_>>().join("-"),
                        _ => item.to_owned(),
                    };
                    Field::List(items.map(item).collect())
                }
                _ => text(),
            },
        };
        add(&mut fields, key, field);
    }
    fields
}

fn add(fields: &mut Vec<(String, Field)>, name: String, field: Field) {
    let mut free = name.clone();
    let mut number = 1;
    while fields.iter().any(|(taken, _)| *taken == free) {
        number += 1;
        free = format!("{name}_{number}");
    }
    fields.push((free, field));
}

/// Links to the pages of a relation, of the type that its key names.
fn relation(key: &str, value: &str, site: &Site<'_>, line: usize, drafts: &mut Drafts) -> Field {
    let mut linked = Vec::new();
    for reference in related(value) {
        let name = reference.name.replace(['[', ']', '|', '\n', '\r', '\\'], " ").trim().to_owned();
        match site.page(reference.target) {
            Some(place) => {
                let target = path::without_page_extension(place);
                // A title that is the name of a type would be read as one.
                let shown = !name.is_empty() && LinkTypes::default().exact(&name).is_none();
                let label =
                    if shown && path::file_name(target) != name { format!("|{name}") } else { String::new() };
                linked.push(format!("[[{target}{label}]]"));
                if LinkTypes::default().for_key(key).is_none()
                    && !drafts.link_types.iter().any(|known| known == key)
                {
                    drafts.link_types.push(key.to_owned());
                }
            }
            None => {
                let message = message!(
                    "the related page '{name}' is not in the export; its name is kept as text",
                    name
                );
                drafts.notice(NoticeKind::Broken, site.from, line, message);
                linked.push(name);
            }
        }
    }
    Field::List(linked)
}
