//! The types of a project, and the verbs that state them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

/// Verbs that state a type.
struct Family {
    /// Names of the type, without case and separators.
    names: &'static [&'static str],
    /// The type, if the project has none of these names; empty if it is then not proposed.
    default: &'static str,
    /// Before the target.
    english: &'static str,
    /// After the target.
    japanese: &'static str,
}

const FAMILIES: [Family; 9] = [
    Family {
        names: &["dependson", "requires", "needs"],
        default: "depends_on",
        english: r"depends? (?:up)?on|(?:is|are) (?:dependent|based|built) on|relies on|rely on|requires?|builds? (?:up)?on",
        japanese: r"に(?:強く)?依存|を(?:前提|必要)と|が必要|に基づ(?:く|いて(?:い|作|定|お))|を(?:土台|基盤|ベース)に",
    },
    Family {
        names: &["implements"],
        default: "implements",
        english: r"implements|is an implementation of|are implementations of",
        japanese: r"を実装|の実装(?:です|である|だ)",
    },
    Family {
        names: &["extends", "inheritsfrom"],
        default: "extends",
        english: r"extends|(?:is|are) an extension (?:of|to|for)|inherits from",
        japanese: r"を拡張|の拡張(?:です|である|だ)|を継承",
    },
    Family {
        names: &["conflictswith", "contradicts"],
        default: "conflicts_with",
        english: r"contradicts?|conflicts? with|(?:is|are) incompatible with|(?:is|are) in conflict with",
        japanese: r"(?:と|に)矛盾|と(?:競合|衝突|対立)|と互換性がな|と両立しな",
    },
    Family {
        names: &["supersedes", "replaces"],
        default: "",
        english: r"replaces?|replaced|supersedes?|superseded|(?:is|are|was) (?:a|the) (?:replacement|successor) (?:of|to|for)",
        japanese: r"を(?:置き換え|置換|廃止し)|に取って代わ|の後継",
    },
    Family {
        names: &["supersededby", "replacedby"],
        default: "",
        english: r"(?:(?:is|was|were|are|been|got) )?(?:superseded|replaced) by|deprecated in favou?r of",
        japanese: r"に(?:置き換えられ|取って代わられ|よって置き換え)",
    },
    Family {
        names: &["partof", "belongsto", "parent", "memberof"],
        default: "",
        english: r"(?:is|are) (?:a )?part of|part of|belongs? to|(?:is|are) (?:one )?of the .{0,20}in",
        japanese: r"の一部|に(?:所属|属)|に含まれ",
    },
    Family {
        names: &["uses", "consumes"],
        default: "",
        english: r"uses|makes use of|consumes",
        japanese: r"を(?:使用|利用|使う|使って|使い)",
    },
    Family {
        names: &["connectsto", "talksto"],
        default: "",
        english: r"connects? to|talks? to|reach(?:es)?|communicates? with",
        japanese: r"(?:に|と)(?:接続|通信|連携)",
    },
];

/// Words between the verb and the target: an article, or other targets of the same verb.
const BETWEEN: &str =
    r"(?:\s*(?:⟦[^⟧]*⟧)\s*(?:,|and|or|&|、|，|と|や|および|及び)*)*\s*(?:the|a|an|its|our|their)?\s*\(?$";

struct Verbs {
    /// Subject and verb before the target.
    before: Option<Regex>,
    /// Verb after the target.
    after: Option<Regex>,
}

/// The types of a project with the verbs that state them.
pub(crate) struct Vocabulary(Vec<(String, Verbs)>);

impl Vocabulary {
    /// The vocabulary of a project that uses `types`: link types, and keys of front matter that hold links.
    pub(crate) fn of(types: impl IntoIterator<Item = String>) -> Self {
        let mut used: BTreeMap<String, String> = BTreeMap::new();
        for name in types {
            used.entry(folded(&name)).or_insert(name);
        }
        let mut all = Vec::new();
        for family in &FAMILIES {
            let own = family.names.iter().find_map(|name| used.remove(*name));
            let name = own.or_else(|| Some(family.default.to_owned()).filter(|name| !name.is_empty()));
            if let Some(name) = name {
                all.push((name, Verbs::new(family.english, family.japanese)));
            }
        }
        // A type of several words is its own verb: `caused_by` is stated by "caused by".
        for name in used.into_values() {
            let words = spelled(&name);
            if words.contains(' ') && words.is_ascii() {
                all.push((name, Verbs::new(&regex::escape(&words), "")));
            }
        }
        Self(all)
    }

    /// The type that is stated between the text before a target and the text after it, and the words before the verb.
    pub(super) fn stated(&self, before: &str, after: &str) -> Option<(String, String)> {
        for (name, verbs) in &self.0 {
            if let Some(found) = verbs.before.as_ref().and_then(|verb| verb.captures(before)) {
                let subject = found.name("subject").map_or("", |subject| subject.as_str());
                if !denies(subject) {
                    return Some((name.clone(), subject.trim().to_owned()));
                }
            }
            if let Some(found) = verbs.after.as_ref().and_then(|verb| verb.find(after))
                && !denies_after(after.get(found.end()..).unwrap_or_default())
                && let Some(subject) = japanese_subject(before)
            {
                return Some((name.clone(), subject));
            }
        }
        None
    }
}

impl Verbs {
    fn new(english: &str, japanese: &str) -> Self {
        let before = format!(
            r"^(?:(?P<subject>.*?)\s+)?(?:also |still |now |only |directly |heavily |mainly )*(?i:{english}){BETWEEN}"
        );
        let after = format!(r"^[」』)）]?\s*(?:⟦[^⟧]*⟧|[、,と\s])*(?:{japanese})");
        Self {
            before: Regex::new(&before).ok(),
            after: if japanese.is_empty() { None } else { Regex::new(&after).ok() },
        }
    }
}

/// The subject of a Japanese sentence: what stands before は or が, or nothing.
fn japanese_subject(before: &str) -> Option<String> {
    let before = before.trim_end_matches(['「', '『', '(', '（', ' ']);
    if before.is_empty() {
        return Some(String::new());
    }
    static TOPIC: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?P<subject>[^はが、。]+)(?:は|が)、?(?P<rest>[^。]*)$").ok());
    let found = TOPIC.as_ref()?.captures(before)?;
    let rest = found.name("rest").map_or("", |rest| rest.as_str());
    // Other targets of the same verb may stand between.
    let only_links = rest.split('⟧').all(|part| {
        part.trim_matches([' ', '、', 'と', 'や']).is_empty()
            || part.trim_start_matches([' ', '、', 'と', 'や']).starts_with('⟦')
    });
    only_links.then(|| found.name("subject").map_or("", |subject| subject.as_str()).to_owned())
}

/// Whether the words before the verb deny it, or ask, or only suppose it.
fn denies(subject: &str) -> bool {
    static DENIAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:not|never|no longer|cannot|can't|don't|doesn't|didn't|won't|without|if|unless|whether|when|could|might|would|should|instead of|neither|nor|rather than|as|will be|be|being)$").ok()
    });
    let subject = subject.trim_end();
    DENIAL.as_ref().is_some_and(|denial| denial.is_match(subject))
        || subject.to_lowercase().starts_with("if ")
        || subject.to_lowercase().starts_with("whether ")
}

/// Whether the ending of a Japanese verb denies it.
fn denies_after(rest: &str) -> bool {
    let end: String = rest.chars().take(10).collect();
    ["しない", "しません", "しなくな", "せず", "ではない", "ではありません", "なければ", "する場合", "でない"]
        .iter()
        .any(|no| end.starts_with(no))
}

/// A type without case and separators.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// A type as words: `dependsOn` and `depends_on` are "depends on".
fn spelled(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
        words.extend(if matches!(c, '_' | '-') { vec![' '] } else { c.to_lowercase().collect() });
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
