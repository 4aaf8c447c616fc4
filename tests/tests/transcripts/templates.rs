//! Templates: adding them, creating pages from them, and checking pages against them.

use ubp_tests::terminal::Terminal;

fn shown(terminal: &Terminal, command: &str) -> String {
    terminal.ubp(command).transcript()
}

fn read(terminal: &Terminal, path: &str) -> String {
    std::fs::read_to_string(terminal.path(path)).unwrap()
}

fn started() -> Terminal {
    let terminal = Terminal::new().unwrap();
    let ran = terminal.ubp("init --yes --templates");
    assert!(ran.succeeded(), "{}", ran.transcript());
    terminal
}

#[test]
fn init_adds_templates_only_if_asked() {
    let terminal = Terminal::new().unwrap();
    shown(&terminal, "init --yes");
    assert!(!terminal.path("templates").exists());
    let text = shown(&terminal, "init --yes --templates");
    assert!(text.contains("created  templates/adr.md"), "{text}");
    terminal.write("templates/adr.md", "mine").unwrap();
    shown(&terminal, "init --yes --templates");
    assert_eq!(read(&terminal, "templates/adr.md"), "mine", "an existing file is not overwritten");
}

#[test]
fn in_a_vault_templates_are_not_pages_and_pages_do_not_become_templates() {
    let terminal = Terminal::vault([("a.md", "# A\n")]).unwrap();
    let text = shown(&terminal, "init --yes --templates");
    assert!(text.contains("changed  .ubp/manifest.json"), "{text}");
    assert!(read(&terminal, ".ubp/manifest.json").contains("\"templates_dir\": \"templates\""));
    assert_eq!(terminal.ubp("status --json").json()["page_count"], 1);
    let other = Terminal::vault([("templates/a.md", "# A\n")]).unwrap();
    let text = shown(&other, "init --yes --templates");
    assert!(text.contains("templates/ has pages, which would become templates"), "{text}");
    assert_eq!(other.ubp("status --json").json()["page_count"], 1);
}

#[test]
fn missing_fields_are_listed_or_asked_for() {
    let terminal = started();
    let text = shown(&terminal, "new 'Use PostgreSQL' --template adr");
    assert!(
        text.contains("the template 'adr' needs `deciders` (People who decide, separated by commas)")
            && text.contains("`ubp new --field deciders=VALUE --template adr 'Use PostgreSQL'` gives them")
            && text.contains("exit status 2"),
        "{text}"
    );
    let text = shown(&terminal, "new 'Login is down' --template runbook --field 'service=single sign-on'");
    let again =
        "`ubp new --field 'service=single sign-on' --field owner=VALUE --template runbook 'Login is down'`";
    assert!(text.contains(again), "{text}");
    let text =
        shown(&terminal, "new 'Use PostgreSQL' --template adr --field deciders=Ann --field deciders=Bob");
    assert!(text.contains("Created pages/decisions/Use PostgreSQL.md"), "{text}");
    let page = read(&terminal, "pages/decisions/Use PostgreSQL.md");
    assert!(page.contains("status: proposed\n") && page.contains("deciders: [Ann, Bob]\n"), "{page}");
    let terminal = terminal.answered_with("Ann, Bob\n");
    let text = shown(&terminal, "new 'Use Redis' --template adr");
    assert!(text.contains("deciders (People who decide, separated by commas):"), "{text}");
    assert!(read(&terminal, "pages/decisions/Use Redis.md").contains("deciders: [Ann, Bob]\n"));
}

#[test]
fn templates_are_listed_with_their_fields() {
    let terminal = started();
    let text = shown(&terminal, "new --templates");
    assert!(text.contains("adr: One decision, why it was made, and what follows from it"), "{text}");
    assert!(text.contains("deciders: People who decide, separated by commas (list; required)"), "{text}");
    let text = shown(&terminal, "new");
    assert!(text.contains("exit status 2"), "{text}");
}

#[test]
fn broken_templates_are_reported_with_file_and_line() {
    let terminal = started();
    terminal.write("templates/broken.md", "# {{ title }}\n\n{% if title %}{{ titel }}{% endif %}\n").unwrap();
    let text = shown(&terminal, "new --templates");
    assert!(text.contains("warning: templates/broken.md: line 3: `titel` is not defined"), "{text}");
    let text = shown(&terminal, "new X --template broken");
    assert!(
        text.contains("error: the template templates/broken.md:3: `titel` is not defined")
            && text.contains("hint: `ubp new --templates` lists the templates"),
        "{text}"
    );
    let text = shown(&terminal, "doctor template");
    assert!(text.contains("templates/broken.md:3: `titel` is not defined"), "{text}");
}

#[test]
fn a_template_with_windows_line_endings_and_a_japanese_title_makes_a_page_like_any_other() {
    let terminal = started();
    let template = "---\r\ntemplate:\r\n  fields:\r\n    people: {kind: list, required: false}\r\ntype: note\r\n---\r\n\
                    # {{ title }}\r\n\r\n{% for name in fields.people %}\r\n- {{ name }}\r\n{% endfor %}\r\nEnd\r\n";
    terminal.write("templates/win.md", template).unwrap();
    shown(&terminal, "new '認証: \"JWT\" か # 鍵' --template win --field '認=x'");
    let text = shown(&terminal, "new '認証: \"JWT\" か # 鍵' --template win --field people=田中,佐藤 --json");
    let path = terminal.path("pages");
    let files: Vec<_> = std::fs::read_dir(path).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("{files:?} {text}") };
    let page = std::fs::read_to_string(file).unwrap();
    assert!(page.ends_with("---\n# 認証: \"JWT\" か # 鍵\n\n- 田中\n- 佐藤\nEnd\n"), "{page:?}");
    assert!(page.contains("\ntitle: \"認証: \\\"JWT\\\" か # 鍵\"\n"), "{page}");
}

#[test]
fn the_doctor_says_where_a_page_breaks_the_rules_of_its_type() {
    let terminal = started();
    terminal.write("pages/old.md", "---\ntype: adr\nstatus: maybe\n---\n# Old\n\n## Context\n").unwrap();
    let text = shown(&terminal, "doctor schema_value");
    assert!(
        text.contains("old.md:3: `status` must be proposed, accepted, rejected or superseded, not 'maybe'"),
        "{text}"
    );
    let text = shown(&terminal, "doctor schema_heading");
    assert!(text.contains("old.md:7: the heading 'Decision' is missing"), "{text}");
}
