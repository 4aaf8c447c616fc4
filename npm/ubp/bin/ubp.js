#!/usr/bin/env node
// The command. Node owns the signals of its process, so they are heard here and passed on as a
// request to stop; everything else happens in the addon, which writes to the streams by itself.
"use strict";

const { UbpError } = require("../lib/error.cjs");

function fail(error) {
  // To the stream itself and at once: nothing may get lost when the process ends.
  const hint = error.hint ? `hint: ${error.hint}\n` : "";
  try {
    require("node:fs").writeSync(2, `error: ${error.message}\n${hint}`);
  } catch {
    // Nobody listens.
  }
  process.exitCode = 2;
}

try {
  const addon = require("../lib/addon.cjs").load();
  const stop = new addon.Stop();
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]) {
    if (signal === "SIGBREAK" && process.platform !== "win32") continue;
    process.on(signal, () => {
      // Whoever asks twice does not want to wait.
      if (asked) process.exit(130);
      asked = true;
      stop.request();
    });
  }
  // What starts this command once more, for servers in the background.
  const program = [process.execPath, ...process.execArgv, __filename];
  addon.run(["ubp", ...process.argv.slice(2)], stop, program).then(({ json, error }) => {
    if (error) fail(new UbpError(error));
    else process.exitCode = Number(json);
  });
} catch (error) {
  fail(error);
}
