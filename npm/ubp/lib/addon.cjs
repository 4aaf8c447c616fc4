// Finds the addon of this machine. npm installs the one package that fits, as an optional dependency.
"use strict";

const { UbpError } = require("./error.cjs");

const PACKAGES = {
  "darwin-arm64": ["@ubp/darwin-arm64"],
  "darwin-x64": ["@ubp/darwin-x64"],
  "linux-arm64": ["@ubp/linux-arm64-gnu", "@ubp/linux-arm64-musl"],
  "linux-x64": ["@ubp/linux-x64-gnu", "@ubp/linux-x64-musl"],
  "win32-arm64": ["@ubp/win32-arm64-msvc"],
  "win32-x64": ["@ubp/win32-x64-msvc"],
};

let loaded;

function load() {
  loaded ??= find(`${process.platform}-${process.arch}`);
  return loaded;
}

function find(machine) {
  const names = PACKAGES[machine];
  if (!names) {
    throw new UbpError({
      code: "addon",
      message: `there is no ubp for ${machine}`,
      hint: `it is built for ${Object.keys(PACKAGES).join(", ")}; elsewhere \`cargo install\` builds it`,
    });
  }
  let broken;
  for (const name of names) {
    try {
      return require(name);
    } catch (error) {
      // Package managers that know nothing of C libraries install both packages: one of them loads.
      const absent = error.code === "MODULE_NOT_FOUND" && error.message.includes(name);
      if (!absent) broken ??= { name, error };
    }
  }
  if (broken) {
    throw new UbpError(
      {
        code: "addon",
        message: `${broken.name} cannot be loaded: ${broken.error.message}`,
        hint: "delete node_modules and install again on this machine, with this Node",
      },
      { cause: broken.error },
    );
  }
  const name = names.length > 1 ? names[libc() === "musl" ? 1 : 0] : names[0];
  throw new UbpError({
    code: "addon",
    message: `the package ${name} is not installed; it holds ubp for this machine`,
    hint:
      "install again without `--omit=optional` or `--no-optional`; if node_modules or the lockfile was " +
      "made on another system, delete both first",
  });
}

// Which C library Node runs on. Only asked for the words of an error: a report takes its time.
function libc() {
  return process.report?.getReport().header.glibcVersionRuntime ? "gnu" : "musl";
}

module.exports = { load };
