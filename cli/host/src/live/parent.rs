//! Noticing that the process which started this one is gone. A client that crashes does not always
//! close the pipe to its server: another process may have inherited the other end.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the parent is looked for.
const PAUSE: Duration = Duration::from_secs(1);

/// Looks for the parent until it is dropped.
///
/// On Unix an orphan gets another parent, which shows within a second. Windows keeps the number of a
/// parent that is gone; there the end of standard input is the only sign, which a crash always gives,
/// since handles are not inherited unasked.
#[derive(Debug)]
pub struct ParentWatch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ParentWatch {
    /// Calls `gone` once, on a thread of its own, when the parent that the process has now is gone.
    pub fn start(gone: impl FnOnce() + Send + 'static) -> Self {
        Self::following(Arc::new(parent), PAUSE, gone)
    }

    fn following(
        parent: Arc<dyn Fn() -> Option<u32> + Send + Sync>,
        pause: Duration,
        gone: impl FnOnce() + Send + 'static,
    ) -> Self {
        let Some(first) = parent() else { return Self { stop: None, thread: None } };
        let (stop, stopped) = channel::<()>();
        let thread = std::thread::Builder::new().name("ubp-parent".into()).spawn(move || {
            // Whatever but a timeout means that nobody wants to know any more.
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                if parent() != Some(first) {
                    gone();
                    return;
                }
            }
        });
        Self { stop: Some(stop), thread: thread.ok() }
    }
}

impl Drop for ParentWatch {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

#[cfg(unix)]
fn parent() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn parent() -> Option<u32> {
    None
}
