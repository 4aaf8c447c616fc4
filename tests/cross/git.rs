//! A stand-in for `git.exe` under wine, which has no git of its own: compiled for Windows, it passes its arguments,
//! environment and streams to the same file compiled for Linux, which runs the git of that system on the same files.
//! Usage on Linux: `git-bridge WINEPREFIX/drive_c` prints the port that `UBP_GIT_BRIDGE` must contain.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::exit;

/// What a frame on the connection contains: one byte, a length of four, the content.
const FOLDER: u8 = b'f';
const ARGUMENT: u8 = b'a';
const VARIABLE: u8 = b'v';
const START: u8 = b's';
const INPUT: u8 = b'i';
const OUTPUT: u8 = b'o';
const ERRORS: u8 = b'e';
const STATUS: u8 = b'x';

fn send(mut to: &TcpStream, kind: u8, content: &[u8]) -> io::Result<()> {
    let length = u32::try_from(content.len()).map_err(io::Error::other)?;
    to.write_all(&[&[kind], &length.to_le_bytes()[..], content].concat())
}

fn receive(mut from: &TcpStream) -> io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let mut content = vec![0; u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize];
    from.read_exact(&mut content)?;
    Ok((head[0], content))
}

/// Sends everything that can be read; an empty frame is the end.
#[cfg(windows)]
fn forward(mut from: impl Read, to: &TcpStream, kind: u8) {
    let mut buffer = [0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if send(to, kind, &buffer[..length]).is_err() {
            return;
        }
    }
    let _ = send(to, kind, &[]);
}

#[cfg(windows)]
fn main() -> io::Result<()> {
    let port = std::env::var("UBP_GIT_BRIDGE").unwrap_or_default();
    let connection = TcpStream::connect(format!("127.0.0.1:{port}"))?;
    send(&connection, FOLDER, std::env::current_dir()?.to_string_lossy().as_bytes())?;
    for argument in std::env::args_os().skip(1) {
        send(&connection, ARGUMENT, argument.to_string_lossy().as_bytes())?;
    }
    for (name, value) in std::env::vars_os() {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        if name.starts_with("GIT_") || name == "LC_ALL" {
            send(&connection, VARIABLE, format!("{name}={value}").as_bytes())?;
        }
    }
    send(&connection, START, &[])?;
    let input = connection.try_clone()?;
    std::thread::spawn(move || forward(io::stdin(), &input, INPUT));
    let mut ended = 0;
    let mut status = 128;
    while ended < 3 {
        let (kind, content) = receive(&connection)?;
        let written = match kind {
            STATUS => {
                status = content.first().map_or(128, |&code| i32::from(code));
                ended += 1;
                Ok(())
            }
            _ if content.is_empty() => {
                ended += 1;
                Ok(())
            }
            ERRORS => io::stderr().write_all(&content),
            OUTPUT => io::stdout().write_all(&content).and_then(|()| io::stdout().flush()),
            other => Err(io::Error::other(format!("unexpected frame {other}"))),
        };
        if written.is_err() {
            break;
        }
    }
    exit(status)
}

#[cfg(unix)]
fn main() -> io::Result<()> {
    let drive = std::env::args().nth(1).unwrap_or_default();
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    for connection in listener.incoming() {
        let (connection, drive) = (connection?, drive.clone());
        std::thread::spawn(move || {
            if let Err(error) = serve(connection, &drive) {
                eprintln!("git-bridge: {error}");
            }
        });
    }
    exit(0)
}

#[cfg(unix)]
fn serve(connection: TcpStream, drive: &str) -> io::Result<()> {
    use std::process::{Command, Stdio};
    use std::sync::{Arc, Mutex, PoisonError};

    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    let (mut folder, mut absolute) = (String::new(), false);
    loop {
        let (kind, content) = receive(&connection)?;
        let text = String::from_utf8_lossy(&content).into_owned();
        match kind {
            FOLDER => folder = of_linux(&text, drive),
            ARGUMENT => {
                absolute |= text == "rev-parse" || text == "worktree";
                command.arg(of_linux(&text, drive));
            }
            VARIABLE => {
                let (name, value) = text.split_once('=').unwrap_or_default();
                command.env(name, of_linux(value, drive));
            }
            START => break,
            other => return Err(io::Error::other(format!("unexpected frame {other}"))),
        }
    }
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let child = Arc::new(Mutex::new(child));

    let (from, killed) = (connection.try_clone()?, Arc::clone(&child));
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            match receive(&from) {
                Ok((INPUT, content)) if content.is_empty() => input = None,
                Ok((_, content)) => {
                    if let Some(to) = &mut input {
                        let _ = to.write_all(&content).and_then(|()| to.flush());
                    }
                }
                // The program has ended, or was killed.
                Err(_) => return killed.lock().unwrap_or_else(PoisonError::into_inner).kill(),
            }
        }
    });
    let to = Arc::new(Mutex::new(()));
    std::thread::scope(|scope| -> io::Result<()> {
        let both = |mut from: Box<dyn Read + Send>, kind: u8| {
            let (connection, to) = (&connection, Arc::clone(&to));
            scope.spawn(move || {
                let mut buffer = [0; 1 << 16];
                loop {
                    let length = from.read(&mut buffer).unwrap_or(0);
                    let content = match std::str::from_utf8(&buffer[..length]) {
                        Ok(text) if absolute && kind == OUTPUT => of_windows(text, drive).into_bytes(),
                        _ => buffer[..length].to_vec(),
                    };
                    let _alone = to.lock().unwrap_or_else(PoisonError::into_inner);
                    if send(connection, kind, &content).is_err() || length == 0 {
                        return;
                    }
                }
            })
        };
        let readers = [
            output.map(|output| both(Box::new(output), OUTPUT)),
            errors.map(|errors| both(Box::new(errors), ERRORS)),
        ];
        for reader in readers.into_iter().flatten() {
            let _ = reader.join();
        }
        let status = child.lock().unwrap_or_else(PoisonError::into_inner).wait()?;
        send(&connection, STATUS, &[status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(128)])
    })
}

/// The path that `text` contains, as Linux has it: the drive `Z:` of wine is its root. It may follow `--option=` or
/// `file://`.
#[cfg(unix)]
fn of_linux(text: &str, drive: &str) -> String {
    let option = text.find('=').filter(|_| text.starts_with("--")).map_or(0, |at| at + 1);
    let start = if text[option..].starts_with("file://") { option + "file://".len() } else { option };
    let (before, path) = text.split_at(start);
    let plain = path.strip_prefix(r"\\?\").unwrap_or(path).replace('\\', "/");
    match plain.get(..3) {
        Some("C:/" | "c:/") => format!("{before}{drive}{}", &plain[2..]),
        Some("Z:/" | "z:/") => format!("{before}{}", &plain[2..]),
        _ if path.eq_ignore_ascii_case("NUL") => "/dev/null".into(),
        _ => text.into(),
    }
}

/// Lines of `text` that are absolute paths, as git prints them on Windows.
#[cfg(unix)]
fn of_windows(text: &str, drive: &str) -> String {
    let line = |line: &str| match line.strip_prefix(drive) {
        Some(rest) => format!("C:{rest}"),
        None if line.starts_with('/') => format!("Z:{line}"),
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}
