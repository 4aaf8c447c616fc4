// Loads the packages as npm lays them out, in Node of the system for which the addon was built: opens a project, searches and
// writes. Usage: node addon.cjs PROJECT RESULT; a file for the result, because under wine Node cannot write to pipes.
"use strict";

const { writeFileSync } = require("node:fs");

const [folder, result] = process.argv.slice(2);
const lines = [];
let failed = 0;

function check(name, is) {
  lines.push(`${is ? "ok" : "FAILED"}: ${name}`);
  if (!is) failed += 1;
}

async function main() {
  const { open } = require("ubp");
  const project = await open(folder);
  await project.call("add", {});
  const found = await project.call("search", { query: "how soon am I logged out", limit: 3 });
  check(`${process.platform}, Node ${process.version}: search by meaning`, found.results.some((page) => /Sessions\.md$/i.test(page.filepath)));
  const made = await project.call("create_page", { title: "From Node", content: "wombat\n" });
  check("a new page", /From Node\.md$/.test(made.filepath));
  const words = await project.call("fulltext_search", { query: "wombat" });
  check("it is found", words.results.length === 1);
  const refused = await project.call("get_page", { page: "../outside.md" }).catch((error) => error);
  check("an error has a code", typeof refused.code === "string");
  await project.close();
}

main()
  .catch((error) => check(error.stack, false))
  .finally(() => {
    const passed = lines.filter((line) => line.startsWith("ok")).length;
    writeFileSync(result, `${lines.join("\n")}\n${passed} passed, ${failed} failed\n`);
    process.exitCode = failed > 0 ? 1 : 0;
  });
