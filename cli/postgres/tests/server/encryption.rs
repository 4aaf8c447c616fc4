//! Encrypted connections. The server of the tests has no TLS of its own, so something in front of it encrypts. Its key and
//! its root certificate are for these tests only.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_rustls::TlsAcceptor;
use ubp_postgres::{Address, Database, run};

use crate::server::{Server, shared};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server/certificates/root.pem");
const CERTIFICATE: &[u8] = include_bytes!("certificates/server.pem");
const KEY: &[u8] = include_bytes!("certificates/server.key");
/// The message with which a client asks for encryption: its length, and 80877103.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Accepts connections for `localhost`, and passes them on to the socket of the server.
struct Front {
    port: u16,
    encrypted: Arc<AtomicUsize>,
}

impl Front {
    async fn open(server: &Server, has_tls: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let socket = server.folder.path().join(".s.PGSQL.5432");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                CertificateDer::pem_slice_iter(CERTIFICATE).collect::<Result<_, _>>().unwrap(),
                PrivateKeyDer::from_pem_slice(KEY).unwrap(),
            )
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let encrypted = Arc::new(AtomicUsize::default());
        let count = encrypted.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (socket, acceptor, count) = (socket.clone(), acceptor.clone(), count.clone());
                tokio::spawn(async move { serve(client, socket, has_tls.then_some(acceptor), &count).await });
            }
        });
        Self { port, encrypted }
    }

    async fn connect(&self, host: &str, database: &str, options: &str) -> ubp_core::Result<Database> {
        let text = format!("postgres://postgres@{host}:{}/{database}?{options}", self.port);
        Database::open(&Address::parse(&text, |_| None)?, 1).await
    }
}

async fn serve(
    mut client: TcpStream,
    socket: std::path::PathBuf,
    acceptor: Option<TlsAcceptor>,
    encrypted: &AtomicUsize,
) {
    let mut first = [0; 8];
    client.read_exact(&mut first).await.unwrap();
    if first != SSL_REQUEST {
        return pass(client, socket, &first).await;
    }
    let Some(acceptor) = acceptor else {
        client.write_all(b"N").await.unwrap();
        return pass(client, socket, &[]).await;
    };
    client.write_all(b"S").await.unwrap();
    // A client that does not trust the certificate hangs up.
    let Ok(client) = acceptor.accept(client).await else { return };
    encrypted.fetch_add(1, Ordering::Relaxed);
    pass(client, socket, &[]).await;
}

async fn pass(mut client: impl AsyncRead + AsyncWrite + Unpin, socket: std::path::PathBuf, first: &[u8]) {
    let mut server = UnixStream::connect(socket).await.unwrap();
    server.write_all(first).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

#[test]
fn the_server_is_checked_as_far_as_sslmode_asks() {
    let Some(server) = shared() else { return };
    run(async {
        let (_database, name) = server.index().await;
        let front = Front::open(server, true).await;
        let root = format!("sslrootcert={ROOT}");
        for (host, options, is_accepted) in [
            ("localhost", format!("sslmode=verify-full&{root}"), true),
            ("127.0.0.1", format!("sslmode=verify-full&{root}"), false),
            ("localhost", "sslmode=verify-full".into(), false),
            ("127.0.0.1", format!("sslmode=verify-ca&{root}"), true),
            ("127.0.0.1", "sslmode=verify-ca".into(), false),
            ("127.0.0.1", format!("sslmode=require&{root}"), true),
            ("127.0.0.1", "sslmode=require".into(), true),
            ("127.0.0.1", "sslmode=prefer".into(), true),
        ] {
            let before = front.encrypted.load(Ordering::Relaxed);
            let opened = front.connect(host, &name, &options).await;
            assert_eq!(opened.is_ok(), is_accepted, "{host} {options}: {:?}", opened.err());
            if let Err(error) = opened {
                assert!(error.to_string().contains("certificate"), "{error}");
            } else {
                assert_eq!(front.encrypted.load(Ordering::Relaxed), before + 1, "{host} {options}");
            }
        }
        let before = front.encrypted.load(Ordering::Relaxed);
        assert!(front.connect("127.0.0.1", &name, "sslmode=disable").await.is_ok());
        assert_eq!(front.encrypted.load(Ordering::Relaxed), before);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_server_without_encryption_is_refused_unless_sslmode_allows_it() {
    let Some(server) = shared() else { return };
    run(async {
        let (_database, name) = server.index().await;
        let front = Front::open(server, false).await;
        assert!(front.connect("localhost", &name, "sslmode=prefer").await.is_ok());
        for mode in ["require", "verify-ca", "verify-full"] {
            let refused = front.connect("localhost", &name, &format!("sslmode={mode}")).await.err().unwrap();
            assert!(refused.to_string().contains("TLS"), "{mode}: {refused}");
        }
        Ok(())
    })
    .unwrap();
}
