//! What a template says about itself, and where it is wrong.
#![allow(clippy::unwrap_used)]

use super::*;

fn read(text: &str) -> Result<Template, Problem> {
    Template::read("adr", "templates/adr.md", text.as_bytes(), &LinkTypes::default())
}

fn refusal(text: &str) -> String {
    let problem = read(text).unwrap_err();
    format!("{}: {}", problem.line, problem.message)
}

#[test]
fn the_description_is_cut_out_and_everything_else_is_the_page() {
    let text = "---\r\ntitle: \"{{ title }}\"\r\ntemplate:\r\n  description: A decision\r\n  folder: /decisions/\r\n  \
                fields:\r\n    status: {values: [open, done], default: open}\r\n    people:\r\n      kind: list\r\n      \
                required: false\r\n  headings: [Context]\r\n  links:\r\n    depends_on:\r\n    extends: adr\r\n\
                type: adr\r\n---\r\n# {{ title }}\r\n";
    let template = read(text).unwrap();
    assert_eq!(template.text, "---\ntitle: \"{{ title }}\"\ntype: adr\n---\n# {{ title }}\n");
    assert_eq!(template.description.as_deref(), Some("A decision"));
    assert_eq!(template.doc_type.as_deref(), Some("adr"));
    assert_eq!(template.folder.as_deref(), Some("decisions"));
    assert_eq!(template.headings, ["Context"]);
    let [status, people] = template.fields.as_slice() else { panic!("{template:?}") };
    assert_eq!((status.values.len(), status.default.as_deref(), status.required), (2, Some("open"), true));
    assert_eq!((people.kind, people.required), (FieldKind::List, false));
    assert_eq!(template.links["extends"], ["adr"]);
    assert!(template.links["depends_on"].is_empty());
    // The page's second line is the file's second line, and its third comes after the description.
    assert_eq!((template.line_in_file(2), template.line_in_file(3)), (2, 15));
}

#[test]
fn a_file_without_a_description_is_a_template_too() {
    let template = read("\u{feff}# {{ title }}\n").unwrap();
    assert_eq!((template.text.as_str(), template.line_in_file(1)), ("# {{ title }}\n", 1));
    let only = read("---\ntemplate:\n  description: x\n---\n\n# {{ title }}\n").unwrap();
    assert_eq!((only.text.as_str(), only.line_in_file(1)), ("# {{ title }}\n", 6));
    // Expressions without quotes are not valid YAML, but valid in a template.
    let bare = read("---\ndate: {{ date }}\ntype: note\n---\n").unwrap();
    assert_eq!(bare.doc_type.as_deref(), Some("note"));
}

#[test]
fn errors_name_the_line_in_the_file() {
    let described = |rest: &str| refusal(&format!("---\ntype: adr\ntemplate:\n{rest}---\n# x\n"));
    assert!(
        described("  filds:\n    a: 1\n")
            .starts_with("4: unknown key `filds`; expected one of description, folder")
    );
    assert!(
        described("  fields:\n    a:\n      kind: txt\n")
            .starts_with("6: unknown kind 'txt'; expected one of text")
    );
    assert!(
        described("  fields:\n    a:\n      default: 3\n      values: [x]\n")
            .starts_with("6: the default is not valid")
    );
    assert_eq!(described("  fields:\n    id:\n"), "5: `id` cannot be a field; ubp fills it in");
    assert_eq!(described("  folder: ../x\n"), "4: '../x' is not a folder inside the pages folder");
    assert!(
        described("  links:\n    replaces: adr\n")
            .starts_with("5: unknown link type 'replaces'; expected one of")
    );
    assert_eq!(described("  headings:\n    a: b\n"), "4: `headings` must be a list of texts");
    assert_eq!(described("  fields: [a]\n"), "4: `fields` must have keys of its own");
    assert!(described("  fields: {a: [\n").contains("not valid YAML"));
    let only = refusal("---\n\ntemplate:\n  filds:\n---\n# x\n");
    assert!(only.starts_with("4: unknown key `filds`"), "{only}");
    let bytes = b"a\nb\xff\n";
    let broken = Template::read("a", "a.md", bytes, &LinkTypes::default()).unwrap_err();
    assert_eq!((broken.line, broken.message.to_string().as_str()), (2, "the file is not valid UTF-8"));
    let large = refusal(&"x".repeat(LARGEST + 1));
    assert_eq!(large, "1: the file is larger than 256 kB");
}
