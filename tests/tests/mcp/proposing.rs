//! An agent proposes over MCP, a person reviews at the terminal, and the agent hears what became of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

#[cfg(unix)]
#[test]
fn a_person_edits_a_proposal_in_their_editor_before_accepting_it() {
    use std::os::unix::fs::PermissionsExt;
    let terminal = Terminal::vault([("a.md", "# A\n\nOne.\n")]).unwrap();
    assert!(terminal.ubp("add").succeeded());
    let mut client = server(terminal.folder(), &["--write"]);
    let edit = json!({ "page": "a.md", "content": "Two.", "mode": "append" });
    let id = done(&mut client, "ubp_update_page", edit)["proposal"].as_str().unwrap().to_owned();
    let before = page(&terminal, "a.md");
    let ran = terminal.ubp(&format!("proposals accept {id} --edit"));
    assert!(ran.err.contains("set EDITOR"), "{}", ran.err);
    let editor = terminal.path(".bin/editor");
    let terminal = terminal.with_variable("EDITOR", editor.to_str().unwrap());
    let accept = |script: &str, expected: &str| {
        terminal.write(".bin/editor", format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
        let ran = terminal.ubp(&format!("proposals accept {id} --edit"));
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains(expected), "{said}");
        // The texts that were kept, and the folder with them.
        let kept =
            said.split_once("your text is kept in ").map(|(_, rest)| rest.lines().next().unwrap().to_owned());
        kept.map(|folder| {
            let text = std::fs::read_to_string(format!("{folder}/1-a.md")).unwrap();
            std::fs::remove_dir_all(folder).unwrap();
            text
        })
    };
    assert!(accept("exit 1", "failed").is_some());
    assert_eq!(accept("> \"$1\"", "the text of a.md is empty: nothing was accepted"), None);
    assert_eq!(page(&terminal, "a.md"), before);
    // What was edited is not lost with a conflict.
    let end = before.strip_suffix('\n').unwrap_or(&before);
    terminal.write("a.md", format!("{end}\n\nFour.\n")).unwrap();
    let kept = accept("echo Mine. >> \"$1\"", "conflict").unwrap();
    assert!(kept.ends_with("Mine.\n"), "{kept}");
    terminal.write("a.md", &before).unwrap();
    assert_eq!(accept("sed -i s/Two/Three/ \"$1\"", &format!("Accepted {id}")), None);
    let after = page(&terminal, "a.md");
    assert!(after.starts_with(&before) && after.ends_with("Three.\n"), "{after}");
    let shown = terminal.ubp(&format!("proposals {id}")).out;
    assert!(shown.contains("after editing a.md"), "{shown}");
    let heard = done(&mut client, "ubp_list_proposals", json!({}));
    assert_eq!(heard["proposals"][0]["decision"]["edited"], json!(["a.md"]));
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
const LINES: usize = 8;

/// A proposal that an agent made.
struct Made {
    id: String,
    page: usize,
    /// The line that it adds.
    line: String,
    is_withdrawn: bool,
}

/// What a person did.
#[derive(Default)]
struct Done {
    /// The latest edit of each page.
    edits: BTreeMap<usize, usize>,
    accepted: BTreeSet<String>,
    rejected: BTreeSet<String>,
}

impl Done {
    /// Accepts proposals. Returns those in conflict.
    fn accept(&mut self, terminal: &Terminal, which: &str) -> Vec<String> {
        // The command fails if it leaves one.
        let answer = terminal.ubp(&format!("proposals accept --all {which} --json")).json();
        let ids = |list: &str, is_of: fn(&Value) -> bool| -> Vec<String> {
            let listed = answer[list].as_array().unwrap().iter().filter(|one| is_of(one));
            listed.map(|one| one["proposal"].as_str().unwrap().to_owned()).collect()
        };
        let accepted = ids("accepted", |_| true);
        assert!(accepted.iter().all(|id| self.accepted.insert(id.clone())), "one was accepted twice");
        ids("left", |left| left["excluded"] == false)
    }

    fn reject(&mut self, terminal: &Terminal, ids: &[String]) {
        for id in ids {
            // The agent may have withdrawn it meanwhile.
            if terminal.ubp(&format!("proposals reject {id} --comment 'Others were faster.'")).succeeded() {
                self.rejected.insert(id.clone());
            }
        }
    }
}

/// An agent that proposes `count` changes, and withdraws some of them.
fn proposing(terminal: &Terminal, client: usize, pages: usize, count: usize) -> Vec<Made> {
    let mut server = server(terminal.folder(), &["--write"]);
    let mut made: Vec<Made> = Vec::new();
    let mut attempts = 0;
    while made.len() < count {
        let (page, number) = ((client + attempts) % pages, (client * 3 + attempts) % (LINES - 1));
        attempts += 1;
        assert!(attempts < count * 50, "{} of {count} proposals in {attempts} attempts", made.len());
        let path = format!("page-{page}.md");
        // A later edit needs the hash, so that it does not go on from what this client proposed.
        let read = done(&mut server, "ubp_get_page", json!({ "page": path }));
        let own = format!("By {client}, {}.", made.len());
        let edit = json!({
            "page": path, "old": line(page, number), "new": format!("{}\n\n{own}", line(page, number)),
            "expected_hash": read["content_hash"],
        });
        let answer = server.call("ubp_update_page", edit).unwrap();
        if answer["isError"] == true {
            let said = text(&answer);
            let expected = ["changed on disk", "wait for review", "has been writing to this project"];
            assert!(expected.iter().any(|words| said.contains(words)), "{said}");
            if said.contains("wait for review") {
                // The person has to catch up.
                std::thread::sleep(Duration::from_millis(200));
            }
            continue;
        }
        let id = answer["structuredContent"]["proposal"].as_str().unwrap().to_owned();
        let withdraws = made.len() % 10 == 9;
        // A person may have decided already.
        let is_withdrawn = withdraws
            && server.call("ubp_withdraw_proposal", json!({ "proposal": id })).unwrap()["isError"] != true;
        made.push(Made { id, page, line: own, is_withdrawn });
    }
    made
}

fn line(page: usize, number: usize) -> String {
    format!("Line {number} of page {page}.")
}

/// A person who edits pages, and accepts and rejects proposals, until the agents have finished.
fn reviewing(terminal: &Terminal, pages: usize, finished: &AtomicBool) -> Done {
    let mut person = Done::default();
    let mut round = 0;
    while !finished.load(Ordering::Relaxed) {
        let number = round % pages;
        let path = terminal.path(&format!("page-{number}.md"));
        // The last line belongs to the person. Only the person changes pages, so the page stays as it was read.
        let own = line(number, LINES - 1);
        let text = std::fs::read_to_string(&path).unwrap();
        let edited: Vec<String> = text
            .lines()
            .map(|line| match line.starts_with(&own) {
                true => format!("{own} Edit {round}."),
                false => line.to_owned(),
            })
            .collect();
        std::fs::write(&path, edited.join("\n") + "\n").unwrap();
        person.edits.insert(number, round);
        let other = (round * 7 + 1) % pages;
        let which = if round % 2 == 0 { String::new() } else { format!("--under page-{other}.md") };
        let in_conflict = person.accept(terminal, &format!("{which} --only-additions"));
        if round % 3 == 0 {
            person.reject(terminal, &in_conflict);
        }
        round += 1;
    }
    person
}

/// Agents propose while a person edits and reviews. Afterwards each proposal is accepted, rejected, withdrawn or in
/// conflict; pages have the edits of the person and what was accepted, and nothing else.
#[test]
fn eight_agents_propose_while_a_person_edits_and_reviews() {
    let (each, pages) = if std::env::var_os("UBP_SOAK").is_some() { (250, 50) } else { (12, 10) };
    let texts: Vec<(String, String)> = (0..pages)
        .map(|page| {
            let lines: Vec<String> = (0..LINES).map(|number| line(page, number)).collect();
            (format!("page-{page}.md"), lines.join("\n\n") + "\n")
        })
        .collect();
    let terminal = Terminal::vault(texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))).unwrap();
    terminal.let_agents_write_often().unwrap();
    assert!(terminal.ubp("add").succeeded());
    let finished = AtomicBool::new(false);
    let (made, mut person) = std::thread::scope(|scope| {
        let person = scope.spawn(|| reviewing(&terminal, pages, &finished));
        let made =
            std::panic::catch_unwind(|| at_once(CLIENTS, |client| proposing(&terminal, client, pages, each)));
        finished.store(true, Ordering::Relaxed);
        let person = person.join().unwrap();
        (made.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), person)
    });
    let made: Vec<Made> = made.into_iter().flatten().collect();
    assert_eq!(made.len(), CLIENTS * each);
    let in_conflict: BTreeSet<String> = person.accept(&terminal, "").into_iter().collect();
    let listed = ubp(&terminal, "proposals --state open -n 1000");
    let open: BTreeSet<String> = listed["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|proposal| {
            assert_eq!(proposal["state"], "conflict", "{proposal}");
            proposal["proposal"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(open, in_conflict);
    let ids: BTreeSet<&String> = made.iter().map(|made| &made.id).collect();
    assert!(person.accepted.iter().chain(&person.rejected).all(|id| ids.contains(id)));
    let texts: Vec<String> = (0..pages).map(|number| page(&terminal, &format!("page-{number}.md"))).collect();
    for Made { id, page, line, is_withdrawn } in &made {
        let ends = [
            person.accepted.contains(id),
            person.rejected.contains(id),
            *is_withdrawn,
            in_conflict.contains(id),
        ];
        assert_eq!(ends.iter().filter(|ends| **ends).count(), 1, "{id} of page {page}: {ends:?}");
        let times = texts.iter().flat_map(|text| text.lines()).filter(|there| there == line).count();
        assert_eq!(times, usize::from(ends[0]), "{id}: {line}");
    }
    for (number, text) in texts.iter().enumerate() {
        for kept in 0..LINES - 1 {
            assert!(text.lines().any(|there| there == line(number, kept)), "line {kept} of page {number}");
        }
        let own = person.edits.get(&number).map_or_else(
            || line(number, LINES - 1),
            |round| format!("{} Edit {round}.", line(number, LINES - 1)),
        );
        assert!(text.lines().any(|there| there == own), "the person's '{own}' is lost: {text}");
    }
    let withdrawn = made.iter().filter(|made| made.is_withdrawn).count();
    let (accepted, rejected) = (person.accepted.len(), person.rejected.len());
    println!(
        "{} proposals: {accepted} accepted, {rejected} rejected, {withdrawn} withdrawn, {} in conflict; {} pages edited",
        made.len(),
        in_conflict.len(),
        person.edits.len()
    );
    assert!(accepted > 0 && withdrawn > 0);
}
