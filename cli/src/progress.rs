//! Progress bars for long work, on the error stream and only when a person watches.

use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use ubp_core::progress::{Progress, Stage};

/// Work below this many steps is over before a bar could be read.
const WORTH_SHOWING: usize = 50;

/// One bar at a time, per stage.
#[derive(Debug, Default)]
pub(crate) struct Bars {
    current: Mutex<Option<(Stage, ProgressBar)>>,
}

impl Progress for Bars {
    fn advance(&self, stage: Stage, done: usize, total: usize) {
        let mut current = self.current.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if total < WORTH_SHOWING {
            return;
        }
        if !matches!(&*current, Some((shown, _)) if *shown == stage) {
            if let Some((_, bar)) = current.take() {
                bar.finish_and_clear();
            }
            *current = Some((stage, bar(stage, total)));
        }
        if let Some((_, bar)) = &*current {
            bar.set_position(done as u64);
            if done >= total {
                bar.finish_and_clear();
            }
        }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        if let Ok(mut current) = self.current.lock()
            && let Some((_, bar)) = current.take()
        {
            bar.finish_and_clear();
        }
    }
}

fn bar(stage: Stage, total: usize) -> ProgressBar {
    let what = match stage {
        Stage::Pages => "Reading pages",
        Stage::Links => "Resolving links",
        Stage::Vectors => "Computing vectors",
        Stage::Queries => "Asking queries",
        Stage::Suggestions => "Comparing pages",
        Stage::Site => "Writing pages",
        Stage::Comparisons => "Comparing memories",
    };
    let bar = ProgressBar::new(total as u64).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg:18} [{bar:30}] {pos}/{len}  {eta} left") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
