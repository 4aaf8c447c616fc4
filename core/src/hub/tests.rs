//! Questions to several projects.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;
use crate::index::tests::Project as Vault;

/// Three projects; the last two link to each other, and two have a page `login.md`.
struct Vaults([Vault; 3]);

fn vaults() -> Vaults {
    Vaults([
        Vault::with_pages([
            ("login.md", "# Login\n\nUsers sign in with a token, see [[tokens]].\n"),
            ("tokens.md", "# Tokens\n\nA token lasts an hour. [[shop:checkout|depends_on]]\n"),
        ]),
        Vault::with_pages([("login.md", "# Login of the shop\n\nCustomers sign in by mail.\n")]),
        Vault::with_pages([
            ("checkout.md", "# Checkout\n\nPay with copper coins. [[missing:page]] [[auth:no such page]]\n"),
            ("cart.md", "# Cart\n\nSee [[auth:Tokens|implements]] and [[checkout]].\n"),
        ]),
    ])
}

impl Vaults {
    fn members(&self) -> Vec<Project<'_>> {
        const TAGS: [&[&str]; 3] = [&["team"], &["shop"], &["shop"]];
        static OWNED: std::sync::LazyLock<[Vec<String>; 3]> =
            std::sync::LazyLock::new(|| TAGS.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect()));
        let member = |(at, name): (usize, &'static str)| Project {
            name,
            tags: &OWNED[at],
            context: Ok(self.0[at].context()),
        };
        [(0, "auth"), (1, "front"), (2, "shop")].map(member).into()
    }

    fn ask(&self, operation: &str, params: Value) -> Result<Value> {
        let between = Between::of(&self.members()).unwrap();
        Hub::new(self.members(), &between).call(crate::ops::named(operation).unwrap(), params, None)
    }
}

fn paths(answer: &Value) -> Vec<&str> {
    let found = answer["results"].as_array().unwrap().iter().chain(answer["nearby"].as_array().unwrap());
    found.map(|result| result["filepath"].as_str().unwrap()).collect()
}

#[test]
fn a_search_names_pages_so_that_they_can_be_read() {
    let vaults = vaults();
    let answer = vaults.ask("search", json!({ "query": "sign in", "mode": "fulltext" })).unwrap();
    assert_eq!(paths(&answer), ["auth:login.md", "front:login.md"]);
    for path in paths(&answer) {
        let page = vaults.ask("get_page", json!({ "page": path })).unwrap();
        assert_eq!(page["filepath"], path);
        assert_eq!(page["project"], path.split(':').next().unwrap());
    }
}

#[test]
fn projects_are_selected_by_name_glob_and_tag() {
    let vaults = vaults();
    let found = |projects: Value| {
        let params = json!({ "query": "copper sign checkout", "mode": "fulltext", "projects": projects });
        let answer = vaults.ask("search", params).unwrap();
        let mut names: Vec<String> =
            paths(&answer).iter().map(|path| path.split(':').next().unwrap().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(found(json!([])), ["auth", "front", "shop"]);
    assert_eq!(found(json!(["front"])), ["front"]);
    assert_eq!(found(json!(["a*", "s?op"])), ["auth", "shop"]);
    assert_eq!(found(json!(["#shop"])), ["front", "shop"]);
    assert_eq!(found(json!("front, shop")), ["front", "shop"]);
    let error =
        vaults.ask("search", json!({ "query": "x", "projects": ["nothing"] })).unwrap_err().to_string();
    assert_eq!(error, "no project is called 'nothing'; the projects are auth, front, shop");
}

#[test]
fn a_page_is_found_without_its_project_if_only_one_has_it() {
    let vaults = vaults();
    let page = vaults.ask("get_page", json!({ "page": "checkout" })).unwrap();
    assert_eq!(page["filepath"], "shop:checkout.md");
    let error = vaults.ask("get_page", json!({ "page": "login.md" })).unwrap_err();
    let Error::AmbiguousPage { candidates, .. } = &error else { panic!("{error}") };
    assert_eq!(*candidates, ["auth:login.md", "front:login.md"]);
    let page = vaults.ask("get_page", json!({ "page": "login.md", "projects": ["front"] })).unwrap();
    assert_eq!(page["title"], "Login of the shop");
    let error = vaults.ask("get_page", json!({ "page": "shop:login" })).unwrap_err();
    assert_eq!(error.code(), "page_not_found");
    let error = vaults.ask("get_page", json!({ "page": "shop:cart.md", "projects": ["auth"] })).unwrap_err();
    assert_eq!(error.to_string(), "'shop:cart.md' is in a project that `projects` leaves out");
}

#[test]
fn links_between_projects_count_in_search_and_impact() {
    let vaults = vaults();
    let answer = vaults.ask("get_impact", json!({ "page": "shop:checkout.md" })).unwrap();
    let elsewhere: Vec<(&str, &str)> = answer["in_other_projects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| (page["filepath"].as_str().unwrap(), page["link_type"].as_str().unwrap()))
        .collect();
    assert_eq!(elsewhere, [("auth:tokens.md", "depends_on"), ("auth:login.md", "references")]);
    let answer = vaults.ask("search", json!({ "query": "hour lasts", "mode": "hybrid" })).unwrap();
    let lifted = paths(&answer);
    assert!(lifted.contains(&"shop:cart.md"), "{lifted:?}");
}

/// Path, title, type and text of each link in this list of an answer.
fn linked<'a>(answer: &'a Value, list: &str) -> Vec<[&'a str; 4]> {
    let links = answer[list].as_array().unwrap().iter();
    links
        .map(|link| {
            ["filepath", "title", "link_type", "link_context"]
                .map(|field| link[field].as_str().unwrap_or_default())
        })
        .collect()
}

#[test]
fn a_page_has_links_from_and_to_other_projects() {
    let vaults = vaults();
    let tokens = vaults.ask("get_page", json!({ "page": "auth:tokens.md" })).unwrap();
    let lasts = "A token lasts an hour. shop:checkout";
    assert_eq!(linked(&tokens, "outlinks"), [["shop:checkout.md", "Checkout", "depends_on", lasts]]);
    assert_eq!(
        linked(&tokens, "backlinks"),
        [
            ["auth:login.md", "Login", "references", "Users sign in with a token, see tokens."],
            ["shop:cart.md", "Cart", "implements", "See auth:Tokens and checkout."],
        ]
    );
    let checkout = vaults.ask("get_page", json!({ "page": "checkout" })).unwrap();
    let from: Vec<&str> = linked(&checkout, "backlinks").iter().map(|link| link[0]).collect();
    assert_eq!(from, ["shop:cart.md", "auth:tokens.md"]);
    assert_eq!(checkout["backlinks"][1]["lines"], json!([3]));
    let titles: Vec<[&str; 2]> =
        linked(&checkout, "outlinks").iter().map(|[path, title, ..]| [*path, *title]).collect();
    assert_eq!(titles, [["", "missing:page"], ["", "auth:no such page"]], "links without a page stay broken");
    let small = vaults.ask("get_page", json!({ "page": "checkout", "max_tokens": 256 })).unwrap();
    assert!(crate::text::estimate_tokens(&small.to_string()) < 300, "{small}");
}

#[test]
fn walks_pass_from_one_project_into_another() {
    let vaults = vaults();
    let reached = |params: Value| -> Vec<(String, u64)> {
        let answer = vaults.ask("graph_traverse", params).unwrap();
        let pages = answer["pages"].as_array().unwrap().iter();
        pages
            .map(|page| (page["filepath"].as_str().unwrap().to_owned(), page["depth"].as_u64().unwrap()))
            .collect()
    };
    let of = |pages: &[(&str, u64)]| -> Vec<(String, u64)> {
        pages.iter().map(|(path, depth)| ((*path).to_owned(), *depth)).collect()
    };
    assert_eq!(
        reached(json!({ "page": "auth:login.md", "direction": "outgoing" })),
        of(&[("auth:tokens.md", 1), ("shop:checkout.md", 2)])
    );
    assert_eq!(
        reached(json!({ "page": "shop:checkout.md", "direction": "incoming" })),
        of(&[("auth:tokens.md", 1), ("shop:cart.md", 1), ("auth:login.md", 2)])
    );
    assert_eq!(
        reached(json!({ "page": "tokens", "link_types": ["implements"] })),
        of(&[("shop:cart.md", 1)])
    );
    assert_eq!(reached(json!({ "page": "front:login.md" })), []);
    let answer = vaults.ask("graph_traverse", json!({ "page": "auth:login.md" })).unwrap();
    assert_eq!((&answer["project"], &answer["start"]["filepath"]), (&json!("auth"), &json!("auth:login.md")));
    let last = answer["pages"].as_array().unwrap().iter().find(|page| page["title"] == "Checkout").unwrap();
    assert_eq!(
        last["path"][1],
        json!({ "from": "auth:tokens.md", "to": "shop:checkout.md", "link_type": "depends_on",
            "direction": "outgoing" })
    );
}

#[test]
fn the_graph_around_a_page_has_pages_of_other_projects() {
    let vaults = vaults();
    let answer = vaults.ask("get_graph", json!({ "page": "auth:tokens.md", "depth": 1 })).unwrap();
    let nodes = answer["nodes"].as_array().unwrap();
    let path_of = |id: &Value| {
        nodes.iter().find(|node| node["id"] == *id).map(|node| node["filepath"].as_str().unwrap()).unwrap()
    };
    let mut paths: Vec<&str> = nodes.iter().map(|node| node["filepath"].as_str().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["auth:login.md", "auth:tokens.md", "shop:cart.md", "shop:checkout.md"]);
    let mut edges: Vec<(&str, &str, &str)> = answer["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| (path_of(&edge["source"]), path_of(&edge["target"]), edge["type"].as_str().unwrap()))
        .collect();
    edges.sort_unstable();
    assert_eq!(
        edges,
        [
            ("auth:login.md", "auth:tokens.md", "references"),
            ("auth:tokens.md", "shop:checkout.md", "depends_on"),
            ("shop:cart.md", "auth:tokens.md", "implements"),
            ("shop:cart.md", "shop:checkout.md", "references"),
        ]
    );
    let id = nodes.iter().find(|node| node["filepath"] == "shop:cart.md").unwrap()["id"].clone();
    let again = vaults.ask("get_graph", json!({ "center_page_id": id, "depth": 1 })).unwrap();
    assert_eq!(again["nodes"][0]["filepath"], "shop:cart.md", "an id of a node can be asked for");
}

#[test]
fn a_page_that_depends_on_a_stale_page_of_another_project_is_suspect() {
    let vaults = vaults();
    vaults.0[2]
        .put("checkout.md", "---\nstale_after: 1970-01-02\n---\n# Checkout\n\nPay with copper coins.\n");
    vaults.0[2].refresh();
    vaults.0[0].put("login.md", "# Login\n\n[[tokens|depends_on]]\n");
    vaults.0[0].refresh();
    let paths = |answer: &Value| -> Vec<(String, Value)> {
        let pages = answer["pages"].as_array().unwrap().iter();
        pages
            .map(|page| (page["filepath"].as_str().unwrap().to_owned(), page["suspect_path"].clone()))
            .collect()
    };
    let suspects = [
        ("auth:login.md".to_owned(), json!(["auth:login.md", "auth:tokens.md", "shop:checkout.md"])),
        ("auth:tokens.md".to_owned(), json!(["auth:tokens.md", "shop:checkout.md"])),
    ];
    let all = vaults.ask("check_staleness", json!({})).unwrap();
    let of = |at: usize| paths(&all["projects"][at]);
    assert_eq!((of(0), of(1)), (suspects.to_vec(), vec![]));
    // Out of the project and back into it.
    let way = json!(["shop:cart.md", "auth:tokens.md", "shop:checkout.md"]);
    assert_eq!(of(2), [("shop:checkout.md".to_owned(), json!([])), ("shop:cart.md".to_owned(), way)]);
    assert_eq!(all["projects"][0]["pages"][0]["reasons"], json!(["suspect"]));
    // The other project counts even if it is not asked.
    let one = vaults.ask("check_staleness", json!({ "projects": ["auth"] })).unwrap();
    assert_eq!((&one["project"], paths(&one)), (&json!("auth"), suspects.to_vec()));
    let page = vaults.ask("check_staleness", json!({ "page": "auth:tokens.md" })).unwrap();
    assert_eq!(paths(&page), suspects[1..]);
    let told = {
        use crate::show::{MarkdownPage, Tools};
        let between = Between::of(&vaults.members()).unwrap();
        let mut page = MarkdownPage::new(Tools::new(vec!["search", "get_page"]));
        let hub = Hub::new(vaults.members(), &between);
        hub.call(crate::ops::named("check_staleness").unwrap(), json!({}), Some(&mut page)).unwrap();
        page.finish()
    };
    assert!(told.contains("`auth:tokens.md` — depends on `shop:checkout.md`"), "{told}");
    assert!(told.contains("`shop:checkout.md`"), "{told}");
}

#[test]
fn links_to_a_project_that_cannot_be_read_are_left_out() {
    let vaults = vaults();
    let mut members = vaults.members();
    members[2].context = Err("the folder is missing".into());
    let between = Between::of(&vaults.members()).unwrap();
    let hub = Hub::new(members, &between);
    let ask = |operation, params| hub.call(crate::ops::named(operation).unwrap(), params, None).unwrap();
    let page = ask("get_page", json!({ "page": "auth:tokens.md" }));
    assert_eq!(
        (&page["outlinks"][0]["filepath"], page["backlinks"].as_array().unwrap().len()),
        (&Value::Null, 1)
    );
    let reached = ask("graph_traverse", json!({ "page": "auth:tokens.md" }));
    assert_eq!(reached["total_pages"], 1);
}

#[test]
fn other_questions_are_answered_by_each_project() {
    let vaults = vaults();
    let answer = vaults.ask("list_pages", json!({ "projects": ["#shop"] })).unwrap();
    let names: Vec<&str> =
        answer["projects"].as_array().unwrap().iter().map(|one| one["project"].as_str().unwrap()).collect();
    assert_eq!(names, ["front", "shop"]);
    assert_eq!(answer["projects"][0]["pages"][0]["filepath"], "front:login.md");
    let error = vaults.ask("list_pages", json!({ "colour": "red" })).unwrap_err();
    assert_eq!(error.code(), "invalid_params");
    let error = vaults.ask("delete_page", json!({ "page": "shop:cart.md" })).unwrap_err();
    assert_eq!(error.to_string(), "a hub only reads: call delete_page in the project itself");
}

#[test]
fn a_project_that_cannot_be_read_does_not_hold_the_others() {
    let vaults = vaults();
    let mut members = vaults.members();
    members[1].context = Err("the folder is missing".into());
    let between = Between::of(&members).unwrap();
    let hub = Hub::new(members, &between);
    let ask = |operation, params| hub.call(crate::ops::named(operation).unwrap(), params, None);
    for (operation, params) in [("search", json!({ "query": "sign in" })), ("status", json!({}))] {
        let answer = ask(operation, params).unwrap();
        assert_eq!(answer["failed_projects"][0]["project"], "front", "{operation}");
        assert_eq!(answer["failed_projects"][0]["error"], "the folder is missing");
    }
    let error = ask("get_page", json!({ "page": "front:login.md" })).unwrap_err();
    assert_eq!(error.to_string(), "project 'front' cannot be read: the folder is missing");
    assert_eq!(error.code(), "unreadable_project");
    let page = ask("get_page", json!({ "page": "login.md" })).unwrap();
    assert_eq!(page["filepath"], "auth:login.md");
}

#[test]
fn text_names_pages_by_project() {
    use crate::show::{MarkdownPage, Tools};
    let vaults = vaults();
    let between = Between::of(&vaults.members()).unwrap();
    let hub = Hub::new(vaults.members(), &between);
    let told = |operation: &str, params: Value| {
        let mut page = MarkdownPage::new(Tools::new(vec!["search", "get_page"]));
        hub.call(crate::ops::named(operation).unwrap(), params, Some(&mut page)).unwrap();
        page.finish()
    };
    assert!(told("search", json!({ "query": "sign in" })).contains("`auth:login.md:"));
    assert!(told("get_page", json!({ "page": "checkout" })).contains("`shop:checkout.md`"));
    assert!(told("list_pages", json!({})).contains("`shop:cart.md`"));
    let impact = told("get_impact", json!({ "page": "shop:checkout" }));
    assert!(impact.contains("`auth:tokens.md`"), "{impact}");
    assert!(impact.contains("1 page affected"), "{impact}");
    let page = told("get_page", json!({ "page": "auth:tokens" }));
    assert!(page.contains("`auth:tokens.md`") && page.contains("`shop:checkout.md` (depends_on)"), "{page}");
    assert!(page.contains("`auth:login.md` (references)"), "{page}");
    let tree = told("graph_traverse", json!({ "page": "auth:login.md" }));
    assert!(tree.contains("-> `auth:tokens.md`") && tree.contains("-> `shop:checkout.md`"), "{tree}");
    let graph = told("get_graph", json!({ "page": "auth:tokens" }));
    assert!(graph.contains("`auth:tokens.md` -> `shop:checkout.md`"), "{graph}");
}
