//! Fields of the Open Knowledge Format: staleness by time, sources, `verified` written by reviews, and the checks of the
//! doctor.

use std::fs;

use serde_json::Value;
use ubp_cli::ExitStatus;
use ubp_tests::terminal::Terminal;

fn stale(terminal: &Terminal) -> Vec<(String, String, String)> {
    let ran = terminal.ubp("stale --json");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for page in ran.json()["pages"].as_array().unwrap() {
        for detail in page["stale_ref_details"].as_array().unwrap() {
            found.push((text(&page["filepath"]), text(&detail["file_path"]), text(&detail["reason"])));
        }
    }
    found.sort();
    found
}

fn committed<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Terminal {
    let terminal = Terminal::vault(pages).unwrap();
    terminal.write("src/a.ts", "export function login(): void {\n  return;\n}\n").unwrap();
    terminal.git("init --quiet");
    terminal.git("add .");
    terminal.git("commit --quiet -m one");
    terminal
}

#[test]
fn a_page_is_stale_from_the_day_of_stale_after_on_with_or_without_sources() {
    let terminal = committed([
        ("past.md", "---\nstale_after: 2020-01-01\n---\n# Past\n"),
        ("future.md", "---\nstale_after: 9998-01-01\n---\n# Future\n"),
        (
            "duration.md",
            "---\nverified: { by: human:a, at: 2020-01-01 }\nstale_after: 90d\n---\n# Duration\n",
        ),
        ("both.md", "---\nsource_refs: [src/a.ts, src/gone.ts]\nstale_after: 2020-01-01\n---\n# Both\n"),
        ("never.md", "---\nstale_after: soon\n---\n# Never\n"),
    ]);
    let expired = |page: &str| (page.to_owned(), page.to_owned(), "expired".to_owned());
    assert_eq!(
        stale(&terminal),
        [
            expired("both.md"),
            ("both.md".into(), "src/gone.ts".into(), "missing".into()),
            expired("duration.md"),
            expired("past.md"),
        ]
    );
    let ran = terminal.ubp("stale --exit-code");
    assert_eq!(ran.status, ExitStatus::Finding);
    assert!(ran.out.contains("says itself that it is stale since 2020-01-01"), "{}", ran.out);
    let told = terminal.ubp("get past.md --json").json();
    assert_eq!(
        (&told["staleness"], &told["stale_ref_details"][0]["reason"]),
        (&"stale".into(), &"expired".into())
    );
    assert!(terminal.ubp("get past.md").out.contains("not verified · stale from 2020-01-01"), "{told}");

    // A review without the setting changes no page, and says what it does not settle.
    let before = fs::read(terminal.path("both.md")).unwrap();
    let ran = terminal.ubp("review both.md --still-accurate");
    assert!(ran.transcript().contains("set a later date, or delete it"), "{}", ran.transcript());
    assert_eq!(fs::read(terminal.path("both.md")).unwrap(), before);
}

#[test]
fn entries_of_sources_that_are_files_or_symbols_are_sources() {
    let page = "\
---
type: guide
sources:
  - resource: src/a.ts#login
  - { id: web, resource: https://example.com/src/a.ts }
  - resource: all queries in project X
  - resource: dashboards/exec-revenue
  - resource: /other.md
---
# Page
";
    let terminal = committed([("page.md", page), ("other.md", "# Other\n")]);
    let refs =
        |what: &str| terminal.ubp(&format!("refs {what} --json")).json()["pages"].as_array().unwrap().len();
    assert_eq!((refs("src/a.ts"), refs("src/a.ts#login")), (1, 1));
    assert!(terminal.ubp("review --all").succeeded());
    assert_eq!(stale(&terminal), []);
    terminal.write("src/a.ts", "export function login(name: string): void {\n  return;\n}\n").unwrap();
    assert_eq!(stale(&terminal), [("page.md".into(), "src/a.ts#login".into(), "contract_changed".into())]);
    let links = terminal.ubp("get page.md --json").json()["outlinks"].clone();
    let targets: Vec<&str> = links
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["filepath"].as_str().or(link["source_path"].as_str()).unwrap_or("broken"))
        .collect();
    assert_eq!(targets, ["src/a.ts", "other.md"], "{links}");
    assert!(!terminal.ubp("doctor --json").out.contains("unresolved_link\""));
}

const ASKED: &str = "{\"pages_dir\": \".\", \"okf\": {\"verified\": true}}";

#[test]
fn a_review_writes_verified_where_the_manifest_asks_for_it() {
    let text = "---\n# mine\ntype:   guide\nsource_refs: [src/a.ts]\nverified:\n  - { by: p/1, at: 2020-01-01 } # nightly\n---\n# Page\r\n\ntext  \n";
    let terminal = committed([
        ("page.md", text),
        ("bare.md", "# Bare\n"),
        ("odd.md", "---\nverified: yes\nsource_refs: [src/a.ts]\n---\n# Odd\n"),
    ]);
    terminal.git("config user.name Ada-Lovelace");
    let read = |page: &str| fs::read_to_string(terminal.path(page)).unwrap();
    assert!(terminal.ubp("review page.md").succeeded());
    assert_eq!(read("page.md"), text, "not asked for");

    terminal.write(".ubp/manifest.json", ASKED).unwrap();
    let ran = terminal.ubp("review page.md --json");
    assert!(ran.succeeded(), "{}", ran.transcript());
    assert_eq!(ran.json()["reviewed"][0]["verified"], true, "{}", ran.out);
    let after = read("page.md");
    let added = after
        .replace(&text[..text.find("---\n# Page").unwrap()], "")
        .replace("---\n# Page\r\n\ntext  \n", "");
    assert!(added.starts_with("  - { by: human:ada-lovelace, at: 20") && added.ends_with("Z }\n"), "{added}");
    assert_eq!(after.len(), text.len() + added.len(), "{after}");
    assert_eq!(stale(&terminal), []);

    let ran = terminal.ubp("review bare.md --json");
    assert!(ran.succeeded(), "{}", ran.transcript());
    let id = ran.json()["audit_id"].as_str().unwrap().to_owned();
    assert!(
        read("bare.md").starts_with("---\nverified:\n  - { by: human:ada-lovelace"),
        "{}",
        read("bare.md")
    );
    let ran = terminal.ubp("review odd.md");
    assert!(ran.transcript().contains("`verified` was not written to odd.md"), "{}", ran.transcript());

    // The change can be undone, with the review.
    assert!(terminal.ubp(&format!("undo {id}")).succeeded());
    assert_eq!(read("bare.md"), "# Bare\n");
}

#[test]
fn a_review_settles_a_duration_that_it_verifies() {
    let terminal = committed([(
        "page.md",
        "---\nverified: { by: human:ada, at: 2020-01-01 }\nstale_after: 90d\n---\n# Page\n",
    )]);
    terminal.git("config user.name ada");
    terminal.write(".ubp/manifest.json", ASKED).unwrap();
    assert_eq!(stale(&terminal).len(), 1);
    let ran = terminal.ubp("review page.md");
    assert!(ran.succeeded(), "{}", ran.transcript());
    assert_eq!(stale(&terminal), []);
    let text = fs::read_to_string(terminal.path("page.md")).unwrap();
    assert!(
        text.starts_with("---\nverified: { by: human:ada, at: 20") && !text.contains("2020-01-01"),
        "{text}"
    );
}

#[test]
fn the_doctor_checks_the_format_on_request() {
    let terminal = committed([
        (
            "good.md",
            "---\ntype: guide\nsources:\n  - resource: https://a.b/c\ngenerated: { by: a/1, at: 2026-01-01 }\nstatus: stable\nstale_after: 9998-01-01\n---\n# Good\n\n[[bare]]\n",
        ),
        ("bare.md", "# Bare\n"),
        (
            "bad.md",
            "---\ntitle: Bad\nsources:\n  - resource: ./gone.ts\n  - id: x\nverified: { by: ada, at: soon }\nstatus: accepted\nstale_after: soon\n---\n# Bad\n",
        ),
        ("duration.md", "---\ntype: Attested Computation\nstale_after: 90d\n---\n# Duration\n"),
        ("index.md", "# Index\n\n* [Good](good.md) - good\n"),
        ("sub/index.md", "---\ntype: guide\n---\nText\n"),
        ("log.md", "# Log\n\n## 2026-01-01\n\n* a\n\n## 2026-02-01\n\n* b\n"),
        ("sub/log.md", "# Log\n\n## Yesterday\n"),
    ]);
    let found = |flags: &str| {
        let report = terminal.ubp(&format!("doctor --json {flags}")).json();
        let findings = report["findings"].as_array().unwrap().clone();
        let okf = findings.into_iter().filter(|one| one["code"].as_str().unwrap().starts_with("okf_"));
        let mut okf: Vec<String> = okf
            .map(|one| {
                format!(
                    "{}:{} {}",
                    one["filepath"].as_str().unwrap(),
                    one["line"],
                    one["code"].as_str().unwrap()
                )
            })
            .collect();
        okf.sort();
        okf
    };
    assert_eq!(found(""), Vec::<String>::new());
    assert_eq!(
        found("--okf"),
        [
            "bad.md:1 okf_type",
            "bad.md:3 okf_sources",
            "bad.md:4 okf_source",
            "bad.md:6 okf_event",
            "bad.md:7 okf_status",
            "bad.md:8 okf_stale_after",
            "bare.md:1 okf_type",
            "duration.md:2 okf_computation",
            "duration.md:3 okf_stale_after",
            "log.md:7 okf_log",
            "sub/index.md:1 okf_index",
            "sub/index.md:1 okf_index",
            "sub/log.md:3 okf_log",
        ]
    );
}
