//! An index of pages whose texts and vectors stay in another database: what pages are called, their front matter, links,
//! sources and freshness. Sections are brought in for the pages that an answer shows.
//!
//! **Invariants**
//! - After any changes, it equals one that receives all pages at once (`tests/received.rs`).
//! - Pages and sections have the numbers that they have there.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use super::changes::{Changed, GENERATION, bump};
use super::prepare::{Prepared, PreparedPassage, PreparedSection};
use super::published::{PublishedLink, PublishedPage, PublishedSection};
use super::questions::{pages, sites};
use super::statement::{all, one, run};
use super::store::{put_names, put_title_terms};
use crate::Result;
use crate::freshness::{Assessment, put_verdict};
use crate::graph::resolve::may_name_source;

/// Bits for the number of a section on its page: indexed text of a page is at most 2 MB, so it has at most a million.
const SECTION_BITS: u32 = 21;
/// Added to the ordinal of a passage, so that its number is never that of a section.
const PASSAGES: i64 = 1 << (SECTION_BITS - 1);

/// The number of a section: of its page, and its ordinal on the page.
pub fn section_number(page: i64, ordinal: i64) -> i64 {
    (page << SECTION_BITS) | ordinal
}

/// The page, and the ordinal on it, of a section with this number.
pub fn section_of(number: i64) -> (i64, i64) {
    (number >> SECTION_BITS, number & ((1 << SECTION_BITS) - 1))
}

/// The number of a passage that is not the first one of its section: of its page, and its ordinal on the page.
pub fn passage_number(page: i64, ordinal: i64) -> i64 {
    section_number(page, ordinal | PASSAGES)
}

/// Pages that are new, and others with new links or another freshness.
#[derive(Debug, Default)]
pub struct Received {
    /// Numbers of pages that are gone. A changed page is gone, and new under another number.
    pub gone: Vec<i64>,
    /// New pages with their numbers; their sections are not stored.
    pub new: Vec<(i64, PublishedPage)>,
    /// All links of pages whose links lead elsewhere.
    pub relinked: Vec<(i64, Vec<PublishedLink>)>,
    /// The freshness of all pages with a verdict; `None` if it has not changed.
    pub verdicts: Option<Vec<(i64, Assessment)>>,
}

/// Makes an empty index one of received pages.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn begin(db: &Connection) -> Result<()> {
    sites::create_verdicts(db)
}

/// Brings the index up to date.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn receive(db: &Connection, received: &Received) -> Result<()> {
    let Received { gone, new, relinked, verdicts } = received;
    let mut changed: BTreeSet<i64> = gone.iter().copied().collect();
    // Links to a page that is replaced keep their state, so nobody sends them again.
    let mut waiting: HashMap<String, Vec<i64>> = HashMap::new();
    for &page in gone {
        let Some((path, _)) = pages::path_and_title(db, page)? else { continue };
        let links: Vec<(i64, i64)> = all(db, "SELECT link, page FROM links WHERE target_page = ?1", [page])?;
        changed.extend(links.iter().map(|(_, page)| *page));
        waiting.insert(path, links.into_iter().map(|(link, _)| link).collect());
        forget_sections(db, page)?;
        run(db, "DELETE FROM name_words WHERE rowid = ?1", [page])?;
        run(db, "DELETE FROM pages WHERE page = ?1", [page])?;
    }
    for (number, page) in new {
        put_page(db, *number, page)?;
        changed.insert(*number);
        for link in waiting.remove(&page.path).unwrap_or_default() {
            run(db, "UPDATE links SET target_page = ?2 WHERE link = ?1", (link, number))?;
        }
    }
    let new_links = new.iter().map(|(number, page)| (number, &page.links));
    for (number, links) in relinked.iter().map(|(number, links)| (number, links)).chain(new_links) {
        run(db, "DELETE FROM links WHERE page = ?1", [number])?;
        put_links(db, *number, links)?;
        changed.insert(*number);
    }
    if let Some(verdicts) = verdicts {
        run(db, "DELETE FROM verdicts", [])?;
        for (page, assessment) in verdicts {
            put_verdict(db, *page, assessment)?;
        }
    }
    bump(db, GENERATION, Changed::Pages(&changed))
}

fn put_page(db: &Connection, number: i64, page: &PublishedPage) -> Result<()> {
    let sql = "INSERT INTO pages(page, path, doc_id, title, doc_type, created_at, updated_at, size, hash,
                           front_matter, diagnostics)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, '[]')";
    let PublishedPage { path, doc_id, title, doc_type, created_at, updated_at, hash, front_matter, .. } =
        page;
    let of_file = (hash, front_matter);
    run(
        db,
        sql,
        rusqlite::params![
            number, path, doc_id, title, doc_type, created_at, updated_at, of_file.0, of_file.1
        ],
    )?;
    let prepared = Prepared::received(page);
    put_title_terms(db, number, &prepared)?;
    put_names(db, number, &prepared)
}

fn put_links(db: &Connection, page: i64, links: &[PublishedLink]) -> Result<()> {
    for link in links {
        let sql = "INSERT INTO links(page, kind, line, link_type, target, text, context, state, target_page, source,
                               anchor, ambiguous, may_be_file)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, (SELECT page FROM pages WHERE path = ?9), ?10, ?11, ?12, ?13)";
        let may_be_file = may_name_source(&link.target);
        let PublishedLink { line, kind, link_type, target, text, context, state, target_path, .. } = link;
        let values = rusqlite::params![
            page,
            kind,
            line,
            link_type,
            target,
            text,
            context,
            state,
            target_path,
            link.source,
            link.anchor,
            link.ambiguous,
            may_be_file
        ];
        run(db, sql, values)?;
    }
    Ok(())
}

/// Stores the sections of a page, in place of those that are there.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn put_sections(db: &Connection, page: i64, sections: &[PublishedSection]) -> Result<()> {
    forget_sections(db, page)?;
    let sql = "SELECT coalesce((SELECT terms FROM title_terms WHERE page = ?1), '')";
    let title_terms: String = one(db, sql, [page])?;
    let mut before = 0;
    for (ordinal, section) in (0..).zip(sections) {
        let number = section_number(page, ordinal);
        let prepared = PreparedSection::received(section);
        let sql = "INSERT INTO sections(section, page, ordinal, section_id, level, first_line, last_line, heading_path,
                                  vector_model, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, -1, ?9)";
        let ((first, last), headings) = (section.lines, &prepared.heading_path);
        let (id, text) = (&section.id, &section.text);
        run(db, sql, (number, page, ordinal, id, section.level, first, last, headings, text))?;
        for (at, passage) in prepared.passages.iter().enumerate() {
            let row = if at == 0 { number } else { passage_number(page, before) };
            before += 1;
            if prepared.passages.len() == 1 {
                continue;
            }
            let PreparedPassage { range, lines, terms } = passage;
            let sql = "INSERT INTO passages(passage, section, first_byte, last_byte, first_line, last_line)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            run(db, sql, (row, number, range.start, range.end, lines.0, lines.1))?;
            let sql = "INSERT INTO fulltext(rowid, title, headings, body) VALUES (?1, ?2, ?3, ?4)";
            run(db, sql, (row, &title_terms, &prepared.heading_terms, terms))?;
        }
    }
    Ok(())
}

/// Deletes the sections of a page.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn forget_sections(db: &Connection, page: i64) -> Result<()> {
    let sql = "DELETE FROM fulltext
         WHERE rowid IN (SELECT passage FROM passages JOIN sections USING (section) WHERE page = ?1)";
    run(db, sql, [page])?;
    run(db, "DELETE FROM sections WHERE page = ?1", [page])
}

/// The pages whose sections are stored.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn pages_with_sections(db: &Connection) -> Result<Vec<i64>> {
    all(db, "SELECT DISTINCT page FROM sections", [])
}
