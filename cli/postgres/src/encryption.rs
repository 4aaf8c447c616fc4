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
    let chain = match is_checked {
        true => {
            let roots = Arc::new(roots(address)?);
            let chain = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
            Some(chain.build().map_err(unusable)?)
        }
        false => None,
    };
    let verifier: Arc<dyn ServerCertVerifier> = match (address.security, chain) {
        (Security::VerifyFull, Some(chain)) => chain,
        (_, chain) => Arc::new(Lenient { chain, provider: provider.clone() }),
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

/// Accepts certificates that are valid for another name, or without `chain` every certificate: `prefer` and `require`
/// protect against listeners, not against other servers.
#[derive(Debug)]
struct Lenient {
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Verified<ServerCertVerified> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(server, others, name, ocsp, now) {
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
        verify_tls12_signature(message, server, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Verified<HandshakeSignatureValid> {
        verify_tls13_signature(message, server, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
