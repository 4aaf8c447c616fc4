//! Any front matter can be parsed, and setting a field either changes only that field or is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ubp_core::page::{LinkTypes, Page, Value, parse, set_fields};

fn others(page: &Page) -> Vec<&(String, Value)> {
    page.front_matter.fields.iter().filter(|(key, _)| key != "title").collect()
}

fuzz_target!(|input: (&str, &str)| {
    let (yaml, value) = input;
    let types = LinkTypes::default();
    for text in
        [yaml.to_owned(), format!("---\n{yaml}\n---\ntext\n"), format!("---\ntitle: a\n{yaml}\n---\ntext\n")]
    {
        let before = parse(&text, &types);
        let Ok(edited) = set_fields("a.md", &text, &[("title", value)]) else { continue };
        let after = parse(&edited, &types);
        assert_eq!(others(&before), others(&after));
        assert!(after.front_matter.fields.contains(&("title".to_owned(), Value::Text(value.to_owned()))));
        let start = |text: &str, page: &Page| match page.front_matter.range.end {
            0 if text.starts_with('\u{feff}') => 3,
            end => end,
        };
        assert_eq!(text[start(&text, &before)..], edited[start(&edited, &after)..]);
        assert_eq!(set_fields("a.md", &edited, &[("title", value)]).ok(), Some(edited));
    }
});
