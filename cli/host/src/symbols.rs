//! The port `Symbols`, with grammars that are in the program.

use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::ports::{ContentHash, Symbol, SymbolHashes, SymbolPart, Symbols, Target, WholeFile};
use ubp_symbols::{Definition, Language, Limits, Source, Unreadable, find};

/// Finds the definitions of source files.
#[derive(Debug, Clone, Copy, Default)]
pub struct CodeSymbols;

impl Symbols for CodeSymbols {
    fn knows(&self, path: &str) -> bool {
        Language::of(path).is_some()
    }

    fn find(&self, path: &str, bytes: &[u8], names: &[&str]) -> Vec<Target> {
        match read(path, bytes) {
            Ok(source) => names.iter().map(|name| target(&source, name)).collect(),
            Err(file) => names.iter().map(|_| Target::File(file.clone())).collect(),
        }
    }

    fn all(&self, path: &str, bytes: &[u8]) -> Vec<Symbol> {
        let Ok(source) = read(path, bytes) else { return Vec::new() };
        source.symbols().iter().map(|parts| symbol(&source, parts)).collect()
    }

    fn tokens(&self, path: &str, bytes: &[u8]) -> Option<String> {
        read(path, bytes).map_or_else(|file| file.words, |source| Some(source.file_hash().to_string()))
    }
}

fn read<'a>(path: &str, bytes: &'a [u8]) -> Result<Source<'a>, WholeFile> {
    if ContentHash::of_lfs_pointer(bytes).is_some() {
        return Err(WholeFile { reason: message!("Git LFS has not fetched it"), words: None });
    }
    match Language::of(path).or_else(|| Language::of_script(bytes)) {
        Some(language) => {
            Source::read(language, bytes, Limits::default()).map_err(|error| whole(bytes, &error))
        }
        None => Err(WholeFile { reason: message!("its language is not known"), words: words(bytes) }),
    }
}

/// A file that could not be read. Its words are compared only if that is always possible: whether a time limit is reached
/// depends on the machine.
fn whole(bytes: &[u8], error: &Unreadable) -> WholeFile {
    let words = matches!(error, Unreadable::Invalid { .. }).then(|| words(bytes)).flatten();
    WholeFile { reason: told(error), words }
}

fn told(error: &Unreadable) -> Message {
    match error {
        Unreadable::TooLarge { bytes, limit } => {
            message!("it is too large: {bytes} bytes, the limit is {limit}", bytes, limit)
        }
        Unreadable::TooMany { limit } => message!("it has more than {limit} definitions", limit),
        Unreadable::TookTooLong { limit } => {
            message!("reading it took longer than {millis} ms", millis = limit.as_millis().to_string())
        }
        Unreadable::Binary => message!("it is not a text"),
        Unreadable::Invalid { line } => message!("the syntax on line {line} is invalid", line),
    }
}

fn words(bytes: &[u8]) -> Option<String> {
    Source::words(bytes, Limits::default()).ok().map(|source| source.file_hash().to_string())
}

fn target(source: &Source<'_>, name: &str) -> Target {
    match find(source.definitions(), name) {
        ubp_symbols::Target::Found(parts) => Target::Symbol(symbol(source, &parts)),
        ubp_symbols::Target::Ambiguous(names) => {
            let symbols = source.symbols();
            let meant = symbols
                .iter()
                .filter(|parts| parts.first().is_some_and(|first| names.contains(&first.qualified())));
            Target::Several(meant.map(|parts| symbol(source, parts)).collect())
        }
        ubp_symbols::Target::Missing(similar) => Target::Nothing(similar),
    }
}

fn symbol(source: &Source<'_>, parts: &[&Definition]) -> Symbol {
    let print = source.fingerprint(parts);
    Symbol {
        name: parts.first().map_or_else(String::new, |first| first.qualified()),
        hashes: SymbolHashes { tokens: print.tokens.to_string(), signature: print.signature.to_string() },
        body: print.has_telling_body().then(|| print.body.to_string()),
        parts: parts.iter().map(|definition| part(definition)).collect(),
    }
}

fn part(definition: &Definition) -> SymbolPart {
    SymbolPart {
        kind: definition.kind.name(),
        lines: definition.lines,
        range: definition.range.clone(),
        signature: definition.signature.clone(),
        doc: definition.doc.clone(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_host_knows_symbols() {
        ubp_testing::conformance::symbols(&CodeSymbols);
    }

    #[test]
    fn a_file_that_cannot_be_read_stands_for_itself() {
        let find = |path: &str, text: &str| {
            let found = CodeSymbols.find(path, text.as_bytes(), &["login"]);
            let [Target::File(file)] = <[Target; 1]>::try_from(found).unwrap() else { panic!("{path}") };
            file
        };
        let makefile = find("Makefile", "login:\n\tcargo run\n");
        assert_eq!(makefile.reason.to_string(), "its language is not known");
        assert_eq!(makefile.words, find("Makefile", "login:\n\n\tcargo   run\n").words);
        assert_ne!(makefile.words, find("Makefile", "login:\n\tcargo build\n").words);
        assert_eq!(
            find("config.json", "{ \"login\": ").reason.to_string(),
            "the syntax on line 1 is invalid"
        );
        let large = find("large.ts", &"function login() {}\n".repeat(200_000));
        assert_eq!(
            (large.words, large.reason.to_string()),
            (None, "it is too large: 4000000 bytes, the limit is 2000000".to_owned())
        );
        assert_eq!(find("binary.ts", "\0").words, None);
    }
}
