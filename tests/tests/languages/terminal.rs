//! The command with `LANG=ja_JP.UTF-8`, on a project whose content has no Latin letters.

use serde_json::json;
use ubp_cli::ExitStatus;
use ubp_tests::terminal::{Ran, Terminal};

use ubp_tests::mcp::McpClient;

use crate::mcp::server;
use crate::process::command;

/// A project in Japanese and digits: pages, links, a broken link, a tag.
fn project() -> Terminal {
    Terminal::project([
        (
            "pages/認証.md",
            "---\ntags: [設計]\n---\n# 認証\n\n利用者の確認。[[利用者]] と [[無い]] を見る。\n",
        ),
        ("pages/利用者.md", "# 利用者\n\n利用者の表。[[認証]] に戻る。\n"),
        ("pages/孤立.md", "# 孤立\n\n何にもつながらない 123。\n"),
    ])
    .unwrap()
}

fn japanese(terminal: Terminal) -> Terminal {
    terminal.with_variable("LANG", "ja_JP.UTF-8")
}

/// Words that are the same in every language: names, formats, types of pages and links, and what is typed.
const NAMES: &[&str] = &[
    "UBP",
    "ubp",
    "Markdown",
    "JSON",
    "SQL",
    "HTML",
    "CSV",
    "URL",
    "MCP",
    "AI",
    "API",
    "ADR",
    "ID",
    "UTF",
    "HTTP",
    "VS",
    "Code",
    "Claude",
    "Cursor",
    "Git",
    "git",
    "GitHub",
    "Ctrl",
    "Enter",
    "Notion",
    "Logseq",
    "Obsidian",
    "Dendron",
    "MB",
    "KB",
    "GB",
    "ms",
    "nDCG",
    "MRR",
    "hit",
    "all",
    "p",
    "x",
    "alias",
    "spec",
    "sql",
    "title",
    "filepath",
    "MiniLM",
    "snowflake",
    "arctic",
    "embed",
    "bogus",
    "alpha",
    "depth",
    "limit",
    "offset",
    "max",
    "tokens",
    "threshold",
    "id",
    "no",
    "such",
    "model",
    "md",
    "references",
    "related",
    "page",
    "unresolved",
    "link",
    "orphan",
    "missing",
    "Bearer",
    "Windows",
    "Unicode",
    "Node",
    "clang",
    "SELECT",
    "FROM",
    "files",
    "COUNT",
    "path",
    "of",
];

/// Latin words in `text` that are no command, option, path, key or code.
fn english(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.replace("[folder]", "/").lines() {
        // A usage line repeats the command as it is typed.
        if line.starts_with("使い方:") {
            continue;
        }
        // Commands and keys are between backquotes.
        let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        for word in outside.split(|c: char| c.is_whitespace() || "「」()[]{}、。:;,\"'=|…".contains(c))
        {
            let is_typed = word.starts_with(['-', '/', '<', '.', '$'])
                || word.contains(['/', '_', '.', '\\', '@', '*', '~'])
                || word.chars().any(|c| c.is_ascii_digit());
            let letters: Vec<&str> =
                word.split(|c: char| !c.is_ascii_alphabetic()).filter(|part| part.len() > 1).collect();
            // Names of values are in capitals.
            let is_value = letters.iter().all(|part| part.chars().all(|c| c.is_ascii_uppercase()));
            if !is_typed && !is_value && letters.iter().any(|part| !NAMES.contains(part)) {
                found.push(word.to_owned());
            }
        }
    }
    found
}

/// English phrases in the text of a help, which also names values and products: three small words in a row.
fn phrases(text: &str) -> Vec<String> {
    // Examples are commands, with words for what people would type.
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("ubp "));
    let mut found = Vec::new();
    for line in lines {
        let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" | ");
        let words: Vec<&str> = outside.split(' ').filter(|word| !word.is_empty()).collect();
        let is_small = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
        let runs = words.windows(3).filter(|run| run.iter().all(is_small));
        found.extend(runs.map(|run| run.join(" ")));
    }
    found
}

/// What is English in the output of the command.
fn complaints(ran: &Ran, command: &str) -> Vec<String> {
    let texts = [&ran.out, &ran.err].into_iter().map(|text| (text, english(text)));
    let wrong = texts.filter(|(_, found)| !found.is_empty());
    wrong.map(|(text, found)| format!("`ubp {command}` says {found:?} in:\n{text}")).collect()
}

/// Every command that reads or changes this project, with errors of use and of content.
const COMMANDS: &[&str] = &[
    "",
    "status",
    "add",
    "rebuild",
    "list",
    "list --format table",
    "list --doc-type 無い",
    "search 利用者",
    "search 利用者 --fulltext",
    "search 無関係な語",
    "search ''",
    "get 認証",
    "get 認証 --verbose",
    "get 無い",
    "get 認証 --section 無い",
    "context 認証",
    "graph",
    "traverse 認証",
    "impact 認証",
    "doctor",
    "doctor unresolved_link",
    "doctor 無い",
    "stale",
    "review --all",
    "review 認証",
    "refs pages/無い",
    "suggest-links",
    "gaps",
    "audit",
    "audit 000000000000",
    "undo",
    "new 新規",
    "new 認証",
    "mv 新規 改名",
    "rm 改名",
    "undo",
    "audit",
    "replace 利用者 使用者 --dry-run",
    "replace 無い語 語",
    "query 'SELECT COUNT(*) FROM files'",
    "query 'SELECT 1'",
    "query ''",
    "memory list",
    "memory review",
    "suggest-types",
    "link-code",
    "refs --diff HEAD",
    "memory recall 利用者",
    "model",
    "model use 無い",
    "diff HEAD",
    "completions",
    "mcp-server --status",
    "eval --queries 無い",
    "init",
    "accept 認証 孤立",
    "dismiss 認証 孤立",
    "import 無い",
    "bogus",
    "list --bogus",
    "list --limit 無い",
    "get",
    "list --sort 無い",
    "search",
    "list --json --quiet --verbose",
];

#[test]
fn every_command_speaks_japanese() {
    let terminal = japanese(project());
    let wrong: Vec<String> =
        COMMANDS.iter().flat_map(|command| complaints(&terminal.ubp(command), command)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn proposals_are_told_in_japanese() {
    let terminal = project();
    let text = std::fs::read_to_string(terminal.path("pages/認証.md")).unwrap();
    let lines = "---\ntags: [設計]\n---\n# 認証\n\n利用者。\n\n二。\n\n三。\n";
    std::fs::write(terminal.path("pages/認証.md"), lines).unwrap();
    let mut client = server(terminal.folder(), &["--write"]);
    let mut propose = |tool: &str, arguments: serde_json::Value| {
        let answer = client.ask(tool, arguments).unwrap();
        answer["proposal"].as_str().unwrap().to_owned()
    };
    let read = terminal.ubp("get 認証 --json").json();
    let edited = lines.replace("利用者。", "使用者。").replace("三。", "四。");
    let edited = edited.split("---\n").nth(2).unwrap();
    let edit = propose(
        "ubp_update_page",
        json!({ "page": "認証", "content": edited, "mode": "replace", "expected_hash": read["content_hash"] }),
    );
    let part = propose(
        "ubp_update_page",
        json!({ "page": "認証", "content": edited, "mode": "replace", "expected_hash": read["content_hash"] }),
    );
    let create = propose("ubp_create_page", json!({ "title": "新規", "content": "文。" }));
    let append = propose("ubp_update_page", json!({ "page": "孤立", "content": "行。", "mode": "append" }));
    propose("ubp_update_page", json!({ "page": "利用者", "old": "戻る", "new": "行く" }));
    let terminal = japanese(terminal);
    let mut wrong = Vec::new();
    let mut run = |given: &str| {
        let mut ran = terminal.ubp(given);
        // The names of the agent and of the state are data.
        let told = |text: &str| text.replace("ubp-tests", "").replace("proposals", "");
        (ran.out, ran.err) = (told(&ran.out), told(&ran.err));
        wrong.extend(complaints(&ran, given));
    };
    for command in [
        "proposals",
        &format!("proposals {edit}"),
        &format!("proposals accept {part} --hunk 1 --reviewer 花"),
    ] {
        run(command);
    }
    std::fs::write(terminal.path("pages/孤立.md"), "# 孤立\n").unwrap();
    std::fs::write(terminal.path("pages/新規.md"), "別。\n").unwrap();
    std::fs::write(terminal.path("pages/認証.md"), text).unwrap();
    for command in [
        "proposals",
        &format!("proposals {append}"),
        &format!("proposals accept {append}"),
        &format!("proposals accept {create}"),
        "proposals accept --all --only-additions",
        "proposals accept --all --under 認証.md",
        "proposals accept --all --agent 無い",
        "proposals accept --all --reviewer 花",
        "proposals reject 000000000000",
        &format!("proposals reject {create} --comment 無用 --reviewer 花"),
        &format!("proposals accept {create}"),
        "proposals --state all",
        &format!("proposals {part}"),
    ] {
        run(command);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_in_bases_are_told_in_japanese() {
    let terminal = project();
    let formulas = [
        "1 +",
        "1 2",
        "\"甲",
        "(1",
        "甲.",
        "無い()",
        "甲.無い()",
        "file.無い",
        "note[1]",
        "note",
        "if(1)",
        "甲.trim(1)",
        "甲.slice()",
        "甲.slice(1, 2, 3)",
        "/甲/",
        "#",
        "formula.乙",
        "formula.丙",
        "this.",
    ];
    let formulas: String =
        formulas.iter().enumerate().map(|(at, text)| format!("  数{at}: '{text}'\n")).collect();
    let broken = format!(
        "filters:\n  and:\n    - formula.数0\n    - formula.無い\n    - [1]\nformulas:\n  乙: formula.乙\n  丁: [1]\n{formulas}"
    );
    let mut files: Vec<String> = [
        "filters: {and: [], or: []}\n",
        "filters: {なし: [甲]}\n",
        "- 1\n",
        "views: 1\n",
        "formulas: 1\n",
        "甲: [\n",
        "甲: !乙\n",
        "甲: *乙\n",
        "甲: 1\n甲: 2\n",
        "[1]: 2\n",
        "--- 1\n--- 2\n",
        "views: [{limit: 甲}]\n",
        "views: [{order: [[1]]}]\n",
        "views: [{sort: [{direction: ASC}]}]\n",
        "views: [1]\n",
    ]
    .map(str::to_owned)
    .to_vec();
    files.push(broken);
    files.push("x: ".to_owned() + &"[".repeat(40));
    for (at, text) in files.iter().enumerate() {
        terminal.write(&format!("pages/表{at}.base"), text).unwrap();
    }
    let terminal = japanese(terminal);
    let mut ran = terminal.ubp("doctor base");
    assert!(ran.out.matches(".base:").count() > files.len(), "{}", ran.transcript());
    // What the library says about YAML has no translation, and the code of a finding is data.
    let out: Vec<&str> = ran.out.lines().filter(|line| !line.contains("YAML")).collect();
    ran.out = out.join("\n").replace(": base (", ": (");
    let wrong = complaints(&ran, "doctor base");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn help_is_in_japanese() {
    let terminal = japanese(project());
    let help = terminal.ubp("--help").out;
    assert!(help.contains("使い方:") && help.contains("コマンド:") && help.contains("オプション:"), "{help}");
    let commands = help
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    let names: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !["ubp", "help"].contains(name))
        .collect();
    assert!(names.len() > 25, "{names:?}");
    let mut wrong = Vec::new();
    for name in names {
        let ran = terminal.ubp(&format!("{name} --help"));
        assert_eq!(ran.status, ExitStatus::Success, "{name}");
        assert!(ran.out.contains("使い方:"), "{}", ran.out);
        let found = phrases(&ran.out);
        if !found.is_empty() {
            wrong.push(format!("`ubp {name} --help` says {found:?} in:\n{}", ran.out));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_get_the_same_json_in_every_language() {
    let (one, other) = (project(), japanese(project()));
    for command in [
        "status",
        "list",
        "search 利用者",
        "search 無関係な語",
        "get 認証",
        "get 無い",
        "doctor",
        "stale",
        "graph",
        "suggest-links",
        "list --doc-type 無い",
        "impact 認証",
        "get 認証 --section 無い",
        "query 'SELECT nothing'",
        "model use 無い",
        "model",
    ] {
        let command = format!("{command} --json");
        let told = |terminal: &Terminal| terminal.ubp(&command).out;
        assert_eq!(told(&one), told(&other), "{command}");
    }
}

#[test]
fn agents_get_the_same_answers_in_every_language() {
    let answers = |language: &str| {
        let terminal = project();
        let mut command = command(terminal.folder(), &["mcp-server"]);
        command.env("LANG", language).env("LC_ALL", language);
        let mut client = McpClient::start_fresh(command, "ubp_status", &json!({})).unwrap();
        let calls = [
            ("ubp_search", json!({ "query": "利用者" })),
            ("ubp_search", json!({ "query": "無関係な語" })),
            ("ubp_get_page", json!({ "page": "認証" })),
            ("ubp_get_page", json!({ "page": "無い" })),
            ("ubp_list_pages", json!({ "doc_type": "無い" })),
        ];
        calls.map(|(tool, arguments)| client.call(tool, arguments).unwrap().to_string())
    };
    assert_eq!(answers("C"), answers("ja_JP.UTF-8"));
}

#[test]
fn columns_are_as_wide_as_their_words_look() {
    let told = japanese(project()).ubp("status").out;
    // A Japanese character takes two columns.
    let width = |text: &str| text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    let names = ["ページ", "リンク", "ベクトル", "モデル", "索引の対象外", "鮮度"];
    let starts: Vec<usize> = names
        .iter()
        .zip(told.lines())
        .map(|(name, line)| {
            let rest = line.strip_prefix(name).unwrap();
            width(name) + rest.len() - rest.trim_start().len()
        })
        .collect();
    assert_eq!(starts, [13; 6], "{told}");
}
