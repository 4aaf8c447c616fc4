//! The front matter of a page of Logseq, from its properties and tags.

use std::collections::HashSet;

use super::Seen;
use super::inline::{self, Graph as _};
use super::page::{parts, references};
use crate::import::NoticeKind;
use crate::import::draft::{Drafts, Line};
use crate::import::front_matter::{self, Field, free_key, number};
use crate::message;

/// The fields for the properties of a page, key, value and line, and for `tags` in its text.
pub(super) fn of(
    name: &str,
    is_titled: bool,
    aliases: &[String],
    properties: &[(String, String, usize)],
    tags: &[String],
    seen: Seen<'_>,
) -> Vec<(String, Field)> {
    let mut fields = Vec::new();
    if is_titled {
        fields.push(("title".to_owned(), Field::Text(name.to_owned())));
    }
    if !aliases.is_empty() {
        fields.push(("aliases".into(), Field::List(aliases.to_vec())));
    }
    let is_tags = |key: &str| matches!(key, "tags" | "tag");
    let own: Vec<String> =
        properties.iter().filter(|(key, ..)| is_tags(key)).flat_map(|(_, value, _)| parts(value)).collect();
    let mut all: Vec<String> = own.iter().map(|name| inline::tag(name)).chain(tags.iter().cloned()).collect();
    let mut known = HashSet::new();
    all.retain(|tag| known.insert(tag.clone()));
    if !all.is_empty() {
        fields.push(("tags".into(), Field::List(all)));
    }
    // In Logseq, a tag is a link to the page of that name.
    let linked: Vec<String> =
        own.iter().filter(|name| seen.page(name).is_some()).map(|name| format!("[[{name}]]")).collect();
    if !linked.is_empty() {
        fields.push(("tag_pages".into(), Field::List(linked)));
    }
    for (key, value, _) in properties.iter().filter(|(key, ..)| !is_tags(key)) {
        let key = free_key(key, "logseq");
        if !value.is_empty() && !fields.iter().any(|(taken, _)| *taken == key) {
            fields.push((key, field(value, seen)));
        }
    }
    fields
}

/// The value of a property.
fn field(value: &str, seen: Seen<'_>) -> Field {
    if let Some(number) = number(value) {
        return Field::Plain(number);
    }
    if matches!(value, "true" | "false") {
        return Field::Plain(value.to_owned());
    }
    if let Some(link) = file(value, seen) {
        return Field::Text(link);
    }
    let Some(names) = references(value) else { return Field::Text(value.to_owned()) };
    let link = |(name, in_brackets): &(String, bool)| match *in_brackets || seen.page(name).is_some() {
        true => format!("[[{name}]]"),
        false => format!("#{name}"),
    };
    match names.as_slice() {
        [one] => Field::Text(link(one)),
        several => Field::List(several.iter().map(link).collect()),
    }
}

/// A link to the file of the graph that the value leads to, if it is nothing else: a path, or a Markdown link.
fn file(value: &str, seen: Seen<'_>) -> Option<String> {
    let target = match value.strip_prefix('[').and_then(|rest| rest.split_once("](")) {
        Some((_, target)) => target.strip_suffix(')')?,
        None if value.contains('/') => value,
        None => return None,
    };
    let place = seen.at(target).and_then(|file| seen.names.files.get(file))?;
    let fits = !place.contains(['|', '[', ']', '#', '\\']);
    fits.then(|| format!("[[{place}]]"))
}

/// Adds fields to the front matter that a page has: those that it has not, if it can be read.
pub(super) fn add_to(
    lines: &mut Vec<Line>,
    fields: Vec<(String, Field)>,
    text: &str,
    file: &str,
    drafts: &mut Drafts,
) {
    let own = crate::page::front_matter(text).fields;
    let closing = lines.iter().skip(1).position(|line| line.text.trim_end() == "---").map(|at| at + 1);
    let is_block = lines.iter().skip(1).find(|line| !line.text.trim().is_empty());
    let is_block = is_block.is_some_and(|line| !line.text.starts_with(['{', '[']));
    let may_add = is_block && (!own.is_empty() || closing == Some(1));
    let (new, taken): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|(key, _)| may_add && !own.iter().any(|(own, _)| own == key));
    if let Some(at) = closing {
        let block = front_matter::block(&new, 1);
        let inner = block.len().saturating_sub(1);
        lines.splice(at..at, block.into_iter().take(inner).skip(1));
    }
    if !taken.is_empty() {
        let keys: Vec<&str> = taken.iter().map(|(key, _)| key.as_str()).collect();
        let message = message!("{keys}: the page has front matter of its own", keys = keys.join(", "));
        drafts.notice(NoticeKind::LeftOut, file, 1, message);
    }
}
