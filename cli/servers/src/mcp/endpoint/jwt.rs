//! Access tokens in the form of RFC 7519, signed with a public key of the authorization server.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// By how many seconds the clocks of two machines may differ.
const DRIFT: f64 = 60.0;

/// Longest token, in bytes: a header of a request has little more room.
const LONGEST: usize = 16 << 10;

/// A public key, as in RFC 7517.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Key {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<Value>,
}

/// A token whose signature is not checked.
#[derive(Debug)]
pub(super) struct Unchecked<'a> {
    header: Header,
    signed: &'a str,
    signature: Vec<u8>,
}

/// What a token says.
pub(super) type Claims = Map<String, Value>;

/// Whether this may be such a token: other tokens have no dots.
pub(super) fn is_one(token: &str) -> bool {
    token.matches('.').count() == 2 && token.len() <= LONGEST
}

impl<'a> Unchecked<'a> {
    /// Parses a token; `None` for other texts, and for algorithms that are not supported.
    pub(super) fn parse(token: &'a str) -> Option<Self> {
        if !is_one(token) {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let header: Header = serde_json::from_slice(&bytes(signed.split_once('.')?.0)?).ok()?;
        let typ = header.typ.as_deref().map(|typ| typ.to_ascii_lowercase());
        let is_access =
            typ.as_deref().is_none_or(|typ| matches!(typ, "jwt" | "at+jwt" | "application/at+jwt"));
        // An extension that has to be understood is not.
        let is_known =
            is_access && header.crit.is_none() && matches!(&*header.alg, "RS256" | "ES256" | "EdDSA");
        is_known.then_some(Self { header, signed, signature: bytes(signature)? })
    }

    /// The claims, if one of the keys signed them.
    pub(super) fn checked(&self, keys: &[Key]) -> Option<Claims> {
        let kid = self.header.kid.as_deref();
        let mut named = keys.iter().filter(|key| kid.is_none() || key.kid.as_deref() == kid);
        if !named.any(|key| key.signed(&self.header.alg, self.signed.as_bytes(), &self.signature)) {
            return None;
        }
        serde_json::from_slice(&bytes(self.signed.split_once('.')?.1)?).ok()
    }
}

impl Key {
    fn signed(&self, algorithm: &str, text: &[u8], signature: &[u8]) -> bool {
        let is_for_it = self.purpose.as_deref().is_none_or(|purpose| purpose == "sig")
            && self
                .alg
                .as_deref()
                .is_none_or(|own| own == algorithm || (own, algorithm) == ("Ed25519", "EdDSA"));
        is_for_it && self.verified(algorithm, text, signature).unwrap_or(false)
    }

    fn verified(&self, algorithm: &str, text: &[u8], signature: &[u8]) -> Option<bool> {
        let part = |part: &Option<String>| bytes(part.as_deref()?);
        let verified = match (algorithm, &*self.kty, self.crv.as_deref()) {
            ("RS256", "RSA", _) => {
                let key = RsaPublicKeyComponents { n: part(&self.n)?, e: part(&self.e)? };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, text, signature)
            }
            ("ES256", "EC", Some("P-256")) => {
                // A point that is not compressed.
                let point = [vec![4], part(&self.x)?, part(&self.y)?].concat();
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(text, signature)
            }
            ("EdDSA", "OKP", Some("Ed25519")) => {
                UnparsedPublicKey::new(&ED25519, part(&self.x)?).verify(text, signature)
            }
            _ => return None,
        };
        Some(verified.is_ok())
    }
}

/// Whether the claims are of this server, for this resource, and hold now; `now` is in seconds since 1970.
pub(super) fn holds(claims: &Claims, issuer: &str, resource: &str, now: f64) -> bool {
    let time = |name: &str| claims.get(name).map(Value::as_f64);
    let is_for_it = match claims.get("aud") {
        Some(Value::String(one)) => one == resource,
        Some(Value::Array(all)) => all.iter().any(|one| one == resource),
        _ => false,
    };
    // A token without an end is not accepted, and neither is one whose times are no numbers.
    let is_valid = matches!(time("exp"), Some(Some(end)) if now < end + DRIFT)
        && time("nbf").is_none_or(|begin| begin.is_some_and(|begin| begin <= now + DRIFT));
    is_for_it && is_valid && claims.get("iss").and_then(Value::as_str) == Some(issuer)
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The example in appendix A.2 of RFC 7515.
    const MODULUS: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    const TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

    fn key(more: &Value) -> Key {
        let mut key = json!({ "kty": "RSA", "n": MODULUS, "e": "AQAB" });
        key.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(key).unwrap()
    }

    #[test]
    fn a_token_is_valid_if_a_key_for_signatures_signed_it() {
        let claims = Unchecked::parse(TOKEN).unwrap().checked(&[key(&json!({}))]).unwrap();
        assert_eq!((&claims["iss"], &claims["exp"]), (&json!("joe"), &json!(1_300_819_380)));
        for more in [
            json!({ "use": "enc" }),
            json!({ "alg": "RS512" }),
            json!({ "kty": "EC" }),
            json!({ "n": "AQAB" }),
        ] {
            assert!(Unchecked::parse(TOKEN).unwrap().checked(&[key(&more)]).is_none(), "{more}");
        }
        assert!(Unchecked::parse(TOKEN).unwrap().checked(&[]).is_none());
    }

    #[test]
    fn a_token_that_was_changed_is_refused() {
        let (header, rest) = TOKEN.split_once('.').unwrap();
        let (claims, signature) = rest.split_once('.').unwrap();
        let encoded = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let none = encoded(json!({ "alg": "none" }));
        let hmac = encoded(json!({ "alg": "HS256" }));
        let critical = encoded(json!({ "alg": "RS256", "crit": ["exp"] }));
        let other_type = encoded(json!({ "alg": "RS256", "typ": "logout+jwt" }));
        let swapped = encoded(json!({ "alg": "ES256" }));
        let claimed = encoded(json!({ "iss": "jim", "exp": 9_999_999_999_u64 }));
        for token in [
            format!("{none}.{claims}."),
            format!("{hmac}.{claims}.{signature}"),
            format!("{critical}.{claims}.{signature}"),
            format!("{other_type}.{claims}.{signature}"),
            format!("{swapped}.{claims}.{signature}"),
            format!("{header}.{claimed}.{signature}"),
            format!("{header}.{claims}.{}", &signature[..signature.len() - 4]),
            format!("{header}.{claims}.{signature}.x"),
            format!("{header}.{claims}"),
            "..".into(),
            format!("{header}.{}.{signature}", "A".repeat(LONGEST)),
        ] {
            let claims = Unchecked::parse(&token).and_then(|token| token.checked(&[key(&json!({}))]));
            assert!(claims.is_none(), "{token}");
        }
    }

    #[test]
    fn claims_hold_for_one_issuer_and_resource_and_for_a_time() {
        let good = json!({ "iss": "https://login.example", "aud": "https://docs.example/mcp", "exp": 1000 });
        let holds = |more: Value, now: f64| {
            let mut claims = good.as_object().unwrap().clone();
            claims.extend(more.as_object().unwrap().clone());
            claims.retain(|_, value| !value.is_null());
            holds(&claims, "https://login.example", "https://docs.example/mcp", now)
        };
        assert!(holds(json!({}), 900.0) && holds(json!({}), 1050.0) && !holds(json!({}), 1061.0));
        assert!(holds(json!({ "aud": ["other", "https://docs.example/mcp"], "nbf": 890 }), 900.0));
        for more in [
            json!({ "iss": "https://login.example/" }),
            json!({ "iss": null }),
            json!({ "aud": "https://docs.example" }),
            json!({ "aud": null }),
            json!({ "aud": [] }),
            json!({ "exp": null }),
            json!({ "exp": "1000" }),
            json!({ "nbf": 1000 }),
            json!({ "nbf": "800" }),
        ] {
            assert!(!holds(more.clone(), 900.0), "{more}");
        }
    }
}
