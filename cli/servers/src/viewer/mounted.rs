//! The projects of a hub, each below an address of its own with everything that the viewer of one project has. A project
//! gets it when it is first asked for, and loses it when it leaves the hub.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tokio_util::sync::CancellationToken;
use ubp_core::export::InHub;
use ubp_core::{Error, Result, message};
use ubp_host::hub::{Hub, OpenProject};
use ubp_host::live::Live;

use super::{App, Viewer, addresses, blocking};
use crate::coediting::Coediting;

/// Start of the addresses of projects; the name follows.
pub(super) const PROJECTS: &str = "/p/";

/// The address of the hub, relative to that of a project.
const UP: &str = "../../";

/// Characters of names that addresses contain as they are.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'@');

/// The projects that are shown.
pub(super) struct Mounted {
    pub hub: Arc<Hub>,
    pub app: Arc<App>,
    stop: CancellationToken,
    shown: Mutex<HashMap<String, Mount>>,
}

struct Mount {
    live: Arc<Live>,
    coediting: Arc<Coediting>,
    router: Router,
    stop: CancellationToken,
}

impl Drop for Mount {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Mounted {
    /// None yet.
    pub(super) fn new(hub: Arc<Hub>, app: Arc<App>, stop: CancellationToken) -> Self {
        Self { hub, app, stop, shown: Mutex::default() }
    }

    /// The projects of the hub.
    pub(super) async fn projects(self: &Arc<Self>) -> Result<Vec<OpenProject>> {
        let hub = self.hub.clone();
        let projects = blocking(move |_| Ok(hub.projects())).await?;
        let is_there = |name: &String, mount: &mut Mount| {
            let live = projects.iter().find(|project| project.place.name == *name).map(|found| &found.live);
            live.is_some_and(|live| live.as_ref().is_ok_and(|live| Arc::ptr_eq(live, &mount.live)))
        };
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).retain(is_there);
        Ok(projects)
    }

    /// The addresses of the project with this name; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] that says why the project cannot be read.
    pub(super) async fn addresses_of(self: &Arc<Self>, segment: &str) -> Result<Option<Router>> {
        let Some(name) = name_at(segment) else { return Ok(None) };
        let projects = self.projects().await?;
        let Some(project) = projects.into_iter().find(|project| project.place.name == name) else {
            return Ok(None);
        };
        let live = project.live.map_err(|error| {
            let error = error.message();
            Error::invalid(message!("project '{name}' cannot be read: {error}", name = name.as_str(), error))
        })?;
        if let Some(mount) = self.shown.lock().unwrap_or_else(PoisonError::into_inner).get(&name) {
            return Ok(Some(mount.router.clone()));
        }
        let place =
            InHub { project: name.clone(), root: UP.to_owned(), read_only: project.place.pinned.is_some() };
        let in_hub = Some((place, self.hub.clone()));
        let (app, shown) = (self.app.clone(), live.clone());
        let viewer = blocking(move |_| Viewer::of(app, shown, in_hub)).await?;
        let stop = self.stop.child_token();
        let coediting = viewer.coediting.clone();
        let router = addresses(Arc::new(viewer), stop.clone());
        let mount = Mount { live, coediting, router: router.clone(), stop };
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(shown.entry(name).or_insert(mount).router.clone()))
    }

    /// Saves what is edited together, because the server ends.
    pub(super) async fn finish(&self) {
        let projects: Vec<_> = {
            let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
            shown.values().map(|mount| mount.coediting.clone()).collect()
        };
        for coediting in projects {
            coediting.finish().await;
        }
    }
}

/// A project's name as a part of an address. Proxies may decode an encoded slash, so another character stands for it, which no
/// name contains.
pub(super) fn segment(name: &str) -> String {
    utf8_percent_encode(&name.replace('/', "~"), NAME).to_string()
}

/// The name that such a part stands for.
fn name_at(segment: &str) -> Option<String> {
    let decoded = percent_decode_str(segment).decode_utf8().ok()?;
    (!decoded.contains('/')).then(|| decoded.replace('~', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_part_of_an_address() {
        for name in ["shop", "libs/a", "\u{8a8d}\u{8a3c}", "lib@v1.2", "a_b-c.d"] {
            let part = segment(name);
            assert!(part.bytes().all(|byte| byte.is_ascii() && byte != b'/'), "{part}");
            assert_eq!(name_at(&part).as_deref(), Some(name));
        }
        assert_eq!(segment("libs/a"), "libs~a");
        for other in ["libs%2Fa", "%ff", "..%2f"] {
            assert_eq!(name_at(other), None, "{other}");
        }
    }
}
