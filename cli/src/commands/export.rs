//! `ubp export`: write a static site.

use clap::Args;
use std::path::{Path, PathBuf};
use ubp_core::message::Message;
use ubp_core::word;

use serde::Serialize;
use ubp_core::Context;
use ubp_core::export::{MANIFEST, Publication, Semantic, SiteSettings, Template};
use ubp_core::message;
use ubp_core::render::url::ALL_PAGES;
use ubp_core::{Error, embed};
use ubp_host::export::folder::{RECORD, SiteFolder, Written};
use ubp_host::export::installable::{self, Kept, WORKER};
use ubp_host::export::model::{ModelFile, for_browsers};
use ubp_host::export::web_app::{TEMPLATE, WebApp};
use ubp_host::models;

use crate::args::Global;
use crate::language::JAPANESE;
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::Session;
use crate::terminal::{Terminal, answer_with};

/// `ubp export`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp export site\n  \
    ubp export site --base-url https://docs.example.com/handbook\n  \
    ubp export site --no-semantic --noindex\n  \
    ubp export site --installable\n\n\
    Pages with `publish: false` in their front matter are left out, with everything derived from them.")]
pub struct ExportArgs {
    /// Folder for the site: new, empty, or an earlier export
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Address of the site; adds canonical addresses and a site map
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub base_url: Option<String>,
    /// Leave out the embedding model and vectors: the site is smaller and searches by words
    #[arg(long)]
    pub no_semantic: bool,
    /// Ask search engines not to index the site
    #[arg(long)]
    pub noindex: bool,
    /// Let readers install the site as an app, and read pages without a connection
    #[arg(long)]
    pub installable: bool,
    /// Write into a folder that has other files, and keep them
    #[arg(long)]
    pub force: bool,
    /// Use the web app in this folder instead of the built-in one, such as web-viewer/dist of a clone
    #[arg(long, value_name = "DIR")]
    pub web_app: Option<PathBuf>,
}

/// An http(s) address that can be the prefix of every page's address: no query, no fragment.
fn base_url(text: &str) -> Result<String, String> {
    let expected = || word!("expected an address such as https://docs.example.com/handbook").to_owned();
    let (scheme, rest) = text.split_once("://").ok_or_else(expected)?;
    let known = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let host = rest.split('/').next().unwrap_or_default();
    let clean = rest.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}?#'".contains(&b));
    if !known || host.is_empty() || host.contains('@') || !clean {
        return Err(expected());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// The output of an export.
#[derive(Debug, Serialize)]
struct Output {
    /// The folder of the site, as given.
    folder: String,
    /// Number of pages.
    pages: usize,
    /// Sorted paths of pages that are not published.
    unpublished: Vec<String>,
    /// Paths of pages left out because their links to unpublished pages could not be removed.
    left_out: Vec<String>,
    /// Number of images and other files that pages show.
    attachments: usize,
    /// Whether the site can be searched by meaning.
    semantic: bool,
    /// The database, relative to the folder, and its size in bytes.
    database: String,
    database_bytes: u64,
    /// Number of files and their total size in bytes.
    files: usize,
    bytes: u64,
    /// Numbers of files that are new or changed, and of files of an earlier export that were removed.
    written: usize,
    removed: usize,
    /// Files of an earlier export that were modified since and therefore kept.
    kept: Vec<String>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    folder: &Path,
    global: &Global,
    args: ExportArgs,
) -> CommandResult {
    let web_app = WebApp::find(args.web_app.as_ref().map(|path| folder.join(path)))?;
    let page = String::from_utf8(web_app.read(TEMPLATE)?).map_err(|_| {
        Error::invalid(message!("{template} of the web app is not UTF-8", template = TEMPLATE))
    })?;
    let template = Template::new(page)?;
    web_app.require_engine()?;
    let target = folder.join(&args.folder);
    let without = own_place(session, &target)?;
    let site = SiteFolder::begin(&target, args.force)?;
    let semantic = !args.no_semantic && session.engine.embedder.is_some();
    let model = if semantic { model(terminal, session)? } else { None };
    let work = |context: &Context<'_>| {
        let publication = Publication::new(context, &without)?;
        write(context, &publication, site, &web_app, &template, model, &args)
    };
    let output = if semantic {
        session.read_with_vectors(terminal, global, work)?
    } else {
        session.read(terminal, global, work)?
    };
    for page in &output.left_out {
        terminal.warn(message!(
            "{page}: left out, because its links to unpublished pages cannot be removed",
            page
        ));
    }
    for file in &output.kept {
        terminal.warn(message!("{file}: modified since the last export, so it was kept", file));
    }
    let json = terminal.json;
    answer_with(terminal, json, &output, print)
}

/// Paths, relative to the project, to leave out of the site: its own folder, if it is in the project. Refuses folders
/// that contain the project's own files.
fn own_place(session: &Session, target: &Path) -> Result<Vec<String>, Failure> {
    let real = |path: &Path| -> PathBuf {
        // Resolve a path that does not exist yet through its closest existing parent.
        let mut missing = Vec::new();
        let mut above = path.to_owned();
        loop {
            if let Ok(real) = std::fs::canonicalize(&above) {
                return missing.into_iter().rev().fold(real, |path, name| path.join(name));
            }
            match (above.file_name().map(ToOwned::to_owned), above.parent()) {
                (Some(name), Some(parent)) => {
                    missing.push(name);
                    above = parent.to_owned();
                }
                _ => return path.to_owned(),
            }
        }
    };
    let (target, root) = (real(target), real(&session.project.root));
    if root.starts_with(&target)
        || target.starts_with(root.join(".ubp"))
        || target.starts_with(root.join(".git"))
    {
        let words = message!(
            "{target} contains files of the project; choose another folder",
            target = target.display()
        );
        return Err(Error::invalid(words).into());
    }
    let below = target.strip_prefix(&root).ok().map(|below| {
        below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    });
    Ok(below.into_iter().filter(|path| !path.is_empty()).collect())
}

/// The files of the project's model, if they can be sent to a browser.
fn model(
    terminal: &mut Terminal<'_>,
    session: &Session,
) -> Result<Option<(Semantic, Vec<ModelFile>)>, Failure> {
    if session.project.manifest.embedding_model.endpoint.is_some() {
        terminal.warn(message!(
            "a server runs the embedding model, which a site cannot ask: it searches by words"
        ));
        return Ok(None);
    }
    let files = models::files(&session.project, &terminal.io.environment)?;
    let Some(files) = files else { return Ok(None) };
    let found = for_browsers(&*files)?;
    if found.is_none() {
        terminal.warn(message!("the embedding model cannot run in a browser: the site searches by words"));
    }
    Ok(found)
}

fn write(
    context: &Context<'_>,
    publication: &Publication<'_>,
    mut site: SiteFolder,
    web_app: &WebApp,
    template: &Template,
    model: Option<(Semantic, Vec<ModelFile>)>,
    args: &ExportArgs,
) -> ubp_core::Result<Output> {
    let mut kept = Kept::default();
    let is_copied = |path: &String| path != TEMPLATE && path != RECORD && !installable::is_part(path);
    for path in web_app.paths()?.into_iter().filter(is_copied) {
        site.add(&path, &web_app.read(&path)?)?;
        kept.lasting.push(path);
    }
    let embedder = context.embedder.filter(|_| model.is_some());
    let version = env!("CARGO_PKG_VERSION");
    let (index, report) = publication.index(embedder, version)?;
    let scratch = site.scratch("vault.db");
    publication.write_database(&index, &scratch)?;
    let bytes = std::fs::read(&scratch).map_err(|error| Error::io(scratch.display().to_string(), error))?;
    let database = format!("data/vault.{}.db", embed::short_hash(&bytes));
    site.adopt(&scratch, &database, &bytes)?;
    let database_bytes = bytes.len() as u64;
    drop(bytes);
    let mut settings = SiteSettings {
        base_url: args.base_url.clone(),
        noindex: args.noindex,
        installable: args.installable,
        version: version.into(),
        database: Some((database.clone(), database_bytes)),
        languages: vec![JAPANESE],
        ..SiteSettings::default()
    };
    if let Some((semantic, files)) = model {
        for file in files {
            site.add(&file.path, &file.bytes)?;
            kept.lasting.push(file.path);
        }
        settings.semantic = Some(semantic);
    }
    for (file, path) in &report.attachments {
        context.cancel.check()?;
        site.add(path, &context.source.read_source(file)?)?;
        kept.shown.push(path.clone());
    }
    // Without it, GitHub Pages runs Jekyll, which drops some files.
    site.add(".nojekyll", b"")?;
    let name = publication.write_pages(&index, template, &settings, |file| {
        site.add(&file.path, &file.bytes)?;
        // The list of pages.
        if file.path.starts_with("data/") && file.path.ends_with(".json") {
            kept.first.push(file.path.clone());
            kept.lasting.push(file.path);
        }
        Ok(())
    })?;
    if args.installable {
        let language = context.manifest.export.language.as_deref();
        site.add(MANIFEST, &installable::manifest(web_app, &name, language, None)?)?;
        // The empty path is the address of the site.
        kept.first.extend([String::new(), ALL_PAGES.to_owned()]);
        kept.lasting.push(database.clone());
        site.add(WORKER, &installable::worker(web_app, &site.version(), &kept)?)?;
    }
    context.cancel.check()?;
    let Written { files, bytes, written, removed, kept } = site.finish(context.clock.now().to_string())?;
    Ok(Output {
        folder: args.folder.display().to_string(),
        pages: publication.page_count(),
        unpublished: publication.unpublished.clone(),
        left_out: publication.left_out.clone(),
        attachments: report.attachments.len(),
        semantic: settings.semantic.is_some(),
        database,
        database_bytes,
        files,
        bytes,
        written,
        removed,
        kept,
    })
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let mut parts = vec![counted(output.pages, "page", "pages")];
    if !output.unpublished.is_empty() {
        parts.push(message!("{unpublished} left out", unpublished = output.unpublished.len()));
    }
    if output.attachments > 0 {
        parts.push(counted(output.attachments, "attachment", "attachments"));
    }
    parts.push(Message::verbatim(format!("{:.1} MB", output.bytes as f64 / 1e6)));
    if output.removed > 0 {
        parts.push(counted(
            output.removed,
            "file of the last export removed",
            "files of the last export removed",
        ));
    }
    terminal.line(message!(
        "Exported to {folder}: {parts}",
        folder = printable(&output.folder),
        parts = Message::joined(parts, ", ")
    ))?;
    if !output.semantic {
        terminal.note(message!("The site searches by words."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::base_url;

    #[test]
    fn base_url_rejects_addresses_with_a_query_fragment_or_user() {
        assert_eq!(base_url("https://x.y/a/").as_deref(), Ok("https://x.y/a"));
        assert_eq!(base_url("http://localhost:8000").as_deref(), Ok("http://localhost:8000"));
        for bad in [
            "x.y",
            "ftp://x.y",
            "https://",
            "https://x.y/?a",
            "https://x.y/#a",
            "https://me:pw@x.y",
            "https://x y",
        ] {
            assert!(base_url(bad).is_err(), "{bad}");
        }
    }
}
