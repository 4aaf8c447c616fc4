// The browser's side of the tests: every message is a command.
import { run } from "./engine.mjs";

self.onmessage = async ({ data: { id, command, given } }) => self.postMessage({ id, ...(await run(command, given)) });
