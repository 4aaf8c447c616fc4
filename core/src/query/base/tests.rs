//! What bases list and say.
#![allow(clippy::unwrap_used)]

mod hostile;

use jiff::Timestamp;

use super::Base;
use crate::index::tests::Project;
use crate::ops::{doctor, get_page, render_page};

const PAGES: [(&str, &str); 5] = [
    (
        "books/Dune.md",
        "---\ntype: book\nstatus: done\nprice: 12.5\nrating: 5\nauthor: \"[[Frank]]\"\ntags: [book/scifi, owned]\nread: 2026-02-01\n---\n# Dune\n",
    ),
    (
        "books/Emma.md",
        "---\ntype: book\nstatus: open\nprice: 7\nrating: 4\ntags: [book]\nread:\n---\n# Emma\n\n[[Frank]]\n",
    ),
    ("books/old/Faust.md", "---\ntype: book\ntags: [book]\nprice: 3\n---\n# Faust | I\n"),
    ("people/Frank.md", "---\ntype: person\ntags: [writer]\n---\n# Frank Herbert\n"),
    ("index.md", "# Index\n\n[[Dune]]\n"),
];

/// A project whose page `q.md` has the text `text`.
fn project(text: &str) -> Project {
    Project::with_pages(PAGES.into_iter().chain([("q.md", text)]))
}

/// The answer of a base in the page `q.md`, as Markdown.
fn answer(base: &str) -> String {
    answers(&project(&format!("# Q\n\n```base\n{base}\n```\n"))).remove(0)
}

fn answers(project: &Project) -> Vec<String> {
    let params = get_page::Params { page: Some("q.md".into()), ..Default::default() };
    get_page::run(&project.context(), params).unwrap().answers
}

fn html(project: &Project) -> String {
    let params = render_page::Params { page: Some("q.md".into()), ..Default::default() };
    render_page::run(&project.context(), params).unwrap().html
}

/// The names of the pages that a filter finds.
fn found(filter: &str) -> Vec<String> {
    let quoted = serde_json::to_string(filter).unwrap();
    let list = answer(&format!("filters: {quoted}\nviews:\n  - type: list\n    order: [file.path]"));
    let lines: Vec<String> =
        list.lines().filter_map(|line| line.strip_prefix("- ").map(str::to_owned)).collect();
    if lines.is_empty() && !list.contains("Nothing found") {
        return vec![list];
    }
    lines.iter().map(|path| path.rsplit('/').next().unwrap().trim_end_matches(".md").to_owned()).collect()
}

#[test]
fn filters_find_pages() {
    for (filter, expected) in [
        ("file.hasTag(\"book\")", vec!["Dune", "Emma", "Faust"]),
        ("file.hasTag('#scifi', 'WRITER')", vec!["Frank"]),
        ("file.inFolder(\"books\")", vec!["Dune", "Emma", "Faust"]),
        ("file.inFolder(\"books/old/\")", vec!["Faust"]),
        ("file.inFolder(\"book\")", vec![]),
        ("file.hasLink(\"Frank\")", vec!["Dune", "Emma"]),
        ("file.hasLink(\"people/Frank.md\") && !file.hasTag(\"owned\")", vec!["Emma"]),
        ("file.hasLink(this.file)", vec![]),
        ("file.name == \"Dune\" || file.name == \"Emma.md\"", vec!["Dune", "Emma"]),
        ("file.basename.startsWith(\"F\")", vec!["Faust", "Frank"]),
        ("file.folder == \"/\"", vec!["index", "q"]),
        ("file.path.endsWith(\"old/Faust.md\")", vec!["Faust"]),
        ("file.ext == \"md\" && file.size > 60 && file.folder != '/'", vec!["Dune", "Emma"]),
        ("file.tags.contains(\"#owned\")", vec!["Dune"]),
        ("file.links.length > 0", vec!["Dune", "Emma", "index"]),
        ("file.backlinks.contains(file(\"index\"))", vec!["Dune"]),
        ("file.mtime > now() - \"2w 1d\"", vec!["Dune", "Emma", "Faust", "index", "Frank", "q"]),
        ("file == this", vec!["q"]),
        ("status == \"done\"", vec!["Dune"]),
        ("note.status != \"done\" && type == \"book\"", vec!["Emma", "Faust"]),
        ("note[\"status\"]", vec!["Dune", "Emma"]),
        ("STATUS == 'open'", vec!["Emma"]),
        ("price >= 7", vec!["Dune", "Emma"]),
        ("price < 7", vec!["Faust"]),
        ("price * 2 - 1 == 5", vec!["Faust"]),
        ("rating / 2 > 2", vec!["Dune"]),
        ("type == \"book\" && read.isEmpty()", vec!["Emma", "Faust"]),
        ("read == null && rating", vec!["Emma"]),
        ("read >= date(\"2026-01-31\")", vec!["Dune"]),
        ("read < \"2026-02-02\"", vec!["Dune"]),
        ("read.year == 2026 && read + \"1M\" == date('2026-03-01')", vec!["Dune"]),
        ("author == link(\"people/Frank\")", vec!["Dune"]),
        ("list(author).contains(file('Frank'))", vec!["Dune"]),
        ("tags.containsAny(\"writer\", \"owned\")", vec!["Dune", "Frank"]),
        ("[1, 2, 3].contains(rating - 1)", vec!["Emma"]),
        ("status.lower().contains(\"ON\".lower())", vec!["Dune"]),
        ("if(rating, rating > 4, type == \"person\")", vec!["Dune", "Frank"]),
        ("file.hasProperty(\"Rating\")", vec!["Dune", "Emma"]),
        ("-rating == -5", vec!["Dune"]),
        ("(rating - 5).abs() <= 0 && rating", vec!["Dune"]),
    ] {
        assert_eq!(found(filter), expected, "{filter}");
    }
}

#[test]
fn a_filter_that_is_not_known_is_an_error_and_never_ignored() {
    for (filter, expected) in [
        ("file.hasTask()", "line 1: UBP does not know the method `hasTask()`"),
        ("taggedWith(file.file, \"book\")", "line 1: UBP does not know the function `taggedWith()`"),
        ("file.colour == 1", "line 1: UBP does not know the property `file.colour`"),
        ("/x/.matches(file.name)", "line 1: UBP does not know regular expressions in bases"),
        ("formula.none > 1", "line 1: the base has no formula `none`"),
        ("status == ", "line 1: a value is missing at the end"),
        ("status = 1", "line 1: `=` is not expected in `status = 1`"),
        ("file.inFolder()", "line 1: `inFolder()` takes 1 arguments, not 0"),
        ("\"open", "line 1: a quote is missing: \"open"),
        ("a b", "line 1: `b` is not expected in `a b`"),
    ] {
        assert_eq!(found(filter), [format!("This base has no answer: {expected}\n")], "{filter}");
    }
    for (base, expected) in [
        (
            "filters:\n  and:\n    - !file.hasTag(\"x\")",
            "line 3: put quotes around an expression that begins with `!`",
        ),
        ("filters:\n  xor:\n    - a", "line 3: UBP does not know the filter `xor`"),
        ("filters:\n  - a", "line 2: write `and:`, `or:` or `not:` before a list of filters"),
        ("filters:\n  and: [a]\n  or: [b]", "line 2: a filter has one of `and`, `or` and `not`"),
        ("filters: {", "this is not valid YAML"),
        ("views: 3", "line 1: `views` has to be a list"),
        ("views:\n  - type: table\n    limit: many", "line 3: `limit` has to be a number"),
        ("- a", "line 1: `base` has to be a map"),
        (
            "formulas:\n  a: formula.b\n  b: formula.a\nfilters: formula.a",
            "line 4: the formula `a` has an error in line 2: the formula `a` uses its own value",
        ),
    ] {
        let found = answer(base);
        assert!(
            found.starts_with("This base has no answer: ") && found.contains(expected),
            "{base}: {found}"
        );
    }
}

const LIBRARY: &str = r#"filters:
  and:
    - file.hasTag("book")
    - not:
        - file.inFolder("books/old")
        - status == "lost"
formulas:
  label: 'if(rating > 4, "great", "good") + " book"'
  tax: (price * 0.1).toFixed(2)
  with_tax: price + number(formula.tax)
properties:
  note.rating:
    displayName: Stars
  formula.with_tax:
    displayName: With tax
  status: {displayName: State}
views:
  - type: table
    name: All
    order: [file.name, rating, status, formula.label, formula.with_tax, file.tags, author]
    sort:
      - {property: price, direction: ASC}
    columnSize: {note.rating: 90}
  - type: cards
    name: By state
    filters: formula.with_tax > 1
    groupBy: {property: status, direction: DESC}
    order: [file.name, rating]
  - type: table
    name: Grouped
    groupBy: status
    limit: 1
  - type: map
    name: Where
    lat: latitude
    order: [file.name, formula.gone]
    summaries: {price: Sum}
  - type: list
    name: Pictures
    filters: file.ext == "png"
"#;

#[test]
fn a_view_shows_properties_and_formulas_in_order() {
    insta::assert_snapshot!(answer(LIBRARY), @r##"
    | name | Stars | State | label | With tax | tags | author |
    | --- | --- | --- | --- | --- | --- | --- |
    | [Emma](books/Emma.md) | 4 | open | good book | 7.7 | book |  |
    | [Dune](books/Dune.md) | 5 | done | great book | 13.75 | book/scifi, owned | [[Frank]] |
    "##);
}

#[test]
fn views_of_a_file_are_embedded_by_name() {
    let project = project(
        "![[Library.base#By state]]\n\nin a line ![[Library.base]] of text\n\n![[Library.base#grouped]]\n\n![[Library.base#Nope]]\n\n![[gone.base]] [[Library.base]]\n",
    );
    project.source.put_source("lists/Library.base", LIBRARY.as_bytes(), Timestamp::UNIX_EPOCH);
    insta::assert_snapshot!(answers(&project).join("---\n"), @r##"
    **open**

    - [Emma](books/Emma.md) · 4

    **done**

    - [Dune](books/Dune.md) · 5
    ---
    | name | Stars | State | label | With tax | tags | author |
    | --- | --- | --- | --- | --- | --- | --- |
    | [Emma](books/Emma.md) | 4 | open | good book | 7.7 | book |  |
    | [Dune](books/Dune.md) | 5 | done | great book | 13.75 | book/scifi, owned | [[Frank]] |
    ---
    **done**

    | name |
    | --- |
    | [Dune](books/Dune.md) |
    ---
    `lists/Library.base` has no answer: the base has no view `Nope`; it has `All`, `By state`, `Grouped`, `Where`, `Pictures`
    "##);
    insta::assert_snapshot!(html(&project), @r##"
    <section class="embed" data-file="lists/Library.base">
    <p class="embed-title"><a class="attachment" data-file="lists/Library.base" href="project-files/lists/Library.base">Library &gt; By state</a></p>
    <div class="query board"><section><p class="query-group">open</p><ul>
    <li><a class="link" data-page="books/Emma.md" data-type="references" href="books/Emma.html">Emma</a> · 4</li>
    </ul>
    </section><section><p class="query-group">done</p><ul>
    <li><a class="link" data-page="books/Dune.md" data-type="references" href="books/Dune.html">Dune</a> · 5</li>
    </ul>
    </section></div>
    </section>
    <p>in a line </p>
    <section class="embed" data-file="lists/Library.base">
    <p class="embed-title"><a class="attachment" data-file="lists/Library.base" href="project-files/lists/Library.base">Library</a></p>
    <div class="query"><table>
    <thead><tr><th scope="col">name</th><th scope="col">Stars</th><th scope="col">State</th><th scope="col">label</th><th scope="col">With tax</th><th scope="col">tags</th><th scope="col">author</th></tr></thead><tbody>
    <tr><td><a class="link" data-page="books/Emma.md" data-type="references" href="books/Emma.html">Emma</a></td><td>4</td><td>open</td><td>good book</td><td>7.7</td><td>book</td><td></td></tr>
    <tr><td><a class="link" data-page="books/Dune.md" data-type="references" href="books/Dune.html">Dune</a></td><td>5</td><td>done</td><td>great book</td><td>13.75</td><td>book/scifi, owned</td><td><a class="link" data-page="people/Frank.md" data-type="references" href="people/Frank.html">Frank</a></td></tr>
    </tbody></table>
    </div>
    </section>
    <p>of text</p>
    <section class="embed" data-file="lists/Library.base">
    <p class="embed-title"><a class="attachment" data-file="lists/Library.base" href="project-files/lists/Library.base">Library &gt; grouped</a></p>
    <div class="query"><section><p class="query-group">done</p><table>
    <thead><tr><th scope="col">name</th></tr></thead><tbody>
    <tr><td><a class="link" data-page="books/Dune.md" data-type="references" href="books/Dune.html">Dune</a></td></tr>
    </tbody></table>
    </section></div>
    </section>
    <section class="embed" data-file="lists/Library.base">
    <p class="embed-title"><a class="attachment" data-file="lists/Library.base" href="project-files/lists/Library.base">Library &gt; Nope</a></p>
    <div class="query query-problem"><p><code>lists/Library.base</code> has no answer: the base has no view <code>Nope</code>; it has <code>All</code>, <code>By state</code>, <code>Grouped</code>, <code>Where</code>, <code>Pictures</code></p>
    </div>
    </section>
    <p><a class="link missing" data-target="gone.base" role="link" aria-disabled="true">gone.base</a> <a class="attachment" data-file="lists/Library.base" href="project-files/lists/Library.base">Library.base</a></p>
    "##);
}

#[test]
fn what_is_not_known_is_named_below_the_rest() {
    let project = project("![[Library.base#Where]]\n\n![[Library.base#Pictures]]\n");
    project.source.put_source("Library.base", LIBRARY.as_bytes(), Timestamp::UNIX_EPOCH);
    insta::assert_snapshot!(answers(&project).join("---\n"), @r##"
    | name | gone |
    | --- | --- |
    | [Dune](books/Dune.md) |  |
    | [Emma](books/Emma.md) |  |

    Line 33: UBP does not know views of the type `map`, and shows a table. The rest is shown.

    Line 35: UBP does not show `lat` of a view. The rest is shown.

    Line 37: UBP does not show `summaries` of a view. The rest is shown.

    Without a value: the base has no formula `gone`.
    ---
    *Nothing found.*

    UBP lists only pages, no files that end in `.png`.
    "##);
    assert!(html(&project).contains("<div class=\"query-notes\"><p>Line 33: "), "{}", html(&project));
}

#[test]
fn an_answer_follows_the_pages_and_the_file() {
    let project = project("![[list.base]]\n");
    let put = |text: &str| project.source.put_source("list.base", text.as_bytes(), Timestamp::UNIX_EPOCH);
    put("filters: status == \"done\"");
    assert_eq!(answers(&project), ["| name |\n| --- |\n| [Dune](books/Dune.md) |\n"]);
    project.put("books/Emma.md", "---\nstatus: done\n---\n# Emma\n");
    project.update();
    assert!(answers(&project)[0].ends_with("| [Emma](books/Emma.md) |\n"));
    put("filters: status == \"lost\"");
    assert_eq!(answers(&project), ["*Nothing found.*\n"]);
}

#[test]
fn an_answer_is_limited_in_rows_and_says_so() {
    let many: Vec<(String, String)> =
        (0..600).map(|number| (format!("n/{number}.md"), String::new())).collect();
    let pages = many.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let project = Project::with_pages(
        pages.chain([("q.md", "```base\nviews: []\n```\n\n```base\nviews: [{limit: 2}]\n```\n")]),
    );
    let answers = answers(&project);
    assert!(answers[0].ends_with("\n*The first 500 rows; there are more.*\n"), "{}", answers[0]);
    assert_eq!(answers[0].lines().filter(|line| line.starts_with("| [")).count(), 500);
    assert_eq!(answers[1].lines().count(), 4, "{}", answers[1]);
}

#[test]
fn doctor_names_the_lines_of_a_base_with_errors() {
    let project = Project::with_pages(PAGES);
    let put =
        |path: &str, text: &str| project.source.put_source(path, text.as_bytes(), Timestamp::UNIX_EPOCH);
    put("a.base", LIBRARY);
    put(
        "x/b.base",
        "views:\n  - filters:\n      or: [file.hasTask(), a ==]\n  - filters: formula.x\nformulas: {y: 1 +}\n",
    );
    put("c.BASE", "views: [\n");
    let output = doctor::run(&project.context(), doctor::Params::default()).unwrap();
    let found: Vec<_> = output.findings.into_iter().filter(|finding| finding.code == "base").collect();
    let told: Vec<String> = found.into_iter().map(|finding| finding.message.to_string()).collect();
    insta::assert_snapshot!(told.join("\n"), @r##"
    c.BASE:1: this is not valid YAML: unclosed bracket '['
    x/b.base:3: UBP does not know the method `hasTask()`
    x/b.base:3: a value is missing at the end
    x/b.base:4: the base has no formula `x`
    x/b.base:5: a value is missing at the end
    "##);
}

#[test]
fn pages_in_answers_are_linked_and_values_are_text() {
    let evil = "<script>x</script> **b** ![](p.png) `c`";
    let base = format!(
        "formulas:\n  evil: '\"{evil}\"'\n  who: file(\"Frank\").asLink(\"by\")\nfilters: author\nviews:\n  - order: [formula.evil, formula.who, author]\n    name: x"
    );
    let project = project(&format!("```base\n{base}\n```\n"));
    let html = html(&project);
    for tag in ["<script", "<strong", "<img", "<code"] {
        assert!(!html.contains(tag), "{tag}: {html}");
    }
    assert!(html.contains(">by</a>") && html.contains(">Frank</a>") && html.contains("**b**"), "{html}");
}

#[test]
fn an_error_in_one_view_does_not_concern_the_others() {
    let base = "formulas: {bad: 1 +}\nviews:\n  - order: [file.name]\n    limit: 1\n  - filters: nope()\n    name: b\n";
    assert!(answer(base).contains("[Dune]"));
    assert_eq!(Base::parse(base).unwrap().problems().len(), 2);
}
