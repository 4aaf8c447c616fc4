//! What statements find, and how forbidden ones fail.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Context;
use crate::embed::Scripts;
use crate::index::tests::Project;
use crate::ops::query::{Output, Params, run};
use crate::ops::{index_refresh, index_status, query_inspect, search};
use crate::ports::{Clock, Embedder, MemorySource, ModelInfo, TextKind};
use crate::progress::Cancel;
use crate::testing::HashEmbedder;

const DIARY: [(&str, &str); 4] = [
    ("daily/2025-10-30.md", "---\ndate: 2025-10-30\ntags: [振り返り]\nmood: 3\n---\nやる気がない日。\n"),
    (
        "daily/2025-11-02.md",
        "---\ndate: 2025-11-02\ntags: [振り返り, 仕事]\nmood: 5\n---\n体調が回復した。\n",
    ),
    ("daily/2025-11-03.md", "---\ndate: 2025-11-03\nTags: [仕事]\npath: own\n---\nモチベーション低下。\n"),
    ("templates/day.md", "---\ndate: <% tp.date.now(\"YYYY-MM-DD\") %>\nplan: {a: 1}\n---\n# Day\n"),
];

fn ask(project: &Project, sql: &str) -> Output {
    run(&project.context(), Params { sql: sql.into(), ..Params::default() }).unwrap()
}

fn refused(project: &Project, sql: &str) -> String {
    let error = run(&project.context(), Params { sql: sql.into(), ..Params::default() }).unwrap_err();
    assert_eq!(error.code(), "invalid_params", "{sql}: {error}");
    error.to_string()
}

fn rows(output: &Output) -> Vec<Value> {
    output.results.iter().map(|row| Value::Array(row.values().cloned().collect())).collect()
}

#[test]
fn front_matter_is_text_and_lists_are_json() {
    let project = Project::with_pages(DIARY);
    let all = ask(&project, "SELECT path, date, tags, mood, plan, fm_path FROM files ORDER BY path");
    assert_eq!(all.columns, ["path", "date", "tags", "mood", "plan", "fm_path"]);
    assert_eq!(
        rows(&all),
        [
            json!(["daily/2025-10-30.md", "2025-10-30", "[\"振り返り\"]", "3", null, null]),
            json!(["daily/2025-11-02.md", "2025-11-02", "[\"振り返り\",\"仕事\"]", "5", null, null]),
            json!(["daily/2025-11-03.md", "2025-11-03", "[\"仕事\"]", null, null, "own"]),
            json!([
                "templates/day.md",
                "<% tp.date.now(\"YYYY-MM-DD\") %>",
                null,
                null,
                "{\"a\":\"1\"}",
                null
            ]),
        ]
    );
    let tags = ask(
        &project,
        "SELECT value AS tag, count(*) AS pages FROM files, json_each(files.tags) GROUP BY 1 ORDER BY 2 DESC, 1",
    );
    assert_eq!(rows(&tags), [json!(["仕事", 2]), json!(["振り返り", 2])]);
    let text = ask(&project, "SELECT path FROM files WHERE content LIKE '%回復%' AND updated_at > '1960'");
    assert_eq!(rows(&text), [json!(["daily/2025-11-02.md"])]);
}

#[test]
fn the_statements_in_the_docs_run_as_printed() {
    let project = Project::with_pages(DIARY);
    let found = ask(
        &project,
        "SELECT path, 1 - array_cosine_distance(embedding, embed('体調が回復した')) as score\n\
         FROM files\nORDER BY score DESC\nLIMIT 10",
    );
    assert_eq!(
        (found.row_count, found.columns.as_slice()),
        (4, ["path".to_owned(), "score".into()].as_slice())
    );
    let scores: Vec<f64> = found.results.iter().filter_map(|row| row.get("score")?.as_f64()).collect();
    assert!(scores.len() == 4 && scores.is_sorted_by(|a, b| a >= b) && scores[0] <= 1.0, "{scores:?}");

    let filtered = ask(
        &project,
        "SELECT path, date, tags, 1 - array_cosine_distance(embedding, embed('モチベーション低下')) as score\n\
         FROM files\nWHERE date >= '2025-11-01'\n  AND tags LIKE '%振り返り%'\nORDER BY score DESC\nLIMIT 10",
    );
    assert_eq!(filtered.results[0]["path"], "daily/2025-11-02.md");
    assert_eq!(filtered.row_count, 1);
}

#[test]
fn a_page_is_closest_to_itself() {
    let project =
        Project::with_pages([("a.md", "apples and pears\n"), ("b.md", "bolts and nuts\n"), ("c.md", "")]);
    let near = ask(
        &project,
        "SELECT b.path FROM files a, files b WHERE a.path = 'a.md'
         ORDER BY array_cosine_distance(a.embedding, b.embedding) NULLS LAST",
    );
    assert_eq!(rows(&near)[0], json!(["a.md"]));
    assert_eq!(rows(&ask(&project, "SELECT embedding FROM files LIMIT 1")), [json!(["FLOAT[64]"])]);
    let own = ask(&project, "SELECT path, embed(path) IS NULL AS none FROM files");
    assert!(rows(&own).iter().all(|row| row[1] == 0));
}

#[test]
fn a_page_without_a_vector_yet_is_last_and_the_others_can_be_queried() {
    let project = Project::with_pages(DIARY);
    project.put("a new.md", "# New\n");
    project.refresh();
    let context = project.context();
    let status = index_status::run(&context, index_status::Params {}).unwrap();
    assert_eq!(
        (status.enabled, status.indexing, status.indexed_count, status.page_count),
        (true, true, 4, 5)
    );
    let near = ask(&project, "SELECT path FROM files ORDER BY array_cosine_distance(embedding, embed('x'))");
    assert_eq!(rows(&near)[4], json!(["a new.md"]));
    assert_eq!(near.index.pending, 1);
    let refreshed = index_refresh::run(&context, index_refresh::Params {}).unwrap();
    assert_eq!(
        (refreshed.message.to_string().as_str(), refreshed.target_count),
        ("Indexing already in progress", 1)
    );
}

#[test]
fn without_any_vectors_only_embed_fails_and_says_why() {
    let project = Project::over(MemorySource::with_pages(DIARY));
    project.refresh();
    assert_eq!(ask(&project, "SELECT path FROM files WHERE mood = '5'").row_count, 1);
    for sql in ["SELECT embedding FROM files", "SELECT embed('x') FROM files"] {
        let message = refused(&project, sql);
        assert!(message.contains("the vectors of 4 sections are still being computed"), "{message}");
    }
    let context = project.context();
    let inspected = query_inspect::run(&context, query_inspect::Params::default()).unwrap();
    assert!(inspected.embedding_absent.is_some() && !inspected.schema.contains_key("embedding"));

    let without = Context { embedder: None, ..project.context() };
    let params = Params { sql: "SELECT embed('x')".into(), ..Params::default() };
    assert!(run(&without, params).unwrap_err().to_string().contains("no embedding model"));
}

#[test]
fn pages_without_a_vector_are_never_the_closest() {
    let project = Project::with_pages([("a empty.md", ""), ("b.md", "zebra\n"), ("c.md", "horse\n")]);
    let distance = "array_cosine_distance(embedding, embed('zebra'))";
    let closest = ask(&project, &format!("SELECT path FROM files ORDER BY {distance} LIMIT 1"));
    assert_eq!(rows(&closest), [json!(["b.md"])]);
    let scores =
        ask(&project, &format!("SELECT path, 1 - {distance} AS score FROM files ORDER BY score DESC"));
    assert_eq!(rows(&scores)[2], json!(["a empty.md", null]));
    assert!(rows(&ask(&project, &format!("SELECT path FROM files WHERE {distance} < 0.5"))).len() <= 2);
    let status = index_status::run(&project.context(), index_status::Params {}).unwrap();
    assert_eq!((status.indexed_count, status.page_count), (2, 3));
}

#[test]
fn embed_refuses_a_script_that_the_model_does_not_understand() {
    let mut project = Project::over(MemorySource::with_pages(DIARY));
    project.embedder = HashEmbedder::for_scripts(Scripts::only(["Latin"]));
    project.put("en.md", "Feeling better.\n");
    project.update();
    for (text, script) in [("体調が回復した", "Han"), ("モチベーション", "Katakana"), ("Привет", "Cyrillic")]
    {
        let message = refused(&project, &format!("SELECT path FROM files WHERE embed('{text}') IS NULL"));
        assert!(message.contains(&format!("does not understand the script {script};")), "{message}");
    }
    for text in ["feeling better", "2025-11-01", "", "the 認証 flow"] {
        ask(&project, &format!("SELECT array_cosine_distance(embedding, embed('{text}')) FROM files"));
    }
}

/// Counts the texts that it embeds, and may request a stop.
struct Watched<'a> {
    inner: &'a HashEmbedder,
    longest: AtomicUsize,
    calls: AtomicUsize,
    stops: Option<&'a Cancel>,
}

impl<'a> Watched<'a> {
    fn over(inner: &'a HashEmbedder) -> Self {
        Self { inner, longest: AtomicUsize::new(0), calls: AtomicUsize::new(0), stops: None }
    }
}

impl Embedder for Watched<'_> {
    fn model(&self) -> &ModelInfo {
        self.inner.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> crate::Result<Vec<Vec<f32>>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
        self.longest.fetch_max(longest, Ordering::Relaxed);
        self.stops.into_iter().for_each(Cancel::request);
        self.inner.embed(kind, texts)
    }

    fn token_ranges(&self, text: &str) -> crate::Result<Vec<Range<usize>>> {
        self.inner.token_ranges(text)
    }
}

#[test]
fn the_model_reads_the_beginning_of_a_long_text() {
    let project = Project::with_pages(DIARY);
    let embedder = Watched::over(&project.embedder);
    let context = Context { embedder: Some(&embedder), ..project.context() };
    for unit in ["a", "é", "認"] {
        let sql = format!("SELECT embed(replace(printf('%.*c', 15000, 'x'), 'x', '{unit}')) IS NULL AS none");
        let answer = run(&context, Params { sql, ..Params::default() }).unwrap();
        assert_eq!(answer.results[0]["none"], 0);
    }
    let longest = embedder.longest.load(Ordering::Relaxed);
    assert!((8_190..=8_192).contains(&longest), "{longest}");
    let query = "long words ".repeat(3_000_000);
    let params = search::Params { query, ..search::Params::default() };
    search::run(&context, params).unwrap();
    assert!(embedder.longest.load(Ordering::Relaxed) <= 8_192);
}

#[test]
fn the_time_limit_and_cancellation_cover_the_model() {
    let project = Project::with_pages(DIARY);
    let many: Vec<String> = (0..60).map(|number| format!("SELECT embed('text {number}') AS e")).collect();
    let params = Params { sql: many.join(" UNION ALL "), ..Params::default() };

    let (embedder, clock) = (Watched::over(&project.embedder), Hurried::default());
    let context = Context { embedder: Some(&embedder), clock: &clock, ..project.context() };
    let error = run(&context, params.clone()).unwrap_err();
    assert!(error.to_string().contains("took longer than 1500 ms"), "{error}");
    assert!(embedder.calls.load(Ordering::Relaxed) < 30);

    let cancel = Cancel::default();
    let embedder = Watched { stops: Some(&cancel), ..Watched::over(&project.embedder) };
    let context = Context { embedder: Some(&embedder), cancel: &cancel, ..project.context() };
    assert_eq!(run(&context, params).unwrap_err().code(), "cancelled");
    assert_eq!(embedder.calls.load(Ordering::Relaxed), 1);
}

#[test]
fn the_number_of_embedded_texts_is_limited() {
    let project = Project::with_pages(DIARY);
    let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100) SELECT embed(x || '') FROM n";
    assert!(refused(&project, sql).contains("at most 64 different texts"));
}

#[test]
fn a_single_value_among_lists_is_a_list_of_one() {
    let project = Project::with_pages([
        ("a.md", "---\ntags: single\nowners: [kim, lee]\ndate: 2025-01-01\n---\n"),
        ("b.md", "---\ntags: [x, y]\nowners: [kim]\ndate: 2025-01-02\n---\n"),
        ("c.md", "---\nowners: lee\ndate: [2025-01-03]\n---\n"),
    ]);
    let items = |key: &str| {
        let sql = format!("SELECT value FROM files, json_each(files.{key}) ORDER BY files.path, 1");
        rows(&ask(&project, &sql))
    };
    assert_eq!(items("tags"), [json!(["single"]), json!(["x"]), json!(["y"])]);
    assert_eq!(items("owners"), [json!(["kim"]), json!(["lee"]), json!(["kim"]), json!(["lee"])]);
    let dates = ask(&project, "SELECT path FROM files WHERE date = '2025-01-02'");
    assert_eq!(rows(&dates), [json!(["b.md"])]);
    let message = refused(&project, "SELECT value FROM files, json_each(files.date)");
    assert!(message.contains("malformed JSON; json_each() takes a list"), "{message}");
}

#[test]
fn columns_are_listed_with_their_types_and_counts() {
    let project = Project::with_pages(DIARY);
    let params = query_inspect::Params { glob: Some("daily/*.md".into()), ..Default::default() };
    let inspected = query_inspect::run(&project.context(), params).unwrap();
    assert_eq!(inspected.file_count, 3);
    let told: Vec<String> = inspected
        .schema
        .iter()
        .map(|(name, info)| {
            format!("{name} {} {}{}", info.kind, info.count, if info.nullable { "?" } else { "" })
        })
        .collect();
    assert_eq!(
        told,
        [
            "content string 3",
            "date string 3",
            "embedding FLOAT[64] 3?",
            "fm_path string 1?",
            "mood string 2?",
            "path string 3",
            "tags array 3",
            "updated_at string 3",
        ]
    );
}

#[test]
fn only_the_table_can_be_read_and_nothing_can_be_changed() {
    let project = Project::with_pages(DIARY);
    for sql in [
        "DELETE FROM files",
        "UPDATE files SET date = ''",
        "INSERT INTO files(path) VALUES ('x')",
        "DROP TABLE files",
        "CREATE TABLE t (x)",
        "CREATE TEMP TABLE t AS SELECT 1",
        "ATTACH '/tmp/other.db' AS other",
        "DETACH main",
        "PRAGMA user_version",
        "PRAGMA writable_schema = 1",
        "SELECT * FROM pragma_table_info('files')",
        "SELECT * FROM sqlite_master",
        "SELECT name FROM sqlite_schema",
        "SELECT * FROM pages",
        "SELECT * FROM dbstat",
        "SELECT load_extension('x.so')",
        "SELECT 1; DELETE FROM files",
        "SELECT 1; SELECT 2",
        "VACUUM INTO '/tmp/copy.db'",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "SAVEPOINT s",
        "EXPLAIN DELETE FROM files",
        "WITH x AS (SELECT 1) DELETE FROM files",
        "SELECT fts3_tokenizer('simple')",
        "SELECT readfile('/etc/passwd')",
        "SELECT * FROM files WHERE path = ?1",
        "SELEC path FROM files",
        "",
        " ; ",
        "SELECT \0 FROM files",
    ] {
        let message = refused(&project, sql);
        assert!(!message.is_empty(), "{sql}");
    }
    assert_eq!(ask(&project, "SELECT count(*) FROM files").results[0]["count(*)"], 4);
}

#[test]
fn errors_say_what_to_write_instead() {
    let project = Project::with_pages([("a.md", "---\nstatus: done\n---\n")]);
    insta::assert_snapshot!(refused(&project, "SELECT state FROM files"), @r#"no such column: state; the columns are "path", "status", "content", "updated_at", "embedding""#);
    insta::assert_snapshot!(refused(&project, "SELECT path FROM pages"), @"no such table: pages; the table is files");
    insta::assert_snapshot!(refused(&project, "SELECT path FORM files"), @r#"near "files": syntax error"#);
    insta::assert_snapshot!(refused(&project, "SELECT 1; SELECT 2"), @"a query is a single statement");
    insta::assert_snapshot!(refused(&project, "DELETE FROM files"), @"a query cannot change anything: a query is one SELECT over the table files");
    for (sql, hint) in [
        ("SELECT UNNEST(tags) FROM files", "json_each(files.tags)"),
        ("SELECT * FROM files, UNNEST(tags)", "json_each(files.tags)"),
        ("SELECT TRY_CAST(status AS INTEGER) FROM files", "CAST(x AS INTEGER)"),
        ("SELECT date_trunc('month', date) FROM files", "substr(date, 1, 7)"),
        ("DESCRIBE files", "LIMIT 1 shows the columns"),
        ("SELECT status::int FROM files", "CAST(x AS INT)"),
        ("SELECT path FROM files WHERE path ILIKE 'A%'", "use LIKE"),
    ] {
        let message = refused(&project, sql);
        assert!(message.contains(hint), "{sql}: {message}");
    }
    insta::assert_snapshot!(refused(&project, "SELECT array_cosine_distance(path, status) FROM files"), @"array_cosine_distance() takes two vectors");
}

/// A clock that advances a tenth of a second each time it is read.
#[derive(Default)]
struct Hurried(AtomicU64);

impl Clock for Hurried {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn monotonic_micros(&self) -> u64 {
        self.0.fetch_add(100_000, Ordering::Relaxed)
    }

    fn new_id(&self) -> Uuid {
        Uuid::nil()
    }
}

#[test]
fn endless_statements_are_stopped() {
    let project = Project::with_pages(DIARY);
    let clock = Hurried::default();
    let context = Context { clock: &clock, ..project.context() };
    for sql in [
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n) SELECT max(x) FROM n",
        "SELECT count(*) FROM files a, files b, files c, files d, files e, files f, files g, files h, files i, \
         files j, files k, files l, files m, files n, files o, files p WHERE a.path || p.path LIKE '%q%q%'",
    ] {
        let error = run(&context, Params { sql: sql.into(), ..Params::default() }).unwrap_err();
        assert!(error.to_string().contains("took longer than 1500 ms"), "{error}");
    }
    project.context().cancel.request();
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    let error = run(&project.context(), Params { sql: endless.into(), ..Params::default() }).unwrap_err();
    assert_eq!(error.code(), "cancelled");
}

#[test]
fn unbounded_results_are_truncated_or_rejected() {
    let project = Project::with_pages(DIARY);
    let many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
    let all = ask(&project, many);
    assert_eq!((all.row_count, all.truncated), (1_000, true));
    let params = Params { sql: many.into(), max_rows: Some(3), ..Params::default() };
    assert_eq!(run(&project.context(), params).unwrap().row_count, 3);
    let wide = ask(&project, "SELECT hex(zeroblob(1000000)) AS x FROM files a, files b");
    assert!(wide.truncated && wide.row_count == 2, "{}", wide.row_count);
    for sql in [
        "SELECT zeroblob(1000000000)",
        "SELECT printf('%.*c', 1000000000, 'x')",
        "SELECT replace(hex(zeroblob(8000000)), '0', 'xxxx')",
    ] {
        let message = refused(&project, sql);
        assert!(message.contains("16 MB") || message.contains("too big"), "{sql}: {message}");
    }
    let params = Params {
        sql: "SELECT hex(zeroblob(300)) AS x FROM files".into(),
        max_tokens: Some(500),
        ..Params::default()
    };
    let small = run(&project.context(), params).unwrap();
    assert!(small.row_count < 4 && small.omitted.pages == 4 - small.row_count && small.truncated);
}

#[test]
fn colliding_column_names_stay_distinct() {
    let project = Project::with_pages([
        ("a.md", "---\n\"we\\\"ird\": 1\nStatus: x\ncontent: own\nfm_content: other\n---\nbody\n"),
        ("b.md", "---\nstatus: y\nstatus2: z\n---\n"),
    ]);
    let all = ask(
        &project,
        "SELECT a.path, b.path, a.status, a.\"we\"\"ird\" FROM files a JOIN files b USING (path)",
    );
    assert_eq!(all.columns, ["path", "path_2", "Status", "we\"ird"]);
    let own = ask(&project, "SELECT content, fm_content, fm_fm_content FROM files WHERE path = 'a.md'");
    assert_eq!(rows(&own), [json!(["body\n", "other", "own"])]);
}
