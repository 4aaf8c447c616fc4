//! Holds a project open in a separate process, for suites that kill it: `live-server FOLDER`. Reads one request per
//! line from standard input (`call OPERATION {…}` or `state`) and answers each with one line of JSON. Exits when its
//! input ends or its parent exits.
#![allow(clippy::print_stderr)]

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use ubp_core::Caller;
use ubp_core::message::Message;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Error, Result};
use ubp_host::live::{Live, ParentWatch};
use ubp_host::{Environment, Project};

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: live-server FOLDER");
        return ExitCode::from(2);
    };
    match serve(folder.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve(folder: &std::path::Path) -> Result<()> {
    let notices = Arc::new(|notice: ubp_host::live::Notice| eprintln!("{}", notice.text));
    let live = Live::start(Project::find(folder)?, &Environment::of_process(), notices)?;
    let stop = live.clone();
    let _parent = ParentWatch::start(move || {
        stop.stop();
        std::process::exit(3);
    });
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| Error::io("standard input", error))?;
        let answer = answer(&live, &line).unwrap_or_else(
            |error| json!({ "error": { "code": error.code(), "message": error.to_string() } }),
        );
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")
            .and_then(|()| out.flush())
            .map_err(|error| Error::io("standard output", error))?;
    }
    live.stop();
    Ok(())
}

fn answer(live: &Live, line: &str) -> Result<Value> {
    if line == "state" {
        return Ok(json!({ "indexer": live.is_indexer(), "refreshes": live.refreshes() }));
    }
    let mut words = line.splitn(3, ' ');
    let (_, name, params) = (words.next(), words.next(), words.next());
    let params = serde_json::from_str(params.unwrap_or("{}"));
    let params = params.map_err(|error| Error::invalid(Message::verbatim(error.to_string())))?;
    live.call(
        Caller::Agent,
        ubp_core::ops::named(name.unwrap_or_default())?,
        params,
        None,
        &Silent,
        &Cancel::default(),
    )
}
