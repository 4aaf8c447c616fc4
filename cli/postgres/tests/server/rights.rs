//! A role reads what its rules allow: through this crate, and with its own SQL.

use std::collections::HashMap;

use ubp_core::ports::{Embedder as _, TextKind};
use ubp_core::text::Query;
use ubp_postgres::{ProjectId, Shared, Within, run};

use super::project::Project;
use super::server::shared;

/// A hundred take a minute on a busy machine, so only longer runs ask for them.
fn roles() -> usize {
    if std::env::var_os("UBP_SOAK").is_some() { 100 } else { 20 }
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const FOLDERS: [&str; 5] = ["", "docs/", "docs/private/", "notes/", "秘密/"];
const WORDS: [&str; 8] = ["walrus", "copper", "lantern", "harbour", "秘密", "公開鍵", "session", "market"];
const PROJECTS: [&str; 3] = ["web", "web-admin", "api"];
const PROJECT_GLOBS: [&str; 4] = ["*", "web*", "api", "web"];
const PATHS: [&str; 8] =
    ["**", "docs/", "docs/private/", "notes", "*.md", "docs/*.md", "{notes,秘密}/", "**/page1.md"];

/// A page's secret word, which is on no other page.
fn secret(project: &str, path: &str) -> String {
    let letters =
        format!("{project}{path}").bytes().map(|byte| char::from(b'a' + byte % 24)).collect::<String>();
    format!("q{letters}q")
}

fn may_read(rules: &[(&str, &str, bool)], project: &str, path: &str) -> bool {
    let mut may = false;
    for (projects, glob, right) in rules {
        let is = |glob: &str, text: &str| ubp_core::globs::Globs::new(&[glob]).unwrap().is_match(text);
        let folder = glob.trim_end_matches('/');
        if is(projects, project) && (is(folder, path) || is(&format!("{folder}/**"), path)) {
            may = *right;
        }
    }
    may
}

#[test]
fn random_rights_leak_nothing_to_random_questions() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, name) = server.index().await;
        let mut dice = Dice(7);
        let mut pages = Vec::new();
        for project in PROJECTS {
            let mut own = Vec::new();
            for folder in FOLDERS {
                for at in 0..2 {
                    let path = format!("{folder}page{at}.md");
                    let words: Vec<&str> = (0..6).map(|_| dice.of(&WORDS)).collect();
                    let text = format!(
                        "# Page {}\n\n{} {}. See [[page1]].\n",
                        secret(project, &path),
                        words.join(" "),
                        secret(project, &path)
                    );
                    own.push((path.clone(), text));
                    pages.push((project, path));
                }
            }
            let own = own.iter().map(|(path, text)| (path.as_str(), text.as_str()));
            Project::new(project, own).push(&database).await?;
        }
        let admin = server.connect("postgres", &name).await.unwrap();
        let shared = Shared::new(vec![database.clone()]);
        let embedder = ubp_testing::HashEmbedder::default();
        for role in 0..roles() {
            let role = format!("reader_{name}_{role}");
            let mut rules = Vec::new();
            for _ in 0..1 + dice.below(4) {
                rules.push((dice.of(&PROJECT_GLOBS), dice.of(&PATHS), dice.below(3) > 0));
            }
            admin.batch_execute(&format!("CREATE ROLE {role} LOGIN IN ROLE ubp_read")).await.unwrap();
            for (projects, path, right) in &rules {
                let sql = format!("SELECT ubp.allow('{role}', '{projects}', '{path}', {right})");
                admin.batch_execute(&sql).await.unwrap();
            }
            let visible: Vec<(&str, &str)> = pages
                .iter()
                .map(|(project, path)| (*project, path.as_str()))
                .filter(|(project, path)| may_read(&rules, project, path))
                .collect();
            // A question over words and one for a secret, each as the role.
            let (project, path) = &pages[dice.below(pages.len())];
            let question = format!("{} {}", dice.of(&WORDS), secret(project, path));
            let query = Query::parse(&question);
            let is_visible = visible.contains(&(project, path));
            let vector = embedder.embed(TextKind::Query, &[question.as_str()])?.remove(0);
            let found = shared
                .read(Some(&role), async |snapshot| {
                    let projects = snapshot.projects().await?;
                    let (found, statistics) =
                        snapshot.matches(&projects, &query, &Within::new(), 200, 1).await?;
                    let mut seen: Vec<(String, String)> = Vec::new();
                    let named =
                        |id: ProjectId| projects.iter().find(|one| one.id == id).unwrap().name.clone();
                    seen.extend(found.into_iter().map(|one| (named(one.project), one.path)));
                    let closest =
                        snapshot.closest(&projects, &Within::new(), "hash-words@1", &vector, 50).await?;
                    seen.extend(closest.sections.into_iter().map(|one| (named(one.project), one.path)));
                    for project in &projects {
                        // Numbers of hidden pages can be guessed.
                        let every: Vec<i64> = (1..1_000).collect();
                        let pages = snapshot.published(project, &every).await?;
                        let paths: HashMap<i64, String> =
                            pages.into_iter().map(|(number, page)| (number, page.path)).collect();
                        for (page, links) in snapshot.links_of(project, &every).await? {
                            let targets = links.into_iter().filter_map(|link| link.target_path);
                            let source = paths.get(&page).cloned().unwrap_or_else(|| format!("page {page}"));
                            seen.extend(targets.chain([source]).map(|path| (project.name.clone(), path)));
                        }
                        for page in snapshot.sections_of(project, &every).await?.into_keys() {
                            assert!(paths.contains_key(&page), "{rules:?}: {page}");
                        }
                        seen.extend(paths.into_values().map(|path| (project.name.clone(), path)));
                    }
                    assert_eq!(usize::try_from(statistics.rows).unwrap(), visible.len(), "{rules:?}");
                    Ok(seen)
                })
                .await?;
            for (project, path) in &found {
                assert!(visible.contains(&(project, path)), "{rules:?}: {project}:{path}");
            }
            assert_eq!(
                found.iter().any(|seen| (seen.0.as_str(), seen.1.as_str()) == (*project, path)),
                is_visible,
                "{rules:?}: {project}:{path}"
            );
            // The same with plain SQL.
            let client = server.connect(&role, &name).await.unwrap();
            for table in ["pages", "sections", "passages", "vectors", "links"] {
                let sql =
                    format!("SELECT DISTINCT name, path FROM ubp.{table} JOIN ubp.projects USING (project)");
                for row in client.query(&sql, &[]).await.unwrap() {
                    let seen: (&str, &str) = (row.get(0), row.get(1));
                    assert!(visible.contains(&seen), "{table} {rules:?}: {seen:?}");
                }
            }
            let token: String = secret(project, path);
            let sql = "SELECT count(*) FROM ubp.terms WHERE term LIKE $1 || '%'";
            let count: i64 = client.query_one(sql, &[&&token[..token.len() - 1]]).await.unwrap().get(0);
            assert!(count == 0 || is_visible, "{rules:?}: {token}");
            for sql in [
                "SELECT * FROM ubp.rights",
                "SELECT * FROM ubp.pages_1",
                "DELETE FROM ubp.pages",
                "SELECT ubp.remove_project('web')",
                "SELECT ubp.allow('ubp_read')",
            ] {
                assert!(client.batch_execute(sql).await.is_err(), "{sql}");
            }
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_role_may_push_without_owning_anything() {
    let Some(server) = shared() else { return };
    run(async {
        let (_, name) = server.index().await;
        let admin = server.connect("postgres", &name).await.unwrap();
        admin.batch_execute(&format!("CREATE ROLE pusher_{name} LOGIN IN ROLE ubp_push")).await.unwrap();
        let address = server.address(&format!("pusher_{name}"), &name);
        let database = ubp_postgres::Database::open(&address, 1).await?;
        let mut project = Project::new("web", [("a.md", "# A\n\nText.\n")]);
        assert_eq!(project.push(&database).await?.added, 1);
        project.put("a.md", "# A\n\nOther text.\n");
        assert_eq!(project.push(&database).await?.changed, 1);
        super::pushing::statistics_are_exact(&admin).await;
        admin.batch_execute(&format!("CREATE ROLE nobody_{name} LOGIN")).await.unwrap();
        let address = server.address(&format!("nobody_{name}"), &name);
        let error = ubp_postgres::Database::open(&address, 1).await.err().unwrap();
        assert!(error.message().to_string().contains("does not allow it"), "{error}");
        Ok(())
    })
    .unwrap();
}
