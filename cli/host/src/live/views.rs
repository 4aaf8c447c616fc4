//! A project kept open for authors with different rights. Authors who see the same files share an index; one who sees
//! all files uses that of the project.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ubp_core::Result;
use ubp_core::index::known_vector;
use ubp_core::manifest::{AuthorRights, Right};
use ubp_core::ports::{Embedder, ModelInfo, TextKind};

use super::opened::Opened;
use super::{Live, Shared};
use crate::view::{View, forget_unused};

/// Maximum number of open views. The one that was not used for longest is closed first.
const MOST: usize = 8;

/// Maximum number of authors whose rights are remembered.
const MOST_AUTHORS: usize = 64;

/// The views of an open project.
pub struct Views {
    whole: Arc<Live>,
    /// By the name of the view, the one used last at the end.
    opened: Mutex<Vec<(String, Arc<Live>)>>,
    authors: Mutex<Authors>,
}

/// The project as an author sees it.
pub struct Seen {
    /// What the author may do.
    pub rights: Arc<AuthorRights>,
    /// The project without the files that are hidden from it.
    pub live: Arc<Live>,
}

/// Authors by the current settings. Their rules are compiled once, not with every call.
#[derive(Default)]
struct Authors {
    settings: Weak<Opened>,
    known: Vec<Author>,
}

#[derive(Clone)]
struct Author {
    name: Option<String>,
    /// The rules of its token.
    token: Vec<(String, Right)>,
    is_guest: bool,
    rights: Arc<AuthorRights>,
    /// What hides files from it, and the name of that view.
    view: Option<(String, View)>,
}

impl Views {
    /// The views of `whole`.
    pub fn of(whole: Arc<Live>) -> Arc<Self> {
        Arc::new(Self { whole, opened: Mutex::default(), authors: Mutex::default() })
    }

    /// The project with all files.
    pub fn whole(&self) -> &Arc<Live> {
        &self.whole
    }

    /// The project as an author sees it by the current manifest, and by the rules of its token. May open an index.
    ///
    /// # Errors
    /// [`ubp_core::Error::Io`] while the project is missing; as [`AuthorRights::of`] and [`Live::start`].
    pub fn seen_by(&self, author: Option<&str>, token: &[(String, Right)]) -> Result<Seen> {
        self.seen(author, token, false)
    }

    /// The same for a guest of this name, to whom the rules of its link apply. It sees no code.
    ///
    /// # Errors
    /// As [`Views::seen_by`].
    pub fn seen_by_guest(&self, guest: &str, link: &[(String, Right)]) -> Result<Seen> {
        self.seen(Some(guest), link, true)
    }

    fn seen(&self, author: Option<&str>, token: &[(String, Right)], is_guest: bool) -> Result<Seen> {
        let current = self.whole.shared.current()?;
        let Author { rights, view, .. } = self.author(&current, author, token, is_guest)?;
        let live = match view {
            None => self.whole.clone(),
            Some((name, view)) => self.view(&current, name, view)?,
        };
        Ok(Seen { rights, live })
    }

    fn author(
        &self,
        current: &Arc<Opened>,
        name: Option<&str>,
        token: &[(String, Right)],
        is_guest: bool,
    ) -> Result<Author> {
        let settings = Arc::downgrade(current);
        let mut authors = self.authors.lock().unwrap_or_else(PoisonError::into_inner);
        if !Weak::ptr_eq(&authors.settings, &settings) {
            *authors = Authors { settings, known: Vec::new() };
        }
        let is_same = |author: &&Author| {
            author.name.as_deref() == name && author.token == token && author.is_guest == is_guest
        };
        if let Some(author) = authors.known.iter().find(is_same) {
            return Ok(author.clone());
        }
        let mut rights = AuthorRights::of(&current.project.manifest, name, token)?;
        if is_guest {
            rights = rights.without_code();
        }
        let view = View::of(&rights).map(|view| (view.name(), view));
        let (name, token) = (name.map(str::to_owned), token.to_vec());
        let author = Author { name, token, is_guest, rights: Arc::new(rights), view };
        if authors.known.len() >= MOST_AUTHORS {
            authors.known.remove(0);
        }
        authors.known.push(author.clone());
        Ok(author)
    }

    fn view(&self, current: &Opened, name: String, view: View) -> Result<Arc<Live>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = opened.iter().position(|(other, _)| *other == name) {
            let entry = opened.remove(at);
            let live = entry.1.clone();
            opened.push(entry);
            return Ok(live);
        }
        let shared = &self.whole.shared;
        forget_unused(&shared.root);
        let project = current.project.clone().seen_in(view)?;
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
    fn in_project(&self, text: &str) -> Option<Vec<f32>> {
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
            .map(|text| if kind == TextKind::Passage { self.in_project(text) } else { None })
            .collect();
        let missing: Vec<&str> =
            texts.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(text, _)| *text).collect();
        let mut computed =
            if missing.is_empty() { Vec::new() } else { self.embedder.embed(kind, &missing)? }.into_iter();
        Ok(known.into_iter().filter_map(|known| known.or_else(|| computed.next())).collect())
    }

    fn known(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        let shared = self.embedder.known(texts)?;
        Ok(texts.iter().zip(shared).map(|(text, shared)| self.in_project(text).or(shared)).collect())
    }

    fn release(&self) {
        self.embedder.release();
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.embedder.token_ranges(text)
    }
}
