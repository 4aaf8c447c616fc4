//! Time in which the edits for a rename are prepared, at 10,000 pages: a folder of 500 pages to which 3,000 links lead, and
//! what editors rename one at a time. Run `cargo bench -p ubp-tests --no-default-features --bench renaming`; page counts
//! after `--` choose other vaults.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use ubp_core::drafts::Drafts;
use ubp_core::writing::renaming::{Move, PageEdits, Renamed, plan_moves, plan_rename};
use ubp_tests::fixture::Fixture;
use ubp_tests::generator::Vault;

/// Links by path to the folder that moves.
const LINKS: usize = 3_000;

/// The best of these many calls counts.
const CALLS: usize = 5;

/// Adds links to pages outside of the folder `area`, two to each, by path in both syntaxes.
fn link(fixture: &Fixture, area: &str) {
    let (inside, outside): (Vec<_>, Vec<_>) = (0..fixture.vault.pages)
        .map(|number| fixture.vault.path(number))
        .partition(|path| path.starts_with(area));
    for number in 0..LINKS / 2 {
        let file = fixture.folder().join(&outside[number * 7 % outside.len()]);
        let (one, other) = (&inside[number % inside.len()], &inside[(number * 3 + 1) % inside.len()]);
        let text = std::fs::read_to_string(&file).unwrap();
        let wiki = one.trim_end_matches(".md");
        std::fs::write(file, format!("{text}\nSee [[{wiki}]] and [this](../{other}).\n")).unwrap();
    }
}

fn report(name: &str, target: f64, plan: impl Fn() -> Vec<PageEdits>) {
    let mut best = f64::MAX;
    let mut planned = Vec::new();
    for _ in 0..CALLS {
        let begun = Instant::now();
        planned = plan();
        best = best.min(begun.elapsed().as_secs_f64() * 1e3);
    }
    let edits: usize = planned.iter().map(|page| page.edits.len()).sum();
    let verdict = if best <= target { "within" } else { "MISSES" };
    println!("  {name:<12} {best:>9.1} ms  {verdict} {target}  {edits} edits on {} pages", planned.len());
}

fn main() {
    let chosen: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for pages in if chosen.is_empty() { vec![10_000] } else { chosen } {
        let fixture = Fixture::new(Vault::english(pages)).unwrap();
        link(&fixture, "area-03");
        fixture.context().refresh(false).unwrap();
        println!("{pages} pages");
        let context = fixture.context();
        let drafts = Drafts::default();
        let page = fixture.vault.path(pages * 3 / 20);
        let moves = [Move { from: "area-03".into(), to: "zone/area-03".into() }];
        report("folder", 2_000.0, || plan_moves(&context, &moves, &drafts).unwrap());
        let file = [Move { from: page.clone(), to: "elsewhere.md".into() }];
        report("page", 200.0, || plan_moves(&context, &file, &drafts).unwrap());
        let title = Renamed::Title { path: page.clone(), new: "Quite another".into() };
        report("title", 200.0, || plan_rename(&context, &title, &drafts).unwrap());
        let tag = Renamed::Tag { tag: "security".into(), new: "safety".into() };
        report("tag", 2_000.0, || plan_rename(&context, &tag, &drafts).unwrap());
    }
}
