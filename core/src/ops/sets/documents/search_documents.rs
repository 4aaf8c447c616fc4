//! Finds chunks of documents by meaning only, as document servers do: the chunks whose vectors are closest to the
//! query's. Links, headings and words do not count, unless there are no vectors.

use std::collections::HashMap;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::embed::{chunks, pieces};
use crate::hint::Next;
use crate::index::questions::sections;
use crate::index::{SectionText, section_text};
use crate::manifest::MOST_CHUNKS;
use crate::message;
use crate::ops::budget;
use crate::ops::page::IndexState;
use crate::ops::search::SearchType;
use crate::ops::{Facts, Tool};
use crate::page::{Lines, decode};
use crate::ports::{Embedder, TextKind};
use crate::search::{matches, rounded};
use crate::show::{Page, Span, counted};
use crate::{Error, Result, text};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Find passages of documents by meaning only, as chunks of text. Ask in natural language.")
        .tool(Tool::Set("documents"))
        .called("search")
        .quoting_pages();

/// The query.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A question or words, in natural language.
    pub query: String,
    /// Maximum number of chunks.
    #[schemars(range(min = 1, max = 100), extend("default" = 5))]
    pub top_k: Option<usize>,
}

/// The results.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Chunks, best first.
    pub results: Vec<Found>,
    /// What the results were ranked by: `vector`, or `fulltext_fallback`.
    pub search_type: SearchType,
    /// Limitations of the results, if any.
    pub note: Option<String>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A matching chunk.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    /// The document's path relative to the documents folder.
    pub document: String,
    /// Its text.
    pub chunk: String,
    /// Cosine similarity with the query, 0 to 1, four decimals; absent if found by words only.
    pub similarity: Option<f64>,
    /// Characters in the file before the chunk.
    pub position: usize,
    /// First line of the chunk in the file, from 1.
    pub line: usize,
}

/// Runs the query.
///
/// # Errors
/// [`Error::InvalidParams`] for values out of range, [`Error::Model`], [`Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let query = params.query.trim();
    if query.is_empty() {
        return Err(Error::invalid(message!("query is empty: give a question or words")));
    }
    let limit = budget::ranged("top_k", params.top_k, context.manifest.documents.top_k, 1, MOST_CHUNKS)?;
    let (chunks, missing) = match comparison(context, query)? {
        Comparison::Vector(embedder, vector) => (by_meaning(context, embedder, &vector, limit)?, None),
        Comparison::Words(why) => (by_words(context, query, limit)?, Some(why)),
    };
    let search_type = if missing.is_some() { SearchType::FulltextFallback } else { SearchType::Vector };
    let index = context.index_state()?;
    let note = match (missing, index.pending) {
        (Some(why), _) => Some(format!("found by words alone: {why}")),
        (None, 0) => None,
        (None, pending) => Some(format!(
            "{} yet, so they cannot be found by meaning",
            counted(pending, "section has no vector", "sections have no vectors")
        )),
    };
    Ok(Output { results: place(context, chunks)?, search_type, note, index })
}

/// How chunks are compared with the query.
enum Comparison<'a> {
    /// By the query's vector.
    Vector(&'a dyn Embedder, Vec<f32>),
    /// By words, for this reason.
    Words(String),
}

/// The query's vector, or the reason why vectors cannot be compared.
fn comparison<'a>(context: &Context<'a>, query: &str) -> Result<Comparison<'a>> {
    let Some(embedder) = context.embedder else {
        return Ok(Comparison::Words("there is no model on this machine".into()));
    };
    let query = text::read_part(query);
    let model = embedder.model();
    if !model.scripts.cover(query) {
        let why = format!("the model {} does not support the script of the query", model.name);
        return Ok(Comparison::Words(why));
    }
    if context.index.vectors(&model.identity)?.is_empty() {
        return Ok(Comparison::Words("there are no vectors yet".into()));
    }
    let vector = embedder.embed(TextKind::Query, &[query])?.pop();
    Ok(match vector {
        Some(vector) => Comparison::Vector(embedder, vector),
        None => Comparison::Words("the model gave no vector".into()),
    })
}

/// A chunk of a section.
struct Chunk {
    path: String,
    /// First line of the section.
    first_line: usize,
    /// Text of the section.
    text: String,
    range: Range<usize>,
    similarity: Option<f64>,
}

/// The chunks closest to `vector`.
fn by_meaning(
    context: &Context<'_>,
    embedder: &dyn Embedder,
    vector: &[f32],
    limit: usize,
) -> Result<Vec<Chunk>> {
    let matrix = context.index.vectors(&embedder.model().identity)?;
    let mut found = context.index.read(|db| {
        // The closest chunks are in the closest sections, so `limit` sections are enough.
        let closest = matrix.closest(db, vector, limit, |_| true)?;
        let mut parts: Vec<(usize, usize, f32)> = Vec::new();
        for (rank, section) in closest.sections.iter().enumerate() {
            let of_section = matrix.parts(db, vector, section.section)?;
            parts.extend(of_section.into_iter().map(|(middle, similarity)| (rank, middle, similarity)));
        }
        // The numbers of sections depend on when pages were added; their order does not.
        parts.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        parts.truncate(limit);
        let mut cut: HashMap<i64, Vec<Range<usize>>> = HashMap::new();
        let mut found = Vec::new();
        for (rank, middle, similarity) in parts {
            let Some(section) = closest.sections.get(rank).map(|close| close.section) else { continue };
            let Some((path, first_line)) = sections::place(db, section)? else { continue };
            let Some(SectionText { heading_path, text, chunk_size }) = section_text(db, section)? else {
                continue;
            };
            let ranges = match cut.entry(section) {
                std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::hash_map::Entry::Vacant(new) => {
                    new.insert(chunks(embedder, &heading_path, &text, chunk_size)?)
                }
            };
            // If the text changed since it was embedded, use the nearest piece instead.
            let same = ranges.iter().find(|range| range.start.midpoint(range.end) == middle);
            let around = || ranges.iter().find(|range| range.contains(&middle));
            let Some(range) = same.or_else(around).or(ranges.last()).cloned() else { continue };
            let similarity = Some(rounded(f64::from(similarity).clamp(0.0, 1.0)));
            found.push(Chunk { path, first_line, text, range, similarity });
        }
        Ok(found)
    })?;
    found.sort_by(|a, b| {
        let best = b.similarity.unwrap_or(0.0).total_cmp(&a.similarity.unwrap_or(0.0));
        best.then_with(|| (&a.path, a.first_line, a.range.start).cmp(&(&b.path, b.first_line, b.range.start)))
    });
    Ok(found)
}

/// The chunks whose words match best.
fn by_words(context: &Context<'_>, query: &str, limit: usize) -> Result<Vec<Chunk>> {
    let query = text::Query::parse(query);
    context.index.read(|db| {
        let mut found = Vec::new();
        for matched in matches(db, &query, limit, limit, None, context.index.index())? {
            let Some((path, first_line)) = sections::place(db, matched.section)? else { continue };
            let Some(SectionText { text, chunk_size, .. }) = section_text(db, matched.section)? else {
                continue;
            };
            let passage =
                sections::passage(db, matched.passage)?.map_or(0..text.len(), |passage| passage.bytes);
            let within = pieces(&text, chunk_size.or(Some(DEFAULT_PIECE)));
            let near =
                within.into_iter().filter(|piece| piece.start < passage.end && passage.start < piece.end);
            let words = |piece: &Range<usize>| {
                let piece = text.get(piece.clone()).unwrap_or_default();
                text::snippet(piece, &query, piece.len()).highlights.len()
            };
            // Of the pieces with the most matching words, use the first.
            let mut best: Option<(usize, Range<usize>)> = None;
            for piece in near {
                let count = words(&piece);
                if best.as_ref().is_none_or(|(most, _)| count > *most) {
                    best = Some((count, piece));
                }
            }
            if let Some((_, range)) = best {
                found.push(Chunk { path, first_line, text, range, similarity: None });
            }
        }
        Ok(found)
    })
}

/// Characters of a piece if no chunk size is set.
const DEFAULT_PIECE: usize = 2_000;

/// The chunks with their positions in the files.
fn place(context: &Context<'_>, chunks: Vec<Chunk>) -> Result<Vec<Found>> {
    let mut files: HashMap<String, (String, Lines)> = HashMap::new();
    let mut found = Vec::new();
    for Chunk { path, first_line, text, range, similarity } in chunks {
        context.cancel.check()?;
        if !files.contains_key(&path) {
            // If the file was deleted meanwhile, its chunks have no position.
            let bytes = context.source.read(&path).unwrap_or_default();
            let file = decode(&bytes).0.into_owned();
            let lines = Lines::new(&file);
            files.insert(path.clone(), (file, lines));
        }
        let Some((file, lines)) = files.get(&path) else { continue };
        let piece = text.get(range.clone()).unwrap_or_default();
        let blank = piece.len() - piece.trim_start().len();
        let at = section_start(file, lines, first_line, &text) + range.start + blank;
        let position = file.get(..at).unwrap_or(file).chars().count();
        let line = lines.line_of(at);
        found.push(Found { document: path, chunk: piece.trim().to_owned(), similarity, position, line });
    }
    Ok(found)
}

/// The byte offset in the file of the section that the index has at line `first_line`. If the file changed since,
/// the offset where its text is found now, if it is.
fn section_start(file: &str, lines: &Lines, first_line: usize, text: &str) -> usize {
    let noted = lines.start(first_line).unwrap_or(0);
    if file.get(noted..).is_some_and(|rest| rest.starts_with(text)) {
        return noted;
    }
    file.find(text).unwrap_or(noted)
}

/// Shows the text of the chunks.
pub fn show(output: &Output, page: &mut dyn Page) {
    for found in &output.results {
        let place = Span::Place(&found.document, found.line);
        match found.similarity.map(|one| format!("{one:.4}")) {
            Some(one) => {
                let similarity = message!("similarity {one}", one);
                page.heading(&[place, Span::Text("  "), Span::faint(&similarity)]);
            }
            None => page.heading(&[place]),
        }
        page.handle("position", &found.position.to_string());
        page.quote(&found.chunk, &[]);
    }
    let count = match output.results.len() {
        0 => {
            message!("nothing found; {list} lists the documents", list = Next::call("list_documents"))
        }
        count => counted(count, "chunk", "chunks"),
    };
    page.note(&[Span::said(&count)]);
    if let Some(note) = &output.note {
        page.note(&[Span::Text(note)]);
    }
}
