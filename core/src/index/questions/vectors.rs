//! Queries about vectors.

use rusqlite::Connection;

use super::{each, first, one};
use crate::Result;

questions! {
    /// The vector of a text in a model, by the text's hash.
    known(identity: &str, hash: [u8; 32]) -> Option<Vec<u8>> = first
        "SELECT data FROM vectors JOIN models USING (model) WHERE identity = ?1 AND hash = ?2";
    /// Number of sections with vectors.
    section_count() -> usize = one "SELECT count(DISTINCT section) FROM section_vectors";
    /// Number of pages with at least one vector of a model.
    #[cfg(not(target_family = "wasm"))]
    page_count(identity: &str) -> usize = one
        "SELECT count(DISTINCT page) FROM section_vectors
         WHERE model = (SELECT model FROM models WHERE identity = ?1)";
    /// Whether a page has text but no vectors.
    #[cfg(not(target_family = "wasm"))]
    are_missing(page: i64) -> bool = one
        "SELECT EXISTS (SELECT 1 FROM sections WHERE page = ?1)
         AND NOT EXISTS (SELECT 1 FROM section_vectors JOIN sections USING (section) WHERE sections.page = ?1)";
    /// The model with the most vectors of a page: its number and its identity.
    model_of(page: i64) -> Option<(i64, String)> = first
        "SELECT models.model, identity FROM sections JOIN section_vectors USING (section)
         JOIN models ON models.model = section_vectors.model
         WHERE sections.page = ?1 GROUP BY models.model ORDER BY count(*) DESC, models.model LIMIT 1";
}

visits! {
    /// Scale and rounded numbers of every vector of a page by a model, in the order of the index.
    each_rounded_of(page: i64, model: i64) -> f32, &[u8] =
        "SELECT scale, rounded FROM sections JOIN section_vectors USING (section)
         WHERE sections.page = ?1 AND model = ?2 AND scale IS NOT NULL ORDER BY section, section_vectors.ordinal";
    /// Page, scale and rounded numbers of every vector of the model with the most sections, by page.
    each_rounded() -> i64, f32, &[u8] =
        "SELECT page, scale, rounded FROM section_vectors
         WHERE scale IS NOT NULL AND model =
            (SELECT model FROM section_vectors GROUP BY model ORDER BY count(*) DESC, model LIMIT 1)
         ORDER BY page, section, ordinal";
    /// Page and vector of every vector of the model, by page.
    #[cfg(not(target_family = "wasm"))]
    each_of_pages(identity: &str) -> i64, &[u8] =
        "SELECT section_vectors.page, vectors.data FROM section_vectors JOIN vectors USING (vector)
         WHERE vectors.model = (SELECT model FROM models WHERE identity = ?1) ORDER BY section_vectors.page";
    /// Middle and vector of every vector of a section in the model.
    each_of_section(section: i64, identity: &str) -> usize, &[u8] =
        "SELECT middle, data FROM section_vectors JOIN vectors USING (vector)
         WHERE section = ?1 AND vectors.model = (SELECT model FROM models WHERE identity = ?2)";
}
