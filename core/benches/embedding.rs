//! How fast the bundled model runs on either engine: tokens per second over all cores, one page, one
//! query, and the first query of a process.
#![allow(clippy::panic, missing_docs)]

use ubp_core::embed::{BundledFiles, Engine, open};
use ubp_core::ports::{Embedder, TextKind};

fn main() {
    divan::main();
}

const ENGINES: &[Engine] = &[Engine::Rten, Engine::Tract];
const QUERY: &str = "what happens to links when a page is renamed";
const SENTENCE: &str = "Every write goes to a temporary file in the same folder, is flushed to disk and then \
renamed over the old one, so a reader sees either the old page or the new one. ";

/// About this many tokens of plain prose, special tokens included.
fn page(embedder: &dyn Embedder, tokens: usize) -> String {
    let text = SENTENCE.repeat(tokens / 20 + 1);
    let end =
        embedder.token_ranges(&text).ok().and_then(|ranges| ranges.get(tokens - 2).map(|range| range.start));
    text[..end.unwrap_or(text.len())].to_owned()
}

fn opened(engine: Engine) -> Box<dyn Embedder> {
    let embedder = open(engine, Box::new(BundledFiles)).unwrap_or_else(|error| panic!("{error}"));
    embedder.embed(TextKind::Query, &["warm", "up"]).unwrap_or_else(|error| panic!("{error}"));
    embedder
}

/// Throughput over all cores, for pages of this many tokens.
#[divan::bench(args = [16, 64, 250], consts = [0, 1], sample_count = 5, sample_size = 1)]
fn tokens_per_second<const ENGINE: usize>(bencher: divan::Bencher, tokens: usize) {
    let embedder = opened(ENGINES[ENGINE]);
    let page = page(embedder.as_ref(), tokens);
    let pages = vec![page.as_str(); 8_000 / tokens];
    bencher
        .counter(divan::counter::ItemsCount::new(pages.len() * tokens))
        .bench_local(|| embedder.embed(TextKind::Passage, &pages));
}

/// One page of 250 tokens.
#[divan::bench(args = ENGINES, sample_count = 20)]
fn one_page(bencher: divan::Bencher, engine: Engine) {
    let embedder = opened(engine);
    let page = page(embedder.as_ref(), 250);
    bencher.bench_local(|| embedder.embed(TextKind::Passage, &[page.as_str()]));
}

/// A query, the model loaded.
#[divan::bench(args = ENGINES, sample_count = 50)]
fn query(bencher: divan::Bencher, engine: Engine) {
    let embedder = opened(engine);
    bencher.bench_local(|| embedder.embed(TextKind::Query, &[QUERY]));
}

/// A query, nothing loaded: what a process of one command pays.
#[divan::bench(args = ENGINES, sample_count = 10)]
fn first_query(bencher: divan::Bencher, engine: Engine) {
    bencher.bench_local(|| {
        open(engine, Box::new(BundledFiles)).and_then(|embedder| embedder.embed(TextKind::Query, &[QUERY]))
    });
}

/// Tokens of a long text, for cutting it.
#[divan::bench(sample_count = 10)]
fn tokenize(bencher: divan::Bencher) {
    let embedder = opened(Engine::Rten);
    let text = SENTENCE.repeat(400);
    bencher.counter(divan::counter::BytesCount::new(text.len())).bench_local(|| embedder.token_ranges(&text));
}
