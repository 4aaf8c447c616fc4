//! Paths of files that are not links: entries of `source_refs` and `sources` in front matter, and blocks of code that show
//! code of the project.

use std::collections::{BTreeMap, BTreeSet};

use super::Edits;
use super::follow::{Follower, Parts, Wanted};
use crate::index::source_refs;
use crate::page::{FrontMatter, FrontText, LinkKind, Site, Syntax, front_texts, source_blocks};
use crate::{Result, okf, path};

/// The keys of references to files of the project.
const REFS: [&str; 2] = ["source_refs", "sourceRefs"];

impl Follower<'_, '_> {
    /// The edits of paths that are not links.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`], with the line, if one cannot be edited.
    pub(super) fn entries(&mut self, page: i64, old: &str, fields: &FrontMatter) -> Result<Edits> {
        let refs = self.changed_refs(fields, old)?;
        let resources = self.changed_resources(page, fields)?;
        let mut edits = Edits::new();
        if !refs.is_empty() || !resources.is_empty() {
            let texts = front_texts(old);
            let in_refs = |text: &FrontText| REFS.contains(&text.key.as_str()) && text.nearest == text.key;
            let in_sources = |text: &FrontText| {
                text.key == "sources" && (text.nearest == text.key || text.nearest == "resource")
            };
            for (entry, new) in refs {
                let named = |text: &&FrontText| in_refs(text) && path::source_entry(&text.value) == entry;
                self.put(page, old, &texts, (&entry, &new), &named, &mut edits)?;
            }
            for (entry, new) in resources {
                let named = |text: &&FrontText| in_sources(text) && text.value.trim() == entry;
                self.put(page, old, &texts, (&entry, &new), &named, &mut edits)?;
            }
        }
        let start = fields.range.end;
        for block in source_blocks(old.get(start..).unwrap_or_default()) {
            let Some(new) = self.moved_entry(&block.named)? else { continue };
            let entry = path::source_entry(&block.named);
            let above = old.get(..start).map_or(0, |above| above.matches('\n').count());
            let range = block.range.ok_or_else(|| self.refused(page, above + block.line))?;
            let end = start + range.end;
            edits.push((end - entry.len()..end, new));
        }
        Ok(edits)
    }

    /// Replaces an entry wherever these texts have it.
    fn put(
        &self,
        page: i64,
        old: &str,
        texts: &[FrontText],
        (entry, new): (&str, &str),
        named: &dyn Fn(&&FrontText) -> bool,
        edits: &mut Edits,
    ) -> Result<()> {
        let mut is_found = false;
        for text in texts.iter().filter(named) {
            is_found = true;
            let raw = old.get(text.range.clone()).unwrap_or_default();
            // Only the part that differs, if no character of it needs quotes that the text does not have.
            let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c) || entry.contains(c);
            let edit = match raw.find(entry).filter(|_| new.chars().all(is_plain)) {
                Some(at) => {
                    let start = text.range.start + at;
                    (start..start + entry.len(), new.to_owned())
                }
                None => (text.range.clone(), text.written(&text.value.replacen(entry, new, 1))),
            };
            edits.push(edit);
        }
        if is_found {
            return Ok(());
        }
        let line = old.lines().position(|line| line.contains(entry)).map_or(1, |at| at + 1);
        Err(self.refused(page, line))
    }

    /// Checks that the edited text, the latter of two with their front matter, names the files where they are.
    pub(super) fn prove_entries(
        &mut self,
        page: i64,
        (old, was): (&str, &FrontMatter),
        (new, is): (&str, &FrontMatter),
    ) -> Result<()> {
        let changed = self.changed_refs(was, old)?;
        let named = |text: &str, fields: &FrontMatter| source_refs(fields, text, &mut Vec::new());
        let follow = |entry: String| changed.get(&entry).cloned().unwrap_or(entry);
        let expected: BTreeSet<String> = named(old, was).into_iter().map(follow).collect();
        if expected != named(new, is).into_iter().collect() {
            return Err(self.refused(page, 1));
        }
        let changed = self.changed_resources(page, was)?;
        let follow = |entry: &str| changed.get(entry).cloned().unwrap_or_else(|| entry.to_owned());
        let expected: Vec<String> = okf::sources(&was.fields).into_iter().map(follow).collect();
        if expected != okf::sources(&is.fields) {
            return Err(self.refused(page, 1));
        }
        let blocks = |text: &str, start: usize| source_blocks(text.get(start..).unwrap_or_default());
        let (was, is) = (blocks(old, was.range.end), blocks(new, is.range.end));
        if was.len() != is.len() {
            return Err(self.refused(page, 1));
        }
        for (was, is) in was.iter().zip(&is) {
            let expected = self.moved_entry(&was.named)?;
            let expected = expected.as_deref().unwrap_or_else(|| path::source_entry(&was.named));
            if path::source_entry(&is.named) != expected {
                return Err(self.refused(page, 1));
            }
        }
        Ok(())
    }

    /// References to files in front matter that change, and what they become.
    fn changed_refs(&mut self, fields: &FrontMatter, text: &str) -> Result<BTreeMap<String, String>> {
        let mut changed = BTreeMap::new();
        for entry in source_refs(fields, text, &mut Vec::new()) {
            if let Some(new) = self.moved_entry(&entry)? {
                changed.insert(entry, new);
            }
        }
        Ok(changed)
    }

    /// The same for the resources of `sources`, which are read like Markdown links.
    fn changed_resources(&mut self, page: i64, fields: &FrontMatter) -> Result<BTreeMap<String, String>> {
        let mut changed = BTreeMap::new();
        for entry in okf::sources(&fields.fields) {
            let site = resource(entry);
            let want = self.wanted(page, &site)?;
            if self.leads_to(page, &site, &want)? {
                continue;
            }
            let new = self.resource_for(page, &site, &want)?;
            match new {
                Some(new) => drop(changed.insert(entry.to_owned(), new)),
                // It named something that does not exist.
                None if matches!(want, Wanted::Place(_)) => {}
                None => {
                    return Err(self.refused(page, 1));
                }
            }
        }
        Ok(changed)
    }

    fn resource_for(&mut self, page: i64, site: &Site, want: &Wanted) -> Result<Option<String>> {
        let Some(Parts { anchors, names, .. }) = self.parts(page, &site.target, site, want)? else {
            return Ok(None);
        };
        for name in names {
            for anchor in &anchors {
                let entry = format!("{name}{}", crate::page::percent_decoded(anchor));
                if okf::may_be_path(&entry) && self.leads_to(page, &resource(&entry), want)? {
                    return Ok(Some(entry));
                }
            }
        }
        Ok(None)
    }

    /// What an entry that names files by their paths in the project becomes, without `./` before it; `None` if it stays
    /// as it is.
    pub(crate) fn moved_entry(&mut self, written: &str) -> Result<Option<String>> {
        let entry = path::source_entry(written);
        if !path::is_inside(entry) {
            return Ok(None);
        }
        let cut = self.file_end(entry)?;
        let (file, rest) = entry.split_at(cut);
        let new = match self.renaming.anchors.get(entry) {
            Some(new) => Some(new.clone()),
            None if rest.is_empty() && !self.before.exists(file)? => self.moved_several(file),
            None => self.renaming.moves.moved(file).map(|moved| format!("{moved}{rest}")),
        };
        Ok(new.filter(|new| new != entry))
    }

    /// Where the path of the file in an entry ends.
    fn file_end(&mut self, entry: &str) -> Result<usize> {
        if !entry.contains('#') || self.before.exists(entry)? {
            return Ok(entry.len());
        }
        for (at, _) in entry.match_indices('#') {
            if self.before.exists(&entry[..at])? {
                return Ok(at);
            }
        }
        Ok(entry.len())
    }

    /// A folder, or the folder in which a glob begins, after the moves.
    fn moved_several(&self, entry: &str) -> Option<String> {
        let moves = &self.renaming.moves;
        let end = match entry.find(['*', '?', '[', '{']) {
            Some(glob) => entry.get(..glob)?.rfind('/')?,
            None => entry.trim_end_matches('/').len(),
        };
        let (folder, rest) = entry.split_at_checked(end)?;
        moves.moved(folder).map(|moved| format!("{moved}{rest}"))
    }
}

/// A resource, as a link.
fn resource(entry: &str) -> Site {
    Site {
        kind: LinkKind::Markdown,
        syntax: Syntax::Destination { angle: false },
        target: entry.to_owned(),
        name: entry.split('#').next().unwrap_or_default().trim().to_owned(),
        range: 0..entry.len(),
        whole: 0..entry.len(),
        shown: None,
        definition: false,
        line: 1,
    }
}
