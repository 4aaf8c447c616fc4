//! The texts of the user interface of static pages, in the language of the page.

use crate::manifest::is_language;
use crate::message::{CommandsIn, Language, told_to};

pub(super) struct Words {
    pub site: &'static str,
    pub home: &'static str,
    pub all_pages: &'static str,
    pub on_this_page: &'static str,
    pub links_here: &'static str,
    pub folders: &'static str,
    pub edit: &'static str,
    pub neighbours: &'static str,
    pub previous: &'static str,
    pub next: &'static str,
    pub not_found: &'static str,
    pub not_found_text: &'static str,
    /// Replaces a link without a text of its own to an unpublished page.
    pub unpublished: &'static str,
}

const ENGLISH: Words = Words {
    site: "Site",
    home: "Home",
    all_pages: "All pages",
    on_this_page: "On this page",
    links_here: "Links to this page",
    folders: "Folders",
    edit: "Edit this page",
    neighbours: "Previous and next page",
    previous: "Previous",
    next: "Next",
    not_found: "Page not found",
    not_found_text: "There is no page at this address. It may have been moved or deleted.",
    unpublished: "unpublished page",
};

const JAPANESE: Words = Words {
    site: "サイト",
    home: "ホーム",
    all_pages: "すべてのページ",
    on_this_page: "このページの内容",
    links_here: "このページへのリンク",
    folders: "フォルダー",
    edit: "このページを編集",
    neighbours: "前後のページ",
    previous: "前へ",
    next: "次へ",
    not_found: "ページが見つかりません",
    not_found_text: "このアドレスにページはありません。移動または削除された可能性があります。",
    unpublished: "非公開のページ",
};

/// The texts for a language tag; English if the language is not supported.
pub(super) fn words(language: Option<&str>) -> &'static Words {
    let primary = language.and_then(|tag| tag.split('-').next());
    if primary.is_some_and(|primary| primary.eq_ignore_ascii_case("ja")) { &JAPANESE } else { &ENGLISH }
}

/// The language that a page names in its front matter, whose texts `text` returns by their keys.
pub(super) fn own_language<'f>(text: impl Fn(&str) -> Option<&'f str>) -> Option<String> {
    let named = ["lang", "language"].into_iter().find_map(text);
    named.filter(|tag| is_language(tag)).map(str::to_owned)
}

/// Does `work`, whose messages are in `language`, if it is one of `languages`.
pub(super) fn told_in<T>(language: Option<&str>, languages: &[Language], work: impl FnOnce() -> T) -> T {
    let primary = language.and_then(|tag| tag.split('-').next()).unwrap_or_default();
    match languages.iter().find(|known| known.tag().eq_ignore_ascii_case(primary)) {
        Some(known) => told_to(CommandsIn(*known), work),
        None => work(),
    }
}
