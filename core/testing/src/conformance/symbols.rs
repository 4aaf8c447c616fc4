//! What every implementation of the port `Symbols` that knows a language guarantees.

use ubp_core::ports::{Symbol, Symbols, Target};

const CODE: &str = "\
export class Session {
  refresh(user: string, retries = 3): boolean {
    for (let attempt = 0; attempt < retries; attempt++) {
      if (check(user, attempt)) return true;
    }
    return false;
  }
}
export class Guest { refresh(): boolean { return false; } }
";

/// Checks an implementation with code in TypeScript.
///
/// # Panics
/// If a guarantee does not hold.
pub fn symbols(port: &dyn Symbols) {
    assert!(port.knows("src/session.ts") && !port.knows("LICENSE"));
    let find = |text: &str, name: &str| {
        let mut found = port.find("src/session.ts", text.as_bytes(), &[name]);
        assert_eq!(found.len(), 1);
        found.remove(0)
    };
    let symbol = |text: &str, name: &str| match find(text, name) {
        Target::Symbol(symbol) => symbol,
        other => panic!("{name}: {other:?}"),
    };
    let is_changed = |from: &str, to: &str, name: &str| {
        let (before, after) = (symbol(CODE, "Session.refresh"), symbol(&CODE.replace(from, to), name));
        assert_ne!(CODE, CODE.replace(from, to));
        let is_equal = |of: fn(&Symbol) -> Option<String>| of(&before) == of(&after);
        (
            !is_equal(|one| Some(one.hashes.tokens.clone())),
            !is_equal(|one| Some(one.hashes.signature.clone())),
            !is_equal(|one| one.body.clone()),
        )
    };
    assert_eq!(
        is_changed("    for", "    // Tries.\n\n  for", "Session.refresh"),
        (false, false, false),
        "layout"
    );
    assert_eq!(is_changed("attempt = 0", "attempt = 1", "Session.refresh"), (true, false, true), "body");
    assert_eq!(is_changed("retries = 3", "retries = 4", "Session.refresh"), (true, true, false), "contract");
    assert_eq!(is_changed("Session", "Login", "Login.refresh"), (false, false, false), "another name");

    let refresh = symbol(CODE, "Session.refresh");
    assert_eq!(refresh.name, "Session.refresh");
    let [part] = refresh.parts.as_slice() else { panic!("one definition: {:?}", refresh.parts) };
    assert_eq!((part.kind, part.lines, part.doc.as_ref()), ("method", (2, 7), None));
    assert_eq!(&CODE[part.signature.clone()], "refresh(user: string, retries = 3): boolean");
    assert!(CODE[part.range.clone()].starts_with("refresh(") && CODE[part.range.clone()].ends_with("}"));
    let Target::Several(both) = find(CODE, "refresh") else { panic!("two symbols have this name") };
    let names: Vec<&str> = both.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Session.refresh", "Guest.refresh"]);
    assert_eq!(both[0], symbol(CODE, "Session.refresh"));
    assert_eq!(both[1].body, None, "so short a body is not remarkable");
    let Target::Nothing(similar) = find(CODE, "Session.refesh") else { panic!("no symbol has this name") };
    assert_eq!(similar.first().map(String::as_str), Some("Session.refresh"));
    let all: Vec<String> = port.all("a.ts", CODE.as_bytes()).into_iter().map(|one| one.name).collect();
    assert_eq!(all, ["Session", "Session.refresh", "Guest", "Guest.refresh"]);

    let tokens = |text: &str| port.tokens("a.ts", text.as_bytes());
    assert!(tokens(CODE).is_some());
    assert_eq!(tokens(CODE), tokens(&CODE.replace("    for", "    // Tries.\n\n  for")), "layout");
    assert_ne!(tokens(CODE), tokens(&CODE.replace("Session", "Login")), "a name");

    let found = port.find("LICENSE", b"Session", &["Session", "Guest"]);
    assert!(matches!(found.as_slice(), [Target::File(_), Target::File(_)]), "{found:?}");
    assert!(port.all("LICENSE", b"Session").is_empty());
}
