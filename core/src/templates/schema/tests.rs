//! What the doctor says about pages of a type.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::page::{LinkTypes, parse};

fn template(description: &str) -> Template {
    let text = format!("---\ntype: adr\ntemplate:\n{description}---\n");
    Template::read("adr", "templates/adr.md", text.as_bytes(), &LinkTypes::default()).unwrap()
}

fn told(templates: &[&Template], text: &str, links: &[LinkOfPage]) -> Vec<String> {
    let page = parse(text, &LinkTypes::default());
    let found = breaches(templates, text, &page, links);
    found.into_iter().map(|b| format!("{} {}: {} ({})", b.line, b.code, b.message, b.hint)).collect()
}

const RULES: &str = "  fields:\n    status: {values: [open, done]}\n    day: {kind: date}\n    note: {required: false}\n  \
                     headings: [Context, Decision]\n";

#[test]
fn keys_values_and_headings_are_checked_with_their_lines() {
    let rules = template(RULES);
    assert_eq!(
        told(&[&rules], "---\ntype: adr\nstatus: new\n---\n# T\n\n## CONTEXT\n\nx\n", &[]),
        [
            "1 schema_key: `day` (a date such as 2026-02-07) is missing in the front matter (add the key; \
             templates/adr.md has the rules)",
            "3 schema_value: `status` must be open or done, not 'new' (correct the value; templates/adr.md has the \
             rules)",
            "7 schema_heading: the heading 'Decision' is missing (add a section with this heading; templates/adr.md \
             has the rules)",
        ]
    );
    let right = "---\ntype: adr\nstatus: open\nday: 2026-02-07\n---\n# T\n\n## Context\n\n### decision\n";
    assert_eq!(told(&[&rules], right, &[]), [""; 0]);
    let timed = right.replace("2026-02-07", "2026-02-07T10:00:00Z");
    assert_eq!(told(&[&rules], &timed, &[]), [""; 0]);
}

#[test]
fn links_must_have_an_allowed_type_and_target() {
    let rules = template("  links:\n    extends: [adr]\n    depends_on:\n");
    let link = |link_type: &str, target_type: Option<&str>| LinkOfPage {
        line: 3,
        link_type: link_type.into(),
        target: "X".into(),
        target_type: target_type.map(str::to_owned),
    };
    let found = |link_type, target_type| told(&[&rules], "x\n", &[link(link_type, target_type)]);
    assert_eq!(
        found("extends", Some("spec")),
        [
            "3 schema_link: 'extends' leads to 'X', a page of the type 'spec', not adr (change the type of the link, or \
          link to another page; templates/adr.md has the rules)"
        ]
    );
    assert_eq!(
        found("implements", Some("adr")),
        [
            "3 schema_link: the link to 'X' has the type 'implements', not depends_on or extends (change the type of \
             the link; templates/adr.md has the rules)"
        ]
    );
    for (link_type, target_type) in
        [("extends", Some("adr")), ("extends", None), ("depends_on", Some("x")), ("references", Some("x"))]
    {
        assert_eq!(found(link_type, target_type), [""; 0]);
    }
}

#[test]
fn a_page_has_to_fit_one_of_the_templates_of_its_type() {
    let (long, short) = (template(RULES), template("  headings: [Context]\n"));
    assert_eq!(told(&[&long, &short], "# T\n\n## Context\n", &[]), [""; 0]);
    assert_eq!(told(&[&long, &short], "# T\n", &[]).len(), 1);
}
