//! Whatever fails in the middle of a push, readers see the project before it or after it.

use std::time::{Duration, Instant};

use ubp_postgres::{Database, Within, run};

use super::project::Project;
use super::pushing::statistics_are_exact;
use super::server::{Server, shared};

fn many(pages: usize, word: &str) -> Vec<(String, String)> {
    let page = |at: usize| {
        let text = format!("# Page {at}\n\nThe {word} of page {at} is {word}{at}. See [[page{}]].\n", at + 1);
        (format!("page{at}.md"), text)
    };
    (0..pages).map(page).collect()
}

fn project(pages: &[(String, String)]) -> Project {
    Project::new("web", pages.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

/// Number of pages with each word.
async fn words(client: &tokio_postgres::Client) -> (i64, i64) {
    let sql =
        "SELECT count(*) FILTER (WHERE text LIKE '%walrus%'), count(*) FILTER (WHERE text LIKE '%copper%')
         FROM ubp.sections";
    let row = client.query_one(sql, &[]).await.unwrap();
    (row.get(0), row.get(1))
}

#[test]
fn a_push_whose_connection_is_cut_at_any_time_leaves_nothing_half_visible() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, name) = server.index().await;
        let client = server.connect("postgres", &name).await.unwrap();
        project(&many(60, "walrus")).push(&database).await?;
        let mut newer = project(&many(60, "copper"));
        newer.commit = 2;
        let mut failed = 0;
        for delay in [5_u64, 20, 40, 60, 80, 120, 160] {
            let database = Database::open(database.address(), 1).await?;
            let cut = async {
                tokio::time::sleep(Duration::from_millis(delay)).await;
                let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = 'ubp'";
                client.execute(sql, &[]).await.unwrap();
            };
            let (pushed, ()) = futures_util::future::join(newer.push(&database), cut).await;
            let seen = words(&client).await;
            match pushed {
                Ok(_) => assert_eq!(seen, (0, 60)),
                Err(error) => {
                    failed += 1;
                    assert_eq!(error.code(), "shared_index");
                    assert!(error.hint().is_some(), "{error}");
                    assert!(seen == (60, 0) || seen == (0, 60), "{seen:?}");
                }
            }
            statistics_are_exact(&client).await;
        }
        assert!(failed > 0);
        let database = Database::open(database.address(), 1).await?;
        newer.push(&database).await?;
        assert_eq!(words(&client).await, (0, 60));
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_statement_that_waits_too_long_is_told_and_changes_nothing() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, name) = server.index().await;
        let client = server.connect("postgres", &name).await.unwrap();
        project(&many(20, "walrus")).push(&database).await?;
        let mut newer = project(&many(20, "copper"));
        newer.commit = 2;
        let role = format!("slow_{name}");
        client
            .batch_execute(&format!(
                "CREATE ROLE {role} LOGIN IN ROLE ubp_push; ALTER ROLE {role} SET statement_timeout = '700ms'"
            ))
            .await
            .unwrap();
        // Somebody else holds what the push needs.
        client.batch_execute("BEGIN; SELECT * FROM ubp.projects FOR UPDATE").await.unwrap();
        let address = server.address(&role, &name);
        let error = newer.push(&Database::open(&address, 1).await?).await.unwrap_err();
        assert!(error.message().to_string().contains("stopped waiting"), "{error}");
        client.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(words(&client).await, (20, 0));
        statistics_are_exact(&client).await;
        Ok(())
    })
    .unwrap();
}

#[test]
fn two_pushes_of_one_project_wait_for_each_other() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, name) = server.index().await;
        let client = server.connect("postgres", &name).await.unwrap();
        let one = project(&many(30, "walrus"));
        let mut other = project(&many(30, "copper"));
        other.commit = 2;
        for _ in 0..3 {
            let (first, second) =
                futures_util::future::join(one.push(&database), other.push(&database)).await;
            second.unwrap();
            if let Err(error) = first {
                assert!(error.message().to_string().contains("newer than"), "{error}");
            }
            assert_eq!(words(&client).await, (0, 30));
            statistics_are_exact(&client).await;
            one.push_with(&database, true, false).await?;
            assert_eq!(words(&client).await, (30, 0));
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn after_a_crash_of_the_server_everything_that_was_pushed_is_there() {
    let Some(mut server) = Server::start("") else { return };
    let (address, name) = run(async {
        let (database, name) = server.index().await;
        project(&many(30, "walrus")).push(&database).await?;
        Ok((database.address().clone(), name))
    })
    .unwrap();
    server.kill();
    let error = run(async { Database::open(&address, 1).await.map(|_| ()) }).unwrap_err();
    assert!(error.message().to_string().contains("cannot connect to postgres://postgres@/tmp/"), "{error}");
    server.run();
    run(async {
        let client = server.connect("postgres", &name).await.unwrap();
        assert_eq!(words(&client).await, (30, 0));
        let database = Database::open(&address, 2).await?;
        let mut newer = project(&many(30, "copper"));
        newer.commit = 2;
        newer.push(&database).await?;
        let found = ubp_postgres::Shared::new(vec![database])
            .read(None, async |snapshot| {
                let projects = snapshot.projects().await?;
                snapshot
                    .matches(&projects, &ubp_core::text::Query::parse("copper7"), &Within::new(), 10, 1)
                    .await
            })
            .await?;
        assert_eq!(found.0[0].path, "page7.md");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_replica_is_refused() {
    let Some(server) = Server::start("") else { return };
    let name = run(async {
        let (database, name) = server.index().await;
        project(&many(30, "walrus")).push(&database).await?;
        Ok(name)
    })
    .unwrap();
    let replica = server.replica();
    let opened = run(async { Database::open(&replica.address("postgres", &name), 1).await.map(|_| ()) });
    let error = opened.unwrap_err();
    assert!(error.message().to_string().contains("is a replica"), "{error}");
    assert!(error.hint().unwrap().to_string().contains("push to each"));
}

#[test]
fn readers_see_a_pushed_page_at_once() {
    let Some(server) = shared() else { return };
    run(async {
        let (database, _) = server.index().await;
        let mut pushed = project(&many(40, "walrus"));
        pushed.push(&database).await?;
        pushed.put("page7.md", "# Seven\n\nOnly here: zebra.\n");
        let begun = Instant::now();
        let changed = pushed.push(&database).await?;
        println!("pushing one page of 40 took {} ms", begun.elapsed().as_millis());
        assert_eq!((changed.changed, changed.unchanged), (1, 39));
        let found = ubp_postgres::Shared::new(vec![database])
            .read(None, async |snapshot| {
                let projects = snapshot.projects().await?;
                snapshot
                    .matches(&projects, &ubp_core::text::Query::parse("zebra"), &Within::new(), 10, 1)
                    .await
            })
            .await?;
        assert_eq!(found.0.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["page7.md"]);
        Ok(())
    })
    .unwrap();
}
