//! Detects the end of the parent process. A client that crashes does not always close the pipe to its server, because
//! another process may have inherited the other end.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the parent is checked.
const PAUSE: Duration = Duration::from_secs(1);

/// Checks the parent until dropped.
///
/// On Unix, an orphan gets another parent id. Windows keeps the id of an ended parent; there the end of standard input
/// is the only sign. A crash always causes it, because handles are not inherited by default.
#[derive(Debug)]
pub struct ParentWatch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ParentWatch {
    /// Calls `gone` once, on another thread, when the current parent has ended.
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
            // Any result except a timeout means that this was dropped.
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
