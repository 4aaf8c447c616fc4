//! The standard streams of a process, for programs that pass them to [`crate::run`].

use std::io::{self, IsTerminal, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd;

use ubp_core::progress::Cancel;

use crate::{Environment, Io};

impl Io {
    /// Streams, folder and environment of this process.
    pub fn of_process(cancel: Cancel) -> Self {
        Self {
            input: input(),
            in_is_terminal: io::stdin().is_terminal(),
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
            out: Box::new(io::BufWriter::new(output(io::stdout()))),
            err: Box::new(output(io::stderr())),
            width: console::Term::stdout().size_checked().map(|(_rows, columns)| usize::from(columns)),
            folder: std::env::current_dir().unwrap_or_default(),
            environment: Environment::of_process(),
            cancel,
            program: std::env::current_exe().into_iter().map(Into::into).collect(),
        }
    }
}

/// Another process that shares the streams may have made them non-blocking. So a full or empty pipe is polled until it
/// is ready.
#[cfg(unix)]
fn input() -> Box<dyn Read + Send> {
    match io::stdin().as_fd().try_clone_to_owned() {
        Ok(own) => Box::new(Patient(own.into())),
        Err(_) => Box::new(io::empty()),
    }
}

#[cfg(not(unix))]
fn input() -> Box<dyn Read + Send> {
    Box::new(io::stdin())
}

#[cfg(unix)]
fn output(stream: impl AsFd) -> Box<dyn Write + Send> {
    match stream.as_fd().try_clone_to_owned() {
        Ok(own) => Box::new(Patient(own.into())),
        // The stream was closed from the start.
        Err(_) => Box::new(io::sink()),
    }
}

#[cfg(not(unix))]
fn output(stream: impl Write + Send + 'static) -> Box<dyn Write + Send> {
    Box::new(stream)
}

#[cfg(unix)]
struct Patient(std::fs::File);

#[cfg(unix)]
impl Patient {
    fn when(
        &mut self,
        ready: rustix::event::PollFlags,
        mut attempt: impl FnMut(&mut std::fs::File) -> io::Result<usize>,
    ) -> io::Result<usize> {
        loop {
            match attempt(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(&self.0, ready)?,
                result => return result,
            }
        }
    }
}

#[cfg(unix)]
impl Read for Patient {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.when(rustix::event::PollFlags::IN, |stream| stream.read(bytes))
    }
}

#[cfg(unix)]
impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.when(rustix::event::PollFlags::OUT, |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
fn wait(stream: &std::fs::File, until: rustix::event::PollFlags) -> io::Result<()> {
    let mut polled = [rustix::event::PollFd::new(stream, until)];
    match rustix::event::poll(&mut polled, None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reading_an_empty_non_blocking_pipe_waits() {
        let (reader, mut writer) = io::pipe().unwrap();
        let own = std::os::fd::OwnedFd::from(reader);
        rustix::io::ioctl_fionbio(&own, true).unwrap();
        let reading = std::thread::spawn(move || {
            let mut text = String::new();
            Patient(own.into()).read_to_string(&mut text).unwrap();
            text
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        writer.write_all(b"late").unwrap();
        drop(writer);
        assert_eq!(reading.join().unwrap(), "late");
    }

    #[test]
    fn writing_a_full_non_blocking_pipe_waits() {
        let (mut reader, writer) = io::pipe().unwrap();
        let own = std::os::fd::OwnedFd::from(writer);
        rustix::io::ioctl_fionbio(&own, true).unwrap();
        let mut stream = output(own);
        let writing = std::thread::spawn(move || stream.write_all(&[7; 1_000_000]).unwrap());
        // Nobody reads until the pipe is full.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        writing.join().unwrap();
        assert_eq!(bytes.len(), 1_000_000);
    }
}
