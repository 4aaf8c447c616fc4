//! Queries about sections, and about the passages of long sections.

use std::ops::Range;

use rusqlite::Connection;

use super::{Columns, Read, all, each, first, one, rows};
use crate::Result;

rows! {
    /// A section.
    SectionRow {
        section_id: String,
        /// Headings from the top level down to its own.
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
        /// Byte range in the section's text.
        bytes: Range<usize>,
        /// First and last line, counted from 0 at the section's first line.
        lines: (usize, usize),
    }
}

impl Read<'_> for Range<usize> {
    fn read(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        Ok(columns.read()?..columns.read()?)
    }
}

questions! {
    /// The sections of a page, in order.
    of_page(page: i64) -> Vec<SectionRow> = all
        "SELECT section_id, heading_path, level, first_line, last_line, text FROM sections
         WHERE page = ?1 ORDER BY ordinal";
    /// The sections of a page, in order, without their texts.
    outline(page: i64) -> Vec<SectionRow> = all
        "SELECT section_id, heading_path, level, first_line, last_line, '' FROM sections
         WHERE page = ?1 ORDER BY ordinal";
    /// The section with this number, if it still exists.
    row(section: i64) -> Option<SectionRow> = first
        "SELECT section_id, heading_path, level, first_line, last_line, text FROM sections WHERE section = ?1";
    /// The id of a section.
    id(section: i64) -> String = one "SELECT section_id FROM sections WHERE section = ?1";
    /// The headings from the top level down to the section's own.
    heading_path(section: i64) -> Vec<String> = one "SELECT heading_path FROM sections WHERE section = ?1";
    /// The path of a section's page and the section's first line, if it still exists.
    #[cfg(not(target_family = "wasm"))]
    place(section: i64) -> Option<(String, usize)> = first
        "SELECT path, first_line FROM sections JOIN pages USING (page) WHERE section = ?1";
    /// The first section of a page; 0 if it has none.
    first_of(page: i64) -> i64 = one
        "SELECT coalesce(min(section), 0) FROM sections WHERE page = ?1 AND ordinal = 0";
    /// The texts of a page's sections, in order.
    texts(page: i64) -> Vec<String> = all "SELECT text FROM sections WHERE page = ?1 ORDER BY ordinal";
    /// The texts of a page's first sections, in order.
    first_texts(page: i64, most: usize) -> Vec<String> = all
        "SELECT text FROM sections WHERE page = ?1 ORDER BY ordinal LIMIT ?2";
    /// The passage in this full-text row; `None` if the row is a whole section.
    passage(row: i64) -> Option<Passage> = first
        "SELECT first_byte, last_byte, first_line, last_line FROM passages WHERE passage = ?1";
    /// Full-text row and first byte of each passage of a section, in order.
    passages(section: i64) -> Vec<(i64, usize)> = all
        "SELECT passage, first_byte FROM passages WHERE section = ?1 ORDER BY first_byte";
}

visits! {
    /// Page, id, headings in JSON and text of every section, in order.
    each_section() -> i64, &str, &str, &str =
        "SELECT page, section_id, heading_path, text FROM sections ORDER BY page, ordinal";
    /// Page and heading of every section that has one, in order.
    #[cfg(not(target_family = "wasm"))]
    each_heading() -> i64, String =
        "SELECT page, heading_path ->> '$[#-1]' FROM sections WHERE level > 0 ORDER BY page, ordinal";
}
