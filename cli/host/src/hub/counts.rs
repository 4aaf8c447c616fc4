//! How a hub is, in numbers.

use serde::Serialize;
use ubp_core::Caller;
use ubp_core::progress::Cancel;

use super::{Hub, Opened};

/// How many projects a hub has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All projects.
    pub projects: usize,
    /// Those that cannot be read.
    pub failed_projects: usize,
}

impl Hub {
    /// How many projects there are now. Waits for no index, unlike [`super::Answering::states`].
    pub fn counts(&self) -> Counts {
        let opened = self.current();
        let failed = opened.iter().filter(|opened| !opened.is_readable()).count();
        Counts { projects: opened.len(), failed_projects: failed }
    }
}

impl Opened {
    fn is_readable(&self) -> bool {
        let Ok(views) = &self.views else { return false };
        let whole = views.whole();
        let read = whole.with_at_once(Caller::Person, &Cancel::default(), |context| {
            context.index.generation()?;
            Ok(whole.root().join(&context.manifest.pages_dir).is_dir())
        });
        read.unwrap_or(false)
    }
}
