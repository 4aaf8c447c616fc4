//! What queries in pages show.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use pulldown_cmark::{Event, Parser};

use crate::index::tests::Project;
use crate::ops::{get_page, render_page};
use crate::page::markdown_options;
use crate::query::shown::escaped;

const PAGES: [(&str, &str); 5] = [
    (
        "decisions/use-postgres.md",
        "---\ntype: adr\nstatus: accepted\ndate: 2026-02-01\ntags: [db, ops]\n---\n# Use Postgres\n",
    ),
    (
        "decisions/No GPL.md",
        "---\ntype: adr\nstatus: proposed\ndate: 2026-03-01\nowner: \"[[people/ann|Ann]]\"\n---\n# No *GPL* | ever\n",
    ),
    ("decisions/old.md", "---\ntype: adr\ndate: 2024-01-01\neffort: 13\n---\n# Old\n"),
    ("people/ann.md", "---\ntype: person\nstatus: here\neffort: 2\n---\n# Ann\n"),
    ("plain.md", "# Plain\n"),
];

/// The HTML of a page in `notes/` whose text is `text`.
fn html(text: &str) -> String {
    let project = Project::with_pages(PAGES.into_iter().chain([("notes/q.md", text)]));
    let params = render_page::Params { page: Some("notes/q.md".into()), ..Default::default() };
    render_page::run(&project.context(), params).unwrap().html
}

fn answer(info: &str, query: &str) -> String {
    html(&format!("```{info}\n{query}\n```\n"))
}

/// The text of the links to pages, in order.
fn linked(html: &str) -> Vec<&str> {
    let links = html.split("<a class=\"link\"").skip(1);
    links.map(|link| link.split_once('>').unwrap().1.split_once("</a>").unwrap().0).collect()
}

#[test]
fn filters_find_pages_by_front_matter() {
    for (query, expected) in [
        ("type: adr", vec!["No GPL | ever", "Old", "Use Postgres"]),
        ("type: adr\nsort: date desc", vec!["No GPL | ever", "Use Postgres", "Old"]),
        ("type: adr\nsort: date\nlimit: 1", vec!["Old"]),
        ("# all that are open\ntype: adr\nstatus: != accepted", vec!["No GPL | ever", "Old"]),
        ("tags: #db", vec!["Use Postgres"]),
        ("date: >= 2026-02-01", vec!["No GPL | ever", "Use Postgres"]),
        ("effort: > 9", vec!["Old"]),
        ("effort: 13", vec!["Old"]),
        ("status: *", vec!["No GPL | ever", "Use Postgres", "Ann"]),
        ("status: != *\ntype: *", vec!["Old"]),
        ("path: people/*", vec!["Ann"]),
        ("type: it's", vec![]),
    ] {
        assert_eq!(linked(&answer("ubp list", query)), expected, "{query}");
    }
}

#[test]
fn a_select_is_shown_as_a_table() {
    let html =
        answer("ubp", "SELECT path, status, tags, owner FROM files WHERE type = 'adr' ORDER BY date DESC");
    insta::assert_snapshot!(html, @r#"
    <div class="query"><table>
    <thead><tr><th scope="col">page</th><th scope="col">status</th><th scope="col">tags</th><th scope="col">owner</th></tr></thead><tbody>
    <tr><td><a class="link" data-page="decisions/No GPL.md" data-type="references" href="../decisions/No%20GPL.html">No GPL | ever</a></td><td>proposed</td><td></td><td><a class="link" data-page="people/ann.md" data-type="references" href="../people/ann.html">Ann</a></td></tr>
    <tr><td><a class="link" data-page="decisions/use-postgres.md" data-type="references" href="../decisions/use-postgres.html">Use Postgres</a></td><td>accepted</td><td>db, ops</td><td></td></tr>
    <tr><td><a class="link" data-page="decisions/old.md" data-type="references" href="../decisions/old.html">Old</a></td><td></td><td></td><td></td></tr>
    </tbody></table>
    </div>
    "#);
}

#[test]
fn a_board_has_a_list_for_each_value() {
    let html = answer("ubp board status", "type: adr\nshow: date\nsort: date");
    insta::assert_snapshot!(html, @r#"
    <div class="query board"><section><p class="query-group">no status</p><ul>
    <li><a class="link" data-page="decisions/old.md" data-type="references" href="../decisions/old.html">Old</a> · 2024-01-01</li>
    </ul>
    </section><section><p class="query-group">accepted</p><ul>
    <li><a class="link" data-page="decisions/use-postgres.md" data-type="references" href="../decisions/use-postgres.html">Use Postgres</a> · 2026-02-01</li>
    </ul>
    </section><section><p class="query-group">proposed</p><ul>
    <li><a class="link" data-page="decisions/No GPL.md" data-type="references" href="../decisions/No%20GPL.html">No GPL | ever</a> · 2026-03-01</li>
    </ul>
    </section></div>
    "#);
}

#[test]
fn a_query_without_an_answer_says_why() {
    for (info, query, expected) in [
        ("ubp", "type: nothing-like-it", "<em>Nothing found.</em>"),
        ("ubp", "colour: red", "no page has the key `colour` in its front matter"),
        ("ubp", "just words", "`just words` is neither SQL nor a filter"),
        ("ubp", "type:", "`type:` has no value"),
        ("ubp", "limit: many", "`limit: many`: not a number"),
        ("ubp", "SELECT nope FROM files", "no such column: nope"),
        ("ubp", "SELECT path FROM pages", "This query has no answer: "),
        ("ubp", "WITH x AS (SELECT 1) DELETE FROM files", "This query has no answer: "),
        ("ubp board", "type: adr", "a board needs a key"),
        ("ubp board status", "SELECT path FROM files", "has no column `status`"),
        ("ubp chart", "type: adr", "unknown view: ubp chart"),
        ("ubp", "", "<ul>"),
    ] {
        let found = answer(info, query);
        let found = found.replace("<code>", "`").replace("</code>", "`");
        let is_all = query.is_empty() && linked(&found).len() == 6;
        assert!(is_all || found.contains(expected), "{query}: {found}");
    }
}

#[test]
fn values_are_text_and_cannot_add_markup() {
    let evil =
        "---\ntype: evil\nnote: \"<script>x</script> **b** | ![](p.png) [x](javascript:y) `c` $m$\"\n---\n";
    let project = Project::with_pages([("e.md", evil), ("q.md", "```ubp\ntype: evil\nshow: note\n```\n")]);
    let params = render_page::Params { page: Some("q.md".into()), ..Default::default() };
    let html = render_page::run(&project.context(), params).unwrap().html;
    for tag in ["<script", "<strong", "<img", "<code", "<math", "javascript:y\""] {
        assert!(!html.contains(tag), "{tag}: {html}");
    }
    assert!(html.contains("**b** | ![](p.png)"), "{html}");
}

#[test]
fn queries_of_a_page_are_limited_and_other_code_is_unchanged() {
    let html = html(&format!("{}```sql\nSELECT 1\n```\n", "```ubp list\ntype: person\n```\n".repeat(22)));
    assert_eq!(linked(&html).len(), 20);
    assert_eq!(html.matches("at most 20 queries").count(), 2);
    assert!(html.contains("<code class=\"language-sql\">SELECT 1"), "{html}");
}

#[test]
fn who_reads_the_page_gets_the_answers_as_markdown() {
    let text = "# Q\n\n```ubp\ntags: ops\nshow: status\n```\n\n## More\n\n~~~ubp board status\ntype: person\n~~~\n\n```ubp\noops\n```\n";
    let project = Project::with_pages(PAGES.into_iter().chain([("notes/q.md", text)]));
    let read = |section: Option<&str>| {
        let section = section.map(str::to_owned);
        let params = get_page::Params { page: Some("notes/q.md".into()), section, ..Default::default() };
        get_page::run(&project.context(), params).unwrap().answers
    };
    let answers = read(None);
    assert_eq!(
        answers[0],
        "| page | status |\n| --- | --- |\n| [Use Postgres](../decisions/use-postgres.md) | accepted |\n"
    );
    assert_eq!(answers[1], "**here**\n\n- [Ann](../people/ann.md)\n");
    assert!(answers[2].starts_with("This query has no answer: `oops` is neither SQL"), "{}", answers[2]);
    assert_eq!(read(Some("q/more")), answers[1..]);
    assert_eq!(read(Some("q/more")).len(), 2);
}

#[test]
fn who_reads_the_page_gets_the_same_answers_in_any_letter_case() {
    let base = "views:\n  - type: list\n    order: [file.name]\n";
    for question in [
        "~~~UBP list\ntype: person\n~~~\n".to_owned(),
        format!("```Base\n{base}```\n"),
        "![[People.Base]]\n".to_owned(),
    ] {
        let project = Project::with_pages(PAGES.into_iter().chain([("q.md", question.as_str())]));
        project.source.put_source("pages/People.Base", base.as_bytes(), jiff::Timestamp::UNIX_EPOCH);
        project.refresh();
        let page = Some("q.md".to_owned());
        let read = get_page::Params { page: page.clone(), ..Default::default() };
        let answers = get_page::run(&project.context(), read).unwrap().answers;
        let params = render_page::Params { page, ..Default::default() };
        let html = render_page::run(&project.context(), params).unwrap().html;
        assert_eq!(
            (answers.len(), html.matches("<div class=\"query\"").count()),
            (1, 1),
            "{question}: {html}"
        );
    }
}

#[test]
fn signs_that_are_not_markup_are_not_escaped() {
    assert_eq!(
        escaped("2026-02-01, snake_case (50%) 1.2 = x + y!"),
        "2026-02-01, snake_case (50%) 1.2 = x + y!"
    );
    assert_eq!(escaped("1. # _a_ %%x%%"), "1\\. # \\_a\\_ \\%\\%x\\%\\%");
}

proptest! {
    #[test]
    fn escaped_text_is_shown_as_it_is(text in "([!-/:-@\\[-`{-~]|[a1é認]|&amp;|==|%%|1\\. |- | ){1,24}") {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for before in ["- ", "| ", "x · "] {
            let markdown = format!("{before}{}", escaped(&text));
            let mut shown = String::new();
            for event in Parser::new_ext(&markdown, markdown_options()) {
                match event {
                    Event::Text(part) => shown += &part,
                    Event::Start(_) | Event::End(_) => {}
                    other => prop_assert!(false, "{other:?} in {markdown}"),
                }
            }
            let expected = format!("{}{text}", before.trim_start_matches("- "));
            prop_assert_eq!(shown, expected.trim(), "{}", markdown);
        }
    }
}
