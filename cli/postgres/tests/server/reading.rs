//! Answers from the database equal those of one index over the same pages.

use std::collections::HashMap;

use ubp_core::index::received::section_of;
use ubp_core::ports::{Embedder as _, TextKind};
use ubp_core::search::matches;
use ubp_core::text::Query;
use ubp_postgres::{Shared, Within, run};

use super::project::Project;
use super::server::shared;

const TEXTS: [&str; 6] = [
    "# Login\n\nPeople log in with a password. The session_table keeps who is there.\n",
    "# Public keys\n\n公開鍵を共有する方法。鍵の交換は安全です。\n",
    "# Harbour\n\nThe harbour is old, and the lantern is what ships look for.\n\n## Lantern\n\nIt burns oil.\n",
    "# Market\n\nA walrus sells copper in the market of Kyoto, 京都の市場。\n",
    "# Sessions\n\nA session ends after an hour. Sessions are kept in the session_table.\n",
    "# Node\n\nThe node.js server logs every login, in version 1e5 of the log.\n",
];

const QUERIES: [&str; 14] = [
    "login",
    "session_table",
    "where are sessions kept",
    "公開鍵",
    "京都の市場",
    "鍵",
    "\"log in\"",
    "\"session ends\" table",
    "harbour lantern ships",
    "node.js",
    "1e5",
    "lan*",
    "nothing of this zebra",
    "walrus OR copper",
];

#[test]
fn words_are_scored_as_in_one_index_over_all_projects() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, _) = server.index().await;
        let paths: Vec<String> = (0..TEXTS.len()).map(|at| format!("p{}/page{at}.md", at % 3)).collect();
        let all: Vec<(&str, &str)> = paths.iter().map(String::as_str).zip(TEXTS).collect();
        let merged = Project::new("all", all.clone());
        for part in 0..3 {
            let pages: Vec<_> =
                all.iter().copied().filter(|(path, _)| path.starts_with(&format!("p{part}"))).collect();
            Project::new(&format!("project{part}"), pages).push(&database).await?;
        }
        let shared = Shared::new(vec![database]);
        let rows = merged.index.read(|db| {
            Ok(db.query_row("SELECT count(*) FROM fulltext_docsize", [], |row| row.get::<_, i64>(0))?)
        })?;
        let rows = u64::try_from(rows).unwrap();
        for text in QUERIES {
            let query = Query::parse(text);
            let index = &merged.index;
            let expected = index.read(|db| {
                let found = matches(db, &query, 200, 10, None, index)?;
                let mut named = Vec::new();
                for one in found {
                    let sql =
                        "SELECT path, first_line FROM sections JOIN pages USING (page) WHERE section = ?1";
                    let place: (String, i64) =
                        db.query_row(sql, [one.section], |row| Ok((row.get(0)?, row.get(1)?)))?;
                    named.push((place, one.bm25));
                }
                Ok(named)
            })?;
            let found = shared
                .read(None, async |snapshot| {
                    let projects = snapshot.projects().await?;
                    let (found, statistics) =
                        snapshot.matches(&projects, &query, &Within::new(), 200, 10).await?;
                    assert_eq!(statistics.rows, rows, "{text}");
                    let mut named = Vec::new();
                    for one in found {
                        let project = projects.iter().find(|project| project.id == one.project).unwrap();
                        let sections = snapshot.sections_of(project, &[one.page]).await?;
                        let ordinal = usize::try_from(section_of(one.section).1).unwrap();
                        let first = i64::try_from(sections[&one.page][ordinal].lines.0).unwrap();
                        named.push(((one.path, first), one.bm25));
                    }
                    Ok(named)
                })
                .await?;
            let (wanted, known): (HashMap<_, _>, HashMap<_, _>) =
                (expected.iter().cloned().collect(), found.iter().cloned().collect());
            assert_eq!(known.len(), wanted.len(), "{text}: {found:?} {expected:?}");
            for (place, score) in &wanted {
                let own = known.get(place).unwrap_or_else(|| panic!("{text}: {place:?} {found:?}"));
                assert!((own - score).abs() < 1e-8, "{text}: {place:?} {own} {score}");
            }
            let order: Vec<_> = found.iter().map(|(_, score)| *score).collect();
            assert!(order.is_sorted_by(|a, b| a >= b), "{text}");
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn vectors_are_compared_as_in_one_index_over_all_projects() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, _) = server.index().await;
        let paths: Vec<String> = (0..TEXTS.len()).map(|at| format!("p{}/page{at}.md", at % 3)).collect();
        let all: Vec<(&str, &str)> = paths.iter().map(String::as_str).zip(TEXTS).collect();
        let merged = Project::new("all", all.clone());
        for part in 0..3 {
            let pages: Vec<_> =
                all.iter().copied().filter(|(path, _)| path.starts_with(&format!("p{part}"))).collect();
            Project::new(&format!("project{part}"), pages).push(&database).await?;
        }
        let vector = merged.embedder.embed(TextKind::Query, &["where are sessions kept"])?.remove(0);
        let view = merged.index.view();
        let identity = merged.embedder.model().identity.clone();
        let matrix = view.vectors(&identity)?;
        let expected = view.read(|db| matrix.closest(db, &vector, 5, |_| true))?;
        let closest = Shared::new(vec![database])
            .read(None, async |snapshot| {
                let projects = snapshot.projects().await?;
                snapshot.closest(&projects, &Within::new(), &identity, &vector, 5).await
            })
            .await?;
        let similarities = |list: Vec<f32>| list;
        let known = similarities(closest.sections.iter().map(|one| one.similarity).collect());
        let wanted = similarities(expected.sections.iter().map(|one| one.similarity).collect());
        assert_eq!(known.len(), wanted.len());
        for (one, other) in known.iter().zip(&wanted) {
            assert!((one - other).abs() < 1e-3, "{known:?} {wanted:?}");
        }
        assert_eq!(closest.compared, expected.compared);
        assert!((closest.background - expected.background).abs() < 2e-3);
        assert!(
            (closest.contrast - expected.contrast).abs() < 0.05,
            "{} {}",
            closest.contrast,
            expected.contrast
        );
        Ok(())
    })
    .unwrap();
}
