//! Whether a page may be shown to everybody. Where in doubt, it may not: what was published once cannot be
//! taken back.

use crate::manifest::PublishDefault;
use crate::page::{Page, Value};

/// Lines at the top of a page that are searched for a word against publishing, whatever YAML makes of them.
const OPENING: usize = 100;

/// Whether `page`, with its text, may be published: `publish: false` in its front matter says no, as does any
/// value but a clear yes; without one, `default` decides. Letter case and quotes make no difference.
pub fn is_public(page: &Page, text: &str, default: PublishDefault) -> bool {
    let mut public = default == PublishDefault::Publish;
    for (key, value) in &page.front_matter.fields {
        if key.trim().to_lowercase() == "publish" {
            match says(value) {
                Some(false) => return false,
                Some(true) => public = true,
                None => {}
            }
        }
    }
    // Where a key stands twice the first one counts, and what never ends is no front matter: neither is what
    // its writer meant.
    public
        && !text.get(page.front_matter.range.clone()).is_some_and(says_no)
        && !(page.front_matter.range.is_empty() && never_ends(text) && says_no(text))
}

/// What holds for a page that does not say whether it may be published: `default`, but for memories, which agents write
/// and nobody wrote for readers of a site.
pub fn default_for(path: &str, page: &Page, default: PublishDefault) -> PublishDefault {
    let own = ["memory/tech/", "memory/project-tech/", "memory/domain/"];
    let is_memory = own.iter().any(|folder| path.starts_with(folder))
        || (path.starts_with("memory/") && page.front_matter.get("topic").is_some());
    if is_memory { PublishDefault::Private } else { default }
}

/// What a value says; `None` for an empty one.
fn says(value: &Value) -> Option<bool> {
    let Value::Text(text) = value else { return Some(false) };
    match text.trim().to_lowercase().as_str() {
        "" | "null" | "~" => None,
        "true" | "yes" | "on" | "y" | "1" => Some(true),
        _ => Some(false),
    }
}

/// Whether a text without front matter opens like one that has it.
fn never_ends(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with("---")
}

/// Whether one of the first lines says that the page is not to be published.
fn says_no(text: &str) -> bool {
    text.lines().take(OPENING).filter(|line| !line.starts_with([' ', '\t'])).any(|line| {
        let bare: String =
            line.chars().filter(|c| !c.is_whitespace() && !"\"'\u{feff}".contains(*c)).collect();
        let bare = bare.to_lowercase();
        bare.strip_prefix("publish:").is_some_and(|value| {
            ["false", "no", "off", "n", "0"].contains(&value.split('#').next().unwrap_or(value))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{LinkTypes, parse};

    fn public(text: &str, default: PublishDefault) -> bool {
        is_public(&parse(text, &LinkTypes::default()), text, default)
    }

    #[test]
    fn only_a_clear_yes_publishes_against_the_default_and_any_no_keeps_a_page() {
        use PublishDefault::{Private, Publish};
        for no in [
            "false",
            "False",
            "FALSE",
            "\"false\"",
            "'no'",
            "No",
            "off",
            "0",
            "n",
            "flase",
            "[false]",
            "{a: b}",
            "never",
        ] {
            assert!(!public(&format!("---\npublish: {no}\n---\ntext\n"), Publish), "{no}");
            assert!(!public(&format!("---\ntitle: x\nPublish : {no}\n---\n"), Publish), "{no}");
        }
        for yes in ["true", "True", "\"yes\"", "on", "1"] {
            assert!(public(&format!("---\npublish: {yes}\n---\n"), Private), "{yes}");
        }
        for empty in
            ["text\n", "---\npublish:\n---\n", "---\npublish: null\n---\n", "---\npublished: false\n---\n"]
        {
            assert!(public(empty, Publish) && !public(empty, Private), "{empty}");
        }
    }

    #[test]
    fn memories_are_published_by_a_clear_yes_alone() {
        let public = |path: &str, text: &str| {
            let page = parse(text, &LinkTypes::default());
            is_public(&page, text, default_for(path, &page, PublishDefault::Publish))
        };
        assert!(!public("memory/tech/a.md", "---\ntopic: [broken\n---\n"));
        assert!(!public("memory/by-hand.md", "---\ntopic: A\ntype: tech\n---\n"));
        assert!(public("memory/tech/a.md", "---\ntopic: A\npublish: true\n---\n"));
        assert!(
            public("memory/allocator.md", "# How memory is allocated\n")
                && public("tech/a.md", "---\ntopic: A\n---\n")
        );
    }

    #[test]
    fn broken_front_matter_still_keeps_a_page() {
        let default = PublishDefault::Publish;
        assert!(!public("---\na: b: c\npublish: false\n---\n", default));
        assert!(!public("---\npublish: true\npublish: false\n---\n", default));
        assert!(!public("---\npublish: false\n\nnever closed\n", default));
        assert!(!public("\u{feff}---\r\n\"publish\": \"No\" # x\r\n", default));
        assert!(public("---\n\nA line. publish: false\n", default));
    }
}
