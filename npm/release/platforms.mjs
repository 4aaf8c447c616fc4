// The platforms that ubp is built for, by the names of their npm packages.
export const PLATFORMS = {
  "darwin-arm64": { target: "aarch64-apple-darwin", os: "darwin", cpu: "arm64" },
  "darwin-x64": { target: "x86_64-apple-darwin", os: "darwin", cpu: "x64" },
  "linux-arm64-gnu": { target: "aarch64-unknown-linux-gnu", os: "linux", cpu: "arm64", libc: "glibc" },
  "linux-arm64-musl": { target: "aarch64-unknown-linux-musl", os: "linux", cpu: "arm64", libc: "musl" },
  "linux-x64-gnu": { target: "x86_64-unknown-linux-gnu", os: "linux", cpu: "x64", libc: "glibc" },
  "linux-x64-musl": { target: "x86_64-unknown-linux-musl", os: "linux", cpu: "x64", libc: "musl" },
  "win32-arm64-msvc": { target: "aarch64-pc-windows-msvc", os: "win32", cpu: "arm64" },
  "win32-x64-msvc": { target: "x86_64-pc-windows-msvc", os: "win32", cpu: "x64" },
};

/** The name of this platform. */
export function thisPlatform() {
  const libc = { linux: process.report.getReport().header.glibcVersionRuntime ? "-gnu" : "-musl", win32: "-msvc" };
  const name = `${process.platform}-${process.arch}${libc[process.platform] ?? ""}`;
  if (!PLATFORMS[name]) throw new Error(`ubp is not built for ${name}`);
  return name;
}
