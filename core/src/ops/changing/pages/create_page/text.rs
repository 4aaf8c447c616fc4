//! The text of a new page: what was given, and what UBP adds to its front matter.

use crate::manifest::FrontMatterMode;
use crate::message;
use crate::ops::page::to_the_second;
use crate::page::{Value, has_front_matter, parse, plain_scalar, set_fields};
use crate::templates::field::{Field, FieldKind};
use crate::{Context, Error, Result, text};

/// What goes into the front matter.
pub(super) struct Given<'a> {
    pub id: String,
    pub doc_type: Option<&'a str>,
    pub tags: &'a [String],
    pub source_refs: &'a [String],
    /// Fields of the template, and their values.
    pub fields: &'a [(Field, Value)],
}

/// The page at `path` with the title, the fields and what UBP manages.
pub(super) fn text_of(
    context: &Context<'_>,
    path: &str,
    title: &str,
    content: &str,
    given: &Given<'_>,
) -> Result<String> {
    let types = context.link_types();
    let content = content.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let own = parse(&content, &types);
    let has_heading = own.sections.iter().any(|section| section.level == 1);
    let mut page = if has_heading || own.title.is_some() {
        content
    } else if has_front_matter(&content) {
        let (front, body) = content.split_at(own.front_matter.range.end);
        format!("{front}# {title}\n\n{}", body.trim_start_matches('\n'))
    } else if content.trim().is_empty() {
        format!("# {title}\n")
    } else {
        format!("# {title}\n\n{}", content.trim_start_matches('\n'))
    };
    if !page.ends_with('\n') {
        page.push('\n');
    }
    let mut fields: Vec<(&str, String)> = Vec::new();
    let managed = context.manifest.frontmatter == FrontMatterMode::Managed;
    if managed && own.front_matter.get("id").is_none() {
        fields.push(("id", given.id.clone()));
    }
    let now_called = parse(&page, &types).title;
    let differs = now_called.as_deref().is_none_or(|now| text::fold_key(now) != text::fold_key(title));
    if differs || (managed && own.front_matter.get("title").is_none()) {
        fields.push(("title", title.to_owned()));
    }
    if let Some(doc_type) = given.doc_type.map(str::trim).filter(|name| !name.is_empty()) {
        fields.push(("type", doc_type.to_owned()));
    }
    if managed {
        let now = to_the_second(context.clock.now());
        for key in ["created_at", "updated_at"] {
            if own.front_matter.get(key).is_none() {
                fields.push((key, now.clone()));
            }
        }
    }
    let borrowed: Vec<(&str, &str)> = fields.iter().map(|(key, value)| (*key, value.as_str())).collect();
    for (field, value) in given.fields {
        page = with_field(context, path, page, field, value)?;
    }
    let mut page = set_fields(path, &page, &borrowed)?;
    for (key, items) in [("tags", given.tags), ("source_refs", given.source_refs)] {
        page = with_list(context, path, page, key, items)?;
    }
    Ok(page)
}

/// Adds a list to the front matter of a page, one item per line.
fn with_list(context: &Context<'_>, path: &str, page: String, key: &str, items: &[String]) -> Result<String> {
    if items.is_empty() {
        return Ok(page);
    }
    let items: Vec<&str> = items.iter().map(|item| item.trim().trim_start_matches('#')).collect();
    let unfit = |item: &&&str| {
        let blank = key == "tags" && item.contains(char::is_whitespace);
        item.is_empty() || blank || item.chars().any(char::is_control)
    };
    if let Some(item) = items.iter().find(unfit) {
        return Err(Error::invalid(message!("`{key}`: '{item}' cannot be used", key, item)));
    }
    let types = context.link_types();
    if parse(&page, &types).front_matter.get(key).is_some() {
        return Err(Error::invalid(message!("`{key}` is already in the front matter of `content`", key)));
    }
    let is_plain = |item: &str| {
        item.starts_with(|c: char| c.is_alphabetic())
            && item.chars().all(|c| c.is_alphanumeric() || "-_/.".contains(c))
    };
    let written = |item: &&str| match is_plain(item) {
        true => format!("  - {item}\n"),
        false => format!("  - '{}'\n", item.replace('\'', "''")),
    };
    let quoted: String = items.iter().map(written).collect();
    with_written(context, path, &page, key, &format!("{key}:\n{quoted}"))
}

/// Adds a field of a template to the front matter, unless the template has it there.
fn with_field(
    context: &Context<'_>,
    path: &str,
    page: String,
    field: &Field,
    value: &Value,
) -> Result<String> {
    let key = field.name.as_str();
    if parse(&page, &context.link_types()).front_matter.get(key).is_some() {
        return Ok(page);
    }
    let texts =
        |items: &[Value]| items.iter().filter_map(|item| Some(plain_scalar(as_text(item)?, true))).collect();
    match (field.kind, value) {
        (_, Value::List(items)) => {
            let items: Vec<String> = texts(items);
            with_written(context, path, &page, key, &format!("{key}: [{}]\n", items.join(", ")))
        }
        (FieldKind::Number | FieldKind::Boolean, Value::Text(text)) => {
            with_written(context, path, &page, key, &format!("{key}: {text}\n"))
        }
        (_, value) => set_fields(path, &page, &[(key, as_text(value).unwrap_or_default())]),
    }
}

fn as_text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Adds the field `key` to the front matter as it is written in `line`.
fn with_written(context: &Context<'_>, path: &str, page: &str, key: &str, line: &str) -> Result<String> {
    // Adding a short field first finds the place.
    let marked = set_fields(path, page, &[(key, "x")])?;
    let mark = format!("{}: x\n", plain_scalar(key, false));
    let end = parse(&marked, &context.link_types()).front_matter.range.end;
    let place = marked
        .rfind(&mark)
        .filter(|&at| at < end)
        .and_then(|at| Some((marked.get(..at)?, marked.get(at + mark.len()..)?)));
    let Some((before, after)) = place else {
        return Err(Error::invalid(message!(
            "`{key}` cannot be added to the front matter of `content`",
            key
        )));
    };
    Ok(format!("{before}{line}{after}"))
}
