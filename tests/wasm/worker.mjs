// The web worker of the tests: runs a command for every message.
import { run } from "./engine.mjs";

self.onmessage = async ({ data: { id, command, given } }) => self.postMessage({ id, ...(await run(command, given)) });
