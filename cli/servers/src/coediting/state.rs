//! What the server knows about a page that windows have open, and how it tells them.

use std::sync::Arc;
use std::time::Instant;

use super::authority::{Authority, Update};
use super::guest::{Guest, Writers, tell};
use super::journal::Journal;
use super::wire::{Change, Member, Told};

pub(super) struct Session {
    pub(super) epoch: String,
    pub(super) authority: Authority,
    pub(super) journal: Journal,
    /// Hash of the file, as last read or written.
    pub(super) hash: String,
    /// The version that the file has or had.
    pub(super) saved: u64,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) page: String,
    pub(super) guests: Vec<Guest>,
    pub(super) session: Option<Session>,
    /// The latest windows that left, with the ids that they had.
    pub(super) left: Vec<(String, u64)>,
    /// Whether several windows wait for a session.
    pub(super) wants_session: bool,
    /// Whether the file may have changed.
    pub(super) must_look: bool,
    pub(super) must_save: bool,
    /// Guests whose changes are not in the file.
    pub(super) writers: Writers,
    /// First and last change that is not in the file.
    pub(super) edited: Option<(Instant, Instant)>,
    /// The file cannot be written until then.
    pub(super) wait_until: Option<Instant>,
    pub(super) missing_since: Option<Instant>,
    pub(super) empty_since: Option<Instant>,
    pub(super) is_closed: bool,
}

impl State {
    pub(super) fn tell(&mut self, told: &Told<'_>) {
        let text = Arc::<str>::from(told.text());
        // A window that does not read is disconnected with the end of its channel.
        self.guests.retain(|guest| guest.out.try_send(text.clone()).is_ok());
    }

    /// What guests are not told.
    pub(super) fn tell_owner(&self, told: &Told<'_>) {
        let text = Arc::<str>::from(told.text());
        for guest in self.guests.iter().filter(|guest| guest.access.is_none()) {
            let _ = guest.out.try_send(text.clone());
        }
    }

    /// What is lost without harm, for all windows but one.
    pub(super) fn tell_others(&self, id: u64, told: &Told<'_>) {
        let text = Arc::<str>::from(told.text());
        for guest in self.guests.iter().filter(|guest| guest.id != id && self.session.is_some()) {
            let _ = guest.out.try_send(text.clone());
        }
    }

    pub(super) fn tell_updates(&mut self, version: u64, updates: &[Update]) {
        self.tell(&Told::Updates { version, updates: updates.iter().map(Change::from).collect() });
    }

    /// The file has this version, or the current one if it has the text.
    pub(super) fn tell_saved(&mut self, version: Option<u64>) {
        let Some(session) = &mut self.session else { return };
        let current = session.authority.is_saved().then(|| session.authority.version());
        let Some(version) = current.or(version) else { return };
        session.saved = version;
        let hash = session.hash.clone();
        self.tell(&Told::Saved { version, hash: &hash });
    }

    pub(super) fn tell_who(&mut self) {
        for guest in &self.guests {
            let members = self.guests.iter().map(|guest| Member {
                id: guest.id,
                name: &guest.name,
                number: guest.number,
                client: &guest.client,
                window: &guest.window,
            });
            tell(guest, &Told::Here { you: guest.id, members: members.collect() });
        }
    }

    pub(super) fn touched(&mut self) {
        let now = Instant::now();
        self.edited = Some((self.edited.map_or(now, |(first, _)| first), now));
    }

    /// Ends the session.
    pub(super) fn end(&mut self) {
        if let Some(session) = self.session.take() {
            session.journal.end();
            self.tell(&Told::Ended);
        }
        (self.missing_since, self.edited, self.wait_until) = (None, None, None);
        (self.must_look, self.must_save) = (false, false);
    }
}

impl Session {
    /// Gives a window the text, or the changes since the version that it knows.
    pub(super) fn welcome(&self, guest: &Guest, known: Option<(&str, u64)>) {
        let Self { epoch, authority, hash, saved, .. } = self;
        let since = known
            .filter(|(known, _)| known == epoch)
            .and_then(|(_, version)| Some((version, authority.since(version)?)));
        if let Some((version, updates)) = since {
            tell(guest, &Told::Resumed { saved: *saved, hash });
            tell(guest, &Told::Updates { version, updates: updates.map(Change::from).collect() });
        } else {
            let text = authority.text();
            tell(
                guest,
                &Told::Share { epoch, version: authority.version(), text: &text, saved: *saved, hash },
            );
        }
    }
}
