//! The favourite pages of one person. The list is not committed.

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::index::derived_id;
use crate::index::questions::pages::{self, PageRow};
use crate::message;
use crate::ops::Facts;
use crate::ops::page::{PageName, path_of};
use crate::ports::{ContentHash, Source};
use crate::show::{Page, Span, counted};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("List the user's favourite pages; add or remove some.");

/// The file's name in `.ubp/`.
pub const FILE: &str = "favorites.json";

/// Maximum number of pages on the list.
const MOST: usize = 1_000;

/// The changes; none to read the list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Pages to add at the end of the list: paths, ids, titles or aliases.
    #[serde(default)]
    pub add: Vec<String>,
    /// Pages to remove from the list, named in the same way.
    #[serde(default)]
    pub remove: Vec<String>,
}

/// The list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Paths of the existing favourites, in the order in which they were added.
    pub pages: Vec<String>,
}

/// A page on the list. It is identified by its path, and by its id if nothing exists at that path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Favorite {
    filepath: String,
    #[serde(default)]
    id: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    #[serde(default)]
    pages: Vec<Favorite>,
}

/// Changes the list if requested, and returns it.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::InvalidParams`] when the file was not written by
/// UBP, or the list would be too long; [`Error::Io`]. On error, the list is unchanged.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if params.add.is_empty() && params.remove.is_empty() {
        let (list, _) = load(context.source)?;
        return context.index.read(|db| list.present(db));
    }
    let _held = context.source.lock()?;
    let (mut list, before) = load(context.source)?;
    let output = context.index.read(|db| {
        list.follow_ids(db)?;
        for name in &params.remove {
            // Pages that no longer exist can still be removed.
            let path = match list.pages.iter().any(|page| page.filepath == *name) {
                true => name.clone(),
                false => find(db, name)?.filepath,
            };
            list.pages.retain(|page| page.filepath != path);
        }
        for name in &params.add {
            let page = find(db, name)?;
            if !list.pages.iter().any(|known| known.filepath == page.filepath) {
                list.pages.push(page);
            }
        }
        if list.pages.len() > MOST {
            return Err(Error::invalid(message!("at most {most} favourites", most = MOST)));
        }
        list.present(db)
    })?;
    save(context.source, &list, before)?;
    Ok(output)
}

/// Updates the list after pages moved.
pub(crate) fn follow(source: &dyn Source, moves: &[(&str, &str)]) -> Result<()> {
    let (mut list, before) = load(source)?;
    let mut followed = false;
    for page in &mut list.pages {
        if let Some((_, to)) = moves.iter().find(|(from, _)| page.filepath == *from) {
            let derived = page.id == derived_id(&page.filepath);
            page.filepath = (*to).to_owned();
            if derived {
                page.id = derived_id(to);
            }
            followed = true;
        }
    }
    if followed { save(source, &list, before) } else { Ok(()) }
}

impl List {
    /// Paths of the pages that exist.
    fn present(&self, db: &Connection) -> Result<Output> {
        let mut pages = Vec::new();
        for page in &self.pages {
            if let Some(path) = page.path_now(db)?.filter(|path| !pages.contains(path)) {
                pages.push(path);
            }
        }
        Ok(Output { pages })
    }

    /// Updates the paths of moved pages, which are found by their ids.
    fn follow_ids(&mut self, db: &Connection) -> Result<()> {
        for page in &mut self.pages {
            if let Some(path) = page.path_now(db)? {
                page.filepath = path;
            }
        }
        Ok(())
    }
}

impl Favorite {
    fn path_now(&self, db: &Connection) -> Result<Option<String>> {
        if pages::at(db, &self.filepath)?.is_some() {
            return Ok(Some(self.filepath.clone()));
        }
        let moved = pages::with_id(db, &self.id)?;
        moved.first().map(|&page| path_of(db, page)).transpose()
    }
}

fn find(db: &Connection, name: &str) -> Result<Favorite> {
    let page = PageName { page: Some(name), ..PageName::default() }.require(db)?;
    let PageRow { path: filepath, doc_id: id, .. } = pages::row(db, page)?;
    Ok(Favorite { filepath, id })
}

fn load(source: &dyn Source) -> Result<(List, Option<ContentHash>)> {
    let Some(bytes) = source.read_state(FILE)? else { return Ok((List::default(), None)) };
    let list = serde_json::from_slice(&bytes).map_err(|error| {
        Error::invalid(message!(".ubp/{file}: {error}; fix the file, or delete it", file = FILE, error))
    })?;
    Ok((list, Some(ContentHash::of(&bytes))))
}

fn save(source: &dyn Source, list: &List, before: Option<ContentHash>) -> Result<()> {
    let mut text = serde_json::to_string_pretty(list).map_err(|error| Error::Internal(error.to_string()))?;
    text.push('\n');
    source.write_state(FILE, text.as_bytes(), before)
}

/// Shows the favourites.
pub fn show(output: &Output, page: &mut dyn Page) {
    for path in &output.pages {
        page.item(&[Span::Path(path)]);
    }
    page.note(&[Span::said(&counted(output.pages.len(), "favorite page", "favorite pages"))]);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::index::tests::Project;

    fn project() -> Project {
        Project::with_pages([
            ("a.md", "# A\n"),
            ("b.md", "---\nid: 0198c1d2-0000-7000-8000-000000000001\n---\n# B\n"),
            ("c.md", "# C\n"),
        ])
    }

    fn ask(project: &Project, params: Value) -> Value {
        project.context().call("favorites", params).unwrap()["pages"].take()
    }

    #[test]
    fn favourites_keep_the_order_in_which_they_were_added() {
        let project = project();
        assert_eq!(ask(&project, json!({})), json!([]));
        assert!(project.source.read_state(FILE).unwrap().is_none(), "reading writes nothing");
        assert_eq!(ask(&project, json!({ "add": ["C", "a.md", "c"] })), json!(["c.md", "a.md"]));
        assert_eq!(ask(&project, json!({ "add": ["b"], "remove": ["c.md"] })), json!(["a.md", "b.md"]));
        assert_eq!(ask(&project, json!({})), json!(["a.md", "b.md"]));
        let error = project.context().call("favorites", json!({ "add": ["nowhere"] })).unwrap_err();
        assert_eq!(error.code(), "page_not_found");
        assert_eq!(ask(&project, json!({})), json!(["a.md", "b.md"]));
    }

    #[test]
    fn a_page_that_moves_stays_a_favourite() {
        let project = project();
        ask(&project, json!({ "add": ["a", "b"] }));
        let moved = project.context().call("rename_page", json!({ "page": "a", "path": "x/z.md" })).unwrap();
        assert_eq!(ask(&project, json!({})), json!(["x/z.md", "b.md"]));
        project.context().call("undo", json!({ "entry": moved["audit_id"] })).unwrap();
        assert_eq!(ask(&project, json!({})), json!(["a.md", "b.md"]));
        // Moved by another program: the page is found by its id.
        let bytes = project.source.read("b.md").unwrap();
        project.source.discard("b.md", "t/b.md", ContentHash::of(&bytes)).unwrap();
        assert_eq!(project.refresh().removed, ["b.md"]);
        assert_eq!(ask(&project, json!({})), json!(["a.md"]));
        project.source.write("deep/new.md", &bytes, None).unwrap();
        project.refresh();
        assert_eq!(ask(&project, json!({})), json!(["a.md", "deep/new.md"]));
        assert_eq!(ask(&project, json!({ "remove": ["deep/new.md"] })), json!(["a.md"]));
    }

    #[test]
    fn an_invalid_list_is_not_overwritten() {
        let project = project();
        project.source.write_state(FILE, b"{ broken", None).unwrap();
        let error = project.context().call("favorites", json!({ "add": ["a"] })).unwrap_err();
        assert!(error.to_string().contains(".ubp/favorites.json"), "{error}");
        assert_eq!(project.source.read_state(FILE).unwrap().as_deref(), Some(&b"{ broken"[..]));
        // It does not prevent other operations.
        project.context().call("rename_page", json!({ "page": "a", "path": "z.md" })).unwrap();
    }
}
