//! Classification of file system events.
#![allow(clippy::unwrap_used)]

use notify::event::{CreateKind, DataChange, Flag, MetadataKind, RemoveKind, RenameMode};

use super::*;

fn meaning_of(kind: EventKind, path: &str) -> Option<Meaning> {
    let followed = BTreeSet::from([PathBuf::from("/p/pages"), PathBuf::from("/p/pages/old")]);
    meaning(&Event::new(kind).add_path(path.into()), Path::new("/p/pages"), &followed)
}

const CLOSED: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));

#[test]
fn creating_writing_moving_and_deleting_pages_are_hints() {
    let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    let attributes = EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any));
    let moved = EventKind::Modify(ModifyKind::Name(RenameMode::To));
    let kinds = [
        CLOSED,
        data,
        attributes,
        moved,
        EventKind::Any,
        EventKind::Create(CreateKind::File),
        EventKind::Remove(RemoveKind::File),
    ];
    for kind in kinds {
        assert_eq!(meaning_of(kind, "/p/pages/a/b.md"), Some(Meaning::Pages), "{kind:?}");
    }
}

#[test]
fn reading_is_not_a_hint() {
    for kind in [
        AccessKind::Open(AccessMode::Any),
        AccessKind::Read,
        AccessKind::Close(AccessMode::Read),
        AccessKind::Any,
    ] {
        assert_eq!(meaning_of(EventKind::Access(kind), "/p/pages/a.md"), None, "{kind:?}");
        assert_eq!(meaning_of(EventKind::Access(kind), "/p/pages"), None, "{kind:?}");
    }
}

#[test]
fn changes_in_hidden_folders_are_not_hints() {
    for path in [
        "/p/pages/.ubp/metadata.db-wal",
        "/p/pages/.git/index",
        "/p/pages/node_modules/a.md",
        "/p/pages/.a.md",
    ] {
        assert_eq!(meaning_of(EventKind::Create(CreateKind::File), path), None, "{path}");
        assert_eq!(meaning_of(CLOSED, path), None, "{path}");
    }
}

#[test]
fn creating_and_deleting_other_files_are_hints_but_writing_them_is_not() {
    assert_eq!(meaning_of(CLOSED, "/p/pages/picture.png"), None);
    assert_eq!(meaning_of(EventKind::Create(CreateKind::File), "/p/pages/picture.png"), Some(Meaning::Pages));
    assert_eq!(meaning_of(EventKind::Remove(RemoveKind::File), "/p/pages/picture.png"), Some(Meaning::Pages));
}

#[test]
fn a_written_base_is_noticed_and_a_read_one_is_not() {
    let concerns = |kind: EventKind, path: &str| {
        concerns_bases(&Event::new(kind).add_path(path.into()), Path::new("/p/pages"))
    };
    let read = EventKind::Access(AccessKind::Close(AccessMode::Read));
    let named = EventKind::Modify(ModifyKind::Name(RenameMode::To));
    assert!(concerns(CLOSED, "/p/pages/a/Tasks.base") && concerns(named, "/p/pages/Tasks.BASE"));
    assert!(concerns(EventKind::Remove(RemoveKind::File), "/p/pages/Tasks.base"));
    assert!(!concerns(read, "/p/pages/Tasks.base") && !concerns(CLOSED, "/p/pages/.obsidian/x.base"));
    assert!(!concerns(CLOSED, "/p/pages/a.md"));
}

#[test]
fn changed_folders_ignore_files_and_lost_events_update_the_watched_folders() {
    let gone = EventKind::Modify(ModifyKind::Name(RenameMode::From));
    for path in ["/p/pages", "/p/pages/old", "/p/pages/.ubpignore", "/p/pages/sub/.gitignore"] {
        assert_eq!(meaning_of(gone, path), Some(Meaning::Folders), "{path}");
    }
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("v1.2");
    std::fs::create_dir(&inside).unwrap();
    let event = Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::To))).add_path(inside);
    assert_eq!(meaning(&event, folder.path(), &BTreeSet::new()), Some(Meaning::Folders));
    let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    assert_eq!(meaning(&overflow, folder.path(), &BTreeSet::new()), Some(Meaning::Folders));
}

#[test]
fn the_target_of_a_symbolic_link_is_classified_by_its_name() {
    assert_eq!(meaning_of(CLOSED, "/p/shared/linked.md"), Some(Meaning::Pages));
    assert_eq!(meaning_of(CLOSED, "/p/shared/.hidden.md"), None);
}

#[test]
fn an_event_names_the_affected_pages() {
    let said = |paths: &[&str]| -> Vec<Hint> {
        let event = Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::Both)));
        let event = paths.iter().fold(event, |event, path| event.add_path(path.into()));
        hints(&event, Path::new("/p/pages")).collect()
    };
    let page = |path: &str| Hint::Page(path.into());
    assert_eq!(said(&["/p/pages/a/.b.md.tmp", "/p/pages/a/b.md"]), [page("a/b.md")]);
    assert_eq!(said(&["/p/pages/a.md", "/p/pages/b.md"]), [page("a.md"), page("b.md")]);
    assert_eq!(said(&["/p/pages/a.png"]), [Hint::Pages]);
    assert_eq!(said(&["/p/shared/linked.md"]), [Hint::Pages]);
}
