//! Arguments of `ubp export`.

use std::path::PathBuf;

use clap::Args;

/// `ubp export`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp export site\n  \
    ubp export site --base-url https://docs.example.com/handbook\n  \
    ubp export site --no-semantic --noindex\n\n\
    Pages with `publish: false` in their front matter are kept out, and so is all that is known of them.")]
pub struct ExportArgs {
    /// The folder to write the site to: new, empty, or an earlier export
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Where the site will be; gives its pages canonical addresses and a site map
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub base_url: Option<String>,
    /// Leave out the embedding model and the vectors: the site is smaller and searches by words
    #[arg(long)]
    pub no_semantic: bool,
    /// Ask search engines to stay away
    #[arg(long)]
    pub noindex: bool,
    /// Write into a folder that holds other files, beside them
    #[arg(long)]
    pub force: bool,
    /// Use the web app that was built in this folder
    #[arg(long, value_name = "DIR", hide = true)]
    pub web_app: Option<PathBuf>,
}

/// An address on the web, without what cannot be part of every page's address.
fn base_url(text: &str) -> Result<String, String> {
    let expected = || "expected an address such as https://docs.example.com/handbook".to_owned();
    let (scheme, rest) = text.split_once("://").ok_or_else(expected)?;
    let known = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let host = rest.split('/').next().unwrap_or_default();
    let clean = rest.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}?#'".contains(&b));
    if !known || host.is_empty() || host.contains('@') || !clean {
        return Err(expected());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::base_url;

    #[test]
    fn only_plain_addresses_are_taken() {
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
