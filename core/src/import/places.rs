//! Gives every imported or attached file a path: valid on every system, in composed Unicode form, and different from all others even
//! where letter case does not count.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization as _;

use crate::{path, text};

/// The paths that are taken.
#[derive(Debug, Default)]
pub(crate) struct Places {
    taken: HashSet<String>,
}

impl Places {
    /// With these paths taken.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn without<'p>(taken: impl IntoIterator<Item = &'p str>) -> Self {
        Self { taken: taken.into_iter().map(text::fold_key).collect() }
    }

    /// Takes the path of a file called `stem`, with `ending` (which has its dot, or is empty), in `folder`. If it is
    /// taken, a number is added.
    pub(crate) fn take(&mut self, folder: &str, stem: &str, ending: &str) -> String {
        let place = |stem: &str| {
            if folder.is_empty() { format!("{stem}{ending}") } else { format!("{folder}/{stem}{ending}") }
        };
        let mut number = 1;
        let mut found = place(stem);
        while !self.taken.insert(text::fold_key(&found)) {
            number += 1;
            found = place(&format!("{stem} {number}"));
        }
        found
    }

    /// As [`Places::take`], for a file whose name is kept as far as it is valid.
    pub(super) fn take_file(&mut self, folder: &str, name: &str) -> String {
        let name = valid_name(name);
        match name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
            Some((stem, ending)) => self.take(folder, stem, &format!(".{ending}")),
            None => self.take(folder, &name, ""),
        }
    }
}

/// Most file systems allow 255 bytes, including a number and the ending of temporary files.
const LONGEST: usize = 200;

/// The name of a file or folder with characters replaced that are forbidden on any system.
pub(super) fn valid_name(name: &str) -> String {
    let composed: String =
        name.nfc().map(|c| if c.is_control() || r#"<>:"/\|?*"#.contains(c) { '-' } else { c }).collect();
    let trimmed = composed.trim().trim_end_matches(['.', ' ']);
    let (stem, ending) =
        trimmed.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).unwrap_or((trimmed, ""));
    // Reserved names are reserved with any ending.
    let safe = path::file_name_for(stem);
    let stem = if safe.strip_suffix('-') == Some(stem) || stem.is_empty() { &safe } else { stem };
    let ending = if ending.is_empty() { String::new() } else { format!(".{ending}") };
    let mut stem = stem.to_owned();
    while stem.len() + ending.len() > LONGEST && stem.pop().is_some() {}
    format!("{}{ending}", stem.trim_end())
}

/// The same for every folder of a path.
pub(super) fn valid_path(path: &str) -> String {
    path.split('/').filter(|part| !part.is_empty()).map(valid_name).collect::<Vec<_>>().join("/")
}

/// A file name made from this title or name, without its ending. Links can contain it.
pub(crate) fn linkable_stem(title: &str) -> String {
    let composed: String = title.nfc().collect();
    let mut name = path::file_name_for(composed.trim_start_matches('.'));
    while name.len() > LONGEST && name.pop().is_some() {}
    name.trim_end().to_owned()
}

/// `name` in `folder`; either may be empty.
pub(super) fn below(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_or_unicode_form_only_get_numbers() {
        let mut places = Places::default();
        assert_eq!(places.take("", "Note", ".md"), "Note.md");
        assert_eq!(places.take("", "note", ".md"), "note 2.md");
        assert_eq!(places.take("", "NOTE", ".md"), "NOTE 3.md");
        assert_eq!(places.take_file("", "e\u{301}.png"), "é.png");
        assert_eq!(places.take_file("", "É.png"), "É 2.png");
    }

    #[test]
    fn forbidden_and_reserved_names_are_replaced() {
        assert_eq!(valid_name("a:b?.png"), "a-b-.png");
        assert_eq!(valid_name("con.png"), "con-.png");
        assert_eq!(valid_name("name. "), "name");
        assert_eq!(valid_name(" "), "untitled");
        assert_eq!(linkable_stem(".hidden"), "hidden");
        assert!(valid_name(&"x".repeat(500)).len() <= LONGEST);
    }
}
