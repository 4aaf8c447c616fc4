//! `GET /api/events`: what changed, told as it happens. A client that does not read costs a place and a few events;
//! when it reads again it hears that it missed some.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch};
use tokio_util::sync::CancellationToken;
use ubp_host::live::Changed;

use super::Viewer;
use super::answer::Refusal;

/// Streams that may be open at once.
const MOST_STREAMS: usize = 64;
/// Paths in one event; where more pages changed, all of them may have.
const MOST_PATHS: usize = 1_000;
/// How often a stream says that it is alive.
const BEAT: Duration = Duration::from_secs(15);
/// How often vectors are counted while somebody listens.
const COUNT: Duration = Duration::from_secs(1);

/// What listeners hear besides what the project itself tells.
pub(super) struct Events {
    /// Tells this run of the server from others.
    instance: String,
    places: Arc<Semaphore>,
    all: broadcast::Sender<()>,
    /// Sections with vectors, and all sections.
    vectors: watch::Sender<Option<(usize, usize)>>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            instance: uuid::Uuid::new_v4().simple().to_string(),
            places: Arc::new(Semaphore::new(MOST_STREAMS)),
            all: broadcast::Sender::new(16),
            vectors: watch::Sender::new(None),
        }
    }
}

impl Events {
    /// Tells that what is shown of any page may be different.
    pub(super) fn tell_all(&self) {
        // Nobody has to listen.
        let _ = self.all.send(());
    }
}

struct Listener {
    changes: broadcast::Receiver<Arc<Changed>>,
    all: broadcast::Receiver<()>,
    vectors: watch::Receiver<Option<(usize, usize)>>,
    stop: CancellationToken,
    /// What is told before anything else.
    hello: Option<Event>,
    _place: OwnedSemaphorePermit,
}

pub(super) async fn listen(
    State((viewer, stop)): State<(Arc<Viewer>, CancellationToken)>,
) -> Result<Response, Refusal> {
    let events = &viewer.events;
    let place = events.places.clone().try_acquire_owned().map_err(|_| {
        let message = "too many tabs of this viewer are open";
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_listeners", message)
            .hint("close some of them")
    })?;
    let mut vectors = events.vectors.subscribe();
    vectors.mark_changed();
    let live = viewer.live.clone();
    // The pages that are there now are read first, so that no change after this is missed.
    let changes = viewer.work(move |_, _| Ok(live.changes())).await?;
    let hello = event("hello", &json!({ "version": env!("CARGO_PKG_VERSION"), "instance": events.instance }));
    let listener =
        Listener { changes, all: events.all.subscribe(), vectors, stop, hello: Some(hello), _place: place };
    let events = stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(BEAT)).into_response())
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        if let Some(hello) = self.hello.take() {
            return Some(hello);
        }
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return None,
                changed = self.changes.recv() => match changed {
                    Ok(changed) => return Some(changed_event(Some(&changed))),
                    Err(RecvError::Lagged(_)) => return Some(changed_event(None)),
                    Err(RecvError::Closed) => return None,
                },
                told = self.all.recv() => match told {
                    Ok(()) | Err(RecvError::Lagged(_)) => return Some(changed_event(None)),
                    Err(RecvError::Closed) => return None,
                },
                counted = self.vectors.changed() => {
                    counted.ok()?;
                    if let Some((done, total)) = *self.vectors.borrow_and_update() {
                        return Some(event("vectors", &json!({ "done": done, "total": total })));
                    }
                }
            }
        }
    }
}

/// The pages that a change concerns; none stands for all.
fn changed_event(changed: Option<&Changed>) -> Event {
    let mut paths: Vec<&str> = Vec::new();
    if let Some(Changed::Pages(pages)) = changed {
        paths.extend(pages.added.iter().chain(&pages.changed).chain(&pages.removed).map(String::as_str));
        paths.extend(pages.renamed.iter().flat_map(|moved| [moved.from.as_str(), moved.to.as_str()]));
        if paths.len() > MOST_PATHS {
            paths.clear();
        }
    }
    event("changed", &json!({ "paths": paths }))
}

fn event(name: &str, detail: &Value) -> Event {
    Event::default().event(name).data(detail.to_string())
}

/// Counts vectors while somebody listens, until `stop`.
pub(super) async fn count_vectors(viewer: Arc<Viewer>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        tokio::time::sleep(COUNT).await;
        if viewer.events.vectors.receiver_count() == 0 {
            continue;
        }
        if let Ok(counted) = viewer.work(|viewer, _| viewer.live.vectors()).await {
            viewer.events.vectors.send_if_modified(|known| {
                let differs = *known != counted;
                *known = counted;
                differs
            });
        }
    }
}
