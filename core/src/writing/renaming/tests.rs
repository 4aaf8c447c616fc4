//! Tests of renames: what single ones do, and random projects.
#![allow(clippy::unwrap_used)]

use super::{Move, PageEdits, Renamed, plan_moves, plan_rename};
use crate::drafts::Drafts;
use crate::index::tests::Project;
use crate::ports::MemorySource;
use crate::writing::links::spliced;
use jiff::Timestamp;

mod cases;
mod properties;

/// A project with these pages and files. Like on disk, pages are files of the project, too.
fn project(pages: &[(&str, &str)], files: &[&str]) -> Project {
    let project = Project::over(MemorySource::with_pages(pages.iter().copied()));
    for (path, text) in pages {
        project.source.put_source(&format!("pages/{path}"), text.as_bytes(), Timestamp::UNIX_EPOCH);
    }
    for file in files {
        project.source.put_source(file, file.as_bytes(), Timestamp::UNIX_EPOCH);
    }
    project.refresh();
    project
}

fn moves(pairs: &[(&str, &str)]) -> Vec<Move> {
    pairs.iter().map(|(from, to)| Move { from: (*from).into(), to: (*to).into() }).collect()
}

fn applied(text: &str, edits: &PageEdits) -> String {
    spliced(text, &edits.edits).unwrap()
}
