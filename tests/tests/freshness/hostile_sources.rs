//! Source files that nobody wrote for readers: they cost a limited time, and every other page gets its verdict.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn hostile_source_files_cost_a_time_limit_and_not_the_run() {
    let deep = |open: &str, close: &str| open.repeat(400_000) + &close.repeat(400_000);
    let large = "export function login() { return 1; }\n".repeat(50_000_000 / 38);
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("large.ts", large.into_bytes()),
        ("deep.ts", deep("(", ")").into_bytes()),
        ("deep.json", deep("[", "]").into_bytes()),
        (
            "deep.py",
            (0..1_200).map(|depth| " ".repeat(depth) + "if login:\n").collect::<String>().into_bytes(),
        ),
        ("deep.rs", deep("{", "").into_bytes()),
        ("quotes.go", "\"".repeat(900_000).into_bytes()),
        ("comment.c", b"/*".repeat(500_000)),
        ("binary.rs", vec![0; 1_000_000]),
        ("invalid.py", [b"def login():\n  return '".as_slice(), &[0xff, 0xfe, 0x80], b"'\n"].concat()),
        (
            "latin.ts",
            [b"// caf\xe9\nexport function login() { return '".as_slice(), &[0xe9; 100_000], b"'; }\n"]
                .concat(),
        ),
        ("keys.yaml", "login: 1\n".repeat(200_000).into_bytes()),
        (
            "anchors.yaml",
            (0..30)
                .map(|n| format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1))
                .collect::<String>()
                .into_bytes(),
        ),
        ("headings.md.sql", "CREATE TABLE login (".repeat(60_000).into_bytes()),
    ];
    let terminal =
        Terminal::vault([("good.md", "---\nsource_refs: ['good.ts#login']\n---\n# Good\n")]).unwrap();
    terminal.write("good.ts", "export function login(user: string) {\n  return user;\n}\n").unwrap();
    for (path, bytes) in &files {
        terminal.write(path, bytes).unwrap();
        terminal
            .write(&format!("{path}.page.md"), format!("---\nsource_refs: ['{path}#login']\n---\n# {path}\n"))
            .unwrap();
    }
    let begun = Instant::now();
    let reviewed = terminal.ubp("review --all --still-accurate");
    assert!(reviewed.err.lines().all(|line| !line.contains("panic")), "{}", reviewed.transcript());
    assert_eq!(reported(&terminal.ubp("stale --json --only fresh")), []);
    for (path, bytes) in &files {
        terminal.write(path, [b" ".as_slice(), bytes, b"\n "].concat()).unwrap();
    }
    terminal.write("good.ts", "export function login(user: number) {\n  return user;\n}\n").unwrap();
    let ran = terminal.ubp("stale --json");
    assert!(ran.succeeded(), "{}", ran.err);
    let pages = ran.json()["pages"].as_array().unwrap().clone();
    let good = pages.iter().find(|page| page["filepath"] == "good.md").unwrap();
    assert_eq!(good["stale_ref_details"][0]["reason"], "contract_changed");
    // Two seconds for each file and run, on a slow machine with other work.
    let limit = Duration::from_secs(4 * 3 * files.len() as u64);
    assert!(begun.elapsed() < limit, "{:?}", begun.elapsed());
    assert!(terminal.ubp("doctor --json").succeeded());
}
