//! Limits a walk to folders that can have matches of a glob, such as `src/auth` for `src/auth/*.ts`.

/// The folders of globs before their first wildcard.
#[derive(Debug)]
pub(super) struct Prefixes(Vec<String>);

impl Prefixes {
    /// The prefixes of `globs`.
    pub(super) fn of(globs: &[String]) -> Self {
        let fixed = |glob: &String| {
            match glob.find(['*', '?', '[', '{', '\\']) {
                Some(end) => ubp_core::path::folder(glob.get(..end).unwrap_or_default()).to_string(),
                // Without a wildcard, only the parents of the file matter.
                None => glob.clone(),
            }
        };
        Self(globs.iter().map(fixed).collect())
    }

    /// Whether `folder` is a parent of a prefix, or below one.
    pub(super) fn may_hold_matches(&self, folder: &str) -> bool {
        let within = |inner: &str, outer: &str| {
            outer.is_empty()
                || inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.0.iter().any(|prefix| within(prefix, folder) || within(folder, prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_can_have_matches_are_walked() {
        let globs = ["src/auth/*.ts", "docs/a[1]/x", "Makefile", "lib/a/b.rs"].map(String::from);
        let prefixes = Prefixes::of(&globs);
        for folder in ["src", "src/auth", "src/auth/deep", "docs", "docs/a1", "lib", "lib/a"] {
            assert!(prefixes.may_hold_matches(folder), "{folder}");
        }
        for folder in ["target", "src/other", "sr", "src/authority", "lib/b"] {
            assert!(!prefixes.may_hold_matches(folder), "{folder}");
        }
    }
}
