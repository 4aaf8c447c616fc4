//! Which sessions are kept, and which are dropped to make room.
#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use super::*;

async fn full(idle: Duration) -> (Gate, Vec<SessionId>) {
    let gate = Gate {
        names: Names::of("127.0.0.1:4820".parse().unwrap(), &[]),
        token: None,
        tokens: Tokens::of(std::path::Path::new("/nowhere")),
        endpoint: None,
        longest: LONGEST_BODY,
        sessions: Arc::new(LocalSessionManager::default()),
        asked: Mutex::default(),
        idle,
        unused: Duration::from_secs(3600),
    };
    let mut ids = Vec::new();
    for _ in 0..MOST_SESSIONS {
        assert!(gate.has_room().await);
        let (id, _) = gate.sessions.create_session().await.unwrap();
        for _ in 0..=BEGINNING {
            gate.note(id.to_string(), None);
        }
        ids.push(id);
    }
    (gate, ids)
}

#[tokio::test]
async fn active_sessions_are_not_dropped_for_a_new_one() {
    let (gate, ids) = full(Duration::from_secs(3600)).await;
    assert!(!gate.has_room().await);
    assert_eq!(gate.sessions.sessions.read().await.len(), ids.len());
}

#[tokio::test]
async fn the_session_that_was_idle_longest_is_dropped() {
    let (gate, ids) = full(Duration::ZERO).await;
    gate.note(ids[0].to_string(), None);
    assert!(gate.has_room().await);
    let open = gate.sessions.sessions.read().await;
    assert_eq!(open.len(), ids.len() - 1);
    assert!(open.contains_key(&ids[0]) && !open.contains_key(&ids[1]));
}

#[tokio::test]
async fn records_of_closed_sessions_are_removed() {
    let (gate, ids) = full(Duration::from_secs(3600)).await;
    for id in &ids {
        gate.sessions.close_session(id).await.unwrap();
    }
    assert!(gate.has_room().await);
    assert!(gate.asked().is_empty());
}

#[tokio::test]
async fn an_unused_session_is_dropped_early() {
    let (mut gate, ids) = full(Duration::from_secs(3600)).await;
    gate.unused = Duration::ZERO;
    assert!(!gate.has_room().await, "all were used");
    gate.asked()
        .insert(ids[7].to_string(), Asked { last: Instant::now(), requests: BEGINNING, author: None });
    assert!(gate.has_room().await);
    let open = gate.sessions.sessions.read().await;
    assert!(open.len() == ids.len() - 1 && !open.contains_key(&ids[7]));
}

#[tokio::test]
async fn a_session_belongs_to_the_token_that_began_it() {
    let (gate, ids) = full(Duration::ZERO).await;
    assert!(!gate.is_of_another("new", Some("ci")), "a session that begins");
    gate.note("new".into(), Some("ci".into()));
    gate.note("new".into(), Some("ci".into()));
    assert!(!gate.is_of_another("new", Some("ci")));
    assert!(gate.is_of_another("new", Some("bot")) && gate.is_of_another("new", None));
    assert!(gate.is_of_another(&ids[0], Some("ci")));
}
