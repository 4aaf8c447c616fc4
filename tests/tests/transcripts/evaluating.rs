//! Measuring search quality with `ubp eval`.

use insta::assert_snapshot;
use ubp_core::progress::Cancel;
use ubp_tests::terminal::{Ran, Terminal};

use super::vault;

const QUERIES: &str = "{\"id\": \"q1\", \"text\": \"session token\"}\n\
                       {\"id\": \"q2\", \"text\": \"password table\", \"answer\": \"not of interest\"}\n\
                       {\"id\": \"q3\", \"text\": \"weather\"}\n";

fn with_questions(terminal: Terminal) -> Terminal {
    terminal.write("questions/queries.jsonl", QUERIES).unwrap();
    let judgements = "query-id\tcorpus-id\tscore\nq1\ttokens.md\t1\nq1\tLogin Feature\t2\nq1\tnotes/tokens\t0\n\
                      q2\tUserDB\t1\nq2\tgone\t1\nq4\tlogin\t1\n";
    terminal.write("questions/qrels.tsv", judgements).unwrap();
    terminal
}

/// A folder with documents that is not a project.
fn with_documents(terminal: Terminal) -> Terminal {
    let documents = "{\"_id\": \"/\", \"title\": \"Home\", \"text\": \"zebra stripes\"}\n\
                     {\"_id\": \"a/b\", \"text\": \"savannah\"}\n";
    terminal.write("set/corpus.jsonl", documents).unwrap();
    terminal.write("set/queries.jsonl", "\u{feff}{\"_id\": \"1\", \"text\": \"zebra\"}\r\n\r\n").unwrap();
    terminal.write("set/qrels.tsv", "1 0 / 1\n1 0 a/b 1\n").unwrap();
    terminal.write("set/links.tsv", "src\tdst\tweight\n/\ta/b\t0.5\n/\tgone\t1\n").unwrap();
    terminal
}

/// A transcript without measured times: they are the last two columns of the tables, the only lines that end in a
/// number with one decimal.
fn timeless(ran: &Ran) -> String {
    let is_time = |word: &str| {
        let whole = word.strip_suffix(|c: char| c.is_ascii_digit()).and_then(|rest| rest.strip_suffix('.'));
        whole.is_some_and(|whole| !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut text = String::new();
    for line in ran.transcript().lines() {
        let mut words = line.rsplitn(2, ' ');
        let (last, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().trim_end());
        match rest.rsplit_once(' ') {
            Some((kept, before)) if is_time(last) && is_time(before) => {
                text += &format!("{} [times]\n", kept.trim_end());
            }
            _ => text += &format!("{line}\n"),
        }
    }
    text
}

#[test]
fn eval_measures_the_search_in_use() {
    assert_snapshot!(timeless(&with_questions(vault()).ubp("eval questions")), @"
    $ ubp eval questions
    2 queries, 4 pages, 3 links

                       nDCG@10  MRR@10  R@5    R@10   R@100  hit@1  hit@5  all@10  p50 ms  p95 ms
    hybrid, alpha 0.7  0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]

    Weakest queries, by nDCG@10
      0.860  q1: session token
    ! 1 query was left out: no existing page was judged relevant
    ! warning: 1 judgement does not count, because no page has that name
    !   q2: gone
    ! warning: 1 judgement does not count, because the set has no such query
    ! warning: 2 queries were searched by words alone: there are no vectors to compare
    ");
}

#[test]
fn eval_compares_modes_and_settings() {
    assert_snapshot!(timeless(&with_questions(vault()).ubp("eval questions --compare --alpha 0.7,1")), @"
    $ ubp eval questions --compare --alpha 0.7,1
    2 queries, 4 pages, 3 links

                                nDCG@10  MRR@10  R@5    R@10   R@100  hit@1  hit@5  all@10  p50 ms  p95 ms
    full text                   0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]
    vector, alpha 0.7           0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]
    hybrid, alpha 0.7 (in use)  0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]
    hybrid, alpha 1             0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]

    Against hybrid, alpha 0.7  nDCG@10  95 % interval     p       better  worse  same
    full text                  +0.000   +0.000 to +0.000  1.0000  0       0      2
    vector, alpha 0.7          +0.000   +0.000 to +0.000  1.0000  0       0      2
    hybrid, alpha 1            +0.000   +0.000 to +0.000  1.0000  0       0      2
    ! 1 query was left out: no existing page was judged relevant
    ! warning: 1 judgement does not count, because no page has that name
    !   q2: gone
    ! warning: 1 judgement does not count, because the set has no such query
    ! warning: 2 queries were searched by words alone: there are no vectors to compare
    ");
    assert_snapshot!(timeless(&with_questions(vault()).ubp("eval questions --compare --depth 1,2 --queries 0")), @"
    $ ubp eval questions --compare --depth 1,2 --queries 0
    2 queries, 4 pages, 3 links

                                         nDCG@10  MRR@10  R@5    R@10   R@100  hit@1  hit@5  all@10  p50 ms  p95 ms
    full text                            0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]
    vector, alpha 0.7, depth 2           0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]
    hybrid, alpha 0.7, depth 1           0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]
    hybrid, alpha 0.7, depth 2 (in use)  0.930    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]

    Against hybrid, alpha 0.7, depth 2  nDCG@10  95 % interval     p       better  worse  same
    full text                           +0.000   +0.000 to +0.000  1.0000  0       0      2
    vector, alpha 0.7, depth 2          +0.000   +0.000 to +0.000  1.0000  0       0      2
    hybrid, alpha 0.7, depth 1          +0.000   +0.000 to +0.000  1.0000  0       0      2
    ! 1 query was left out: no existing page was judged relevant
    ! warning: 1 judgement does not count, because no page has that name
    !   q2: gone
    ! warning: 1 judgement does not count, because the set has no such query
    ! warning: 2 queries were searched by words alone: there are no vectors to compare
    ");
}

#[test]
fn eval_shows_where_settings_differ() {
    let terminal = with_documents(vault());
    assert_snapshot!(timeless(&terminal.ubp("eval set --compare --alpha 0.7")), @"
    $ ubp eval set --compare --alpha 0.7
    1 query, 2 pages, 1 link

                                nDCG@10  MRR@10  R@5    R@10   R@100  hit@1  hit@5  all@10  p50 ms  p95 ms
    full text                   0.613    1.000   0.500  0.500  0.500  1.000  1.000  0.000 [times]
    vector, alpha 0.7           1.000    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]
    hybrid, alpha 0.7 (in use)  1.000    1.000   1.000  1.000  1.000  1.000  1.000  1.000 [times]

    Against hybrid, alpha 0.7  nDCG@10  95 % interval     p       better  worse  same
    full text                  -0.387   -0.387 to -0.387  1.0000  0       1      0
    vector, alpha 0.7          +0.000   +0.000 to +0.000  1.0000  0       0      1

    Where full text is worse than hybrid, alpha 0.7
      1.000 -> 0.613  1: zebra
    ! warning: 1 link from or to documents that do not exist
    ! warning: 1 query was searched by words alone: there are no vectors to compare
    ");
}

#[test]
fn eval_searches_documents_where_there_is_no_project() {
    let terminal = with_documents(Terminal::new().unwrap());
    let ran = terminal.ubp("eval set --mode fulltext");
    assert_snapshot!(timeless(&ran), @"
    $ ubp eval set --mode fulltext
    1 query, 2 pages, 1 link

               nDCG@10  MRR@10  R@5    R@10   R@100  hit@1  hit@5  all@10  p50 ms  p95 ms
    full text  0.613    1.000   0.500  0.500  0.500  1.000  1.000  0.000 [times]

    Weakest queries, by nDCG@10
      0.613  1: zebra
    ! warning: 1 link from or to documents that do not exist
    ");
    assert!(!terminal.path(".ubp").exists());
    let inside = with_documents(vault()).ubp("eval set --mode fulltext");
    assert_eq!((inside.out.lines().next(), inside.status), (ran.out.lines().next(), ran.status));
}

#[test]
fn eval_needs_a_project_or_documents() {
    let terminal = with_questions(Terminal::new().unwrap());
    assert_snapshot!(terminal.ubp("eval questions").transcript(), @"
    $ ubp eval questions
    ! error: [folder]: no UBP project here or in any folder above
    ! hint: `ubp init` starts a project in the current folder, with the Markdown files that are there
    exit status 2
    ");
}

#[test]
fn eval_answers_programs() {
    let ran = with_questions(vault()).ubp("eval questions --mode fulltext --json");
    let mut answer = ran.json();
    answer["modes"]["fulltext"]["latency_ms"].take();
    assert_snapshot!(format!("{answer:#}"), @r#"
    {
      "query_count": 2,
      "skipped_query_count": 1,
      "page_count": 4,
      "link_count": 3,
      "unresolved_link_count": 0,
      "unresolved_judgements": {
        "count": 1,
        "examples": [
          {
            "query": "q2",
            "page": "gone",
            "candidates": []
          }
        ]
      },
      "unknown_query_judgement_count": 1,
      "baseline": {
        "mode": "fulltext",
        "alpha": null,
        "depth": null
      },
      "modes": {
        "fulltext": {
          "mode": "fulltext",
          "alpha": null,
          "depth": null,
          "ndcg_at_10": 0.9299,
          "mrr_at_10": 1.0,
          "recall_at_5": 1.0,
          "recall_at_10": 1.0,
          "recall_at_100": 1.0,
          "hit_at_1": 1.0,
          "hit_at_5": 1.0,
          "all_at_10": 1.0,
          "latency_ms": null,
          "fallbacks": 0,
          "unanswered": 0
        }
      },
      "settings": [],
      "comparisons": [],
      "names": [],
      "weakest": [
        {
          "id": "q1",
          "text": "session token",
          "score": 0.8597
        }
      ],
      "index": {
        "fresh": true,
        "pending": 0,
        "head": null
      }
    }
    "#);
}

#[test]
fn mistakes_in_a_query_set_are_reported_with_file_and_line() {
    let terminal = with_documents(with_questions(vault()));
    let spoiled = |file: &str, content: &[u8]| {
        let folder = file.split('/').next().unwrap();
        let path = terminal.path(file);
        let good = std::fs::read(&path).unwrap();
        terminal.write(file, content).unwrap();
        let ran = terminal.ubp(&format!("eval {folder} --mode fulltext"));
        std::fs::write(&path, good).unwrap();
        assert_eq!(ran.status as u8, 2, "{}", ran.transcript());
        ran.err.lines().find(|line| line.starts_with("error:")).unwrap_or_default().to_owned()
    };
    let mut said = Vec::new();
    for (file, content) in [
        ("questions/queries.jsonl", &b"{\"id\": \"1\", \"text\": \"a\"}\n{\"id\": \"2\", text}\n"[..]),
        ("questions/queries.jsonl", b"[1]\n"),
        ("questions/queries.jsonl", b"{\"id\": \"\", \"text\": \"a\"}\n"),
        ("questions/queries.jsonl", b"{\"id\": \"1\"}\n"),
        ("questions/queries.jsonl", b"{\"id\": 1, \"text\": \"a\"}\n\n{\"_id\": \"1\", \"text\": \"b\"}\n"),
        ("questions/queries.jsonl", b"{\"id\": \"1\", \"text\": \"a\"}\n{\"id\": \"\xff\"}\n"),
        ("questions/queries.jsonl", b"{\"id\": \"1\", \"text\": \" \"}\n"),
        ("questions/queries.jsonl", b"\n"),
        ("questions/qrels.tsv", b""),
        ("questions/qrels.tsv", b"q1\ttokens\n"),
        ("questions/qrels.tsv", b"q1\ttokens\thigh\n"),
        ("questions/qrels.tsv", b"query-id\tcorpus-id\tscore\nq1\ttokens\t99999999999999999999\n"),
        ("questions/qrels.tsv", b"q1\ttokens\t0.5\n"),
        ("questions/qrels.tsv", b"q1\t\t1\n"),
        ("questions/qrels.tsv", b"q1\tgone\t1\n"),
        ("questions/qrels.tsv", b"q1\ttokens\t0\n"),
        ("set/corpus.jsonl", b"{\"id\": \"a\", \"text\": \"\"}\n{\"id\": \"a\", \"text\": \"\"}\n"),
        ("set/corpus.jsonl", b"{\"id\": \"a\", \"title\": \"no text\"}\n"),
        ("set/corpus.jsonl", b""),
        ("set/links.tsv", b"a\n"),
        ("set/links.tsv", b"/\ta/b\tx|y\n"),
    ] {
        said.push(spoiled(file, content));
    }
    assert_snapshot!(said.join("\n"), @"
    error: questions/queries.jsonl:2: invalid JSON: key must be a string (column 13)
    error: questions/queries.jsonl:1: expected an object with `id` (or `_id`) and `text`
    error: questions/queries.jsonl:1: expected an object with `id` (or `_id`) and `text`
    error: questions/queries.jsonl:1: expected an object with `id` (or `_id`) and `text`
    error: questions/queries.jsonl:3: duplicate id '1', first on line 1
    error: questions/queries.jsonl:2: not valid UTF-8
    error: questions/queries.jsonl:1: the text is empty
    error: questions/queries.jsonl is empty
    error: questions/qrels.tsv is empty
    error: questions/qrels.tsv:1: expected query, page and grade, separated by tabs
    error: questions/qrels.tsv:1: the grade 'high' is not a whole number, or too large
    error: questions/qrels.tsv:2: the grade '99999999999999999999' is not a whole number, or too large
    error: questions/qrels.tsv:1: the grade '0.5' is not a whole number, or too large
    error: questions/qrels.tsv:1: query or page is missing
    error: none of the queries has a relevant page; judgements whose page is unknown or ambiguous: 1, such as gone
    error: none of the queries has a relevant page; judgements whose page is unknown or ambiguous: 1, such as tokens
    error: set/corpus.jsonl:2: duplicate id 'a', first on line 1
    error: set/corpus.jsonl:1: expected an object with `id` (or `_id`) and `text`
    error: set/corpus.jsonl is empty
    error: set/links.tsv:1: expected source and target, separated by a tab
    error: 'x|y' cannot be a type of links
    ");
}

#[test]
fn files_that_are_not_query_sets_are_rejected() {
    let terminal = with_questions(vault());
    for file in ["questions/queries.jsonl", "questions/qrels.tsv"] {
        let kept = std::fs::read(terminal.path(file)).unwrap();
        std::fs::remove_file(terminal.path(file)).unwrap();
        let ran = terminal.ubp("eval questions");
        let name = file.rsplit('/').next().unwrap();
        assert!(ran.err.contains(&format!("questions has no {name}")), "{}", ran.transcript());
        std::fs::write(terminal.path(file), kept).unwrap();
    }
    assert_snapshot!(terminal.ubp("eval nowhere").transcript(), @"
    $ ubp eval nowhere
    ! error: nowhere: No such file or directory (os error 2)
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("eval login.md").transcript(), @"
    $ ubp eval login.md
    ! error: login.md: Not a directory (os error 20)
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("eval questions --alpha 2").transcript(), @"
    $ ubp eval questions --alpha 2
    ! error: alpha is 2; it must be from 0 to 1
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("eval questions --alpha NaN").transcript(), @"
    $ ubp eval questions --alpha NaN
    ! error: alpha is NaN; it must be from 0 to 1
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("eval questions --alpha 0.1,0.2").transcript(), @"
    $ ubp eval questions --alpha 0.1,0.2
    ! error: several alphas or depths need `compare`
    exit status 2
    ");
    terminal.write("questions/links.tsv", "a\tb\n").unwrap();
    let ran = terminal.ubp("eval questions --mode fulltext");
    assert!(ran.succeeded() && ran.err.contains("links.tsv ignored"), "{}", ran.transcript());
}

#[test]
fn eval_stops_when_asked_to() {
    let terminal = with_documents(Terminal::new().unwrap());
    let cancel = Cancel::default();
    cancel.request();
    let arguments = ["eval".to_owned(), "set".to_owned(), "--mode".to_owned(), "fulltext".to_owned()];
    let (status, err) = terminal.run(&arguments, Box::new(std::io::sink()), cancel);
    assert_eq!((status as u8, err.as_str()), (130, "interrupted; nothing was measured\n"));
}
