//! How long indexing takes. `cargo bench -p ubp-tests --no-default-features --bench indexing` runs everything; a filter
//! such as `1000` after `--` runs a part.
#![allow(missing_docs, clippy::unwrap_used)]

use divan::{Bencher, counter::BytesCount};
use ubp_tests::fixture::Fixture;
use ubp_tests::generator::Vault;

/// Number of pages, and bytes per page. Targets: a new index of 10,000 pages in less than 5 s with 2.8 kB per page and
/// in less than 12 s with 7 kB; one changed page in less than 50 ms.
const VAULTS: [(usize, usize); 4] = [(1_000, 2_800), (1_000, 7_000), (10_000, 2_800), (10_000, 7_000)];

fn main() {
    divan::main();
}

fn vault((pages, page_bytes): (usize, usize)) -> Vault {
    Vault { pages, page_bytes, seed: 1, japanese: false }
}

#[divan::bench(args = VAULTS, sample_count = 3, sample_size = 1)]
fn from_nothing(bencher: Bencher, size: (usize, usize)) {
    let bytes = size.0 * size.1;
    bencher
        .counter(BytesCount::new(bytes))
        .with_inputs(|| Fixture::new(vault(size)).unwrap())
        .bench_local_refs(|fixture| fixture.context().refresh(false).unwrap());
}

#[divan::bench(args = VAULTS, sample_count = 20, sample_size = 1)]
fn nothing_changed(bencher: Bencher, size: (usize, usize)) {
    let fixture = Fixture::new(vault(size)).unwrap();
    fixture.context().refresh(false).unwrap();
    bencher.bench_local(|| assert!(fixture.context().refresh(false).unwrap().is_empty()));
}

#[divan::bench(args = VAULTS, sample_count = 20, sample_size = 1)]
fn one_page_changed(bencher: Bencher, size: (usize, usize)) {
    let fixture = Fixture::new(vault(size)).unwrap();
    fixture.context().refresh(false).unwrap();
    let mut number = 0;
    bencher
        .with_inputs(|| {
            number += 1;
            fixture.change_a_page(number).unwrap();
        })
        .bench_local_values(|()| assert_eq!(fixture.context().refresh(false).unwrap().changed.len(), 1));
}
