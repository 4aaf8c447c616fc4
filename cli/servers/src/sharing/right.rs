//! What a guest may do, and which operations that needs.

use serde::{Deserialize, Serialize};
use ubp_core::manifest::Right;

/// What a guest may do to the pages of its link. Each right includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuestRight {
    /// Read them.
    Read,
    /// Comment on them.
    Comment,
    /// Propose changes of them.
    Propose,
    /// Change them.
    Write,
}

impl GuestRight {
    /// All rights, the smallest first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Comment, Self::Propose, Self::Write];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Comment => "comment",
            Self::Propose => "propose",
            Self::Write => "write",
        }
    }

    /// The right with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|right| right.as_str() == word)
    }

    /// The right to files that it means.
    pub fn to_files(self) -> Right {
        match self {
            Self::Read => Right::Read,
            Self::Comment => Right::Comment,
            Self::Propose => Right::Propose,
            Self::Write => Right::Apply,
        }
    }

    /// Whether a guest with this right may call an operation.
    pub fn allows(self, operation: &str) -> bool {
        least(operation).is_some_and(|least| self >= least)
    }
}

/// The smallest right with which guests may call an operation; `None` for those that only the owner may call, such as any
/// operation that is not listed here.
pub fn least(operation: &str) -> Option<GuestRight> {
    Some(match operation {
        "search" | "fulltext_search" | "complete" | "get_page" | "get_context" | "list_pages"
        | "render_page" | "render_part" | "read_page" | "get_graph" | "graph_traverse" | "resolve_links"
        | "addresses" | "status" => GuestRight::Read,
        "list_comments" | "add_comment" | "resolve_comment" | "delete_comment" => GuestRight::Comment,
        "save_page" | "update_page" | "create_page" | "rename_page" | "delete_page" | "list_templates"
        | "list_files" | "query" | "query_inspect" | "suggest_links" | "list_proposals" | "get_proposal"
        | "withdraw_proposal" => GuestRight::Propose,
        "add_attachment" | "accept" | "audit" | "undo" | "page_history" | "page_version" => GuestRight::Write,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use ubp_core::ops::{Effect, OPERATIONS, find};

    use super::*;

    #[test]
    fn operations_are_denied_to_guests_unless_they_are_listed_and_changes_need_more_than_comments() {
        let open: Vec<_> = OPERATIONS.iter().filter_map(|row| Some((row, least(row.name)?))).collect();
        assert_eq!(open.len(), 37, "a new operation is for the owner, unless it is decided otherwise");
        for (row, least) in open {
            let changes_pages = row.facts.effect != Effect::Read && !row.facts.comments_only;
            assert!(!changes_pages || least > GuestRight::Comment, "{}", row.name);
            for right in GuestRight::ALL {
                assert_eq!(right.allows(row.name), right >= least, "{}", row.name);
            }
        }
        for name in
            ["read_source", "source_diff", "list_symbols", "favorites", "accept_proposal", "queue", "nothing"]
        {
            assert!(!GuestRight::Write.allows(name), "{name}");
        }
        assert!(find("read_source").is_some());
    }

    #[test]
    fn each_right_includes_those_before_it() {
        assert!(GuestRight::ALL.windows(2).all(|pair| pair.first() < pair.last()));
        assert!(GuestRight::ALL.into_iter().all(|right| GuestRight::parse(right.as_str()) == Some(right)));
        assert!(GuestRight::ALL.into_iter().map(GuestRight::to_files).is_sorted());
    }
}
