//! Encrypted connections, with as much checking of the server as `sslmode` asks for.

use std::fs;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_postgres_rustls::MakeRustlsConnect;
use ubp_core::message::Message;
use ubp_core::{Error, Result, message};

use crate::address::{Address, Security};
use crate::failure::failure;

type Verified<T> = std::result::Result<T, rustls::Error>;

/// What encrypts connections to `address`.
///
/// # Errors
/// [`Error::Io`] and [`Error::SharedIndex`] for an unusable root certificate.
pub(crate) fn encryption(address: &Address) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    // As in libpq: whoever names a root certificate wants it to be checked.
    let is_checked = matches!(address.security, Security::VerifyCa | Security::VerifyFull)
        || (address.security == Security::Require && address.roots.is_some());
    let verifier: Arc<dyn ServerCertVerifier> = if is_checked {
        let checked =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots(address)?), provider.clone());
        let checked = checked.build().map_err(unusable)?;
        match address.security {
            Security::VerifyFull => checked,
            _ => Arc::new(AnyName(checked)),
        }
    } else {
        Arc::new(Anybody(provider.clone()))
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn unusable(error: impl std::fmt::Display) -> Error {
    failure(message!(
        "encrypted connections cannot be set up: {error}",
        error = Message::reported(error.to_string())
    ))
}

/// The certificates in the file of `sslrootcert`, or those that browsers trust.
fn roots(address: &Address) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let Some(file) = address.roots.as_ref().filter(|file| file.as_os_str() != "system") else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let io = |source| Error::Io { path: file.display().to_string(), source };
    let text = fs::read(file).map_err(io)?;
    for certificate in CertificateDer::pem_slice_iter(&text) {
        roots.add(certificate.map_err(unusable)?).map_err(unusable)?;
    }
    if roots.is_empty() {
        return Err(failure(message!(
            "{path}: no certificate in this file",
            path = file.display().to_string()
        )));
    }
    Ok(roots)
}

/// Accepts certificates that are valid for another name.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Verified<ServerCertVerified> {
        match self.0.verify_server_cert(server, others, name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Verified<HandshakeSignatureValid> {
        self.0.verify_tls12_signature(message, server, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Verified<HandshakeSignatureValid> {
        self.0.verify_tls13_signature(message, server, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Accepts every certificate: `prefer` and `require` protect against listeners, not against other servers.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Verified<ServerCertVerified> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Verified<HandshakeSignatureValid> {
        verify_tls12_signature(message, server, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Verified<HandshakeSignatureValid> {
        verify_tls13_signature(message, server, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
