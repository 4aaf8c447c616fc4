//! Attachments get readable names and links that lead to them, and never replace a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::index::tests::Project;
use crate::ops::add_attachment::MOST_BYTES;
use crate::ports::{ContentHash, MemorySource, Source};
use crate::testing::FaultySource;
use crate::{Error, Result};

fn pages() -> MemorySource {
    MemorySource::with_pages([
        ("index.md", "# Index\n"),
        ("guides/sign in.md", "# Sign in\n"),
        ("guides/chart.png.md", "# A page called like a picture\n"),
    ])
    .in_folder("pages")
}

fn project() -> Project {
    let project = Project::over(pages());
    project.update();
    project
}

fn with_folder(folder: &str) -> Project {
    let mut project = project();
    project.manifest.attachments_dir = folder.into();
    project
}

fn attach<S: Source>(project: &Project<S>, page: &str, name: &str, bytes: &[u8]) -> Result<Value> {
    let params = json!({ "page": page, "name": name, "base64": STANDARD.encode(bytes) });
    project.context().call("add_attachment", params)
}

/// Path and link of the stored file.
fn stored(project: &Project, page: &str, name: &str, bytes: &[u8]) -> (String, String) {
    let answer = attach(project, page, name, bytes).unwrap();
    let path = answer["filepath"].as_str().unwrap();
    assert_eq!(project.source.read_source(&format!("pages/{path}")).unwrap(), bytes);
    (path.to_owned(), answer["link"].as_str().unwrap().to_owned())
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    let project = project();
    let before = project.source.match_sources(&["**".into()]).unwrap();
    let error = attach(&project, "index", name, bytes).unwrap_err();
    assert_eq!(error.code(), "invalid_params");
    assert_eq!(project.source.match_sources(&["**".into()]).unwrap(), before);
    error.to_string()
}

#[test]
fn pictures_are_embedded_and_other_files_linked() {
    let project = project();
    let at = |name: &str, link: &str| (format!("attachments/{name}"), link.to_owned());
    assert_eq!(stored(&project, "index", "Plan.png", b"1"), at("Plan.png", "![[Plan.png]]"));
    assert_eq!(stored(&project, "sign in", "Offer.pdf", b"2"), at("Offer.pdf", "[[Offer.pdf]]"));
    assert_eq!(stored(&project, "sign in", "Costs.xlsx", b"3"), at("Costs.xlsx", "[[Costs.xlsx]]"));
    assert_eq!(stored(&project, "index", "Costs.csv", b"4"), at("Costs.csv", "[[attachments/Costs.csv]]"));
    let from_below = "[Costs 2.csv](../attachments/Costs%202.csv)";
    assert_eq!(stored(&project, "sign in", "Costs.csv", b"5"), at("Costs 2.csv", from_below));
}

#[test]
fn the_folder_may_have_the_name_of_the_page_and_the_day() {
    let project = with_folder("./{page} {year}");
    let (path, link) = stored(&project, "sign in", "Plan.png", b"1");
    assert_eq!(path, "guides/sign in 1970/Plan.png");
    assert_eq!(link, "![[Plan.png]]");
}

#[test]
fn a_page_whose_name_no_folder_of_attachments_can_have_gets_none() {
    let project = with_folder("./{page}");
    project.put("guides/node_modules.md", "# x");
    project.update();
    let error = attach(&project, "guides/node_modules.md", "Plan.png", b"1").unwrap_err().to_string();
    assert!(error.starts_with("'guides/node_modules' cannot contain attachments"), "{error}");
    assert!(project.source.match_sources(&["**/Plan.png".into()]).unwrap().is_empty());
}

#[test]
fn the_link_is_longer_where_its_name_means_something_else() {
    let project = project();
    project.source.put_source("pages/guides/Plan.png", b"other", Timestamp::UNIX_EPOCH);
    let at = |name: &str, link: &str| (format!("attachments/{name}"), link.to_owned());
    assert_eq!(stored(&project, "index", "Plan.png", b"1"), at("Plan.png", "![[Plan.png]]"));
    assert_eq!(stored(&project, "sign in", "Plan.png", b"1").1, "![[attachments/Plan.png]]");
    assert_eq!(stored(&project, "index", "chart.png", b"2"), at("chart.png", "![[attachments/chart.png]]"));
}

#[test]
fn the_folder_is_a_setting() {
    for (folder, page, expected) in [
        ("files/new", "sign in", "files/new/a.png"),
        (".", "sign in", "a.png"),
        ("./", "sign in", "guides/a.png"),
        ("./assets", "sign in", "guides/assets/a.png"),
        ("./assets", "index", "assets/a.png"),
    ] {
        let project = with_folder(folder);
        assert_eq!(stored(&project, page, "a.png", b"1"), (expected.into(), "![[a.png]]".into()), "{folder}");
    }
}

#[test]
fn names_are_valid_on_every_system_and_in_links() {
    for (given, expected) in [
        ("a/b\\Shot #1 [x]|y.png", "Shot -1 -x--y.png"),
        ("con.png", "con-.png"),
        (".png", "untitled.png"),
        ("..hidden.PNG", "hidden.PNG"),
        ("e\u{301}cran.png", "écran.png"),
        ("図 1.png", "図 1.png"),
    ] {
        let (path, link) = stored(&project(), "index", given, b"1");
        assert_eq!((path, link), (format!("attachments/{expected}"), format!("![[{expected}]]")), "{given}");
    }
    let long = stored(&project(), "index", &format!("{}.png", "長".repeat(300)), b"1").0;
    assert!(long.len() < 240 && long.ends_with("長.png"), "{long}");
}

#[test]
fn a_taken_name_gets_a_number_and_no_file_is_replaced() {
    let project = project();
    project.source.put_source("pages/attachments/SHOT.png", b"old", Timestamp::UNIX_EPOCH);
    assert_eq!(stored(&project, "index", "shot.png", b"new").0, "attachments/shot 2.png");
    assert_eq!(stored(&project, "index", "shot.png", b"newer").0, "attachments/shot 3.png");
    assert_eq!(project.source.read_source("pages/attachments/SHOT.png").unwrap(), b"old");
}

#[test]
fn a_file_that_is_there_already_is_linked() {
    let project = project();
    let first = attach(&project, "index", "shot.png", b"same").unwrap();
    assert_eq!((&first["existed"], first["audit_id"].is_string()), (&json!(false), true));
    let again = attach(&project, "sign in", "other name.PNG", b"same").unwrap();
    assert_eq!(again["filepath"], "attachments/shot.png");
    assert_eq!((&again["existed"], &again["audit_id"]), (&json!(true), &Value::Null));
    // Another extension is another kind of file.
    assert_eq!(stored(&project, "index", "shot.txt", b"same").0, "attachments/shot.txt");
}

#[test]
fn undo_removes_the_file_and_its_undo_restores_it() {
    let project = project();
    let added = attach(&project, "index", "shot.png", b"picture").unwrap();
    let place = "pages/attachments/shot.png";
    let undone = project.context().call("undo", json!({ "entry": added["audit_id"] })).unwrap();
    assert!(project.source.stat_source(place).unwrap().is_none());
    project.context().call("undo", json!({ "entry": undone["audit_id"] })).unwrap();
    assert_eq!(project.source.read_source(place).unwrap(), b"picture");
    assert_eq!(added["content_hash"], ContentHash::of(b"picture").to_string());
}

#[test]
fn what_cannot_be_attached_is_refused_with_the_reason() {
    let most = vec![0; MOST_BYTES];
    assert_eq!(stored(&project(), "index", "most.zip", &most).0, "attachments/most.zip");
    let more = vec![0; MOST_BYTES + 1];
    assert_eq!(refusal("more.zip", &more), "'more.zip' is too large: an attachment may have at most 20 MB");
    assert_eq!(refusal("empty.png", b""), "'empty.png' is empty");
    assert!(
        refusal("setup.exe", b"MZ")
            .starts_with("'setup.exe' is not of a kind that can be attached: pictures")
    );
    assert!(refusal("README", b"text").starts_with("'README' is not of a kind"));
    assert!(refusal("Notes.md", b"# Notes").contains("create a page instead"));
    let params = json!({ "page": "index", "name": "a.png", "base64": "not base64!" });
    let error = project().context().call("add_attachment", params).unwrap_err();
    assert!(error.to_string().starts_with("`base64` is not base64"), "{error}");
}

#[test]
fn a_disk_that_fails_leaves_nothing_behind() {
    let project = Project::over(FaultySource::new(pages()));
    project.update();
    project.source.break_write("attachments/shot.png", std::io::ErrorKind::StorageFull);
    let error = attach(&project, "index", "shot.png", b"picture").unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert!(project.source.match_sources(&["pages/attachments/*".into()]).unwrap().is_empty());
}
