//! Code in pages: `ubp-source` blocks where pages are read, exported and judged, and the signatures that come with a page.

use std::fs;

use serde_json::Value;
use ubp_tests::terminal::Terminal;

const SESSION: &str = "\
import { check } from './check';

export class Session {
  /** Signs in again. */
  refresh(user: string, retries = 3): boolean {
    return check(user, retries);
  }

  end(): void {
    check('', 0);
  }
}

class Other {
  end(): void {}
}
";

const PAGE: &str = "\
---
title: Session
source_refs: [src/session.ts#Other]
---
# Session

How [[src/session.ts#Session.end]] ends it.

## Refresh

```ubp-source src/session.ts#Session.refresh
```

## Import

```ubp-source
src/session.ts#L1
```
";

fn vault(page: &str) -> Terminal {
    let terminal = Terminal::vault([("session.md", page)]).unwrap();
    terminal.write("src/session.ts", SESSION).unwrap();
    terminal
}

/// The code in an answer: source, kind, lines and text, or the problem.
fn code(answer: &Value) -> Vec<(String, String, String)> {
    let text = |part: &Value, key: &str| part[key].as_str().unwrap_or_default().to_owned();
    let part = |part: &Value| {
        let shown = if part["problem"].is_null() { text(part, "text") } else { text(part, "problem") };
        (text(part, "source"), text(part, "kind"), shown)
    };
    answer["code"].as_array().unwrap().iter().map(part).collect()
}

const REFRESH: &str = "/** Signs in again. */\nrefresh(user: string, retries = 3): boolean {\n  return check(user, retries);\n}";

#[test]
fn a_block_shows_the_code_as_it_is_now_and_the_page_stays_as_it_is() {
    let terminal = vault(PAGE);
    let shown = || code(&terminal.ubp("get session.md --json").json());
    let block = |source: &str, text: &str| (source.to_owned(), "block".to_owned(), text.to_owned());
    let import = "import { check } from './check';";
    assert_eq!(
        shown(),
        [block("src/session.ts#Session.refresh", REFRESH), block("src/session.ts#L1", import)]
    );
    let told = terminal.ubp("get session.md").out;
    assert!(
        told.contains("src/session.ts#Session.refresh  lines 4-7\n/** Signs in again. */\nrefresh("),
        "{told}"
    );

    terminal.write("src/session.ts", SESSION.replace("retries = 3", "retries = 5")).unwrap();
    assert!(shown()[0].2.contains("retries = 5"), "{:?}", shown());
    assert_eq!(fs::read_to_string(terminal.path("session.md")).unwrap(), PAGE);
    let section = terminal.ubp("get session.md --section session/import --json").json();
    assert_eq!(code(&section), [block("src/session.ts#L1", import)]);
}

#[test]
fn signatures_come_with_a_page_on_request() {
    let terminal = vault(PAGE);
    let signatures = |arguments: &str| -> Vec<(String, String)> {
        let all = code(&terminal.ubp(arguments).json());
        let signatures = all.into_iter().filter(|(_, kind, _)| kind == "signature");
        signatures.map(|(source, _, text)| (source, text)).collect()
    };
    let pair = |source: &str, text: &str| (source.to_owned(), text.to_owned());
    let end = pair("src/session.ts#Session.end", "end(): void");
    assert_eq!(
        signatures("get session.md --code --json"),
        [pair("src/session.ts#Other", "class Other"), end.clone()],
        "front matter first; a symbol that a block shows is not repeated"
    );
    assert_eq!(signatures("get session.md --code --section session --json").last(), Some(&end));
    assert_eq!(signatures("get session.md --code --section session/refresh --json"), []);
    assert_eq!(signatures("get session.md --json"), []);
    let context = terminal.ubp("context session.md --code --json").json();
    assert_eq!(code(&context["center"]).len(), 4);
    assert_eq!(code(&terminal.ubp("context session.md --json").json()["center"]), []);
}

#[test]
fn code_goes_before_the_text_of_the_page_when_space_is_short() {
    let text = "Words of the page. ".repeat(120);
    let terminal = vault(&format!("# Session\n\n[[src/session.ts#Session.refresh]]\n\n{text}\n"));
    let whole = terminal.ubp("get session.md --code --json").json();
    assert_eq!((code(&whole).len(), &whole["omitted_code"]), (1, &Value::from(0)));
    // The joined copy of the text, which sections repeat, is not there to be dropped: there is one section.
    let tokens = whole.to_string().len() / 4;
    let short = terminal.ubp(&format!("get session.md --code --json --max-tokens {}", tokens - 20)).json();
    assert_eq!((code(&short).len(), &short["omitted_code"]), (0, &Value::from(1)), "{short}");
    assert!(short["sections"][0]["content"].as_str().unwrap().ends_with("Words of the page. \n"), "{short}");
    let told = terminal.ubp(&format!("get session.md --code --max-tokens {}", tokens - 20)).transcript();
    assert!(told.contains("1 excerpt of code left out"), "{told}");
}

#[test]
fn what_is_not_shown_has_a_note_in_its_place() {
    let blocks = [
        (
            "src/session.ts#Session.refesh",
            "src/session.ts does not define 'Session.refesh'. Did you mean src/session.ts#Session.refresh?",
        ),
        (
            "src/session.ts#end",
            "'end' in src/session.ts may be any of Session.end, Other.end: write a longer name.",
        ),
        ("src/none.ts", "src/none.ts does not exist in this project."),
        ("../secret.ts", "'../secret.ts' is not inside the project"),
        (".env", ".env is not shown, because it is hidden, or ignored by .gitignore or .ubpignore."),
        (
            "build/out.ts",
            "build/out.ts is not shown, because it is hidden, or ignored by .gitignore or .ubpignore.",
        ),
        ("src/picture.bin", "src/picture.bin is not shown, because it is not UTF-8 text."),
        (
            "src/long.ts",
            "src/long.ts is too large to show: it has 500 lines. At most 400 lines are shown; name a symbol or lines, such as src/long.ts#L1-L20.",
        ),
        ("src/session.ts#L99", "src/session.ts has no line 99; it has 16 lines."),
        ("src/notes.txt#f", "the symbols of src/notes.txt cannot be told: its language is not known"),
    ];
    let page: String = blocks.iter().map(|(named, _)| format!("```ubp-source {named}\n```\n\n")).collect();
    let terminal = vault(&format!("# Session\n\n{page}"));
    terminal.git("init --quiet");
    for (file, text) in [
        (".env", "TOKEN=secret"),
        ("build/out.ts", "secret"),
        ("src/notes.txt", "x"),
        (".gitignore", "build/\n"),
    ] {
        terminal.write(file, text).unwrap();
    }
    terminal.write("src/picture.bin", b"a\0b").unwrap();
    terminal.write("src/long.ts", "x();\n".repeat(500)).unwrap();
    let answer = terminal.ubp("get session.md --json");
    let expected = blocks.map(|(named, told)| (named.to_owned(), "block".to_owned(), told.to_owned()));
    assert_eq!(code(&answer.json()), expected);
    assert!(!answer.out.contains("secret\""), "{}", answer.out);
}

#[test]
fn a_block_names_the_new_place_of_a_symbol_or_file_that_moved() {
    let page =
        "# Session\n\n```ubp-source src/session.ts#Session.refresh\n```\n\n```ubp-source src/old.ts\n```\n";
    let terminal = vault(page);
    terminal.write("src/old.ts", "export const one = 1;\nexport const two = 2;\n").unwrap();
    terminal.git("init --quiet");
    terminal.git("add .");
    terminal.git("commit --quiet -m one");
    terminal.write("src/session.ts", SESSION.replace("refresh(", "signInAgain(")).unwrap();
    terminal.git("mv src/old.ts src/new.ts");
    terminal.git("add .");
    terminal.git("commit --quiet -m two");
    let problems: Vec<String> =
        code(&terminal.ubp("get session.md --json").json()).into_iter().map(|part| part.2).collect();
    assert_eq!(
        problems,
        [
            "src/session.ts does not define 'Session.refresh'. It is probably src/session.ts#Session.signInAgain now.",
            "src/old.ts does not exist in this project. It is probably src/new.ts now.",
        ]
    );
}

#[test]
fn a_block_is_a_source_of_the_section_that_it_is_in() {
    let terminal = vault(
        &PAGE
            .replace("source_refs: [src/session.ts#Other]\n", "")
            .replace("[[src/session.ts#Session.end]]", "it"),
    );
    terminal.git("init --quiet");
    terminal.git("add .");
    terminal.git("commit --quiet -m one");
    assert!(terminal.ubp("review --all").succeeded());
    let described =
        |file: &str| terminal.ubp(&format!("refs {file} --json")).json()["pages"].as_array().unwrap().len();
    assert_eq!(described("src/session.ts#Session.refresh"), 1);
    terminal
        .write(
            "src/session.ts",
            SESSION
                .replace("end(): void {\n", "end(why: string): void {\n")
                .replace("import { check }", "import { check, end }"),
        )
        .unwrap();
    let only = terminal.ubp("stale --json").json();
    let details = only["pages"][0]["stale_ref_details"].as_array().unwrap().clone();
    let files: Vec<&str> = details.iter().map(|detail| detail["file_path"].as_str().unwrap()).collect();
    assert_eq!(files, ["src/session.ts"], "a block with lines stands for the whole file: {only}");
    terminal.write("src/session.ts", SESSION.replace("retries = 3", "retries = 5")).unwrap();
    let told = terminal.ubp("stale").out;
    assert!(told.contains("src/session.ts#Session.refresh") && told.contains("Refresh"), "{told}");
}

/// The text of every file of an exported site.
fn exported(terminal: &Terminal) -> Vec<(String, String)> {
    terminal.write(".app/index.html", TEMPLATE).unwrap();
    terminal.write(".app/assets/app.js", "export {};\n").unwrap();
    terminal.write(".app/assets/ubp_base_bg-x.wasm", "").unwrap();
    let ran = terminal.ubp("export site --web-app .app");
    assert!(ran.succeeded(), "{}", ran.transcript());
    let mut found = Vec::new();
    let mut waiting = vec![terminal.path("site")];
    while let Some(next) = waiting.pop() {
        for path in fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => waiting.push(path),
                false => found.push((
                    path.display().to_string(),
                    String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
                )),
            }
        }
    }
    found
}

const TEMPLATE: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>x</title>\n\
    <script type=\"module\" src=\"./assets/app.js\"></script>\n<!--ubp:head-->\n</head>\n\
    <body><div id=\"app\"><main id=\"content\"><!--ubp:content--></main></div></body>\n</html>\n";

#[test]
fn a_site_shows_the_named_code_and_nothing_else() {
    let page = "\
# Session

```ubp-source src/session.ts#Session.refresh
```

```ubp-source src/session.ts#Session.refesh
```

```ubp-source build/out.ts
```

```ubp-source private.md
```
";
    let terminal =
        Terminal::vault([("session.md", page), ("private.md", "---\npublish: false\n---\n# hush-page\n")])
            .unwrap();
    terminal.write("src/session.ts", SESSION.replace("end(", "hushEnd(").replace("a < b", "")).unwrap();
    terminal.write("build/out.ts", "hush-ignored").unwrap();
    terminal.write(".ubpignore", "build/\n").unwrap();
    let files = exported(&terminal);
    let html = &files.iter().find(|(path, _)| path.ends_with("session.html")).unwrap().1;
    let shown = "<figure class=\"source-block\" data-source=\"src/session.ts\"><figcaption>\
        <code class=\"link source\" data-source=\"src/session.ts\" data-lines=\"L4-L7\">src/session.ts#Session.refresh</code> \
        <span class=\"source-lines\">lines 4-7</span></figcaption>\n<pre><code class=\"language-ts\">/** Signs in again. */\n";
    assert!(html.contains(shown), "{html}");
    for note in [
        "src/session.ts does not define &#39;Session.refesh&#39;.</p>",
        "build/out.ts is not shown, because it is hidden",
        "private.md does not exist in this project.",
    ] {
        assert!(html.replace("'", "&#39;").contains(note), "{note}: {html}");
    }
    for (path, text) in &files {
        for secret in ["hushEnd", "hush-ignored", "hush-page", "class Other"] {
            assert!(!text.contains(secret), "{secret} in {path}");
        }
    }
}
