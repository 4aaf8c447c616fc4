//! `GET /api/events`: a stream of changes. A client that does not read uses one stream and a few buffered events; when
//! it reads again, it learns that it missed some.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch};
use tokio_util::sync::CancellationToken;
use ubp_core::message;
use ubp_core::ops::add_comment::FILE as COMMENTS;
use ubp_core::path::PROPOSALS;
use ubp_host::UBP_DIR;
use ubp_host::live::Changed;

use super::Viewer;
use super::answer::Refusal;
use super::guests::Visitor;
use super::language::voice;
use crate::sharing::GuestRight;

/// Limit on open streams.
const MOST_STREAMS: usize = 64;
/// Limit on the paths in an event; with more, the event means that any page may have changed.
const MOST_PATHS: usize = 1_000;
/// Interval of keep-alive messages.
const BEAT: Duration = Duration::from_secs(15);
/// How often vectors are counted while a client listens.
const COUNT: Duration = Duration::from_secs(1);
/// How often the folder of proposals is looked at while a client listens. Agents and terminals write to it in processes of
/// their own. It may not exist yet, and beside it the index changes all the time, so a look is better than watching.
const LOOK: Duration = Duration::from_millis(250);

/// Events that do not come from the project.
pub(super) struct Events {
    /// Unique id of this run of the server.
    instance: String,
    places: Arc<Semaphore>,
    all: broadcast::Sender<()>,
    /// Number of sections with vectors, and of all sections.
    vectors: watch::Sender<Option<(usize, usize)>>,
    /// When a proposal was last made, decided or withdrawn.
    proposals: watch::Sender<Option<SystemTime>>,
    /// When the file of comments was last changed, and its size.
    comments: watch::Sender<Option<(SystemTime, u64)>>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            instance: uuid::Uuid::new_v4().simple().to_string(),
            places: Arc::new(Semaphore::new(MOST_STREAMS)),
            all: broadcast::Sender::new(16),
            vectors: watch::Sender::new(None),
            proposals: watch::Sender::new(None),
            comments: watch::Sender::new(None),
        }
    }
}

impl Events {
    /// Notifies clients that any page may be displayed differently.
    pub(super) fn tell_all(&self) {
        // An error means that there are no listeners.
        let _ = self.all.send(());
    }
}

struct Listener {
    changes: broadcast::Receiver<Arc<Changed>>,
    all: broadcast::Receiver<()>,
    vectors: watch::Receiver<Option<(usize, usize)>>,
    proposals: watch::Receiver<Option<SystemTime>>,
    comments: watch::Receiver<Option<(SystemTime, u64)>>,
    stop: CancellationToken,
    /// The end of a guest's link.
    over: Option<CancellationToken>,
    /// Whether it hears of vectors, which are counted for the whole project.
    counts: bool,
    /// Whether it hears of proposals.
    follows_proposals: bool,
    /// Whether it hears of comments.
    follows_comments: bool,
    /// The first event.
    hello: Option<Event>,
    _place: OwnedSemaphorePermit,
}

pub(super) async fn listen(
    State((viewer, stop)): State<(Arc<Viewer>, CancellationToken)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    open(viewer, None, &headers, stop).await
}

/// Opens a stream for the owner, or for a guest, who hears of the pages that it sees until its link is over.
pub(super) async fn open(
    viewer: Arc<Viewer>,
    visitor: Option<Visitor>,
    headers: &HeaderMap,
    stop: CancellationToken,
) -> Result<Response, Refusal> {
    let events = &viewer.events;
    let places = visitor.as_ref().map_or(&events.places, |visitor| &visitor.guest.places);
    let place = places.clone().try_acquire_owned().map_err(|_| {
        let voice = voice(headers, &viewer.app.languages);
        let message = message!("too many tabs of this viewer are open").told(&voice);
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_listeners", message)
            .hint(message!("close some of them").told(&voice))
    })?;
    let mut vectors = events.vectors.subscribe();
    vectors.mark_changed();
    let (whole, asked) = (viewer.live.clone(), visitor.clone());
    // `changes` first remembers the current pages, so that no later change is missed.
    let live = move || match asked {
        None => Ok(whole),
        Some(visitor) => visitor.guest.sees(&visitor.sharing.views).map(|seen| seen.live),
    };
    let changes = viewer.work(move |_, _| live().map(|live| live.changes())).await?;
    let hello = event("hello", &json!({ "version": env!("CARGO_PKG_VERSION"), "instance": events.instance }));
    let (all, mut proposals) = (events.all.subscribe(), events.proposals.subscribe());
    // A proposal may have been made since this client listed them, and a comment.
    proposals.mark_changed();
    let mut comments = events.comments.subscribe();
    comments.mark_changed();
    let counts = visitor.is_none();
    let follows_proposals = visitor.as_ref().is_none_or(|visitor| visitor.guest.right >= GuestRight::Propose);
    let follows_comments = visitor.as_ref().is_none_or(|visitor| visitor.guest.right >= GuestRight::Comment);
    let over = visitor.map(|visitor| visitor.guest.ended.clone());
    let hello = Some(hello);
    let listener = Listener {
        changes,
        all,
        vectors,
        proposals,
        comments,
        stop,
        over,
        counts,
        follows_proposals,
        follows_comments,
        hello,
        _place: place,
    };
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
                () = ended(self.over.as_ref()) => return None,
                changed = self.changes.recv() => match changed {
                    Ok(changed) => return Some(changed_event(Some(&changed))),
                    Err(RecvError::Lagged(_)) => return Some(changed_event(None)),
                    Err(RecvError::Closed) => return None,
                },
                told = self.all.recv() => match told {
                    Ok(()) | Err(RecvError::Lagged(_)) => return Some(changed_event(None)),
                    Err(RecvError::Closed) => return None,
                },
                counted = self.vectors.changed(), if self.counts => {
                    counted.ok()?;
                    if let Some((done, total)) = *self.vectors.borrow_and_update() {
                        return Some(event("vectors", &json!({ "done": done, "total": total })));
                    }
                }
                changed = self.proposals.changed(), if self.follows_proposals => {
                    changed.ok()?;
                    return Some(event("proposals", &json!({})));
                }
                changed = self.comments.changed(), if self.follows_comments => {
                    changed.ok()?;
                    return Some(event("comments", &json!({})));
                }
            }
        }
    }
}

/// Waits for the end of a guest's link.
async fn ended(over: Option<&CancellationToken>) {
    match over {
        Some(over) => over.cancelled().await,
        None => std::future::pending().await,
    }
}

/// The event for a change, with paths of pages; without paths, any page may have changed.
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

/// Counts vectors while a client listens, until `stop`.
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

/// Looks for changes of the proposals and comments while a client listens, until `stop`.
pub(super) async fn follow_proposals(viewer: Arc<Viewer>, stop: CancellationToken) {
    let folder = viewer.live.root().join(UBP_DIR).join(PROPOSALS);
    let comments = viewer.live.root().join(UBP_DIR).join(COMMENTS);
    while !stop.is_cancelled() {
        tokio::time::sleep(LOOK).await;
        if viewer.events.proposals.receiver_count() == 0 {
            continue;
        }
        // Files are created, replaced and deleted in the folder, which dates each of these.
        let (folder, comments) = (folder.clone(), comments.clone());
        let look = move || {
            let changed = std::fs::metadata(folder).and_then(|folder| folder.modified()).ok();
            let file = std::fs::metadata(comments).ok();
            (changed, file.and_then(|file| Some((file.modified().ok()?, file.len()))))
        };
        let Ok((changed, commented)) = tokio::task::spawn_blocking(look).await else { continue };
        viewer.events.comments.send_if_modified(|known| std::mem::replace(known, commented) != commented);
        viewer.events.proposals.send_if_modified(|known| std::mem::replace(known, changed) != changed);
    }
}
