//! Vectors in one block of memory that needs no decoding: the same bytes in a file that processes share and in a
//! process's own memory, on every machine, at any address.
//!
//! A header, then one record per vector, sorted by section: section, page, scale, error, and the vector's numbers.

use std::collections::BTreeSet;

use rusqlite::{Connection, Row};

use crate::Result;
use crate::index::statement::all;
use crate::index::vector_state::VectorState;

/// The first bytes. Incremented whenever the format changes.
const MAGIC: &[u8; 8] = b"UBPvec\x001";
/// Size of the header in bytes: magic, name of the state and dimensions, padded to a cache line.
const HEADER: usize = 64;
/// Size in bytes of the fields before a vector's numbers.
const LEAD: usize = 24;

fn header(dimensions: usize, state: Option<&VectorState>) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(state.map_or("", VectorState::name).as_bytes());
    header.extend_from_slice(&(dimensions as u64).to_le_bytes());
    header.resize(HEADER, 0);
    header
}

/// Whether `bytes` are records of vectors with these dimensions, in this state of the index.
pub(super) fn are(bytes: &[u8], dimensions: usize, state: &VectorState) -> bool {
    bytes
        .strip_prefix(header(dimensions, Some(state)).as_slice())
        .is_some_and(|records| records.len() % (LEAD + dimensions) == 0)
}

/// Reads the vectors of a model from the index, as records.
pub(super) fn read(
    db: &Connection,
    model: i64,
    dimensions: usize,
    state: Option<&VectorState>,
) -> Result<Vec<u8>> {
    // Reserved in one step: growing would copy everything several times, and need twice the memory.
    let count: usize = db.query_row("SELECT count(*) FROM section_vectors", [], |row| row.get(0))?;
    let mut bytes = Vec::new();
    bytes.reserve_exact(HEADER + count * (LEAD + dimensions));
    bytes.extend(header(dimensions, state));
    // Sections that were not embedded again yet still have vectors of the former model.
    let mut statement = db.prepare_cached(
        "SELECT section, page, scale, error, rounded FROM section_vectors
         WHERE model = ?1 AND scale IS NOT NULL ORDER BY section, ordinal",
    )?;
    let mut rows = statement.query([model])?;
    while let Some(row) = rows.next()? {
        append(&mut bytes, row, dimensions)?;
    }
    Ok(bytes)
}

/// Reads the vectors of a model on some pages, as records.
pub(super) fn read_pages(
    db: &Connection,
    model: i64,
    dimensions: usize,
    pages: &BTreeSet<i64>,
) -> Result<Vec<u8>> {
    let mut sections: Vec<i64> = Vec::new();
    for page in pages {
        let of_page: Vec<i64> = all(db, "SELECT section FROM sections WHERE page = ?1", [page])?;
        sections.extend(of_page);
    }
    sections.sort_unstable();
    let mut bytes = header(dimensions, None);
    let mut statement = db.prepare_cached(
        "SELECT section, page, scale, error, rounded FROM section_vectors
         WHERE section = ?2 AND model = ?1 AND scale IS NOT NULL ORDER BY ordinal",
    )?;
    for section in sections {
        let mut rows = statement.query((model, section))?;
        while let Some(row) = rows.next()? {
            append(&mut bytes, row, dimensions)?;
        }
    }
    Ok(bytes)
}

fn append(bytes: &mut Vec<u8>, row: &Row<'_>, dimensions: usize) -> Result<()> {
    let numbers = row.get_ref(4)?.as_blob().map_err(rusqlite::Error::from)?;
    if numbers.len() == dimensions {
        bytes.extend_from_slice(&row.get::<_, i64>(0)?.to_le_bytes());
        bytes.extend_from_slice(&row.get::<_, i64>(1)?.to_le_bytes());
        bytes.extend_from_slice(&row.get::<_, f32>(2)?.to_le_bytes());
        bytes.extend_from_slice(&row.get::<_, f32>(3)?.to_le_bytes());
        bytes.extend_from_slice(numbers);
    }
    Ok(())
}

/// A vector and its section.
pub(super) struct Record<'a> {
    pub section: i64,
    pub page: i64,
    pub scale: f32,
    /// Length of the rounding error.
    pub error: f32,
    /// Multiples of the scale, in two's complement.
    pub numbers: &'a [u8],
}

impl<'a> Record<'a> {
    /// The vector, with its rounding errors.
    pub(super) fn numbers(&self) -> Vec<f32> {
        self.numbers.iter().map(|number| f32::from(number.cast_signed()) * self.scale).collect()
    }

    #[inline]
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let (section, rest) = bytes.split_first_chunk()?;
        let (page, rest) = rest.split_first_chunk()?;
        let (scale, rest) = rest.split_first_chunk()?;
        let (error, numbers) = rest.split_first_chunk()?;
        Some(Self {
            section: i64::from_le_bytes(*section),
            page: i64::from_le_bytes(*page),
            scale: f32::from_le_bytes(*scale),
            error: f32::from_le_bytes(*error),
            numbers,
        })
    }
}

/// Bytes interpreted as records.
#[derive(Clone, Copy)]
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    /// Size of a record in bytes.
    length: usize,
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8], dimensions: usize) -> Self {
        Self { bytes: bytes.get(HEADER..).unwrap_or_default(), length: LEAD + dimensions }
    }

    pub(super) fn len(self) -> usize {
        self.bytes.len() / self.length
    }

    pub(super) fn get(self, at: usize) -> Option<Record<'a>> {
        self.bytes.get(at * self.length..).and_then(|bytes| bytes.get(..self.length)).and_then(Record::new)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Record<'a>> {
        self.bytes.chunks_exact(self.length).filter_map(Record::new)
    }

    /// The records of one section.
    pub(super) fn of(self, section: i64) -> impl Iterator<Item = Record<'a>> {
        let (mut first, mut end) = (0, self.len());
        while first < end {
            let middle = first.midpoint(end);
            match self.get(middle) {
                Some(record) if record.section < section => first = middle + 1,
                _ => end = middle,
            }
        }
        (first..).map_while(move |at| self.get(at)).take_while(move |record| record.section == section)
    }
}
