//! Exports of other programs with every construct that they can have, for tests of the import.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The files of an export by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What an import of an export has to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// Pages.
    pub pages: usize,
    /// Links between pages.
    pub links: usize,
    /// Files that are not pages.
    pub attachments: usize,
    /// Links to them.
    pub attachment_links: usize,
}

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n not really";

fn id(number: usize) -> String {
    format!("{number:032x}")
}

fn uuid(number: usize) -> String {
    format!("66000000-0000-4000-8000-{number:012x}")
}

fn put(files: &mut Files, path: impl Into<String>, text: impl AsRef<[u8]>) {
    files.insert(path.into(), text.as_ref().to_vec());
}

fn encoded(path: &str) -> String {
    path.replace('%', "%25").replace(' ', "%20").replace('(', "%28").replace(')', "%29")
}

/// A Notion export: a tree of pages, two databases that refer to each other, and every kind of block.
pub fn notion() -> (Files, Expected) {
    let mut files = Files::new();
    let home = format!("Home {}", id(1));
    let mut text = String::from("# Home\n\n");
    let mut links = 0;
    for number in 0..12 {
        let title = format!("Chapter {number} (part)");
        let stem = format!("{title} {}", id(100 + number));
        let _ = writeln!(text, "[{title}]({}/{}.md)\n", encoded(&home), encoded(&stem));
        let mut page = format!(
            "# {title}\n\n[Home](../{}.md)\n\n![]({}/image%20{number}.png)\n\n",
            encoded(&home),
            encoded(&stem)
        );
        let _ =
            write!(page, "<aside>\n💡 [Home](https://www.notion.so/Home-{}?pvs=21)\n\n</aside>\n\n", id(1));
        let _ = write!(
            page,
            "<details>\n<summary>More</summary>\n[tasks](../{}.csv)\n</details>\n",
            encoded(&format!("Tasks {}", id(2)))
        );
        put(&mut files, format!("{home}/{stem}.md"), page);
        put(&mut files, format!("{home}/{stem}/image {number}.png"), PICTURE);
        links += 4;
    }
    put(&mut files, format!("{home}.md"), text);
    let (tasks, people) = (format!("Tasks {}", id(2)), format!("People {}", id(3)));
    let mut all = String::from("Name,Status,Done,Due,Points,Tags,Owner,Blocked by,Files\n");
    for number in 0..12 {
        let person = format!("{people}/Person {} {}.md", number % 6, id(300 + number % 6));
        let before = format!("{tasks}/Task {} {}.md", (number + 11) % 12, id(200 + (number + 11) % 12));
        let values = |from: &str| {
            [
                ("Status", "Open".to_owned()),
                ("Done", if number % 2 == 0 { "Yes" } else { "No" }.to_owned()),
                ("Due", format!("March {}, 2024", number + 1)),
                ("Points", number.to_string()),
                ("Tags", if number % 3 == 0 { "alpha, beta" } else { "beta" }.to_owned()),
                ("Owner", format!("Person {} ({from}{})", number % 6, encoded(&person))),
                ("Blocked by", format!("Task {} ({from}{})", (number + 11) % 12, encoded(&before))),
                ("Files", format!("{from}{}", encoded(&format!("{tasks}/file {number}.pdf")))),
            ]
        };
        let row: Vec<String> = values("").iter().map(|(_, value)| format!("\"{value}\"")).collect();
        let _ = writeln!(all, "Task {number},{}", row.join(","));
        let mut page = format!("# Task {number}\n\n");
        for (name, value) in values("../") {
            let _ = writeln!(page, "{name}: {value}");
        }
        let _ = write!(page, "\nText about [the owner](../{}).\n", encoded(&person));
        put(&mut files, format!("{home}/{tasks}/Task {number} {}.md", id(200 + number)), page);
        put(&mut files, format!("{home}/{tasks}/file {number}.pdf"), b"%PDF");
        // Owner, blocker and the link in the text; the row in the list of the database.
        links += 4;
    }
    put(&mut files, format!("{home}/{tasks}_all.csv"), &all);
    put(
        &mut files,
        format!("{home}/{tasks}.csv"),
        all.lines().take(3).map(|line| format!("{line}\n")).collect::<String>(),
    );
    let mut table = String::from("\u{feff}Name,Email\n");
    for number in 0..8 {
        let _ = writeln!(table, "Person {number},p{number}@example.com");
        if number < 6 {
            let page = format!("# Person {number}\n\nEmail: p{number}@example.com\n");
            put(&mut files, format!("{home}/{people}/Person {number} {}.md", id(300 + number)), page);
        }
        links += 1;
    }
    put(&mut files, format!("{home}/{people}.csv"), table);
    // Home links to 12 chapters; each chapter counted four links, one of them from Home.
    let expected = Expected { pages: 1 + 12 + 12 + 8 + 2, links, attachments: 24, attachment_links: 24 };
    (files, expected)
}

/// A Logseq graph: journals, namespaces, blocks that refer to each other, and every kind of block.
pub fn logseq() -> (Files, Expected) {
    let mut files = Files::new();
    put(&mut files, "logseq/config.edn", "{:journal/page-title-format \"MMM do, yyyy\"}\n");
    put(&mut files, "logseq/custom.css", "");
    let (mut links, mut attachment_links) = (0, 0);
    for number in 0..16 {
        let (next, block) = ((number + 1) % 16, uuid(number));
        let other = uuid(next);
        let text = format!(
            "alias:: Alias {number}\ntags:: topic{next}\nsee:: [[Area/Topic{next}]]\n\n\
             - TODO block {number}\n  id:: {block}\n  key:: value\n\
             \t- (({other})) and [label](({other}))\n\t- {{{{embed (({other}))}}}}\n\t- [[alias {next}]] #[[Area/Topic{next}]]\n\
             - ![p](../assets/p{number}.png){{:height 10, :width 20}}\n\
             - #+BEGIN_TIP\n  [[Area/Topic{next}]]\n  #+END_TIP\n"
        );
        put(&mut files, format!("pages/Area___Topic{number}.md"), text);
        put(&mut files, format!("assets/p{number}.png"), PICTURE);
        // `see`, two references, the embed, the alias, the tag and the link in the callout.
        links += 7;
        attachment_links += 1;
    }
    for day in 1..=16 {
        let text = format!(
            "- [[Area/Topic{}]] [[Mar {}, 2024]]\n- SCHEDULED: <2024-03-01 Fri>\n",
            day - 1,
            ordinal(day % 16 + 1)
        );
        put(&mut files, format!("journals/2024_03_{day:02}.md"), text);
        links += 2;
    }
    (files, Expected { pages: 32, links, attachments: 16, attachment_links })
}

fn ordinal(day: usize) -> String {
    let ending = match day {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{day}{ending}")
}

/// An Obsidian vault: links of every form, embeds, attachments, a base, a canvas, and names that differ in case.
pub fn obsidian() -> (Files, Expected) {
    let mut files = Files::new();
    put(&mut files, ".obsidian/app.json", "{}");
    put(&mut files, "Board.canvas", "{}");
    put(&mut files, "Tasks.base", "views: []\n");
    let (mut links, mut attachment_links) = (0, 0);
    for number in 0..32 {
        let next = (number + 1) % 32;
        let text = format!(
            "---\naliases: [N{number}]\nup: \"[[Note {next}]]\"\n---\n# Part\n\n[[Note {next}]] [[Note {next}#Part|shown]] [[N{next}]] ![[Note {next}]]\n\n\
             [x](Note%20{next}.md) ![[p{number}.png|100]] ![](../files/p{number}.png)\n\nkey:: value ![[Tasks.base]]\n\n\
             | [[Note {next}\\|cell]] |\n|---|\n"
        );
        put(&mut files, format!("notes/Note {number}.md"), text);
        put(&mut files, format!("files/p{number}.png"), PICTURE);
        links += 7;
        attachment_links += 3;
    }
    (files, Expected { pages: 32, links, attachments: 34, attachment_links })
}
