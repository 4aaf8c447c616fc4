//! Equal scores are ordered by the path of the page and the place in it, never by row numbers: those depend on the order
//! in which pages were indexed, which differs between two indexes of the same files.

use std::cmp::Ordering;

use rusqlite::Connection;

use super::statement::first;
use crate::Result;

/// Orders sections with equal scores. `of` returns the score and the section of an item; the items are sorted by score.
///
/// # Errors
/// [`crate::Error::Database`].
pub(crate) fn settle<T>(db: &Connection, items: &mut [T], of: fn(&T) -> (f64, i64)) -> Result<()> {
    let mut start = 0;
    // Of the items from `start` on, which are equal. Few items are, so inserting is faster than sorting.
    let mut places = Vec::new();
    for at in 1..items.len() {
        let ((score, section), (previous, before)) = (of(&items[at]), of(&items[at - 1]));
        if score.total_cmp(&previous) != Ordering::Equal {
            start = at;
            places.clear();
            continue;
        }
        if places.is_empty() {
            places.push(place(db, before)?);
        }
        let own = place(db, section)?;
        let to = places.partition_point(|other| *other <= own);
        places.insert(to, own);
        items[start + to..=at].rotate_right(1);
    }
    Ok(())
}

/// The path of a section's page, and its number there; `None` if it was deleted meanwhile.
fn place(db: &Connection, section: i64) -> Result<Option<(String, i64)>> {
    first(db, "SELECT path, ordinal FROM sections JOIN pages USING (page) WHERE section = ?1", [section])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::index::tests::Project;

    #[test]
    fn equal_scores_are_ordered_by_path_whenever_the_pages_were_indexed() {
        let words = "# Same\n\nThe same words on every page.\n";
        let project = Project::with_pages([]);
        for page in ["c.md", "a.md", "b/x.md", "b.md"] {
            project.put(page, words);
            project.update();
        }
        for limit in 1..=4 {
            for mode in ["fulltext", "vector", "hybrid"] {
                let params =
                    serde_json::json!({ "query": "words on every page", "mode": mode, "limit": limit });
                let found = project.context().call("search", params).unwrap();
                let found = found["results"].as_array().unwrap().iter();
                let paths: Vec<&str> = found.map(|hit| hit["filepath"].as_str().unwrap()).collect();
                assert_eq!(paths, ["a.md", "b.md", "b/x.md", "c.md"][..limit], "{mode}");
            }
            let params = serde_json::json!({ "query": "same", "limit": limit });
            let found = project.context().call("fulltext_search", params).unwrap();
            let found = found["results"].as_array().unwrap().iter();
            let paths: Vec<&str> = found.map(|hit| hit["filepath"].as_str().unwrap()).collect();
            assert_eq!(paths, ["a.md", "b.md", "b/x.md", "c.md"][..limit]);
        }
    }
}
