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
    let error = ask("get_page", json!({ "page": "front:login.md" })).unwrap_err().to_string();
    assert_eq!(error, "project 'front' cannot be read: the folder is missing");
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
    assert!(told("get_impact", json!({ "page": "shop:checkout" })).contains("`auth:tokens.md`"));
}
