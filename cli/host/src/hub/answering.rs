//! Projects that answer as one, wherever their indexes are.

use serde_json::Value;
use ubp_core::Result;
use ubp_core::ops::Operation;
use ubp_core::progress::{Cancel, Progress};
use ubp_core::show::{Page, Reader};

use super::{Counts, HubAsker, ProjectState};

/// Where an answer is shown, and how somebody reads it.
pub type Told<'a> = Option<(&'a mut dyn Page, Option<&'a dyn Reader>)>;

/// Several projects that are asked as one, see [`ubp_core::hub`].
pub trait Answering: Send + Sync {
    /// Answers a question over the projects that `params` select, and shows the answer.
    ///
    /// # Errors
    /// As [`ubp_core::hub::Hub::call`].
    fn call(
        &self,
        asker: HubAsker<'_>,
        operation: &Operation,
        params: Value,
        told: Told<'_>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Value>;

    /// Whether such questions are answered.
    fn answers(&self, operation: &Operation) -> bool;

    /// The projects and their states.
    ///
    /// # Errors
    /// [`ubp_core::Error::Cancelled`]; [`ubp_core::Error::SharedIndex`].
    fn states(&self, cancel: &Cancel) -> Result<Vec<ProjectState>>;

    /// How many projects there are now. Waits for no index.
    fn counts(&self) -> Counts;
}
