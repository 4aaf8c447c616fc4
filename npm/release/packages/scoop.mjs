// The manifest for Scoop, the package manager of Windows.

export function scoopManifest({ version, description, homepage, repository, downloads, sums }) {
  const each = (entry) => ({ "64bit": entry("x86_64-pc-windows-msvc"), arm64: entry("aarch64-pc-windows-msvc") });
  const manifest = {
    version,
    description,
    homepage,
    license: "MIT|Apache-2.0",
    architecture: each((target) => ({
      url: `${downloads}/ubp-${version}-${target}.zip`,
      hash: sums[target],
      extract_dir: `ubp-${version}-${target}`,
    })),
    bin: "ubp.exe",
    checkver: { github: repository },
    // Scoop fills in `$version` when it finds a newer release.
    autoupdate: {
      architecture: each((target) => ({
        url: `${repository}/releases/download/v$version/ubp-$version-${target}.zip`,
        extract_dir: `ubp-$version-${target}`,
      })),
      hash: { url: "$baseurl/SHA256SUMS" },
    },
  };
  return `${JSON.stringify(manifest, null, 4)}\n`;
}
