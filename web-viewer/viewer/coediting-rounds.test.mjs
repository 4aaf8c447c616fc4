// A short run of `coediting-rounds.mjs`; with `UBP_SOAK`, half an hour. `UBP_ROUNDS` is the number of rounds with one project.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from './coediting-rounds.mjs';

const SOAK = 30 * 60_000;

test('random edits by three windows and the disk, with renames and a killed server, lose and double no letter', { timeout: SOAK + 600_000 }, async () => {
  const first = Number(process.env.UBP_SEED ?? Date.now());
  const began = Date.now();
  for (let seed = first; ; seed++) {
    const sum = await rounds(Number(process.env.UBP_ROUNDS ?? (process.env.UBP_SOAK ? 200 : 25)), seed).catch((error) => assert.fail(`seed ${seed}: ${error.stack}`));
    assert.ok(sum.typed > 0, JSON.stringify(sum));
    if (!process.env.UBP_SOAK || Date.now() - began > SOAK) return;
  }
});
