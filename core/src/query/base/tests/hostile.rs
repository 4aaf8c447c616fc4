//! Any text is read without a panic, and every expression ends.

use proptest::prelude::*;

use super::super::expression::Expression;
use super::super::functions::{FUNCTIONS, METHODS};
use super::super::value::Value;
use super::{Base, answer, answers};
use crate::index::tests::Project;

#[test]
fn formulas_that_grow_without_end_are_stopped() {
    let mut base = String::from("formulas:\n  f0: '\"0123456789\"'\n");
    for number in 1..60 {
        let before = number - 1;
        base += &format!("  f{number}: formula.f{before} + formula.f{before}\n");
    }
    base += "views:\n  - order: [formula.f59]\n";
    let found = answer(&base);
    assert!(found.starts_with("This base has no answer: "), "{found}");

    let mut base = String::from("formulas:\n  f0: '1'\n");
    for number in 1..40 {
        let before = number - 1;
        base += &format!("  f{number}: if(formula.f{before} == formula.f{before}, 1, 2)\n");
    }
    base += "views:\n  - order: [formula.f39]\n";
    let found = answer(&base);
    assert!(found.contains("it takes too long") || found.contains("nested too deeply"), "{found}");

    let mut base = String::from("formulas:\n  f0: '[\"0123456789\"]'\n");
    for number in 1..30 {
        let before = number - 1;
        base += &format!("  f{number}: '[formula.f{before}, formula.f{before}, formula.f{before}].flat()'\n");
    }
    base += "views:\n  - order: [formula.f29.length]\n    sort: [formula.f29]\n";
    assert!(answer(&base).contains("a value that is too large"), "{}", answer(&base));
}

#[test]
fn deep_expressions_are_refused_without_a_crash() {
    for deep in [
        "(".repeat(5_000),
        "!".repeat(5_000),
        "-".repeat(400) + "1",
        "[".repeat(480),
        "a".to_owned() + &".b".repeat(240),
        "1".to_owned() + &"+1".repeat(240),
        "a".to_owned() + &"[0]".repeat(160),
        "if(".repeat(100),
        "f(".repeat(3_000),
    ] {
        let quoted = serde_json::to_string(&deep).unwrap();
        let found = answer(&format!("filters: {quoted}"));
        assert!(
            found.starts_with("This base has no answer: ")
                || found.starts_with("| name |")
                || found.contains("Nothing found"),
            "{found}"
        );
    }
    let yaml = format!("filters: {}", "{and: [".repeat(3_000));
    assert!(Base::parse(&yaml).is_err());
    assert!(Base::parse(&"a".repeat(300_000)).is_err());
}

#[test]
fn mixed_values_are_sorted_and_empty_ones_are_last() {
    let values = ["[]", "{}", "\"\"", "7", "words", "2026-02-01", "true", "[2, a]", "Ännchen", "-3.5"];
    let page = |number: usize| {
        let value = values[number * 7 % values.len()];
        (format!("p{number:02}.md"), format!("---\nrating: {value}\n---\n# P\n"))
    };
    let pages: Vec<(String, String)> = (0..60).map(page).collect();
    for direction in ["ASC", "DESC"] {
        let base = format!(
            "filters: file.hasProperty(\"rating\")\nviews:\n  - type: list\n    order: [rating, file.path]\n    \
             sort: [{{property: rating, direction: {direction}}}]\n"
        );
        let text = format!("# Q\n\n```base\n{base}```\n");
        let all = pages.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let found = answers(&Project::with_pages(all.chain([("q.md", text.as_str())]))).remove(0);
        let rows: Vec<&str> = found.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(rows.len(), 60, "{found}");
        let has_value: Vec<bool> = rows.iter().map(|row| row.contains(" · ")).collect();
        assert!(has_value[..42].iter().all(|has| *has), "{direction}: {found}");
        assert!(!has_value[42..].iter().any(|has| *has), "{direction}: {found}");
    }
}

#[test]
fn functions_have_different_names() {
    for known in [FUNCTIONS, METHODS] {
        assert!(known.is_sorted_by(|a, b| a.name < b.name));
        assert!(known.iter().all(|signature| signature.least <= signature.most));
    }
}

/// An expression made of parts of the language.
fn expression() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("file".to_owned()),
        Just("this".into()),
        Just(".".into()),
        Just("(".into()),
        Just(")".into()),
        Just("[".into()),
        Just("]".into()),
        Just(",".into()),
        "[-+*/%!<>=&|]{1,2}",
        "[a-zé]{1,3}",
        "[0-9]{1,22}(\\.[0-9]{1,3})?",
        "\"[a-z\\\\\"']{0,3}\"",
        prop::sample::select(METHODS.iter().map(|known| format!("{}(", known.name)).collect::<Vec<_>>()),
        prop::sample::select(FUNCTIONS.iter().map(|known| format!("{}(", known.name)).collect::<Vec<_>>()),
        prop::sample::select(vec![
            "\"9999999999y\"".to_owned(),
            "\"1M\"".into(),
            "date(\"2026-01-31\")".into(),
            "tags".into(),
            "read".into()
        ]),
    ];
    prop::collection::vec(part, 1..24).prop_map(|parts| parts.concat())
}

/// A call of a method with simple values.
fn call() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec![
        "null",
        "1",
        "-2.5",
        "1e9",
        "99999999999999999999",
        "\"\"",
        "\"é日本\"",
        "\"2026-01-31\"",
        "[1, \"a\", [2]]",
        "tags",
        "read",
        "file",
        "this",
        "true",
        "now()",
        "duration(\"3d\")",
        "file.properties",
        "author",
        "\"1 week\"",
        "\"YYYY [x\"",
    ]);
    let method = prop::sample::select(METHODS.iter().collect::<Vec<_>>());
    (value.clone(), method, prop::collection::vec(value, 0..3)).prop_map(|(owner, method, given)| {
        let given: Vec<&str> =
            given.into_iter().chain(["1"; 2]).take(method.least.max(method.most.min(2))).collect();
        format!("({owner}).{}({})", method.name, given.join(", "))
    })
}

/// A value of front matter.
fn value() -> impl Strategy<Value = Value> {
    let scalar = prop::sample::select(vec![
        "null",
        "\"\"",
        "true",
        "7",
        "-2.5",
        "\"2.50\"",
        "\"a\"",
        "\"A\"",
        "\"é\"",
        "\"2026-02-01\"",
        "\"2026-02-01 10:30\"",
    ]);
    let list = prop::collection::vec(scalar.clone(), 0..3);
    let json = prop_oneof![
        scalar.prop_map(str::to_owned),
        list.clone().prop_map(|items| format!("[{}]", items.join(","))),
        list.prop_map(|items| format!(
            "{{{}}}",
            items
                .iter()
                .enumerate()
                .map(|(at, item)| format!("\"{at}\":{item}"))
                .collect::<Vec<_>>()
                .join(",")
        )),
    ];
    prop_oneof![
        9 => json.prop_map(|json| Value::written(serde_json::from_str(&json).unwrap_or_default())),
        1 => Just(Value::Number(f64::NAN)),
    ]
}

proptest! {
    #[test]
    fn the_order_of_values_is_total(a in value(), b in value(), c in value(), is_descending: bool) {
        let shown = |value: &Value| format!("{value:?}");
        let order = |one: &Value, other: &Value| one.sorted(other, is_descending, &shown);
        prop_assert!(order(&a, &a).is_eq());
        prop_assert_eq!(order(&a, &b), order(&b, &a).reverse());
        if order(&a, &b).is_le() && order(&b, &c).is_le() {
            prop_assert!(order(&a, &c).is_le());
        }
    }

    #[test]
    fn any_text_is_read(text in "(?s).{0,400}") {
        let _ = Base::parse(&text);
        let _ = Expression::parse(&text);
    }

    #[test]
    fn any_text_made_of_yaml_is_read(text in "(filters|views|formulas|and|or|not|order|- |: |\\[|\\]|\\{|\\}|\n|  |\"|'|#|!|&a|\\*a|x|1|,){0,60}") {
        let _ = Base::parse(&text).map(|base| base.problems());
    }

    #[test]
    fn any_expression_is_read(text in expression()) {
        let _ = Expression::parse(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn every_method_takes_any_value(calls in prop::collection::vec(call(), 12), text in expression()) {
        let mut base = String::from("formulas:\n");
        for (number, call) in calls.iter().chain([&text]).enumerate() {
            base += &format!("  f{number}: {}\n", serde_json::to_string(call).unwrap_or_default());
        }
        base += "views:\n  - order: [formula.f0, formula.f1, formula.f2, formula.f3, formula.f4, formula.f5, formula.f6, formula.f7, formula.f8, formula.f9, formula.f10, formula.f11, formula.f12]\n";
        base += "    sort: [formula.f0, formula.f3, formula.f12]\n    groupBy: formula.f1\n";
        prop_assert!(!answer(&base).is_empty());
    }
}
