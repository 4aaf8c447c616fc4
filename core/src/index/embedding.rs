//! Computing the vectors of sections. Each text is embedded once per model, no matter on which page it is or how often
//! the page is parsed. Every batch is committed, so an interrupted run loses at most one.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, params};

use super::Index;
use super::changes::{Changed, VECTOR_GENERATION, bump};
use super::documents::CHUNK_SIZE;
use super::rounding::round;
use super::statement::{all, any, first, one, run};
use crate::Result;
use crate::embed::{chunks, passage};
use crate::ports::{Clock, ContentHash, Embedder, TextKind};
use crate::progress::{Cancel, Progress, Stage};
use crate::text;

/// Sections per step.
const SECTIONS: usize = 64;
/// Texts per batch without a deadline. Long texts take a second each, and Ctrl-C waits for the batch.
const TEXTS: usize = 32;
/// Texts per batch with a deadline: about as many as are embedded in parallel.
const HURRIED_TEXTS: usize = if cfg!(target_family = "wasm") { 1 } else { 4 };

/// Longest section, in bytes, that is tokenized under a deadline. No limit in a browser, where no later run would embed
/// it.
const HURRIED_BYTES: i64 = if cfg!(target_family = "wasm") { i64::MAX } else { 64 * 1024 };

/// What an embedding run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmbedReport {
    /// Texts that were embedded.
    pub embedded: usize,
    /// Texts that had a vector already.
    pub reused: usize,
    /// Sections that still have no vectors of the model.
    pub pending: usize,
}

/// Number of sections without vectors of the model.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn pending(db: &Connection, identity: &str) -> Result<usize> {
    // Three ranges of one index: if nothing is pending, they are empty, however many sections there are.
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

/// Number of pages with sections that have no vectors of the model.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn pending_pages(db: &Connection, identity: &str) -> Result<usize> {
    let sql = "SELECT count(DISTINCT page) FROM sections
         WHERE vector_model IS NOT coalesce((SELECT model FROM models WHERE identity = ?1), -1)";
    one(db, sql, [identity])
}

/// Number of pages whose text is completely embedded. A page without text that the model can read is not counted.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn vectorized_pages(db: &Connection, identity: &str) -> Result<usize> {
    // Three ranges of one index, as in `pending`, and usually empty.
    let sql = "WITH current(model) AS (
                 SELECT coalesce((SELECT model FROM models WHERE identity = ?1), -1)
             ), waiting(page) AS (
                 SELECT page FROM sections WHERE vector_model IS NULL
                 UNION SELECT page FROM sections WHERE vector_model < (SELECT model FROM current)
                 UNION SELECT page FROM sections WHERE vector_model > (SELECT model FROM current)
             )
             SELECT count(*) FROM pages WHERE page NOT IN waiting AND EXISTS (
                 SELECT 1 FROM sections JOIN section_vectors USING (section)
                 WHERE sections.page = pages.page AND section_vectors.model = (SELECT model FROM current))";
    one(db, sql, [identity])
}

/// Embeds pending sections, shortest texts first, until all are done, the run is cancelled, or `deadline` (on the
/// clock's monotonic scale) has passed. With a deadline, very long sections are left to a later run without one.
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

/// Embeds the pending sections of one page, given by its number.
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

/// Which of the pending sections to embed, and until when.
struct Extent {
    /// Only those of this page.
    page: Option<i64>,
    deadline: Option<u64>,
}

fn embed(
    index: &Index,
    embedder: &dyn Embedder,
    clock: &dyn Clock,
    extent: Extent,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<EmbedReport> {
    let report = embed_sections(index, embedder, clock, extent, progress, cancel);
    embedder.release();
    report
}

fn embed_sections(
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
        // Three ranges of one index, as in `pending`.
        let sql = "SELECT section FROM sections WHERE section IN (
                 SELECT section FROM sections WHERE vector_model IS NULL
                 UNION ALL SELECT section FROM sections WHERE vector_model < ?1
                 UNION ALL SELECT section FROM sections WHERE vector_model > ?1
             ) AND (?2 IS NULL OR page = ?2)
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
        let texts = take_known(index, embedder, model, texts, &mut report)?;
        for (number, batch) in texts.chunks(at_once).enumerate() {
            cancel.check()?;
            // Long texts take seconds each, so progress is reported within a batch.
            let finished = sections.len() * number * at_once / texts.len().max(1);
            progress.advance(Stage::Vectors, done + finished.min(sections.len()), total);
            if out_of_time() {
                report.pending = index.read(|db| pending(db, &identity))?;
                return Ok(report);
            }
            embed_batch(index, embedder, model, batch, &mut report)?;
        }
        index.write(|db| {
            let mut pages = BTreeSet::new();
            for section in &sections {
                pages.extend(store(db, model, section)?);
            }
            bump(db, VECTOR_GENERATION, Changed::Pages(&pages))
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
    /// For every text that the section is embedded as, in order: its hash, and the position of its middle in the
    /// section's text, in bytes.
    hashes: Vec<(ContentHash, usize)>,
}

/// A text to embed, with its hash.
type Passage = (ContentHash, String);

/// The texts that the sections are embedded as, and those without a vector, shortest first.
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
            let visible = text::visible(&text);
            if embedder.model().scripts.cover(&visible) {
                for range in chunks(embedder, &heading_path, &text, chunk_size)? {
                    let middle = range.start.midpoint(range.end);
                    let passage = passage(embedder, &heading_path, visible.get(range).unwrap_or_default())?;
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

/// Embeds these texts and stores their vectors, even if other texts of their sections are still missing.
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
        batch.iter().zip(&vectors).try_for_each(|((hash, _), vector)| put(db, model, *hash, vector))
    })
}

/// Stores the vectors that the embedder knows, and returns the other texts.
fn take_known(
    index: &Index,
    embedder: &dyn Embedder,
    model: i64,
    texts: Vec<Passage>,
    report: &mut EmbedReport,
) -> Result<Vec<Passage>> {
    let asked: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let known = if asked.is_empty() { Vec::new() } else { embedder.known(&asked)? };
    if known.iter().all(Option::is_none) {
        return Ok(texts);
    }
    index.write(|db| {
        let found = texts.iter().zip(&known).filter_map(|((hash, _), vector)| Some((hash, vector.as_ref()?)));
        found.into_iter().try_for_each(|(hash, vector)| {
            report.reused += 1;
            put(db, model, *hash, vector)
        })
    })?;
    Ok(texts.into_iter().zip(known).filter(|(_, known)| known.is_none()).map(|(text, _)| text).collect())
}

fn put(db: &Connection, model: i64, hash: ContentHash, vector: &[f32]) -> Result<()> {
    let data: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
    let sql = "INSERT OR IGNORE INTO vectors(model, hash, data) VALUES (?1, ?2, ?3)";
    run(db, sql, (model, hash.0, data))
}

/// The text of a section for embedding.
pub(crate) struct SectionText {
    /// Headings from the page's title down to the section's own.
    pub heading_path: Vec<String>,
    pub text: String,
    /// Maximum length of a chunk in characters.
    pub chunk_size: Option<usize>,
}

/// The text of this section, or `None` if it no longer exists.
pub(crate) fn section_text(db: &Connection, section: i64) -> Result<Option<SectionText>> {
    let sql = format!(
        "SELECT title, heading_path, text, {CHUNK_SIZE}
         FROM sections JOIN pages USING (page) LEFT JOIN documents USING (page) WHERE section = ?1"
    );
    let row: Option<(String, Vec<String>, String, Option<usize>)> = first(db, &sql, [section])?;
    Ok(row.map(|(title, mut path, text, chunk_size)| {
        // The title says what a section called `Overview` is about.
        if path.first() != Some(&title) {
            path.insert(0, title);
        }
        SectionText { heading_path: path, text, chunk_size }
    }))
}

/// The vector of a text by the model called `identity`, if it was computed.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn known_vector(db: &Connection, identity: &str, text: &str) -> Result<Option<Vec<f32>>> {
    let sql = "SELECT data FROM vectors JOIN models USING (model) WHERE identity = ?1 AND hash = ?2";
    let data: Option<Vec<u8>> = first(db, sql, (identity, ContentHash::of(text.as_bytes()).0))?;
    Ok(data.map(|data| data.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect()))
}

fn has_vector(db: &Connection, model: i64, hash: ContentHash) -> Result<bool> {
    any(db, "SELECT 1 FROM vectors WHERE model = ?1 AND hash = ?2", (model, hash.0))
}

/// Stores the vectors of a section, and returns its page if it still has the text.
fn store(db: &Connection, model: i64, due: &Due) -> Result<Option<i64>> {
    // If the page was parsed again in the meantime, this is no longer the section's text.
    let sql = "SELECT page FROM sections WHERE section = ?1 AND text = ?2";
    let page: Option<i64> = first(db, sql, (due.section, &due.text))?;
    if page.is_none() {
        return Ok(None);
    }
    run(db, "DELETE FROM section_vectors WHERE section = ?1", [due.section])?;
    let mut complete = true;
    for (ordinal, (hash, middle)) in due.hashes.iter().enumerate() {
        let sql = "SELECT vector, data FROM vectors WHERE model = ?1 AND hash = ?2";
        let vector: Option<(i64, Vec<u8>)> = first(db, sql, (model, hash.0))?;
        // Another process may have removed a vector that no section used yet.
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
    Ok(page)
}

/// Deletes vectors that no section uses.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn forget_unused_vectors(index: &Index) -> Result<()> {
    index.write(|db| {
        db.execute("DELETE FROM vectors WHERE vector NOT IN (SELECT vector FROM section_vectors)", [])?;
        bump(db, VECTOR_GENERATION, Changed::Pages(&BTreeSet::new()))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::index::tests::Project;

    #[test]
    fn very_long_sections_are_not_embedded_under_a_deadline() {
        let long = format!("# Long\n\n{}\n", "many words ".repeat(8_000));
        let project = Project::with_pages([("short.md", "# Short\n\nfew words\n")]);
        project.put("long.md", &long);
        project.put("other.md", "# Other\n\nother words\n");
        project.refresh();
        let hurried = project.context().embed(Some(60_000)).unwrap();
        assert_eq!((hurried.embedded, hurried.pending), (1, 1), "the long page stays pending");
        let patient = project.context().embed(None).unwrap();
        assert!(patient.embedded > 1 && patient.pending == 0, "{patient:?}");
    }
}
