//! Prints, for each page named on standard input, what speaks for each link that it lacks: the data that
//! the weights of suggestions are fitted on, see tests/bench/suggestions.
//!
//!     suggestion_features INDEX < PATHS
//!
//! One JSON object per line: `page` and `target` are paths, `values` stands in the order of
//! `ubp_core::suggest::NAMES`.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;

use ubp_core::index::Index;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::suggest::Suggester;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which index?")?;
    let (index, _) = Index::open(Path::new(&path))?;
    let mut out = BufWriter::new(io::stdout());
    index.read(|db| {
        let suggester = Suggester::load(db, &Silent, &Cancel::default())?;
        let path_of = |page: i64| -> rusqlite::Result<String> {
            db.query_row("SELECT path FROM pages WHERE page = ?1", [page], |row| row.get(0))
        };
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            let page: i64 =
                db.query_row("SELECT page FROM pages WHERE path = ?1", [&line], |row| row.get(0))?;
            for candidate in suggester.for_page(page) {
                let target = path_of(candidate.target)?;
                let values = candidate.evidence.values;
                let row = serde_json::json!({ "page": line, "target": target, "values": values });
                let _ = writeln!(out, "{row}");
            }
        }
        Ok(())
    })?;
    Ok(())
}
