//! Output streams: where results and messages go, when they are coloured, and escape sequences.

use std::io::{self, Write};

use ubp_core::progress::Cancel;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn colours_are_for_people_who_want_them() {
    let colored = |terminal: Terminal, arguments: &str| terminal.ubp(arguments).out.contains("\u{1b}[");
    assert!(!colored(vault(), "search token"));
    assert!(colored(vault().read_by_a_person(), "search token"));
    assert!(!colored(vault().read_by_a_person().with_variable("NO_COLOR", "1"), "search token"));
    assert!(colored(vault().read_by_a_person().with_variable("NO_COLOR", ""), "search token"));
    assert!(!colored(vault().read_by_a_person(), "search token --color never"));
    assert!(colored(vault().with_variable("NO_COLOR", "1"), "search token --color always"));
    assert!(!colored(vault().read_by_a_person(), "search token --json"));
    assert!(colored(vault().read_by_a_person(), "help"));
    assert!(!colored(vault().read_by_a_person().with_variable("NO_COLOR", "1"), "help"));
}

#[test]
fn colours_carry_no_information_of_their_own() {
    let plain = vault().ubp("search 'session token'").out;
    let colored = vault().ubp("search 'session token' --color always").out;
    let mut stripped = String::new();
    let mut rest = colored.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        stripped += before;
        rest = after.split_once('m').unwrap().1;
    }
    assert_eq!(stripped + rest, plain);
}

/// A closed pipe.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

/// A full disk.
struct Full;

impl Write for Full {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const COMMANDS: [&str; 12] = [
    "search token",
    "search token --json",
    "list",
    "get login.md",
    "graph",
    "traverse login.md",
    "impact db/users.md",
    "doctor",
    "status",
    "context login.md",
    "completions bash",
    "help",
];

#[test]
fn a_closed_pipe_is_no_error() {
    let terminal = vault();
    for command in COMMANDS {
        let arguments: Vec<String> = command.split(' ').map(Into::into).collect();
        let (status, err) = terminal.run(&arguments, Box::new(Closed), Cancel::default());
        assert_eq!(status as u8, 0, "{command}: {err}");
        assert!(!err.contains("error"), "{command}: {err}");
    }
}

#[test]
fn results_that_cannot_be_written_are_an_error() {
    let terminal = vault();
    for command in COMMANDS.iter().filter(|command| **command != "help") {
        let arguments: Vec<String> = command.split(' ').map(Into::into).collect();
        let (status, err) = terminal.run(&arguments, Box::new(Full), Cancel::default());
        assert_eq!(status as u8, 2, "{command}: {err}");
        assert!(err.contains("stdout"), "{command}: {err}");
    }
}

#[test]
fn a_server_started_at_a_terminal_says_what_it_waits_for() {
    let ran = vault().answered_with("").with_variable("NO_COLOR", "1").ubp("mcp-server");
    assert!(
        ran.err.contains("waiting for an MCP client") && ran.err.contains("ubp mcp install"),
        "{}",
        ran.transcript()
    );
    assert!(ran.out.is_empty(), "{}", ran.out);
    let ran = vault().ubp("mcp-server");
    assert!(!ran.err.contains("waiting for an MCP client"), "{}", ran.transcript());
}

#[test]
fn quiet_prints_only_results_and_errors() {
    let terminal = vault();
    let ran = terminal.ubp("search zebra -q");
    assert!(ran.out.is_empty() && !ran.err.contains("nothing found"), "{}", ran.transcript());
    assert!(terminal.ubp("get xyzzy -q").err.contains("error:"));
}

#[test]
fn escape_sequences_in_pages_never_reach_the_terminal() {
    let terminal = Terminal::vault([
        (
            "evil.md",
            "---\ntitle: \"bell \\u0007 escape \\e[31m red\"\ntype: \"odd\\u001b[2Jtype\"\ntags: [\"t\\u001b[1mag\"]\n---\n\
             # he\u{1b}]0;owned\u{7}ading\n\nzebra \u{1b}[2J\u{0}\u{9b}31m [[nowhere\u{1b}[5m]] and [[plain]]\r\n",
        ),
        ("plain.md", "zebra [[evil|depends_on]]\n"),
    ])
    .unwrap();
    let commands = [
        "add -v",
        "search zebra",
        "search zebra --content --explain --include-linked",
        "search zebra --color always",
        "search zebra --json",
        "get evil.md",
        "get plain.md",
        "context plain.md",
        "list",
        "graph",
        "graph evil.md",
        "traverse plain.md",
        "impact evil.md",
        "doctor --all",
        "status",
        "get nothing",
    ];
    for command in commands {
        let ran = terminal.ubp(command);
        let mut shown = ran.out + &ran.err;
        if command.contains("always") {
            for own in [
                "\u{1b}[0m",
                "\u{1b}[1m",
                "\u{1b}[2m",
                "\u{1b}[31m",
                "\u{1b}[32m",
                "\u{1b}[33m",
                "\u{1b}[35m",
            ] {
                shown = shown.replace(own, "");
            }
        }
        let bad = shown.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
        assert_eq!(bad, None, "{command}: {shown:?}");
    }
}

#[cfg(unix)]
#[test]
fn escape_sequences_in_file_names_never_reach_the_terminal() {
    let terminal = Terminal::vault([("plain.md", "zebra [[b\u{1b}[2Jell]]\n")]).unwrap();
    terminal.write("b\u{1b}[2Jell.md", "zebra [[plain]]\n").unwrap();
    terminal.write("b\u{1b}[2Jell/same.md", "zebra\n").unwrap();
    terminal.write("other/same.md", "zebra\n").unwrap();
    std::os::unix::fs::symlink("nowhere", terminal.path("l\u{1b}[2Jink.md")).unwrap();
    let commands = [
        "add -v",
        "search zebra",
        "search zebra --include-linked --explain",
        "context plain",
        "graph",
        "traverse plain",
        "impact plain",
        "list",
        "doctor --all",
        "get same",
        "status",
    ];
    for command in commands {
        let ran = terminal.ubp(command);
        let shown = ran.out + &ran.err;
        let bad = shown.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
        assert_eq!(bad, None, "{command}: {shown:?}");
    }
}
