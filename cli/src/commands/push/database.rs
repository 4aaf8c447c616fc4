//! The part of `ubp push` that needs PostgreSQL.

use std::collections::HashMap;

use serde::Serialize;
use ubp_core::freshness::assess;
use ubp_core::index::published::page_states;
use ubp_core::message::counted;
use ubp_core::ports::History;
use ubp_core::progress::Cancel;
use ubp_core::{Context, Error, message};
use ubp_postgres::{Address, Commit, Database, Push, Pushed, Relation, push, remove, run as wait};

use super::PushArgs;
use crate::args::Global;
use crate::output::{CommandResult, Failure};
use crate::session::Session;
use crate::terminal::{Terminal, answer_with};

/// Number of pages with uncommitted changes that are named.
const NAMED: usize = 3;

#[derive(Serialize)]
struct Removed<'a> {
    project: &'a str,
    removed: bool,
}

pub(super) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: PushArgs,
) -> CommandResult {
    let text = args.to.as_deref().filter(|to| !to.is_empty()).ok_or_else(|| {
        Error::invalid_with_hint(
            message!("no database to push to"),
            message!("name it with --to, or in UBP_POSTGRES: postgres://user@host/database"),
        )
    })?;
    let environment = terminal.io.environment.clone();
    let address = Address::parse(text, |name| environment.get(name).map(str::to_owned))?;
    let folder = session.project.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let project = args.project.clone().or(folder).unwrap_or_else(|| "project".into());
    let json = terminal.json;
    if args.remove {
        let removed = wait(async { remove(&Database::open(&address, 1).await?, &project).await })?;
        let value = Removed { project: &project, removed };
        return answer_with(terminal, json, &value, |terminal, value| {
            terminal.line(match value.removed {
                true => message!(
                    "{project} removed from {address}",
                    project = value.project,
                    address = address.to_string()
                ),
                false => message!(
                    "{address} has no project {project}",
                    project = value.project,
                    address = address.to_string()
                ),
            })
        });
    }
    let progress = terminal.progress();
    let cancel = terminal.io.cancel.clone();
    let pushed = session.read_with_vectors(terminal, global, |context| {
        pushed(context, &address, &project, &args, &*progress, &cancel)
    })?;
    drop(progress);
    answer_with(terminal, json, &pushed, |terminal, pushed| show(terminal, pushed, &address))
}

fn pushed(
    context: &Context<'_>,
    address: &Address,
    project: &str,
    args: &PushArgs,
    progress: &dyn ubp_core::progress::Progress,
    cancel: &Cancel,
) -> ubp_core::Result<Pushed> {
    let commit = head(context)?;
    let states = context.index.read(|db| page_states(db, ""))?;
    if !args.allow_dirty {
        let changed = context.history.changed_since("HEAD")?;
        let inside = |path: &&String| ubp_core::path::is_below(path, context.pages_dir());
        let is_page = |path: &&String| path.ends_with(".md") && inside(path);
        let mut dirty: Vec<&str> = changed.iter().filter(is_page).map(String::as_str).collect();
        if !dirty.is_empty() {
            let count = dirty.len();
            dirty.truncate(NAMED);
            return Err(Error::invalid_with_hint(
                message!(
                    "{pages} with changes that are not committed: {names}",
                    pages = counted(count, "page", "pages"),
                    names = dirty.join(", ")
                ),
                message!("commit them, or push them as they are with --allow-dirty"),
            ));
        }
    }
    let by_number: HashMap<i64, &String> = states.iter().map(|(path, state)| (state.page, path)).collect();
    let mut freshness = HashMap::new();
    for (page, assessment) in assess(context, None)? {
        let Some(path) = by_number.get(&page) else { continue };
        let refs: Vec<_> = assessment.stale_refs.iter().map(|one| serde_json::json!(one)).collect();
        let value = serde_json::json!({ "staleness": assessment.staleness, "stale_refs": refs });
        freshness.insert((*path).clone(), value);
    }
    let history = context.history;
    let relation = |known: &str| relation(history, &commit.id, known);
    let request = Push {
        project,
        title: project,
        tags: args.tags.as_deref(),
        commit: commit.clone(),
        relation: &relation,
        force: args.force,
        dry_run: args.dry_run,
        freshness: &freshness,
    };
    wait(async {
        let database = match args.dry_run {
            true => Database::open(address, 1).await?,
            false => Database::open_and_migrate(address, 1).await?,
        };
        push(&database, context.index, &request, progress, cancel).await
    })
}

fn head(context: &Context<'_>) -> ubp_core::Result<Commit> {
    let newest = context.history.first_parents(1)?.pop().map(|newest| newest.commit);
    let newest = newest.ok_or_else(|| {
        Error::invalid_with_hint(
            message!("the project has no commit, and the commit is the version in the database"),
            message!("`git init` and `git commit` make one"),
        )
    })?;
    Ok(Commit { id: newest.id, time: newest.time.as_second() })
}

/// How `commit` relates to the commit in the database.
fn relation(history: &dyn History, commit: &str, known: &str) -> ubp_core::Result<Relation> {
    if history.resolve(known).is_err() {
        return Ok(Relation::Unknown);
    }
    Ok(match history.merge_base(commit, known)? {
        Some(base) if base == known => Relation::Newer,
        Some(base) if base == commit => Relation::Older,
        _ => Relation::Beside,
    })
}

fn show(terminal: &mut Terminal<'_>, pushed: &Pushed, address: &Address) -> Result<(), Failure> {
    let commit = pushed.commit.get(..12).unwrap_or(&pushed.commit);
    let project = pushed.project.as_str();
    terminal.line(match pushed.dry_run {
        true => message!(
            "{project} at {commit} would change in {address}:",
            project,
            commit,
            address = address.to_string()
        ),
        false => {
            message!("{project} at {commit} is in {address}", project, commit, address = address.to_string())
        }
    })?;
    terminal.line(message!(
        "{added} new, {changed} changed, {relinked} with other links, {reassessed} with another freshness, {removed} removed, {unchanged} unchanged",
        added = pushed.added,
        changed = pushed.changed,
        relinked = pushed.relinked,
        reassessed = pushed.reassessed,
        removed = pushed.removed,
        unchanged = pushed.unchanged
    ))
}
