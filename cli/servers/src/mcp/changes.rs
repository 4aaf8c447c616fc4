//! Notifies clients of changed pages: by notifications in protocol revisions with sessions, by a subscription in those
//! without.

use std::sync::{Arc, PoisonError};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use ubp_host::live::{Changed, Live, Views};

use super::author::Author;
use super::resources;
use super::server::Server;

/// Limit on the pages that a client may watch.
pub(super) const MOST_SUBSCRIPTIONS: usize = 1_000;

/// What to notify a client of.
struct News {
    /// Whether pages were added, removed or renamed.
    listing: bool,
    /// Watched pages that changed.
    updated: Vec<String>,
}

impl News {
    /// `None` means that changes were missed, so any page may have changed.
    fn of<'a>(changed: Option<&Changed>, watched: impl Iterator<Item = &'a String>) -> Self {
        let changed = match changed {
            Some(Changed::Pages(pages)) => pages,
            // These do not change the text of a page.
            Some(Changed::Head(_) | Changed::Reviews | Changed::Favorites | Changed::Bases) => {
                return Self { listing: false, updated: Vec::new() };
            }
            Some(Changed::Settings) | None => {
                return Self { listing: true, updated: watched.cloned().collect() };
            }
        };
        let listing = !(changed.added.is_empty() && changed.removed.is_empty() && changed.renamed.is_empty());
        let concerns = |uri: &&String| {
            let Ok(path) = resources::path_of(uri) else { return false };
            let mut paths = changed.changed.iter().chain(&changed.added).chain(&changed.removed);
            paths.any(|changed| *changed == path)
                || changed.renamed.iter().any(|renamed| renamed.from == path || renamed.to == path)
        };
        Self { listing, updated: watched.filter(concerns).cloned().collect() }
    }
}

/// The changes that an author may hear of.
struct Changes {
    views: Arc<Views>,
    author: Author,
    /// The project as the author sees it, and its changes.
    seen: Option<(Arc<Live>, Receiver<Arc<Changed>>)>,
    /// Changes of the settings, which may show the author other files.
    settings: Receiver<Arc<Changed>>,
}

impl Changes {
    async fn of(server: &Server, author: Author) -> Self {
        let views = server.place.views();
        let settings = views.whole().changes();
        let mut changes = Self { views, author, seen: None, settings };
        changes.look().await;
        changes
    }

    /// Opens the project as the author sees it now.
    async fn look(&mut self) {
        let (views, author) = (self.views.clone(), self.author.clone());
        let opened = tokio::task::spawn_blocking(move || author.sees(&views)).await;
        // Without a project, there is nothing to hear of.
        self.seen = opened.ok().and_then(Result::ok).map(|seen| (seen.live.clone(), seen.live.changes()));
    }

    /// The next change; `None` if some were missed. An error means that the project was closed.
    async fn next(&mut self) -> Result<Option<Arc<Changed>>, RecvError> {
        loop {
            let settings = match &mut self.seen {
                Some((live, changes)) if Arc::ptr_eq(live, self.views.whole()) => {
                    return heard(changes.recv().await);
                }
                Some((_, changes)) => tokio::select! {
                    changed = changes.recv() => match changed {
                        // Its index was closed for another one.
                        Err(RecvError::Closed) => Err(RecvError::Lagged(0)),
                        changed => return heard(changed),
                    },
                    changed = self.settings.recv() => changed,
                },
                None => self.settings.recv().await,
            };
            match settings {
                Ok(changed) if *changed != Changed::Settings => {}
                Err(RecvError::Closed) => return Err(RecvError::Closed),
                changed => {
                    self.look().await;
                    return heard(changed);
                }
            }
        }
    }
}

fn heard(changed: Result<Arc<Changed>, RecvError>) -> Result<Option<Arc<Changed>>, RecvError> {
    match changed {
        Err(RecvError::Lagged(_)) => Ok(None),
        changed => changed.map(Some),
    }
}

/// The same for a client that moved to another worktree: every page may be another one.
pub(super) async fn notify_of_another_project(server: Server, author: Author, peer: Peer<RoleServer>) {
    let watched: Vec<String> =
        server.subscribed.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect();
    if peer.notify_resource_list_changed().await.is_err() {
        return;
    }
    for uri in watched {
        if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
            return;
        }
    }
    notify(server, author, peer).await;
}

/// Notifies a client with a session, until it disconnects.
pub(super) async fn notify(server: Server, author: Author, peer: Peer<RoleServer>) {
    let mut changes = Changes::of(&server, author).await;
    // A weak reference, so that this task does not keep a closed server alive.
    let subscribed = Arc::downgrade(&server.subscribed);
    drop(server);
    loop {
        let Ok(changed) = changes.next().await else { return };
        let Some(subscribed) = subscribed.upgrade().filter(|_| !peer.is_transport_closed()) else { return };
        let news = {
            let watched = subscribed.lock().unwrap_or_else(PoisonError::into_inner);
            News::of(changed.as_deref(), watched.iter())
        };
        drop(subscribed);
        if news.listing && peer.notify_resource_list_changed().await.is_err() {
            return;
        }
        for uri in news.updated {
            if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                return;
            }
        }
    }
}

/// Notifies a client of its subscriptions, until it cancels or disconnects.
pub(super) async fn listen(server: &Server, context: SubscriptionContext) {
    let author = server.author(context.request_context());
    let mut changes = Changes::of(server, author).await;
    let watched = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let wants_listing = context.accepted().resources_list_changed.unwrap_or(false);
    loop {
        let changed = tokio::select! {
            () = context.cancelled() => return,
            changed = changes.next() => match changed {
                Ok(changed) => changed,
                Err(_) => return,
            },
        };
        let news = News::of(changed.as_deref(), watched.iter());
        if news.listing && wants_listing && context.sink().notify_resource_list_changed().await.is_err() {
            return;
        }
        for uri in news.updated {
            if context.sink().notify_resource_updated(uri).await.is_err() {
                return;
            }
        }
    }
}
