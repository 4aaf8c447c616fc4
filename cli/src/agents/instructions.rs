//! A section of AGENTS.md, which coding agents read before they work in a repository.

use std::path::Path;

use ubp_core::Error;
use ubp_core::message;

use super::SettingsFile;

/// The file.
pub(crate) const FILE: &str = "AGENTS.md";

const BEGIN: &str = "<!-- ubp: begin -->";
const END: &str = "<!-- ubp: end -->";

/// Plans to add the section, or to bring it up to date, in the folder `root`.
///
/// # Errors
/// As [`SettingsFile::plan`].
pub(crate) fn plan(root: &Path, pages_dir: &str) -> Result<SettingsFile, Error> {
    SettingsFile::plan(root.join(FILE), FILE.into(), |text| {
        let section = section(pages_dir);
        let Some(begin) = text.find(BEGIN) else {
            let gap = match text {
                "" => "",
                _ if text.ends_with("\n\n") => "",
                _ if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            return Ok(format!("{text}{gap}{section}\n"));
        };
        let Some(end) = text[begin..].find(END).map(|at| begin + at + END.len()) else {
            return Err(message!("{begin} has no {end} after it", begin = BEGIN, end = END));
        };
        Ok(format!("{}{section}{}", &text[..begin], &text[end..]))
    })
}

fn section(pages_dir: &str) -> String {
    let place = if pages_dir == "." { "This folder holds".into() } else { format!("`{pages_dir}/` holds") };
    format!(
        "{BEGIN}\n## Pages about this project\n\n\
         {place} linked Markdown pages that describe this project. The command `ubp` finds them, and knows which page\n\
         describes which code.\n\n\
         - To learn how something works: `ubp search \"QUESTION\"`, then `ubp get PAGE`.\n\
         - Before you change a file: `ubp refs FILE` lists the pages that describe it, `ubp impact FILE` what depends on it.\n\
         - After a change: `ubp stale` lists pages that may no longer be true. Read them, correct what is wrong, then\n  \
           `ubp review --still-accurate PAGE`.\n\
         - Links are `[[page]]` or `[[page|depends_on]]`. Rename pages with `ubp mv`, which changes the links to them.\n\
         - `ubp doctor` finds broken links and other problems.\n{END}"
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn after(before: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), before).unwrap();
        let plan = plan(folder.path(), "docs").unwrap();
        if !plan.is_done() {
            plan.write().unwrap();
        }
        std::fs::read_to_string(folder.path().join(FILE)).unwrap()
    }

    #[test]
    fn the_section_is_added_once_and_brought_up_to_date() {
        let added = after("# Rules\n\nUse tabs.\n");
        assert!(added.starts_with(
            "# Rules\n\nUse tabs.\n\n<!-- ubp: begin -->\n## Pages about this project\n\n`docs/` holds"
        ));
        assert_eq!(after(&added), added);
        let old = added.replace("`ubp doctor` finds", "`ubp doctor` found");
        assert_eq!(after(&format!("{old}\nMore rules.\n")), format!("{added}\nMore rules.\n"));
        assert!(after("no line break").starts_with("no line break\n\n<!-- ubp: begin -->"));
    }

    #[test]
    fn a_section_without_its_end_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), format!("{BEGIN}\nmine")).unwrap();
        assert!(plan(folder.path(), "docs").is_err());
    }
}
