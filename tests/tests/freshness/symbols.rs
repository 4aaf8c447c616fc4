//! Pages that name symbols: what makes them stale, what does not, and where a symbol went.

use super::*;

const SESSION: &str = "\
import { check } from './check';

export class Session {
  /** Signs in again. */
  refresh(user: string, retries = 3): boolean {
    for (let attempt = 0; attempt < retries; attempt++) {
      if (check(user, attempt)) return true;
    }
    return false;
  }

  end(): void {
    check('', 0);
  }
}
";

/// A repository with a page about one method, reviewed and committed sixty days ago.
fn repository() -> Repository {
    let terminal = Terminal::vault([(
        "docs/session.md",
        "---\ntitle: Session\nsource_refs:\n  - src/session.ts#Session.refresh\n---\n# Session\n",
    )])
    .unwrap();
    terminal.write("src/session.ts", SESSION).unwrap();
    Repository::reviewed(terminal)
}

impl Repository {
    fn change(&self, from: &str, to: &str) {
        self.edit("src/session.ts", from, to);
        self.commit(30);
    }

    /// Why the only reported page is stale, where the symbol went, and whether `--exit-code` fails.
    fn reason(&self, flags: &str) -> (String, Option<String>, bool) {
        let ran = self.0.ubp(&format!("stale --json --exit-code {flags}"));
        let pages = ran.json()["pages"].as_array().unwrap().clone();
        let [page] = pages.as_slice() else {
            return ("fresh".into(), None, ran.status == ExitStatus::Finding);
        };
        let [detail] = page["stale_ref_details"].as_array().unwrap().as_slice() else { panic!("{page}") };
        assert_eq!(detail["file_path"], "src/session.ts#Session.refresh");
        let text = |name: &str| detail[name].as_str().map(str::to_owned);
        (text("reason").unwrap(), text("renamed_to"), ran.status == ExitStatus::Finding)
    }
}

fn fresh() -> (String, Option<String>, bool) {
    ("fresh".into(), None, false)
}

#[test]
fn comments_layout_and_other_symbols_leave_a_page_about_a_symbol_fresh() {
    let repository = repository();
    assert_eq!(repository.reason(""), fresh());
    repository.change("Signs in again.", "Signs in again, up to three times.");
    repository.change("    return false;\n", "    // Too often.\n\n      return false;\n");
    repository.change("end(): void", "end(reason: string): void");
    repository.change("check('', 0)", "check(reason, 1)");
    repository.change("\n", "\r\n");
    assert_eq!(repository.reason("--any-change"), fresh());
}

#[test]
fn a_changed_body_is_told_apart_from_a_changed_contract() {
    let repository = repository();
    repository.change("attempt = 0", "attempt = 10");
    let body = |is_finding| ("body_changed".to_owned(), None, is_finding);
    assert_eq!(repository.reason(""), body(false), "not by default");
    assert_eq!(repository.reason("--any-change"), body(true));
    let told = repository.0.ubp("stale").out;
    assert!(told.contains("docs/session.md — src/session.ts#Session.refresh changed on "), "{told}");
    assert!(told.contains(", but not its contract"), "{told}");

    repository.change("retries = 3", "retries = 40");
    assert_eq!(repository.reason(""), ("contract_changed".into(), None, true));
    let refused = repository.0.ubp("review docs/session.md");
    assert_eq!(refused.status, ExitStatus::Finding);
    assert!(refused.out.contains("has another contract since "), "{}", refused.out);
    assert!(refused.out.contains("+  refresh(user: string, retries = 40)"), "{}", refused.out);
    assert!(repository.0.ubp("review docs/session.md --still-accurate").succeeded());
    assert_eq!(repository.reason("--any-change"), fresh());
    repository.change("retries = 40", "retries = 3");
    repository.change("attempt = 10", "attempt = 0");
    assert_eq!(repository.reason(""), ("contract_changed".into(), None, true));
}

/// `refresh`, as it stands in the class.
fn method() -> &'static str {
    &SESSION[SESSION.find("  refresh").unwrap()..SESSION.find("  end").unwrap()]
}

#[test]
fn a_rewritten_symbol_is_followed_to_what_its_callers_call() {
    let calling = repository();
    calling.change("check('', 0)", "if (this.refresh('')) check('', 0)");
    let renew = "  renew(user: string): boolean {\n    return check(user, 7);\n  }\n";
    let other = "  last(user: string): boolean {\n    return check(user, 70);\n  }\n";
    calling.edit("src/session.ts", method(), &(other.to_owned() + renew));
    calling.change("this.refresh('')", "this.renew('')");
    assert_eq!(calling.reason("").1.as_deref(), Some("src/session.ts#Session.renew"));
    let unknown = repository();
    unknown.change(method(), &(other.to_owned() + renew));
    assert_eq!(unknown.reason("").1, None, "nobody calls either");

    // A new function took its body, and what has its contract calls that.
    let split = repository();
    let attempts =
        method().replace("refresh(user: string, retries = 3)", "attempts(user: string, retries: number)");
    let renew =
        "  renew(user: string, retries = 3): boolean {\n    return this.attempts(user, retries);\n  }\n";
    split.change(method(), &(attempts + renew));
    assert_eq!(split.reason("").1.as_deref(), Some("src/session.ts#Session.renew"));

    // Between the same symbols, with other words of the same kind.
    let between = repository();
    let like = method().replace("refresh(user: string, retries = 3)", "sign(name: string, most: number)");
    let like = like.replace("return true", "return most > 2").replace("check(user", "tries(name");
    between.change(method(), &like);
    assert_eq!(between.reason("").1.as_deref(), Some("src/session.ts#Session.sign"));
}

#[test]
fn a_function_with_the_name_of_a_field_is_followed() {
    let terminal =
        Terminal::vault([("docs/a.md", "---\nsource_refs:\n  - src/a.rs#limit\n---\n# A\n")]).unwrap();
    let code = "struct Most {\n    limit: usize,\n}\n\nfn limit(most: &Most) -> usize {\n    most.limit * 2 + 1\n}\n";
    terminal.write("src/a.rs", code).unwrap();
    let repository = Repository::reviewed(terminal);
    repository.edit("src/a.rs", "fn limit(", "fn bound(");
    repository.edit("src/a.rs", "limit: usize", "highest: usize");
    repository.edit("src/a.rs", "most.limit", "most.highest");
    repository.commit(30);
    let told = repository.0.ubp("stale").out;
    assert!(told.contains("src/a.rs#bound"), "{told}");
}

#[test]
fn a_renamed_or_moved_symbol_is_followed() {
    let moved = |to: &str| ("missing".to_owned(), Some(to.to_owned()), true);
    let renamed = repository();
    renamed.change("refresh(", "signInAgain(");
    assert_eq!(renamed.reason(""), moved("src/session.ts#Session.signInAgain"));
    let told = renamed.0.ubp("doctor missing_symbol").out;
    assert!(told.contains("docs/session.md:4"), "{told}");
    assert!(told.contains("src/session.ts does not define 'Session.refresh'"), "{told}");
    assert!(told.contains("'Session.refresh'; it is now src/session.ts#Session.signInAgain"), "{told}");
    // Renamed, with another signature: the body is the same.
    renamed.change("retries = 3", "retries = 5");
    assert_eq!(renamed.reason(""), moved("src/session.ts#Session.signInAgain"));

    // Renamed, with another signature and another body, in one commit.
    let edited = repository();
    let head = "refresh(user: string, retries = 3): boolean {\n    for (let attempt = 0; attempt < retries";
    edited.change(head, &head.replace("refresh", "renew").replace("retries", "most"));
    assert_eq!(edited.reason("").1.as_deref(), Some("src/session.ts#Session.renew"));
    let told = edited.0.ubp("stale").out;
    assert!(told.contains("it was probably moved to src/session.ts#Session.renew (confidence 0."), "{told}");

    // The whole body is another one, but the contract is the same, and no other new symbol of the class has it.
    let method = method();
    let renewed = "  renew(user: string, retries = 3): boolean {\n    throw new Error(user);\n  }\n";
    let rewritten = repository();
    rewritten.change(method, renewed);
    assert_eq!(rewritten.reason("").1.as_deref(), Some("src/session.ts#Session.renew"));
    let twice = repository();
    twice.change(method, &(renewed.to_owned() + &renewed.replace("renew(", "again(")));
    assert_eq!(twice.reason("").1, None, "it may be any of two");

    let class = repository();
    class.change("class Session", "class Login");
    assert_eq!(class.reason(""), moved("src/session.ts#Login.refresh"));

    let file = repository();
    std::fs::create_dir_all(file.0.path("src/auth")).unwrap();
    std::fs::rename(file.0.path("src/session.ts"), file.0.path("src/auth/login.ts")).unwrap();
    assert_eq!(file.reason(""), moved("src/auth/login.ts#Session.refresh"), "before the commit");
    file.commit(30);
    assert_eq!(file.reason(""), moved("src/auth/login.ts#Session.refresh"), "after it");

    let other = repository();
    other.0.write("src/other.ts", SESSION.replace("Session", "Other").replace("refresh", "again")).unwrap();
    other.change(&SESSION[SESSION.find("  refresh").unwrap()..SESSION.find("  end").unwrap()], "");
    assert_eq!(other.reason(""), moved("src/other.ts#Other.again"), "in another file");
    other.0.write("src/third.ts", SESSION.replace("Session", "Third")).unwrap();
    assert_eq!(other.reason(""), moved("src/other.ts#Other.again"), "a later copy is another one");

    let two = repository();
    for name in ["Other", "Third"] {
        let text = SESSION.replace("Session", name).replace("refresh", "again");
        two.0.write(&format!("src/{name}.ts"), text).unwrap();
    }
    two.change(&SESSION[SESSION.find("  refresh").unwrap()..SESSION.find("  end").unwrap()], "");
    assert_eq!(two.reason(""), ("missing".into(), None, true), "it may be any of two");
}

#[test]
fn a_deleted_symbol_is_missing() {
    let repository = repository();
    let method = &SESSION[SESSION.find("  /** Signs").unwrap()..SESSION.find("  end").unwrap()];
    repository.change(method, "");
    assert_eq!(repository.reason(""), ("missing".into(), None, true));
    let told = repository.0.ubp("doctor").out;
    assert!(told.contains("src/session.ts does not define 'Session.refresh'"), "{told}");
    let reviewed = repository.0.ubp("review docs/session.md --still-accurate");
    assert!(reviewed.err.contains("correct the source_refs of docs/session.md"), "{}", reviewed.transcript());
    assert_eq!(repository.reason(""), ("missing".into(), None, true), "a review does not settle it");
    repository
        .0
        .write("docs/other.md", "---\nsource_refs: [src/session.ts#Session.ennd]\n---\n# Other\n")
        .unwrap();
    let told = repository.0.ubp("doctor").out;
    assert!(
        told.contains("docs/other.md:2: ") && told.contains("did you mean src/session.ts#Session.end?"),
        "{told}"
    );
    std::fs::remove_file(repository.0.path("docs/other.md")).unwrap();
    // It comes back.
    repository.0.write("src/session.ts", SESSION).unwrap();
    assert!(repository.0.ubp("review docs/session.md --still-accurate").succeeded());
    assert_eq!(repository.reason(""), fresh());
}

#[test]
fn the_lock_keeps_the_hashes_of_symbols_and_older_locks_are_read() {
    let repository = repository();
    let lock = || std::fs::read_to_string(repository.0.path(".ubp/refs.lock")).unwrap();
    let whole = lock();
    let fields: Vec<&str> = whole.trim_end().split('\t').collect();
    let [page, source, file, tokens, signature, stamp] = fields.as_slice() else { panic!("{whole}") };
    assert_eq!((*page, *source), ("docs/session.md", "src/session.ts#Session.refresh"));
    assert!(
        file.starts_with("sha256:") && tokens.len() == 32 && signature.len() == 32 && tokens != signature
    );
    let (_, reviewer) = stamp.split_once(" person ").unwrap();
    assert!(stamp.starts_with('@') && !reviewer.is_empty(), "{stamp}");
    // A lock that has only the hash of the file.
    repository.0.write(".ubp/refs.lock", format!("{page}\t{source}\t{file}\n")).unwrap();
    assert_eq!(repository.reason(""), fresh());
    repository.change("end()", "stop()");
    assert_eq!(repository.reason(""), ("changed".into(), None, true), "it cannot be told what changed");
    assert!(repository.0.ubp("review docs/session.md --still-accurate").succeeded());
    assert!(lock().contains(&format!("\t{tokens}\t{signature}\t@")), "{}", lock());
    assert_eq!(repository.reason(""), fresh());
}

#[test]
fn a_folder_and_a_symbol_in_it_are_judged_apart() {
    let repository = repository();
    let text = "---\nsource_refs: [src, 'src/session.ts#Session.refresh']\n---\n# Session\n";
    repository.0.write("docs/session.md", text).unwrap();
    assert!(repository.0.ubp("review docs/session.md --still-accurate").succeeded());
    assert_eq!(repository.stale(""), (ExitStatus::Success, vec![]));
    repository.change("end()", "stop()");
    let details = repository.0.ubp("stale --json").json()["pages"][0]["stale_refs"].clone();
    assert_eq!(details, serde_json::json!(["src/session.ts"]), "of the folder");
}

#[test]
fn symbols_of_configuration_and_headings_are_named_like_code() {
    let terminal = Terminal::vault([(
        "page.md",
        "---\nsource_refs: ['app.yaml#server.port', 'GUIDE.md#Start here', 'Makefile#test']\n---\n# Page\n",
    )])
    .unwrap();
    terminal.write("app.yaml", "server:\n  port: 80\n  host: a\n").unwrap();
    terminal.write("Makefile", "test:\n\tcargo test\n").unwrap();
    git(terminal.folder(), 60, &["init", "--quiet", "--initial-branch=main"]);
    let repository = Repository(terminal);
    repository.commit(60);
    assert!(repository.0.ubp("review --still-accurate page.md").succeeded());
    repository.0.write("app.yaml", "# The server.\nserver:\n  host: b\n  port:   80\n").unwrap();
    repository.0.write("Makefile", "test:\n\n\tcargo   test\n").unwrap();
    let stale = || repository.0.ubp("stale --json").json()["pages"].clone();
    assert_eq!(stale()[0]["stale_refs"], serde_json::json!(["GUIDE.md#Start here"]), "only that is missing");
    repository.0.write("app.yaml", "server:\n  host: b\n  port: 8080\n").unwrap();
    repository.0.write("Makefile", "test:\n\tcargo build\n").unwrap();
    let reasons: Vec<(String, String)> = stale()[0]["stale_ref_details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|detail| {
            (detail["file_path"].as_str().unwrap().into(), detail["reason"].as_str().unwrap().into())
        })
        .collect();
    let is = |path: &str, reason: &str| (path.to_owned(), reason.to_owned());
    assert_eq!(
        reasons,
        [
            is("GUIDE.md#Start here", "missing"),
            is("Makefile#test", "changed"),
            is("app.yaml#server.port", "contract_changed")
        ]
    );
    let told = repository.0.ubp("doctor untold_symbol").out;
    assert!(told.contains("the symbols of Makefile cannot be told: its language is not known"), "{told}");
}

#[test]
fn pages_are_found_by_symbol_and_by_the_file_of_a_symbol() {
    let repository = repository();
    let page = |name: &str, source: &str| {
        let text = format!("---\nsource_refs: ['{source}']\n---\n# {name}\n");
        repository.0.write(&format!("docs/{name}.md"), &text).unwrap();
    };
    page("class", "src/session.ts#Session");
    page("end", "src/session.ts#end");
    page("file", "src/session.ts");
    page("folder", "src/");
    page("other", "src/other.ts");
    let refs = |subject: &str| -> Vec<String> {
        let ran = repository.0.ubp(&format!("refs {subject} --json"));
        let name = |page: &Value| page["filepath"].as_str().unwrap()[5..].trim_end_matches(".md").to_owned();
        ran.json()["pages"].as_array().unwrap().iter().map(name).collect()
    };
    assert_eq!(refs("src/session.ts"), ["class", "end", "file", "folder", "session"]);
    assert_eq!(refs("src/session.ts#Session"), ["class", "end", "file", "folder", "session"]);
    assert_eq!(refs("src/session.ts#refresh"), ["class", "file", "folder", "session"]);
    assert_eq!(refs("src/session.ts#Session.end"), ["class", "end", "file", "folder"]);
    assert!(repository.0.ubp("refs src/session.ts#nothing").err.contains("does not exist"));
    let impact = repository.0.ubp("impact src/session.ts --json").out;
    assert!(impact.contains("docs/end.md") && impact.contains("docs/session.md"), "{impact}");
    repository.change("attempt = 0", "attempt = 10");
    let pages = repository.0.ubp("refs src/session.ts#refresh --json").json()["pages"].clone();
    let session =
        pages.as_array().unwrap().iter().find(|page| page["filepath"] == "docs/session.md").unwrap();
    assert_eq!(session["reason"], "body_changed");
    std::fs::remove_file(repository.0.path("src/session.ts")).unwrap();
    assert_eq!(refs("src/session.ts"), ["class", "end", "file", "folder", "session"], "a deleted file, too");
}

#[test]
fn an_agent_settles_a_symbol_with_the_hashes_that_it_was_shown() {
    let repository = repository();
    repository.change("attempt = 0", "attempt = 10");
    let settle = |agent: &ubp_core::Engine| {
        let cancel = ubp_core::progress::Cancel::default();
        let context = agent.context(ubp_core::Caller::Agent, true, &ubp_core::progress::Silent, &cancel);
        let stale = context.call("check_staleness", serde_json::json!({})).unwrap();
        stale["pages"][0]["settle_with"]["params"].clone()
    };
    let engine = ubp_tests::fixture::engine(repository.0.folder(), None).unwrap();
    let shown = settle(&engine);
    // What else changes in the file does not concern the agent.
    repository.change("end()", "stop()");
    assert_eq!(settle(&engine)["expected_sources"], shown["expected_sources"]);
    repository.change("attempt = 10", "attempt = 200");
    assert_ne!(settle(&engine)["expected_sources"], shown["expected_sources"]);
}

#[test]
fn a_link_to_a_symbol_concerns_its_section() {
    let repository = repository();
    let text = "# Guide\n\n## Sign in\n\nSee [[src/session.ts#Session.refresh|again]].\n\n## Sign out\n\n\
                [It](../src/session.ts#Session.end) ends.\n";
    repository.0.write("docs/session.md", text).unwrap();
    // A review by a version that compared the whole file.
    let lock = std::fs::read_to_string(repository.0.path(".ubp/refs.lock")).unwrap();
    let hash = lock.split('\t').nth(2).unwrap();
    repository.0.write(".ubp/refs.lock", format!("docs/session.md\tsrc/session.ts\t{hash}\n")).unwrap();
    assert_eq!(repository.stale(""), (ExitStatus::Success, vec![]));
    assert!(repository.0.ubp("review docs/session.md").succeeded());
    let lock = std::fs::read_to_string(repository.0.path(".ubp/refs.lock")).unwrap();
    let sources: Vec<&str> = lock.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(sources, ["src/session.ts#Session.end", "src/session.ts#Session.refresh"]);

    repository.change("end(): void", "end(reason = ''): void");
    let pages = repository.0.ubp("stale --json").json()["pages"].clone();
    assert_eq!(pages[0]["stale_refs"], serde_json::json!(["src/session.ts#Session.end"]));
    assert_eq!(pages[0]["sections"], serde_json::json!(["Sign out"]));
    let told = repository.0.ubp("stale").out;
    assert!(told.contains("src/session.ts#Session.end has another contract since "), "{told}");
    assert!(told.contains("(in: Sign out)"), "{told}");
    let refs = repository.0.ubp("refs src/session.ts#Session.end --json").json()["pages"].clone();
    assert_eq!(refs[0]["named_as"], serde_json::json!(["src/session.ts#Session.end"]));

    // An entry in front matter concerns the whole page.
    repository
        .0
        .write("docs/session.md", format!("---\nsource_refs: ['src/session.ts#Session.end']\n---\n{text}"))
        .unwrap();
    let pages = repository.0.ubp("stale --json").json()["pages"].clone();
    assert_eq!(pages[0]["sections"], serde_json::json!([""]));
}

#[test]
fn a_link_to_lines_is_a_link_to_the_file() {
    let repository = repository();
    let text = "# Guide\n\n[One](../src/session.ts#L5), [two](../src/session.ts#L5-L9), [three](../src/session.ts#5).\n";
    repository.0.write("docs/session.md", text).unwrap();
    assert!(repository.0.ubp("review docs/session.md --still-accurate").succeeded());
    let lock = std::fs::read_to_string(repository.0.path(".ubp/refs.lock")).unwrap();
    assert!(
        lock.starts_with("docs/session.md\tsrc/session.ts\tsha256:") && lock.lines().count() == 1,
        "{lock}"
    );
}

#[test]
fn one_answer_looks_for_so_many_missing_sources_and_says_how_many_it_left_out() {
    let terminal = Terminal::vault([("docs/all.md", "# All\n")]).unwrap();
    for number in 0..60 {
        terminal
            .write(&format!("src/{number}.ts"), format!("export const value{number} = {number};\n"))
            .unwrap();
        let page = format!("---\nsource_refs: [src/{number}.ts]\n---\n# {number}\n");
        terminal.write(&format!("docs/{number}.md"), page).unwrap();
    }
    let repository = Repository::reviewed(terminal);
    let told = repository.0.ubp("stale").transcript();
    assert!(!told.contains("not looked for"), "{told}");
    std::fs::rename(repository.0.path("src"), repository.0.path("lib")).unwrap();
    repository.commit(30);
    let answer = repository.0.ubp("stale --json").json();
    let pages = answer["pages"].as_array().unwrap();
    let found = pages.iter().filter(|page| !page["stale_ref_details"][0]["renamed_to"].is_null()).count();
    assert_eq!((pages.len(), found, &answer["not_looked_for"]), (60, 50, &10.into()));
    let told = repository.0.ubp("stale").transcript();
    assert!(told.contains("the new places of 10 more missing sources were not looked for"), "{told}");
    let doctor = repository.0.ubp("doctor missing_source").out;
    assert!(doctor.contains("docs/0.md:2"), "{doctor}");
    assert!(doctor.contains("'src/0.ts' is missing: no file is there; it is now lib/0.ts"), "{doctor}");
    assert_eq!(doctor.matches("its new place was not looked for").count(), 10, "{doctor}");
}
