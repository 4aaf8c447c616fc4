// The native program, Node and browsers return the same pages in the same order, for queries taken from the vault
// itself. Results whose scores differ by less than 1e-4 may be swapped.
import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { bundled, hosts, native, repository, share, vault } from "./support.mjs";

const QUERIES = 200;
const CLOSE = 1e-4;
/**
 * Share of the queries that may differ more: only the 200 closest sections are candidates, and a rounding can decide which is
 * the last. A page found mainly over links has another score if its section is that one.
 */
const AT_THE_LIMIT = 1 / 200;
/** Scores are rounded to 4 decimals, which adds an error of half a unit in the last place. */
const TOLD = 0.5e-4;
const program = process.env.UBP_NATIVE_ENGINES;
const corpora = process.env.UBP_CORPORA ?? join(repository, "../shared/corpora");

/** The documentation of this repository, and some Japanese pages. */
function madeUp() {
  const pages = {};
  const designs = join(repository, "docs/design");
  const parts = readdirSync(designs).sort().flatMap((name) => readFileSync(join(designs, name), "utf8").split(/\n##? /).slice(1));
  for (const [at, part] of parts.entries()) {
    pages[`design/${at}.md`] = `# ${part}\n\nSee [[${(at + 1) % parts.length}]] and [[${(at * 7) % parts.length}|depends_on]].\n`;
  }
  const topics = ["認証の流れ", "全文検索と索引", "リンクの種類", "公開鍵の管理", "画面の設計", "障害への対応"];
  for (const [at, topic] of topics.entries()) {
    pages[`日本語/${topic}.md`] = `# ${topic}\n\n${topic}について説明する。次は[[${topics[(at + 1) % topics.length]}]]を読む。\n\n## 概要\n\n${topics.join("と")}は互いに関わる。\n`;
  }
  return vault(pages, bundled);
}

const vaults = [{ name: "a made-up vault", make: madeUp }];
for (const language of ["en", "ja"]) {
  const from = join(corpora, "vaults/obsidian-help", language);
  vaults.push({
    name: `obsidian-help ${language}`,
    skip: existsSync(from) ? false : "no real vaults: UBP_CORPORA is not their folder",
    make() {
      const root = vault({}, bundled);
      cpSync(from, root, { recursive: true });
      return root;
    },
  });
}

/** Queries from the pages: titles, headings and parts of sentences. */
async function questions(root) {
  const { pages } = JSON.parse(await native(program, ["list", "--json"], root));
  const found = new Set();
  for (const { filepath, title } of pages) {
    const text = readFileSync(join(root, filepath), "utf8").replace(/^---\n[\s\S]*?\n---\n/, "");
    const headings = [...text.matchAll(/^#{2,} +(.+)$/gm)].map(([, heading]) => heading);
    const sentences = text.split(/[.。\n]+/).map((part) => part.replace(/[#>*`|[\]!()-]/g, " ").trim()).filter((part) => part.length > 12);
    const pieces = Array.from({ length: 12 }, (_, at) => sentences[Math.floor((at * sentences.length) / 12)]?.slice(at % 3, 36 + at * 3));
    const own = [title, headings[0], headings[headings.length >> 1], ...pieces];
    for (const query of own) if (query?.trim() && !query.startsWith("-")) found.add(query.trim());
  }
  const all = [...found];
  const step = Math.max(1, all.length / QUERIES);
  return Array.from({ length: Math.min(QUERIES, all.length) }, (_, at) => all[Math.floor(at * step)]);
}

/**
 * Pages with their scores, the best first. Those found mainly over links are a group of their own; which group a page is in
 * depends on a limit that a tiny difference can cross, so both are compared as one ranking.
 */
const ranked = ({ results, nearby }) =>
  [...results, ...nearby]
    .map(({ filepath, score }) => ({ filepath, score }))
    .sort((a, b) => b.score - a.score || (a.filepath < b.filepath ? -1 : 1));

/** Fails if the rankings differ; returns the largest difference between the scores of a page. */
function compare(query, expected, found) {
  const shown = () => `${query}\nnative ${JSON.stringify(expected)}\nhere   ${JSON.stringify(found)}`;
  assert.equal(found.length, expected.length, shown());
  const scores = new Map(expected.map(({ filepath, score }) => [filepath, score]));
  let largest = 0;
  for (const [at, { filepath, score }] of found.entries()) {
    const there = expected[at];
    if (scores.has(filepath)) largest = Math.max(largest, Math.abs(score - scores.get(filepath)));
    // A page missing in the other ranking must have the same score as the page in its place.
    const other = scores.get(filepath) ?? score;
    assert.ok(filepath === there.filepath || Math.abs(there.score - other) <= CLOSE + TOLD, shown());
  }
  return largest;
}

for (const { name, skip, make } of vaults) {
  test(`${name}: the native program, Node and browsers give the same ranking`, { skip: program ? skip : "no native program with engines" }, async (t) => {
    const root = make();
    await native(program, ["add", "-q"], root);
    const queries = await questions(root);
    const answers = [];
    for (const query of queries) {
      answers.push(ranked(JSON.parse(await native(program, ["search", "--json", "-n", "10", "--", query], root))));
    }
    assert.ok(answers.filter((answer) => answer.length > 0).length >= queries.length * 0.95);
    const report = (where, found) => {
      let [worst, moved] = [0, 0];
      const others = [];
      for (const [at, query] of queries.entries()) {
        try {
          worst = Math.max(worst, compare(query, answers[at], found[at]));
        } catch (error) {
          others.push(error);
        }
        moved += Number(found[at].some(({ filepath }, place) => filepath !== answers[at][place]?.filepath));
      }
      if (others.length > queries.length * AT_THE_LIMIT) throw others[0];
      t.diagnostic(`${where}: ${queries.length} queries, ${moved} with pages in another order, largest difference of scores ${worst.toFixed(4)}`);
    };
    const params = queries.map((query) => ({ query, limit: 10 }));

    const packages = process.env.UBP_NODE_PROJECT;
    if (packages) {
      const ubp = createRequire(join(packages, "index.js"))("ubp");
      const client = await ubp.open(root);
      try {
        report("the npm package", params.map((given) => ranked(client.callSync("search", given))));
      } finally {
        await client.close();
      }
    } else {
      t.diagnostic("the npm package was not compared: none was given");
    }
    const url = share(readFileSync(join(root, ".ubp/metadata.db")));
    for (const host of hosts) {
      await host.start();
      await host.startSemantic();
      await host.ask("openDatabase", { url });
      await host.ask("setEncoder", {});
      const found = [];
      for (const given of params) found.push(ranked(await host.ask("call", { name: "search", params: given })));
      report(host.name, found);
    }
  });
}
