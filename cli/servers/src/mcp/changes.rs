//! Notifies clients of changed pages: by notifications in protocol revisions with sessions, by a subscription in those
//! without.

use std::sync::{Arc, PoisonError};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::broadcast::error::RecvError;
use ubp_host::live::Changed;

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

/// Notifies a client with a session, until it disconnects.
pub(super) async fn notify(server: Server, peer: Peer<RoleServer>) {
    let mut changes = server.live.changes();
    // A weak reference, so that this task does not keep a closed server alive.
    let subscribed = Arc::downgrade(&server.subscribed);
    drop(server);
    loop {
        let changed = match changes.recv().await {
            Ok(changed) => Some(changed),
            Err(RecvError::Lagged(_)) => None,
            Err(RecvError::Closed) => return,
        };
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
    let mut changes = server.live.changes();
    let watched = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let wants_listing = context.accepted().resources_list_changed.unwrap_or(false);
    loop {
        let changed = tokio::select! {
            () = context.cancelled() => return,
            changed = changes.recv() => match changed {
                Ok(changed) => Some(changed),
                Err(RecvError::Lagged(_)) => None,
                Err(RecvError::Closed) => return,
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
