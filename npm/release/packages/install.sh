#!/bin/sh
# Installs ubp for one user from the archives of a release, on Linux and macOS. Needs no root, and changes nothing but the file
# ubp in the folder of --to.
set -eu

version='@version@'
releases='@repository@/releases/download'
from=
to=

usage() {
  cat <<TEXT
Usage: sh install.sh [--version VERSION] [--to DIR] [--from URL]

Downloads ubp for this machine, checks its SHA-256, and installs it.

  --version  the release to install (default: $version)
  --to       the folder for the program (default: ~/.local/bin)
  --from     an address with the files of a release, such as a mirror
  --help     print this help

To undo it, delete the file ubp in that folder.
TEXT
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

have() { command -v "$1" >/dev/null 2>&1; }

# The target that the program was built for, as in the names of the archives.
target() {
  system=$(uname -s)
  machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "ubp is not built for processors of type $machine; build it from source: $repository" ;;
  esac
  case "$system" in
    Linux)
      # A processor of 64 bits can run a system of 32 bits.
      [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 64 ] || fail "ubp needs a system of 64 bits"
      echo "$machine-unknown-linux-$(c_library)"
      ;;
    Darwin)
      # Rosetta runs the shell as if the processor were another one.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 0 ] || machine=aarch64
      echo "$machine-apple-darwin"
      ;;
    MINGW* | MSYS* | CYGWIN*) fail "this script is for Linux and macOS; on Windows, use Scoop or npx ubp" ;;
    *) fail "ubp is not built for $system; build it from source: $repository" ;;
  esac
}

# `gnu` where glibc 2.28 or newer is. The program for musl is linked statically, and runs on every other Linux.
c_library() {
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || glibc=
  case "$glibc" in
    'glibc 2.'*)
      minor=${glibc#glibc 2.}
      minor=${minor%%[!0-9]*}
      if [ "${minor:-0}" -ge 28 ] && { [ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ]; }; then
        echo gnu
        return
      fi
      ;;
  esac
  echo musl
}

# Usage: download URL FILE
download() {
  # An address with https must not lead to one without it.
  case "$1" in
    https://*) only='=https' ;;
    *) only='=http,https' ;;
  esac
  if have curl; then
    curl --fail --silent --show-error --location --proto "$only" --proto-redir "$only" --output "$2" -- "$1"
  elif have wget; then
    wget -q -O "$2" -- "$1"
  else
    fail "curl or wget is needed"
  fi || fail "cannot download $1"
}

sha256() {
  if have sha256sum; then
    sha256sum -- "$1"
  elif have shasum; then
    shasum -a 256 -- "$1"
  else
    openssl dgst -sha256 -r "$1"
  fi | cut -d ' ' -f 1
}

# Prints the version of the program at a path; fails if it is not ubp.
ubp_version() {
  said=$("$1" --version 2>/dev/null </dev/null) || return 1
  case "$said" in
    'ubp '[0-9]*) echo "${said#ubp }" ;;
    *) return 1 ;;
  esac
}

main() {
  repository=${releases%/releases/download}
  while [ $# -gt 0 ]; do
    case "$1" in
      --version | --to | --from)
        { [ $# -ge 2 ] && [ -n "$2" ]; } || fail "$1 needs a value" 2
        case "$1" in
          --version) version=${2#v} ;;
          --to) to=$2 ;;
          --from) from=${2%/} ;;
        esac
        shift 2
        ;;
      -h | --help) usage; exit 0 ;;
      *) usage >&2; fail "unknown argument '$1'" 2 ;;
    esac
  done
  case "$version" in
    *[!0-9A-Za-z.+-]* | [!0-9]*) fail "'$version' is not a version" 2 ;;
  esac
  if [ -z "$to" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set; use --to"
    to=$HOME/.local/bin
  fi
  # A name that begins with a hyphen would be read as an option.
  case "$to" in
    /*) ;;
    *) to=$PWD/$to ;;
  esac
  from=${from:-$releases/v$version}
  have tar || fail "tar is needed"
  have sha256sum || have shasum || have openssl || fail "sha256sum, shasum or openssl is needed to check the download"

  name=ubp-$version-$(target)
  program=$to/ubp
  before=
  if [ -d "$program" ]; then
    fail "$program is a folder; choose another folder with --to"
  elif [ -e "$program" ] || [ -L "$program" ]; then
    before=$(ubp_version "$program") || fail "$program is not ubp, and stays as it is; move it, or choose another folder with --to"
  fi

  work=$(mktemp -d) || fail "cannot create a temporary folder"
  new=
  trap 'rm -rf "$work" ${new:+"$new"}' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  printf 'Downloading %s/%s.tar.gz\n' "$from" "$name"
  download "$from/SHA256SUMS" "$work/SHA256SUMS"
  expected=$(awk -v name="$name.tar.gz" '$2 == name || $2 == "*" name { print $1; exit }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS does not list $name.tar.gz"
  download "$from/$name.tar.gz" "$work/archive.tar.gz"
  actual=$(sha256 "$work/archive.tar.gz")
  [ "$actual" = "$expected" ] || fail "$name.tar.gz is not what was released, and was not installed:
  SHA-256 expected  $expected
  SHA-256 found     $actual"

  tar -xzf "$work/archive.tar.gz" -C "$work" "$name/ubp" || fail "$name.tar.gz cannot be unpacked"
  mkdir -p "$to" 2>/dev/null || fail "$to cannot be created; choose another folder with --to"
  # It is copied beside its place and then renamed, so that there is always a whole program, even while an old one runs.
  new=$to/.ubp-new-$$
  { cp "$work/$name/ubp" "$new" && chmod 755 "$new"; } 2>/dev/null || fail "$to cannot be written; choose another folder with --to"
  now=$(ubp_version "$new") || fail "the program does not run on this machine; build it from source: $repository"
  [ "$now" = "$version" ] || fail "the archive contains ubp $now, not ubp $version"
  mv -f "$new" "$program" || fail "$program cannot be written"
  new=

  if [ -n "$before" ]; then
    printf 'Installed ubp %s as %s, in place of ubp %s.\n' "$version" "$program" "$before"
  else
    printf 'Installed ubp %s as %s.\n' "$version" "$program"
  fi
  case ":$PATH:" in
    *":$to:"*) ;;
    *) printf 'Your shell does not look there yet. Add this line to its settings:  export PATH="%s:%sPATH"\n' "$to" '$' ;;
  esac
  printf "To undo this:  rm '%s'\n" "$program"
}

# The last line, so that an incomplete download of this script runs nothing.
main "$@"
