// The package for the AUR: PKGBUILD and .SRCINFO in an archive such as `makepkg --source` writes.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function sourcePackage(release, pkgbuild, out) {
  const staging = mkdtempSync(join(tmpdir(), "ubp-aur-"));
  try {
    mkdirSync(join(staging, "ubp-bin"));
    writeFileSync(join(staging, "ubp-bin/PKGBUILD"), pkgbuild);
    writeFileSync(join(staging, "ubp-bin/.SRCINFO"), sourceInfo(release));
    const file = join(out, `ubp-bin-${packageVersion(release.version)}-1.src.tar.gz`);
    const same = ["--owner=0", "--group=0", "--numeric-owner", "--mode=a=rX,u+w", "--sort=name", "--mtime=@0"];
    execFileSync("tar", [...same, "-czf", file, "ubp-bin"], { cwd: staging, stdio: "inherit" });
    console.log(`${file} (${(statSync(file).size / 1e3).toFixed(1)} kB)`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Versions of pacman have no hyphens, because a hyphen separates the release of the package. */
const packageVersion = (version) => version.replaceAll("-", "_");

/** The fields of PKGBUILD as the AUR reads them, in the order of `makepkg --printsrcinfo`. */
function sourceInfo({ version, description, repository, downloads, sums }) {
  const pkgver = packageVersion(version);
  const lines = [
    "pkgbase = ubp-bin",
    `\tpkgdesc = ${description}`,
    `\tpkgver = ${pkgver}`,
    "\tpkgrel = 1",
    `\turl = ${repository}`,
    "\tarch = x86_64",
    "\tarch = aarch64",
    "\tlicense = MIT OR Apache-2.0",
    "\tdepends = glibc",
    "\tdepends = gcc-libs",
    "\toptdepends = git: dates of changes, and who made them",
    `\tprovides = ubp=${pkgver}`,
    "\tconflicts = ubp",
    "\toptions = !strip",
    "\toptions = !debug",
    ...["x86_64", "aarch64"].flatMap((machine) => [
      `\tsource_${machine} = ${downloads}/ubp-${version}-${machine}-unknown-linux-gnu.tar.gz`,
      `\tsha256sums_${machine} = ${sums[`${machine}-unknown-linux-gnu`]}`,
    ]),
    "",
    "pkgname = ubp-bin",
  ];
  return `${lines.join("\n")}\n`;
}
