//! The tokens that the full text stores: FTS5's tokenizer divides and stems the terms of [`crate::text`]. Whoever
//! stores the full text elsewhere needs the same tokens.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::Result;

/// Maximum number of terms whose tokens are remembered.
const MOST: usize = 500_000;

/// FTS5's tokenizer, and the tokens of the terms it has seen.
pub struct Stemmer {
    db: Connection,
    known: HashMap<String, Vec<String>>,
}

impl Stemmer {
    /// A new tokenizer, in memory.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn new() -> Result<Self> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(
            "CREATE VIRTUAL TABLE terms USING fts5(
                 term, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
             );
             CREATE VIRTUAL TABLE tokens USING fts5vocab(terms, instance);",
        )?;
        Ok(Self { db, known: HashMap::new() })
    }

    /// The tokens of each of these texts, which are terms separated by spaces, in order.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn tokens(&mut self, texts: &[&str]) -> Result<Vec<Vec<String>>> {
        if self.known.len() > MOST {
            self.known.clear();
        }
        let mut new: Vec<&str> = texts
            .iter()
            .flat_map(|text| terms(text))
            .filter(|term| !self.known.contains_key(*term))
            .collect();
        new.sort_unstable();
        new.dedup();
        for (term, tokens) in new.iter().zip(self.divided(&new)?) {
            self.known.insert((*term).to_owned(), tokens);
        }
        let of =
            |text: &&str| terms(text).filter_map(|term| self.known.get(term)).flatten().cloned().collect();
        Ok(texts.iter().map(of).collect())
    }

    fn divided(&self, terms: &[&str]) -> Result<Vec<Vec<String>>> {
        let mut divided = vec![Vec::new(); terms.len()];
        if terms.is_empty() {
            return Ok(divided);
        }
        let whole = self.db.unchecked_transaction()?;
        let mut insert = whole.prepare_cached("INSERT INTO terms(rowid, term) VALUES (?1, ?2)")?;
        for (row, term) in (0_i64..).zip(terms) {
            insert.execute((row, term))?;
        }
        drop(insert);
        let mut places = Vec::new();
        let mut read = whole.prepare_cached("SELECT doc, offset, term FROM tokens")?;
        let mut rows = read.query([])?;
        while let Some(row) = rows.next()? {
            places.push((row.get::<_, usize>(0)?, row.get::<_, usize>(1)?, row.get::<_, String>(2)?));
        }
        drop(rows);
        drop(read);
        whole.execute("INSERT INTO terms(terms) VALUES ('delete-all')", [])?;
        whole.commit()?;
        places.sort_unstable();
        for (term, _, token) in places {
            if let Some(tokens) = divided.get_mut(term) {
                tokens.push(token);
            }
        }
        Ok(divided)
    }
}

fn terms(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|term| !term.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_divided_and_stemmed_as_in_the_full_text() {
        let mut stemmer = Stemmer::new().unwrap();
        let tokens = |stemmer: &mut Stemmer, text: &str| stemmer.tokens(&[text]).unwrap().concat();
        assert_eq!(tokens(&mut stemmer, " running runs  1.2 naïve"), ["run", "run", "1", "2", "naiv"]);
        assert_eq!(tokens(&mut stemmer, "公開 開鍵 runs"), ["公開", "開鍵", "run"]);
        assert_eq!(tokens(&mut stemmer, "\u{e000}"), ["\u{e000}"]);
        assert!(tokens(&mut stemmer, "").is_empty());
        assert_eq!(stemmer.tokens(&["a cat", "", "cats"]).unwrap(), [vec!["a", "cat"], vec![], vec!["cat"]]);
    }
}
