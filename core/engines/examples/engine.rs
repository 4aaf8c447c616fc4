//! An engine with a bundled model, or with one in a folder, controlled line by line over standard input and output: one
//! JSON request per line, one JSON answer. `tests/bench/engines` alternates it with others.
//!
//!     cargo run --release -p ubp-engines --features rten,tract,bundled-model --example engine -- rten MODEL
//!
//! The engine is `rten`, `rten-integers` or `rten-floats` (with this arithmetic on every processor), or `tract`. MODEL
//! is the name of a bundled model or a folder.
//!
//! Requests: `{"do":"first"}` opens the model and embeds one query; `{"do":"texts","texts":[…]}` stores texts and
//! answers with their number of tokens; `{"do":"all"}` embeds them in one call, `{"do":"each"}` one by one;
//! `{"do":"tokens"}` only tokenizes them; `{"do":"vectors"}` answers with their vectors; `{"do":"release"}` releases
//! what many texts need; `{"do":"write","folder":…}` writes the files of the model. Each answer has `seconds`, and
//! `times` if the work is done in parts.
#![allow(clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use ubp_core::embed::{MemoryFiles, ModelFiles};
use ubp_core::ports::{Embedder, TextKind};
use ubp_engines::{Arithmetic, BundledFiles, Engine, MultilingualFiles, open};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let engine = match std::env::args().nth(1).as_deref() {
        Some("rten") => Engine::Rten(Arithmetic::Fastest),
        Some("rten-integers") => Engine::Rten(Arithmetic::Integers),
        Some("rten-floats") => Engine::Rten(Arithmetic::Floats),
        #[cfg(feature = "tract")]
        Some("tract") => Engine::Tract,
        _ => return Err("expected an engine of this build: rten, rten-integers, rten-floats or tract".into()),
    };
    let model = std::env::args().nth(2).ok_or("expected the name of a bundled model or a folder")?;
    let mut worker = Worker { engine, model, embedder: None, texts: Vec::new(), tokens: 0 };
    for line in std::io::stdin().lock().lines() {
        let answer = worker.answer(&serde_json::from_str(&line?)?)?;
        println!("{answer}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

struct Worker {
    engine: Engine,
    model: String,
    embedder: Option<Box<dyn Embedder>>,
    texts: Vec<String>,
    tokens: usize,
}

impl Worker {
    fn answer(&mut self, request: &Value) -> Outcome<Value> {
        let kind = if request["query"] == true { TextKind::Query } else { TextKind::Passage };
        let begun = Instant::now();
        match request["do"].as_str() {
            Some("first") => {
                let text = request["text"].as_str().unwrap_or("a query");
                let embedder = open(self.engine, self.files()?)?;
                embedder.embed(TextKind::Query, &[text])?;
                self.embedder = Some(embedder);
            }
            Some("texts") => {
                self.texts = serde_json::from_value(request["texts"].clone())?;
                let embedder = self.embedder()?;
                // Including the two special tokens around every text.
                let window = embedder.model().window;
                let mut tokens = 0;
                for text in &self.texts {
                    tokens += (embedder.token_ranges(text)?.len() + 2).min(window);
                }
                self.tokens = tokens;
            }
            Some("all") => drop(self.embedder()?.embed(kind, &self.texts())?),
            Some("each") => {
                let mut times = Vec::new();
                for text in &self.texts {
                    let begun = Instant::now();
                    self.embedder()?.embed(kind, &[text])?;
                    times.push(begun.elapsed().as_secs_f64());
                }
                return Ok(json!({"seconds": begun.elapsed().as_secs_f64(), "times": times}));
            }
            Some("tokens") => {
                for text in &self.texts {
                    self.embedder()?.token_ranges(text)?;
                }
            }
            Some("release") => self.embedder()?.release(),
            Some("write") => {
                let (files, folder) = (self.files()?, request["folder"].as_str().unwrap_or_default());
                for name in files.names() {
                    std::fs::write(Path::new(folder).join(&name), files.read(&name)?)?;
                }
            }
            Some("vectors") => return Ok(json!({"vectors": self.embedder()?.embed(kind, &self.texts())?})),
            _ => return Err(format!("unknown request {request}").into()),
        }
        Ok(json!({"seconds": begun.elapsed().as_secs_f64(), "tokens": self.tokens}))
    }

    fn files(&self) -> Outcome<Box<dyn ModelFiles>> {
        match self.model.as_str() {
            "all-MiniLM-L6-v2" => return Ok(Box::new(BundledFiles)),
            "multilingual-e5-small" => return Ok(Box::new(MultilingualFiles)),
            _ => {}
        }
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.model)? {
            let entry = entry?;
            files.push((entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path())?));
        }
        Ok(Box::new(MemoryFiles::new(files)))
    }

    fn embedder(&self) -> Outcome<&dyn Embedder> {
        self.embedder.as_deref().ok_or_else(|| "the first request must be \"first\"".into())
    }

    fn texts(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
    }
}
