//! Opening an index from bytes, which bytes are rejected, and reuse of prepared statements.
#![allow(clippy::unwrap_used)]

use rusqlite::StatementStatus;

use super::*;
use crate::index::tests::Project;

impl Index {
    /// The content of this index as a file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        lock(&self.writer).serialize("main").unwrap().to_vec()
    }

    /// Whether vectors are cached in memory.
    pub(crate) fn holds_vectors(&self) -> bool {
        self.matrix.entry().is_some()
    }
}

/// The bytes of an index file with two pages.
fn file() -> Vec<u8> {
    let pages = [("a.md", "# A\n\nsee [[b]]\n"), ("b.md", "# B\n\nwords\n")];
    Project::with_pages(pages).index.to_bytes()
}

fn opened(bytes: &[u8]) -> Result<Index> {
    Index::from_bytes(bytes, bytes.len())
}

#[test]
fn an_index_opened_from_bytes_is_read_only() {
    let mut bytes = file();
    for wal in [false, true] {
        if wal {
            bytes[FILE_FORMAT].fill(2);
        }
        let index = opened(&bytes).unwrap();
        assert_eq!(index.view().graph().unwrap().edge_count(), 1);
        let pages: i64 =
            index.read(|db| Ok(db.query_row("SELECT count(*) FROM pages", [], |row| row.get(0))?)).unwrap();
        assert_eq!(pages, 2);
        assert_eq!(
            index.write(|db| Ok(db.execute("DELETE FROM pages", [])?)).unwrap_err().code(),
            "database"
        );
    }
}

#[test]
fn bytes_that_are_not_an_index_are_rejected() {
    let bytes = file();
    let with = |at: usize, values: [u8; 4]| {
        let mut changed = bytes.clone();
        changed[at..at + 4].copy_from_slice(&values);
        changed
    };
    let empty = {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("VACUUM").unwrap();
        connection.serialize("main").unwrap().to_vec()
    };
    for (what, unusable) in [
        ("nothing", Vec::new()),
        ("text", b"not a database".to_vec()),
        ("zeros", vec![0; 4096]),
        ("a header", bytes[..HEADER].to_vec()),
        ("half", bytes[..bytes.len() / 2].to_vec()),
        ("another schema", with(60, [0, 0, 99, 99])),
        ("another program's", with(68, [1, 2, 3, 4])),
        ("an empty database", empty),
    ] {
        let error = opened(&unusable).err().unwrap();
        assert_eq!(error.code(), "invalid_params", "{what}: {error}");
    }
    // Fewer bytes than the given length.
    assert!(Index::from_bytes(&bytes[..200], bytes.len()).is_err());
}

#[test]
fn a_join_is_not_planned_again_for_other_parameters() {
    let text = |page: usize| format!("# Page {page}\n\nsee [[p{}]]\n", page * 7 % 40);
    let pages: Vec<(String, String)> = (0..40).map(|page| (format!("p{page}.md"), text(page))).collect();
    let index = Project::with_pages(pages.iter().map(|(path, text)| (path.as_str(), text.as_str()))).index;
    let planned_again = index.read(|db| {
        let mut statement = db.prepare("SELECT path FROM links JOIN pages USING (page) WHERE link = ?1")?;
        for link in 1..40_i64 {
            statement.query_row([link], |row| row.get::<_, String>(0))?;
        }
        Ok(statement.get_status(StatementStatus::RePrepare))
    });
    assert_eq!(planned_again.unwrap(), 0);
}
