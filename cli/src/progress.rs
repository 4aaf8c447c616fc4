//! Progress bars on standard error, shown only on a terminal.

use std::fmt::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use console::measure_text_width;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use ubp_core::message;
use ubp_core::message::{Language, Message};
use ubp_core::progress::{Progress, Stage};

/// Work that ends sooner shows no progress.
const MOMENT: Duration = Duration::from_millis(700);
/// Width of a bar in columns.
const BAR: u64 = 30;

/// One bar at a time, per stage.
#[derive(Debug)]
pub(crate) struct Bars {
    language: Language,
    current: Mutex<Option<(Stage, ProgressBar)>>,
}

impl Bars {
    /// Bars in `language`.
    pub(crate) fn new(language: Language) -> Self {
        Self { language, current: Mutex::default() }
    }
}

impl Progress for Bars {
    fn advance(&self, stage: Stage, done: usize, total: usize) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if total == 0 {
            return;
        }
        if !matches!(&*current, Some((shown, _)) if *shown == stage) {
            if let Some((_, bar)) = current.take() {
                bar.finish_and_clear();
            }
            *current = Some((stage, bar(stage, total, self.language)));
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

fn bar(stage: Stage, total: usize, language: Language) -> ProgressBar {
    let what = match stage {
        Stage::Pages => message!("Reading pages"),
        Stage::Links => message!("Resolving links"),
        Stage::Vectors => message!("Computing vectors"),
        Stage::Queries => message!("Running queries"),
        Stage::Suggestions => message!("Comparing pages"),
        Stage::Site => message!("Writing pages"),
        Stage::Comparisons => message!("Comparing memories"),
        Stage::Files => message!("Writing files"),
        Stage::History => message!("Replaying history"),
    }
    .in_language(language);
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{line}") {
        bar.set_style(style.with_key("line", move |state: &ProgressState, line: &mut dyn Write| {
            // A failed write only hides the progress.
            let _ = write_line(line, &what, state.pos(), state.len().unwrap_or(0), state.elapsed(), language);
        }));
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Writes the progress, and the time left at the average speed so far.
fn write_line(
    line: &mut dyn Write,
    what: &str,
    done: u64,
    total: u64,
    elapsed: Duration,
    language: Language,
) -> fmt::Result {
    if elapsed < MOMENT {
        return Ok(());
    }
    let gap = 18_usize.saturating_sub(measure_text_width(what));
    let what = format!("{what}{:gap$}", "");
    // A single step has no meaningful bar.
    if total <= 1 {
        return write!(line, "{what} {}", lasting(elapsed).in_language(language));
    }
    let filled = (BAR * done / total).min(BAR);
    let (filled, empty) = ("=".repeat(filled as usize), " ".repeat((BAR - filled) as usize));
    write!(line, "{what} [{filled}{empty}] {done}/{total}")?;
    if done == 0 {
        return Ok(());
    }
    let left = elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64);
    let left = message!("{time} left", time = lasting(left));
    write!(line, "  {}", left.in_language(language))
}

fn lasting(time: Duration) -> Message {
    match time.as_secs() {
        seconds @ 0..90 => message!("{seconds} s", seconds = seconds.max(1)),
        seconds @ 90..5400 => message!("{minutes} min", minutes = (seconds + 30) / 60),
        seconds => message!("{hours} h", hours = (seconds + 1800) / 3600),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn told(done: u64, total: u64, millis: u64) -> String {
        let mut line = String::new();
        let elapsed = Duration::from_millis(millis);
        write_line(&mut line, "Reading pages", done, total, elapsed, Language::ENGLISH).unwrap();
        line
    }

    #[test]
    fn short_work_shows_no_progress() {
        assert_eq!(told(3, 10, 500), "");
    }

    #[test]
    fn long_work_shows_the_time_left() {
        assert_eq!(told(1, 4, 2_000), "Reading pages      [=======                       ] 1/4  6 s left");
        assert_eq!(told(0, 4, 2_000), "Reading pages      [                              ] 0/4");
        assert_eq!(
            told(10, 1_000, 10_000),
            "Reading pages      [                              ] 10/1000  17 min left"
        );
        assert_eq!(
            told(10, 10, 3_000),
            "Reading pages      [==============================] 10/10  1 s left"
        );
    }

    #[test]
    fn work_of_one_step_shows_the_elapsed_time() {
        assert_eq!(told(0, 1, 3_000), "Reading pages      3 s");
    }
}
