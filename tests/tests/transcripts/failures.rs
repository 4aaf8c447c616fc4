//! Failures and their messages.

use insta::assert_snapshot;
use ubp_core::progress::Cancel;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn without_a_project_the_message_says_how_to_start_one() {
    let terminal = Terminal::new().unwrap();
    assert_snapshot!(terminal.ubp("search token").transcript(), @"
    $ ubp search token
    ! error: [folder]: no UBP project here or in any folder above
    ! hint: `ubp init` starts a project in the current folder, with the Markdown files that are there
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("list --json").transcript(), @r#"
    $ ubp list --json
    {
      "error": {
        "code": "no_project",
        "message": "[folder]: no UBP project here or in any folder above",
        "hint": "`ubp init` starts a project in the current folder, with the Markdown files that are there"
      }
    }
    ! error: [folder]: no UBP project here or in any folder above
    ! hint: `ubp init` starts a project in the current folder, with the Markdown files that are there
    exit status 2
    "#);
    assert_snapshot!(terminal.ubp("-C nowhere list").transcript(), @"
    $ ubp -C nowhere list
    ! error: [folder]/nowhere: No such file or directory (os error 2)
    exit status 2
    ");
}

#[test]
fn a_damaged_manifest_is_reported_with_its_line() {
    let terminal = vault();
    terminal.write(".ubp/manifest.json", "{\n  \"pages_dir\": \".\",\n  \"frontmatter\": oops\n}\n").unwrap();
    assert_snapshot!(terminal.ubp("list").transcript(), @"
    $ ubp list
    ! error: .ubp/manifest.json:3: expected value (column 18)
    ! hint: fix the file, or delete it and run `ubp init` again
    exit status 2
    ");
    terminal.write(".ubp/manifest.json", "{\n  \"version\": \"1.0\",\n  \"pages_dir\": 7\n}\n").unwrap();
    assert_snapshot!(terminal.ubp("list").transcript(), @"
    $ ubp list
    ! error: .ubp/manifest.json:3: `pages_dir`: expected a string, found a number
    ! hint: fix the file, or delete it and run `ubp init` again
    exit status 2
    ");
    terminal.write(".ubp/manifest.json", "").unwrap();
    assert_snapshot!(terminal.ubp("init").transcript(), @"
    $ ubp init
    ! error: .ubp/manifest.json:1: EOF while parsing a value (column 0)
    ! hint: fix the file, or delete it and run `ubp init` again
    exit status 2
    ");
}

#[test]
fn unknown_flags_and_commands_are_usage_errors() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("serach token").transcript(), @"
    $ ubp serach token
    ! error: unrecognized subcommand 'serach'
    ! 
    !   tip: some similar subcommands exist: 'graph', 'serve', 'search'
    ! 
    ! Usage: ubp [OPTIONS] [COMMAND]
    ! 
    ! For more information, try '--help'.
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("search token --colour always").transcript(), @"
    $ ubp search token --colour always
    ! error: unexpected argument '--colour' found
    ! 
    !   tip: a similar argument exists: '--color'
    ! 
    ! Usage: ubp search --color <WHEN> <QUERY>...
    ! 
    ! For more information, try '--help'.
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("list --quiet --verbose").transcript(), @"
    $ ubp list --quiet --verbose
    ! error: the argument '--quiet' cannot be used with '--verbose'
    ! 
    ! Usage: ubp list --quiet
    ! 
    ! For more information, try '--help'.
    exit status 2
    ");
}

#[test]
fn errors_are_json_for_programs() {
    assert_snapshot!(vault().ubp("get xyzzy --json").transcript(), @r#"
    $ ubp get xyzzy --json
    {
      "error": {
        "code": "page_not_found",
        "message": "no page is called 'xyzzy'",
        "hint": "`ubp list` shows every page"
      }
    }
    ! error: no page is called 'xyzzy'
    ! hint: `ubp list` shows every page
    exit status 2
    "#);
}

#[test]
fn every_outcome_has_its_exit_status() {
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

/// The help of every command and subcommand.
fn helps(terminal: &Terminal) -> Vec<(String, String)> {
    let mut helps = Vec::new();
    let mut due = vec![String::new()];
    while let Some(command) = due.pop() {
        let help = terminal.ubp(&format!("{command} --help")).out;
        let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let below =
            below.take_while(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().next());
        due.extend(
            below.filter(|name| *name != "help").map(|name| format!("{command} {name}").trim().to_owned()),
        );
        helps.push((command, help));
    }
    helps
}

#[test]
fn examples_fit_into_eighty_columns() {
    let helps = helps(&vault());
    assert!(helps.len() > 35, "{}", helps.len());
    for (command, help) in helps {
        let examples = help.split("Examples:").nth(1).unwrap_or_default();
        for line in examples.lines().filter(|line| line.starts_with(' ')) {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
    }
}

#[test]
fn help_shows_the_default_of_every_number_and_choice() {
    for (command, help) in helps(&vault()) {
        let (_, options) = help.split_once("Options:").unwrap_or_default();
        let options = options.split("Examples:").next().unwrap_or_default();
        // In long help an option is a paragraph, in short help a line.
        let paragraphs: Vec<&str> = if options.contains("\n\n  ") {
            options.split("\n\n").collect()
        } else {
            options.lines().collect()
        };
        for option in paragraphs.iter().filter(|option| option.contains("<N>") || option.contains("<MODE>")) {
            assert!(option.contains("default"), "{command}: {option}");
        }
    }
}

#[test]
fn a_negative_number_is_out_of_range_not_an_unknown_flag() {
    assert_snapshot!(vault().ubp("search token --alpha -1").transcript(), @"
    $ ubp search token --alpha -1
    ! error: alpha is -1; it must be from 0 to 1
    exit status 2
    ");
    assert!(vault().ubp("suggest-links --threshold -0.5").err.contains("it must be from 0 to 1"));
}

#[test]
fn an_index_that_is_damaged_inside_is_rebuilt() {
    let terminal = vault();
    assert_eq!(terminal.ubp("search token -l").status, ubp_cli::ExitStatus::Success);
    let database = terminal.folder().join(".ubp/metadata.db");
    let mut bytes = std::fs::read(&database).unwrap();
    // The first page of the database, with its header, stays intact: only reading further finds the damage.
    bytes[4096..].fill(0xff);
    std::fs::write(&database, bytes).unwrap();
    let again = terminal.ubp("search token -l");
    assert_eq!(again.status, ubp_cli::ExitStatus::Success, "{}", again.err);
    assert!(again.err.contains("being rebuilt") && again.out.contains(".md"), "{}{}", again.err, again.out);
    assert!(terminal.folder().join(".ubp/metadata.db.damaged-1").exists());
}
