//! Templates: Markdown files from which pages are created. A template also says what pages of its type must have, which
//! `doctor` checks.
//!
//! **Invariants**
//! - A template cannot read files, run code or take much time or memory, whatever it contains (`language/tests.rs`).
//! - In front matter, a value stays one YAML value, whatever it contains (`filled/tests.rs`).
//! - A page created from a template that ships with UBP meets the template's own rules (`tests.rs`).
//! - Templates are not pages (`cli/host/src/disk/tests.rs`).

mod definition;
pub mod field;
mod filled;
mod filters;
mod language;
mod schema;

use crate::message;
use crate::message::Message;
pub use definition::Template;
pub(crate) use filled::{Filled, Filling, without_cursor};
use language::Problem;
pub use schema::Breach;
pub(crate) use schema::breaches;

use crate::globs::escaped;
use crate::{Context, Error, Result, path, text};

/// The templates that ship with UBP: file names and texts.
pub const EXAMPLES: [(&str, &str); 5] = [
    ("adr.md", include_str!("examples/adr.md")),
    ("api.md", include_str!("examples/api.md")),
    ("feature.md", include_str!("examples/feature.md")),
    ("meeting.md", include_str!("examples/meeting.md")),
    ("runbook.md", include_str!("examples/runbook.md")),
];

/// The name that stands for no template.
pub const NONE: &str = "none";

/// A template that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub name: String,
    pub filepath: String,
    /// Line, from 1.
    pub line: usize,
    pub message: Message,
}

/// The templates of a project, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    pub usable: Vec<Template>,
    pub broken: Vec<Broken>,
}

impl Templates {
    /// The templates in the project's folder of templates; none without a folder.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn load(context: &Context<'_>) -> Result<Self> {
        let mut templates = Self::default();
        let Some(folder) = context.manifest.templates_folder() else { return Ok(templates) };
        let globs = path::PAGE_EXTENSIONS.map(|extension| format!("{}/**/*.{extension}", escaped(folder)));
        let types = context.link_types();
        for filepath in context.source.match_sources(&globs)? {
            let inside = filepath.strip_prefix(folder).unwrap_or(&filepath).trim_start_matches('/');
            if inside.split('/').any(|part| part.starts_with('.')) {
                continue;
            }
            let name = path::without_page_extension(inside);
            let size = context.source.stat_source(&filepath)?.map_or(0, |stat| stat.size);
            let read = match size > definition::LARGEST as u64 {
                true => Err(definition::too_large()),
                false => match context.source.read_source(&filepath) {
                    Ok(bytes) => Template::read(name, &filepath, &bytes, &types),
                    Err(error) => Err(Problem::new(1, error.message())),
                },
            };
            match read {
                Ok(template) => templates.usable.push(template),
                Err(Problem { line, message }) => {
                    let (name, filepath) = (name.to_owned(), filepath.clone());
                    templates.broken.push(Broken { name, filepath, line, message });
                }
            }
        }
        Ok(templates)
    }

    /// The template called `name`, by its path, file name or type.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if there is none, or it has an error.
    pub(crate) fn named(&self, name: &str) -> Result<&Template> {
        let key = text::fold_key(path::without_page_extension(name.trim()));
        let is = |other: &str| text::fold_key(other) == key;
        let find = |fits: &dyn Fn(&Template) -> bool| self.usable.iter().find(|template| fits(template));
        let found = find(&|template| is(&template.name))
            .or_else(|| find(&|template| is(path::file_name(&template.name))))
            .or_else(|| find(&|template| template.doc_type.as_deref().is_some_and(is)));
        if let Some(found) = found {
            return Ok(found);
        }
        if let Some(broken) = self.broken.iter().find(|broken| is(&broken.name)) {
            let Broken { name, filepath, line, message } = broken;
            return Err(Template::unread(name, filepath).error_at(*line, message.clone()));
        }
        let known: Vec<&str> = self.usable.iter().map(|template| template.name.as_str()).collect();
        Err(Error::invalid(match known.is_empty() {
            true => message!("unknown template '{name}'; this project has no templates", name),
            false => {
                message!("unknown template '{name}'; expected one of {known}", name, known = known.join(", "))
            }
        }))
    }

    /// The only template for pages of this type in this folder: by type, or else by folder.
    pub(crate) fn fitting(&self, doc_type: Option<&str>, folder: Option<&str>) -> Option<&Template> {
        let is_type = |template: &&Template| doc_type.is_none() || template.doc_type.as_deref() == doc_type;
        let of_type: Vec<&Template> = self.usable.iter().filter(is_type).collect();
        let depth = |template: &&&Template| {
            let (own, folder) = (template.folder.as_deref()?, folder?);
            path::is_below(folder, own).then_some(own.len())
        };
        let deepest = of_type.iter().filter_map(|template| depth(&template)).max();
        let mut here = of_type.iter().filter(|template| deepest.is_some() && depth(template) == deepest);
        match (here.next(), here.next(), doc_type, of_type.as_slice()) {
            (Some(one), None, ..) => Some(one),
            (None, _, Some(_), [one]) => Some(one),
            _ => None,
        }
    }

    /// The templates of pages of this type.
    pub(crate) fn of_type(&self, doc_type: &str) -> Vec<&Template> {
        self.usable.iter().filter(|template| template.doc_type.as_deref() == Some(doc_type)).collect()
    }
}

#[cfg(test)]
mod tests;
