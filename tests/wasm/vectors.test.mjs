// The semantic module computes the same vectors as the native engine.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bundled, filesOf, hosts, native, repository, rowsOf, share, vault } from "./support.mjs";

const DIMENSIONS = 384;
const golden = (name) => readFileSync(join(repository, "core/models/golden", name));
const dot = (a, b) => a.reduce((sum, x, at) => sum + x * b[at], 0);

const texts = JSON.parse(golden("texts.json")).map((text) => (text.startsWith("REPEAT:") ? text.slice(7).repeat(300) : text));
const tokens = JSON.parse(golden("tokens.json"));
/** For each text: the vectors of ONNX Runtime for the same model, and for the float model. */
const references = ((bytes) => {
  const numbers = Float64Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2) / 32767);
  return texts.map((_, at) => [0, 1].map((which) => numbers.subarray((2 * at + which) * DIMENSIONS, (2 * at + which + 1) * DIMENSIONS)));
})(golden("vectors.bin"));

for (const host of hosts) {
  test(`${host.name}: tokens and vectors match the reference`, async (t) => {
    await host.start();
    const { info, milliseconds } = await host.startSemantic();
    assert.equal(info.dimensions, DIMENSIONS);
    for (const [at, text] of texts.entries()) {
      if (tokens[at].ranges.length === 0) continue;
      assert.deepEqual(await host.ask("tokenRanges", { text }), tokens[at].ranges, text.slice(0, 60));
    }
    const vectors = await host.ask("embed", { kind: "passage", texts });
    let [least, sum] = [1, 0];
    for (const [at, [reference, float]] of references.entries()) {
      const same = dot(vectors[at], reference);
      assert.ok(same >= 0.9999, `${same} to ONNX Runtime for ${texts[at].slice(0, 60)}`);
      assert.ok(Math.abs(dot(vectors[at], vectors[at]) - 1) < 1e-5);
      least = Math.min(least, same);
      sum += dot(vectors[at], float);
    }
    assert.ok(sum / texts.length >= 0.995);
    t.diagnostic(`module with model ready for use in ${milliseconds.toFixed(0)} ms; least cosine to ONNX Runtime ${least.toFixed(6)}`);
  });

  const program = process.env.UBP_NATIVE_ENGINES;
  test(`${host.name}: a dropped folder gets the same vectors as from the native program`, { skip: program ? false : "no native program with engines" }, async (t) => {
    const page = "configuration.md";
    const root = vault({ [page]: readFileSync(join(repository, "docs", page), "utf8") }, bundled);
    await native(program, ["add"], root);
    const known = rowsOf(join(root, ".ubp/metadata.db"), "SELECT identity, hex(hash) AS hash, hex(data) AS data FROM vectors JOIN models USING (model)");
    const byHash = new Map(known.map(({ hash, data }) => [hash.toLowerCase(), new Float32Array(new Uint8Array(Buffer.from(data, "hex")).buffer)]));

    await host.start();
    const { info } = await host.startSemantic();
    assert.equal(known[0].identity, info.identity);
    await host.ask("openFiles", { url: share(JSON.stringify(filesOf(root))) });
    await host.ask("setEncoder", { record: true });
    const begun = performance.now();
    const { done, total } = await host.ask("embedPending", { milliseconds: 1e6 });
    const took = performance.now() - begun;
    assert.equal(done, total);
    const made = await host.ask("recorded");
    assert.equal(made.length, known.length);
    let [worst, least] = [0, 1];
    for (const { text, vector } of made) {
      const other = byHash.get(createHash("sha256").update(text).digest("hex"));
      assert.ok(other, `the native program does not embed this text: ${text.slice(0, 80)}`);
      worst = Math.max(worst, ...vector.map((x, at) => Math.abs(x - other[at])));
      least = Math.min(least, dot(vector, other));
    }
    t.diagnostic(`${made.length} texts in ${(took / 1000).toFixed(1)} s: largest difference ${worst.toExponential(1)}, least cosine ${least.toFixed(6)}`);
    assert.ok(made.length > 10 && least > 0.9999 && worst < 0.005);
  });
}
