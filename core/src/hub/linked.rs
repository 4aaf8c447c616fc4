//! A page with the pages of other projects that link to it, or that it links to.

use std::collections::HashSet;

use rusqlite::Connection;

use super::Hub;
use crate::index::questions::{links, pages};
use crate::ops::get_page::{self, Output, Params};
use crate::ops::{LinkInfo, bounds};
use crate::{Context, Error, Result};

/// Paths of pages of other projects in an answer, as `project:path`.
pub(super) type Elsewhere = HashSet<String>;

impl Hub<'_> {
    /// Reads a page of the project at a position.
    pub(super) fn linked_page(&self, at: usize, params: &Params) -> Result<(Output, Elsewhere)> {
        let own = self.projects[at].name;
        self.in_one_state(&self.connected(at), |members| {
            let mut elsewhere = Elsewhere::new();
            let Some((_, context)) = members.iter().find(|(name, _)| *name == own) else {
                return Err(Error::Internal(format!("project {own} is gone")));
            };
            let output = get_page::run_with(context, params.clone(), |page, output| {
                self.add_links((own, page), &members, output, &mut elsewhere)
            })?;
            Ok((output, elsewhere))
        })
    }

    fn add_links(
        &self,
        (own, page): (&str, i64),
        members: &[(&str, Context<'_>)],
        output: &mut Output,
        elsewhere: &mut Elsewhere,
    ) -> Result<()> {
        let is_own = |end: &(String, i64)| end.0 == own && end.1 == page;
        for link in self.between.links() {
            if is_own(&link.source) {
                let Some(written) = in_index(members, own, |db| links::written(db, link.link))?.flatten()
                else {
                    continue;
                };
                let (project, target) = &link.target;
                let found = in_index(members, project, |db| {
                    pages::path_and_title(db, *target)?.map(|_| pages::row(db, *target)).transpose()
                })?;
                let Some(target) = found.flatten() else { continue };
                let name = bounds::title(written.target);
                let is_it = |info: &&mut LinkInfo| {
                    info.filepath.is_none() && info.title == name && info.link_type == link.link_type
                };
                if let Some(info) = output.outlinks.iter_mut().find(is_it) {
                    let path = format!("{project}:{}", target.path);
                    elsewhere.insert(path.clone());
                    info.doc_id = Some(target.doc_id);
                    info.filepath = Some(path);
                    info.title = bounds::title(target.title);
                }
            } else if is_own(&link.target) {
                let (project, _) = &link.source;
                let Some(written) = in_index(members, project, |db| links::written(db, link.link))?.flatten()
                else {
                    continue;
                };
                let path = format!("{project}:{}", written.path);
                let is_it = |info: &&mut LinkInfo| {
                    info.filepath.as_ref() == Some(&path) && info.link_type == written.link_type
                };
                match output.backlinks.iter_mut().find(is_it) {
                    Some(info) => info.lines.push(written.line),
                    None => output.backlinks.push(LinkInfo {
                        doc_id: Some(written.doc_id),
                        filepath: Some(path.clone()),
                        source_path: None,
                        title: bounds::title(written.title),
                        link_type: written.link_type,
                        link_context: written.context,
                        lines: vec![written.line],
                    }),
                }
                elsewhere.insert(path);
            }
        }
        Ok(())
    }
}

/// What the index of a project says; `None` if it cannot be read.
fn in_index<T>(
    members: &[(&str, Context<'_>)],
    name: &str,
    question: impl FnOnce(&Connection) -> Result<T>,
) -> Result<Option<T>> {
    match members.iter().find(|(member, _)| *member == name) {
        Some((_, context)) => context.index.read(question).map(Some),
        None => Ok(None),
    }
}
