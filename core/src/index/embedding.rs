//! Giving sections their vectors. A text is embedded once per model, whatever page it stands on and
//! however often the page is parsed; every batch is committed, so stopping loses at most one.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::Index;
use super::connection::{VECTOR_GENERATION, bump};
use super::documents::CHUNK_SIZE;
use super::rounding::round;
use super::statement::{all, any, first, one, run};
use crate::Result;
use crate::embed::{chunks, passage};
use crate::ports::{Clock, ContentHash, Embedder, TextKind};
use crate::progress::{Cancel, Progress, Stage};

/// Sections that are looked at together.
const SECTIONS: usize = 64;
/// Texts per batch when nobody waits: long ones take a second, and Ctrl-C waits for the batch.
const TEXTS: usize = 32;
/// Texts per batch when somebody does: about as many as run side by side.
const HURRIED_TEXTS: usize = if cfg!(target_family = "wasm") { 1 } else { 4 };

/// Longest section, in bytes, that is cut into tokens while somebody waits. In a browser nobody else would do it.
const HURRIED_BYTES: i64 = if cfg!(target_family = "wasm") { i64::MAX } else { 64 * 1024 };

/// What an embedding run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmbedReport {
    /// Texts that went through the model.
    pub embedded: usize,
    /// Texts whose vectors were known already.
    pub reused: usize,
    /// Sections that are still without vectors of the model.
    pub pending: usize,
}

/// Number of sections that the model has not seen yet.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn pending(db: &Connection, identity: &str) -> Result<usize> {
    // Three ranges of one index: where nothing is pending they are empty, however many sections there are.
    let sql = "WITH current(model) AS (
                 SELECT coalesce((SELECT model FROM models WHERE identity = ?1), -1)
             )
             SELECT (SELECT count(*) FROM sections WHERE vector_model IS NULL)
                  + (SELECT count(*) FROM sections WHERE vector_model < (SELECT model FROM current))
                  + (SELECT count(*) FROM sections WHERE vector_model > (SELECT model FROM current))";
    one(db, sql, [identity])
}

/// Number of sections.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn section_count(db: &Connection) -> Result<usize> {
    one(db, "SELECT count(*) FROM sections", [])
}

/// Number of pages with sections that the model has not seen yet.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn pending_pages(db: &Connection, identity: &str) -> Result<usize> {
    let sql = "SELECT count(DISTINCT page) FROM sections
         WHERE vector_model IS NOT coalesce((SELECT model FROM models WHERE identity = ?1), -1)";
    one(db, sql, [identity])
}

/// Embeds what is pending, shortest texts first, until done, asked to stop, or past `deadline` (on
/// the clock's monotonic scale). With a deadline, very long sections are left to a run without one.
///
/// # Errors
/// [`crate::Error::Model`], [`crate::Error::Database`], [`crate::Error::Cancelled`].
pub fn embed_pending(
    index: &Index,
    embedder: &dyn Embedder,
    clock: &dyn Clock,
    deadline: Option<u64>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<EmbedReport> {
    embed(index, embedder, clock, Extent { page: None, deadline }, progress, cancel)
}

/// Embeds what is pending of one page, by its number.
///
/// # Errors
/// As [`embed_pending`].
pub fn embed_page(
    index: &Index,
    embedder: &dyn Embedder,
    clock: &dyn Clock,
    page: i64,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<EmbedReport> {
    embed(index, embedder, clock, Extent { page: Some(page), deadline: None }, progress, cancel)
}

/// How much of what is pending is embedded.
struct Extent {
    /// That of one page alone.
    page: Option<i64>,
    deadline: Option<u64>,
}

fn embed(
    index: &Index,
    embedder: &dyn Embedder,
    clock: &dyn Clock,
    Extent { page, deadline }: Extent,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<EmbedReport> {
    let identity = embedder.model().identity.clone();
    let due = index.read(|db| pending(db, &identity))?;
    let mut report = EmbedReport { pending: due, ..EmbedReport::default() };
    if report.pending == 0 {
        return Ok(report);
    }
    let model = index.write(|db| model_number(db, embedder))?;
    let hurried = deadline.is_some();
    let longest = hurried.then_some(HURRIED_BYTES);
    let due: Vec<i64> = index.read(|db| {
        let sql = "SELECT section FROM sections WHERE vector_model IS NOT ?1 AND (?2 IS NULL OR page = ?2)
             AND (?3 IS NULL OR octet_length(text) <= ?3) ORDER BY octet_length(text), section";
        all(db, sql, (model, page, longest))
    })?;
    let total = due.len();
    let mut done = 0;
    let at_once = if hurried { HURRIED_TEXTS } else { TEXTS };
    progress.advance(Stage::Vectors, 0, total);
    let out_of_time = || deadline.is_some_and(|deadline| clock.monotonic_micros() >= deadline);
    for sections in due.chunks(if hurried { HURRIED_TEXTS } else { SECTIONS }) {
        let (sections, texts) = collect(index, embedder, model, sections, &mut report)?;
        for (number, batch) in texts.chunks(at_once).enumerate() {
            cancel.check()?;
            // Long texts take seconds each: who watches sees that it goes on.
            let finished = sections.len() * number * at_once / texts.len().max(1);
            progress.advance(Stage::Vectors, done + finished.min(sections.len()), total);
            if out_of_time() {
                report.pending = index.read(|db| pending(db, &identity))?;
                return Ok(report);
            }
            embed_batch(index, embedder, model, batch, &mut report)?;
        }
        index.write(|db| {
            for section in &sections {
                store(db, model, section)?;
            }
            bump(db, VECTOR_GENERATION)
        })?;
        done += sections.len();
        progress.advance(Stage::Vectors, done, total);
        cancel.check()?;
        if out_of_time() {
            break;
        }
    }
    report.pending = index.read(|db| pending(db, &identity))?;
    Ok(report)
}

fn model_number(db: &Connection, embedder: &dyn Embedder) -> Result<i64> {
    let model = embedder.model();
    let sql = "INSERT INTO models(identity, dimensions) VALUES (?1, ?2) ON CONFLICT(identity) DO NOTHING";
    run(db, sql, (&model.identity, model.dimensions))?;
    one(db, "SELECT model FROM models WHERE identity = ?1", [&model.identity])
}

struct Due {
    section: i64,
    text: String,
    /// Hash of every text that the section is embedded as, in order, and the byte of the section's text
    /// in the middle of it.
    hashes: Vec<(ContentHash, usize)>,
}

/// A text to embed, by its hash.
type Passage = (ContentHash, String);

/// The texts that sections are embedded as, and those of them without a vector, shortest first.
fn collect(
    index: &Index,
    embedder: &dyn Embedder,
    model: i64,
    sections: &[i64],
    report: &mut EmbedReport,
) -> Result<(Vec<Due>, Vec<Passage>)> {
    let mut missing: HashMap<ContentHash, String> = HashMap::new();
    let mut due = Vec::new();
    index.read(|db| {
        for &section in sections {
            let Some(SectionText { heading_path, text, chunk_size }) = section_text(db, section)? else {
                continue;
            };
            let mut hashes = Vec::new();
            if embedder.model().scripts.cover(&text) {
                for range in chunks(embedder, &heading_path, &text, chunk_size)? {
                    let middle = range.start.midpoint(range.end);
                    let passage = passage(embedder, &heading_path, text.get(range).unwrap_or_default())?;
                    let hash = ContentHash::of(passage.as_bytes());
                    hashes.push((hash, middle));
                    if has_vector(db, model, hash)? {
                        report.reused += 1;
                    } else {
                        missing.insert(hash, passage);
                    }
                }
            }
            due.push(Due { section, text, hashes });
        }
        Ok(())
    })?;
    let mut texts: Vec<Passage> = missing.into_iter().collect();
    texts.sort_unstable_by(|a, b| (a.1.len(), &a.1).cmp(&(b.1.len(), &b.1)));
    Ok((due, texts))
}

/// Embeds these texts and keeps their vectors, whether or not their sections are complete.
fn embed_batch(
    index: &Index,
    embedder: &dyn Embedder,
    model: i64,
    batch: &[Passage],
    report: &mut EmbedReport,
) -> Result<()> {
    let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
    let vectors = embedder.embed(TextKind::Passage, &texts)?;
    report.embedded += vectors.len();
    index.write(|db| {
        for ((hash, _), vector) in batch.iter().zip(&vectors) {
            let data: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            let sql = "INSERT OR IGNORE INTO vectors(model, hash, data) VALUES (?1, ?2, ?3)";
            run(db, sql, (model, hash.0, data))?;
        }
        Ok(())
    })
}

/// What a section is embedded from.
pub(crate) struct SectionText {
    /// The headings above it and its own, the page's title first.
    pub heading_path: Vec<String>,
    pub text: String,
    /// Most characters that are embedded as one.
    pub chunk_size: Option<usize>,
}

/// That of the section with this number; `None` when it is gone.
pub(crate) fn section_text(db: &Connection, section: i64) -> Result<Option<SectionText>> {
    let sql = format!(
        "SELECT title, heading_path, text, {CHUNK_SIZE}
         FROM sections JOIN pages USING (page) LEFT JOIN documents USING (page) WHERE section = ?1"
    );
    let row: Option<(String, Vec<String>, String, Option<usize>)> = first(db, &sql, [section])?;
    Ok(row.map(|(title, mut path, text, chunk_size)| {
        // The title says what an `Overview` is an overview of.
        if path.first() != Some(&title) {
            path.insert(0, title);
        }
        SectionText { heading_path: path, text, chunk_size }
    }))
}

fn has_vector(db: &Connection, model: i64, hash: ContentHash) -> Result<bool> {
    any(db, "SELECT 1 FROM vectors WHERE model = ?1 AND hash = ?2", (model, hash.0))
}

fn store(db: &Connection, model: i64, due: &Due) -> Result<()> {
    // The page may have been parsed again meanwhile: then this text is no longer the section's.
    let current = db
        .prepare_cached("SELECT 1 FROM sections WHERE section = ?1 AND text = ?2")?
        .exists((due.section, &due.text))?;
    if !current {
        return Ok(());
    }
    run(db, "DELETE FROM section_vectors WHERE section = ?1", [due.section])?;
    let mut complete = true;
    for (ordinal, (hash, middle)) in due.hashes.iter().enumerate() {
        let sql = "SELECT vector, data FROM vectors WHERE model = ?1 AND hash = ?2";
        let vector: Option<(i64, Vec<u8>)> = first(db, sql, (model, hash.0))?;
        // Another process may have dropped a vector that no section used yet.
        complete &= vector.is_some();
        let Some((vector, data)) = vector else { continue };
        let numbers: Vec<f32> = data.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect();
        let rounded = round(&numbers);
        db.prepare_cached(
            "INSERT INTO section_vectors(section, ordinal, vector, middle, page, model, scale, error, rounded)
             SELECT ?1, ?2, ?3, ?4, page, ?5, ?6, ?7, ?8 FROM sections WHERE section = ?1",
        )?
        .execute(params![
            due.section,
            ordinal,
            vector,
            middle,
            model,
            rounded.as_ref().map(|rounded| rounded.scale),
            rounded.as_ref().map(|rounded| rounded.error),
            rounded.as_ref().map(|rounded| rounded.numbers.as_slice()),
        ])?;
    }
    if complete {
        run(db, "UPDATE sections SET vector_model = ?2 WHERE section = ?1", (due.section, model))?;
    }
    Ok(())
}

/// Drops vectors that no section uses any more.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn forget_unused_vectors(index: &Index) -> Result<()> {
    index.write(|db| {
        db.execute("DELETE FROM vectors WHERE vector NOT IN (SELECT vector FROM section_vectors)", [])?;
        bump(db, VECTOR_GENERATION)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::index::tests::Project;

    #[test]
    fn what_is_cut_for_long_is_left_to_who_has_time() {
        let long = format!("# Long\n\n{}\n", "many words ".repeat(8_000));
        let project = Project::with_pages([("short.md", "# Short\n\nfew words\n")]);
        project.put("long.md", &long);
        project.put("other.md", "# Other\n\nother words\n");
        project.refresh();
        let hurried = project.context().embed(Some(60_000)).unwrap();
        assert_eq!((hurried.embedded, hurried.pending), (1, 1), "the long page waits");
        let patient = project.context().embed(None).unwrap();
        assert!(patient.embedded > 1 && patient.pending == 0, "{patient:?}");
    }
}
