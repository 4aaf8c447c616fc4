//! `ubp hub --index`: the projects of an index in PostgreSQL.

use std::sync::Arc;

use serde_json::Value;
use ubp_core::hub::needs_no_files;
use ubp_core::manifest::{FrontMatterMode, Manifest};
use ubp_core::ops::Operation;
use ubp_core::ports::Clock as _;
use ubp_core::progress::{Cancel, Progress};
use ubp_core::{Caller, Error, Result, message};
use ubp_host::hub::{Answering, Counts, HubAsker, ProjectState, Told};
use ubp_host::models::places::Places;
use ubp_host::{Environment, SystemClock, models};
use ubp_postgres::{Address, Asked, SharedHub, Surroundings};

/// Maximum number of connections to each database, each of which answers one question at a time.
const CONNECTIONS: usize = 8;

struct Index(SharedHub);

pub(super) fn open(
    addresses: &[String],
    role: Option<String>,
    environment: &Environment,
) -> Result<Arc<dyn Answering>> {
    let parsed = |address: &String| Address::parse(address, |name| environment.get(name).map(str::to_owned));
    let addresses: Vec<Address> = addresses.iter().map(parsed).collect::<Result<_>>()?;
    let clock = SystemClock::default();
    let manifest = Manifest::default_for("pages", FrontMatterMode::Preserved, clock.now())?;
    let places = Places::new(None, environment);
    let model = Box::new(move |identity: &str| models::with_identity(identity, &places));
    let surroundings = Surroundings { model, clock: Arc::new(clock), manifest };
    Ok(Arc::new(Index(SharedHub::open(&addresses, CONNECTIONS, role, surroundings)?)))
}

impl Answering for Index {
    fn call(
        &self,
        asker: HubAsker<'_>,
        operation: &Operation,
        params: Value,
        told: Told<'_>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Value> {
        let (caller, agent) = match asker {
            HubAsker::Person => (Caller::Person, None),
            HubAsker::Agent { name, token: [] } => (Caller::Agent, name),
            HubAsker::Agent { .. } => {
                return Err(Error::invalid_with_hint(
                    message!(
                        "a token with rights of its own cannot be used here: roles of the database decide what is visible"
                    ),
                    message!("serve it from a server of its own, with --role"),
                ));
            }
        };
        self.0.call(operation, &params, Asked { caller, agent, progress, cancel }, told)
    }

    fn answers(&self, operation: &Operation) -> bool {
        needs_no_files(operation)
    }

    fn states(&self, _: &Cancel) -> Result<Vec<ProjectState>> {
        let state = |state: ubp_postgres::ProjectState| ProjectState {
            folder: state.address,
            project: state.project.name,
            tags: state.project.tags,
            version: Some(state.project.commit),
            pages: Some(state.pages),
            error: state.error,
        };
        Ok(self.0.projects()?.into_iter().map(state).collect())
    }

    fn counts(&self) -> Counts {
        match self.0.projects() {
            Ok(projects) => {
                let failed_projects = projects.iter().filter(|project| project.error.is_some()).count();
                Counts { projects: projects.len(), failed_projects }
            }
            Err(_) => Counts { projects: 0, failed_projects: 1 },
        }
    }
}
