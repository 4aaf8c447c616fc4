//! A PostgreSQL that ends with the tests.

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};
use ubp_postgres::{Address, Database};

/// The user that a server runs as if the tests are root's.
const NOBODY: u32 = 65_534;

/// A running server.
pub struct Server {
    /// Its folder, with the socket in it.
    pub folder: tempfile::TempDir,
    binaries: PathBuf,
    process: Option<Child>,
}

const NO_SERVER: &str =
    "skipped: no PostgreSQL with pg_textsearch and pgvector (tests/postgres/prepare gets one)";

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The server that tests share; `None` if there is no PostgreSQL.
pub fn shared() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    if std::env::var_os("UBP_POSTGRES_SERVER").is_none() {
        println!("{NO_SERVER}");
    }
    SERVER.get_or_init(|| Server::start("")).as_ref()
}

impl Server {
    /// Starts a server with these further settings.
    pub fn start(settings: &str) -> Option<Self> {
        let Some(binaries) = std::env::var_os("UBP_POSTGRES_SERVER").map(PathBuf::from) else {
            println!("{NO_SERVER}");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("ubp-pg").tempdir_in("/tmp").unwrap();
        let mut server = Self { folder, binaries: binaries.join("bin"), process: None };
        if is_root() {
            chown(server.folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let data = server.folder.path().join("data");
        let made = server
            .command("initdb")
            .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let socket = server.folder.path().display();
        let text = format!(
            "shared_preload_libraries = 'pg_textsearch'\nlisten_addresses = ''\nunix_socket_directories = '{socket}'
fsync = off\nautovacuum = off\nmax_connections = 40\nmax_wal_size = '4GB'\n{settings}\n"
        );
        let mut config = fs::read_to_string(data.join("postgresql.conf")).unwrap();
        config.push_str(&text);
        fs::write(data.join("postgresql.conf"), config).unwrap();
        server.run();
        Some(server)
    }

    /// Starts a replica of it.
    pub fn replica(&self) -> Self {
        let folder = tempfile::Builder::new().prefix("ubp-pg").tempdir_in("/tmp").unwrap();
        let mut replica = Self { folder, binaries: self.binaries.clone(), process: None };
        if is_root() {
            chown(replica.folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let (own, data) = (self.folder.path(), replica.folder.path().join("data"));
        let mut copy = self.command("pg_basebackup");
        copy.args(["-U", "postgres", "-R", "-X", "stream", "-c", "fast", "-h"]).arg(own).arg("-D").arg(&data);
        let made = copy.output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let config = fs::read_to_string(data.join("postgresql.conf")).unwrap();
        let config = config.replace(&own.display().to_string(), &replica.folder.path().display().to_string());
        fs::write(data.join("postgresql.conf"), config).unwrap();
        replica.run();
        replica
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.binaries.join(program));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8").current_dir("/");
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Starts the process, and waits until it accepts connections.
    pub fn run(&mut self) {
        let log =
            fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        // The end of standard input tells it that the tests have ended.
        let script = format!(
            "{} -D {} & trap '' TERM; cat >/dev/null; kill -INT $!; wait",
            self.binaries.join("postgres").display(),
            self.folder.path().join("data").display()
        );
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8");
        if is_root() {
            shell.uid(NOBODY).gid(NOBODY);
        }
        let errors = log.try_clone().unwrap();
        self.process = Some(shell.stdin(Stdio::piped()).stdout(log).stderr(errors).spawn().unwrap());
        let begun = Instant::now();
        while ubp_postgres::run(async { Ok(self.connect("postgres", "postgres").await.is_ok()) }).ok()
            != Some(true)
        {
            let log = || fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(begun.elapsed() < Duration::from_secs(60), "PostgreSQL does not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the process at once, as if the machine lost its power.
    pub fn kill(&mut self) {
        self.end("-QUIT");
    }

    /// Ends the process in good order.
    pub fn stop(&mut self) {
        self.end("-INT");
    }

    fn end(&mut self, signal: &str) {
        let id = fs::read_to_string(self.folder.path().join("data/postmaster.pid")).unwrap();
        let id = id.lines().next().unwrap().to_owned();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        if let Some(mut process) = self.process.take() {
            drop(process.stdin.take());
            let _ = process.wait();
        }
    }

    /// A connection without this crate.
    pub async fn connect(&self, role: &str, database: &str) -> Result<Client, tokio_postgres::Error> {
        let mut config = tokio_postgres::Config::new();
        config.host_path(self.folder.path()).user(role).dbname(database);
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// An empty database of its own.
    pub async fn database(&self) -> String {
        let name = format!("test{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let client = self.connect("postgres", "postgres").await.unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        name
    }

    /// The address of a database for a role.
    pub fn address(&self, role: &str, database: &str) -> Address {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        Address::parse(&format!("postgres://{role}@{socket}/{database}"), |_| None).unwrap()
    }

    /// A database of its own with an empty index, and its name.
    pub async fn index(&self) -> (Database, String) {
        let name = self.database().await;
        (Database::open_and_migrate(&self.address("postgres", &name), 4).await.unwrap(), name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            drop(process.stdin.take());
            let _ = process.wait();
        }
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(Path::new("/proc/self")).is_ok_and(|own| own.uid() == 0)
}
