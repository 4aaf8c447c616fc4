//! The connection of a window: one WebSocket for the page that it shows.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use ubp_core::hint::Buttons;
use ubp_core::message;

use super::Coediting;
use super::changes::Changes;
use super::guest::{Guest, MOST_WAITING, No, Who};
use super::room::Room;
use super::wire::{Said, Told};

/// Limit on the bytes of a message.
const LONGEST_MESSAGE: usize = 8 * 1024 * 1024;
/// Limit on the changes in a message.
const MOST_CHANGES: usize = 4_000;
/// Limit on the characters of a name.
const LONGEST_NAME: usize = 40;
/// Limit on the characters of the id of a window.
const LONGEST_CLIENT: usize = 64;
/// How long a connection may wait before it says what it is for.
const PATIENCE: Duration = Duration::from_secs(15);
/// Interval of pings, which notice a connection that is gone.
const BEAT: Duration = Duration::from_secs(20);

/// Accepts a connection, which ends with `stop`.
pub(crate) fn connect(
    upgrade: WebSocketUpgrade,
    coediting: Arc<Coediting>,
    who: Who,
    voice: Buttons,
    stop: CancellationToken,
) -> Response {
    let upgrade = upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE);
    upgrade.on_upgrade(move |mut socket| async move {
        let served = tokio::select! {
            () = stop.cancelled() => None,
            served = serve(&mut socket, &coediting, who, voice) => served,
        };
        if let Some(refusal) = served {
            let _ = socket.send(Message::text(refusal)).await;
        }
        let _ = socket.send(Message::Close(None)).await;
    })
}

/// Why a connection is ended, as a message.
fn refusal(code: &str, why: &message::Message, voice: Buttons) -> String {
    Told::Refused { code, message: &why.told(&voice) }.text()
}

fn parsed(message: &Message) -> Option<Said> {
    match message {
        Message::Text(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

/// Serves a window until it leaves. Returns the reason if it is disconnected.
async fn serve(
    socket: &mut WebSocket,
    coediting: &Arc<Coediting>,
    who: Who,
    voice: Buttons,
) -> Option<String> {
    let invalid = || refusal("invalid", &message!("the message is not one of the editing protocol"), voice);
    let first = tokio::time::timeout(PATIENCE, socket.recv()).await.ok()??.ok()?;
    let Some(Said::Join { page, client, name, window, epoch, version }) = parsed(&first) else {
        return Some(invalid());
    };
    // The id of changes on disk is shorter.
    let is_id = (8..=LONGEST_CLIENT).contains(&client.len())
        && client.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_id || window.len() > LONGEST_CLIENT {
        return Some(invalid());
    }
    coediting.ready.cancelled().await;
    let away = || {
        let (code, why) = No::Away.told();
        refusal(code, &why, voice)
    };
    let full = || refusal("full", &message!("too many windows edit pages of this project"), voice);
    let Some(_place) = coediting.place() else { return Some(full()) };
    let (out, mut outgoing) = mpsc::channel(MOST_WAITING);
    let id = coediting.next_id();
    let (may_write, access) = match who {
        Who::Owner => (true, None),
        Who::Reader => (false, None),
        Who::Guest(access) => {
            let (asked, of) = (access.clone(), page.clone());
            let may_write = tokio::task::spawn_blocking(move || asked.may_write(&of)).await.ok()?;
            let Some(may_write) = may_write else { return Some(away()) };
            (may_write, Some(access))
        }
    };
    let name = access.as_ref().map_or_else(|| clean(&name), |access| access.name().to_owned());
    let heard_of = access.clone();
    let guest = Guest { id, client, window, name, number: 0, may_write, access, voice, out };
    let known = epoch.as_deref().map(|epoch| (epoch, version));
    let Some(room) = coediting.join(&page, guest, known) else { return Some(full()) };
    let _leaving = Leaving { room: room.clone(), id };
    let (mut to, mut from) = socket.split();
    let mut beat = tokio::time::interval(BEAT);
    loop {
        tokio::select! {
            told = outgoing.recv() => to.send(Message::text(told?.as_ref())).await.ok()?,
            _ = beat.tick() => to.send(Message::Ping(Vec::new().into())).await.ok()?,
            message = from.next() => match message {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_))) | None => return None,
                Some(Err(_)) => return Some(refusal("too_long", &message!("the message is too long or damaged"), voice)),
                Some(Ok(_)) if heard_of.as_ref().is_some_and(|access| !access.is_heard()) => {
                    let (code, why) = No::TooMany.told();
                    return Some(refusal(code, &why, voice));
                }
                Some(Ok(message)) => match heard(&room, id, &message) {
                    Ok(()) => {}
                    Err(None) => return Some(invalid()),
                    Err(Some(no)) => {
                        let (code, why) = no.told();
                        to.send(Message::text(refusal(code, &why, voice))).await.ok()?;
                    }
                },
            },
        }
    }
}

/// Does what a window says. `Err(None)` for an invalid message.
fn heard(room: &Room, id: u64, message: &Message) -> Result<(), Option<No>> {
    match parsed(message).ok_or(None)? {
        Said::Push { version, updates } => {
            let changes =
                updates.iter().take(MOST_CHANGES + 1).map(Changes::read).collect::<Option<Vec<_>>>();
            let changes = changes.filter(|changes| changes.len() <= MOST_CHANGES).ok_or(None)?;
            return room.push(id, version, changes).map_err(Some);
        }
        Said::Cursor { version, anchor, head } => room.point(id, version, anchor, head),
        Said::View { version, top } => room.scroll(id, version, top),
        Said::Save => room.save(),
        Said::Name { name } => room.rename(id, clean(&name)),
        Said::Join { .. } => return Err(None),
    }
    Ok(())
}

/// A name without what would disturb a line of text.
fn clean(name: &str) -> String {
    let name: String = name.chars().filter(|character| !character.is_control()).take(LONGEST_NAME).collect();
    name.trim().to_owned()
}

/// Leaves the room on drop.
struct Leaving {
    room: Arc<Room>,
    id: u64,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.room.leave(self.id);
    }
}
