//! Pages made from templates, whatever is filled in.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::index::tests::Project;
use crate::page::{LinkTypes, parse, set_fields};

fn fill_in(text: &str, title: &str, fields: &[(&str, Given)]) -> Result<(String, Option<(usize, usize)>)> {
    let project = Project::with_pages([]);
    let template = Template::read("t", "templates/t.md", text.as_bytes(), &LinkTypes::default()).unwrap();
    let fields = fields.iter().map(|(name, given)| ((*name).to_owned(), given.clone())).collect();
    let filling =
        Filling { title, doc_type: "adr", folder: "decisions", id: "an-id".into(), fields: &fields };
    Ok(without_cursor(&template.filled(&project.context(), &filling)?.text))
}

fn text(given: &str) -> Given {
    Given::Text(given.into())
}

#[test]
fn all_variables_are_filled_in() {
    let (page, cursor) = fill_in(
        "---\ndate: {{ date }}\n---\n{{ title }} {{ time }} {{ type }} {{ folder }} {{ id }} [{{ author }}]\né {{ cursor }}x",
        "T",
        &[],
    )
    .unwrap();
    assert_eq!(page, "---\ndate: 1970-01-12\n---\nT 13:46 adr decisions an-id []\né x");
    assert_eq!(cursor, Some((5, 2)));
    assert_eq!(fill_in("x\n", "T", &[]).unwrap().1, None);
}

#[test]
fn lists_numbers_and_truth_values_keep_their_kind_in_front_matter() {
    let template = "---\ntemplate:\n  fields:\n    a: {kind: list}\n    b: {kind: boolean}\n    c: {kind: number}\n\
                    who: {{ fields.a }}\nsure: {{ fields.b }}\ncost: {{ fields.c }}\nall: \"{{ fields.a }}!\"\n---\n\
                    {% if fields.b %}yes{% else %}no{% endif %} {{ fields.a }}\n";
    let given = [("a", text("Ann, B: c,")), ("b", Given::Boolean(false)), ("c", text("1.5"))];
    let (page, _) = fill_in(template, "T", &given).unwrap();
    assert_eq!(
        page,
        "---\nwho: [Ann, \"B: c\"]\nsure: false\ncost: 1.5\nall: \"Ann, B: c!\"\n---\nno Ann, B: c\n"
    );
}

#[test]
fn refusals_say_which_fields_are_missing_unknown_or_invalid() {
    let template = "---\ntemplate:\n  fields:\n    status: {values: [open, done]}\n    day: {kind: date}\n    \
                    note: {required: false}\n    kind: {default: x}\n---\n{{ fields.note }}\n";
    let refusal = |fields: &[(&str, Given)]| fill_in(template, "T", fields).unwrap_err().to_string();
    assert_eq!(
        refusal(&[]),
        "the template 't' needs `status` (open or done), `day` (a date such as 2026-02-07)"
    );
    let blank = "---\ntemplate:\n  fields:\n    a: {kind: list}\n    b: {kind: list, default: \"x\"}\n---\n{{ fields.b }}";
    let error = fill_in(blank, "T", &[("a", text(" , "))]).unwrap_err().to_string();
    assert_eq!(error, "the template 't' needs `a` (a list of texts)");
    assert_eq!(fill_in(blank, "T", &[("a", text("y")), ("b", text(","))]).unwrap().0, "x");
    let both = |status: &str, day: &str| refusal(&[("status", text(status)), ("day", text(day))]);
    assert_eq!(both("new", "2026-02-07"), "`status` must be open or done, not 'new'");
    assert_eq!(both("open", "7 Feb"), "`day` must be a date such as 2026-02-07, not '7 Feb'");
    assert!(
        refusal(&[("x", text("y"))])
            .starts_with("the template 't' has no field `x`; its fields are status, day")
    );
    let list = Given::List(vec!["open".into(), "done".into()]);
    assert_eq!(
        refusal(&[("status", list), ("day", text("2026-02-07"))]),
        "`status` must be a text on one line"
    );
    let valid = [("status", text("open")), ("day", text("2026-02-07"))];
    assert_eq!(fill_in(template, "T", &valid).unwrap().0, "\n");
}

#[test]
fn errors_name_template_line_and_variable() {
    let refusal = |text: &str| fill_in(text, "T", &[]).unwrap_err().to_string();
    let described = "---\ntemplate:\n  description: x\na: {{ title | date('%d') }}\ntype: adr\n---\n# {{ title }}\n\n{{ title | date('%d') }}\n";
    let wrong = "'T' is not a date such as 2026-02-07";
    assert_eq!(refusal(described), format!("the template templates/t.md:4: {wrong}"));
    let described = described.replace("a: {{ title | date('%d') }}", "a: 1");
    assert_eq!(refusal(&described), format!("the template templates/t.md:9: {wrong}"));
}

#[test]
fn errors_that_do_not_depend_on_values_are_found_when_the_template_is_read() {
    let refusal = |text: &str| {
        let read = Template::read("t", "templates/t.md", text.as_bytes(), &LinkTypes::default());
        read.map_err(|problem| (problem.line, problem.message.to_string())).unwrap_err()
    };
    let described =
        "---\ntemplate:\n  description: x\na: {{ nope }}\ntype: adr\n---\n# {{ title }}\n\n{{ titel }}\n";
    assert_eq!(refusal(described), (4, "`nope` is not defined".into()));
    assert_eq!(refusal(&described.replace("{{ nope }}", "1")), (9, "`titel` is not defined".into()));
    assert_eq!(refusal("---\na: [\n---\n{{ title }}{{ x }}"), (4, "`x` is not defined".into()));
    let only = "---\ntemplate:\n  fields:\n    a: {default: \"{{ dat }}\"}\n---\n";
    assert_eq!(refusal(only), (4, "the default is not valid: `dat` is not defined".into()));
    let (line, message) = refusal("x\n{% if title %}\n");
    assert!(line >= 2 && message.contains("unexpected end of input"), "{line} {message}");
}

proptest! {
    #[test]
    fn a_value_cannot_change_the_front_matter_around_it(value in "[^\\p{Cc}\u{FDD0}-\u{FDD2}]{1,40}") {
        let (page, _) = fill_in(
            "---\na: {{ title }}\nb: \"{{ title }}\"\nc: 'x {{ title }}'\nd: [{{ title }}, e]\nlast: 1\n---\n",
            &value,
            &[],
        )
        .unwrap();
        let fields = parse(&page, &LinkTypes::default()).front_matter.fields;
        let text = |text: &str| Value::Text(text.to_owned());
        let expected = [
            ("a", text(&value)),
            ("b", text(&value)),
            ("c", text(&format!("x {value}"))),
            ("d", Value::List(vec![text(&value), text("e")])),
            ("last", text("1")),
        ];
        let expected: Vec<(String, Value)> =
            expected.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        prop_assert_eq!(fields, expected, "{}", page);
        prop_assert!(set_fields("a.md", &page, &[("new", "x")]).is_ok());
    }
}
