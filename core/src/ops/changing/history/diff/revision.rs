//! The state at a commit: its settings, its files, and the index built from them.

use std::collections::BTreeSet;

use crate::Context;
use crate::Result;
use crate::freshness::{ReviewLock, Sources, declared};
use crate::index::{Index, RefreshOptions, refresh};
use crate::manifest::{MANIFEST_PATH, Manifest};
use crate::message;
use crate::message::Message;
use crate::ports::{Blobs, RevisionHistory, RevisionSource};

pub(crate) struct Revision<'a> {
    pub(crate) source: RevisionSource<'a>,
    history: RevisionHistory<'a>,
    manifest: Manifest,
}

impl<'a> Revision<'a> {
    /// Reads the settings and the list of files at `commit`. Limitations of the comparison are added to `notes`.
    pub(crate) fn open(
        context: &'a Context<'a>,
        blobs: &'a Blobs,
        commit: &'a str,
        notes: &mut Vec<Message>,
    ) -> Result<Self> {
        let files = context.history.files_at(commit)?;
        let short = commit.get(..10).unwrap_or(commit);
        let manifest = match files.get(MANIFEST_PATH) {
            None => {
                notes.push(message!(
                    "{file} does not exist at {commit}; using today's settings",
                    file = MANIFEST_PATH,
                    commit = short
                ));
                None
            }
            Some(file) => {
                let read = context.history.contents(&[(MANIFEST_PATH, &file.id)])?.into_iter().next();
                let text = String::from_utf8_lossy(&read.flatten().unwrap_or_default()).into_owned();
                match Manifest::parse(&text, MANIFEST_PATH) {
                    Ok(manifest) => Some(manifest),
                    Err(error) => {
                        notes.push(message!(
                            "at {commit}, {error}; using today's settings",
                            commit = short,
                            error
                        ));
                        None
                    }
                }
            }
        };
        let manifest = manifest.unwrap_or_else(|| context.manifest.clone());
        let pages_dir = Context { manifest: &manifest, ..*context }.pages_dir().to_owned();
        let source = RevisionSource::new(context.history, blobs, files, &pages_dir)
            .with_templates_in(manifest.templates_among_pages());
        Ok(Self { source, history: RevisionHistory { history: context.history, commit }, manifest })
    }

    /// The context in which operations see this state.
    pub(crate) fn context<'s>(&'s self, context: &'s Context<'s>, index: &'s Index) -> Context<'s> {
        Context {
            index: index.view(),
            source: &self.source,
            history: &self.history,
            embedder: None,
            manifest: &self.manifest,
            ..*context
        }
    }

    /// Brings `index` to this state, and prepares what the comparison of freshness needs.
    pub(crate) fn fill(&self, context: &Context<'_>, index: &Index) -> Result<()> {
        let side = self.context(context, index);
        let link_types = side.link_types();
        let options = RefreshOptions {
            pages_dir: side.pages_dir(),
            link_types: &link_types,
            from_nothing: false,
            full_text: false,
            in_order: false,
            only: None,
        };
        self.source.load_pages()?;
        refresh(index, &self.source, context.clock, &options, context.progress, context.cancel)?;
        let declared = index.read(|db| declared(db, None))?;
        let reviewed = ReviewLock::load(&self.source, |_| true)?;
        let judged = declared.iter().filter(|(_, page)| reviewed.page(&page.path).is_some());
        let judged = judged.map(|(&number, page)| (number, page.clone())).collect();
        let sources = Sources::expand(&side, &judged)?;
        self.source.load(sources.files().collect::<BTreeSet<_>>())
    }
}
