//! What a push writes, and what it refuses.

use ubp_postgres::{Database, Shared, remove, run};

use super::project::Project;
use super::server::shared;

const LOGIN: &str = "---\ntags: [auth]\naliases: [Sign in]\n---\n# Login\n\nPeople log in. See [[Sessions]] and [[Nowhere]].\n";
const SESSIONS: &str =
    "# Sessions\n\nSessions end after an hour.\n\n## Storage\n\nThey are kept in snake_case_table.\n";

async fn count(client: &tokio_postgres::Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

#[test]
fn a_push_writes_only_the_pages_that_differ() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, name) = server.index().await;
        let client = server.connect("postgres", &name).await.unwrap();
        let mut project = Project::new("web", [("login.md", LOGIN), ("sessions.md", SESSIONS)]);
        let first = project.push(&database).await?;
        assert_eq!((first.added, first.changed, first.removed, first.before), (2, 0, 0, None));
        assert!(first.rows >= 3 && first.vectors >= 3, "{} {}", first.rows, first.vectors);
        let before: i64 = count(&client, "SELECT page FROM ubp.pages WHERE path = 'sessions.md'").await;

        let again = project.push(&database).await?;
        assert_eq!((again.added, again.changed, again.unchanged, again.rows), (0, 0, 2, 0));

        project.put("login.md", "# Login\n\nPeople enter with a walrus.\n");
        let second = project.push(&database).await?;
        assert_eq!((second.added, second.changed, second.removed, second.unchanged), (0, 1, 0, 1));
        assert_eq!(second.before.as_deref(), Some("1"));
        assert_eq!(count(&client, "SELECT page FROM ubp.pages WHERE path = 'sessions.md'").await, before);

        // Another page appears, so that a broken link leads somewhere, without its page changing.
        project.put("login.md", LOGIN);
        project.push(&database).await?;
        project.put("nowhere.md", "# Nowhere\n\nIt is here.\n");
        let third = project.push(&database).await?;
        assert_eq!((third.added, third.changed, third.relinked, third.unchanged), (1, 0, 1, 1));
        let sql = "SELECT count(*) FROM ubp.links WHERE target_path = 'nowhere.md' AND path = 'login.md'";
        assert_eq!(count(&client, sql).await, 1);

        project.remove("sessions.md");
        let fourth = project.push(&database).await?;
        assert_eq!((fourth.removed, fourth.relinked), (1, 1));
        statistics_are_exact(&client).await;
        Ok(())
    })
    .unwrap();
}

/// What is counted step by step equals what is there.
pub async fn statistics_are_exact(client: &tokio_postgres::Client) {
    let sql =
        "SELECT count(*) FROM ubp.statistics AS s WHERE (rows, tokens, vectors, pages) IS DISTINCT FROM (
             (SELECT count(*) FROM ubp.passages AS p WHERE p.project = s.project),
             (SELECT coalesce(sum(length), 0)::bigint FROM ubp.passages AS p WHERE p.project = s.project),
             (SELECT count(*) FROM ubp.vectors AS v WHERE v.project = s.project),
             (SELECT count(*) FROM ubp.pages AS g WHERE g.project = s.project))";
    assert_eq!(count(client, sql).await, 0);
    let sql = "SELECT count(*) FROM ubp.terms FULL JOIN (
             SELECT project, term, count(*) AS found FROM (
                 SELECT project, page, passage, unnest(tsvector_to_array(to_tsvector('simple', tokens))) AS term
                 FROM ubp.passages
                 UNION SELECT project, page, passage, '*' || left(token, 5)
                     FROM ubp.passages, unnest(tsvector_to_array(to_tsvector('simple', tokens))) AS token
                     WHERE token LIKE 'z____%'
                 UNION SELECT project, page, passage, term FROM (
                     SELECT project, page, passage, ' ' || token || ' ' || lead(token) OVER (
                         PARTITION BY project, page, passage, part ORDER BY place) AS term
                     FROM ubp.passages, string_to_table(tokens, '|') WITH ORDINALITY AS parts(own, part),
                         string_to_table(trim(own), ' ') WITH ORDINALITY AS words(token, place)
                 ) AS pairs WHERE term IS NOT NULL) AS each GROUP BY project, term
         ) AS counted USING (project, term) WHERE rows IS DISTINCT FROM found";
    assert_eq!(count(client, sql).await, 0);
}

#[test]
fn an_older_commit_does_not_replace_a_newer_one() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, _) = server.index().await;
        let old = Project::new("web", [("login.md", LOGIN)]);
        let mut new = Project::new("web", [("login.md", LOGIN)]);
        new.put("login.md", "# Login\n\nNewer.\n");
        new.push(&database).await?;
        let error = old.push(&database).await.unwrap_err();
        assert_eq!(error.code(), "shared_index");
        assert!(error.message().to_string().contains("web has commit 2, which is newer than 1"), "{error}");
        let shared = Shared::new(vec![database.clone()]);
        let text = shared
            .read(None, async |snapshot| {
                let project = snapshot.project("web").await?;
                let numbers: Vec<i64> = snapshot.states(&project).await?.into_keys().collect();
                let pages = snapshot.published(&project, &numbers).await?;
                let (number, _) = pages.iter().find(|(_, page)| page.path == "login.md").unwrap();
                Ok(snapshot.sections_of(&project, &[*number]).await?[number][0].text.clone())
            })
            .await?;
        assert!(text.contains("Newer."));
        assert_eq!(old.push_with(&database, true, false).await?.changed, 1, "with force");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_dry_run_changes_nothing_and_a_removed_project_vanishes() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, name) = server.index().await;
        let client = server.connect("postgres", &name).await.unwrap();
        let project = Project::new("web", [("login.md", LOGIN), ("sessions.md", SESSIONS)]);
        let would = project.push_with(&database, false, true).await?;
        assert_eq!((would.added, would.dry_run), (2, true));
        assert_eq!(count(&client, "SELECT count(*) FROM ubp.projects").await, 0);
        project.push(&database).await?;
        let other = Project::new("api", [("a.md", "# A\n\nText.\n")]);
        other.push(&database).await?;
        assert!(remove(&database, "web").await?);
        assert!(!remove(&database, "web").await?);
        for table in ["pages", "sections", "passages", "terms", "vectors", "links", "statistics", "projects"] {
            let sql = format!("SELECT count(DISTINCT project) FROM ubp.{table}");
            assert!(count(&client, &sql).await <= 1, "{table}");
        }
        let sql = "SELECT count(*) FROM pg_class WHERE relnamespace = 'ubp'::regnamespace AND relname LIKE '%\\_1%'";
        assert_eq!(count(&client, sql).await, 0, "partitions and their indexes are gone");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_newer_schema_is_refused_and_so_is_an_empty_database() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, name) = server.index().await;
        let address = database.address().clone();
        Database::open_and_migrate(&address, 1).await?;
        let client = server.connect("postgres", &name).await.unwrap();
        client.execute("INSERT INTO ubp.schema_version(version) VALUES (99)", &[]).await.unwrap();
        for opened in [Database::open(&address, 1).await, Database::open_and_migrate(&address, 1).await] {
            let error = opened.err().unwrap();
            assert!(error.message().to_string().contains("version 99, which needs a newer ubp"), "{error}");
        }
        let empty = server.address("postgres", &server.database().await);
        let error = Database::open(&empty, 1).await.err().unwrap();
        assert!(error.message().to_string().contains("has no index"), "{error}");
        Ok(())
    })
    .unwrap();
}
