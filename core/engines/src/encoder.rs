//! A sentence encoder on top of any engine. Tokens, batches, pooling and normalisation are implemented here, so that
//! engines differ only in speed.
//!
//! Texts are embedded one by one, each on its own core, longest first. According to measurements, this is as fast as
//! padded batches. A vector also never depends on other texts: in a batch, 8-bit models would share one scale.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use ubp_core::message::Message;
use ubp_core::{message, reported, word};

use ubp_core::embed::{DESCRIPTION_FILE, ModelDescription, ModelFiles, Pooling, TOKENIZER_FILE, normalize};
use ubp_core::ports::{Embedder, ModelInfo, TextKind};
use ubp_core::{Error, Result};

use super::parallel;
use super::session::{Cores, Hidden, Loads, Outcome, Session, Tokens};
use super::tokenizer::Tokenizer;

/// A model that converts text to vectors. Its files are read on first use.
pub(super) struct Encoder {
    info: ModelInfo,
    description: ModelDescription,
    files: Box<dyn ModelFiles>,
    loads: Loads,
    tokenizer: OnceLock<Outcome<Tokenizer>>,
    loaded: Mutex<Loaded>,
    passages: Mutex<Passages>,
}

/// The session that runs any text.
enum Loaded {
    /// So few texts since the model was loaded that a session that needs less memory runs them, if there is one.
    Few { texts: usize, session: Option<Arc<dyn Session>> },
    /// The session for all further texts, or why there is none.
    Kept(std::result::Result<Arc<dyn Session>, Message>),
}

impl Loaded {
    const NOTHING: Self = Self::Few { texts: 0, session: None };
}

/// Texts that make it worth keeping a copy of the weights in the order of the kernels, which takes 10 to 20 MB. Without it, each
/// text takes 10 to 50 ms longer with AVX2.
const FEW: usize = 4;

/// The passages since the last [`Embedder::release`].
enum Passages {
    /// So few tokens that loading the model for many texts would take longer than it saves.
    Few { tokens: usize },
    /// The session that runs many texts, if there is one.
    Many(Option<Arc<dyn Session>>),
}

/// Tokens that make it worth loading the model for many texts. With AVX2, loading takes 0.15 to 0.2 s, as much as is saved by
/// running 4,000 to 9,000 tokens with it.
const MANY: usize = 10_000;

impl Encoder {
    /// Reads only `model.json`, unless the host has to read all files for the checksum. The first engine that can load
    /// the model runs it.
    pub fn new(files: Box<dyn ModelFiles>, loads: Loads) -> Result<Self> {
        let description = ModelDescription::parse(&files.read(DESCRIPTION_FILE)?)?;
        let info = ModelInfo {
            name: description.name.clone(),
            identity: format!("{}@{}", description.name, files.checksum()?),
            dimensions: description.dimensions,
            // A prefix has at most one token per byte, and leaves that much less room for text.
            window: description.window.saturating_sub(description.prefixes.passage.len()).max(1),
            scripts: description.scripts.clone(),
        };
        Ok(Self {
            info,
            description,
            files,
            loads,
            tokenizer: OnceLock::new(),
            loaded: Mutex::new(Loaded::NOTHING),
            passages: Mutex::new(Passages::Few { tokens: 0 }),
        })
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::Model { model: self.info.name.clone(), message: Message::reported(message) }
    }

    fn tokenizer(&self) -> Result<&Tokenizer> {
        let loaded = self.tokenizer.get_or_init(|| {
            Tokenizer::parse(&self.files.read(TOKENIZER_FILE).map_err(|error| error.to_string())?)
        });
        loaded.as_ref().map_err(|message| self.wrong(message))
    }

    /// The session for these texts.
    fn session(&self, kind: TextKind, texts: &[Tokens]) -> Result<Arc<dyn Session>> {
        let tokens = || texts.iter().map(|tokens| tokens.ids.len()).sum();
        let for_many = if kind == TextKind::Passage { self.session_for_many(tokens()) } else { None };
        for_many.map_or_else(|| self.session_for_any(texts.len()), Ok)
    }

    fn session_for_many(&self, more: usize) -> Option<Arc<dyn Session>> {
        let load = self.loads.many?;
        let mut passages = self.passages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Passages::Few { tokens } = &mut *passages {
            *tokens = tokens.saturating_add(more);
            if *tokens < MANY {
                return None;
            }
            // If it cannot be loaded, the other session runs all texts, and reports what is wrong with the model.
            *passages = Passages::Many(load(self.files.as_ref()).ok().flatten());
        }
        match &*passages {
            Passages::Few { .. } => None,
            Passages::Many(session) => session.clone(),
        }
    }

    fn session_for_any(&self, more: usize) -> Result<Arc<dyn Session>> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = match &mut *loaded {
            Loaded::Kept(kept) => kept.clone(),
            Loaded::Few { texts, session } => {
                *texts = texts.saturating_add(more);
                if *texts <= FEW {
                    // If it cannot be loaded, the other session runs all texts, and reports what is wrong with the model.
                    let load = || self.loads.few.and_then(|load| load(self.files.as_ref()).ok());
                    *session = session.take().or_else(load);
                    if let Some(session) = session {
                        return Ok(session.clone());
                    }
                }
                *session = None;
                let kept = self.load();
                *loaded = Loaded::Kept(kept.clone());
                kept
            }
        };
        kept.map_err(|message| Error::Model { model: self.info.name.clone(), message })
    }

    fn load(&self) -> std::result::Result<Arc<dyn Session>, Message> {
        let mut messages = Vec::new();
        for load in self.loads.any {
            match load(self.files.as_ref()) {
                Ok(session) => return Ok(session),
                Err(words) => messages.push(Message::reported(words)),
            }
        }
        messages.dedup();
        Err(match messages.is_empty() {
            true => message!("this build of ubp has no engine for this model"),
            false => Message::joined(messages, "; "),
        })
    }

    fn tokens(&self, prefix: &str, text: &str) -> Result<Tokens> {
        let tokenizer = self.tokenizer()?;
        let window = self.description.window;
        let tokens = if prefix.is_empty() {
            tokenizer.tokens(text, window)
        } else {
            tokenizer.tokens(&format!("{prefix}{text}"), window)
        };
        tokens.map_err(|message| self.wrong(message))
    }

    fn vector(&self, session: &dyn Session, tokens: &Tokens, cores: Cores) -> Result<Vec<f32>> {
        if tokens.ids.is_empty() {
            return Ok(vec![0.0; self.info.dimensions]);
        }
        let hidden = session.run(tokens, cores).map_err(|message| self.wrong(message))?;
        pool(&hidden, self.description.pooling, self.info.dimensions).map_err(|message| self.wrong(message))
    }
}

/// The unit vector of a text.
fn pool(hidden: &Hidden, pooling: Pooling, dimensions: usize) -> Outcome<Vec<f32>> {
    let found = hidden.shape.last().copied().unwrap_or(0);
    if found != dimensions {
        return Err(reported!(
            "its vectors have {found} dimensions, but {file} says {dimensions}; correct \"dimensions\" there",
            file = DESCRIPTION_FILE
        ));
    }
    let rows = hidden.values.len() / dimensions.max(1);
    if rows == 0 || !matches!(hidden.shape.len(), 2 | 3) || hidden.shape.first() != Some(&1) {
        return Err(reported!(
            "its output has the shape {shape}, expected [1, tokens, {dimensions}]",
            shape = format!("{:?}", hidden.shape)
        ));
    }
    let mut vector = vec![0.0_f32; dimensions];
    let taken = match pooling {
        Pooling::Mean => rows,
        Pooling::Cls => 1,
    };
    for row in hidden.values.chunks_exact(dimensions).take(taken) {
        for (sum, value) in vector.iter_mut().zip(row) {
            *sum += value;
        }
    }
    normalize(&mut vector);
    if vector.iter().all(|value| value.is_finite()) {
        Ok(vector)
    } else {
        Err(word!("the model returns values that are not numbers; its file is damaged").into())
    }
}

impl Embedder for Encoder {
    fn model(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let prefix = self.description.prefixes.of(kind);
        if let [text] = texts {
            let tokens = self.tokens(prefix, text)?;
            let session = self.session(kind, std::slice::from_ref(&tokens))?;
            // Somebody waits for a query. A passage alone is embedded beside what somebody waits for.
            let cores = if kind == TextKind::Query { Cores::All } else { Cores::One(0) };
            return Ok(vec![self.vector(&*session, &tokens, cores)?]);
        }
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        // Loaded before the threads start, which would otherwise wait for each other.
        self.tokenizer()?;
        let tokens = parallel::map(texts, |_, text| self.tokens(prefix, text))?;
        let session = self.session(kind, &tokens)?;
        let mut order: Vec<(usize, Tokens)> = tokens.into_iter().enumerate().collect();
        order.sort_by_key(|(_, tokens)| std::cmp::Reverse(tokens.ids.len()));
        let vectors =
            parallel::map(&order, |core, (_, tokens)| self.vector(&*session, tokens, Cores::One(core)))?;
        let mut placed: Vec<(usize, Vec<f32>)> = order.iter().map(|&(index, _)| index).zip(vectors).collect();
        placed.sort_unstable_by_key(|&(index, _)| index);
        Ok(placed.into_iter().map(|(_, vector)| vector).collect())
    }

    fn release(&self) {
        let mut passages = self.passages.lock().unwrap_or_else(PoisonError::into_inner);
        *passages = Passages::Few { tokens: 0 };
    }

    fn rest(&self) {
        self.release();
        *self.loaded.lock().unwrap_or_else(PoisonError::into_inner) = Loaded::NOTHING;
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.tokenizer()?.ranges(text).map_err(|message| self.wrong(message))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn hidden(shape: &[usize], values: &[f32]) -> Hidden {
        Hidden { values: values.to_vec(), shape: shape.to_vec() }
    }

    #[test]
    fn pooling_takes_the_mean_or_the_first() {
        let two = hidden(&[1, 2, 2], &[2.0, 0.0, 0.0, 2.0]);
        let half = 0.5_f32.sqrt();
        assert_eq!(pool(&two, Pooling::Mean, 2).unwrap(), [half, half]);
        assert_eq!(pool(&two, Pooling::Cls, 2).unwrap(), [1.0, 0.0]);
        assert_eq!(pool(&hidden(&[1, 2], &[3.0, 4.0]), Pooling::Mean, 2).unwrap(), [0.6, 0.8]);
    }

    #[test]
    fn an_output_that_cannot_be_pooled_is_an_error() {
        let wrong = |hidden: Hidden| pool(&hidden, Pooling::Mean, 2).unwrap_err();
        assert!(wrong(hidden(&[1, 2, 3], &[0.0; 6])).contains("3 dimensions"));
        assert!(wrong(hidden(&[2], &[0.0; 2])).contains("shape"));
        assert!(wrong(hidden(&[2, 2], &[0.0; 4])).contains("shape"));
        assert!(wrong(hidden(&[1, 0, 2], &[])).contains("shape"));
        assert!(wrong(hidden(&[1, 1, 2], &[f32::NAN, 0.0])).contains("not numbers"));
    }
}
