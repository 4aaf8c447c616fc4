//! The examples of the `CommonMark`, GFM, wikilink and YAML specifications, if there is a copy of them: in the
//! folder `UBP_CORPORA`, or in `../shared/corpora` beside the project.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use std::io::Write;
use std::path::PathBuf;

use super::page;
use crate::page::{LinkKind, Value, set_fields};

fn folder() -> Option<PathBuf> {
    let default = PathBuf::from("../../shared/corpora");
    let mut places = std::env::var_os("UBP_CORPORA").map(PathBuf::from).into_iter().chain([default]);
    let found = places.find_map(|place| Some(place.join("conformance")).filter(|folder| folder.is_dir()));
    if found.is_none() {
        // `println!` would show this only if a test fails; `tests/run` counts this line.
        let _ = writeln!(
            std::io::stderr(),
            "\nskipped: examples of specifications: UBP_CORPORA is not a folder that contains them"
        );
    }
    found
}

/// The inputs of a specification's examples.
fn examples(spec: &str) -> Vec<String> {
    let fence = "`".repeat(32);
    let mut inputs = Vec::new();
    let mut lines = spec.lines();
    while let Some(line) = lines.next() {
        if line.strip_prefix(&fence).is_some_and(|info| info.starts_with(" example")) {
            let input: Vec<&str> = lines.by_ref().take_while(|line| *line != ".").collect();
            inputs.push(input.join("\n").replace('→', "\t") + "\n");
        }
    }
    inputs
}

#[test]
fn examples_of_the_specifications_are_pages() {
    let Some(folder) = folder() else { return };
    for (name, least) in [
        ("commonmark-0.31.2.txt", 600),
        ("gfm-spec.txt", 600),
        ("wikilinks/pulldown-cmark_wikilinks.txt", 1),
        ("wikilinks/comrak_wikilinks_title_after_pipe.md", 1),
        ("wikilinks/comrak_wikilinks_title_before_pipe.md", 1),
    ] {
        let inputs = examples(&std::fs::read_to_string(folder.join(name)).unwrap());
        assert!(inputs.len() >= least, "{name} has only {} examples", inputs.len());
        for input in inputs {
            let found = page(&input);
            for link in &found.links {
                let source = &input[link.range.clone()];
                let before = &input[..link.range.start];
                assert!(!before.ends_with('\\'), "an escape in {name}: {input}");
                match link.kind {
                    LinkKind::Wiki => assert!(source.starts_with("[[") && source.ends_with("]]"), "{input}"),
                    LinkKind::Embed => assert!(source.starts_with("!["), "{input}"),
                    LinkKind::Markdown => assert!(source.starts_with('['), "{input}"),
                    LinkKind::FrontMatter => panic!("no example has front matter: {input}"),
                }
            }
            // The same example in places where links are not recognized.
            for (open, close) in [("~~~~~~~~~~\n", "\n~~~~~~~~~~\n"), ("<!--\n", "\n-->\n")] {
                if input.contains("~~~~~~~~~~") || input.contains("--") {
                    continue;
                }
                let hidden = page(&format!("{open}{input}{close}"));
                assert_eq!(hidden.links, [], "{open} in {name}: {input}");
                assert_eq!(hidden.tags, [""; 0], "{open} in {name}: {input}");
            }
        }
    }
}

/// The YAML texts in one file of the YAML test suite, which is itself YAML.
fn yaml_texts(file: &str) -> Vec<String> {
    let list = file.strip_prefix("---\n").unwrap_or(file);
    let fields = page(&format!("---\ncases:\n{list}\n---\n")).front_matter.fields;
    let Some((_, Value::List(cases))) = fields.into_iter().next() else { return Vec::new() };
    let yaml = |case| match case {
        Value::Map(fields) => fields.into_iter().find(|(key, _)| key == "yaml").map(|(_, value)| value),
        _ => None,
    };
    let texts = cases.into_iter().filter_map(yaml).filter_map(|value| match value {
        Value::Text(text) => Some(text),
        _ => None,
    });
    // The suite shows spaces and tabs as symbols.
    let signs = [
        ("␣", " "),
        ("———»", "\t"),
        ("——»", "\t"),
        ("—»", "\t"),
        ("»", "\t"),
        ("←", "\r"),
        ("↵", ""),
        ("∎\n", ""),
    ];
    texts.map(|text| signs.iter().fold(text, |text, (sign, means)| text.replace(sign, means))).collect()
}

#[test]
fn yaml_cases_are_read_as_front_matter() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for entry in std::fs::read_dir(folder.join("yaml-test-suite")).unwrap() {
        for yaml in yaml_texts(&std::fs::read_to_string(entry.unwrap().path()).unwrap()) {
            for text in [format!("---\n{yaml}\n---\n# Title\n"), format!("---\ntitle: a\n{yaml}\n---\n")] {
                let found = page(&text);
                assert!(found.links.iter().all(|link| text.get(link.range.clone()).is_some()));
                if let Ok(edited) = set_fields("a.md", &text, &[("id", "x")]) {
                    let (_, id) =
                        page(&edited).front_matter.fields.into_iter().find(|(key, _)| key == "id").unwrap();
                    assert_eq!(id, Value::Text("x".into()), "{text}");
                }
            }
            count += 1;
        }
    }
    assert!(count > 250, "only {count} YAML cases were found");
}
