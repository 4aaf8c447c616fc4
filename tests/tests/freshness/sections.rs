//! Reviews of sections: a link to code binds the section that it stands in.

use super::*;

const PAGE: &str = "\
---
title: Session
---
# Session

A session belongs to a user.

## Refresh

Tried three times, see [[src/session.ts#refresh]].

### Limits

At most an hour.

## End

Ends at once: [[src/session.ts#end]].

## Both

[[src/session.ts#refresh]] and [[src/session.ts#both]].
";

const CODE: &str = "\
/** Signs in again. */
export function refresh(user: string, retries = 3): boolean {
  for (let attempt = 0; attempt < retries; attempt++) {
    if (check(user, attempt)) return true;
  }
  return false;
}

export function end(): void {
  check('', 0);
}

export function both(): void {
  end();
}
";

/// A repository with a page of several sections, reviewed and committed sixty days ago.
fn repository() -> Repository {
    let terminal = Terminal::vault([("docs/session.md", PAGE)]).unwrap();
    terminal.write("src/session.ts", CODE).unwrap();
    Repository::reviewed(terminal)
}

impl Repository {
    fn rewrite(&self, from: &str, to: &str, days: i64) {
        self.edit("src/session.ts", from, to);
        self.commit(days);
    }

    /// The changed sources of the only page, each with its sections.
    fn changed(&self) -> Vec<(String, String)> {
        let told = self.0.ubp("stale --json").json();
        let Some(page) = told["pages"].get(0) else { return Vec::new() };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (sources, sections) =
            (page["stale_refs"].as_array().unwrap(), page["sections"].as_array().unwrap());
        sources.iter().map(text).zip(sections.iter().map(text)).collect()
    }
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(source, section)| ((*source).into(), (*section).into())).collect()
}

#[test]
fn a_section_is_reviewed_without_the_others() {
    let repository = repository();
    repository.rewrite("check('', 0)", "check('', 1000)", 30);
    repository.rewrite("  end();", "  end();\n  end();", 20);
    let (end, both) = (("src/session.ts#end", "End"), ("src/session.ts#both", "Both"));
    assert_eq!(repository.changed(), pairs(&[both, end]));

    let refused = repository.0.ubp("review docs/session.md#End");
    assert_eq!(refused.status, ExitStatus::Finding);
    let told = refused.out;
    assert!(told.contains("docs/session.md:16-19"), "the section's lines: {told}");
    assert!(told.contains("Ends at once"), "the section's text: {told}");
    assert!(told.contains("-  check('', 0);\n") && told.contains("+  check('', 1000);"), "{told}");
    assert!(told.contains("@@ -9,3 +9,3 @@"), "in the lines of the file: {told}");
    assert!(told.contains("last reviewed on ") && told.contains(", at commit "), "{told}");
    assert!(!told.contains("Both") && !told.contains("At most an hour"), "only this section: {told}");
    assert!(told.contains("ubp review --still-accurate 'docs/session.md#End'"), "{told}");

    let reviewed = repository.0.ubp("review docs/session.md#End --still-accurate");
    assert!(reviewed.succeeded(), "{reviewed:?}");
    assert!(reviewed.out.contains("reviewed: docs/session.md#End (1 source)"), "{}", reviewed.out);
    assert_eq!(repository.changed(), pairs(&[both]), "the other section still has to be read");
    assert!(repository.0.ubp("review --still-accurate docs/session.md").succeeded());
    assert_eq!(repository.changed(), []);
}

#[test]
fn a_symbol_in_two_sections_is_reviewed_with_both() {
    let repository = repository();
    repository.rewrite("attempt = 0", "attempt = 10", 30);
    assert_eq!(repository.changed(), pairs(&[("src/session.ts#refresh", "Refresh, Both")]));
    let refused = repository.0.ubp("review --still-accurate docs/session.md#Refresh");
    assert_eq!(refused.status, ExitStatus::Error);
    assert!(
        refused
            .err
            .contains("src/session.ts#refresh is described in another section of docs/session.md too: Both"),
        "{}",
        refused.err
    );
    let both = repository.0.ubp("review --still-accurate docs/session.md#Refresh docs/session.md#Both");
    assert!(both.succeeded(), "{both:?}");
    assert_eq!(repository.changed(), []);
}

#[test]
fn only_commits_and_lines_of_the_symbol_are_shown() {
    let repository = repository();
    repository.rewrite("check('', 0)", "check('', 1000)", 30);
    repository.rewrite("attempt = 0", "attempt = 10", 20);
    repository.rewrite("  end();", "  end();\n  end();", 10);
    let shown = repository.0.ubp("review docs/session.md#End --json").json();
    let [change] = shown["refused"][0]["changes"].as_array().unwrap().as_slice() else { panic!("{shown}") };
    assert_eq!(change["commits"].as_array().unwrap().len(), 1, "{change}");
    assert!(!change["diff"].as_str().unwrap().contains("attempt"), "{change}");
    assert_eq!(change["described_in"][0]["heading"], "End");
    assert_eq!(change["described_in"][0]["lines"], serde_json::json!([16, 19]));
    let shown = repository.0.ubp("review docs/session.md#Both --json").json();
    let refused = &shown["refused"][0];
    let changes = refused["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 2, "{shown}");
    assert!(changes.iter().all(|change| change["commits"].as_array().unwrap().len() == 1), "{shown}");
    let settle = refused["settle_with"]["params"]["pages"].clone();
    assert_eq!(
        settle,
        serde_json::json!(["docs/session.md#Refresh", "docs/session.md#Both"]),
        "what shares a symbol"
    );
}

#[test]
fn a_symbol_that_moved_is_compared_with_its_new_place() {
    let repository = repository();
    let moved = CODE.replace("export function end", "export function stop");
    repository.0.write("src/session.ts", moved).unwrap();
    repository.commit(10);
    let shown = repository.0.ubp("review docs/session.md#End --json").json();
    let change = &shown["refused"][0]["changes"][0];
    assert_eq!(change["renamed_to"], "src/session.ts#stop");
    let diff = change["diff"].as_str().unwrap();
    assert!(diff.contains("-export function end()") && diff.contains("+export function stop()"), "{diff}");
}

#[test]
fn what_front_matter_names_belongs_to_the_whole_page() {
    let repository = repository();
    let page = PAGE.replace("title: Session\n", "title: Session\nsource_refs: ['src/session.ts#end']\n");
    repository.0.write("docs/session.md", page).unwrap();
    assert!(repository.0.ubp("review --still-accurate docs/session.md").succeeded());
    repository.rewrite("check('', 0)", "check('', 1000)", 30);
    assert_eq!(repository.changed(), pairs(&[("src/session.ts#end", "")]));
    let none = repository.0.ubp("review docs/session.md#End");
    assert!(
        none.out.contains("docs/session.md#End names no sources") || none.err.contains("names no sources"),
        "{none:?}"
    );
    let unknown = repository.0.ubp("review docs/session.md#Start");
    assert_eq!(unknown.status, ExitStatus::Error);
    assert!(unknown.err.contains("docs/session.md has no section “Start”"), "{}", unknown.err);
    assert!(unknown.err.contains("its sections are: Session, Refresh, Limits, End, Both"), "{}", unknown.err);
}
