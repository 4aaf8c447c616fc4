//! Names in Notion's exports: the title, cut at some length, and the 32 hexadecimal digits of the page's id.

use crate::path;

/// Digits of an id.
const DIGITS: usize = 32;

/// Splits `name`, without its ending, into title and id: `Home 0123…` or `Home 01234567-89ab-…`.
pub(in crate::import) fn split_id(name: &str) -> (&str, Option<String>) {
    for length in [DIGITS, DIGITS + 4] {
        let Some(at) = name.len().checked_sub(length) else { continue };
        let (Some(title), Some(id)) = (name.get(..at), name.get(at..)) else { continue };
        let apart = title.is_empty() || title.ends_with([' ', '-']);
        if let (true, Some(id)) = (apart, id_of(id)) {
            return (title.trim_end_matches([' ', '-']), Some(id));
        }
    }
    (name, None)
}

/// The id in `text`, with or without dashes, in lower case.
fn id_of(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('-').collect();
    let fits = match parts.as_slice() {
        [_] => true,
        parts => parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]),
    };
    let digits = parts.concat();
    let is_id = fits && digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| digits.to_ascii_lowercase())
}

/// The id of the page with this address at Notion; `None` for addresses elsewhere.
pub(super) fn id_in_url(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let (host, place) = rest.split_once('/')?;
    let host = host.to_ascii_lowercase();
    let is_notion = ["notion.so", "notion.site", "notion.com"]
        .iter()
        .any(|known| host == *known || host.strip_suffix(known).is_some_and(|before| before.ends_with('.')));
    if !is_notion {
        return None;
    }
    let (place, query) = place.split_once('?').unwrap_or((place, ""));
    // The page that a database shows in its side view.
    let shown = query.split(['&', '#']).find_map(|pair| pair.strip_prefix("p=")).and_then(id_of);
    let name = path::file_name(place.split('#').next().unwrap_or(place).trim_end_matches('/'));
    shown.or_else(|| split_id(name).1)
}

/// The id in the last part of a path, its ending and the `_all` of a table aside.
pub(super) fn id_in_path(path: &str) -> Option<String> {
    let name = path::file_name(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    split_id(stem.strip_suffix("_all").unwrap_or(stem)).1
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn the_id_at_the_end_of_a_name_is_separated() {
        assert_eq!(split_id(&format!("Road map {ID}")), ("Road map", Some(ID.into())));
        assert_eq!(split_id("Road 01234567-89ab-cdef-0123-456789abcdef"), ("Road", Some(ID.into())));
        assert_eq!(split_id(ID), ("", Some(ID.into())));
        for other in ["Road map", &format!("Road{ID}"), "x 0123", "é", &format!("v1.2 {}", &ID[1..])] {
            assert_eq!(split_id(other), (other, None));
        }
    }

    #[test]
    fn addresses_of_pages_have_their_id() {
        for url in [
            format!("https://www.notion.so/Road-map-{ID}?pvs=21"),
            format!("https://notion.so/team/{ID}#abc"),
            format!("https://team.notion.site/Road-{ID}"),
            format!("https://www.notion.so/team/{}?v=1&p={ID}", "f".repeat(32)),
        ] {
            assert_eq!(id_in_url(&url), Some(ID.into()), "{url}");
        }
        for url in
            ["https://www.notion.so/product", &format!("https://evilnotion.so/{ID}"), "mailto:a@notion.so"]
        {
            assert_eq!(id_in_url(url), None, "{url}");
        }
    }
}
