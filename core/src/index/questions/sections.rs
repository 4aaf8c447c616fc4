//! Questions about the sections of pages, and about the passages of those that are long.

use std::ops::Range;

use rusqlite::Connection;

use super::{Columns, Read, all, each, first, one, rows};
use crate::Result;

rows! {
    /// A section.
    SectionRow {
        section_id: String,
        /// The headings above it and its own.
        heading_path: Vec<String>,
        /// 0 before the first heading.
        level: u8,
        /// First and last line of the file, from 1.
        lines: (usize, usize),
        /// Empty in an outline.
        text: String,
    }
    /// A part of a section.
    Passage {
        /// Bytes of the section's text.
        bytes: Range<usize>,
        /// First and last line, counted from the section's first, which is 0.
        lines: (usize, usize),
    }
}

impl Read<'_> for Range<usize> {
    fn read(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        Ok(columns.read()?..columns.read()?)
    }
}

questions! {
    /// The sections of a page, in their order.
    of_page(page: i64) -> Vec<SectionRow> = all
        "SELECT section_id, heading_path, level, first_line, last_line, text FROM sections
         WHERE page = ?1 ORDER BY ordinal";
    /// The sections of a page, in their order, without their texts.
    outline(page: i64) -> Vec<SectionRow> = all
        "SELECT section_id, heading_path, level, first_line, last_line, '' FROM sections
         WHERE page = ?1 ORDER BY ordinal";
    /// The section with this number, where it is still there.
    row(section: i64) -> Option<SectionRow> = first
        "SELECT section_id, heading_path, level, first_line, last_line, text FROM sections WHERE section = ?1";
    /// The id of a section.
    id(section: i64) -> String = one "SELECT section_id FROM sections WHERE section = ?1";
    /// The headings above a section and its own.
    heading_path(section: i64) -> Vec<String> = one "SELECT heading_path FROM sections WHERE section = ?1";
    /// The path of a section's page, and its first line there, where it is still there.
    #[cfg(not(target_family = "wasm"))]
    place(section: i64) -> Option<(String, usize)> = first
        "SELECT path, first_line FROM sections JOIN pages USING (page) WHERE section = ?1";
    /// The first section of a page; 0 where it has none.
    first_of(page: i64) -> i64 = one
        "SELECT coalesce(min(section), 0) FROM sections WHERE page = ?1 AND ordinal = 0";
    /// The texts of a page's sections, in their order.
    texts(page: i64) -> Vec<String> = all "SELECT text FROM sections WHERE page = ?1 ORDER BY ordinal";
    /// The texts of a page's first sections, in their order.
    first_texts(page: i64, most: usize) -> Vec<String> = all
        "SELECT text FROM sections WHERE page = ?1 ORDER BY ordinal LIMIT ?2";
    /// The passage with this row in the full text; `None` when it is a whole section.
    passage(row: i64) -> Option<Passage> = first
        "SELECT first_byte, last_byte, first_line, last_line FROM passages WHERE passage = ?1";
    /// The rows of a section's passages in the full text and their first bytes, in their order.
    passages(section: i64) -> Vec<(i64, usize)> = all
        "SELECT passage, first_byte FROM passages WHERE section = ?1 ORDER BY first_byte";
}

visits! {
    /// Page, id, headings in JSON and text of every section, by page, in their order.
    each_section() -> i64, &str, &str, &str =
        "SELECT page, section_id, heading_path, text FROM sections ORDER BY page, ordinal";
}
