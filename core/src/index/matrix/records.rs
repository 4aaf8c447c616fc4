//! Vectors one behind the other in a piece of memory that needs no making: the same in a file that
//! processes share and in memory of one's own, on every machine, at any address.
//!
//! A header, then a record for every vector, by number of the section: numbers of section and page, scale,
//! error, and the vector's numbers.

use rusqlite::Connection;

use crate::Result;
use crate::index::vector_state::VectorState;

/// What the bytes begin with. Raised with any change of what follows.
const MAGIC: &[u8; 8] = b"UBPvec\x001";
/// The magic, the name of the state, dimensions, and room up to a full line of memory.
const HEADER: usize = 64;
/// What stands before the numbers of a vector.
const LEAD: usize = 24;

fn header(dimensions: usize, state: Option<&VectorState>) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(state.map_or("", VectorState::name).as_bytes());
    header.extend_from_slice(&(dimensions as u64).to_le_bytes());
    header.resize(HEADER, 0);
    header
}

/// Whether `bytes` are records of vectors with so many dimensions, made in that state.
pub(super) fn are(bytes: &[u8], dimensions: usize, state: &VectorState) -> bool {
    bytes
        .strip_prefix(header(dimensions, Some(state)).as_slice())
        .is_some_and(|records| records.len() % (LEAD + dimensions) == 0)
}

/// The vectors of the model with this number.
pub(super) fn read(
    db: &Connection,
    model: i64,
    dimensions: usize,
    state: Option<&VectorState>,
) -> Result<Vec<u8>> {
    // Asked for at once: growing would copy everything several times, and need twice the memory.
    let count: usize = db.query_row("SELECT count(*) FROM section_vectors", [], |row| row.get(0))?;
    let mut bytes = Vec::new();
    bytes.reserve_exact(HEADER + count * (LEAD + dimensions));
    bytes.extend(header(dimensions, state));
    // A vector of another model stands there until the section is embedded again.
    let mut statement = db.prepare_cached(
        "SELECT section, page, scale, error, rounded FROM section_vectors
         WHERE model = ?1 AND scale IS NOT NULL ORDER BY section, ordinal",
    )?;
    let mut rows = statement.query([model])?;
    while let Some(row) = rows.next()? {
        let numbers = row.get_ref(4)?.as_blob().map_err(rusqlite::Error::from)?;
        if numbers.len() != dimensions {
            continue;
        }
        bytes.extend_from_slice(&row.get::<_, i64>(0)?.to_le_bytes());
        bytes.extend_from_slice(&row.get::<_, i64>(1)?.to_le_bytes());
        bytes.extend_from_slice(&row.get::<_, f32>(2)?.to_le_bytes());
        bytes.extend_from_slice(&row.get::<_, f32>(3)?.to_le_bytes());
        bytes.extend_from_slice(numbers);
    }
    Ok(bytes)
}

/// One vector, with the section that it is of.
pub(super) struct Record<'a> {
    pub section: i64,
    pub page: i64,
    pub scale: f32,
    /// Length of what rounding took away.
    pub error: f32,
    /// To be multiplied with the scale; two's complement.
    pub numbers: &'a [u8],
}

impl<'a> Record<'a> {
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

/// Bytes, read as records.
#[derive(Clone, Copy)]
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    /// Bytes of one.
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

    /// Those of one section.
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
