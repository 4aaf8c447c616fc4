//! `ubp model`: show and choose the embedding model.

use clap::{Args, Subcommand};
use std::path::Path;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use ubp_core::Error;
use ubp_core::manifest::EmbeddingModel;
use ubp_core::message;
use ubp_core::message::Message;
use ubp_host::Project;
use ubp_host::models::installed::InstalledModel;
use ubp_host::models::known::{BUILT_IN, KNOWN, KnownModel, built_in, known};
use ubp_host::models::places::Places;
use ubp_host::models::{ENGINES, hub, install, load, megabytes, no_engines};

use crate::output::{CommandResult, printable};
use crate::terminal::{Terminal, answer_with};

/// `ubp model`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp model                                    models: in use, installed, known\n  \
    ubp model use multilingual-e5-small          built in, for all languages\n  \
    ubp model use ./my-encoder                   a folder with a model\n  \
    ubp model use all-MiniLM-L6-v2               built in, for English\n  \
    ubp model use bge-small-en-v1.5              download, check and choose it\n  \
    ubp model use bge-m3 --endpoint http://localhost:11434    a server")]
pub struct ModelArgs {
    #[command(subcommand)]
    pub action: Option<ModelAction>,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum ModelAction {
    /// List the model in use, installed models and known models
    List,
    /// Use another model: a known name or a folder
    Use {
        /// A known name, or a folder with model.onnx, tokenizer.json and model.json
        #[arg(value_name = "NAME|FOLDER")]
        model: String,
        #[command(flatten)]
        server: ServerArgs,
    },
}

/// A server that runs the model.
#[derive(Debug, Clone, Args)]
pub struct ServerArgs {
    /// Ask the server at this address for vectors (Ollama, vLLM, llama.cpp, or another with OpenAI's API)
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// Permit a server on another machine: pages and queries are sent there
    #[arg(long, requires = "endpoint")]
    pub allow_remote: bool,
    /// Maximum tokens of a text, 16 to 131072 [default: 512]
    #[arg(long, value_name = "N", requires = "endpoint", value_parser = clap::value_parser!(u32).range(16..=131_072))]
    pub window: Option<u32>,
    /// Text to put before queries [default: what the model's authors recommend, if known]
    #[arg(long, value_name = "TEXT", requires = "endpoint")]
    pub query_prefix: Option<String>,
    /// Text to put before passages [default: what the model's authors recommend, if known]
    #[arg(long, value_name = "TEXT", requires = "endpoint")]
    pub passage_prefix: Option<String>,
}

mod list;
mod server;
#[cfg(test)]
mod tests;

pub(crate) use list::show_shared_vectors;

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &ModelArgs) -> CommandResult {
    match &args.action {
        None | Some(ModelAction::List) => list::run(terminal, folder),
        Some(ModelAction::Use { model, server }) => match &server.endpoint {
            Some(url) => server::choose(terminal, folder, model, url, server),
            None => choose(terminal, folder, model),
        },
    }
}

/// The output of `ubp model use`.
#[derive(Debug, Serialize)]
struct Chosen {
    /// The model now named in the manifest.
    name: String,
    version: String,
    dimensions: usize,
    /// `bundled`, `project`, `user` or `endpoint`.
    location: &'static str,
    /// The model's folder; null for the built-in model and for a server.
    path: Option<String>,
    /// The server's address; null without one.
    endpoint: Option<String>,
    /// Whether the manifest changed, so that vectors must be computed again.
    changed: bool,
}

fn choose(terminal: &mut Terminal<'_>, folder: &Path, model: &str) -> CommandResult {
    let mut project = Project::find(folder)?;
    let places = Places::new(Some(&project), &terminal.io.environment);
    let bundled = built_in(model);
    let installed = if bundled.is_some() {
        None
    } else if !ENGINES {
        return Err(no_engines(model).into());
    } else if let Some(known) = known(model) {
        Some(known_model(terminal, known, &places)?)
    } else if folder.join(model).is_dir() || !ubp_host::models::places::is_plain_name(model) {
        Some(install::from_folder(&folder.join(model), &places, &terminal.io.cancel)?)
    } else {
        Some(InstalledModel::find(model, &places).map_err(|error| unknown(model, &places, error))?)
    };
    let (location, path) = match &installed {
        None => ("bundled", None),
        Some(model) => (model.place.as_str(), Some(model.folder.display().to_string())),
    };
    let chosen = match &installed {
        None => bundled.map_or_else(EmbeddingModel::default, |model| EmbeddingModel {
            name: model.name.into(),
            dimensions: model.dimensions,
            ..EmbeddingModel::default()
        }),
        Some(model) => EmbeddingModel {
            name: model.description.name.clone(),
            version: model.record.checksum(),
            dimensions: model.description.dimensions,
            endpoint: None,
        },
    };
    finish(terminal, &mut project, chosen, location, path)
}

/// Writes the model into the manifest, and says so.
fn finish(
    terminal: &mut Terminal<'_>,
    project: &mut Project,
    chosen: EmbeddingModel,
    location: &'static str,
    path: Option<String>,
) -> CommandResult {
    let changed = project.manifest.embedding_model != chosen;
    if changed {
        project.manifest.embedding_model = chosen.clone();
        project.save_manifest()?;
    }
    let EmbeddingModel { name, version, dimensions, endpoint } = chosen;
    let endpoint = endpoint.map(|endpoint| endpoint.url);
    let output = Chosen { name, version, dimensions, location, path, endpoint, changed };
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        let name = terminal.out.strong(printable(&output.name));
        let place = match output.path.as_deref().or(output.endpoint.as_deref()) {
            Some(place) => Message::verbatim(printable(place)),
            None => message!("built in"),
        };
        terminal.line(message!(
            "Using {name} ({dimensions} dimensions, {place})",
            name,
            dimensions = output.dimensions,
            place
        ))?;
        terminal.line(match output.changed {
            true => message!(
                "`ubp add` computes the vectors again. Until then, sections without a vector are ranked by words alone."
            ),
            false => message!("It was already in use; nothing changed."),
        })
    })
}

/// A known model; downloaded if it is not installed or damaged.
fn known_model(
    terminal: &mut Terminal<'_>,
    known: &KnownModel,
    places: &Places,
) -> Result<InstalledModel, crate::output::Failure> {
    if let Ok(model) = InstalledModel::find(known.name, places) {
        return Ok(model);
    }
    // Valid files that a person copied there need no download.
    for (_, models) in places.all() {
        let folder = models.join(known.name);
        if folder.is_dir()
            && let Ok(model) = install::from_folder(&folder, places, &terminal.io.cancel)
        {
            return Ok(model);
        }
    }
    terminal.note(message!(
        "Downloading {name} ({bytes}, {licence})",
        name = known.name,
        bytes = megabytes(known.bytes()),
        licence = known.licence
    ));
    let bar = (terminal.io.err_is_terminal && !terminal.quiet).then(Bar::default);
    let progress = |file: &str, done: u64, total: Option<u64>| {
        if let Some(bar) = &bar {
            bar.advance(file, done, total);
        }
    };
    let result = hub::install(known, places, &terminal.io.environment, &terminal.io.cancel, &progress);
    drop(bar);
    let download = result?;
    if !download.other_edition.is_empty() {
        terminal.warn(message!(
            "{name} on this hub differs from the known edition ({other_edition} differ)",
            name = known.name,
            other_edition = download.other_edition.join(" and ")
        ));
    }
    Ok(download.model)
}

/// The error for an unknown model, with the known names.
fn unknown(model: &str, places: &Places, error: Error) -> Error {
    let installed = list::installed_names(places);
    if installed.iter().any(|name| name == model) {
        return error;
    }
    let names: Vec<&str> = BUILT_IN
        .iter()
        .map(|model| model.name)
        .chain(KNOWN.iter().map(|known| known.name))
        .chain(installed.iter().map(String::as_str).filter(|name| known(name).is_none()))
        .collect();
    Error::ModelUnavailable {
        model: model.into(),
        message: message!("no model or folder has this name"),
        remedy: message!("use one of {names}, or a folder with a model", names = names.join(", ")),
    }
}

/// Progress bar of a download.
#[derive(Default)]
struct Bar(Mutex<Option<(String, ProgressBar)>>);

impl Bar {
    fn advance(&self, file: &str, done: u64, total: Option<u64>) {
        let mut current = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !matches!(&*current, Some((shown, _)) if shown == file) {
            if let Some((_, bar)) = current.take() {
                bar.finish_and_clear();
            }
            let bar = ProgressBar::new(total.unwrap_or(0)).with_message(file.to_owned());
            let template = "{msg} [{bar:30}] {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            // Bytes of an earlier run must not count towards the speed.
            bar.set_position(done);
            bar.reset_eta();
            *current = Some((file.to_owned(), bar));
        }
        if let Some((_, bar)) = &*current {
            bar.set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Ok(mut current) = self.0.lock()
            && let Some((_, bar)) = current.take()
        {
            bar.finish_and_clear();
        }
    }
}
