//! Where a database is: an address or the environment variables of libpq, and how its connection is secured.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use ubp_core::message::Message;
use ubp_core::{Error, Result, message};

/// How a connection is secured, as `sslmode` of libpq says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Security {
    /// Never encrypted.
    Disable,
    /// Encrypted if the server can; the server is not checked.
    #[default]
    Prefer,
    /// Encrypted; the server is not checked, unless there is a root certificate.
    Require,
    /// Encrypted; the server's certificate is checked, but not its name.
    VerifyCa,
    /// Encrypted; the server's certificate and name are checked.
    VerifyFull,
}

/// The address of a database. Printed without the password.
#[derive(Clone)]
pub struct Address {
    pub(crate) config: Config,
    pub(crate) security: Security,
    pub(crate) roots: Option<PathBuf>,
}

/// How long connecting may take, unless `connect_timeout` or `PGCONNECT_TIMEOUT` says otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

impl Address {
    /// Reads `postgres://user:password@host:port/database?sslmode=…`. Parts that it lacks are those of `PGHOST`, `PGPORT`,
    /// `PGUSER`, `PGPASSWORD`, `PGDATABASE`, `PGSSLMODE`, `PGSSLROOTCERT` and `PGCONNECT_TIMEOUT`.
    ///
    /// # Errors
    /// [`Error::InvalidParams`], without the password.
    pub fn parse(text: &str, environment: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let environment = |name: &str| environment(name).filter(|value| !value.is_empty());
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(invalid(message!("an address starts with postgres://")));
        }
        let (place, options) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut roots) = (environment("PGSSLMODE"), environment("PGSSLROOTCERT"));
        let mut others = Vec::new();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let value = || percent_decode_str(value).decode_utf8_lossy().into_owned();
            match name {
                "sslmode" => mode = Some(value()),
                "sslrootcert" => roots = Some(value()),
                _ => others.push(option),
            }
        }
        // The parser adds the usual port where there is none.
        let place = match environment("PGPORT") {
            Some(port) => with_port(place, &port),
            None => place.to_owned(),
        };
        let rest = if others.is_empty() { place } else { format!("{place}?{}", others.join("&")) };
        // The parser's own words may repeat a part of the address.
        let mut config: Config =
            rest.parse().map_err(|_| invalid(message!("it is not postgres://user@host:port/database")))?;
        if config.get_hosts().is_empty() {
            config.host(environment("PGHOST").unwrap_or_else(|| "localhost".to_owned()));
        }
        if config.get_ports().is_empty()
            && let Some(port) = environment("PGPORT")
        {
            config.port(port.parse().map_err(|_| invalid(message!("PGPORT is not a port")))?);
        }
        if config.get_user().is_none()
            && let Some(user) = environment("PGUSER").or_else(|| environment("USER"))
        {
            config.user(user);
        }
        if config.get_password().is_none()
            && let Some(password) = environment("PGPASSWORD")
        {
            config.password(password);
        }
        if config.get_dbname().is_none()
            && let Some(name) = environment("PGDATABASE")
        {
            config.dbname(name);
        }
        if config.get_connect_timeout().is_none() {
            let seconds = environment("PGCONNECT_TIMEOUT").and_then(|seconds| seconds.parse().ok());
            config.connect_timeout(seconds.map_or(PATIENCE, Duration::from_secs));
        }
        if config.get_application_name().is_none() {
            config.application_name("ubp");
        }
        let security = match mode.as_deref() {
            None | Some("prefer" | "allow") => Security::Prefer,
            Some("disable") => Security::Disable,
            Some("require") => Security::Require,
            Some("verify-ca") => Security::VerifyCa,
            Some("verify-full") => Security::VerifyFull,
            Some(other) => {
                return Err(invalid(message!(
                    "unknown sslmode '{mode}'; expected disable, prefer, require, verify-ca or verify-full",
                    mode = other
                )));
            }
        };
        let mut address = Self { config, security, roots: roots.map(PathBuf::from) };
        // As in libpq, connections within a machine are never encrypted.
        if address.is_local() {
            address.security = Security::Disable;
        }
        address.config.ssl_mode(match address.security {
            Security::Disable => SslMode::Disable,
            Security::Prefer => SslMode::Prefer,
            _ => SslMode::Require,
        });
        Ok(address)
    }

    /// The address of another role of the same database.
    #[must_use]
    pub fn as_role(&self, role: &str, password: Option<&str>) -> Self {
        let mut address = self.clone();
        address.config.user(role);
        if let Some(password) = password {
            address.config.password(password);
        }
        address
    }

    fn is_local(&self) -> bool {
        self.config.get_hosts().iter().all(|host| !matches!(host, Host::Tcp(_)))
    }
}

/// The address with this port, if it names a host without one.
fn with_port(place: &str, port: &str) -> String {
    let Some((scheme, rest)) = place.split_once("://") else { return place.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    let has_port = host.rsplit(']').next().unwrap_or_default().contains([':', ',']);
    match host.is_empty() || has_port {
        true => place.to_owned(),
        false => format!("{scheme}://{authority}:{port}{path}"),
    }
}

fn invalid(message: Message) -> Error {
    Error::InvalidParams {
        message: message!("invalid address of a database: {message}", message),
        hint: Some(Box::new(message!("for example, postgres://ubp@db.example.com/ubp?sslmode=verify-full"))),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(to, "{user}@")?;
        }
        for (at, host) in self.config.get_hosts().iter().enumerate() {
            let port = self.config.get_ports().get(at).or(self.config.get_ports().first());
            let before = if at > 0 { "," } else { "" };
            match host {
                Host::Tcp(name) => write!(to, "{before}{name}")?,
                #[cfg(unix)]
                Host::Unix(folder) => write!(to, "{before}{}", Path::display(folder))?,
            }
            if let Some(port) = port.filter(|port| **port != 5432) {
                write!(to, ":{port}")?;
            }
        }
        write!(to, "/{}", self.config.get_dbname().or(self.config.get_user()).unwrap_or_default())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{self}")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address> {
        Address::parse(text, |_| None)
    }

    #[test]
    fn the_password_is_never_printed() {
        let address = parse("postgres://me:secret@db.example.com:6432/docs?sslmode=require").unwrap();
        assert_eq!(address.to_string(), "postgres://me@db.example.com:6432/docs");
        assert_eq!(format!("{address:?}"), address.to_string());
        for broken in
            ["postgres://me:secret@[/docs", "postgres://me:secret@h:port/docs", "mysql://me:secret@h/d"]
        {
            let error = parse(broken).unwrap_err();
            assert!(!error.message().to_string().contains("secret"), "{broken}");
        }
        let error = parse("postgres://me:secret@h/d?sslmode=perhaps").unwrap_err();
        assert!(error.message().to_string().contains("unknown sslmode 'perhaps'"));
    }

    #[test]
    fn what_an_address_lacks_comes_from_the_environment() {
        let environment = |name: &str| {
            let value = match name {
                "PGHOST" => "db",
                "PGPORT" => "5433",
                "PGUSER" => "reader",
                "PGPASSWORD" => "secret",
                "PGDATABASE" => "docs",
                "PGSSLMODE" => "verify-full",
                _ => return None,
            };
            Some(value.to_owned())
        };
        let address = Address::parse("postgres://", environment).unwrap();
        assert_eq!(address.to_string(), "postgres://reader@db:5433/docs");
        assert_eq!(address.security, Security::VerifyFull);
        assert_eq!(address.config.get_password(), Some(b"secret".as_slice()));
        let address = Address::parse("postgres://me@other/mine?sslmode=disable", environment).unwrap();
        assert_eq!(address.to_string(), "postgres://me@other:5433/mine");
        assert_eq!(address.security, Security::Disable);
    }

    #[cfg(unix)]
    #[test]
    fn connections_within_a_machine_are_not_encrypted() {
        let address = parse("postgres://me@%2Ftmp%2Fx/docs?sslmode=require").unwrap();
        assert_eq!(address.security, Security::Disable);
        assert_eq!(address.to_string(), "postgres://me@/tmp/x/docs");
    }
}
