//! Which sections name which files and symbols.

use std::collections::{BTreeMap, BTreeSet};

use super::Files;
use super::contents::{Contents, is_page};
use super::step::{Fate, Step};
use crate::globs::Globs;
use crate::graph::resolve::{self, Origin};
use crate::page::LinkKind;
use crate::{Context, path};

/// A section of a page, or the page itself if its front matter names sources.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Path of the page, relative to the project.
    pub page: String,
    /// The section; `None` for all of the page.
    pub section: Option<String>,
}

/// What a place names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Named {
    File(String),
    Folder(String),
    Glob(String),
    Symbol(String, String),
}

/// What each place names.
#[derive(Debug, Default)]
pub(super) struct Bindings(pub BTreeMap<Place, BTreeSet<Named>>);

impl Named {
    /// Whether it includes one of these files, or is in one.
    pub fn covers_any<'a>(&self, mut files: impl Iterator<Item = &'a str>) -> bool {
        match self {
            Self::File(own) | Self::Symbol(own, _) => files.any(|file| file == own),
            Self::Folder(prefix) => files.any(|file| file.starts_with(prefix.as_str())),
            Self::Glob(glob) => Globs::new(&[glob]).is_ok_and(|globs| files.any(|file| globs.is_match(file))),
        }
    }

    /// A source in front matter.
    fn source(files: &Files, source: &str) -> Self {
        if files.contains_key(source) {
            return Self::File(source.into());
        }
        match source.split_once('#') {
            Some((file, name)) if files.contains_key(file) && !name.is_empty() => {
                Self::Symbol(file.into(), name.into())
            }
            _ if source.contains(['*', '?', '[', '{']) => Self::Glob(source.into()),
            _ => Self::Folder(format!("{}/", source.trim_end_matches('/'))),
        }
    }

    /// The target of a link; `None` if it is not a file of the project.
    fn link(files: &Files, kind: LinkKind, target: &str, origin: Origin<'_>) -> Option<Self> {
        let candidates = resolve::source_candidates(kind, target, origin);
        let file = candidates.into_iter().find(|file| files.contains_key(file))?;
        let name = target.split_once('#').map(|(_, name)| name.trim()).filter(|name| !path::is_lines(name));
        Some(match name {
            Some(name) => Self::Symbol(file, name.into()),
            None => Self::File(file),
        })
    }
}

impl Bindings {
    /// What the pages name.
    pub fn written(context: &Context<'_>, contents: &Contents<'_>, files: &Files) -> Self {
        let mut bound = Self::default();
        for (file, id) in files.iter().filter(|(file, _)| is_page(context, file)) {
            let Some(page) = contents.page(id) else { continue };
            let place = |section: Option<&String>| Place { page: file.clone(), section: section.cloned() };
            for source in &page.sources {
                bound.add(place(None), Named::source(files, source));
            }
            let dir = context.pages_dir();
            let below = if dir.is_empty() { Some(file.as_str()) } else { file.strip_prefix(dir) };
            let origin = Origin {
                page: 0,
                path: below.map_or(file.as_str(), |path| path.trim_start_matches('/')),
                pages_dir: dir,
            };
            for section in &page.sections {
                for (kind, target) in &section.links {
                    if let Some(named) = Named::link(files, *kind, target, origin) {
                        bound.add(place(Some(&section.id)), named);
                    }
                }
            }
        }
        bound
    }

    pub fn add(&mut self, place: Place, named: Named) {
        self.0.entry(place).or_default().insert(named);
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Those to whole files.
    pub fn to_files(&self) -> Self {
        self.those(|named| !matches!(named, Named::Symbol(..)))
    }

    /// Those to symbols.
    pub fn to_symbols(&self) -> Self {
        self.those(|named| matches!(named, Named::Symbol(..)))
    }

    fn those(&self, is_kept: impl Fn(&Named) -> bool) -> Self {
        let kept = self.0.iter().map(|(place, named)| {
            (place.clone(), named.iter().filter(|one| is_kept(one)).cloned().collect::<BTreeSet<_>>())
        });
        Self(kept.filter(|(_, named)| !named.is_empty()).collect())
    }

    /// Follows pages and symbols to their new names, and forgets those that are gone.
    pub fn follow(&mut self, step: &Step<'_>) {
        let mut followed = Self::default();
        for (place, named) in std::mem::take(&mut self.0) {
            let Some(place) = step.place_after(place) else { continue };
            for one in named {
                let now = match one {
                    Named::Symbol(file, name) => match step.fate(&file, &name) {
                        Some(Fate::Gone(None)) => None,
                        Some(Fate::Gone(Some((file, name)))) => Some(Named::Symbol(file, name)),
                        _ => Some(Named::Symbol(file, name)),
                    },
                    other => Some(other),
                };
                if let Some(now) = now {
                    followed.add(place.clone(), now);
                }
            }
        }
        *self = followed;
    }
}
