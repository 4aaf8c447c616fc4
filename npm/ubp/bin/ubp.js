#!/usr/bin/env node
// The command. Node owns the signals of its process, so this script handles them and passes them on as a
// request to stop. Everything else happens in the addon, which writes to the streams itself.
"use strict";

const { UbpError } = require("../lib/error.cjs");

function fail(error) {
  // Write synchronously, so that nothing is lost when the process exits.
  const hint = error.hint ? `hint: ${error.hint}\n` : "";
  try {
    require("node:fs").writeSync(2, `error: ${error.message}\n${hint}`);
  } catch {
    // Standard error is closed: there is nowhere to report to.
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
      // A second signal exits at once.
      if (asked) process.exit(130);
      asked = true;
      stop.request();
    });
  }
  // How the addon starts this command again, for background servers.
  const program = [process.execPath, ...process.execArgv, __filename];
  addon.run(["ubp", ...process.argv.slice(2)], stop, program).then(({ json, error }) => {
    if (error) fail(new UbpError(error));
    else process.exitCode = Number(json);
  });
} catch (error) {
  fail(error);
}
