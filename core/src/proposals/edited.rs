//! The reviewer's words in place of the agent's: a proposal as a person edited it before accepting it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Proposal;
use crate::message;
use crate::page::{plain, with_breaks_of};
use crate::ports::ContentHash;
use crate::{Error, Result};

/// The text of a page that a proposal writes, as the reviewer wants it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditedText {
    /// Path of the page after the change, as in the proposal.
    pub filepath: String,
    /// The whole text, made from the proposed one.
    pub text: String,
}

/// The proposal with these texts, and the paths of those that differ from what the agent proposed. They are based on
/// what the agent had changed, so what was edited since stays, and touches them or not, as with the agent's own.
///
/// # Errors
/// [`Error::InvalidParams`] for a page that the proposal does not write.
pub(super) fn edited(proposal: &Proposal, texts: &[EditedText]) -> Result<(Proposal, Vec<String>)> {
    let (mut proposal, mut edited) = (proposal.clone(), Vec::new());
    for EditedText { filepath, text } in texts {
        let written = proposal.changes.iter_mut().filter_map(|change| change.after.as_mut());
        let of_page = written.into_iter().find(|file| file.path == *filepath && file.text.is_some());
        let Some((file, proposed)) = of_page.and_then(|file| file.text.clone().map(|text| (file, text)))
        else {
            return Err(Error::invalid(message!(
                "the proposal {id} writes no text of {filepath}",
                id = proposal.id,
                filepath
            )));
        };
        if plain(&proposed) == plain(text) {
            continue;
        }
        let text = with_breaks_of(&proposed, text);
        file.hash = ContentHash::of(text.as_bytes()).to_string();
        file.text = Some(text);
        edited.push(filepath.clone());
    }
    Ok((proposal, edited))
}
