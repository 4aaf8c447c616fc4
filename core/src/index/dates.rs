//! Dates of pages from version control, which are better than those of the file system: after a clone, every file is as
//! new as the clone.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Index;
use crate::Result;

/// Sets the dates of the pages at these paths, except those that their front matter sets.
pub(crate) fn date(index: &Index, commits: &BTreeMap<String, Timestamp>) -> Result<()> {
    if commits.is_empty() {
        return Ok(());
    }
    index.write(|db| {
        for (column, keys) in [("updated_at", ["updated_at", "updatedAt", "updated"]), ("created_at", ["created_at", "createdAt", "created"])] {
            let [first, second, third] = keys.map(|key| format!("front_matter ->> '$.{key}'"));
            let mut statement = db.prepare(&format!(
                "UPDATE pages SET {column} = ?2 WHERE path = ?1 AND coalesce({first}, {second}, {third}) IS NULL"
            ))?;
            for (path, time) in commits {
                statement.execute((path, time.to_string()))?;
            }
        }
        Ok(())
    })
}
