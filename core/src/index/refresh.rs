//! Updating the index from the files. Changes are detected by size and time, confirmed by hash, read on all cores and
//! written by one thread. Work is committed in batches, so an interrupted run loses at most one, and the next run
//! continues from there.

use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use jiff::Timestamp;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Index;
use super::changes::{Changed, GENERATION, bump};
use super::connection::{counter, set_counter};
use super::differences::{Differences, Known, alone, differences, indexed, known_page, stat_row};
use super::documents;
use super::prepare::{Prepared, prepare};
use super::statement::{first, run};
use super::store::{
    Touched, put_page, remove_page, settle_everything, settle_ids, settle_links, settle_source_links,
};
use super::turns::{StopOnPanic, Turns};
use crate::message;
use crate::page::LinkTypes;
use crate::ports::{Clock, ContentHash, FileStat, PageFile, Source, Unreadable};
use crate::progress::{Cancel, Progress, Silent, Stage};
use crate::{Error, Result};

/// Pages per transaction.
const BATCH: usize = 500;
/// Maximum total size, in bytes, of changed pages that are kept in memory and written in one transaction with their
/// links, so that readers never see one without the other.
const TOGETHER: u64 = 8 << 20;
/// Maximum number of comparisons while other processes write the same pages.
const ROUNDS: usize = 3;
/// Set while committed pages still need their links resolved.
const LINKS_DUE: &str = "links_due";
/// The pages folder and link types that the index was built with.
const MADE_FOR: &str = "made_for";

/// The project's settings and the extent of a refresh.
pub struct RefreshOptions<'a> {
    /// The pages folder relative to the project; empty if it is the project itself.
    pub pages_dir: &'a str,
    /// The project's link types.
    pub link_types: &'a LinkTypes,
    /// Read every page again, even if it seems unchanged.
    pub from_nothing: bool,
    /// Fill the full text. Without it, the index has only pages, sections and links.
    pub full_text: bool,
    /// Index pages in the order of their paths, so that the same files give the same index byte for byte; a little
    /// slower.
    pub in_order: bool,
    /// The only pages that may have changed, if known. If one of them may have moved, all pages are compared anyway.
    pub only: Option<&'a [String]>,
}

/// A page that moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Renamed {
    /// Former path.
    pub from: String,
    /// New path.
    pub to: String,
}

/// What a refresh did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefreshReport {
    /// New pages, sorted.
    pub added: Vec<String>,
    /// Pages with new content, sorted.
    pub changed: Vec<String>,
    /// Deleted pages, sorted.
    pub removed: Vec<String>,
    /// Pages that moved with unchanged content, sorted.
    pub renamed: Vec<Renamed>,
    /// Files and folders that were skipped because they could not be read.
    pub unreadable: Vec<Unreadable>,
}

impl RefreshReport {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty() && self.renamed.is_empty()
    }

    /// Adds the report of a later run.
    fn absorb(&mut self, later: Self) {
        self.added.extend(later.added);
        self.changed.extend(later.changed);
        self.removed.extend(later.removed);
        self.renamed.extend(later.renamed);
        self.unreadable = later.unreadable;
        self.sort();
    }

    fn sort(&mut self) {
        for list in [&mut self.added, &mut self.changed, &mut self.removed] {
            list.sort_unstable();
            list.dedup();
        }
        self.renamed.sort_unstable_by(|a, b| a.to.cmp(&b.to));
        self.unreadable.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    }
}

/// Updates text and graph of the index from the files.
///
/// # Errors
/// [`Error::Io`] if the pages folder cannot be listed, [`Error::Cancelled`], [`Error::Database`]. A page that cannot be
/// read is not an error: it is reported.
pub fn refresh(
    index: &Index,
    source: &dyn Source,
    clock: &dyn Clock,
    options: &RefreshOptions<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<RefreshReport> {
    let extent = if options.full_text { "" } else { "\nwithout full text" };
    let made_for = format!("{}\n{:?}{extent}", options.pages_dir, options.link_types);
    let before = index.read(made_for_of)?;
    let stale_settings = before.as_ref().is_some_and(|before| *before != made_for);
    let only = options.only.filter(|_| before.is_some() && !stale_settings && !options.from_nothing);
    let work = Work { source, clock, options, only, made_for: &made_for, progress, cancel };
    if options.from_nothing || stale_settings {
        // In one transaction: readers see the former index until the new one is complete.
        return index.write(|db| {
            let sizes = documents::own_sizes(db)?;
            db.execute_batch("DELETE FROM pages; INSERT INTO fulltext(fulltext) VALUES ('delete-all');")?;
            set_counter(db, LINKS_DUE, 1)?;
            let (mut report, again) = work.run(&Store::Whole(db))?;
            report.unreadable.extend(again.gone);
            documents::restore_sizes(db, &sizes)?;
            Ok(report)
        });
    }
    let (mut report, mut again) = work.run(&Store::Batches(index))?;
    for _ in 1..ROUNDS {
        if !again.is_due() {
            return Ok(report);
        }
        let before = again.gone;
        let later;
        (later, again) = work.run(&Store::Batches(index))?;
        again.gone.retain(|entry| before.contains(entry));
        report.absorb(later);
    }
    // Listed in every round, but missing when read.
    report.unreadable.extend(again.gone);
    Ok(report)
}

/// Whether a refresh writes in a transaction per batch, or within a single one.
enum Store<'a> {
    Batches(&'a Index),
    Whole(&'a Connection),
}

impl Store<'_> {
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        match self {
            Self::Batches(index) => index.read(work),
            Self::Whole(db) => work(db),
        }
    }

    fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        match self {
            Self::Batches(index) => index.write(|db| work(db)),
            Self::Whole(db) => work(db),
        }
    }
}

/// The arguments of a refresh.
struct Work<'a> {
    source: &'a dyn Source,
    clock: &'a dyn Clock,
    options: &'a RefreshOptions<'a>,
    only: Option<&'a [String]>,
    made_for: &'a str,
    progress: &'a dyn Progress,
    cancel: &'a Cancel,
}

impl Work<'_> {
    /// Compares once. The second value says whether another round is necessary.
    fn run(&self, store: &Store<'_>) -> Result<(RefreshReport, Again)> {
        let Self { source, options, cancel, progress, .. } = *self;
        // An interrupted run may have left pages without resolved links.
        let links_due = store.read(|db| counter(db, LINKS_DUE))? == 1;
        let few = self.only.map(|paths| store.read(|db| alone(db, source, paths))).transpose()?;
        let Differences { known, due, mut gone, unreadable } = match few.flatten() {
            Some(few) => few,
            None => {
                let indexed = store.read(indexed)?;
                differences(indexed, source.list()?)
            }
        };
        let report = RefreshReport { unreadable, ..RefreshReport::default() };
        let everything = links_due || due.len() > BATCH;
        let mut writer = Writer {
            source,
            options,
            known,
            touched: Touched::default(),
            report,
            gone_hashes: HashMap::new(),
            again: Again::default(),
            links_due,
            everything,
            now: self.clock.now(),
        };
        writer.gone_hashes =
            gone.iter().filter_map(|path| Some((writer.known.get(path)?.hash, path.clone()))).collect();
        let total = due.len();
        let together = !everything && due.iter().map(|file| file.stat.size).sum::<u64>() <= TOGETHER;
        let (mut few, mut done) = (Vec::new(), 0);
        progress.advance(Stage::Pages, 0, total);
        read_all(due, source, &writer.known_hashes(), options, writer.now, cancel, |results| {
            if together {
                few.extend(results);
                return Ok(());
            }
            // Pages are written while others are still being read.
            while let Some(first) = results.next() {
                cancel.check()?;
                let batch = std::iter::once(first).chain((&mut *results).take(BATCH - 1));
                done += store.write(|db| writer.put(db, batch, &mut gone))?;
                progress.advance(Stage::Pages, done, total);
            }
            Ok(())
        })?;
        if few.is_empty() {
            return writer.finish(store, gone, self.made_for, progress);
        }
        store
            .write(|db| {
                done += writer.put(db, few.into_iter(), &mut gone)?;
                writer.finish(&Store::Whole(db), gone, self.made_for, &Silent)
            })
            .inspect(|_| progress.advance(Stage::Pages, done, total))
    }
}

fn made_for_of(db: &Connection) -> Result<Option<String>> {
    first(db, "SELECT value FROM meta WHERE key = ?1", [MADE_FOR])
}

/// The pages folder that the index was built for, relative to the project; empty if it is the project itself.
pub(crate) fn pages_folder(db: &Connection) -> Result<String> {
    let made_for = made_for_of(db)?.unwrap_or_default();
    Ok(made_for.lines().next().unwrap_or_default().to_owned())
}

fn remember_made_for(db: &Connection, made_for: &str) -> Result<()> {
    run(db, "INSERT OR REPLACE INTO meta(key, value) VALUES (?1, ?2)", (MADE_FOR, made_for))
}

/// The result of reading one file, with its state when it was listed.
enum Read {
    Same(PageFile, FileStat),
    New(Box<Prepared>, FileStat),
    /// It was deleted after it was listed.
    Gone(Unreadable),
    Failed(Unreadable),
}

struct Writer<'a> {
    source: &'a dyn Source,
    options: &'a RefreshOptions<'a>,
    known: HashMap<String, Known>,
    gone_hashes: HashMap<ContentHash, String>,
    touched: Touched,
    report: RefreshReport,
    again: Again,
    /// Whether an interrupted run has left links to resolve.
    links_due: bool,
    /// Whether all links are resolved again if a page changed.
    everything: bool,
    now: Timestamp,
}

/// Why another round is necessary.
#[derive(Default)]
struct Again {
    /// A page was left to another process that had seen a newer state.
    overtaken: bool,
    /// Pages that were listed, but missing when they were read.
    gone: Vec<Unreadable>,
}

impl Again {
    fn is_due(&self) -> bool {
        self.overtaken || !self.gone.is_empty()
    }
}

impl Writer<'_> {
    fn known_hashes(&self) -> HashMap<String, ContentHash> {
        self.known.iter().map(|(path, known)| (path.clone(), known.hash)).collect()
    }

    /// Writes a batch and returns its size.
    fn put(
        &mut self,
        db: &Connection,
        batch: impl Iterator<Item = Read>,
        gone: &mut BTreeSet<String>,
    ) -> Result<usize> {
        let (source, now, everything) = (self.source, self.now, self.everything);
        let Self { known, gone_hashes, touched, report, again, .. } = self;
        let (mut size, mut marked) = (0, false);
        for read in batch {
            size += 1;
            match read {
                Read::Failed(entry) => report.unreadable.push(entry),
                Read::Gone(entry) => again.gone.push(entry),
                Read::Same(file, listed) => {
                    if is_overtaken(db, source, known, &file.path, Some(listed))? {
                        again.overtaken = true;
                        continue;
                    }
                    let (size, modified, fingerprint) = stat_row(file.stat);
                    let (size, fingerprint) = (size.cast_signed(), fingerprint.cast_signed());
                    let sql = "UPDATE pages SET size = ?2 WHERE path = ?1 AND size <> ?2";
                    run(db, sql, (&file.path, size))?;
                    let sql = "UPDATE page_files SET modified = ?2, fingerprint = ?3
                         WHERE page = (SELECT page FROM pages WHERE path = ?1)";
                    run(db, sql, (&file.path, modified, fingerprint))?;
                }
                Read::New(page, listed) => {
                    if is_overtaken(db, source, known, &page.file.path, Some(listed))? {
                        again.overtaken = true;
                        continue;
                    }
                    if !marked {
                        set_counter(db, LINKS_DUE, 1)?;
                        marked = true;
                    }
                    let path = page.file.path.clone();
                    let was_known = known.contains_key(&path);
                    let mut moved_from = if was_known { None } else { gone_hashes.remove(&page.hash) };
                    if let Some(from) = &moved_from
                        && is_overtaken(db, source, known, from, None)?
                    {
                        moved_from = None;
                    }
                    moved_from.iter().for_each(|from| {
                        gone.remove(from);
                    });
                    put_page(db, moved_from.as_deref(), &page, touched)?;
                    documents::note_indexed(db, &path, now)?;
                    match moved_from {
                        Some(from) => report.renamed.push(Renamed { from, to: path }),
                        None if was_known => report.changed.push(path),
                        None => report.added.push(path),
                    }
                }
            }
        }
        if marked {
            // In the same transaction as the pages: until the links are resolved, readers must not see them without
            // their own ids.
            settle_ids(db, touched)?;
            let changed = std::mem::take(&mut touched.changed);
            bump(db, GENERATION, Changed::of(&changed, everything))?;
        }
        Ok(size)
    }

    fn finish(
        mut self,
        store: &Store<'_>,
        gone: BTreeSet<String>,
        made_for: &str,
        progress: &dyn Progress,
    ) -> Result<(RefreshReport, Again)> {
        // Many files may have new times and the same text.
        let everything = self.everything && (self.links_due || !gone.is_empty() || !self.report.is_empty());
        let (touched, report) = (&mut self.touched, &mut self.report);
        let (known, source, again) = (&self.known, self.source, &mut self.again);
        if !everything && gone.is_empty() && report.is_empty() {
            // Most runs end here: nothing is written, unless a source file that pages link to was added or removed.
            if store.read(|db| Ok(made_for_of(db)?.as_deref() == Some(made_for)))?
                && !store.read(|db| sources_changed(db, self.source, self.options.pages_dir))?
            {
                return Ok((self.report, self.again));
            }
        }
        progress.advance(Stage::Links, 0, 1);
        store.write(|db| {
            for path in gone {
                if is_overtaken(db, source, known, &path, None)? {
                    again.overtaken = true;
                    continue;
                }
                remove_page(db, &path, touched)?;
                report.removed.push(path);
            }
            if everything {
                settle_everything(db, self.source, self.options.pages_dir)?;
            } else {
                settle_ids(db, touched)?;
                settle_links(db, self.source, self.options.pages_dir, touched)?;
                settle_source_links(db, self.source, self.options.pages_dir, touched)?;
            }
            set_counter(db, LINKS_DUE, 0)?;
            remember_made_for(db, made_for)?;
            let changed = std::mem::take(&mut touched.changed);
            bump(db, GENERATION, Changed::of(&changed, everything))
        })?;
        progress.advance(Stage::Links, 1, 1);
        report.sort();
        Ok((self.report, self.again))
    }
}

/// Whether another process has indexed the page since the files were compared, and the file has changed since then.
/// Writing it would replace a newer state by an older one.
fn is_overtaken(
    db: &Connection,
    source: &dyn Source,
    known: &HashMap<String, Known>,
    path: &str,
    found: Option<FileStat>,
) -> Result<bool> {
    let stored = known_page(db, path)?;
    // A page whose state cannot be read is left to the next run.
    Ok(stored.as_ref() != known.get(path) && source.stat(path).is_ok_and(|now| now != found))
}

fn sources_changed(db: &Connection, source: &dyn Source, pages_dir: &str) -> Result<bool> {
    super::store::source_links_due(db, source, pages_dir).map(|due| !due.is_empty())
}

/// Reads and prepares every file. Results are passed on as soon as they are ready.
fn read_all(
    due: Vec<PageFile>,
    source: &dyn Source,
    known: &HashMap<String, ContentHash>,
    options: &RefreshOptions<'_>,
    now: Timestamp,
    cancel: &Cancel,
    consume: impl FnOnce(&mut dyn Iterator<Item = Read>) -> Result<()>,
) -> Result<()> {
    let look = |file: &PageFile| look_at(file, source, known, options, now);
    // Browsers have no threads here.
    if cfg!(target_family = "wasm") || due.len() < 4 {
        consume(&mut due.iter().take_while(|_| !cancel.is_requested()).map(look))?;
        return cancel.check();
    }
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let turns = options.in_order.then(Turns::default);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        // Bounded, so that pages waiting for the writer do not fill the memory.
        let (sender, receiver) = sync_channel(4 * workers);
        for _ in 0..workers {
            let (sender, next, due, look) = (sender.clone(), &next, &due, &look);
            let turns = turns.as_ref();
            scope.spawn(move || {
                let _stop = StopOnPanic(turns);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = due.get(number) else { break };
                    let read = look(file);
                    let in_turn = turns.is_none_or(|turns| turns.wait_for(number));
                    if !in_turn || cancel.is_requested() || sender.send(read).is_err() {
                        turns.into_iter().for_each(Turns::stop);
                        break;
                    }
                    turns.into_iter().for_each(Turns::pass);
                }
            });
        }
        drop(sender);
        let result = consume(&mut receiver.iter());
        // Ends the workers that wait for room in the channel.
        drop(receiver);
        result
    })?;
    cancel.check()
}

fn look_at(
    file: &PageFile,
    source: &dyn Source,
    known: &HashMap<String, ContentHash>,
    options: &RefreshOptions<'_>,
    now: Timestamp,
) -> Read {
    let bytes = match source.read(&file.path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let unreadable = |reason| Unreadable { path: file.path.clone(), reason };
            return match error {
                Error::Io { source, .. } if source.kind() == ErrorKind::NotFound => {
                    Read::Gone(unreadable(message!("{source}", source)))
                }
                Error::Io { source, .. } => Read::Failed(unreadable(message!("{source}", source))),
                other => Read::Failed(unreadable(other.message())),
            };
        }
    };
    // A time that no file has makes the next run read the content again.
    let unsettled = may_change_unseen(file.stat, now).then_some(Timestamp::UNIX_EPOCH);
    let hash = ContentHash::of(&bytes);
    let listed = file.stat;
    let mut file = file.clone();
    if known.get(&file.path) == Some(&hash) {
        file.stat.modified = unsettled.unwrap_or(file.stat.modified);
        return Read::Same(file, listed);
    }
    let mut page = prepare(file, &bytes, hash, options.link_types, options.full_text);
    page.file.stat.modified = unsettled.unwrap_or(page.file.stat.modified);
    Read::New(Box::new(page), listed)
}

/// A file written within the clock's resolution of this moment could change again with the same time.
fn may_change_unseen(stat: FileStat, now: Timestamp) -> bool {
    let grain_millis = if stat.fingerprint == 0 { 2_000 } else { 50 };
    now.as_millisecond() - stat.modified.as_millisecond() < grain_millis
}
