//! The language server over a WebSocket of the viewer, for the project that it serves: a message of the protocol is a message
//! of the socket, without headers.

use std::sync::{Arc, mpsc};

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use ubp_core::message::Language;
use ubp_core::progress::Cancel;
use ubp_host::live::Live;

use super::client::Client;
use super::frames::{self, Frame};
use super::projects::Projects;
use super::{Options, server};

/// Accepts a connection, which ends with `stop`.
pub(crate) fn connect(
    upgrade: WebSocketUpgrade,
    live: Arc<Live>,
    languages: Vec<Language>,
    stop: CancellationToken,
) -> Response {
    let upgrade = upgrade.max_message_size(frames::LONGEST).max_frame_size(frames::LONGEST);
    upgrade.on_upgrade(move |socket| serve(socket, live, languages, stop))
}

async fn serve(socket: WebSocket, live: Arc<Live>, languages: Vec<Language>, stop: CancellationToken) {
    let Ok(manifest) = live.manifest() else { return };
    let pages = live.root().join(&manifest.pages_dir);
    let (out, mut outgoing) = tokio::sync::mpsc::unbounded_channel::<Value>();
    let client = Client::new(Box::new(move |message| drop(out.send(message))));
    let options = Options { read_only: false, languages };
    let running = server::Server::new(options, client, Projects::only(live, &pages));
    let (read, frames) = mpsc::channel();
    let cancel = Cancel::default();
    let mut work = {
        let cancel = cancel.clone();
        tokio::task::spawn_blocking(move || {
            let _ = server::run(&running, &frames, &cancel);
            running.stop();
        })
    };
    let (mut to, mut from) = socket.split();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            // The client asked the server to exit.
            _ = &mut work => break,
            message = from.next() => {
                let body = match message {
                    Some(Ok(Message::Text(text))) => text.as_bytes().to_vec(),
                    Some(Ok(Message::Binary(body))) => body.to_vec(),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                };
                // The server has ended.
                if read.send(frames::parsed(&body)).is_err() {
                    break;
                }
            }
            message = outgoing.recv() => {
                let Some(message) = message else { break };
                if to.send(Message::text(message.to_string())).await.is_err() {
                    break;
                }
            }
        }
    }
    // It ends by itself, once the request that it answers notices.
    let _ = read.send(Frame::End);
    cancel.request();
    let _ = to.close().await;
}
