//! Whether a page may be published. If in doubt, it may not: publishing cannot be undone.

use crate::manifest::PublishDefault;
use crate::page::{Page, Value};

/// Number of lines at the top of a page that are searched for `publish: false`, however YAML reads them.
const OPENING: usize = 100;

/// Whether `page`, with its text, may be published: any `publish` value in its front matter except a clear yes
/// means no. Without one, `default` decides. Letter case and quotes make no difference.
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
    // The parser uses the first of duplicate keys, and front matter that is never closed is not front matter. The
    // author meant neither.
    public
        && !text.get(page.front_matter.range.clone()).is_some_and(says_no)
        && !(page.front_matter.range.is_empty() && never_ends(text) && says_no(text))
}

/// The default for a page without a `publish` value: `default`, except for memories. Agents write those, and they
/// are not meant for readers of a site.
pub fn default_for(path: &str, page: &Page, default: PublishDefault) -> PublishDefault {
    let own = ["memory/tech/", "memory/project-tech/", "memory/domain/"];
    let is_memory = own.iter().any(|folder| path.starts_with(folder))
        || (path.starts_with("memory/") && page.front_matter.get("topic").is_some());
    if is_memory { PublishDefault::Private } else { default }
}

/// The meaning of a value; `None` for an empty one.
fn says(value: &Value) -> Option<bool> {
    let Value::Text(text) = value else { return Some(false) };
    match text.trim().to_lowercase().as_str() {
        "" | "null" | "~" => None,
        "true" | "yes" | "on" | "y" | "1" => Some(true),
        _ => Some(false),
    }
}

/// Whether a text without front matter starts like one with front matter.
fn never_ends(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with("---")
}

/// Whether one of the first lines forbids publishing.
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
    fn only_a_clear_yes_overrides_a_private_default_and_any_other_value_is_a_no() {
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
    fn memories_are_published_only_by_a_clear_yes() {
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
    fn invalid_front_matter_still_prevents_publishing() {
        let default = PublishDefault::Publish;
        assert!(!public("---\na: b: c\npublish: false\n---\n", default));
        assert!(!public("---\npublish: true\npublish: false\n---\n", default));
        assert!(!public("---\npublish: false\n\nnever closed\n", default));
        assert!(!public("\u{feff}---\r\n\"publish\": \"No\" # x\r\n", default));
        assert!(public("---\n\nA line. publish: false\n", default));
    }
}
