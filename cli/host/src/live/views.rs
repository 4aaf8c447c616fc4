//! A project kept open for authors with different rights. Authors who see the same files share an index; one who sees
//! all files uses that of the project.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ubp_core::Result;
use ubp_core::index::known_vector;
use ubp_core::manifest::{AuthorRights, Right};
use ubp_core::ports::{Embedder, ModelInfo, TextKind};

use super::{Live, Shared};
use crate::view::{View, forget_unused};

/// Maximum number of open views. The one that was not used for longest is closed first.
const MOST: usize = 8;

/// The views of an open project.
pub struct Views {
    whole: Arc<Live>,
    /// By the name of the view, the one used last at the end.
    opened: Mutex<Vec<(String, Arc<Live>)>>,
}

impl Views {
    /// The views of `whole`.
    pub fn of(whole: Arc<Live>) -> Arc<Self> {
        Arc::new(Self { whole, opened: Mutex::default() })
    }

    /// The project with all files.
    pub fn whole(&self) -> &Arc<Live> {
        &self.whole
    }

    /// The rights of an author by the current manifest, and by the rules of its token.
    ///
    /// # Errors
    /// [`ubp_core::Error::Io`] while the project is missing; as [`AuthorRights::of`].
    pub fn rights(&self, author: Option<&str>, token: &[(String, Right)]) -> Result<AuthorRights> {
        AuthorRights::of(&self.whole.shared.current()?.project.manifest, author, token)
    }

    /// The project as an author sees it.
    ///
    /// # Errors
    /// As [`Live::start`].
    pub fn seen_by(&self, rights: &AuthorRights) -> Result<Arc<Live>> {
        let Some(view) = View::of(rights) else { return Ok(self.whole.clone()) };
        let name = view.name();
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = opened.iter().position(|(other, _)| *other == name) {
            let entry = opened.remove(at);
            let live = entry.1.clone();
            opened.push(entry);
            return Ok(live);
        }
        let shared = &self.whole.shared;
        forget_unused(&shared.root);
        let project = shared.current()?.project.clone().seen_in(view)?;
        let whole = Arc::downgrade(shared);
        let find_model = Box::new(move |_: &_, _: &_| Ok(recalling(&whole)));
        // The process tells people about the project as a whole.
        let live = Live::start_finding(project, &shared.environment, Arc::new(|_| {}), find_model)?;
        if opened.len() >= MOST {
            // Ends once no call uses it.
            opened.remove(0);
        }
        opened.push((name, live.clone()));
        Ok(live)
    }

    /// Stops all views, and the project.
    pub fn stop(&self) {
        let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        opened.iter().for_each(|(_, live)| live.stop());
        self.whole.stop();
    }
}

/// The model of the project, which takes the vectors of texts from its index if they are there.
fn recalling(whole: &Weak<Shared>) -> Option<Arc<dyn Embedder>> {
    let embedder = whole.upgrade()?.current().ok()?.engine.embedder.clone()?;
    Some(Arc::new(Recalling { embedder, whole: whole.clone() }))
}

struct Recalling {
    embedder: Arc<dyn Embedder>,
    whole: Weak<Shared>,
}

impl Recalling {
    fn known(&self, text: &str) -> Option<Vec<f32>> {
        let opened = self.whole.upgrade()?.current().ok()?;
        let model = self.model();
        let known = opened.engine.index.read(|db| known_vector(db, &model.identity, text)).ok()??;
        (known.len() == model.dimensions).then_some(known)
    }
}

impl Embedder for Recalling {
    fn model(&self) -> &ModelInfo {
        self.embedder.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let known: Vec<Option<Vec<f32>>> = texts
            .iter()
            .map(|text| if kind == TextKind::Passage { self.known(text) } else { None })
            .collect();
        let missing: Vec<&str> =
            texts.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(text, _)| *text).collect();
        let mut computed =
            if missing.is_empty() { Vec::new() } else { self.embedder.embed(kind, &missing)? }.into_iter();
        Ok(known.into_iter().filter_map(|known| known.or_else(|| computed.next())).collect())
    }

    fn release(&self) {
        self.embedder.release();
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.embedder.token_ranges(text)
    }
}
