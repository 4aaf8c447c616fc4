//! Everything about pages that another database needs to answer as this index does: their rows of the full text with
//! the terms of each, links, sources and vectors.

use std::collections::BTreeMap;

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::prepare::{heading_terms, passages};
use super::schema;
use super::statement::{all, each, first, one};
use crate::Result;

/// The version of everything in a [`PublishedPage`]: if it differs, pages have to be published again.
pub const FORMAT: i32 = schema::VERSION;

/// What a page is in the index, in two hashes (SHA-256): pages with equal hashes are published alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageState {
    /// Number of the page in this index.
    pub page: i64,
    /// Of the file's bytes, the id, and the vectors.
    pub content: [u8; 32],
    /// Of what the links and the sources lead to.
    pub links: [u8; 32],
}

/// A page with all that is published about it.
#[derive(Debug, Clone)]
pub struct PublishedPage {
    /// Its path in the pages folder.
    pub path: String,
    /// Its id.
    pub doc_id: String,
    /// Its title.
    pub title: String,
    /// Its type.
    pub doc_type: String,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// A JSON object.
    pub front_matter: String,
    /// SHA-256 of the file's bytes.
    pub hash: [u8; 32],
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its tags as written.
    pub tags: Vec<String>,
    /// Terms of its title and aliases, for the first column of the full text.
    pub title_terms: String,
    /// Its sections, in order.
    pub sections: Vec<PublishedSection>,
    /// Its links, in order.
    pub links: Vec<PublishedLink>,
    /// The sources it names, each with the line of the block of code that shows it; 0 in front matter.
    pub sources: Vec<(String, usize)>,
}

/// A section.
#[derive(Debug, Clone)]
pub struct PublishedSection {
    /// Its id on the page.
    pub id: String,
    /// 0 before the first heading.
    pub level: u8,
    /// First and last line of the file, from 1.
    pub lines: (usize, usize),
    /// Headings from the top level down to its own.
    pub heading_path: Vec<String>,
    /// Its source text.
    pub text: String,
    /// Terms of its headings, for the second column of the full text.
    pub heading_terms: String,
    /// Its rows of the full text, in order; never empty.
    pub passages: Vec<PublishedPassage>,
    /// Its vectors, in order; empty while they are pending.
    pub vectors: Vec<PublishedVector>,
}

/// A row of the full text: a section, or a part of a long one.
#[derive(Debug, Clone)]
pub struct PublishedPassage {
    /// Byte range in the section's text.
    pub bytes: (usize, usize),
    /// First and last line, counted from 0 at the section's first line.
    pub lines: (usize, usize),
    /// Terms of its text, for the third column of the full text.
    pub terms: String,
}

/// A vector of a part of a section.
#[derive(Debug, Clone)]
pub struct PublishedVector {
    /// Byte of the section's text in the middle of what was embedded.
    pub middle: usize,
    /// The vector, of unit length.
    pub numbers: Vec<f32>,
}

/// A link.
#[derive(Debug, Clone)]
pub struct PublishedLink {
    /// Line of the file, from 1.
    pub line: usize,
    /// 0 wiki, 1 embed, 2 Markdown, 3 front matter, 4 an entry of `sources`.
    pub kind: i64,
    /// Its type.
    pub link_type: String,
    /// Where it leads, as written.
    pub target: String,
    /// The words shown, if they differ.
    pub text: Option<String>,
    /// The text around it.
    pub context: String,
    /// 0 unresolved, 1 page, 2 source, 3 attachment.
    pub state: i64,
    /// Path of the page it leads to.
    pub target_path: Option<String>,
    /// File of the project it leads to.
    pub source: Option<String>,
    /// Part after the #, unless it belongs to the name.
    pub anchor: Option<String>,
    /// Whether several pages have the name.
    pub ambiguous: bool,
}

/// The model with the most vectors: its identity, and the numbers per vector. `None` without vectors.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn published_model(db: &Connection) -> Result<Option<(String, usize)>> {
    let sql = "SELECT identity, dimensions FROM models JOIN section_vectors USING (model)
         GROUP BY model ORDER BY count(*) DESC, model LIMIT 1";
    first(db, sql, [])
}

/// The state of every page, by path. Only vectors of the model `identity` count.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn page_states(db: &Connection, identity: &str) -> Result<BTreeMap<String, PageState>> {
    let mut pages = BTreeMap::new();
    let sql = "SELECT page, path, doc_id, hash FROM pages";
    for (page, path, id, hash) in all::<(i64, String, String, [u8; 32]), Vec<_>>(db, sql, [])? {
        let content = Sha256::new().chain_update(FORMAT.to_le_bytes()).chain_update(hash).chain_update(id);
        pages.insert(page, (path, content, Sha256::new()));
    }
    let sql = "SELECT page, middle, hash FROM section_vectors JOIN vectors USING (vector)
         WHERE vectors.model = (SELECT model FROM models WHERE identity = ?1)
         ORDER BY page, section, ordinal";
    each(db, sql, [identity], |columns| {
        let (page, middle, hash): (i64, i64, [u8; 32]) = columns.read()?;
        if let Some((_, content, _)) = pages.get_mut(&page) {
            content.update(middle.to_le_bytes());
            content.update(hash);
        }
        Ok(())
    })?;
    let sql = "SELECT links.page, state * 2 + ambiguous, coalesce(pages.path, source, '')
         FROM links LEFT JOIN pages ON pages.page = target_page ORDER BY link";
    each(db, sql, [], |columns| {
        let (page, state, place): (i64, i64, &str) = columns.read()?;
        if let Some((_, _, links)) = pages.get_mut(&page) {
            links.update(state.to_le_bytes());
            links.update(place.len().to_le_bytes());
            links.update(place);
        }
        Ok(())
    })?;
    let states = pages.into_iter().map(|(page, (path, content, links))| {
        (path, PageState { page, content: content.finalize().into(), links: links.finalize().into() })
    });
    Ok(states.collect())
}

/// A page with its vectors of the model `identity`.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn published_page(db: &Connection, page: i64, identity: &str) -> Result<PublishedPage> {
    type Texts = (String, String, String, String, String, String, String);
    let sql = "SELECT path, doc_id, title, doc_type, created_at, updated_at, front_matter, hash,
                coalesce(terms, '')
         FROM pages LEFT JOIN title_terms USING (page) WHERE page = ?1";
    let (texts, hash, title_terms): (Texts, [u8; 32], String) = one(db, sql, [page])?;
    let (path, doc_id, title, doc_type, created_at, updated_at, front_matter) = texts;
    let aliases = all(db, "SELECT alias FROM aliases WHERE page = ?1 ORDER BY alias", [page])?;
    let tags = all(db, "SELECT tag FROM tags WHERE page = ?1 ORDER BY key", [page])?;
    let sql = "SELECT source, line FROM source_refs WHERE page = ?1 ORDER BY source, line";
    let sources = all(db, sql, [page])?;
    Ok(PublishedPage {
        path,
        doc_id,
        title,
        doc_type,
        created_at,
        updated_at,
        front_matter,
        hash,
        aliases,
        tags,
        title_terms,
        sections: sections(db, page, identity)?,
        links: links(db, page)?,
        sources,
    })
}

fn sections(db: &Connection, page: i64, identity: &str) -> Result<Vec<PublishedSection>> {
    type Row = (i64, String, u8, (usize, usize), Vec<String>, String);
    let sql = "SELECT section, section_id, level, first_line, last_line, heading_path, text FROM sections
         WHERE page = ?1 ORDER BY ordinal";
    let mut found = Vec::new();
    for (number, id, level, lines, heading_path, text) in all::<Row, Vec<_>>(db, sql, [page])? {
        let passages = passages(&text, level > 0).into_iter().map(|passage| PublishedPassage {
            bytes: (passage.range.start, passage.range.end),
            lines: passage.lines,
            terms: passage.terms,
        });
        found.push(PublishedSection {
            passages: passages.collect(),
            heading_terms: heading_terms(&heading_path),
            vectors: vectors(db, number, identity)?,
            id,
            level,
            lines,
            heading_path,
            text,
        });
    }
    Ok(found)
}

fn vectors(db: &Connection, section: i64, identity: &str) -> Result<Vec<PublishedVector>> {
    let sql = "SELECT middle, data FROM section_vectors JOIN vectors USING (vector)
         WHERE section = ?1 AND vectors.model = (SELECT model FROM models WHERE identity = ?2)
         ORDER BY ordinal";
    let stored: Vec<(usize, Vec<u8>)> = all(db, sql, (section, identity))?;
    let vectors = stored.into_iter().map(|(middle, data)| PublishedVector {
        middle,
        numbers: data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
    });
    Ok(vectors.collect())
}

fn links(db: &Connection, page: i64) -> Result<Vec<PublishedLink>> {
    type Written = (usize, i64, String, String, Option<String>, String);
    type Leads = (i64, Option<String>, Option<String>, Option<String>, bool);
    let sql = "SELECT line, kind, link_type, target, text, context,
                state, pages.path, source, anchor, ambiguous
         FROM links LEFT JOIN pages ON pages.page = target_page WHERE links.page = ?1 ORDER BY link";
    let links = all::<(Written, Leads), Vec<_>>(db, sql, [page])?.into_iter();
    let links = links.map(|((line, kind, link_type, target, text, context), leads)| {
        let (state, target_path, source, anchor, ambiguous) = leads;
        PublishedLink {
            line,
            kind,
            link_type,
            target,
            text,
            context,
            state,
            target_path,
            source,
            anchor,
            ambiguous,
        }
    });
    Ok(links.collect())
}
