//! Runs `cases/*.md`. In each file, a fence of five backticks marked `input` contains the page
//! `Folder/Page.md`, and the `expected` fence after it contains its HTML.
//!
//! `UBP_BLESS=1 cargo test -p ubp-core render` rewrites the expected fences. Review the diff before
//! committing it.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use super::{project, rendered};

const FENCE: &str = "`````";

#[test]
fn every_case_has_the_expected_result() {
    let folder = "src/render/cases";
    let bless = std::env::var_os("UBP_BLESS").is_some_and(|value| value == "1");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let found = rewritten(&text, &mut count);
        if found != text && bless {
            std::fs::write(&path, &found).unwrap();
        } else {
            let different =
                found.lines().zip(text.lines()).enumerate().find(|(_, (is, should))| is != should);
            assert_eq!(different, None, "{}", path.display());
            assert_eq!(found.len(), text.len(), "{}", path.display());
        }
    }
    assert!(count > 20, "only {count} cases were found");
}

/// The file with the actual HTML in place of the expected.
fn rewritten(text: &str, count: &mut usize) -> String {
    let mut out = String::new();
    let mut found = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        let Some(info) = line.strip_prefix(FENCE) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != FENCE).collect();
        if info.ends_with("input") {
            *count += 1;
            found = rendered(&project(&format!("{}\n", body.join("\n"))), "Folder/Page.md").html;
            out += &format!("{}\n", body.join("\n"));
        } else {
            out += found.trim_end();
            out += "\n";
        }
        out += &format!("{FENCE}\n");
    }
    out
}
