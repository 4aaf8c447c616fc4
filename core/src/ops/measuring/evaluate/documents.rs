//! The documents of an evaluation set as a project in memory: each becomes a page with the document's text, and
//! with its title and links in front matter.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::{Document, DocumentLink};
use crate::index::Index;
use crate::manifest::{LinkOrder, Manifest};
use crate::message;
use crate::ports::{MemorySource, NoHistory};
use crate::{Context, Error, Result, path};

/// A project built from documents, not indexed yet.
pub(super) struct Library {
    pub index: Index,
    pub source: MemorySource,
    pub manifest: Manifest,
    /// Path of each document's page, by document id.
    pub paths: HashMap<String, String>,
    /// Links from or to missing documents.
    pub unresolved_links: usize,
}

impl Library {
    /// # Errors
    /// [`Error::InvalidParams`] for an empty or duplicate id; [`Error::Database`].
    pub fn new(documents: &[Document], links: &[DocumentLink], manifest: &Manifest) -> Result<Self> {
        let paths = paths(documents)?;
        let mut library = Self {
            index: Index::in_memory()?,
            source: MemorySource::default(),
            manifest: manifest.clone(),
            paths,
            unresolved_links: 0,
        };
        library.manifest.pages_dir = ".".into();
        library.manifest.links.order = LinkOrder::TargetFirst;
        // The links of each document, in link syntax.
        let mut outgoing: HashMap<&str, Vec<String>> = HashMap::new();
        for link in links {
            let link_type = link.link_type.as_deref().unwrap_or("references");
            if link_type.trim() != link_type || !link_type.chars().all(can_be_in_type) || link_type.is_empty()
            {
                return Err(Error::invalid(message!("'{link_type}' cannot be a type of links", link_type)));
            }
            match (library.paths.contains_key(&link.from), library.paths.get(&link.to)) {
                (true, Some(target)) => {
                    outgoing.entry(&link.from).or_default().push(format!("[[{target}|{link_type}]]"));
                }
                _ => library.unresolved_links += 1,
            }
            let types = &mut library.manifest.links.types;
            if !types.iter().any(|known| known == link_type) {
                types.push(link_type.into());
            }
        }
        for document in documents {
            let Some(path) = library.paths.get(&document.id) else { continue };
            let page = page(document, outgoing.get(document.id.as_str()));
            library.source.put(path, page.as_bytes(), Timestamp::UNIX_EPOCH);
        }
        Ok(library)
    }

    /// The context of this project; everything else comes from `outer`.
    pub fn context<'a>(&'a self, outer: &Context<'a>) -> Context<'a> {
        Context {
            index: self.index.view(),
            source: &self.source,
            history: &NoHistory,
            symbols: outer.symbols,
            clock: outer.clock,
            embedder: outer.embedder,
            manifest: &self.manifest,
            refreshed: true,
            caller: outer.caller,
            agent: outer.agent,
            proposing: None,
            rights: None,
            typing: None,
            witness: None,
            reader: None,
            progress: outer.progress,
            cancel: outer.cancel,
        }
    }
}

/// A path for each document: its id if that is a valid path.
fn paths(documents: &[Document]) -> Result<HashMap<String, String>> {
    let mut paths = HashMap::new();
    let mut used = HashSet::new();
    for document in documents {
        let id = document.id.as_str();
        if id.trim().is_empty() {
            return Err(Error::invalid(message!("a document's id is empty")));
        }
        let usable = id.split('/').all(|part| path::file_name_for(part) == part);
        let name = if usable { id.to_owned() } else { path::file_name_for(id) };
        let mut path = format!("{name}.md");
        let mut number = 2;
        while !path::can_be_page(&path) || used.contains(&path) {
            path = format!("{} {number}.md", path::file_name_for(id));
            number += 1;
        }
        used.insert(path.clone());
        if paths.insert(id.to_owned(), path).is_some() {
            return Err(Error::invalid(message!("duplicate document '{id}'", id)));
        }
    }
    Ok(paths)
}

fn can_be_in_type(c: char) -> bool {
    !c.is_control() && !"[]|#^".contains(c)
}

/// The document as a page. Values are JSON strings, which are valid YAML.
fn page(document: &Document, links: Option<&Vec<String>>) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut page = String::from("---\n");
    let title = document.title.as_deref().unwrap_or_default();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if !title.is_empty() {
        page += &format!("title: {}\n", quoted(&title));
    }
    if let Some(links) = links {
        page += "links:\n";
        page.extend(links.iter().map(|link| format!("  - {}\n", quoted(link))));
    }
    // Always write front matter: a line `---` in the text could otherwise open it.
    page += "---\n";
    page += &document.text;
    page
}
