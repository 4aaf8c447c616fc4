//! Searches every byte of every file of a site for the secrets of its vault: verbatim, in both Unicode normal forms,
//! and as terms of the full-text index.

use std::collections::BTreeSet;

use rusqlite::Connection;
use ubp_core::text::{fold_key, index_terms};
use unicode_normalization::UnicodeNormalization as _;

use super::{export, files, vault};

/// What the site must not contain, with a description of each.
const SECRETS: &[(&str, &str)] = &[
    ("Zürichprojekt", "a title"),
    ("Quixotic Ledger", "a file's name"),
    ("verborgen", "a folder's name"),
    ("Zephyrine", "an alias"),
    ("機密計画書", "an alias in Japanese"),
    ("xylographer", "a word of the text"),
    ("秘密の合言葉", "words of the text in Japanese"),
    ("Jabberwocky Section", "a heading"),
    ("obsidianite", "a tag"),
    ("inlinetagium", "a tag in the text"),
    ("fieldvalueish", "a value of front matter"),
    ("fieldkeyish", "a key of front matter"),
    ("sesquipedalian.rs", "a source that it names"),
    ("borogove.png", "an attachment that it alone shows"),
    ("BOROGOVE-BYTES", "what is in that attachment"),
    ("tumtum-block", "the name of a paragraph"),
    ("Café Vorpal", "a title whose form differs"),
    ("bandersnatch", "the text of a page that says no in another way"),
    ("0198c1d2-dead-7bad-8bad-c0ffeec0ffee", "an id"),
];

#[test]
fn no_file_of_a_site_contains_a_secret() {
    let hidden = "---\nid: 0198c1d2-dead-7bad-8bad-c0ffeec0ffee\ntitle: Zürichprojekt\npublish: False\n\
        aliases: [Zephyrine, 機密計画書]\ntags: [obsidianite]\nfieldkeyish: fieldvalueish\n\
        source_refs: [src/sesquipedalian.rs]\n---\n# Zürichprojekt\n\nA xylographer says 秘密の合言葉. #inlinetagium ^tumtum-block\n\n\
        ## Jabberwocky Section\n\n![[borogove.png]] [[Public]] [[index]]\n";
    let public = "---\ndepends_on: \"[[Zephyrine]]\"\nrelated: ['[[verborgen/Quixotic Ledger|shown one]]', \"[[index]]\"]\n\
        escaped: \"\\u005b[Zephyrine]] after\"\n---\n# Public\n\n\
        [[Zürichprojekt]] [[Zu\u{308}richprojekt]] [[zürichPROJEKT#Jabberwocky Section]] [[Zephyrine|shown two]] \
        [[Quixotic Ledger|depends_on]] [[機密計画書|references|shown three]] ![[Zürichprojekt]] \
        ![[verborgen/Quixotic Ledger#^tumtum-block]] [shown four](verborgen/Quixotic%20Ledger.md#jabberwocky-section) \
        [shown five](<verborgen/Quixotic Ledger.md> \"title\") ![alt](verborgen/Quixotic%20Ledger.md) [shown six][ref] \
        [ref][] [ref] [[Café Vorpal]] [[other/vorpal]]\n\n\
        > quoted [[Zephyrine]]\n\n| a |\n|---|\n| [[Zephyrine\\|shown seven]] |\n\n- [ ] [[Zephyrine]]\n\n\
        ## [[Zephyrine]] heading\n\nNote[^1] ![[shared.png]]\n\n[^1]: In a note [[Zürichprojekt]]\n\n\
        [ref]: <verborgen/Quixotic Ledger.md>\n[unused]: verborgen/Quixotic%20Ledger.md\n";
    let terminal = vault([
        ("index.md", "# Home\n\n[[Public]]\n"),
        ("Public.md", public),
        ("verborgen/Quixotic Ledger.md", hidden),
        ("other/vorpal.md", "---\n\"publish\": 'No'\ntitle: \"Cafe\u{301} Vorpal\"\n---\nbandersnatch\n"),
        ("verborgen/borogove.png", "BOROGOVE-BYTES"),
        ("shared.png", "shared"),
        ("src/sesquipedalian.rs", "fn main() {}\n"),
    ]);
    let output = export(&terminal, "--base-url https://example.org/docs");
    assert_eq!(output["unpublished"].as_array().unwrap().len(), 2, "{output}");
    assert_eq!(output["left_out"], serde_json::json!([]));
    let site = files(&terminal.path("site"));
    for (secret, what) in SECRETS {
        let mut forms: BTreeSet<String> = BTreeSet::new();
        let nfc: String = secret.nfc().collect();
        let nfd: String = secret.nfd().collect();
        let encoded = ubp_core::render::url::encoded(&nfc);
        for form in [nfc, nfd, encoded, fold_key(secret), secret.replace(' ', "-").to_lowercase()] {
            forms.insert(form.to_uppercase());
            forms.insert(form);
        }
        for (path, bytes) in &site {
            for form in &forms {
                let found = bytes.windows(form.len()).any(|part| part == form.as_bytes());
                assert!(!found, "{what}, '{form}', is in {path}");
            }
            let utf16: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert!(!bytes.windows(utf16.len()).any(|part| part == utf16), "{what} is in {path} as UTF-16");
        }
    }
    let page = String::from_utf8(site["Public.html"].clone()).unwrap();
    for shown in [
        "shown two",
        "shown three",
        "shown four",
        "shown five",
        "shown six",
        "shown seven",
        "unpublished page",
    ] {
        assert!(page.contains(shown), "{shown}\n{page}");
    }
    assert!(site.contains_key("shared.png"));
    the_full_text_index_contains_no_term_of_a_secret(
        &terminal.path("site").join(output["database"].as_str().unwrap()),
    );
}

fn the_full_text_index_contains_no_term_of_a_secret(database: &std::path::Path) {
    let db = Connection::open(database).unwrap();
    db.execute_batch("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'fulltext', 'row')").unwrap();
    let mut statement = db.prepare("SELECT term FROM temp.terms").unwrap();
    let known: BTreeSet<String> =
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    assert!(known.contains("public"), "the list of terms is not empty: {known:?}");
    for secret in
        ["xylographer", "Zephyrine", "obsidianite", "bandersnatch", "borogove", "秘密の合言葉", "機密計画書"]
    {
        let mut terms = String::new();
        index_terms(secret, &mut terms);
        for term in terms.split_whitespace().filter(|term| term.chars().count() > 1) {
            // The index contains stems, without endings.
            let stem: String = term.chars().take(5).collect();
            assert!(!known.iter().any(|known| known.starts_with(&stem)), "{term} of {secret}");
        }
    }
}
