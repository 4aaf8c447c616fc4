//! An agent proposes over MCP, a person reviews at the terminal, and the agent hears what became of it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use ubp_tests::clients::at_once;
use ubp_tests::mcp::McpClient;
use ubp_tests::terminal::Terminal;

use super::{server, text};
use crate::parity::vault;

fn done(client: &mut McpClient, tool: &str, arguments: Value) -> Value {
    client.ask(tool, arguments).unwrap()
}

fn page(terminal: &Terminal, path: &str) -> String {
    std::fs::read_to_string(terminal.path(path)).unwrap()
}

/// The answer of a command with --json that must succeed.
fn ubp(terminal: &Terminal, command: &str) -> Value {
    let ran = terminal.ubp(&format!("{command} --json"));
    assert!(ran.succeeded(), "{}", ran.transcript());
    ran.json()
}

#[test]
fn an_agent_proposes_a_person_decides_and_the_agent_hears_of_it() {
    let terminal = vault();
    std::fs::remove_dir_all(terminal.path(".ubp/proposals")).unwrap();
    terminal.write(".ubp/.gitignore", "/audit.jsonl\n").unwrap();
    terminal.git("init --quiet --initial-branch=main");
    let before = page(&terminal, "island.md");
    let mut client = server(terminal.folder(), &["--write"]);
    done(&mut client, "ubp_get_page", json!({ "page": "island" }));
    let edit = json!({
        "page": "island", "old": "Nobody links here.", "new": "One page links here.", "reason": "A link was added."
    });
    let result = client.call("ubp_update_page", edit).unwrap();
    let said = text(&result);
    assert!(said.contains("Nothing was written yet.") && said.contains("+One page links here."), "{said}");
    let proposed = result["structuredContent"].clone();
    let id = proposed["proposal"].as_str().unwrap();
    assert!(proposed["audit_id"].is_null());
    assert_eq!(page(&terminal, "island.md"), before);
    let ignored = terminal.ubp_in("", &["status"]);
    assert!(
        ignored.out.contains("Proposals    1 waits for review; `ubp proposals` shows them"),
        "{}",
        ignored.out
    );

    // The client goes on from the proposed text.
    let append = json!({ "page": "island", "content": "Boats come.", "mode": "append" });
    let amended = done(&mut client, "ubp_update_page", append);
    let replaced = terminal.ubp(&format!("proposals accept {id}"));
    assert!(!replaced.succeeded() && replaced.err.contains("was changed since"), "{}", replaced.transcript());
    let id = amended["proposal"].as_str().unwrap();
    let shown = terminal.ubp(&format!("proposals {id}"));
    for words in
        ["A link was added.", "the agent had read island.md", "+One page links here.", "+Boats come."]
    {
        assert!(shown.out.contains(words) || shown.err.contains(words), "{words}: {}", shown.transcript());
    }
    let accepted = ubp(&terminal, &format!("proposals accept {id} --reviewer Ann --comment Thanks."));
    assert_eq!(accepted["accepted"][0]["state"], "accepted");
    let after = page(&terminal, "island.md");
    assert!(after.contains("One page links here.") && after.contains("Boats come."), "{after}");
    let heard = done(&mut client, "ubp_get_proposal", json!({ "proposal": id }));
    assert_eq!((&heard["state"], &heard["decision"]["comment"]), (&json!("accepted"), &json!("Thanks.")));

    let create = json!({ "title": "Ferry", "content": "A boat." });
    let rejected = done(&mut client, "ubp_create_page", create);
    let rejected = rejected["proposal"].as_str().unwrap();
    ubp(&terminal, &format!("proposals reject {rejected} --comment 'There is none.'"));
    let create = json!({ "title": "Harbour", "content": "A place." });
    let withdrawn = done(&mut client, "ubp_create_page", create)["proposal"].clone();
    assert_eq!(
        done(&mut client, "ubp_withdraw_proposal", json!({ "proposal": withdrawn }))["withdrawn"],
        withdrawn
    );
    let mine = client.call("ubp_list_proposals", json!({})).unwrap();
    let said = text(&mine);
    assert!(said.contains("There is none.") && said.contains("withdrawn"), "{said}");
    assert_eq!(mine["structuredContent"]["total"], 3);

    // What was accepted can be undone, and git does not see proposals.
    let audit_id = accepted["accepted"][0]["audit_id"].as_str().unwrap();
    ubp(&terminal, &format!("undo {audit_id}"));
    assert_eq!(page(&terminal, "island.md"), before);
    let ignore = page(&terminal, ".ubp/.gitignore");
    assert!(ignore.lines().any(|line| line == "/proposals/"), "{ignore}");
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn folders_of_proposals_are_relative_to_the_current_folder() {
    let terminal = Terminal::vault([("guides/a.md", "# A\n\nOne.\n"), ("b.md", "# B\n\nOne.\n")]).unwrap();
    assert!(terminal.ubp("add").succeeded());
    let mut client = server(terminal.folder(), &["--write"]);
    let propose = |client: &mut McpClient, page: &str| {
        let edit = json!({ "page": page, "content": "Two.", "mode": "append" });
        done(client, "ubp_update_page", edit)["proposal"].clone()
    };
    let (below, above) = (propose(&mut client, "guides/a.md"), propose(&mut client, "b.md"));
    let new = json!({ "title": "New", "path": "fresh/new", "content": "Text." });
    let new = done(&mut client, "ubp_create_page", new)["proposal"].clone();
    let accepted = |folder: &str, under: &str| {
        let arguments = ["proposals", "accept", "--all", "--dry-run", "--json", "--under", under];
        let ran = terminal.ubp_in(folder, &arguments);
        assert!(ran.succeeded(), "{}", ran.transcript());
        let accepted = ran.json()["accepted"].as_array().unwrap().clone();
        accepted.iter().map(|one| one["proposal"].clone()).collect::<Vec<_>>()
    };
    for (folder, under) in
        [("guides", "."), ("guides", "a.md"), ("", "guides"), ("", "./guides"), ("", "guides/a.md")]
    {
        assert_eq!(accepted(folder, under), std::slice::from_ref(&below), "{folder} {under}");
    }
    for (folder, under) in [("guides", ".."), ("", ".")] {
        assert_eq!(accepted(folder, under), [below.clone(), above.clone(), new.clone()], "{folder} {under}");
    }
    for (folder, under) in [("guides", "../b.md"), ("", "b.md")] {
        assert_eq!(accepted(folder, under), std::slice::from_ref(&above), "{folder} {under}");
    }
    assert_eq!(accepted("", "fresh"), [new]);
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn what_an_agent_read_is_pages_and_no_proposals() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &["--write", "--tools", "all"]);
    let edit = json!({ "page": "island", "content": "Boats come.", "mode": "append" });
    let first = done(&mut client, "ubp_update_page", edit)["proposal"].clone();
    done(&mut client, "ubp_get_proposal", json!({ "proposal": first }));
    done(&mut client, "ubp_list_proposals", json!({}));
    done(&mut client, "ubp_audit", json!({}));
    done(&mut client, "ubp_get_page", json!({ "page": "db/users.md" }));
    let create = json!({ "title": "Ferry", "content": "A boat." });
    let second = done(&mut client, "ubp_create_page", create)["proposal"].clone();
    let shown = ubp(&terminal, &format!("proposals {}", second.as_str().unwrap()));
    let read = shown["read"].as_array().unwrap().iter().map(|page| page["filepath"].clone());
    assert_eq!(read.collect::<Vec<_>>(), ["db/users.md"], "{shown}");
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn committed_proposals_are_visible_to_git() {
    let terminal = vault();
    terminal.write(".ubp/.gitignore", "/audit.jsonl\n/proposals/\n").unwrap();
    let manifest = page(&terminal, ".ubp/manifest.json");
    let manifest = manifest.replacen('{', "{\n  \"proposals\": { \"commit\": true },", 1);
    terminal.write(".ubp/manifest.json", manifest).unwrap();
    let mut client = server(terminal.folder(), &["--write"]);
    done(&mut client, "ubp_create_page", json!({ "title": "Ferry", "content": "A boat." }));
    let ignore = page(&terminal, ".ubp/.gitignore");
    assert!(!ignore.contains("proposals") && ignore.contains("/audit.jsonl"), "{ignore}");
}

#[test]
fn a_server_that_applies_changes_has_no_tools_for_proposals() {
    let terminal = vault();
    let tools = |arguments: &[&str]| server(terminal.folder(), arguments).tool_names().unwrap();
    let own = |tools: Vec<String>| {
        tools.iter().filter(|name| name.ends_with("_proposal") || name.ends_with("_proposals")).count()
    };
    assert_eq!(own(tools(&[])), 0);
    assert_eq!(own(tools(&["--write=apply"])), 0);
    assert_eq!(own(tools(&["--write"])), 3);
    assert_eq!(tools(&["--write=propose"]), tools(&["--write"]));
}

const CLIENTS: usize = 8;
const PAGES: usize = 10;
const LINES: usize = 8;

/// Agents propose while a person edits and reviews; afterwards every proposal is decided or in conflict, every edit of
/// the person is there, and every accepted line.
#[test]
fn eight_agents_propose_while_a_person_edits_and_accepts() {
    let soak = std::env::var_os("UBP_SOAK").is_some();
    let each = if soak { 250 } else { 12 };
    let line = |page: usize, line: usize| format!("Line {line} of page {page}.");
    let pages: Vec<(String, String)> = (0..PAGES)
        .map(|page| {
            let lines: Vec<String> = (0..LINES).map(|number| line(page, number)).collect();
            (format!("page-{page}.md"), lines.join("\n\n") + "\n")
        })
        .collect();
    let terminal = Terminal::vault(pages.iter().map(|(path, text)| (path.as_str(), text.as_str()))).unwrap();
    terminal.let_agents_write_often().unwrap();
    assert!(terminal.ubp("add").succeeded());
    let finished = AtomicBool::new(false);
    let (mut proposed, edits) = std::thread::scope(|scope| {
        let person = scope.spawn(|| {
            let mut edits = Vec::new();
            let mut round = 0;
            while !finished.load(Ordering::Relaxed) {
                let path = terminal.path(&format!("page-{}.md", round % PAGES));
                // The last line belongs to the person.
                let text = std::fs::read_to_string(&path).unwrap();
                let own = line(round % PAGES, LINES - 1);
                let edited = text.replace(&own, &format!("{own} Edit {round}."));
                // An editor that saves atomically, unless the page changed meanwhile.
                if edited != text && std::fs::read_to_string(&path).unwrap() == text {
                    let other = (round + 1) % PAGES;
                    let accept = format!("proposals accept --all --under page-{other}.md --only-additions");
                    terminal.ubp(&accept);
                    std::fs::write(&path, edited).unwrap();
                    edits.push((round % PAGES, round));
                }
                round += 1;
            }
            edits
        });
        let proposed = at_once(CLIENTS, |client| {
            let mut server = server(terminal.folder(), &["--write"]);
            let mut own = BTreeSet::new();
            for change in 0..each {
                let (page, number) = ((client + change) % PAGES, (client * 3 + change) % (LINES - 1));
                // A later edit needs the hash, so that it does not go on from what this client proposed.
                let read = done(&mut server, "ubp_get_page", json!({ "page": format!("page-{page}.md") }));
                let edit = json!({
                    "page": format!("page-{page}.md"), "old": line(page, number),
                    "new": format!("{}\n\nBy {client}, {change}.", line(page, number)),
                    "expected_hash": read["content_hash"],
                });
                match server.call("ubp_update_page", edit).unwrap() {
                    answer if answer["isError"] == true => {
                        assert!(text(&answer).contains("changed on disk"), "{}", text(&answer));
                    }
                    answer => {
                        let id = answer["structuredContent"]["proposal"].as_str().unwrap().to_owned();
                        own.insert((id, page, format!("By {client}, {change}.")));
                    }
                }
            }
            own
        });
        finished.store(true, Ordering::Relaxed);
        (proposed.into_iter().flatten().collect::<BTreeSet<_>>(), person.join().unwrap())
    });
    assert!(proposed.len() > CLIENTS * each / 2, "{}", proposed.len());
    terminal.ubp("proposals accept --all");
    let listed = ubp(&terminal, "proposals --state all -n 1000");
    let listed = listed["proposals"].as_array().unwrap();
    let (mut accepted, mut in_conflict) = (0, 0);
    for proposal in listed {
        let id = proposal["proposal"].as_str().unwrap();
        let Some(known) = proposed.iter().find(|(known, ..)| known == id).cloned() else {
            panic!("unknown proposal {id}");
        };
        let is_there = page(&terminal, &format!("page-{}.md", known.1)).contains(&known.2);
        match proposal["state"].as_str().unwrap() {
            "accepted" => accepted += 1,
            "conflict" => in_conflict += 1,
            other => panic!("{id} is {other}"),
        }
        assert_eq!(is_there, proposal["state"] == "accepted", "{proposal}");
        proposed.remove(&known);
    }
    // The oldest decided proposals are deleted; what they say is in the pages.
    for (id, number, line) in &proposed {
        assert!(page(&terminal, &format!("page-{number}.md")).contains(line), "{id} was lost: {line}");
    }
    assert!(accepted > 0 && accepted + in_conflict == listed.len());
    for number in 0..PAGES {
        let text = page(&terminal, &format!("page-{number}.md"));
        let last = edits.iter().rev().find(|(page, _)| *page == number);
        if let Some((_, round)) = last {
            assert!(
                text.contains(&format!("Edit {round}.")),
                "the person's edit {round} of page {number} is lost"
            );
        }
    }
}
