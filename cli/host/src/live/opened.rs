//! The opened project, and reopening it when its settings or its index were replaced.

use std::path::Path;
use std::sync::{Arc, PoisonError};
use ubp_core::message;
use ubp_core::word;

use ubp_core::Engine;
use ubp_core::{Error, Result};

use super::head::FollowedHistory;
use super::stamp::{Identity, Stamp, identity};
use super::{Changed, Notice, Shared};
use crate::opening::{self, FindModel, Opening};
use crate::{Environment, GitHistory};
use crate::{Project, UBP_DIR};

/// An opened project.
pub(super) struct Opened {
    pub project: Project,
    pub engine: Engine,
    /// Whether the index is in memory.
    pub in_memory: bool,
    manifest: Stamp,
    /// Identity of the index file, unless it is in memory.
    pub database: Option<Identity>,
}

impl Opened {
    /// Opens the project; `manifest` is the stamp of its settings.
    pub(super) fn open(
        project: Project,
        manifest: Stamp,
        environment: &Environment,
        find_model: &FindModel,
    ) -> Result<(Self, Vec<Notice>)> {
        let opening = opening::open(&project, environment, find_model)?;
        let mut notices = Vec::new();
        notices.extend(opening.in_memory_words(message!("process")).map(Notice::warning));
        notices.extend(opening.aside_words().map(Notice::warning));
        notices.extend(opening.no_sharing.clone().map(Notice::warning));
        notices.extend(opening.sending_words().map(Notice::warning));
        if let Some(words) = opening.no_model_words() {
            let hint = opening.no_model.as_ref().and_then(Error::hint);
            notices.push(Notice { hint, ..Notice::warning(words) });
        }
        let Opening { mut engine, in_memory, .. } = opening;
        let history = FollowedHistory::new(GitHistory::new(&project.root), &project.root);
        engine.history = match project.view() {
            None => Box::new(history),
            Some(view) => Box::new(view.history(history)),
        };
        let database = identity(&project.database).filter(|_| !in_memory);
        Ok((Self { project, engine, in_memory, manifest, database }, notices))
    }

    /// Whether settings and index are unchanged since opening.
    fn is_current(&self, root: &Path) -> bool {
        Stamp::of(&manifest_path(root)) == self.manifest && self.has_its_database()
    }

    pub(super) fn has_its_database(&self) -> bool {
        self.in_memory || (self.database.is_some() && identity(&self.project.database) == self.database)
    }
}

fn manifest_path(root: &Path) -> std::path::PathBuf {
    root.join(ubp_core::manifest::MANIFEST_PATH)
}

/// The settings on disk, and a stamp that is not newer than them.
pub(super) fn load(project: &Project) -> (Stamp, Result<Project>) {
    let stamp = Stamp::of(&manifest_path(&project.root));
    (stamp, project.reload())
}

impl Shared {
    /// The opened project, reopened if necessary.
    ///
    /// # Errors
    /// [`Error::Io`] while the project is missing; as [`opening::open`].
    pub(super) fn current(&self) -> Result<Arc<Opened>> {
        let opened = self.opened();
        if opened.is_current(&self.root) || self.is_refused(&opened) {
            return Ok(opened);
        }
        let _one_at_a_time = self.renewing.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = self.opened();
        if opened.is_current(&self.root) || self.is_refused(&opened) {
            return Ok(opened);
        }
        self.renew(&opened)
    }

    fn opened(&self) -> Arc<Opened> {
        self.opened.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the settings on disk are invalid and that was reported.
    fn is_refused(&self, opened: &Opened) -> bool {
        let refused = *self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.is_some_and(|refused| refused == Stamp::of(&manifest_path(&self.root)))
            && opened.has_its_database()
            && self.root.join(UBP_DIR).is_dir()
    }

    fn renew(&self, before: &Arc<Opened>) -> Result<Arc<Opened>> {
        if !self.root.join(UBP_DIR).is_dir() {
            let words = word!("the served project no longer exists");
            let gone = std::io::Error::new(std::io::ErrorKind::NotFound, words);
            return Err(Error::io(self.root.to_string_lossy(), gone));
        }
        let (manifest, loaded) = load(&before.project);
        let project = match loaded {
            Ok(project) => {
                *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = None;
                self.set_problem(None);
                project
            }
            Err(error) => {
                *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(manifest);
                let words = message!("{error}; the previous settings stay in force", error);
                self.set_problem(Some(words.to_string()));
                self.tell(Notice { hint: error.hint(), ..Notice::warning(words) });
                if before.has_its_database() {
                    return Ok(before.clone());
                }
                before.project.clone()
            }
        };
        let new_settings = manifest != before.manifest;
        if !before.has_its_database() {
            self.tell(Notice::information(message!("the index was deleted or replaced; opening it again")));
        }
        let (opened, notices) = Opened::open(project, manifest, &self.environment, &*self.find_model)?;
        notices.into_iter().for_each(|notice| self.tell(notice));
        if opened.in_memory {
            self.lock.go_alone();
        }
        let opened = Arc::new(opened);
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = opened.clone();
        self.pulse.set_index(opened.database);
        self.wake_vectors();
        if new_settings {
            self.broadcast(Changed::Settings);
        }
        Ok(opened)
    }

    /// Moves a damaged index aside, unless another process did, so that a new one is opened.
    pub(super) fn heal(&self, opened: &Opened, error: &Error) {
        let _one_at_a_time = self.renewing.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.in_memory {
            return;
        }
        // Only the damaged file: there may already be a new one.
        match opening::set_aside_if(&opened.project.database, || opened.has_its_database()) {
            Ok(None) => {}
            Ok(Some(aside)) => self.tell(Notice::warning(message!(
                "the index is damaged ({error}); it was moved to {aside} and is being rebuilt",
                error,
                aside = aside.display()
            ))),
            Err(failed) => self.tell(Notice::warning(message!(
                "the index is damaged ({error}): {failed}",
                error,
                failed
            ))),
        }
    }
}
