//! Shell completion.

use ubp_tests::terminal::Terminal;

use super::vault;

/// The candidates for the last word, without their descriptions.
fn completed(terminal: &Terminal, words: &str) -> Vec<String> {
    let at = words.split(' ').count() - 1;
    let words = if words.ends_with(' ') { format!("{words}''") } else { words.to_owned() };
    let ran = terminal.ubp(&format!("completions bash --at {at} -- {words}"));
    assert!(ran.succeeded() && ran.err.is_empty(), "{}", ran.transcript());
    ran.out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn commands_and_flags_are_completed() {
    let terminal = vault();
    assert_eq!(completed(&terminal, "ubp sta"), ["status", "stale"]);
    assert_eq!(completed(&terminal, "ubp list --sor"), ["--sort"]);
    assert_eq!(completed(&terminal, "ubp list --staleness fr"), ["fresh"]);
}

#[test]
fn pages_are_completed_by_path_title_and_alias() {
    let terminal = vault();
    assert_eq!(completed(&terminal, "ubp get lo"), ["login.md"]);
    assert_eq!(completed(&terminal, "ubp get Log"), ["Login Feature"]);
    assert_eq!(completed(&terminal, "ubp get UserD"), ["UserDB"]);
    assert_eq!(completed(&terminal, "ubp graph db/"), ["db/users.md"]);
    assert_eq!(completed(&terminal, "ubp suggest-links --page=tok"), ["--page=tokens.md"]);
    let mut all = completed(&terminal, "ubp get ");
    all.sort();
    assert_eq!(all, ["db/users.md", "login.md", "notes/tokens.md", "tokens.md"]);
    assert!(completed(&terminal, "ubp get zzz").is_empty());
}

#[test]
fn completed_names_are_accepted() {
    let terminal = vault();
    for typed in ["ubp get lo", "ubp get Log", "ubp get User", "ubp get db"] {
        for name in completed(&terminal, typed) {
            assert!(terminal.ubp(&format!("get '{name}'")).succeeded(), "{name}");
        }
    }
}

#[test]
fn every_page_argument_completes_pages() {
    let terminal = vault();
    let places = [
        "get",
        "context",
        "graph",
        "traverse",
        "impact",
        "review",
        "rm",
        "mv",
        "accept",
        "accept login.md",
        "dismiss",
        "dismiss login.md",
        "audit --page",
        "suggest-links --page",
    ];
    for place in places {
        assert_eq!(completed(&terminal, &format!("ubp {place} tok")), ["tokens.md"], "{place}");
    }
    assert!(completed(&terminal, "ubp new tok").is_empty());
}

#[test]
fn without_a_project_completion_prints_no_error() {
    let terminal = Terminal::new().unwrap();
    assert!(completed(&terminal, "ubp get lo").is_empty());
    assert_eq!(completed(&terminal, "ubp sea"), ["search"]);
}

#[cfg(unix)]
#[test]
fn bash_completes_names_with_blanks() {
    let terminal = vault();
    let script = terminal.ubp("completions bash").out;
    let program = crate::process::program();
    // As readline does: pass the words and the current word, then read the candidates.
    let test = format!(
        "{script}\nCOMP_WORDS=(ubp get 'Login F'); COMP_CWORD=2; _ubp {} 'Login F' get\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        program.display()
    );
    let Ok(output) =
        std::process::Command::new("bash").args(["-c", &test]).current_dir(terminal.folder()).output()
    else {
        println!("skipped: there is no bash");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Login Feature\n", "{output:?}");
}
