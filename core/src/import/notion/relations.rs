//! Properties that lead to pages or files: `Name (path.md), Other name (../path%20to.md)`.

use super::names::id_in_url;

/// A page in a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference<'t> {
    /// Its title.
    pub name: &'t str,
    /// Path or address, as written.
    pub target: &'t str,
}

/// The pages of a relation; `None` if `value` is anything else. Names may contain commas and parentheses.
pub(super) fn references(value: &str) -> Option<Vec<Reference<'_>>> {
    let mut found = Vec::new();
    let mut rest = value.trim();
    while !rest.is_empty() {
        let (reference, after) = first(rest)?;
        found.push(reference);
        rest = after;
    }
    Some(found)
}

/// The first reference, and the text after it.
fn first(text: &str) -> Option<(Reference<'_>, &str)> {
    for (at, _) in text.match_indices(" (") {
        let inside = text.get(at + 2..)?;
        let Some(end) = closing(inside) else { continue };
        let (target, after) = (inside.get(..end)?, inside.get(end + 1..)?);
        let after = match after.trim_start() {
            "" => "",
            after => match after.strip_prefix(',') {
                Some(after) => after.trim_start(),
                None => continue,
            },
        };
        if is_target(target) {
            return Some((Reference { name: text.get(..at)?.trim(), target }, after));
        }
    }
    None
}

/// The parenthesis that closes the one before `text`.
pub(super) fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_target(target: &str) -> bool {
    let path = target.split(['#', '?']).next().unwrap_or(target);
    let is_path = !target.contains("://") && [".md", ".csv"].iter().any(|ending| path.ends_with(ending));
    is_path || id_in_url(target).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(value: &str) -> Option<Vec<(&str, &str)>> {
        Some(references(value)?.into_iter().map(|found| (found.name, found.target)).collect())
    }

    #[test]
    fn names_may_contain_commas_and_parentheses() {
        assert_eq!(
            pairs("A, B (c) (x/a%20(1).md), D (../d.md)"),
            Some(vec![("A, B (c)", "x/a%20(1).md"), ("D", "../d.md")])
        );
        assert_eq!(pairs("Untitled (x.csv)"), Some(vec![("Untitled", "x.csv")]));
    }

    #[test]
    fn other_values_are_not_relations() {
        for value in
            ["plain", "A (note)", "A (a.md) and more", "A (https://x.y/a.md)", "A (a.md", " (a.md) b"]
        {
            assert_eq!(pairs(value), None, "{value}");
        }
    }
}
