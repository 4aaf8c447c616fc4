// Finds the addon for this platform. npm installs the matching package as an optional dependency.
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
      message: `the platform ${machine} is not supported`,
      hint: `ubp supports ${Object.keys(PACKAGES).join(", ")}; on other platforms, build it with \`cargo install\``,
    });
  }
  let broken;
  for (const name of names) {
    try {
      return require(name);
    } catch (error) {
      // Package managers that do not distinguish C libraries install both packages; only one of them loads.
      const absent = error.code === "MODULE_NOT_FOUND" && error.message.includes(name);
      if (!absent) broken ??= { name, error };
    }
  }
  if (broken) {
    throw new UbpError(
      {
        code: "addon",
        message: `${broken.name} cannot be loaded: ${broken.error.message}`,
        hint: "delete node_modules and install again on this machine with this version of Node",
      },
      { cause: broken.error },
    );
  }
  const name = names.length > 1 ? names[libc() === "musl" ? 1 : 0] : names[0];
  throw new UbpError({
    code: "addon",
    message: `the package ${name} is not installed; it contains ubp for this platform`,
    hint:
      "install again without `--omit=optional` or `--no-optional`; if node_modules or the lockfile was " +
      "created on another platform, delete both first",
  });
}

// The C library of Node. Used only in the text of an error, because creating the report is slow.
function libc() {
  return process.report?.getReport().header.glibcVersionRuntime ? "gnu" : "musl";
}

module.exports = { load };
