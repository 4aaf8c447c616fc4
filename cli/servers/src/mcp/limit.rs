//! Limits the changes of agents per minute, over all servers of a project, so that a runaway agent is stopped before it
//! makes more changes than a person can review.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ubp_core::{Error, Result};
use ubp_host::file_lock::FileLock;
use ubp_host::{UBP_DIR, keep_out_of_git};

use super::background::IGNORED;

/// In milliseconds.
const MINUTE: u64 = 60_000;

/// File with the times of the latest changes, one per line, in milliseconds since 1970.
const NAME: &str = "mcp-server.writes";

/// How long a server waits for another server's lock on the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Times of the changes by agents in a project.
pub(super) struct Limit {
    path: PathBuf,
}

/// A change above the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    per_minute: usize,
    wait: Duration,
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "limit of {} changes per minute reached", self.per_minute)
    }
}

impl Refused {
    /// How to continue.
    pub(super) fn hint(&self) -> String {
        let seconds = self.wait.as_secs() + 1;
        format!(
            "continue in {seconds} seconds; `agents.writes_per_minute` in .ubp/manifest.json sets the limit"
        )
    }
}

impl Limit {
    /// The limit of the project in `root`.
    pub(super) fn of(root: &Path) -> Self {
        Self { path: root.join(UBP_DIR).join(NAME) }
    }

    /// Makes a change unless the limit is reached. A change that fails does not count.
    ///
    /// # Errors
    /// Those of the change; [`Error::Io`] if it cannot be counted.
    pub(super) fn hold<T>(
        &self,
        per_minute: usize,
        change: impl FnOnce() -> Result<T>,
    ) -> Result<std::result::Result<T, Refused>> {
        // Count it first, so that concurrent changes cannot exceed the limit.
        let begun = match self.take(per_minute, now())? {
            Ok(begun) => begun,
            Err(refused) => return Ok(Err(refused)),
        };
        let result = change();
        if result.is_err() {
            self.give_back(begun)?;
        }
        result.map(Ok)
    }

    fn take(&self, per_minute: usize, now: u64) -> Result<std::result::Result<u64, Refused>> {
        self.change(|times| {
            // Times may be out of order: a server can read the clock before another one and get the lock after it.
            times.retain(|time| time.abs_diff(now) < MINUTE);
            if times.len() >= per_minute {
                let first = times.first().copied().unwrap_or(now);
                let wait = Duration::from_millis(MINUTE - now.saturating_sub(first));
                return Err(Refused { per_minute, wait });
            }
            times.push(now);
            Ok(now)
        })
    }

    fn give_back(&self, begun: u64) -> Result<()> {
        self.change(|times| {
            if let Some(at) = times.iter().position(|time| *time == begun) {
                times.remove(at);
            }
        })
    }

    /// Changes the times under a lock.
    fn change<T>(&self, change: impl FnOnce(&mut Vec<u64>) -> T) -> Result<T> {
        let failed = |error| Error::io(format!("{UBP_DIR}/{NAME}"), error);
        if let (false, Some(folder)) = (self.path.exists(), self.path.parent()) {
            keep_out_of_git(folder, IGNORED);
        }
        let lock = FileLock::take(&self.path, PATIENCE).map_err(failed)?;
        let mut lock = lock.ok_or_else(|| failed(ErrorKind::TimedOut.into()))?;
        let text = lock.text().map_err(failed)?;
        let mut times: Vec<u64> = text.lines().filter_map(|line| line.parse().ok()).collect();
        let changed = change(&mut times);
        let text: String = times.iter().map(|time| format!("{time}\n")).collect();
        lock.sign(&text);
        Ok(changed)
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Limit) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(UBP_DIR)).unwrap();
        let limit = Limit::of(folder.path());
        (folder, limit)
    }

    #[test]
    fn changes_above_the_limit_per_minute_are_refused() {
        let ((_folder, limit), begin) = (project(), 1_000_000);
        for second in 0..3 {
            assert!(limit.take(3, begin + second * 1_000).unwrap().is_ok());
        }
        let refused = limit.take(3, begin + 20_000).unwrap().unwrap_err();
        assert_eq!(refused, Refused { per_minute: 3, wait: Duration::from_secs(40) });
        assert!(refused.hint().starts_with("continue in 41 seconds"), "{}", refused.hint());
        assert!(limit.take(4, begin + 20_000).unwrap().is_ok(), "a raised limit applies at once");
        assert!(limit.take(3, begin + 82_000).unwrap().is_ok());
        assert!(
            limit.take(1, begin - 100_000).unwrap().is_ok(),
            "setting the clock back does not block changes"
        );
    }

    #[test]
    fn failed_changes_do_not_count() {
        let (_folder, limit) = project();
        for _ in 0..10 {
            assert!(limit.hold(1, || Err::<(), _>(Error::Cancelled)).is_err());
        }
        assert_eq!(limit.hold(1, || Ok(5)).unwrap(), Ok(5));
        assert!(limit.hold(1, || Ok(6)).unwrap().is_err());
    }

    #[test]
    fn all_servers_of_a_project_share_the_limit() {
        let (folder, _) = project();
        let made = std::thread::scope(|scope| {
            let servers: Vec<_> = (0..4)
                .map(|_| {
                    let limit = Limit::of(folder.path());
                    scope
                        .spawn(move || (0..10).filter(|_| limit.hold(15, || Ok(())).unwrap().is_ok()).count())
                })
                .collect();
            servers.into_iter().map(|server| server.join().unwrap()).sum::<usize>()
        });
        assert_eq!(made, 15);
    }
}
