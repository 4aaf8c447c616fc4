//! Changing the text of a page: all of it, its end, or one section.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::manifest::FrontMatterMode;
use crate::ops::edited::{self, Edited, Subject};
use crate::ops::page::to_the_second;
use crate::ops::{Facts, Tool};
use crate::page::{
    FrontMatter, Page, Value, body_start, branch, has_front_matter, parse, set_fields, with_appended,
    with_body, with_section,
};
use crate::show::{self, Span};
use crate::writing::{Change, Plan, carry_out, expect};
use crate::{Error, Result, path};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::writing("Change a page's text: replace it, add to it, or replace one section.").tool(Tool::Always);

/// What becomes of the text that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The content takes the place of everything after the front matter; front matter too, if it brings
    /// its own.
    Replace,
    /// The content comes after it, or after what is in `section`.
    Append,
    /// The content takes the place of `section` and the sections below it.
    ReplaceSection,
}

/// Which page, and its text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
    /// What becomes of the text that is there. May be left out where `section` is given, which is then
    /// replaced.
    pub mode: Option<Mode>,
    /// `section_id` of the section to replace or to add to. A section that is replaced keeps its heading
    /// unless the content begins with one.
    pub section: Option<String>,
    /// Markdown.
    pub content: String,
    /// `content_hash` of the page as it was read; agents must give it.
    pub expected_hash: Option<String>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The page after the edit.
pub type Output = Edited;

/// Changes the page.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::InvalidParams`] for a section that the page
/// does not have; [`Error::Conflict`], [`Error::ReadOnly`], [`Error::Io`]. The page is as it was then.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    context.refresh(false)?;
    let subject = Subject::find(context, &params.page)?;
    expect(context, params.expected_hash.as_deref(), &subject.version)?;
    let path = subject.version.path.clone();
    let old = subject.text()?;
    let new = changed(&path, old, &params, &parse(old, &context.link_types()))?;
    let new = if new == old { new } else { with_fields(context, &path, old, new) };
    let bytes = new.into_bytes();
    let changes = vec![Change::edit(subject.version, bytes.clone())];
    let written = carry_out(context, Plan::new("update_page", changes), params.dry_run)?;
    edited::answer(context, &path, &bytes, written, params.dry_run)
}

fn changed(path: &str, old: &str, params: &Params, page: &Page) -> Result<String> {
    let mode = params.mode.or(params.section.is_some().then_some(Mode::ReplaceSection));
    let section = match &params.section {
        Some(id) => Some(branch(&page.sections, id).ok_or_else(|| no_section(path, page, id))?),
        None => None,
    };
    let unfit = || {
        Error::invalid(format!(
            "{path}: this content would change what stands around it; is there a code block or a comment that it \
             opens and does not close?"
        ))
    };
    match (mode, section) {
        (None, _) => Err(Error::invalid("`mode` is missing: replace, append or replace_section")),
        (Some(Mode::Replace), None) => Ok(with_body(old, &params.content)),
        (Some(Mode::Append), section) => with_appended(old, section, &params.content).ok_or_else(unfit),
        (Some(Mode::ReplaceSection), Some(section)) => {
            with_section(old, section, &params.content).ok_or_else(unfit)
        }
        (Some(Mode::ReplaceSection), None) => {
            Err(Error::invalid(format!("`section` is missing; {path} has {}", section_ids(page))))
        }
        (Some(Mode::Replace), Some(_)) => {
            Err(Error::invalid("`replace` is for the whole page; to replace `section`, use replace_section"))
        }
    }
}

fn no_section(path: &str, page: &Page, id: &str) -> Error {
    Error::invalid(format!("{path} has no section '{id}'; it has {}", section_ids(page)))
}

fn section_ids(page: &Page) -> String {
    let ids: Vec<&str> = page.sections.iter().map(|section| section.id.as_str()).collect();
    if ids.is_empty() { "none".into() } else { ids.join(", ") }
}

/// Completes front matter where the project wants that, keeps the page's identity, and notes the time where
/// the page says when it was changed. Front matter that cannot be edited safely stays as it is.
fn with_fields(context: &Context<'_>, path: &str, old: &str, new: String) -> String {
    let types = context.link_types();
    let (was, is) = (parse(old, &types), parse(&new, &types));
    let broken = |page: &Page| page.diagnostics.iter().any(|found| found.code.starts_with("front_matter"));
    if broken(&is) {
        return new;
    }
    let managed = context.manifest.frontmatter == FrontMatterMode::Managed;
    let now = to_the_second(context.clock.now());
    let mut fields: Vec<(&str, String)> = Vec::new();
    for key in ["id", "created_at"] {
        if let (Some(value), None) = (scalar(&was.front_matter, key), is.front_matter.get(key)) {
            fields.push((key, value.to_owned()));
        }
    }
    if managed {
        let title = is.title.clone().unwrap_or_else(|| path::page_name(path).to_owned());
        for (key, value) in
            [("id", context.clock.new_id().to_string()), ("title", title), ("created_at", now.clone())]
        {
            let there =
                scalar(&is.front_matter, key).is_some() || fields.iter().any(|(known, _)| *known == key);
            if !there && is.front_matter.get(key).is_none_or(|value| *value == Value::Text(String::new())) {
                fields.push((key, value));
            }
        }
    }
    let body = |text: &str| text.get(body_start(text)..).map(str::to_owned);
    if body(old) != body(&new) || has_front_matter(old) != has_front_matter(&new) {
        let known = ["updated_at", "updatedAt", "updated"].into_iter();
        let key = known.into_iter().find(|key| is.front_matter.get(key).is_some());
        let untouched = key.is_some_and(|key| is.front_matter.get(key) == was.front_matter.get(key));
        match key {
            Some(key) if untouched => fields.push((key, now)),
            None if managed => fields.push(("updated_at", now)),
            _ => {}
        }
    }
    let borrowed: Vec<(&str, &str)> = fields.iter().map(|(key, value)| (*key, value.as_str())).collect();
    set_fields(path, &new, &borrowed).unwrap_or(new)
}

fn scalar<'a>(front_matter: &'a FrontMatter, key: &str) -> Option<&'a str> {
    match front_matter.get(key) {
        Some(Value::Text(text)) if !text.trim().is_empty() => Some(text),
        _ => None,
    }
}

/// Tells what changed on the page.
pub fn show(output: &Output, page: &mut dyn show::Page) {
    if edited::show_dry_run(&output.diff, output.dry_run, page) {
        return;
    }
    let path = Span::Path(&output.page.filepath);
    if output.changed.is_empty() {
        page.line(&[path, Span::Text(" already reads like this; nothing was written")]);
    } else {
        page.line(&[Span::Text("Updated "), path]);
        page.diff(&output.diff);
    }
    edited::show_end(&output.content_hash, output.audit_id.as_deref(), page);
}
