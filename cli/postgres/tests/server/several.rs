//! Projects that are split over two servers, answered as one.

use serde_json::{Value, json};
use ubp_postgres::{ProjectState, SharedHub, run};

use super::hub::{WORDS, ask, hits, open_all, pages, project, pushed};
use super::project::Project;
use super::server::{Server, shared};

fn projects() -> Vec<Project> {
    (0..5).map(|at| project(&format!("part{at}"), &pages(at))).collect()
}

/// The projects of a hub, each with why it cannot be read.
fn listed(hub: &SharedHub) -> Vec<(String, Option<String>)> {
    let named = |state: ProjectState| (state.project.name, state.error);
    hub.projects().unwrap().into_iter().map(named).collect()
}

fn paths(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|one| one["filepath"].as_str().unwrap()).collect()
}

#[test]
fn projects_on_two_servers_are_ranked_like_those_on_one() {
    let (Some(one), Some(other)) = (shared(), Server::start("")) else { return };
    let mut all = projects();
    let (together, _) = pushed(one, &all);
    let (here, _) = pushed(one, &all[..2]);
    let (there, _) = pushed(&other, &all[2..]);
    let whole = open_all(&[one.address("postgres", &together)], None).unwrap();
    let split = [one.address("postgres", &here), other.address("postgres", &there)];
    let split = open_all(&split, None).unwrap();
    assert_eq!(listed(&split), listed(&whole));
    let mut found = 0;
    for (at, word) in WORDS.iter().enumerate() {
        let (second, third) = (WORDS[(at * 7 + 3) % 24], WORDS[(at * 11 + 5) % 24]);
        for params in [
            json!({ "query": word, "mode": "fulltext" }),
            json!({ "query": format!("{word} {second}"), "mode": "fulltext" }),
            json!({ "query": format!("how does the {word} use a {second} with {third}?"), "mode": "hybrid" }),
            json!({ "query": format!("\"{word} {second}\" {third}"), "mode": "hybrid" }),
            json!({ "query": format!("{word} {third}"), "mode": "vector" }),
            json!({ "query": format!("{word} {third}"), "projects": ["part1", "part4"] }),
            json!({ "query": format!("{word}s and {second}x"), "mode": "fulltext" }),
        ] {
            let expected = ask(&whole, "search", params.clone()).unwrap();
            let answer = ask(&split, "search", params.clone()).unwrap();
            assert_eq!(hits(&answer), hits(&expected), "{params}");
            assert_eq!(answer["corrected_query"], expected["corrected_query"], "{params}");
            found += hits(&answer).len();
        }
    }
    assert!(found > 500, "{found}");

    // A push to either is seen by the next question, and links lead from one to the other.
    all[0].put("from.md", "# From\n\nThe zebra is on the other server: [[part4:to|depends_on]].\n");
    all[4].put("to.md", "# To\n\nThe zebra is here.\n");
    for (server, name, at) in [(one, &here, 0), (&other, &there, 4)] {
        let address = server.address("postgres", name);
        run(async { all[at].push(&ubp_postgres::Database::open(&address, 1).await?).await }).unwrap();
    }
    let answer = ask(&split, "search", json!({ "query": "zebra", "mode": "fulltext" })).unwrap();
    assert_eq!(hits(&answer).len(), 2, "{answer}");
    let impact = ask(&split, "get_impact", json!({ "page": "part4:to.md" })).unwrap();
    assert_eq!(impact["in_other_projects"][0]["filepath"], "part0:from.md", "{impact}");
    let page = ask(&split, "get_page", json!({ "page": "part4:to" })).unwrap();
    assert!(page["content"].as_str().unwrap().contains("The zebra is here"), "{page}");
}

#[test]
fn a_server_that_is_gone_does_not_hold_the_others() {
    let (Some(one), Some(mut other)) = (shared(), Server::start("")) else { return };
    let (here, _) = pushed(one, &[Project::new("near", [("a.md", "# A\n\nA walrus.\n")])]);
    let (there, _) = pushed(&other, &[Project::new("far", [("b.md", "# B\n\nA walrus.\n")])]);
    let addresses = [one.address("postgres", &here), other.address("postgres", &there)];
    let hub = open_all(&addresses, None).unwrap();
    let search = || ask(&hub, "search", json!({ "query": "walrus", "mode": "fulltext" })).unwrap();
    assert_eq!(paths(&search()), ["far:b.md", "near:a.md"]);

    let more = Project::new("near", [("a.md", "# A\n\nA walrus.\n"), ("c.md", "# C\n\nA walrus.\n")]);
    let address = one.address("postgres", &here);
    let push = || run(async { more.push(&ubp_postgres::Database::open(&address, 1).await?).await });
    other.stop();
    let answer = search();
    assert_eq!(paths(&answer), ["near:a.md"], "{answer}");
    assert_eq!(answer["failed_projects"][0]["project"], "far", "{answer}");
    let error = answer["failed_projects"][0]["error"].as_str().unwrap();
    assert!(error.contains("cannot connect"), "{error}");
    let states = listed(&hub);
    assert!(states[0].1.is_some() && states[1].1.is_none(), "{states:?}");
    assert!(ask(&hub, "get_page", json!({ "page": "far:b.md" })).is_err());
    let lost = open_all(&addresses, None).err().unwrap().to_string();
    assert!(lost.contains("cannot connect"), "nothing says which projects a new hub would lack: {lost}");

    push().unwrap();
    assert_eq!(paths(&search()), ["near:a.md", "near:c.md"]);

    other.run();
    let begun = std::time::Instant::now();
    while paths(&search()).len() < 3 {
        assert!(begun.elapsed().as_secs() < 60, "the server is not asked again");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn a_project_on_two_servers_is_refused_by_its_name_and_the_others_answer() {
    let Some(server) = shared() else { return };
    let page = |text: &str| Project::new("shop", [("a.md", text)]);
    let other = Project::new("auth", [("c.md", "# C\n\nA walrus.\n")]);
    let (one, _) = pushed(server, &[page("# A\n\nA walrus.\n"), other]);
    let (two, second) = pushed(server, &[page("# A\n\nAnother walrus.\n")]);
    let addresses = [&one, &two, &one].map(|name| server.address("postgres", name));
    let hub = open_all(&addresses, None).unwrap();
    let search = || ask(&hub, "search", json!({ "query": "walrus", "mode": "fulltext" })).unwrap();
    let answer = search();
    assert_eq!(paths(&answer), ["auth:c.md"], "{answer}");
    let failed = answer["failed_projects"].as_array().unwrap();
    let error = failed[0]["error"].as_str().unwrap();
    assert!(failed.len() == 1 && error.contains(&one) && error.contains(&two), "{answer}");
    run(ubp_postgres::remove(&second, "shop")).unwrap();
    assert_eq!(paths(&search()).len(), 2);
}
