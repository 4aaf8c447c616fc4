//! The certificate of a server that others reach: the owner's, or one that is made here and kept for the next start.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, date_time_ymd};
use sha2::{Digest as _, Sha256};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use ubp_core::{Error, Result, message};
use ubp_host::atomic::{self, Readers};

/// Names of the files of a certificate that was made here.
const FILES: [&str; 2] = ["share-certificate.pem", "share-key.pem"];

/// How long a new one is valid. Systems of Apple accept at most 825 days.
const VALID: Duration = Duration::from_hours(24 * 820);

/// It is replaced this long before.
const MARGIN: Duration = Duration::from_hours(24 * 30);

/// Where a certificate comes from.
#[derive(Debug, Clone)]
pub enum Certificate {
    /// The owner's: the chain and its key, in PEM.
    Own {
        /// The file with the chain.
        chain: PathBuf,
        /// The file with the key.
        key: PathBuf,
    },
    /// One that is made here, and kept in this folder.
    SelfSigned {
        /// The folder, which only its owner can read.
        folder: PathBuf,
    },
}

/// What accepts connections, and how to recognise it.
pub(super) struct Secured {
    pub acceptor: TlsAcceptor,
    /// SHA-256 of the certificate, as browsers show it; only of one that was made here.
    pub fingerprint: Option<String>,
}

impl Certificate {
    /// Reads the certificate, or makes it, for a server with these names and addresses.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::InvalidParams`] for files that are not a certificate and its key.
    pub(super) fn load(&self, names: &[String]) -> Result<Secured> {
        match self {
            Self::Own { chain, key } => {
                let acceptor = acceptor(&fs::read(chain).map_err(|error| io(chain, error))?, &read_key(key)?)
                    .map_err(|error| unusable(chain, key, &error))?;
                Ok(Secured { acceptor, fingerprint: None })
            }
            Self::SelfSigned { folder } => kept(folder, names),
        }
    }
}

fn io(path: &Path, error: std::io::Error) -> Error {
    Error::io(path.display().to_string(), error)
}

fn read_key(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| io(path, error))
}

fn unusable(chain: &Path, key: &Path, error: &str) -> Error {
    let (chain, key) = (chain.display().to_string(), key.display().to_string());
    Error::invalid(message!(
        "{chain} and {key} are not a certificate and its key in PEM: {error}",
        chain,
        key,
        error
    ))
}

/// An acceptor with a chain and key in PEM.
fn acceptor(chain: &[u8], key: &[u8]) -> std::result::Result<TlsAcceptor, String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let chain = CertificateDer::pem_slice_iter(chain).collect::<std::result::Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| told(&error))?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| told(&error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| told(&error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The certificate in the folder. Made if there is none, or if it expires soon.
fn kept(folder: &Path, names: &[String]) -> Result<Secured> {
    let [chain, key] = FILES.map(|name| folder.join(name));
    let age = fs::metadata(&chain).and_then(|metadata| metadata.modified()).ok();
    let age = age.map(|made| SystemTime::now().duration_since(made).unwrap_or_default());
    if age.is_some_and(|age| age < VALID - MARGIN)
        && let (Ok(certificate), Ok(text)) = (fs::read(&chain), fs::read(&key))
        && let Ok(acceptor) = acceptor(&certificate, &text)
    {
        return Ok(Secured { acceptor, fingerprint: fingerprint(&certificate) });
    }
    let made = Made::new(names, Timestamp::now())
        .ok_or_else(|| Error::Internal("cannot make a certificate".into()))?;
    let Made { certificate, key: text } = made;
    for (path, text) in [(&key, &text), (&chain, &certificate)] {
        if let Err(error) = fs::remove_file(path)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(io(path, error));
        }
        atomic::append(path, text.as_bytes(), Readers::Owner).map_err(|error| io(path, error))?;
    }
    let acceptor = acceptor(certificate.as_bytes(), text.as_bytes()).map_err(Error::Internal)?;
    Ok(Secured { acceptor, fingerprint: fingerprint(certificate.as_bytes()) })
}

/// SHA-256 of the first certificate, as pairs of digits.
fn fingerprint(chain: &[u8]) -> Option<String> {
    let first = CertificateDer::pem_slice_iter(chain).next()?.ok()?;
    let pairs: Vec<String> = Sha256::digest(&first).iter().map(|byte| format!("{byte:02X}")).collect();
    Some(pairs.join(":"))
}

/// A self-signed certificate and its key, in PEM.
struct Made {
    certificate: String,
    key: String,
}

impl Made {
    /// For a server with these names and addresses.
    fn new(names: &[String], now: Timestamp) -> Option<Self> {
        let day = |time: Timestamp| {
            let date = time.to_zoned(TimeZone::UTC).date();
            Some(date_time_ymd(
                date.year().into(),
                date.month().try_into().ok()?,
                date.day().try_into().ok()?,
            ))
        };
        let names: Vec<String> = names.iter().map(|name| name.trim_matches(['[', ']']).to_owned()).collect();
        let mut params = CertificateParams::new(names).ok()?;
        params.distinguished_name.push(DnType::CommonName, "ubp viewer");
        params.extended_key_usages.push(ExtendedKeyUsagePurpose::ServerAuth);
        params.not_before = day(now)?;
        params.not_after = day(now.checked_add(VALID).ok()?)?;
        let key = KeyPair::generate().ok()?;
        let certificate = params.self_signed(&key).ok()?;
        Some(Self { certificate: certificate.pem(), key: key.serialize_pem() })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::pki_types::ServerName;
    use tokio_rustls::rustls::{ClientConfig, RootCertStore};

    use super::*;

    /// Whether a client that trusts this certificate, and no other, gets an answer from a server with it.
    async fn is_trusted(secured: &Secured, trusted: &[u8], name: &str) -> bool {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let acceptor = secured.acceptor.clone();
        let serving = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(mut stream) = acceptor.accept(stream).await {
                stream.write_all(b"here").await.unwrap();
                stream.shutdown().await.unwrap();
            }
        });
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(
            CertificateDer::pem_slice_iter(trusted).map(std::result::Result::unwrap),
        );
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = TlsConnector::from(Arc::new(config));
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let stream = TcpStream::connect(address).await.unwrap();
        let asked = async {
            let mut stream = connector.connect(name, stream).await.ok()?;
            let mut text = String::new();
            stream.read_to_string(&mut text).await.ok()?;
            Some(text)
        };
        let got = tokio::time::timeout(Duration::from_secs(20), asked).await.unwrap();
        serving.await.unwrap();
        got.as_deref() == Some("here")
    }

    #[tokio::test]
    async fn a_certificate_that_is_made_here_is_valid_for_the_names_of_the_server_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("share");
        let certificate = Certificate::SelfSigned { folder: home.clone() };
        let names = ["localhost", "192.0.2.7", "[2001:db8::1]", "box.lan"].map(String::from);
        let first = certificate.load(&names).unwrap();
        let chain = fs::read(home.join(FILES[0])).unwrap();
        for name in ["localhost", "192.0.2.7", "2001:db8::1", "box.lan"] {
            assert!(is_trusted(&first, &chain, name).await, "{name}");
        }
        assert!(!is_trusted(&first, &chain, "other.lan").await, "another name");
        assert!(!is_trusted(&first, b"", "localhost").await, "trusted by nobody");
        let again = certificate.load(&names).unwrap();
        let pairs = first.fingerprint.unwrap();
        assert_eq!(again.fingerprint.as_ref(), Some(&pairs), "the same at the next start");
        assert_eq!((pairs.len(), pairs.matches(':').count()), (95, 31), "{pairs}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(home.join(FILES[1])).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(home.join(FILES[1]), "damaged").unwrap();
        assert_ne!(certificate.load(&names).unwrap().fingerprint, Some(pairs));
    }

    #[tokio::test]
    async fn the_owners_certificate_is_used_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let made = Made::new(&["docs.example".into()], Timestamp::now()).unwrap();
        let [chain, key] = ["chain.pem", "key.pem"].map(|name| folder.path().join(name));
        let text = made.certificate;
        fs::write(&chain, &text).unwrap();
        fs::write(&key, &made.key).unwrap();
        let own = Certificate::Own { chain: chain.clone(), key: key.clone() }.load(&[]).unwrap();
        assert!(own.fingerprint.is_none());
        assert!(is_trusted(&own, text.as_bytes(), "docs.example").await);
        let other = Made::new(&[], Timestamp::now()).unwrap();
        fs::write(folder.path().join("other.pem"), &other.key).unwrap();
        fs::write(folder.path().join("empty.pem"), "").unwrap();
        for (chain, key) in [("chain.pem", "other.pem"), ("chain.pem", "empty.pem"), ("empty.pem", "key.pem")]
        {
            let [chain, key] = [chain, key].map(|name| folder.path().join(name));
            let error = Certificate::Own { chain, key }.load(&[]).err().unwrap();
            assert_eq!(error.code(), "invalid_params", "{error}");
        }
        let missing = Certificate::Own { chain: folder.path().join("none.pem"), key };
        assert_eq!(missing.load(&[]).err().unwrap().code(), "io");
    }
}
