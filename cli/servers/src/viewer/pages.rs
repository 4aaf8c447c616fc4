//! Addresses of the viewer: files of the web app, pages as in an exported site, and the attachments that pages show.
//! Nothing else of a project has an address.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use tokio_util::sync::CancellationToken;
use ubp_core::embed::short_hash;
use ubp_core::export::{self, Folders, GuestOf, MANIFEST, Site, SiteSettings};
use ubp_core::index::section_count;
use ubp_core::message;
use ubp_core::message::told_to;
use ubp_core::progress::Silent;
use ubp_core::render::url::{HOME, attachments_at};
use ubp_core::{Caller, Context};
use ubp_core::{Result, path};
use ubp_host::export::installable;

use super::Viewer;
use super::answer as answers;
use super::answer::Refusal;
use super::attachments::{Attachment, Wanted};
use super::guests::Visitor;
use super::language::voice;
use crate::http::random;

/// How long a request waits for a page while the index is being built.
const PATIENCE: Duration = Duration::from_secs(15);

/// Content at an address.
pub(super) enum Found {
    Application(Vec<u8>),
    Page { html: Vec<u8>, policy: String, status: StatusCode },
    Attachment(Attachment),
}

pub(super) async fn show(
    State((viewer, _)): State<(Arc<Viewer>, CancellationToken)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    answer(viewer, None, method, uri, headers).await
}

/// Answers the owner, or a guest, for whom only what it sees has an address.
pub(super) async fn answer(
    viewer: Arc<Viewer>,
    visitor: Option<Visitor>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let api = uri.path().starts_with("/api/");
    if ![Method::GET, Method::HEAD].contains(&method) || api {
        let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "invalid_params", "operations need POST");
        let status = if api && method == Method::POST {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::METHOD_NOT_ALLOWED
        };
        let mut response = Refusal { status, ..refusal }.into_response();
        let allowed = if api { "POST" } else { "GET, HEAD" };
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
        return response;
    }
    let file = file_at(uri.path());
    let depth = uri.path().matches('/').count().saturating_sub(1);
    let wanted = Arc::new(Wanted::of(&headers));
    let name = file.clone().unwrap_or_default();
    let voice = voice(&headers, &viewer.app.languages);
    let begun = Instant::now();
    let found = loop {
        let (file, wanted, visitor) = (file.clone(), wanted.clone(), visitor.clone());
        let found = viewer
            .work(move |viewer, cancel| {
                let guest = visitor.as_ref().map(Visitor::described);
                let look = |context: &Context<'_>| {
                    let found =
                        told_to(voice, || find(viewer, context, guest, file.as_deref(), depth, &wanted))?;
                    Ok((found.may_be_due_to(context)?, found))
                };
                match &visitor {
                    None => viewer.live.with(Caller::Person, &Silent, cancel, look),
                    Some(visitor) => visitor.with(cancel, look),
                }
            })
            .await;
        match found {
            // On the first start, requests come before the index has the pages.
            Ok((true, _)) if begun.elapsed() < PATIENCE => {}
            found => break found.map(|(_, found)| found),
        }
    };
    match found {
        Ok(found) => found.response(&name),
        Err(error) => {
            let refusal = Refusal::told(&error, &voice);
            let status = refusal.status;
            let wants_page = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
            if wants_page.is_some_and(|accept| accept.contains("text/html")) {
                let title = message!("This page cannot be shown");
                return answers::notice(status, &title, &error.message(), voice);
            }
            refusal.into_response()
        }
    }
}

/// The path of the file at an address; `None` for an invalid address.
pub(super) fn file_at(address: &str) -> Option<String> {
    let decoded = percent_decode_str(address.strip_prefix('/')?).decode_utf8().ok()?;
    let mut file = decoded.into_owned();
    if file.is_empty() || file.ends_with('/') {
        file.push_str(HOME);
    }
    let clean = path::is_inside(&file) && path::is_normal(&file);
    clean.then_some(file)
}

fn find(
    viewer: &Viewer,
    context: &Context<'_>,
    guest: Option<GuestOf>,
    file: Option<&str>,
    depth: usize,
    wanted: &Wanted,
) -> Result<Found> {
    let nonce = random();
    let policy = page_policy(&nonce, context.manifest.reading.external_pictures);
    let settings = SiteSettings {
        noindex: true,
        // What a browser keeps would stay after the end of a link.
        installable: guest.is_none(),
        version: env!("CARGO_PKG_VERSION").into(),
        style_nonce: Some(nonce),
        folders: if viewer.app.is_local && guest.is_none() {
            folders(viewer, context.pages_dir())
        } else {
            None
        },
        hub: viewer.in_hub.as_ref().map(|(place, _)| place.clone()),
        guest,
        ..SiteSettings::default()
    };
    let site = Site::new(context, &viewer.app.template, &settings)?;
    if file == Some(MANIFEST) {
        // Another project may be at the same address tomorrow, and must not become this app.
        let id = format!("./?project={}", short_hash(viewer.root.as_os_str().as_encoded_bytes()));
        let language = context.manifest.export.language.as_deref();
        let manifest = installable::manifest(&viewer.app.files, site.name(), language, Some(&id))?;
        return Ok(Found::Application(manifest));
    }
    if let Some(file) = file {
        if let Some(bytes) = viewer.app.file(file) {
            return bytes.map(Found::Application);
        }
        if let Some(page) = site.at(file)? {
            return Ok(Found::Page { html: page.bytes, policy, status: StatusCode::OK });
        }
        for attachment in attachments_at(file, context.pages_dir()) {
            if let Some(found) = Attachment::find(&viewer.root, context, &attachment, wanted)? {
                return Ok(Found::Attachment(found));
            }
        }
    }
    Ok(Found::Page { html: site.missing(depth).bytes, policy, status: StatusCode::NOT_FOUND })
}

/// The folders of the project, for addresses that open files in an editor; `None` for a path that is not Unicode.
fn folders(viewer: &Viewer, pages_dir: &str) -> Option<Folders> {
    let root = viewer.root.to_str()?;
    // Windows marks paths without symbolic links with a prefix that other programs do not know.
    let project = match root.strip_prefix(r"\\?\") {
        Some(path) => path.replace('\\', "/"),
        None => root.to_owned(),
    };
    let pages = if pages_dir.is_empty() { project.clone() } else { format!("{project}/{pages_dir}") };
    let desktop = viewer.desktop();
    Some(Folders {
        project,
        pages,
        editor: desktop.and_then(|desktop| desktop.editor()),
        has_file_manager: desktop.is_some_and(|desktop| desktop.has_file_manager()),
    })
}

impl Found {
    /// Whether this may be a wrong "not found" because the index does not have all pages yet.
    fn may_be_due_to(&self, context: &Context<'_>) -> Result<bool> {
        let Self::Page { status, .. } = self else { return Ok(false) };
        if context.refreshed {
            return Ok(false);
        }
        Ok(*status == StatusCode::NOT_FOUND || context.index.read(section_count)? == 0)
    }

    /// The response; its media type depends on `file`.
    pub(super) fn response(self, file: &str) -> Response {
        let kind = media_type(file);
        match self {
            Self::Application(bytes) => {
                // Names of assets contain a hash of the content.
                let keep = if file.starts_with("assets/") {
                    "private, max-age=31536000, immutable"
                } else {
                    "no-cache"
                };
                let is_frame = kind.starts_with("text/html");
                let policy = if is_frame { FRAME_POLICY.to_owned() } else { application_policy() };
                let headers = [
                    (header::CONTENT_TYPE, kind),
                    (header::CACHE_CONTROL, keep),
                    (header::CONTENT_SECURITY_POLICY, &policy),
                ];
                (headers, bytes).into_response()
            }
            Self::Page { html, policy, status } => {
                let headers = [
                    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                    (header::CONTENT_SECURITY_POLICY, &policy),
                ];
                (status, headers, html).into_response()
            }
            Self::Attachment(attachment) => attachment.response(kind),
        }
    }
}

/// Content security policy of the document in which the web app draws diagrams: styles, and no requests.
const FRAME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; \
    frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

/// Content security policy of a page: the files of the web app, and styles with the nonce.
pub(super) fn page_policy(nonce: &str, external_pictures: bool) -> String {
    export::policy(&format!(" 'nonce-{nonce}'"), external_pictures) + "; frame-ancestors 'none'"
}

/// Content security policy of the scripts and workers of the web app.
fn application_policy() -> String {
    export::policy("", false) + "; frame-ancestors 'none'"
}

/// Media type of files that are downloaded, not shown.
pub(super) const DOWNLOADED: &str = "application/octet-stream";

/// Media type of a file by its extension. Files of other types are offered for download.
fn media_type(file: &str) -> &'static str {
    let ending = path::file_name(file).rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref().unwrap_or_default() {
        "base" => "text/plain; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "bmp" => "image/bmp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "m4a" => "audio/mp4",
        "ogg" => "audio/ogg",
        "flac" => "audio/flac",
        "3gp" => "video/3gpp",
        "mp4" | "mov" => "video/mp4",
        "webm" => "video/webm",
        "ogv" => "video/ogg",
        "mkv" => "video/x-matroska",
        "pdf" => "application/pdf",
        _ => DOWNLOADED,
    }
}
