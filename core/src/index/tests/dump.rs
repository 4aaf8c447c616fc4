//! The whole content of an index, without numbers that depend on the order of its changes.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::found;
use crate::index::Index;

/// Queries whose results, including scores, are part of the dump.
const QUERIES: [&str; 6] =
    ["session token", "\"login flow\"", "認証", "src/auth/login.ts", "overview", "how does the token expire"];

/// One fact per line, sorted.
pub(crate) fn dump(index: &Index) -> Vec<String> {
    index
        .read(|db| {
            let mut lines = Vec::new();
            for (name, sql) in TABLES {
                rows(db, name, sql, &mut lines);
            }
            db.execute_batch(
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'fulltext', 'instance')",
            )?;
            rows(db, "word", WORDS, &mut lines);
            for query in QUERIES {
                lines.extend(found(index, db, query).into_iter().map(|hit| format!("search {query}: {hit}")));
            }
            lines.sort_unstable();
            Ok(lines)
        })
        .unwrap()
}

const WORDS: &str = "SELECT path, section_id, coalesce(first_byte, 0), col, offset, term FROM temp.words
     LEFT JOIN passages ON passage = doc
     JOIN sections ON sections.section = coalesce(passages.section, doc) JOIN pages USING (page)";

const TABLES: [(&str, &str); 13] = [
    (
        "page",
        "SELECT path, doc_id, own_id, title, doc_type, created_at, updated_at, size, modified, fingerprint, hash,
                front_matter, diagnostics FROM pages JOIN page_files USING (page)",
    ),
    (
        "section",
        "SELECT path, ordinal, section_id, level, first_line, last_line, heading_path, vector_model IS NOT NULL, text
         FROM sections JOIN pages USING (page)",
    ),
    (
        "passage",
        "SELECT path, section_id, passage = section, first_byte, last_byte, passages.first_line, passages.last_line
         FROM passages JOIN sections USING (section) JOIN pages USING (page)",
    ),
    (
        "vector",
        "SELECT path, section_id, section_vectors.ordinal, middle, identity, hex(data), scale, error,
                hex(rounded), section_vectors.page = sections.page, section_vectors.model = vectors.model
         FROM section_vectors JOIN sections USING (section) JOIN pages ON pages.page = sections.page JOIN vectors USING (vector)
         JOIN models ON models.model = vectors.model",
    ),
    ("title terms", "SELECT path, terms FROM title_terms JOIN pages USING (page)"),
    ("name", "SELECT path, key, kind FROM names JOIN pages USING (page)"),
    ("alias", "SELECT path, alias FROM aliases JOIN pages USING (page)"),
    ("tag", "SELECT path, tag, key FROM tags JOIN pages USING (page)"),
    ("anchor", "SELECT path, key FROM anchors JOIN pages USING (page)"),
    (
        "link",
        "SELECT pages.path, line, kind, link_type, target, text, context, state, other.path, source, anchor, ambiguous
         FROM links JOIN pages USING (page) LEFT JOIN pages AS other ON other.page = target_page",
    ),
    (
        "link key",
        "SELECT path, line, target, key FROM link_keys JOIN links USING (link) JOIN pages USING (page)",
    ),
    ("expiry", "SELECT path, time FROM expiries JOIN pages USING (page)"),
    ("source", "SELECT path, source, line FROM source_refs JOIN pages USING (page)"),
];

fn rows(db: &Connection, name: &str, sql: &str, lines: &mut Vec<String>) {
    let mut statement = db.prepare(sql).unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let mut line = name.to_owned();
        for column in 0..columns {
            line += match row.get_ref(column).unwrap() {
                ValueRef::Null => " -".into(),
                ValueRef::Integer(number) => format!(" {number}"),
                ValueRef::Real(number) => format!(" {number}"),
                ValueRef::Text(text) => format!(" {:?}", String::from_utf8_lossy(text)),
                ValueRef::Blob(bytes) => format!(" {bytes:02x?}"),
            }
            .as_str();
        }
        lines.push(line);
    }
}
