//! Gives every section of a project a vector in seconds: `fill-vectors PROJECT SAMPLE` mixes the vectors that the
//! project SAMPLE has of the same model. For benchmarks only: search by meaning then finds nothing useful.
#![allow(clippy::print_stderr)]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use ubp_core::Caller;
use ubp_core::progress::{Cancel, Silent};
use ubp_tests::fixture::engine;
use ubp_tests::mixed_embedder::MixedEmbedder;

fn main() -> ExitCode {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [project, sample] = folders.as_slice() else {
        eprintln!("usage: fill-vectors PROJECT SAMPLE");
        return ExitCode::from(2);
    };
    match fill(project, sample) {
        Ok(embedded) => {
            eprintln!("{embedded} vectors");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn fill(project: &std::path::Path, sample: &std::path::Path) -> Result<usize, Box<dyn Error>> {
    let embedder = MixedEmbedder::of(&sample.join(".ubp/metadata.db"))?;
    let engine = engine(project, Some(Arc::new(embedder)))?;
    let cancel = Cancel::default();
    let context = engine.context(Caller::Person, true, &Silent, &cancel);
    let report = context.embed(None)?;
    engine.index.checkpoint()?;
    Ok(report.embedded)
}
