//! Words and their frequencies: the n-th most frequent word appears 1/n as often as the first (Zipf's law).

use std::collections::BTreeSet;

use super::Random;

const WORDS: usize = 6_000;

/// Function words, which fill every English page.
const FREQUENT: [&str; 24] = [
    "the", "of", "a", "to", "and", "is", "in", "that", "it", "for", "when", "with", "as", "are", "by", "on",
    "this", "not", "from", "which", "has", "only", "after", "each",
];

/// Words of software projects.
const TOPICS: [&str; 40] = [
    "session",
    "token",
    "login",
    "user",
    "index",
    "page",
    "link",
    "cache",
    "request",
    "query",
    "service",
    "error",
    "config",
    "event",
    "worker",
    "queue",
    "schema",
    "client",
    "server",
    "version",
    "release",
    "backup",
    "storage",
    "permission",
    "report",
    "account",
    "payment",
    "invoice",
    "message",
    "channel",
    "metric",
    "alert",
    "deploy",
    "cluster",
    "record",
    "field",
    "search",
    "vector",
    "graph",
    "review",
];

const SYLLABLES: [&str; 32] = [
    "ba", "cor", "den", "el", "fi", "gra", "hal", "in", "jo", "ka", "lum", "mer", "no", "or", "pri", "qua",
    "ri", "sto", "ter", "ul", "ver", "wen", "xi", "yor", "za", "con", "dis", "pre", "tion", "ment", "al",
    "ing",
];

const JAPANESE_FREQUENT: [&str; 16] = [
    "の",
    "は",
    "を",
    "に",
    "が",
    "と",
    "で",
    "する",
    "した",
    "である",
    "から",
    "まで",
    "こと",
    "ため",
    "など",
    "また",
];

const KANJI: [&str; 40] = [
    "認証", "設計", "索引", "検索", "頁", "鍵", "公開", "利用", "者", "状態", "変更", "履歴", "要求", "応答",
    "記録", "構成", "接続", "更新", "削除", "確認", "文書", "図", "関係", "依存", "実装", "拡張", "参照",
    "衝突", "期限", "権限", "通知", "処理", "結果", "保存", "読込", "書込", "画面", "入力", "出力", "試験",
];

/// Words, the most frequent first.
pub(super) struct Vocabulary {
    words: Vec<String>,
    /// The cumulative share of the text, up to and including each word.
    cumulative: Vec<f64>,
    japanese: bool,
}

impl Vocabulary {
    pub(super) fn english(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x656e);
        let fixed = FREQUENT.iter().chain(&TOPICS).map(|word| (*word).to_owned()).collect();
        Self::grown(fixed, false, || {
            (0..2 + random.below(3)).map(|_| SYLLABLES[random.below(SYLLABLES.len())]).collect()
        })
    }

    pub(super) fn japanese(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x6a61);
        let fixed = JAPANESE_FREQUENT.iter().chain(&KANJI).map(|word| (*word).to_owned()).collect();
        Self::grown(fixed, true, || {
            (0..2 + random.below(2)).map(|_| KANJI[random.below(KANJI.len())]).collect()
        })
    }

    fn grown(mut words: Vec<String>, japanese: bool, mut word: impl FnMut() -> String) -> Self {
        let mut known: BTreeSet<String> = words.iter().cloned().collect();
        while words.len() < WORDS {
            let word = word();
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut sum = 0.0;
        let mut cumulative: Vec<f64> = (1..=words.len())
            .map(|rank| {
                sum += 1.0 / rank as f64;
                sum
            })
            .collect();
        cumulative.iter_mut().for_each(|share| *share /= sum);
        Self { words, cumulative, japanese }
    }

    /// A random word, by frequency.
    fn any(&self, random: &mut Random) -> &str {
        let share = random.fraction();
        let at = self.cumulative.partition_point(|&sum| sum < share).min(self.words.len() - 1);
        &self.words[at]
    }

    /// A random word that is not a function word.
    pub(super) fn draw(&self, random: &mut Random) -> &str {
        let frequent = if self.japanese { JAPANESE_FREQUENT.len() } else { FREQUENT.len() };
        loop {
            let share = random.fraction();
            let at = self.cumulative.partition_point(|&sum| sum < share).min(self.words.len() - 1);
            if at >= frequent {
                return &self.words[at];
            }
        }
    }

    pub(super) fn title(&self, random: &mut Random) -> String {
        let (a, b) = (self.draw(random).to_owned(), self.draw(random));
        if self.japanese {
            return format!("{a}の{b}");
        }
        let mut letters = a.chars();
        let first: String = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{} {b}", letters.as_str())
    }

    pub(super) fn sentence(&self, random: &mut Random) -> String {
        let count = 6 + random.below(14);
        let words: Vec<&str> = (0..count).map(|_| self.any(random)).collect();
        if self.japanese { format!("{}。", words.concat()) } else { format!("{}. ", words.join(" ")) }
    }
}
