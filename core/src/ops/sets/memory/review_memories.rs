//! Lists memories that a person should look at: those that contradict each other, that have expired, that nobody
//! recalls, and that are old.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::hint::Next;
use crate::memory::{Catalog, Claims, Counts, Currency, Entry, MemoryType, Skipped, disputes, ends_at, read};
use crate::message;
use crate::message::Message;
use crate::ops::memory::{Dispute, MemoryFields, day, show_skipped};
use crate::ops::page::IndexState;
use crate::ops::{Facts, budget, gaps};
use crate::page::decode;
use crate::show::{Page, Span, counted};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "List memories to look at: contradictory, expired, replaced, never recalled on this machine, and old ones.",
)
.quoting_pages()
.command("memory review");

/// Days after which a memory that was not remembered again is old.
const OLD: u32 = 180;

/// Days after which a memory should have been recalled.
const SETTLED: u32 = 30;

/// Default number of memories in each list.
const LIMIT: usize = 20;

const DAY: i64 = 24 * 60 * 60;

/// What to look for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only memories of this type.
    #[serde(rename = "type")]
    pub memory_type: Option<MemoryType>,
    /// A memory is old if its text has not changed for this number of days.
    #[schemars(range(min = 1, max = 36_500), extend("default" = OLD))]
    pub days: Option<u32>,
    /// Maximum number of memories in each list.
    #[schemars(range(min = 1, max = 1_000), extend("default" = LIMIT))]
    pub limit: Option<usize>,
}

/// The memories to look at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pairs that contradict each other, as far as words tell, or by their front matter.
    pub contradictory: Vec<Dispute>,
    /// Memories whose `valid_until` has passed and that no other replaces; those that expired first come first.
    pub expired: Vec<MemoryFields>,
    /// Memories that another one replaces: candidates for `forget`.
    pub replaced: Vec<MemoryFields>,
    /// Current memories, remembered more than 30 days ago and never recalled on this machine; oldest first.
    pub never_recalled: Vec<MemoryFields>,
    /// Current memories whose text has not changed for `days`; oldest first.
    pub old: Vec<MemoryFields>,
    /// Number of memories in each list before `limit`.
    pub counts: ReviewCounts,
    /// Number of memories examined.
    pub memory_count: usize,
    /// Number of questions that found nothing: see `gaps`. They are about all pages, not only about memories.
    pub gap_count: usize,
    /// Pages in memory folders that are not valid memories.
    pub skipped: Vec<Skipped>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Numbers of memories to look at.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReviewCounts {
    /// Pairs that contradict each other.
    pub contradictory: usize,
    /// Expired memories.
    pub expired: usize,
    /// Replaced memories.
    pub replaced: usize,
    /// Memories that were never recalled.
    pub never_recalled: usize,
    /// Old memories.
    pub old: usize,
}

/// Lists the memories.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for values out of range; [`crate::Error::Database`], [`crate::Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let days = budget::ranged("days", params.days.map(|days| days as usize), OLD as usize, 1, 36_500)?;
    let limit = budget::ranged("limit", params.limit, LIMIT, 1, 1_000)?;
    let catalog = context.index.read(Catalog::read)?;
    let (counts, now) = (Counts::read(context.source), context.clock.now());
    let currency = Currency::of(&catalog, now);
    let mut skipped = catalog.skipped.clone();
    let of_type = |entry: &&Entry| params.memory_type.is_none_or(|one| one == entry.fields.memory_type);
    let mut claims: Vec<Claims<'_>> = Vec::new();
    for entry in catalog.entries.iter().filter(of_type) {
        context.cancel.check()?;
        let found = match context.source.read(&entry.path) {
            Ok(bytes) => read(&decode(&bytes).0),
            Err(error) => Some(Err((1, error.message()))),
        };
        match found {
            Some(Ok(memory)) => claims.push(Claims::of(entry, &memory)),
            Some(Err((line, reason))) => {
                skipped.push(Skipped { filepath: entry.path.clone(), line, reason });
            }
            None => {}
        }
    }
    let contradictory: Vec<Dispute> = disputes(&claims, &currency, context.cancel)?
        .into_iter()
        .filter_map(|found| {
            Some(Dispute::of(claims.get(found.older)?.entry, claims.get(found.newer)?.entry, found.found))
        })
        .collect();
    let before = |days: usize| now.as_second() - days as i64 * DAY;
    let select = |keep: &dyn Fn(&Entry) -> bool| -> Vec<&Entry> {
        let mut kept: Vec<&Entry> = claims.iter().map(|one| one.entry).filter(|entry| keep(entry)).collect();
        kept.sort_by_key(|entry| (entry.updated_at, &entry.path));
        kept
    };
    let standing = |entry: &Entry| currency.standing(&entry.path);
    let mut expired = select(&|entry| standing(entry).is_expired && standing(entry).superseded_by.is_empty());
    // Days and times sort differently as text.
    expired.sort_by_key(|entry| entry.fields.valid_until.as_deref().and_then(ends_at));
    let replaced = select(&|entry| !standing(entry).superseded_by.is_empty());
    let never_recalled = select(&|entry| {
        standing(entry).is_current()
            && counts.of(entry.ids()).recalls == 0
            && entry.created_at < before(SETTLED as usize)
    });
    let old = select(&|entry| standing(entry).is_current() && entry.updated_at < before(days));
    let told = |entries: &[&Entry]| -> Vec<MemoryFields> {
        entries.iter().take(limit).map(|entry| MemoryFields::of(entry, &counts, &currency)).collect()
    };
    Ok(Output {
        counts: ReviewCounts {
            contradictory: contradictory.len(),
            expired: expired.len(),
            replaced: replaced.len(),
            never_recalled: never_recalled.len(),
            old: old.len(),
        },
        expired: told(&expired),
        replaced: told(&replaced),
        never_recalled: told(&never_recalled),
        old: told(&old),
        contradictory: contradictory.into_iter().take(limit).collect(),
        memory_count: claims.len(),
        gap_count: gaps::count(context.source),
        skipped,
        index: context.index_state()?,
    })
}

/// Shows each list under its heading.
pub fn show(output: &Output, page: &mut dyn Page) {
    let Output { counts, .. } = output;
    let title = |message: &Message, page: &mut dyn Page| page.heading(&[Span::strong(message)]);
    if !output.contradictory.is_empty() {
        title(&message!("Contradictory: {count}", count = counts.contradictory), page);
        for found in &output.contradictory {
            found.show(page);
        }
        page.hint(&[Span::said(&message!(
            "remember the true one again with `supersedes` and the page of the other, or with `conflicts_with` if \
             both may be true"
        ))]);
    }
    let lists = [
        (message!("Expired: {count}", count = counts.expired), &output.expired),
        (message!("Replaced: {count}", count = counts.replaced), &output.replaced),
        (
            message!("Never recalled on this machine: {count}", count = counts.never_recalled),
            &output.never_recalled,
        ),
        (message!("Old: {count}", count = counts.old), &output.old),
    ];
    for (heading, memories) in lists.iter().filter(|(_, memories)| !memories.is_empty()) {
        title(heading, page);
        for memory in *memories {
            let since = match (&memory.valid_until, memory.superseded_by.first()) {
                (_, Some(path)) => message!("replaced by {path}", path = Span::Path(path)),
                (Some(end), _) if !memory.current => message!("valid until {end}", end),
                _ => message!("since {day}", day = day(memory.created_at)),
            };
            page.line(&[
                Span::Path(&memory.filepath),
                Span::Text(": "),
                Span::Text(&memory.topic),
                Span::Faint("  "),
                Span::faint(&since),
            ]);
        }
    }
    show_skipped(&output.skipped, page);
    let found = [counts.contradictory, counts.expired, counts.replaced, counts.never_recalled, counts.old];
    let memories = counted(output.memory_count, "memory", "memories");
    page.note(&[Span::said(&match found.iter().all(|count| *count == 0) {
        true => message!("{memories}; nothing to review", memories),
        false => memories,
    })]);
    if output.gap_count > 0 {
        let questions = counted(output.gap_count, "question", "questions");
        let gaps = page.voice().ask(&Next::call("gaps"));
        page.note(&[Span::said(&message!("{questions} found nothing: {gaps}", questions, gaps))]);
    }
}
