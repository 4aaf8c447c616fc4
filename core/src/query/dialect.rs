//! DuckDB's SQL that SQLite lacks, and what to write instead: front matter was queried with DuckDB before.

use crate::message::Message;
use crate::{message, word};

/// A keyword or function in capitals, and what to write instead.
const WORDS: [(&str, &str); 12] = [
    ("UNNEST", word!("json_each(files.tags) gives a row for each item of a list")),
    ("FROM_JSON", word!("json_each(files.tags) gives a row for each item of a list")),
    ("LIST_CONTAINS", word!("use EXISTS (SELECT 1 FROM json_each(files.tags) WHERE value = 'x')")),
    ("ARRAY_LENGTH", word!("use json_array_length(tags)")),
    (
        "TRY_CAST",
        word!("use CAST(x AS INTEGER), which gives 0 for text that is not a number; dates compare as text"),
    ),
    ("DATE_TRUNC", word!("use substr(date, 1, 7) for the month, or strftime('%Y-%m', date)")),
    ("DATE_PART", word!("use strftime('%Y', date)")),
    ("STRPTIME", word!("dates compare as text; strftime() changes their form")),
    ("ILIKE", word!("use LIKE, which ignores the case of A to Z")),
    ("DESCRIBE", word!("SELECT * FROM files LIMIT 1 shows the columns")),
    ("SUMMARIZE", word!("SELECT * FROM files LIMIT 1 shows the columns")),
    ("EXCLUDE", word!("name the columns that you want")),
];

/// What to write instead of DuckDB's SQL in a statement that SQLite rejected.
pub(super) fn hint(sql: &str) -> Option<Message> {
    // No handwritten statement is longer.
    let sql = sql.get(..sql.floor_char_boundary(100_000)).unwrap_or(sql);
    if let Some(cast) = sql.split("::").nth(1) {
        let kind: String = cast.chars().take_while(char::is_ascii_alphabetic).take(20).collect();
        if !kind.is_empty() {
            return Some(message!("SQLite has no `::`: use CAST(x AS {kind})", kind = kind.to_uppercase()));
        }
    }
    let mut words = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let known = |word: &str| WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
    words.find_map(known).map(|(word, way)| {
        message!(
            "{word} is from DuckDB, and this is SQLite: {way}",
            word = word.to_ascii_lowercase(),
            way = Message::word(way)
        )
    })
}
