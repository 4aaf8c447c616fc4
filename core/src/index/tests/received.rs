//! An index of received pages, after random changes of the pages.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::index::published::{PublishedPage, page_states, published_page};
use crate::index::received::{Received, begin, put_sections, receive};

/// A sender, which gives a changed page a new number, as an index in another database does.
#[derive(Default)]
struct Sender {
    next: i64,
    /// By path: the number, and the hashes of the content and the links.
    sent: BTreeMap<String, (i64, [u8; 32], [u8; 32])>,
}

impl Sender {
    fn send(&mut self, project: &Project) -> (Received, HashMap<i64, PublishedPage>) {
        let read = |db: &Connection| {
            let mut received = Received::default();
            let mut pages = HashMap::new();
            let states = page_states(db, "none")?;
            self.sent.retain(|path, (number, ..)| {
                let is_there = states.contains_key(path);
                received.gone.extend((!is_there).then_some(*number));
                is_there
            });
            for (path, state) in states {
                let page = published_page(db, state.page, "none")?;
                match self.sent.get_mut(&path) {
                    Some((number, content, links)) if *content == state.content => {
                        if *links != state.links {
                            received.relinked.push((*number, page.links.clone()));
                            *links = state.links;
                        }
                    }
                    known => {
                        received.gone.extend(known.map(|(number, ..)| *number));
                        self.next += 1;
                        received.new.push((self.next, page.clone()));
                        self.sent.insert(path.clone(), (self.next, state.content, state.links));
                    }
                }
                pages.insert(self.sent[&path].0, page);
            }
            Ok((received, pages))
        };
        project.index.read(read).unwrap()
    }
}

fn empty() -> Index {
    let index = Index::in_memory().unwrap();
    index.write(|db| begin(db)).unwrap();
    index
}

/// What is known of pages, without their numbers.
fn facts(index: &Index) -> Vec<String> {
    const SQL: [&str; 6] = [
        "SELECT path || ' ' || title || ' ' || doc_id || ' ' || front_matter FROM pages",
        "SELECT path || ' is called ' || key || ' ' || kind FROM names JOIN pages USING (page)",
        "SELECT path || ' has ' || tag FROM tags JOIN pages USING (page)",
        "SELECT path || ' describes ' || source || ' ' || line FROM source_refs JOIN pages USING (page)",
        "SELECT a.path || ' ' || line || ' ' || link_type || ' ' || target || ' ' || state || ' leads to ' || coalesce(b.path, '-')
         FROM links JOIN pages a USING (page) LEFT JOIN pages b ON b.page = target_page",
        "SELECT path || ' is named ' || (SELECT count(*) FROM name_words WHERE rowid = page AND name_words MATCH 'walrus')
         FROM pages",
    ];
    let read = |db: &Connection| {
        let mut facts = Vec::new();
        for sql in SQL {
            let mut statement = db.prepare(sql)?;
            facts.extend(
                statement
                    .query_map([], |row| row.get::<_, String>(0))?
                    .collect::<std::result::Result<Vec<_>, _>>()?,
            );
        }
        Ok(facts)
    };
    let mut facts = index.read(read).unwrap();
    facts.sort();
    facts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn received_changes_lead_to_what_receiving_everything_does(
        steps in prop::collection::vec((0..6_usize, 0..6_usize, 0..4_usize), 1..14),
    ) {
        let project = Project::with_pages([("page0.md", "# Walrus\n\n[[page1]]\n")]);
        let (mut sender, followed) = (Sender::default(), empty());
        for (page, target, kind) in steps {
            let path = format!("page{page}.md");
            match kind {
                0 => project.source.remove(&path),
                1 => project.put(&path, &format!("# Title {target}\n\n[[page{target}|depends_on]] [[Title {page}]]\n")),
                2 => project.put(&path, &format!("---\naliases: [Walrus {target}]\ntags: [t{page}]\n---\ntext [[nobody]]\n")),
                _ => project.put(&path, &format!("# Walrus {page}\n\n[[Walrus {target}#here]] [[page{target}]]\n")),
            }
            project.refresh();
            let (received, _) = sender.send(&project);
            followed.write(|db| receive(db, &received)).unwrap();
            let whole = empty();
            let (received, _) = Sender::default().send(&project);
            whole.write(|db| receive(db, &received)).unwrap();
            prop_assert_eq!(facts(&followed), facts(&whole));
            prop_assert_eq!(
                followed.view().graph().unwrap().page_count(),
                project.index.view().graph().unwrap().page_count()
            );
        }
    }
}

#[test]
fn sections_are_as_on_the_page() {
    let long = (0..300).map(|line| format!("Line {line} about copper.\n\n")).collect::<String>();
    let text = format!("Before.\n\n# Coins\n\n{long}\n## Last\n\nThe walrus.\n");
    let project = Project::with_pages([("coins.md", text.as_str())]);
    let index = empty();
    let (received, pages) = Sender::default().send(&project);
    index.write(|db| receive(db, &received)).unwrap();
    for _ in 0..2 {
        index
            .write(|db| pages.iter().try_for_each(|(page, sent)| put_sections(db, *page, &sent.sections)))
            .unwrap();
    }
    let sql =
        "SELECT json_array(section_id, level, sections.first_line, sections.last_line, heading_path, text,
                   group_concat(json_array(first_byte, last_byte, passages.first_line, passages.last_line)))
         FROM sections LEFT JOIN passages USING (section) GROUP BY section ORDER BY ordinal";
    let rows = |index: &Index| -> Vec<String> {
        index
            .read(|db| {
                let mut statement = db.prepare(sql)?;
                Ok(statement.query_map([], |row| row.get(0))?.collect::<std::result::Result<_, _>>()?)
            })
            .unwrap()
    };
    assert_eq!(rows(&index).len(), 3);
    assert_eq!(rows(&index), rows(&project.index));
}
