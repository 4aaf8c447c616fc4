//! What goes wrong, and what it says then.

use insta::assert_snapshot;
use ubp_core::progress::Cancel;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn without_a_project_the_way_to_start_one_is_shown() {
    let terminal = Terminal::new().unwrap();
    assert_snapshot!(terminal.ubp("search token").transcript(), @"");
    assert_snapshot!(terminal.ubp("list --json").transcript(), @"");
    assert_snapshot!(terminal.ubp("-C nowhere list").transcript(), @"");
}

#[test]
fn a_damaged_manifest_is_reported_with_its_line() {
    let terminal = vault();
    terminal.write(".ubp/manifest.json", "{\n  \"pages_dir\": \".\",\n  \"frontmatter\": oops\n}\n").unwrap();
    assert_snapshot!(terminal.ubp("list").transcript(), @"");
    terminal.write(".ubp/manifest.json", "{\n  \"version\": \"1.0\",\n  \"pages_dir\": 7\n}\n").unwrap();
    assert_snapshot!(terminal.ubp("list").transcript(), @"");
    terminal.write(".ubp/manifest.json", "").unwrap();
    assert_snapshot!(terminal.ubp("init").transcript(), @"");
}

#[test]
fn unknown_flags_and_commands_are_usage_errors() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("serach token").transcript(), @"");
    assert_snapshot!(terminal.ubp("search token --colour always").transcript(), @"");
    assert_snapshot!(terminal.ubp("list --quiet --verbose").transcript(), @"");
}

#[test]
fn errors_are_json_for_programs() {
    assert_snapshot!(vault().ubp("get xyzzy --json").transcript(), @"");
}

#[test]
fn every_way_to_end_has_its_status() {
    let terminal = vault();
    let status = |arguments: &str| terminal.ubp(arguments).status as u8;
    assert_eq!(status("search token"), 0);
    assert_eq!(status("doctor"), 0);
    assert_eq!(status("doctor --exit-code"), 1);
    assert_eq!(status("get xyzzy"), 2);
    assert_eq!(status("--nonsense"), 2);
    assert_eq!(status("--help"), 0);
    assert_eq!(status("--version"), 0);
    terminal.write("more.md", "more").unwrap();
    let cancel = Cancel::default();
    cancel.request();
    let (status, err) = terminal.run(&["add".into()], Box::new(std::io::sink()), cancel);
    assert_eq!(status as u8, 130);
    assert!(err.contains("interrupted"), "{err}");
    assert!(terminal.ubp("add").succeeded());
}

#[test]
fn every_command_has_help_with_examples() {
    let terminal = vault();
    let help = terminal.ubp("help").out;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !["help", "rebuild", "status"].contains(name))
        .collect();
    assert!(commands.len() >= 10, "{help}");
    for command in commands {
        let ran = terminal.ubp(&format!("help {command}"));
        assert!(ran.out.contains("Examples:\n  ubp "), "{}", ran.transcript());
    }
}
