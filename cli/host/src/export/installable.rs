//! What makes a site an app that browsers install: a manifest, and a service worker that keeps pages for reading without a
//! connection. Both come from the web app, and are completed with what belongs to one site.

use serde::Serialize;
use serde_json::Value;
use ubp_core::export::MANIFEST;
use ubp_core::render::url;
use ubp_core::{Error, Result};

use super::web_app::WebApp;

/// The service worker. Its name is fixed, because browsers find the next version at the same address.
pub const WORKER: &str = "ubp-offline.js";

/// Files of a site that the service worker has to know, as paths relative to the site.
#[derive(Debug, Default)]
pub struct Kept {
    /// Kept from the start, besides the code of the first view.
    pub first: Vec<String>,
    /// Files with a hash of their content in their names.
    pub lasting: Vec<String>,
    /// Other files that pages show.
    pub shown: Vec<String>,
}

/// The same for the service worker, percent-encoded.
#[derive(Serialize)]
struct SiteFiles<'a> {
    version: &'a str,
    first: Vec<String>,
    lasting: Vec<String>,
    shown: Vec<String>,
}

/// Whether a file of the web app is only for installable sites.
pub fn is_part(path: &str) -> bool {
    path == WORKER || path == MANIFEST
}

/// The manifest for an app with this name. `id` tells projects apart that a server shows at the same address.
///
/// # Errors
/// [`Error::Io`] if the web app has none; [`Error::Internal`] if it is not JSON.
pub fn manifest(app: &WebApp, name: &str, language: Option<&str>, id: Option<&str>) -> Result<Vec<u8>> {
    let broken = |error: serde_json::Error| Error::Internal(format!("{MANIFEST}: {error}"));
    let mut manifest: Value = serde_json::from_slice(&app.read(MANIFEST)?).map_err(broken)?;
    manifest["name"] = name.into();
    if let Some(language) = language {
        manifest["lang"] = language.into();
    }
    if let Some(id) = id {
        manifest["id"] = id.into();
    }
    serde_json::to_vec(&manifest).map_err(broken)
}

/// The service worker of a site. `version` changes with any of its files.
///
/// # Errors
/// [`Error::Io`] if the web app has none.
pub fn worker(app: &WebApp, version: &str, kept: &Kept) -> Result<Vec<u8>> {
    let encoded = |paths: &[String]| paths.iter().map(|path| url::encoded(path)).collect();
    let files = SiteFiles {
        version,
        first: encoded(&kept.first),
        lasting: encoded(&kept.lasting),
        shown: encoded(&kept.shown),
    };
    let json = serde_json::to_string(&files).map_err(|error| Error::Internal(error.to_string()))?;
    let mut script = format!("globalThis.ubpSite = {json};\n").into_bytes();
    script.extend(app.read(WORKER)?);
    Ok(script)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;

    fn app() -> (tempfile::TempDir, WebApp) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(MANIFEST), r#"{"name":"App","id":"./","icons":[]}"#).unwrap();
        fs::write(folder.path().join(WORKER), "work();").unwrap();
        let app = WebApp::find(Some(folder.path().into())).unwrap();
        (folder, app)
    }

    #[test]
    fn the_manifest_has_the_name_and_language_of_the_site() {
        let (_folder, app) = app();
        let read = |bytes: Vec<u8>| serde_json::from_slice::<Value>(&bytes).unwrap();
        let site = read(manifest(&app, "A \"b\"", Some("ja"), None).unwrap());
        assert_eq!(site, serde_json::json!({"name": "A \"b\"", "id": "./", "icons": [], "lang": "ja"}));
        assert_eq!(read(manifest(&app, "A", None, Some("./?project=1")).unwrap())["id"], "./?project=1");
    }

    #[test]
    fn the_worker_knows_the_files_as_addresses() {
        let (_folder, app) = app();
        let kept = Kept { first: vec![String::new()], shown: vec!["a b/ü.png".into()], ..Kept::default() };
        let script = String::from_utf8(worker(&app, "1", &kept).unwrap()).unwrap();
        let expected =
            r#"globalThis.ubpSite = {"version":"1","first":[""],"lasting":[],"shown":["a%20b/%C3%BC.png"]};"#;
        assert_eq!(script, format!("{expected}\nwork();"));
    }
}
