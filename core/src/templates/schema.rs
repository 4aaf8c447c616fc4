//! What the template of a type demands of its pages.

use crate::message;
use crate::message::Message;
use schemars::JsonSchema;
use serde::Serialize;

use super::Template;
use super::field::{is_empty, one_of};
use crate::index::questions::links::LinkOfPage;
use crate::page::{Lines, Page, yaml_range};
use crate::text::heading_key;

/// Something that a page lacks, or has and should not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Breach {
    /// Stable name of the kind: `schema_key`, `schema_value`, `schema_heading` or `schema_link`.
    pub code: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: Message,
    /// How to fix it.
    pub hint: Message,
}

/// What breaks the rules of the template that fits the page best, in the order of the lines.
pub(crate) fn breaches(
    templates: &[&Template],
    text: &str,
    page: &Page,
    links: &[LinkOfPage],
) -> Vec<Breach> {
    let all = templates.iter().map(|template| {
        let mut breaches = template.breaches(text, page);
        breaches.extend(links.iter().filter_map(|link| template.link_breach(link)));
        breaches
    });
    let mut fewest = all.min_by_key(Vec::len).unwrap_or_default();
    fewest.sort_by_key(|breach| breach.line);
    fewest
}

impl Template {
    fn breaches(&self, text: &str, page: &Page) -> Vec<Breach> {
        let mut found = Vec::new();
        for field in &self.fields {
            let value = page.front_matter.get(&field.name).filter(|value| !is_empty(value));
            let line = key_line(text, &field.name);
            match value {
                None if field.required => found.push(self.breach(
                    "schema_key",
                    line.unwrap_or(1),
                    message!("{told} is missing in the front matter", told = field.told()),
                    message!("add the key"),
                )),
                None => {}
                Some(value) => {
                    if let Some(complaint) = field.complaint(value) {
                        found.push(self.breach(
                            "schema_value",
                            line.unwrap_or(1),
                            complaint,
                            message!("correct the value"),
                        ));
                    }
                }
            }
        }
        let keys: Vec<String> = page.sections.iter().map(|section| heading_key(&section.heading)).collect();
        for heading in &self.headings {
            let key = heading_key(heading);
            if !keys.contains(&key) {
                // It belongs below the heading before it, as far as the page has one.
                let before = self.headings.iter().take_while(|other| *other != heading);
                let above = before.filter_map(|other| {
                    let key = heading_key(other);
                    page.sections.iter().find(|section| heading_key(&section.heading) == key)
                });
                let line = above.last().or(page.sections.first()).map_or(1, |section| section.lines.0);
                found.push(self.breach(
                    "schema_heading",
                    line,
                    message!("the heading '{heading}' is missing", heading),
                    message!("add a section with this heading"),
                ));
            }
        }
        found
    }

    fn link_breach(&self, link: &LinkOfPage) -> Option<Breach> {
        let LinkOfPage { line, link_type, target, target_type } = link;
        if self.links.is_empty() {
            return None;
        }
        let Some(allowed) = self.links.get(link_type) else {
            // Links without a type are not restricted unless the template says so.
            if link_type == "references" {
                return None;
            }
            let known: Vec<String> = self.links.keys().cloned().collect();
            return Some(self.breach(
                "schema_link",
                *line,
                message!(
                    "the link to '{target}' has the type '{link_type}', not {known}",
                    target,
                    link_type,
                    known = one_of(&known)
                ),
                message!("change the type of the link"),
            ));
        };
        let target_type = target_type.as_ref().filter(|_| !allowed.is_empty())?;
        (!allowed.contains(target_type)).then(|| {
            self.breach(
                "schema_link",
                *line,
                message!(
                    "'{link_type}' leads to '{target}', a page of the type '{target_type}', not {allowed}",
                    link_type,
                    target,
                    target_type,
                    allowed = one_of(allowed)
                ),
                message!("change the type of the link, or link to another page"),
            )
        })
    }

    /// `advice` must fit all breaches with this code, because `doctor` shows it once.
    fn breach(&self, code: &str, line: usize, message: Message, advice: Message) -> Breach {
        let hint = message!("{advice}; {template} has the rules", advice, template = self.filepath);
        Breach { code: code.into(), line, message, hint }
    }
}

/// The line of a top-level key in front matter.
fn key_line(text: &str, key: &str) -> Option<usize> {
    let yaml = yaml_range(text)?;
    let block = text.get(yaml.clone())?;
    let is_key = |line: &&str| {
        let line = line.trim_start_matches(['"', '\'']);
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
    };
    let line = block.lines().find(is_key)?;
    let at = line.as_ptr().addr() - text.as_ptr().addr();
    Some(Lines::new(text).line_of(at))
}

#[cfg(test)]
mod tests;
