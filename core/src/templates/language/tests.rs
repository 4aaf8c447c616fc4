//! What templates can do, and what hostile ones cannot.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::time::{Duration, Instant};

use minijinja::context;

use super::*;

fn filled(text: &str) -> Result<String, Problem> {
    let fields = context! { owner => "Ann", people => vec!["Ann", "Bob"], urgent => true, empty => "" };
    fill(text, &context! { title => "Login API", date => "2026-02-07", fields => fields }, plain)
}

fn refusal(text: &str) -> String {
    let problem = filled(text).unwrap_err();
    format!("{}: {}", problem.line, problem.message)
}

#[test]
fn variables_filters_conditions_and_loops_are_filled_in() {
    assert_eq!(filled("# {{ title }}\r\n{# why #}\r\nx\r\n").unwrap(), "# Login API\r\nx\r\n");
    assert_eq!(filled("{{ title | slug }} {{ title|upper|lower }}").unwrap(), "login-api login api");
    assert_eq!(filled("{{ date | date('%d %B %Y') }}").unwrap(), "07 February 2026");
    assert_eq!(filled("{{ fields.people }} {{ fields['owner'] }}").unwrap(), "Ann, Bob Ann");
    assert_eq!(
        filled("{% for name in fields.people %}\n- {{ name }}\n{% endfor %}\n{% if fields.empty %}\nx\n{% else %}\ny\n{% endif %}\nz\n")
            .unwrap(),
        "- Ann\n- Bob\ny\nz\n"
    );
    assert_eq!(filled("{% raw %}{{ [1, 2] }}{% endraw %}").unwrap(), "{{ [1, 2] }}");
    assert_eq!(
        filled("{% if fields.urgent and title != 'x' %}{{ fields.urgent }}{% endif %}").unwrap(),
        "true"
    );
}

#[test]
fn errors_name_the_line_and_the_variable() {
    assert_eq!(refusal("a\n{{ titel }}"), "2: `titel` is not defined");
    assert_eq!(refusal("{{ fields.nope }}"), "1: `fields.nope` is not defined");
    assert_eq!(refusal("{% if nope %}{% endif %}"), "1: `nope` is not defined");
    assert_eq!(
        refusal("{{ title | nope }}"),
        "1: unknown filter 'nope'; expected one of slug, date, lower, upper"
    );
    assert_eq!(refusal("\n\n{{ title"), "3: unexpected end of input, expected end of variable block");
    assert_eq!(refusal("{{ title | date('%d') }}"), "1: 'Login API' is not a date such as 2026-02-07");
    assert_eq!(refusal("{{ fields }}"), "1: this value is not a text, a number or a list of texts");
    assert_eq!(refusal("{{ range(10) }}"), "1: range is unknown");
}

#[test]
fn unknown_variables_are_found_wherever_they_are() {
    let is_known = |name: &str| ["title", "fields", "fields.people", "fields.urgent"].contains(&name);
    let refusal =
        |text: &str| validate(text, is_known).map_err(|problem| (problem.line, problem.message.to_string()));
    for text in [
        "{{ title }} {{ fields['people'] }} {% for name in fields.people %}{{ loop.index }} {{ name }}{% endfor %}",
        "{% if fields.urgent %}{% set a = 'x' %}{% else %}{% set a = 'y' %}{% endif %}{{ a }}",
        "nope {# nope #} {% raw %}{{ nope }}{% endraw %} {{ 'nope' }}",
    ] {
        assert_eq!(refusal(text), Ok(()), "{text}");
    }
    for (text, line, name) in [
        ("nope\n{% if fields.urgent %}\n{{ title }}{% else %}{{ nope }}\n{% endif %}", 3, "nope"),
        ("{{ title }}\n{{ fields.nope }}", 2, "fields.nope"),
        ("{{ fields.people }}\n{{ people }}", 2, "people"),
        ("\n{% for x in fields.people %}{% endfor %}{{ x }}", 2, "x"),
        ("{{ title.nope }}", 1, "title.nope"),
    ] {
        assert_eq!(refusal(text), Err((line, format!("`{name}` is not defined"))), "{text}");
    }
    assert!(refusal("{% if title %}").is_err());
}

#[test]
fn templates_cannot_read_files_or_define_functions() {
    for (text, word) in [
        ("{% include '/etc/passwd' %}", "include"),
        ("{% import '../../x' as x %}", "import"),
        ("{% extends 'x' %}", "extends"),
        ("{% macro f() %}{% endmacro %}", "macro"),
        ("{% from 'x' import y %}", "from"),
    ] {
        assert_eq!(refusal(text), format!("1: unknown statement {word}"));
    }
    assert!(filled("{{ title.__class__ }}").is_err());
    assert!(filled("{{ self }}").is_err());
}

#[test]
fn hostile_templates_end_soon_and_with_an_error() {
    let nested = "{% for a in fields.people %}".repeat(60) + "x" + &"{% endfor %}".repeat(60);
    let loops = "{% for a in fields.people %}".repeat(20) + "x" + &"{% endfor %}".repeat(20);
    let captures = "{% set a %}aaaaaaaa{% endset %}".to_owned()
        + &"{% set a %}{{ a }}{{ a }}{% endset %}".repeat(60)
        + "{{ a }}";
    let elifs =
        "{% if fields.empty %}".to_owned() + &"{% elif fields.empty %}".repeat(100_000) + "{% endif %}";
    for text in [
        nested,
        loops,
        captures,
        elifs,
        "{{ 'x' * 1000000000 }}".into(),
        "{% set a = [1] %}".to_owned() + &"{% set a = [a, a] %}".repeat(60) + "{{ a }}",
        "{% set a = (title, title) %}".into(),
        "{{ {'a': title} }}".into(),
        format!("{{{{ title{} }}}}", ".a".repeat(100_000)),
        format!("{{{{ title{} }}}}", "|lower".repeat(100_000)),
        format!("{{{{ {}title }}}}", "not ".repeat(100_000)),
        format!("{{{{ {} }}}}", "(".repeat(100_000)),
        format!("{{{{ title{} }}}}", " and title".repeat(100_000)),
        "{% if title %}".repeat(50_000),
        "{{ date | date('%999999999d') }}".into(),
    ] {
        let started = Instant::now();
        assert!(filled(&text).is_err(), "{}", text.get(..60).unwrap_or(&text));
        assert!(started.elapsed() < Duration::from_secs(20), "{}", text.get(..60).unwrap_or(&text));
    }
}

#[test]
fn as_many_braces_as_allowed_do_not_overflow_the_stack() {
    let chain = "{% if fields.empty %}".to_owned() + &"{% elif fields.empty %}".repeat(900) + "{% endif %}";
    assert_eq!(filled(&chain).map_err(|problem| problem.message).unwrap_or_default(), "");
    assert!(filled(&"{{ title }}".repeat(900)).unwrap().starts_with("Login APILogin API"));
    assert!(filled(&format!("{{{{ title{} }}}}", "|lower".repeat(45))).is_ok());
}
