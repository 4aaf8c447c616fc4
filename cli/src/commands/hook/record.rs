//! Keeps what an agent heard, as servers keep their answers. All hooks of an agent's session write to one file.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Map, json};
use ubp_core::manifest::SessionSettings;
use ubp_core::ports::Clock as _;
use ubp_core::sessions::{KeptParams, Outcome, Recorded};
use ubp_host::SystemClock;
use ubp_host::sessions;

use super::briefing::{self, Briefing};
use super::event::{Event, Moment};
use crate::session::Session;

/// Something that an agent heard about a project.
pub(super) struct Heard {
    pub text: String,
    root: PathBuf,
    settings: SessionSettings,
    recorded: Recorded,
}

impl Heard {
    /// The text about these files, in an answer that took until now.
    pub(super) fn new(
        session: &Session,
        event: &Event,
        files: &[String],
        briefings: &[Briefing],
        text: String,
        begun: Instant,
    ) -> Self {
        let (answer, witness) = briefing::parts(briefings, &text);
        let params = Map::from_iter([("files".to_owned(), json!(files))]);
        let at = SystemClock::default().now().to_string();
        let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let tool = match event.moment {
            Moment::Before => "hook/before-edit",
            Moment::After => "hook/after-edit",
        };
        let outcome = Outcome::Answer(&answer);
        let recorded =
            Recorded::new(at, milliseconds, tool, KeptParams::of(&params), &outcome, &text, &witness);
        let (root, settings) = (session.project.root.clone(), session.project.manifest.sessions);
        Self { text, root, settings, recorded }
    }

    /// Records it as an answer to `agent`, if the project records answers.
    pub(super) fn keep(self, agent: &str, event: &Event) {
        let Self { root, settings, recorded, .. } = self;
        if settings.record {
            let session = sessions::Session::called(agent, &event.session, recorded.facts.at.clone());
            // An answer counts more than its record.
            let _ = sessions::record_now(&root, settings, &session, recorded);
        }
    }
}
