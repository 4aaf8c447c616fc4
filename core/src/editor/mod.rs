//! What programs in which people type show about the page on the screen: where its links lead, what is wrong with it, who
//! links to it, what completes a name. The text that counts is the one on the screen, saved or not; other pages come from
//! the index.
//!
//! **Invariants**
//! - Ranges are bytes of the text that was asked about, at the boundaries of characters (`tests.rs`).
//! - Nothing here writes, and no unsaved text enters the index (`tests.rs`).

mod code;
mod completion;
mod findings;
mod hover;
mod open_page;
mod places;
mod references;
mod renaming;
mod sources;
#[cfg(test)]
mod tests;

pub use code::{DescribedSymbol, Describing, described};
pub use completion::{Candidate, CandidateKind, Candidates, candidates, link_name};
pub use findings::{TextFinding, findings};
pub use hover::{page_preview, source_preview};
pub use open_page::OpenPage;
pub use places::{Place, PlaceInPage, Places, closest_headings, place, place_in};
pub use references::{Reference, Referred, references};
pub use renaming::{Renameable, plan_title, renameable};
pub use sources::{SectionSource, changed_sources, is_stale};
