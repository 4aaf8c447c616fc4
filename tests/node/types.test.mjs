// The types of the package match the contract.
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { project, repository, start } from "./support.mjs";

const tools = process.env.UBP_TYPESCRIPT;

for (const [module, file] of [["ES module", "types.mts"], ["CommonJS module", "types.cts"]]) {
  test(`calls are type-checked in a ${module}`, async () => {
    copyFileSync(join(repository, "tests/node/types.ts"), join(project, file));
    const types = join(project, "node_modules/@types");
    try {
      symlinkSync(join(tools, "node_modules/@types"), types);
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const options = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, module: "node16", target: "es2022", skipLibCheck: false, types: ["node"] };
    const config = join(project, `tsconfig.${file}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions: options, files: [file] }));
    const compiler = join(tools, "node_modules/typescript/bin/tsc");
    const ran = await start(process.execPath, [compiler, "-p", config], { cwd: project }).ended;
    assert.equal(ran.out, "");
    assert.equal(ran.code, 0, ran.err);
  });
}
