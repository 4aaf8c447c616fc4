//! Malformed and hostile pages cause diagnostics, never a panic, and no byte of them changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};
use ubp_tests::terminal::Terminal;

/// The hash of every file below `folder`, except files of UBP.
pub(crate) fn hashes(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap();
            if kind.is_dir() {
                if path.file_name().unwrap() != ".ubp" {
                    waiting.push(path);
                }
            } else {
                let content = if kind.is_symlink() {
                    fs::read_link(&path).unwrap().to_string_lossy().into_owned()
                } else {
                    fs::read(&path)
                        .map_or("unreadable".into(), |bytes| format!("{:?}", Sha256::digest(bytes)))
                };
                found.insert(path.to_string_lossy().into_owned(), content);
            }
        }
    }
    found
}

fn vault() -> Terminal {
    let terminal = Terminal::vault([("plain.md", "# Plain\n\nzebra [[empty]] [[a#b]] [[C#]]\n")]).unwrap();
    let page = |path: &str, bytes: &[u8]| terminal.write(path, bytes).unwrap();
    page("empty.md", b"");
    page("blank.md", b" \n\t\r\n");
    page("zeros.md", b"# Nul\n\nzebra\0\0 text [[pl\0ain]]\n");
    page("invalid.md", b"# Invalid \xff\xfe\n\nzebra \xc3\x28 [[plain]] \xf0\x9f\x98\n");
    page("bom.md", "\u{feff}---\ntitle: With BOM\n---\nzebra [[plain]]\n".as_bytes());
    let utf16: Vec<u8> =
        "\u{feff}# Wide\n\nzebra [[plain]]\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    page("utf16.md", &utf16);
    let utf16: Vec<u8> = "\u{feff}# Wide\n\nzebra\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    page("utf16-big.md", &utf16[..utf16.len() - 1]);
    page("crlf.md", b"---\r\ntitle: Lines\r\n---\r\n# Lines\r\n\r\nzebra [[plain]]\r\n");
    page("cr.md", b"# Old\r\rzebra [[plain]]\r");
    page("long-line.md", format!("zebra {}", "word ".repeat(200_000)).as_bytes());
    page("one-word.md", "x".repeat(1_000_000).as_bytes());
    let links: String = (0..5_000).map(|n| format!("[[page {n}]] ")).collect();
    page("links.md", links.as_bytes());
    page("open-links.md", "[[".repeat(20_000).as_bytes());
    page("deep.md", format!("{}zebra", "> ".repeat(5_000)).as_bytes());
    page(
        "deep-list.md",
        (0..400).map(|n| format!("{}- zebra\n", "  ".repeat(n))).collect::<String>().as_bytes(),
    );
    page("brackets.md", format!("{}x{}", "[".repeat(20_000), "]".repeat(20_000)).as_bytes());
    page("fence.md", b"```\n[[plain]]\n# not a heading\n");
    page("tilde.md", b"~~~~\nzebra\n~~~\n");
    page("front.md", b"---\ntitle: [unclosed\nid: {\n---\nzebra\n");
    page("front-open.md", b"---\ntitle: never closed\n\nzebra\n");
    page("front-deep.md", format!("---\na: {}{}\n---\n", "[".repeat(5_000), "]".repeat(5_000)).as_bytes());
    page("front-bomb.md", b"---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n---\nzebra\n");
    page("headings.md", "# H\n".repeat(3_000).as_bytes());
    page("table.md", format!("|{}\n|{}\n", "a|".repeat(2_000), "-|".repeat(2_000)).as_bytes());
    page("caf\u{e9}.md", b"composed zebra\n");
    page("C#.md", b"sharp zebra\n");
    page("a#b.md", b"hash zebra\n");
    page("folder.md/inside.md", b"zebra in a folder that looks like a page\n");
    page(".hidden/secret.md", b"zebra\n");
    page("node_modules/package/readme.md", b"zebra\n");
    page(&format!("{}.md", "n".repeat(250)), b"zebra\n");
    unix_only(&terminal);
    terminal
}

#[cfg(unix)]
fn unix_only(terminal: &Terminal) {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    terminal.write("cafe\u{301}.md", "decomposed zebra\n").unwrap();
    terminal.write("names [x] ^ | y.md", "zebra [[names [x] ^ | y]]\n").unwrap();
    terminal.write("back\\slash.md", "zebra\n").unwrap();
    terminal.write("new\nline.md", "zebra\n").unwrap();
    let odd = terminal.folder().join(std::ffi::OsStr::from_bytes(b"odd-\xff.md"));
    fs::write(odd, "zebra\n").unwrap();
    symlink(".", terminal.path("loop")).unwrap();
    symlink("loop.md", terminal.path("loop.md")).unwrap();
    symlink("/etc/hostname", terminal.path("outside.md")).unwrap();
    symlink("nowhere.md", terminal.path("dangling.md")).unwrap();
    symlink("plain.md", terminal.path("same-again.md")).unwrap();
    terminal.write("locked.md", "zebra\n").unwrap();
    fs::set_permissions(terminal.path("locked.md"), fs::Permissions::from_mode(0o000)).unwrap();
}

#[cfg(not(unix))]
fn unix_only(_terminal: &Terminal) {}

#[test]
fn every_command_answers_and_no_byte_changes() {
    let terminal = vault();
    let before = hashes(terminal.folder());
    assert!(before.len() > 35, "{}", before.len());
    let commands = [
        "add",
        "search zebra -n 20",
        "search zebra --content --json",
        "search '[[plain]]'",
        "doctor --all",
        "doctor --json",
        "status",
        "list",
        "graph",
        "graph plain.md --depth 5",
        "traverse plain.md --depth 5",
        "impact plain.md --depth 5",
        "suggest-links --threshold 0 -n 50 --all",
        "rebuild",
        "add",
    ];
    for command in commands {
        let ran = terminal.ubp(command);
        assert!(ran.succeeded(), "{}", ran.transcript());
    }
    let paths: Vec<String> = terminal.ubp("list --json").json()["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["filepath"].as_str().unwrap().to_owned())
        .collect();
    assert!(paths.len() >= 35, "{paths:?}");
    for path in &paths {
        for command in ["get", "context", "graph", "traverse", "impact"] {
            let ran = terminal.run(
                &[command.into(), path.clone(), "--json".into()],
                Box::new(std::io::sink()),
                Default::default(),
            );
            assert_eq!(ran.0 as u8, 0, "{command} {path}: {}", ran.1);
        }
    }
    for hidden in [".hidden/secret.md", "node_modules/package/readme.md"] {
        assert!(!paths.iter().any(|path| path == hidden), "{hidden} is no page");
    }
    assert_eq!(hashes(terminal.folder()), before);
}

#[test]
fn every_problem_is_reported_with_its_file_and_line() {
    let terminal = vault();
    let findings = terminal.ubp("doctor --json").json()["findings"].as_array().unwrap().clone();
    let about = |path: &str| -> Vec<String> {
        let of_page = findings.iter().filter(|finding| finding["filepath"] == path);
        of_page.map(|finding| format!("{} {}", finding["code"].as_str().unwrap(), finding["line"])).collect()
    };
    for (path, code) in [
        ("invalid.md", "encoding_invalid"),
        ("zeros.md", "nul_byte"),
        ("front.md", "front_matter"),
        ("front-deep.md", "front_matter"),
        ("utf16-big.md", "encoding_utf16"),
        ("links.md", "unresolved_link"),
    ] {
        assert!(about(path).iter().any(|finding| finding.starts_with(code)), "{path}: {:?}", about(path));
    }
}

#[cfg(unix)]
#[test]
fn pages_that_cannot_be_listed_or_read_are_reported() {
    let terminal = vault();
    let ran = terminal.ubp("add");
    for name in ["loop.md", "dangling.md", "outside.md"] {
        assert!(
            ran.err.contains(name) || terminal.ubp("doctor --json").out.contains(name),
            "{name}: {}",
            ran.transcript()
        );
    }
    let paths = terminal.ubp("list --json").out;
    assert!(
        !paths.contains("outside.md") && !paths.contains("loop/"),
        "symlinks to outside and in circles are not followed"
    );
}

#[test]
fn links_find_pages_in_either_unicode_normal_form() {
    let terminal =
        Terminal::vault([("caf\u{e9}.md", "composed"), ("a.md", "[[cafe\u{301}]] [[caf\u{e9}]]")]).unwrap();
    let links = terminal.ubp("get a.md --json").json()["outlinks"].clone();
    assert_eq!(links.as_array().unwrap().len(), 1);
    assert_eq!(links[0]["filepath"], "caf\u{e9}.md");
}
