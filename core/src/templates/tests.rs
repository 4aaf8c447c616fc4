//! Templates of a project: choosing one, creating pages, and checking pages.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::index::tests::Project;
use crate::manifest::FrontMatterMode;
use crate::ports::Source;

fn project(templates: &[(&str, &str)]) -> Project {
    let project = Project::with_pages([]);
    for (path, text) in templates {
        project.source.put_source(path, text.as_bytes(), Timestamp::UNIX_EPOCH);
    }
    project
}

fn with_examples() -> Project {
    let paths = EXAMPLES.map(|(name, text)| (format!("templates/{name}"), text));
    project(&paths.each_ref().map(|(path, text)| (path.as_str(), *text)))
}

fn create(project: &Project, params: Value) -> Result<Value> {
    project.context().call("create_page", params)
}

fn page(project: &Project, path: &str) -> String {
    String::from_utf8(project.source.read(path).unwrap()).unwrap()
}

#[test]
fn a_page_from_every_example_meets_its_own_rules() {
    let mut project = with_examples();
    for mode in [FrontMatterMode::Managed, FrontMatterMode::Preserved] {
        project.manifest.frontmatter = mode;
        for (name, fields) in [
            ("adr", json!({"deciders": "Ann, Bob"})),
            ("api", json!({})),
            ("feature", json!({"owner": "Ann"})),
            ("meeting", json!({"attendees": ["Ann", "Bob"]})),
            ("runbook", json!({"service": "auth", "owner": "Identity"})),
        ] {
            let title = format!("{name} {}", mode.as_str());
            let made = create(&project, json!({"title": title, "template": name, "fields": fields})).unwrap();
            assert_eq!(made["breaches"], json!([]), "{made:#}");
            assert_eq!(made["template"], json!(name));
            assert_eq!(made["doc_type"], json!(name));
            assert!(made["cursor"]["line"].as_u64().unwrap() > 5, "{made:#}");
            let text = page(&project, made["filepath"].as_str().unwrap());
            assert!(!text.contains("{{") && text.contains(&format!("# {title}\n")), "{text}");
        }
    }
    let doctor = project.context().call("doctor", json!({})).unwrap();
    let codes = doctor["counts"].as_object().unwrap();
    assert!(
        codes.keys().all(|code| !code.starts_with("schema") && code != "template" && code != "own_page_type")
    );
}

#[test]
fn managed_front_matter_and_fields_are_spliced_in() {
    let mut project = with_examples();
    project.manifest.frontmatter = FrontMatterMode::Managed;
    let made = create(
        &project,
        json!({"title": "Use: \"Postgres\"", "template": "adr", "fields": {"deciders": ["Ann", "Bob: x"]}, "tags": ["db"]}),
    )
    .unwrap();
    assert_eq!(made["filepath"], json!("decisions/Use- -Postgres-.md"));
    let text = page(&project, "decisions/Use- -Postgres-.md");
    let front = text.split("---\n").nth(1).unwrap();
    let id = front.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    assert_eq!(
        front,
        format!(
            "type: adr\nstatus: proposed\ndate: 1970-01-12\ndeciders: [Ann, \"Bob: x\"]\nid: {id}\n\
             title: \"Use: \\\"Postgres\\\"\"\ncreated_at: 1970-01-12T13:46:40Z\n\
             updated_at: 1970-01-12T13:46:40Z\ntags:\n  - db\n"
        )
    );
}

#[test]
fn the_template_is_found_by_name_type_and_folder() {
    let project = project(&[
        (
            "templates/adr.md",
            "---\ntemplate:\n  folder: decisions\ntype: decision\n---\n# {{ title }}\n\nadr\n",
        ),
        ("templates/team/retro.md", "---\ntype: note\n---\n# {{ title }}\n\nretro\n"),
        ("templates/daily.md", "---\ntemplate:\n  folder: notes\ntype: note\n---\n# {{ title }}\n\ndaily\n"),
        ("templates/.hidden.md", "x"),
    ]);
    let used = |params: Value| {
        let mut params = params;
        params["title"] = json!("T");
        params["dry_run"] = json!(true);
        create(&project, params).map(|made| made["template"].clone())
    };
    assert_eq!(used(json!({})).unwrap(), json!(null));
    assert_eq!(used(json!({"template": "ADR.md"})).unwrap(), json!("adr"));
    assert_eq!(used(json!({"template": "retro"})).unwrap(), json!("team/retro"));
    assert_eq!(used(json!({"template": "decision"})).unwrap(), json!("adr"));
    assert_eq!(used(json!({"doc_type": "decision"})).unwrap(), json!("adr"));
    assert_eq!(used(json!({"doc_type": "note"})).unwrap(), json!(null), "two templates have this type");
    assert_eq!(used(json!({"folder": "notes/2026"})).unwrap(), json!("daily"));
    assert_eq!(used(json!({"path": "decisions/a.md"})).unwrap(), json!("adr"));
    assert_eq!(used(json!({"folder": "decisions", "template": "none"})).unwrap(), json!(null));
    assert_eq!(used(json!({"folder": "decisions", "content": "x"})).unwrap(), json!(null));
    assert_eq!(used(json!({"folder": "decisions", "doc_type": "guide"})).unwrap(), json!(null));
    let error = used(json!({"template": "nope"})).unwrap_err().to_string();
    assert_eq!(error, "unknown template 'nope'; expected one of adr, daily, team/retro");
    let error = used(json!({"template": "adr", "content": "x"})).unwrap_err().to_string();
    assert_eq!(error, "give `content` or `template`, not both");
    assert!(used(json!({"fields": {"a": "b"}})).is_err());
}

#[test]
fn a_broken_template_is_reported_and_creates_nothing() {
    let project = project(&[("templates/bad.md", "---\ntemplate:\n  filds:\n---\n# x\n")]);
    let error = create(&project, json!({"title": "T", "template": "bad"})).unwrap_err().to_string();
    assert!(error.starts_with("the template templates/bad.md:3: unknown key `filds`"), "{error}");
    assert!(project.source.list().unwrap().pages.is_empty());
    let listed = project.context().call("list_templates", json!({})).unwrap();
    assert!(listed["templates"][0]["problem"].as_str().unwrap().starts_with("line 3: unknown key"));
    let doctor = project.context().call("doctor", json!({"kind": "template"})).unwrap();
    assert_eq!(doctor["findings"][0]["line"], json!(3));
}

#[test]
fn new_pages_and_the_doctor_say_what_a_page_lacks_for_its_type() {
    let project = with_examples();
    let made = create(
        &project,
        json!({"title": "T", "doc_type": "adr", "content": "## Context\n\n[[M|implements]]\n"}),
    );
    let made = made.unwrap();
    let codes: Vec<&str> =
        made["breaches"].as_array().unwrap().iter().map(|breach| breach["code"].as_str().unwrap()).collect();
    assert_eq!(codes.iter().filter(|code| **code == "schema_key").count(), 3, "{made:#}");
    assert_eq!(codes.iter().filter(|code| **code == "schema_heading").count(), 3, "{made:#}");
    create(&project, json!({"title": "M", "template": "meeting", "fields": {"attendees": "Ann"}})).unwrap();
    let doctor = project.context().call("doctor", json!({"kind": "schema_link"})).unwrap();
    assert_eq!(
        doctor["findings"][0]["message"],
        json!("'implements' leads to 'M', a page of the type 'meeting', not feature or spec"),
        "{doctor:#}"
    );
}

#[test]
fn templates_in_the_pages_folder_need_a_setting() {
    let mut manifest = crate::manifest::Manifest::default();
    assert_eq!((manifest.templates_folder(), manifest.templates_among_pages()), (Some("templates"), None));
    manifest.pages_dir = ".".into();
    assert_eq!((manifest.templates_folder(), manifest.templates_among_pages()), (None, None));
    manifest.templates_dir = Some("meta/forms".into());
    assert_eq!(
        (manifest.templates_folder(), manifest.templates_among_pages()),
        (Some("meta/forms"), Some("meta/forms"))
    );
    manifest.pages_dir = "meta".into();
    assert_eq!(manifest.templates_among_pages(), Some("forms"));
    manifest.pages_dir = "met".into();
    assert_eq!(manifest.templates_among_pages(), None);
    let parse = |text: &str| crate::manifest::Manifest::parse(text, "m");
    let error = parse("{\n\"pages_dir\": \"a/b\",\n\"templates_dir\": \"a\"}").unwrap_err().to_string();
    assert!(error.contains("m:3") && error.contains("contains the pages"), "{error}");
    assert!(parse(r#"{"templates_dir": "../x"}"#).is_err());
}
