//! Detects secrets: keys and tokens by their vendors' formats, passwords by the name
//! that they are assigned to, and other assigned values that look random. Pages are read by
//! many and committed; deleting a secret from one is not enough, it has to be replaced.

use crate::word;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A part of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Topic,
    Content,
    /// An example by its number, from 1.
    Example(usize),
    Tags,
    Source,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Topic => f.write_str("topic"),
            Self::Content => f.write_str("content"),
            Self::Example(number) => write!(f, "example {number}"),
            Self::Tags => f.write_str("tags"),
            Self::Source => f.write_str("source"),
        }
    }
}

/// A text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    pub place: Place,
    /// Line within its part, from 1.
    pub line: usize,
    /// What it looks like, with its article.
    pub kind: &'static str,
}

/// A format of secrets.
struct Rule {
    kind: &'static str,
    form: Regex,
    /// Whether a match is a secret and not a placeholder.
    is_one: fn(&Captures<'_>) -> bool,
}

/// What a secret looks like: description, pattern, and a check that a match is not a placeholder.
type Form = (&'static str, &'static str, fn(&Captures<'_>) -> bool);

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let forms: [Form; 19] = [
        (word!("a private key"), r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----", |_| true),
        (word!("an AWS access key"), r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b", is_no_example),
        (word!("a GitHub token"), r"\b(gh[pousr]_[A-Za-z0-9]{36,})\b", is_no_example),
        (word!("a GitHub token"), r"\b(github_pat_[A-Za-z0-9_]{22,})\b", is_no_example),
        (word!("a GitLab token"), r"\b(glpat-[A-Za-z0-9_-]{20,})", is_no_example),
        (word!("a Slack token"), r"\b(xox[abeoprs]-[A-Za-z0-9-]{10,})", has_digits),
        (
            word!("a Slack webhook"),
            r"(hooks\.slack\.com/services/T[A-Za-z0-9_]{6,}/B[A-Za-z0-9_]{6,}/[A-Za-z0-9_]{20,})",
            is_no_example,
        ),
        (word!("an API key of OpenAI's kind"), r"\b(sk-[A-Za-z0-9_-]{20,})", is_random_key),
        (word!("a Google API key"), r"\b(AIza[0-9A-Za-z_-]{35})", is_no_example),
        (word!("a Google OAuth token"), r"\b(ya29\.[0-9A-Za-z_-]{20,})", is_no_example),
        (word!("a Stripe key"), r"\b([sr]k_(?:live|test)_[0-9A-Za-z]{16,})\b", is_no_example),
        (word!("an npm token"), r"\b(npm_[A-Za-z0-9]{36})\b", is_no_example),
        (word!("a Hugging Face token"), r"\b(hf_[A-Za-z0-9]{30,})\b", is_no_example),
        (word!("a DigitalOcean token"), r"\b(do[por]_v1_[a-f0-9]{40,})\b", is_no_example),
        (
            word!("a password of a database client"),
            r#"\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^|;&\n]{0,200}?\s-p["']?([^\s"']{4,})"#,
            is_no_word,
        ),
        (
            word!("a name with its password"),
            r#"\bcurl\b[^|;&\n]{0,300}?\s(?:-u|--user)[ =]{1,4}["']?[^\s:"']{1,100}:([^\s"']+)"#,
            is_password_of_a_name,
        ),
        (
            word!("a name with its password"),
            r"(?i)\bbasic[ \t]{1,4}([A-Za-z0-9+/]{8,}={0,2})",
            is_basic_authorization,
        ),
        (
            word!("a JSON Web Token"),
            r"\b(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
            |_| true,
        ),
        (word!("a password in a URL"), r"(?i)[a-z]://[^/\s:@]+:([^@\s/]{3,})@", is_given_value),
    ];
    let assigned: [Form; 3] = [
        (
            word!("a password"),
            r#"(?i)(?:(?:password|passwd|pwd|passphrase)|パスワード|暗証番号)["'`*]{0,3}[ \t]{0,4}(?::=|=>|[=:：])[ \t]{0,4}(["'`]?)([^\s"'`,;<>]{4,})"#,
            is_password,
        ),
        (
            word!("a secret"),
            r#"(?i)(?:(?:secret|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|token|credentials?)|秘密鍵|トークン)["'`*]{0,3}[ \t]{0,4}(?::=|=>|[=:：])[ \t]{0,4}(?:bearer[ \t]{1,4})?(["'`]?)([^\s"'`,;<>]{12,})"#,
            is_assigned_secret,
        ),
        (
            word!("a random value, as secrets are"),
            r#"(?:^|[^A-Za-z0-9_.?&-])([A-Za-z0-9_.-]+)["'`]?[ \t]{0,4}(?::=|=>|[=:])[ \t]{0,4}["'`]?([A-Za-z0-9+/_=-]{32,})"#,
            is_random_value,
        ),
    ];
    let rules = forms.into_iter().chain(assigned);
    rules
        .filter_map(|(kind, form, is_one)| Some(Rule { kind, form: Regex::new(form).ok()?, is_one }))
        .collect()
});

/// Lines of these texts that look like secrets, each reported once.
pub(crate) fn look_for<'t>(texts: impl IntoIterator<Item = (Place, &'t str)>) -> Vec<Secret> {
    let mut found = Vec::new();
    for (place, text) in texts {
        for (at, line) in text.lines().enumerate() {
            let rule = RULES.iter().find(|rule| rule.form.captures_iter(line).any(|it| (rule.is_one)(&it)));
            found.extend(rule.map(|rule| Secret { place, line: at + 1, kind: rule.kind }));
        }
    }
    found
}

fn value<'t>(captures: &Captures<'t>, group: usize) -> &'t str {
    captures.get(group).map_or("", |found| found.as_str())
}

/// Whether it is meant to be replaced by the reader.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let words = [
        "example",
        "changeme",
        "change_me",
        "change-me",
        "placeholder",
        "your",
        "redacted",
        "dummy",
        "sample",
        "xxxx",
        "****",
        "....",
        "…",
        "todo",
        "insert",
        "replace",
        "foobar",
        "none",
        "null",
        "undefined",
    ];
    let mut letters = lower.chars();
    let first = letters.next();
    words.iter().any(|word| lower.contains(word))
        || lower.starts_with(['$', '%', '{', '<', '[', '@', '#'])
        || letters.all(|c| Some(c) == first)
        || "0123456789abcdefghijklmnopqrstuvwxyz".contains(&lower)
}

fn is_no_example(captures: &Captures<'_>) -> bool {
    !is_placeholder(value(captures, 1))
}

fn has_digits(captures: &Captures<'_>) -> bool {
    is_no_example(captures) && value(captures, 1).bytes().any(|byte| byte.is_ascii_digit())
}

/// A name and a password in base64. Words look like base64 too, but do not decode to text with a colon.
fn is_basic_authorization(captures: &Captures<'_>) -> bool {
    let decoded = base64(value(captures, 1)).and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.is_some_and(|text| {
        let pair = text.split_once(':');
        let printable = text.chars().all(|c| !c.is_control());
        printable && pair.is_some_and(|(name, password)| !name.is_empty() && !is_placeholder(password))
    })
}

/// Decodes base64, ignoring incomplete bytes at the end; `None` if it is not base64.
fn base64(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// Ordinary names begin with `sk-`, too.
fn is_random_key(captures: &Captures<'_>) -> bool {
    let key = value(captures, 1);
    !is_placeholder(key) && key.bytes().filter(u8::is_ascii_digit).count() >= 2 && entropy(key) >= 3.5
}

fn is_given_value(captures: &Captures<'_>) -> bool {
    let value = value(captures, 1);
    let names = ["pass", "password", "passwd", "pwd", "secret", "pw", "token"];
    !is_placeholder(value) && !names.contains(&value.to_lowercase().as_str())
}

/// Also accepts a password of one character.
fn is_password_of_a_name(captures: &Captures<'_>) -> bool {
    value(captures, 1).chars().count() == 1 || is_given_value(captures)
}

/// `-prefix` is a word after a hyphen.
fn is_no_word(captures: &Captures<'_>) -> bool {
    let is_word = value(captures, 1).chars().all(|c| c.is_ascii_lowercase() || c == '-');
    !is_word && is_given_value(captures)
}

/// Whether a value is an expression or an identifier in code, so not a secret itself.
fn is_code(value: &str) -> bool {
    let names =
        value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '>' | '?' | '!'));
    let steps = ["::", "->", "?.", "."].iter().any(|step| {
        value.split_once(step).is_some_and(|(before, after)| {
            !before.is_empty() && after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        })
    });
    value.contains(['(', '[', '{']) || (names && steps) || value.starts_with(['/', '&', '|', '\\', '='])
}

fn is_password(captures: &Captures<'_>) -> bool {
    let (quoted, value) =
        (!value(captures, 1).is_empty(), value(captures, 2).trim_end_matches(['.', ')', '。', '、']));
    let types =
        ["string", "str", "text", "bool", "boolean", "true", "false", "required", "optional", "secret"];
    let lower = value.to_lowercase();
    if is_placeholder(value)
        || is_code(value)
        || types.contains(&lower.as_str())
        || lower.contains("password")
    {
        return false;
    }
    let plain_name = value.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-'));
    // `8-64` is a length, and a value in another script is part of a sentence.
    let letters = value.chars().any(char::is_alphabetic) || value.len() >= 6;
    letters && value.chars().count() >= 4 && (quoted || (value.is_ascii() && !plain_name))
}

fn is_assigned_secret(captures: &Captures<'_>) -> bool {
    let value = value(captures, 2);
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    digits
        && value.is_ascii()
        && !is_placeholder(value)
        && !is_code(value)
        && !is_address(value)
        && entropy(value) >= 3.0
}

fn is_address(value: &str) -> bool {
    value.contains("://") || value.matches('/').count() >= 3
}

/// Words in the names of values that look random but are not secret.
const HARMLESS: [&str; 10] =
    ["sha", "hash", "digest", "checksum", "integrity", "md5", "commit", "etag", "fingerprint", "uuid"];

fn is_random_value(captures: &Captures<'_>) -> bool {
    let (name, value) = (value(captures, 1).to_lowercase(), value(captures, 2));
    let start = value.to_lowercase();
    let harmless =
        name.ends_with("id") || HARMLESS.iter().any(|word| name.contains(word) || start.starts_with(word));
    let count = |of: fn(&u8) -> bool| value.bytes().filter(of).count();
    let kinds = [count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase)];
    // In identifiers only the first letter of a word is a capital; random text changes case all the time.
    let pairs = value.as_bytes().windows(2).map(|pair| (kind_of(pair[0]), kind_of(pair[1])));
    let changes = pairs.filter(|&pair| pair.0 != pair.1 && pair != (CAPITAL, SMALL)).count();
    !harmless
        && !is_placeholder(value)
        && !is_address(value)
        && kinds.iter().all(|&count| count >= 3)
        && changes * 10 >= value.len() * 3
        && entropy(value) >= 4.2
}

const CAPITAL: u8 = 1;
const SMALL: u8 = 2;

fn kind_of(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => CAPITAL,
        b'a'..=b'z' => SMALL,
        _ => 3,
    }
}

/// Shannon entropy in bits per character.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len() as f64;
    let shares = counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count) / length);
    shares.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, &'static str)> {
        look_for([(Place::Content, text)]).into_iter().map(|secret| (secret.line, secret.kind)).collect()
    }

    /// Joins two parts, so that secret scanners do not report this file.
    fn joined(a: &str, b: &str) -> String {
        format!("{a}{b}")
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(RULES.len(), 22);
    }

    #[test]
    fn secrets_are_found_with_their_lines() {
        let jwt =
            joined("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P");
        for (text, kind) in [
            (joined("-----BEGIN RSA PRIVATE", " KEY-----"), word!("a private key")),
            (joined("-----BEGIN OPENSSH PRIVATE", " KEY-----"), word!("a private key")),
            (joined("-----BEGIN PGP PRIVATE KEY", " BLOCK-----"), word!("a private key")),
            (joined("id AKIA", "Z7VRSQ5TJN2XMPLQ"), word!("an AWS access key")),
            (joined("ghp_", "a8Fk3Lq9Zx7Vb2Nm5Tr1Yw6Ue4Io0PsDfGhJ"), word!("a GitHub token")),
            (joined("github_pat_", "11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVw"), word!("a GitHub token")),
            (joined("glpat-", "x9Kd83mfLq02Zv7TnB4c"), word!("a GitLab token")),
            (joined("xoxb-", "2837465910-1928374650-aBcDeFgHiJkL"), word!("a Slack token")),
            (
                joined("https://hooks.slack.com/services/", "T02AB3CD4/B05EF6GH7/q8W3e5R7t9Y1u2I4o6P0aSdF"),
                word!("a Slack webhook"),
            ),
            (joined("sk-", "proj-9aX2bC4dE6fG8hJ0kL3mN5pQ7rS"), word!("an API key of OpenAI's kind")),
            (joined("AIza", "SyD4kX9vB2nM7qL1wE8rT5yU3iO6pA0sDfG"), word!("a Google API key")),
            (joined("ya29.", "a0AfH6SMBx8k2Lq9Zv7TnB4cXw"), word!("a Google OAuth token")),
            (joined("sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"), word!("a Stripe key")),
            (jwt, word!("a JSON Web Token")),
            (joined("hf_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3x"), word!("a Hugging Face token")),
            (joined("dop_v1_", &"0a1b2c3d".repeat(8)), word!("a DigitalOcean token")),
            ("mysql -u root -pS3cr3t app".into(), word!("a password of a database client")),
            ("`mysqldump -h db -p'Xy9!aa' app > x.sql`".into(), word!("a password of a database client")),
            ("curl -u a:b https://x.example".into(), word!("a name with its password")),
            ("curl -s --user=ann:S3cr3t https://x.example".into(), word!("a name with its password")),
            ("Authorization: Basic YWRtaW46UzNjcjN0IQ==".into(), word!("a name with its password")),
            ("postgres://app:s3cr3tW0rd@db.internal/app".into(), word!("a password in a URL")),
            ("password = hunter2".into(), word!("a password")),
            ("DB_PASSWORD=Tr0ub4dor&3".into(), word!("a password")),
            ("  \"password\": \"correcthorse\",".into(), word!("a password")),
            ("The password: hunter22.".into(), word!("a password")),
            ("パスワード：hunter22".into(), word!("a password")),
            ("password: '秘密1234'".into(), word!("a password")),
            ("**Password**: xK9!mQ2z".into(), word!("a password")),
            ("api_key: 9f8e7d6c5b4a39281706".into(), word!("a secret")),
            ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzK3vQ9pL2m".into(), word!("a secret")),
            ("Authorization token: Bearer f3a9c81e7b2d4650".into(), word!("a secret")),
            (
                "STORAGE=Zm9vYmFyQ2hh1bmdlTWU4N2FzZGprMjM4OTdhc2Q5OGFz".into(),
                word!("a random value, as secrets are"),
            ),
        ] {
            assert_eq!(found(&format!("first\n{text}\nlast")), [(2, kind)], "{text}");
        }
    }

    #[test]
    fn texts_about_secrets_are_not_secrets() {
        for text in [
            "The password is hashed with argon2; never log a token.",
            "Set `password` in the form, and `token: String` in the struct.",
            "password: String,",
            "password: required",
            "let password = read_password();",
            "password = os.environ['DB_PASSWORD']",
            "const token = await getToken();",
            "password = config.database.password",
            "PASSWORD=$DB_PASSWORD",
            "PASSWORD=${DB_PASSWORD}",
            "password = <your password>",
            "password: \"********\"",
            "password = changeme",
            "api_key = YOUR_API_KEY_GOES_HERE_123",
            "AKIAIOSFODNN7EXAMPLE",
            "postgres://user:password@localhost/db",
            "postgres://user:$PASSWORD@localhost/db",
            "mysql -u root -p app, with the -prefix option",
            "mysql -u root -p$MYSQL_PASSWORD app",
            "curl -u $USER:$PASSWORD https://x.example",
            "curl -u user:password https://x.example",
            "curl --user-agent=a:b https://x.example",
            "Basic authentication sends `Authorization: Basic <credentials>`",
            "Basic Authorization and Basic understanding of the basic configuration",
            "hf_hub_download and dop_v1_ tokens",
            "https://example.com/a:b/c@d",
            "max_tokens: 12500, next_token_index = 123456789012",
            "sha256: 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "commit = 3f786850e387550fdaab836ed7e6dc881de23001",
            "integrity=sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcgSpIdNs6c5H0NE8XYXysPDGNKHfuwvY7kxvUdBeoGlODJ6SfaPg",
            "id: 0198c1d2-7a3b-7000-8000-000000000001",
            "sk-learn-pipelines-with-columns-and-transformers",
            "path = src/components/AuthenticationProvider2/UserSessionManager3.tsx",
            "import = someVeryLongCamelCaseIdentifier123WithManyWordsInIt",
            "key = abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ",
            "token: Option<Arc<RefreshToken2>>",
            "[Recordings](https://video.example.org/playlist?list=PLrXlRqY7c8Jx4lPtS82muQd4VD8pR7Vn4E)",
            "documentId: 1FEEo_0aNiNfnW_tzo58m_HAM8wI_YMujHmKUaNBSzBk",
            "token_expiry = 3600000 ms",
            "secret: kubernetes.io/service-account-token",
            "セッションのトークン: JWT を使う",
            "パスワード：8文字以上の英数字とする",
            "トークン: 有効期限は15分のJWTとする。更新は別に",
            "password: 8-64 characters",
            "Rustでは async/await を使って非同期処理を書く",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn hostile_input_does_not_slow_detection_down() {
        for text in
            ["password".repeat(20_000), "a".repeat(500_000), "a://".repeat(50_000), "x=".repeat(100_000)]
        {
            let begun = std::time::Instant::now();
            found(&text);
            assert!(begun.elapsed().as_secs() < 10, "{}", &text[..20]);
        }
    }
}
