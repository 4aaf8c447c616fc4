// The literate test cases of page parsing, with offsets in UTF-16 as editors use them.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hosts, repository } from "./support.mjs";

const folder = join(repository, "core/src/page/cases");
const FENCE = "`````";
const KINDS = { Wiki: "wiki", Embed: "embed", Markdown: "markdown", FrontMatter: "front_matter" };

/** `{text, links}` of every case with links. */
function* cases() {
  for (const name of readdirSync(folder)) {
    const parts = readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").split(`\n${FENCE}`);
    let input;
    for (const part of parts) {
      const [info, ...body] = part.split("\n");
      const words = info.split(" ");
      if (words.includes("input")) input = { words, text: `${body.join("\n")}\n` };
      else if (words.includes("expected") && input?.words.includes("links") && !input.words.includes("crlf")) {
        const links = body.map((line) => /^(\d+) (Wiki|Embed|Markdown|FrontMatter) (\S+) -> (.*) : (.*)$/.exec(line)).filter(Boolean);
        yield { name, text: input.text, links: links.map(([, line, kind, type, , source]) => ({ line: Number(line), kind: KINDS[kind], type, source })) };
      }
    }
  }
}

/** A link in the format of the expected lines. */
const escaped = (text) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("'", "\\'").replaceAll('"', '\\"').replaceAll("\t", "\\t");

for (const host of hosts) {
  test(`${host.name}: links have the expected positions, also after characters outside of the BMP`, async () => {
    await host.start();
    let count = 0;
    for (const { name, text, links } of cases()) {
      for (const before of ["", "𠮷野家と😀の認証 👩‍👩‍👧\n\n"]) {
        if (before && /^\s*---/.test(text)) continue;
        const page = await host.ask("parse", { text: before + text, linkTypes: ["part_of"] });
        const found = page.links.map(({ line, kind, link_type, range }) => ({
          line: line - (before ? 2 : 0),
          kind,
          type: link_type,
          source: escaped((before + text).slice(...range)),
        }));
        const plain = (links) => links.map((link) => ({ ...link, source: link.source.replace(/\\u\{[0-9a-f]+\}/g, "").replace(/[^\x20-\x7e\u3000-\u9fff]/gu, "") }));
        assert.deepEqual(plain(found), plain(links), `${name}: ${text}`);
        count += 1;
      }
    }
    assert.ok(count > 30, `only ${count} cases`);
  });

  test(`${host.name}: headings, front matter and diagnostics`, async () => {
    await host.start();
    const text = "---\ntitle: 鍵 🔑\ntags: [a\n---\n\n# 鍵 🔑\n\ntext\n\n## 𠮷\n\n[[x]] ^mark\n";
    const page = await host.ask("parse", { text });
    assert.equal(text.slice(...page.front_matter), "---\ntitle: 鍵 🔑\ntags: [a\n---\n");
    assert.deepEqual(page.headings.map(({ level, line }) => [level, line]), [[1, 6], [2, 10]]);
    assert.ok(page.headings.every(({ range, level, text: heading }) => text.slice(...range).startsWith(`${"#".repeat(level)} ${heading}`)));
    assert.equal(page.diagnostics.length, 1);
    assert.deepEqual(page.blocks, [{ name: "mark", line: 12 }]);
    assert.deepEqual(await host.ask("parse", { text: "" }), {
      title: null, aliases: [], tags: [], front_matter: null, headings: [], links: [], blocks: [], diagnostics: [],
    });
  });
}
