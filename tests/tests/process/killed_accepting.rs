//! A kill while a person accepts a proposal: afterwards the pages and the proposal agree, and accepting it again completes
//! what is left.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::generator::Random;
use ubp_tests::mcp::McpClient;

use super::{command, json, project, ubp};

/// Pages of a proposal that changes several.
const PAGES: usize = 24;

fn vault() -> tempfile::TempDir {
    let folder = project(0);
    let manifest = folder.path().join(".ubp/manifest.json");
    let often = r#"{ "agents": { "writes_per_minute": 10000 },"#;
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap().replacen('{', often, 1)).unwrap();
    for page in 0..PAGES {
        let text = format!("# Page {page}\n\nText.\n\nState 0 of all.\n\nState 0 of one.\n\nThe end.\n");
        fs::write(folder.path().join(format!("page-{page:02}.md")), text).unwrap();
    }
    folder
}

fn texts(folder: &Path) -> Vec<String> {
    (0..PAGES).map(|page| fs::read_to_string(folder.join(format!("page-{page:02}.md"))).unwrap()).collect()
}

/// A proposal that changes one page or all, and the texts before and after.
struct Proposed {
    id: String,
    before: Vec<String>,
    after: Vec<String>,
}

impl Proposed {
    fn new(agent: &mut McpClient, folder: &Path, round: usize, is_of_all: bool) -> Self {
        let before = texts(folder);
        let what = if is_of_all { "all" } else { "one" };
        let end = format!(" of {what}.");
        let old = before[0].lines().find(|line| line.ends_with(&end)).unwrap().to_owned();
        let new = format!("State {} of {what}.", round + 1);
        let answer = match is_of_all {
            true => {
                let mut change = json!({ "old": old, "new": new, "dry_run": true });
                change["expected_hash"] =
                    agent.ask("ubp_replace", change.clone()).unwrap()["content_hash"].take();
                change["dry_run"] = json!(false);
                agent.ask("ubp_replace", change)
            }
            false => agent.ask("ubp_update_page", json!({ "page": "page-00.md", "old": old, "new": new })),
        };
        let id = answer.unwrap()["proposal"].as_str().unwrap().to_owned();
        let changes = |page: usize| is_of_all || page == 0;
        let after = before.iter().enumerate().map(|(page, text)| match changes(page) {
            true => text.replace(&old, &new),
            false => text.clone(),
        });
        let after: Vec<String> = after.collect();
        assert!(before == texts(folder) && before != after);
        Self { id, before, after }
    }

    fn state(&self, folder: &Path) -> Value {
        json(folder, &["proposals", &self.id, "--json"])["state"].clone()
    }

    /// The proposal as it is stored.
    fn stored(&self, folder: &Path) -> Vec<u8> {
        fs::read(folder.join(format!(".ubp/proposals/{}.json", self.id))).unwrap()
    }

    /// Compares the pages with the proposal, and returns whether it was accepted.
    #[track_caller]
    fn agrees_with_pages(&self, folder: &Path, round: usize) -> bool {
        let now = texts(folder);
        for (page, text) in now.iter().enumerate() {
            let whole = [&self.before[page], &self.after[page]].contains(&text);
            assert!(whole, "round {round}: page {page} is {text:?}");
        }
        let state = self.state(folder);
        assert!(state == "accepted" || state == "pending", "round {round}: {state}");
        assert_eq!(state == "accepted", now == self.after, "round {round}: {state}");
        state == "accepted"
    }
}

#[test]
fn after_a_kill_the_pages_and_the_proposal_agree_and_accepting_again_completes_it() {
    let kills = if std::env::var_os("UBP_SOAK").is_some() { 50 } else { 4 };
    let folder = vault();
    let folder = folder.path();
    let server = command(folder, &["mcp-server", "--write"]);
    let mut agent = McpClient::start_fresh(server, "ubp_status", &json!({})).unwrap();
    let mut random = Random::new(7);
    let mut whole_run = [Duration::ZERO; 2];
    let (mut killed, mut open, mut partly) = (0, 0, 0);
    for round in 0.. {
        if killed == kills {
            break;
        }
        assert!(round < kills * 10, "{killed} of {round} runs were killed");
        let is_of_all = round % 2 == 0;
        let proposed = Proposed::new(&mut agent, folder, round, is_of_all);
        let stored = proposed.stored(folder);
        let accept = ["proposals", "accept", &proposed.id];
        let begun = Instant::now();
        let mut child = command(folder, &accept).spawn().unwrap();
        if round < 2 {
            // The first ones tell how long it takes.
            assert!(child.wait().unwrap().success());
            whole_run[round] = begun.elapsed();
            assert!(proposed.agrees_with_pages(folder, round));
            continue;
        }
        // At any moment of the run, or soon after the decision was stored.
        if round % 4 < 2 {
            std::thread::sleep(whole_run[round % 2].mul_f64(random.fraction()));
        } else {
            while proposed.stored(folder) == stored && child.try_wait().unwrap().is_none() {
                assert!(begun.elapsed() < Duration::from_secs(60), "round {round}: nothing was stored");
            }
            std::thread::sleep(Duration::from_micros(20_000).mul_f64(random.fraction()));
        }
        let _ = child.kill();
        let ended = child.wait().unwrap();
        killed += usize::from(ended.signal() == Some(9));
        let now = texts(folder);
        partly += usize::from(now != proposed.before && now != proposed.after);
        let is_accepted = proposed.agrees_with_pages(folder, round);
        assert!(is_accepted || ended.signal() == Some(9), "round {round}: {ended:?}");
        open += usize::from(!is_accepted);
        let again = ubp(folder, &accept);
        let said = String::from_utf8_lossy(&again.stderr);
        assert_eq!(again.status.success(), !is_accepted, "round {round}: {said}");
        assert_eq!(said.contains("was accepted already"), is_accepted, "round {round}: {said}");
        assert!(proposed.agrees_with_pages(folder, round), "round {round}: it is accepted at the end");
        // The agent and the person see the same.
        let heard = agent.ask("ubp_get_proposal", json!({ "proposal": proposed.id })).unwrap();
        assert_eq!(heard["state"], "accepted", "round {round}");
    }
    println!("of {killed} killed runs, {open} left the proposal open, {partly} of them partly written");
    let problems = json(folder, &["proposals", "--state", "all", "-n", "1000", "--json"]);
    assert_eq!((&problems["open_count"], &problems["unreadable"]), (&json!(0), &json!([])), "{problems}");
    assert_eq!(agent.close().unwrap(), Some(0));
}
