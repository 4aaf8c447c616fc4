//! Changes the title of a page wherever its text sets it.

use super::links::{Edits, spliced};
use crate::message;
use crate::page::{LinkTypes, Page, Value, parse, set_fields};
use crate::{Error, Result, path, text};

/// Whether the front matter of a page sets its title.
pub(crate) fn has_title(page: &Page) -> bool {
    matches!(page.front_matter.get("title"), Some(Value::Text(title)) if !title.trim().is_empty())
}

/// The edits that change the title `was` to `title`: in front matter, and in the first level-1 heading if it equals the
/// title. `path` is the one that the page will have.
///
/// # Errors
/// [`Error::InvalidParams`] if the title is set in a way that cannot be edited; [`Error::FrontMatter`].
pub(crate) fn edits(path: &str, old: &str, was: &str, title: &str, types: &LinkTypes) -> Result<Edits> {
    let page = parse(old, types);
    let mut edits = Edits::new();
    let nowhere = page.title.is_none() && path::page_name(path) != title;
    if has_title(&page) || nowhere {
        edits.extend(difference(old, &set_fields(path, old, &[("title", title)])?));
    }
    let first = page.sections.iter().find(|section| section.level == 1);
    if let Some(section) = first.filter(|section| text::fold_key(&section.heading) == text::fold_key(was)) {
        let heading = section.heading.as_str();
        let place = old.get(section.range.clone()).and_then(|source| {
            let at = section.range.start + source.find(heading)?;
            Some(at..at + heading.len())
        });
        let refused = || {
            Error::invalid(message!(
                "{path}: the heading '{heading}' cannot be changed to '{title}'; edit it by hand",
                path,
                heading,
                title
            ))
        };
        edits.push((place.ok_or_else(refused)?, title.to_owned()));
        let edited = spliced(old, &edits).map(|edited| parse(&edited, types));
        let now = edited.and_then(|page| page.sections.into_iter().find(|section| section.level == 1));
        if now.is_none_or(|section| text::fold_key(&section.heading) != text::fold_key(title)) {
            return Err(refused());
        }
    }
    let edited = spliced(old, &edits).unwrap_or_default();
    let now = parse(&edited, types).title.unwrap_or_else(|| path::page_name(path).to_owned());
    if text::fold_key(&now) == text::fold_key(title) {
        Ok(edits)
    } else {
        Err(Error::invalid(message!(
            "{path}: the title would be '{now}' and not '{title}'; '{was}' is set elsewhere",
            path,
            now,
            title,
            was
        )))
    }
}

/// The smallest edit that turns one text into another; `None` for equal texts.
fn difference(old: &str, new: &str) -> Option<(std::ops::Range<usize>, String)> {
    if old == new {
        return None;
    }
    let same = old.char_indices().zip(new.chars()).find(|((_, a), b)| a != b);
    let start = same.map_or_else(|| old.len().min(new.len()), |((at, _), _)| at);
    let (rest_old, rest_new) = (old.get(start..)?, new.get(start..)?);
    let same: usize = rest_old
        .chars()
        .rev()
        .zip(rest_new.chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    Some((start..old.len() - same, rest_new.get(..rest_new.len() - same)?.to_owned()))
}
