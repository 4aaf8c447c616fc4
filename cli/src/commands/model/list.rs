//! `ubp model list`: the model in use, installed models and known models.

use console::measure_text_width;
use std::path::Path;

use serde::Serialize;
use ubp_core::Error;
use ubp_core::index::StoreSize;
use ubp_core::message;
use ubp_core::message::Message;
use ubp_host::models::installed::InstalledModel;
use ubp_host::models::known::{BUILT_IN, KNOWN, built_in, known};
use ubp_host::models::places::{Places, is_plain_name};
use ubp_host::shared_vectors::Place;
use ubp_host::{Environment, Project};

use super::{ENGINES, load, megabytes};
use crate::output::{CommandResult, Failure, printable};
use crate::terminal::{Terminal, answer_with};

/// The output of `ubp model list`.
#[derive(Debug, Serialize)]
struct Output {
    /// The model named in the project's manifest; null outside a project.
    in_use: Option<InUse>,
    /// Every model that can be used by name.
    models: Vec<Model>,
    /// The vectors that all projects share; null if they are turned off.
    shared_vectors: Option<Shared>,
}

/// The vectors that all projects of the user share on this machine.
#[derive(Debug, Serialize)]
struct Shared {
    /// Their file, which may not exist yet.
    path: String,
    vectors: usize,
    bytes: u64,
    /// Its maximum size.
    limit_bytes: u64,
    /// Why they cannot be used.
    problem: Option<Message>,
}

fn shared_vectors(environment: &Environment) -> Option<Shared> {
    let place = Place::of(environment).ok().flatten()?;
    let (size, problem) = match place.size() {
        Ok(size) => (size.unwrap_or_default(), None),
        Err(error) => (StoreSize::default(), Some(error.message())),
    };
    let (path, limit_bytes) = (place.file.display().to_string(), place.limit);
    Some(Shared { path, vectors: size.vectors, bytes: size.bytes, limit_bytes, problem })
}

/// Shows where the shared vectors are, and how many.
pub(crate) fn show_shared_vectors(terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    match shared_vectors(&terminal.io.environment) {
        None => Ok(()),
        Some(shared) => put_shared(terminal, &shared),
    }
}

fn put_shared(terminal: &mut Terminal<'_>, shared: &Shared) -> Result<(), Failure> {
    let path = printable(&shared.path);
    if let Some(problem) = &shared.problem {
        return terminal.line(message!("Shared vectors: {path} cannot be used: {problem}", path, problem));
    }
    terminal.line(message!(
        "Shared vectors: {vectors} in {path} ({size} of at most {limit})",
        vectors = shared.vectors,
        path,
        size = megabytes(shared.bytes),
        limit = megabytes(shared.limit_bytes)
    ))
}

#[derive(Debug, Serialize)]
struct InUse {
    name: String,
    version: String,
    dimensions: usize,
    /// Address of the server that runs it; null if this machine does.
    endpoint: Option<String>,
    /// Whether this machine can run it.
    available: bool,
    /// Why it cannot be used.
    problem: Option<Message>,
    /// How to fix that.
    hint: Option<Message>,
}

#[derive(Debug, Serialize)]
struct Model {
    name: String,
    /// `bundled`, `project` or `user`; null if not installed.
    location: Option<&'static str>,
    /// Its folder; null for the built-in model and models that are not installed.
    path: Option<String>,
    /// Length of its vectors; null if its files are damaged.
    dimensions: Option<usize>,
    /// What is wrong with the installed files.
    problem: Option<Message>,
    /// Whether `ubp model use NAME` can download it.
    downloadable: bool,
    /// Approximate bytes to download.
    download_bytes: Option<u64>,
    licence: Option<&'static str>,
    summary: Option<&'static str>,
}

pub(super) fn run(terminal: &mut Terminal<'_>, folder: &Path) -> CommandResult {
    let project = match Project::find(folder) {
        Ok(project) => Some(project),
        Err(Error::NoProject { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let places = Places::new(project.as_ref(), &terminal.io.environment);
    let in_use = project.map(|project| {
        let loaded = load(&project, &terminal.io.environment);
        let model = &project.manifest.embedding_model;
        let (available, problem, hint) = match loaded {
            Ok(Some(_)) => (true, None, None),
            Ok(None) => {
                let error = ubp_host::models::no_engines(&model.name);
                (false, Some(error.message()), error.hint())
            }
            Err(error) => (false, Some(error.message()), error.hint()),
        };
        InUse {
            name: model.name.clone(),
            version: model.version.clone(),
            dimensions: model.dimensions,
            endpoint: model.endpoint.as_ref().map(|endpoint| endpoint.url.clone()),
            available,
            problem,
            hint,
        }
    });
    let shared_vectors = shared_vectors(&terminal.io.environment);
    let output = Output { in_use, models: models(&places), shared_vectors };
    let json = terminal.json;
    answer_with(terminal, json, &output, print)
}

/// Names of the folders with models, without duplicates, the project's first.
pub(super) fn installed_names(places: &Places) -> Vec<String> {
    let mut names = Vec::new();
    for (_, folder) in places.all() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut here: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| is_plain_name(name) && !names.contains(name))
            .collect();
        here.sort_unstable();
        names.append(&mut here);
    }
    names
}

fn models(places: &Places) -> Vec<Model> {
    let bundled = BUILT_IN.iter().map(|model| Model {
        name: model.name.into(),
        location: ENGINES.then_some("bundled"),
        path: None,
        dimensions: Some(model.dimensions),
        problem: None,
        downloadable: false,
        download_bytes: None,
        licence: Some(model.licence),
        summary: Some(model.summary),
    });
    let mut names = installed_names(places);
    // A folder with the name of a built-in model is not used.
    names.retain(|name| built_in(name).is_none());
    names.extend(
        KNOWN
            .iter()
            .map(|known| known.name.to_owned())
            .filter(|name| !names.contains(name))
            .collect::<Vec<_>>(),
    );
    bundled.chain(names.into_iter().map(|name| model(name, places))).collect()
}

fn model(name: String, places: &Places) -> Model {
    let known = known(&name);
    let found = places.all().any(|(_, folder)| folder.join(&name).is_dir());
    let installed = if found { Some(InstalledModel::find(&name, places)) } else { None };
    let (usable, problem) = match installed {
        None => (None, None),
        Some(Ok(model)) => (Some(model), None),
        Some(Err(error)) => (None, Some(error.message())),
    };
    Model {
        location: usable.as_ref().map(|model| model.place.as_str()),
        path: usable.as_ref().map(|model| model.folder.display().to_string()),
        dimensions: usable.map(|model| model.description.dimensions).or(known.map(|known| known.dimensions)),
        problem,
        downloadable: known.is_some(),
        download_bytes: known.map(|known| known.bytes()),
        licence: known.map(|known| known.licence),
        summary: known.map(|known| known.summary),
        name,
    }
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    match &output.in_use {
        Some(used) => {
            let name = paint.strong(printable(&used.name));
            let server =
                used.endpoint.as_ref().map(|url| format!(", {}", printable(url))).unwrap_or_default();
            terminal.line(message!(
                "In use: {name} ({dimensions} dimensions{server})",
                name,
                dimensions = used.dimensions,
                server
            ))?;
            if let Some(problem) = &used.problem {
                terminal.put(format!("  {}", paint.warning(printable(&terminal.told(problem)))))?;
            }
            if let Some(hint) = &used.hint {
                terminal.put(format!("  {}", printable(&terminal.told(hint))))?;
            }
        }
        None => terminal.line(message!("No model in use: this folder is not a project"))?,
    }
    terminal.put("")?;
    let width = output.models.iter().map(|model| model.name.len()).max().unwrap_or(0);
    for model in &output.models {
        let state = match (model.location, &model.problem, model.download_bytes) {
            (Some("bundled"), _, _) => message!("built in"),
            (Some(location), _, _) => message!("installed ({location})", location),
            (None, Some(_), _) => message!("damaged"),
            (None, None, Some(bytes)) => message!("{size} to download", size = megabytes(bytes)),
            (None, None, None) => message!("not in this build"),
        };
        let state = terminal.told(&state);
        let state = format!("{state}{:gap$}", "", gap = 20_usize.saturating_sub(measure_text_width(&state)));
        let used = output.in_use.as_ref();
        let used = used.is_some_and(|used| used.name == model.name && used.endpoint.is_none());
        let mark = if used { "*" } else { " " };
        let dimensions = model.dimensions.map_or_else(|| "?".into(), |number| number.to_string());
        let name = paint.path(format!("{:<width$}", printable(&model.name)));
        let summary = model.summary.map(|summary| terminal.told(&Message::word(summary)));
        let about = [summary, model.licence.map(str::to_owned)].into_iter().flatten();
        let about = about.collect::<Vec<_>>().join(", ");
        terminal
            .put(format!("{mark} {name}  {dimensions:>4}  {state}  {}", paint.faint(about)).trim_end())?;
        if let Some(problem) = &model.problem {
            terminal.put(format!("  {}", paint.warning(printable(&terminal.told(problem)))))?;
        }
    }
    if let Some(shared) = &output.shared_vectors {
        terminal.put("")?;
        put_shared(terminal, shared)?;
    }
    Ok(())
}
