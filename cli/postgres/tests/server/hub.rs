//! Questions to a hub over PostgreSQL, compared with one project that has all of the pages.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use ubp_core::Caller;
use ubp_core::manifest::{FrontMatterMode, Manifest};
use ubp_core::ops::named;
use ubp_core::ports::{Embedder, FixedClock};
use ubp_core::progress::{Cancel, Silent};
use ubp_postgres::{Address, Asked, Database, SharedHub, Surroundings, run};
use ubp_testing::HashEmbedder;

use super::project::Project;
use super::server::{Server, shared};

pub(super) const WORDS: [&str; 24] = [
    "harbour",
    "lantern",
    "walrus",
    "copper",
    "market",
    "token",
    "login",
    "session",
    "queue",
    "retry",
    "cache",
    "index",
    "vector",
    "ranking",
    "schema",
    "memory",
    "agent",
    "proposal",
    "quota",
    "tenant",
    "backup",
    "灯台の光",
    "港の地図",
    "公開鍵の交換",
];

/// Pages of a project: words that are frequent in it differ from those in others, and so do the lengths.
pub(super) fn pages(project: usize) -> Vec<(String, String)> {
    let mut state = project as u64 * 7_919 + 17;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let page = |page: usize| {
        let mut text = format!("# {} {}\n\n", WORDS[next(24)], WORDS[next(24)]);
        for section in 0..1 + next(4) {
            if section > 0 {
                text += &format!("## {}\n\n", WORDS[next(24)]);
            }
            for _ in 0..10 + next(20 + project * 30) {
                let word = if next(3) == 0 { next(24) } else { (project * 5 + next(7)) % 24 };
                text += WORDS[word];
                text += " ";
            }
            text += "\n\n";
        }
        if next(2) == 0 {
            text += &format!("[[d{project}x{}]]\n", next(10));
        }
        (format!("d{project}x{page}.md"), text)
    };
    (0..10 + project * 4).map(page).collect()
}

pub(super) fn project(name: &str, pages: &[(String, String)]) -> Project {
    Project::new(name, pages.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

fn open(server: &Server, database: &str, role: Option<&str>) -> SharedHub {
    open_all(&[server.address("postgres", database)], role).unwrap()
}

pub(super) fn open_all(addresses: &[Address], role: Option<&str>) -> ubp_core::Result<SharedHub> {
    let now = Timestamp::from_second(1_000_000).unwrap();
    let surroundings = Surroundings {
        model: Box::new(|identity| {
            let models = ["hash-words", "other-words"].map(HashEmbedder::named);
            let found = models.into_iter().find(|model| model.model().identity == identity);
            Ok(found.map(|model| Arc::new(model) as Arc<dyn Embedder>))
        }),
        clock: Arc::new(FixedClock::at(now)),
        manifest: Manifest::default_for("pages", FrontMatterMode::Preserved, now).unwrap(),
    };
    SharedHub::open(addresses, 4, role.map(Into::into), surroundings)
}

pub(super) fn ask(hub: &SharedHub, operation: &str, params: Value) -> ubp_core::Result<Value> {
    let asked = Asked { caller: Caller::Person, agent: None, progress: &Silent, cancel: &Cancel::default() };
    hub.call(named(operation).unwrap(), &params, asked, None)
}

/// Pages with scores, best first, without names of projects.
pub(super) fn hits(answer: &Value) -> Vec<(String, f64)> {
    let results = answer["results"].as_array().unwrap().iter().chain(answer["nearby"].as_array().unwrap());
    let mut hits: Vec<(String, f64)> = results
        .map(|result| {
            let path = result["filepath"].as_str().unwrap();
            let path = path.split_once(':').map_or(path, |(_, path)| path);
            (path.to_owned(), result["score"].as_f64().unwrap())
        })
        .collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits
}

pub(super) fn pushed(server: &Server, projects: &[Project]) -> (String, Database) {
    run(async {
        let (database, name) = server.index().await;
        for project in projects {
            project.push(&database).await?;
        }
        Ok((name, database))
    })
    .unwrap()
}

#[test]
fn projects_in_the_database_are_ranked_like_one_with_all_pages() {
    let Some(server) = shared() else { return };
    let parts: Vec<_> = (0..5).map(pages).collect();
    let whole = project("whole", &parts.concat());
    let projects: Vec<Project> =
        parts.iter().enumerate().map(|(at, pages)| project(&format!("part{at}"), pages)).collect();
    let (name, _database) = pushed(server, &projects);
    let hub = open(server, &name, None);
    let (mut questions, mut same_first, mut overlap, mut asked) = (0, 0, 0, 0);
    for (at, word) in WORDS.iter().enumerate().step_by(3) {
        let (second, third) = (WORDS[(at * 7 + 3) % 24], WORDS[(at * 11 + 5) % 24]);
        for query in [
            (*word).to_owned(),
            format!("{word} {second}"),
            format!("how does the {word} use a {second} with {third}?"),
            format!("\"{word} {second}\" {third}"),
        ] {
            for mode in ["fulltext", "hybrid", "vector"] {
                let params = json!({ "query": query, "mode": mode });
                let expected = hits(&whole.ask("search", params.clone()));
                let found = hits(&ask(&hub, "search", params).unwrap());
                questions += 1;
                let first = |hits: &[(String, f64)]| hits.first().map(|(path, _)| path.clone());
                same_first += usize::from(first(&found) == first(&expected));
                asked += expected.len();
                overlap += expected.iter().filter(|hit| found.iter().any(|other| other.0 == hit.0)).count();
                for (path, score) in &expected {
                    if let Some((_, other)) = found.iter().find(|(other, _)| other == path) {
                        assert!((score - other).abs() < 0.03, "{query}, {mode}, {path}: {score} {other}");
                    }
                }
            }
        }
    }
    assert!(same_first * 100 >= questions * 97, "the first page is the same in {same_first} of {questions}");
    assert!(overlap * 100 >= asked * 95, "{overlap} of {asked} pages are the same");
}

#[test]
fn answers_follow_every_push() {
    let Some(server) = shared() else { return };
    let long = (0..200).map(|line| format!("Line {line} about copper coins.\n\n")).collect::<String>();
    let mut shop = Project::new(
        "shop",
        [
            (
                "checkout.md",
                "# Checkout\n\nPay with copper coins, see [[cart]] and [[auth:tokens|depends_on]].\n",
            ),
            ("cart.md", "# Cart\n\nThe cart holds what a customer wants. [[missing]]\n"),
            ("coins.md", &format!("# Coins\n\n{long}The walrus comes last.\n")),
        ],
    );
    let auth = Project::new(
        "auth",
        [("tokens.md", "---\ntags: [security]\n---\n# Tokens\n\nA token lasts an hour.\n")],
    );
    let (name, database) = pushed(server, std::slice::from_ref(&shop));
    let hub = open(server, &name, None);
    let paths = |answer: &Value| -> Vec<String> {
        answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["filepath"].as_str().unwrap().into())
            .collect()
    };
    let search = |query: &str| ask(&hub, "search", json!({ "query": query, "mode": "fulltext" })).unwrap();
    assert_eq!(paths(&search("hour")), Vec::<String>::new());
    run(auth.push(&database)).unwrap();
    assert_eq!(paths(&search("hour")), ["auth:tokens.md"]);
    assert_eq!(
        paths(&ask(&hub, "search", json!({ "query": "hour", "tags": ["security"] })).unwrap()),
        ["auth:tokens.md"]
    );

    let walrus = search("walrus");
    let section = &walrus["results"][0]["sections"][0];
    assert!(section["content"].as_str().unwrap().contains("walrus"), "{section}");
    assert!(section["lines"][0].as_u64().unwrap() > 100, "the passage of a long section is shown: {section}");

    let page = ask(&hub, "get_page", json!({ "page": "shop:checkout" })).unwrap();
    assert!(page["content"].as_str().unwrap().contains("copper coins"), "{page}");
    assert_eq!(page["outlinks"][0]["filepath"], "shop:cart.md", "{page}");
    assert_eq!(ask(&hub, "get_page", json!({ "page": "Tokens" })).unwrap()["filepath"], "auth:tokens.md");
    let graph = ask(&hub, "get_graph", json!({ "center": "auth:tokens.md" })).unwrap();
    assert!(graph.to_string().contains("shop:checkout.md"), "{graph}");
    let impact = ask(&hub, "get_impact", json!({ "page": "auth:tokens.md" })).unwrap();
    assert_eq!(impact["in_other_projects"][0]["filepath"], "shop:checkout.md", "{impact}");

    // A changed page keeps the links to it; a new page receives those that waited for it.
    shop.put("cart.md", "# Basket\n\nThe basket holds a lantern.\n");
    shop.put("missing.md", "# Missing\n\nFound by [[cart]].\n");
    run(shop.push(&database)).unwrap();
    assert_eq!(paths(&search("lantern")), ["shop:cart.md"]);
    let page = ask(&hub, "get_page", json!({ "page": "shop:cart.md" })).unwrap();
    assert_eq!(page["title"], "Basket");
    let from: Vec<&str> =
        page["backlinks"].as_array().unwrap().iter().map(|link| link["filepath"].as_str().unwrap()).collect();
    assert_eq!(from, ["shop:checkout.md", "shop:missing.md"]);

    shop.remove("missing.md");
    run(shop.push(&database)).unwrap();
    let page = ask(&hub, "get_page", json!({ "page": "shop:cart.md" })).unwrap();
    assert_eq!(page["backlinks"].as_array().unwrap().len(), 1, "{page}");
    run(ubp_postgres::remove(&database, "shop")).unwrap();
    assert_eq!(paths(&search("lantern")), Vec::<String>::new());

    let stale = ask(&hub, "check_staleness", json!({})).unwrap();
    assert_eq!(stale["project"], "auth", "{stale}");
    let refused = ask(&hub, "status", json!({})).unwrap_err().to_string();
    assert!(refused.contains("needs the files of a project"), "{refused}");
}

#[test]
fn mistyped_words_are_corrected() {
    let Some(server) = shared() else { return };
    let far = Project::new("far", [("z.md", "# Zebras\n\nFrozen, Окнами.\n")]);
    let (name, _database) = pushed(server, &[project("shop", &pages(1)), project("other", &pages(2)), far]);
    let hub = open(server, &name, None);
    let search = |query: &str, mode: &str| {
        let answer = ask(&hub, "search", json!({ "query": query, "mode": mode })).unwrap();
        (answer["corrected_query"].clone(), hits(&answer))
    };
    for mode in ["fulltext", "hybrid", "vector"] {
        let (corrected, found) = search("the walruss of coper", mode);
        assert_eq!(corrected, "the walrus of copper");
        assert_eq!(found, search("the walrus of copper", mode).1);
        assert!(!found.is_empty());
    }
    // Tokens with these letters are written in another way.
    for (typed, meant) in [("zebrras", "zebras"), ("frozenn", "frozen"), ("окнамми", "окнами")] {
        assert_eq!(search(typed, "fulltext").0, meant);
    }
    assert_eq!(search("walrus copper", "fulltext").0, Value::Null);
    assert_eq!(search("\"walruss\"", "fulltext").0, Value::Null);
    assert_eq!(search("walruss unheardof", "fulltext").0, Value::Null);
}

#[test]
fn words_are_found_after_restarts_of_the_server_and_pushes_between_them() {
    let Some(mut server) = Server::start("") else { return };
    let mut projects = [project("shop", &pages(1)), project("other", &pages(2)), Project::new("empty", [])];
    let (name, _database) = pushed(&server, &projects);
    let search = |server: &Server| {
        let hub = open(server, &name, None);
        hits(&ask(&hub, "search", json!({ "query": "copper walrus", "mode": "fulltext" })).unwrap())
    };
    let restart = |server: &mut Server| {
        server.stop();
        server.run();
    };
    let push = |server: &Server, project: &Project| {
        let address = server.address("postgres", &name);
        run(async { project.push(&Database::open(&address, 1).await?).await }).unwrap();
    };
    let found = search(&server);
    assert!(found.len() > 3, "{found:?}");
    restart(&mut server);
    assert_eq!(search(&server), found);
    projects[2].put("first.md", "# First\n\nA copper walrus.\n");
    push(&server, &projects[2]);
    projects[0].put("newest.md", "# Newest\n\nA copper walrus, and another copper walrus.\n");
    push(&server, &projects[0]);
    let more = search(&server);
    for page in ["first.md", "newest.md"] {
        assert!(more.iter().any(|hit| hit.0 == page), "{page} in {more:?}");
    }
    for _ in 0..2 {
        restart(&mut server);
        assert_eq!(search(&server), more);
    }
}

#[test]
fn a_full_text_that_was_lost_is_told() {
    let Some(mut server) = Server::start("") else { return };
    let (name, _database) = pushed(&server, &[project("shop", &pages(1)), project("other", &pages(2))]);
    let search = |server: &Server| {
        let hub = open(server, &name, None);
        ask(&hub, "search", json!({ "query": "copper walrus", "mode": "fulltext" }))
    };
    let found = hits(&search(&server).unwrap());
    let sql = |server: &Server, sql: &str| {
        run(async {
            let client = server.connect("postgres", &name).await.unwrap();
            client.batch_execute(sql).await.unwrap();
            Ok(())
        })
        .unwrap();
    };
    // As an index that was built before its rows came.
    sql(
        &server,
        "CREATE TABLE kept AS SELECT * FROM ubp.passages_1; TRUNCATE ubp.passages_1;
         INSERT INTO ubp.passages SELECT * FROM kept; DROP TABLE kept",
    );
    server.stop();
    server.run();
    let lost = search(&server).unwrap_err();
    assert!(lost.to_string().contains("was lost") && lost.hint().unwrap().to_string().contains("REINDEX"));
    sql(&server, "REINDEX TABLE ubp.passages");
    assert_eq!(hits(&search(&server).unwrap()), found);
}

#[test]
fn projects_are_searched_by_their_own_models() {
    let Some(server) = shared() else { return };
    let page = [("copper.md", "# Copper\n\nCoins of copper and lanterns in the harbour.\n")];
    let models = [("shop", "hash-words"), ("auth", "other-words"), ("ops", "unknown-words")];
    let projects = models.map(|(name, model)| Project::new(name, page).with_model(model));
    let (name, _database) = pushed(server, &projects);
    let hub = open(server, &name, None);
    let found = |mode: &str, projects: Value| {
        let params = json!({ "query": "lanterns of copper", "mode": mode, "projects": projects });
        let answer = ask(&hub, "search", params).unwrap();
        let paths = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|one| one["filepath"].as_str().unwrap().into()).collect()
        };
        let mut all = [paths(&answer["results"]), paths(&answer["nearby"])].concat();
        all.sort_unstable();
        (all, answer["search_type"].as_str().unwrap().to_owned(), answer["fallback"].clone())
    };
    let all = json!(["auth", "ops", "shop"]);
    let (paths, kind, _) = found("vector", all.clone());
    assert_eq!((paths, kind.as_str()), (vec!["auth:copper.md".into(), "shop:copper.md".into()], "vector"));
    let (paths, kind, _) = found("hybrid", all);
    assert_eq!((paths.len(), kind.as_str()), (3, "hybrid"), "the page of ops is found by its words");
    let (paths, kind, why) = found("hybrid", json!(["ops"]));
    assert_eq!((paths.len(), kind.as_str(), why), (1, "fulltext_fallback", json!("model_missing")));
}

#[test]
fn a_role_is_answered_from_what_it_may_read() {
    let Some(server) = shared() else { return };
    let shop = Project::new(
        "shop",
        [
            ("public/cart.md", "# Cart\n\nThe cart holds copper. [[price]]\n"),
            ("secret/price.md", "# Price\n\nThe price of copper is a secret. [[cart]]\n"),
        ],
    );
    let (name, _database) = pushed(server, &[shop]);
    run(async {
        let client = server.connect("postgres", &name).await.unwrap();
        let role = format!("reader_{name}");
        let sql = format!(
            "CREATE ROLE {role} NOLOGIN; GRANT ubp_read TO {role}; SELECT ubp.allow('{role}', 'shop', 'public')"
        );
        client.batch_execute(&sql).await.unwrap();
        Ok(())
    })
    .unwrap();
    let hub = open(server, &name, Some(&format!("reader_{name}")));
    for mode in ["fulltext", "hybrid", "vector"] {
        let answer = ask(&hub, "search", json!({ "query": "price of copper", "mode": mode })).unwrap();
        assert_eq!(hits(&answer).len(), 1, "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    let page = ask(&hub, "get_page", json!({ "page": "shop:public/cart.md" })).unwrap();
    assert_eq!(page["backlinks"], json!([]));
    assert!(ask(&hub, "get_page", json!({ "page": "shop:secret/price.md" })).is_err());
    assert!(ask(&hub, "get_page", json!({ "page": "Price" })).is_err());
}

#[test]
fn many_readers_are_answered_while_others_push() {
    let Some(server) = shared() else { return };
    let mut shop = project("shop", &pages(1));
    let other = project("other", &pages(2));
    let (name, database) = pushed(server, &[project("shop", &pages(1)), other]);
    let hub = open(server, &name, None);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..6)
            .map(|reader| {
                let hub = &hub;
                scope.spawn(move || {
                    for round in 0..12 {
                        let query = WORDS[(reader * 5 + round) % 24];
                        let answer = ask(hub, "search", json!({ "query": query })).unwrap();
                        for hit in hits(&answer) {
                            assert!(hit.0.starts_with('d') || hit.0.starts_with("new"), "{hit:?}");
                        }
                    }
                })
            })
            .collect();
        for round in 0..10 {
            shop.put(
                &format!("new{}.md", round % 3),
                &format!("# New {round}\n\nThe walrus {round} is new.\n"),
            );
            run(shop.push(&database)).unwrap();
        }
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
    let answer = ask(&hub, "search", json!({ "query": "\"walrus 9\"", "mode": "fulltext" })).unwrap();
    assert_eq!(hits(&answer).len(), 1, "{answer}");
}
