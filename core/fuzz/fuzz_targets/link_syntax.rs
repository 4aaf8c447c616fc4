//! Links can be parsed from any text, and results are trimmed and on one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ubp_core::page::{LinkTypes, parse_destination, parse_link};

fuzz_target!(|text: &str| {
    let types = LinkTypes::with(["part_of".to_owned()]);
    for source in [text.to_owned(), format!("[[{text}]]"), format!("![[{text}]]")] {
        let Some(link) = parse_link(&source, &types) else { continue };
        assert!(!link.target.is_empty() && link.target.trim() == link.target);
        assert!(!link.target.contains(['\n', '\r', '|']));
        assert!(link.text.is_none_or(|text| !text.is_empty() && text.trim() == text));
        assert!(link.link_type.is_none_or(|name| types.exact(&name).is_some()));
    }
    if let Some(target) = parse_destination(text) {
        assert!(!target.is_empty() && !target.contains(['\n', '\r']));
    }
});
