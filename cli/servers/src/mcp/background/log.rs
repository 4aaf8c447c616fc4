//! The log of a server in the background: lines with timestamps, rotated at a maximum size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::now;

/// Maximum bytes of the log. One older file of the same size is kept.
const MOST: u64 = 1 << 20;

/// A log file.
pub(in crate::mcp) struct Log {
    path: PathBuf,
    file: File,
    most: u64,
    /// The line that is being written.
    line: Vec<u8>,
}

impl Log {
    /// Opens the log at `path` for appending.
    ///
    /// # Errors
    /// If it cannot be opened for writing.
    pub(in crate::mcp) fn open(path: PathBuf) -> io::Result<Self> {
        Self::with_most(path, MOST)
    }

    fn with_most(path: PathBuf, most: u64) -> io::Result<Self> {
        let file = open(&path)?;
        Ok(Self { path, file, most, line: Vec::new() })
    }

    /// Writes the line in one call, so that other writers do not interleave with it.
    fn end_line(&mut self) -> io::Result<()> {
        let mut text = now().into_bytes();
        text.push(b' ');
        text.append(&mut self.line);
        text.push(b'\n');
        if self.file.metadata()?.len() + text.len() as u64 > self.most {
            let mut older = self.path.clone().into_os_string();
            older.push(".1");
            fs::copy(&self.path, older)?;
            // Truncate the file instead of replacing it: the process's standard error is redirected to it. Truncating
            // needs a second handle, because some systems refuse it on one opened for appending.
            OpenOptions::new().write(true).open(&self.path)?.set_len(0)?;
        }
        self.file.write_all(&text)
    }
}

/// Opens the file at `path` for appending.
pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                self.end_line()?;
            } else {
                self.line.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.line.is_empty() { Ok(()) } else { self.end_line() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn log_lines_have_timestamps_and_the_file_stays_below_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        fs::write(&path, "from before\n").unwrap();
        let mut log = Log::with_most(path.clone(), 2_000).unwrap();
        for number in 0..200 {
            write!(log, "message {number}").unwrap();
            writeln!(log, " and more").unwrap();
            assert!(fs::metadata(&path).unwrap().len() <= 2_000);
        }
        let (now, before) =
            (fs::read_to_string(&path).unwrap(), fs::read_to_string(folder.path().join("a.log.1")).unwrap());
        assert!(before.len() <= 2_000);
        let last = now.lines().last().unwrap();
        assert!(
            last.ends_with("message 199 and more") && last.contains("T") && last.contains("Z "),
            "{last}"
        );
        let numbers: Vec<usize> = before
            .lines()
            .chain(now.lines())
            .map(|line| line.split(' ').nth(2).unwrap().parse().unwrap())
            .collect();
        assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "the latest lines are complete");
    }
}
