//! Any bytes can be parsed as a page, with sections and links inside it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ubp_core::page::{LinkTypes, decode, parse};

fuzz_target!(|bytes: &[u8]| {
    let (text, _) = decode(bytes);
    let page = parse(&text, &LinkTypes::default());
    let mut end = page.front_matter.range.end;
    for section in &page.sections {
        assert!(section.range.start >= end);
        end = section.range.end;
        assert!(text.get(section.range.clone()).is_some_and(|text| !text.is_empty()));
    }
    assert!(page.sections.is_empty() || end == text.len());
    for link in &page.links {
        assert!(text.get(link.range.clone()).is_some_and(|source| !source.is_empty()));
        assert!(!link.target.is_empty() && !link.context.contains('\n'));
    }
});
