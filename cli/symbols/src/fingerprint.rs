//! What can be compared about a definition.

use std::fmt;

/// A hash of tokens: the first half of a SHA-256. It is written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 16]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Hashes of a definition, without comments and layout. In all of them, the names in the path of the definition are
/// replaced by placeholders: the hashes stay the same if the definition, or what contains it, gets another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// All tokens.
    pub tokens: Hash,
    /// The tokens of the contract: those before the body of a function or a class, with types, default values, attributes
    /// and decorators. For other definitions all tokens, except for the bodies of functions in them.
    pub signature: Hash,
    /// The tokens of the body. Equal to `tokens` for a definition without a body.
    pub body: Hash,
    /// Number of tokens in the body. Short bodies are often equal by chance.
    pub body_length: usize,
}

/// How a definition differs from what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// At most in comments and layout.
    None,
    /// In its body.
    Body,
    /// In its signature.
    Signature,
}

/// A body with fewer tokens does not identify a function whose signature is another one.
const SHORTEST_BODY: usize = 12;

impl Fingerprint {
    /// Whether the body is so long that an equal one is the same.
    pub const fn has_telling_body(&self) -> bool {
        self.body_length >= SHORTEST_BODY
    }

    /// How a definition that had the fingerprint `before` has changed.
    pub fn change_since(&self, before: &Self) -> Change {
        Change::between((before.tokens, before.signature), (self.tokens, self.signature))
    }
}

impl Change {
    /// The change between two pairs of hashes of all tokens and of the signature.
    pub fn between(before: (Hash, Hash), after: (Hash, Hash)) -> Self {
        match (before.0 == after.0, before.1 == after.1) {
            (_, false) => Self::Signature,
            (false, true) => Self::Body,
            (true, true) => Self::None,
        }
    }
}
