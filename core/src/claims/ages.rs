//! How old lines are.

use std::collections::BTreeMap;

use super::extract::Claim;
use super::past::Gone;
use super::survey::Claiming;
use crate::page::decode;
use crate::ports::FileVersion;
use crate::{Context, Result};

/// Maximum claims whose page is looked up in the history, which takes several processes for each.
const MOST_LOOKED_UP: usize = 200;

/// Maximum versions of a page that are listed.
const MOST_VERSIONS: usize = 1_000;

/// When lines were written.
pub(super) struct Ages<'a> {
    context: &'a Context<'a>,
    versions: BTreeMap<String, Vec<FileVersion>>,
    looked_up: usize,
}

impl<'a> Ages<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self { context, versions: BTreeMap::new(), looked_up: 0 }
    }

    /// Whether the line of a claim is older than what took the thing away, so that it did not speak of the past.
    pub(super) fn is_older(&mut self, page: &Claiming, claim: &Claim, gone: &Gone) -> Result<bool> {
        let Ok(bytes) = self.context.source.read(&page.page) else { return Ok(false) };
        let (text, _) = decode(&bytes);
        let Some(line) = text.lines().nth(claim.line - 1).map(str::trim) else { return Ok(false) };
        if self.looked_up == MOST_LOOKED_UP {
            return Ok(false);
        }
        self.looked_up += 1;
        if !self.versions.contains_key(&page.file) {
            let versions = self.context.history.versions(&page.file, MOST_VERSIONS)?;
            self.versions.insert(page.file.clone(), versions);
        }
        let versions = self.versions.get(&page.file).map(Vec::as_slice).unwrap_or_default();
        let before = versions.iter().find(|version| match &gone.revision {
            Some(revision) => {
                version.commit.id != revision.commit.id && version.commit.time <= revision.commit.time
            }
            None => true,
        });
        let Some(version) = before.filter(|version| !version.is_boundary) else { return Ok(false) };
        let Some(bytes) = self.context.history.read_at(&version.commit.id, &version.path)? else {
            return Ok(false);
        };
        let (text, _) = decode(&bytes);
        Ok(text.lines().any(|old| old.trim() == line))
    }
}
