//! Links of an export stay whole beside the pages of a project.

use super::{empty, files, from, import, pages};
use crate::import::{Kind, NoticeKind, Options, State};

#[test]
fn imported_links_do_not_lead_to_existing_pages_of_the_same_name() {
    let project = empty();
    project.put("Login.md", "# Login\n");
    let vault = files([("a/Login.md", "mine\n"), ("a/Home.md", "[[Login]]\n")]);
    let options = Options { from: Some(Kind::Obsidian), into: "x/y".into(), allow_same_name: false };
    let output = import(&project, &vault, &options).unwrap();
    assert_eq!((output.links.before, output.links.after), (1, 1));
    // A page at the exact path would win over the nearest one.
    assert_eq!(pages(&project)["x/y/a/Home.md"], "[[x/y/a/Login|Login]]\n");

    let vault = files([("Home.md", "[[Login]]\n"), ("deep/er/Login.md", "mine\n")]);
    let output = import(&project, &vault, &from(Kind::Obsidian)).unwrap();
    assert_eq!((output.links.before, output.links.after), (1, 1));
    assert_eq!(pages(&project)["Home.md"], "[[deep/er/Login|Login]]\n");
}

#[test]
fn links_of_existing_pages_are_not_redirected_unless_allowed() {
    let project = empty();
    project.put("deep/er/Login.md", "# Login\n");
    project.put("Home.md", "[[Login]]\n");
    project.update();
    let vault = files([("Login.md", "mine\n")]);
    let refused = import(&project, &vault, &from(Kind::Obsidian)).unwrap_err();
    assert_eq!(refused.code(), "name_taken");
    assert!(refused.to_string().contains("'Login' at Home.md:1"), "{refused}");
    assert_eq!(pages(&project).len(), 2);
    let options = Options { allow_same_name: true, ..from(Kind::Obsidian) };
    assert_eq!(import(&project, &vault, &options).unwrap().moved_links.len(), 1);
    assert_eq!(pages(&project).len(), 3);
}

#[test]
fn existing_files_are_never_overwritten() {
    let project = empty();
    project.put("A.md", "mine\n");
    project.put("b.md", "mine\n");
    project.source.put_source("pages/p.png", b"mine", jiff::Timestamp::UNIX_EPOCH);
    project.update();
    let vault = files([("A.md", "theirs\n"), ("B.md", "theirs\n"), ("C.md", "[[A]]\n"), ("p.png", "theirs")]);
    let output = import(&project, &vault, &from(Kind::Obsidian)).unwrap();
    let states: Vec<State> = output.pages.iter().chain(&output.attachments).map(|file| file.state).collect();
    assert_eq!(states, [State::NotWritten, State::NotWritten, State::New, State::NotWritten]);
    let told: Vec<String> = output.notices.iter().map(|notice| notice.message.to_string()).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(output.notices.iter().all(|notice| notice.kind == NoticeKind::NotWritten));
    assert_eq!(pages(&project)["A.md"], "mine\n");
    assert_eq!(pages(&project)["b.md"], "mine\n");
}

#[test]
fn a_page_in_another_encoding_is_copied_and_its_links_are_reported() {
    let project = empty();
    let mut vault = files([("a/B.md", "x\n"), ("B.md", "y\n")]);
    vault.insert("a/L.md".into(), b"\xff[[a/B]] [x](/B.md)\n".to_vec());
    let options = Options { into: "in".into(), ..from(Kind::Obsidian) };
    let output = import(&project, &vault, &options).unwrap();
    assert_eq!(crate::ports::Source::read(&project.source, "in/a/L.md").unwrap(), vault["a/L.md"]);
    let lost = output.notices.iter().filter(|notice| notice.kind == NoticeKind::LostLink).count();
    assert_eq!(lost, output.links.before - output.links.after);
}

#[test]
fn an_unknown_folder_is_refused() {
    let refused = import(&empty(), &files([("a.md", "x"), ("b.md", "y")]), &Options::default()).unwrap_err();
    assert_eq!(refused.code(), "invalid_params");
}
