#!/usr/bin/env bash
# Builds the modules for browsers into bindings-wasm/dist/{base,semantic} and checks their sizes.
set -eu -o pipefail

usage() {
  cat <<'TEXT'
Usage: bindings-wasm/build.sh [--setup] [base] [semantic]

Builds both modules, or those that are named, for release.

  --setup  install wasm-opt (npm package binaryen) below CARGO_TARGET_DIR and the WebAssembly
           target of Rust, and build nothing

Needed: Rust with the target wasm32-unknown-unknown, clang and llvm-ar for SQLite, Node 20 or newer.
CARGO_TARGET_DIR says where build products go; WASM_OPT may name another wasm-opt.
TEXT
}

setup=no
modules=()
for argument in "$@"; do
  case "$argument" in
    --setup) setup=yes ;;
    base | semantic) modules+=("$argument") ;;
    -h | --help) usage; exit 0 ;;
    *) echo "build.sh: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done
[ ${#modules[@]} -gt 0 ] || modules=(base semantic)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname "$here")
cd "$root"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}"
target=wasm32-unknown-unknown
tools="$CARGO_TARGET_DIR/tools/wasm-$(git hash-object "$here/tools/package-lock.json" | cut -c1-16)"

have() { command -v "$1" >/dev/null 2>&1; }
missing() {
  echo "missing: $1" >&2
  echo "install: $2" >&2
  exit 1
}

if [ "$setup" = yes ]; then
  have npm || missing "npm" "Node 20 or newer, from https://nodejs.org"
  if [ ! -e "$tools/installed" ]; then
    rm -rf "$tools"
    mkdir -p "$tools"
    cp "$here/tools/package.json" "$here/tools/package-lock.json" "$tools"
    (cd "$tools" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    touch "$tools/installed"
  fi
  if have rustup; then rustup target add "$target"; fi
  exit 0
fi

have cargo || missing "cargo" "rustup, from https://rustup.rs"
have clang || missing "clang, which compiles SQLite" "apt-get install clang llvm"
have llvm-ar || missing "llvm-ar" "apt-get install llvm"
clang --print-targets | grep -q wasm32 || missing "a clang that knows wasm32" "apt-get install clang"
have node || missing "node" "Node 20 or newer, from https://nodejs.org"
libraries=$(rustc --print target-libdir --target "$target" 2>/dev/null || true)
[ -n "$libraries" ] && [ -d "$libraries" ] || missing "the WebAssembly target" "rustup target add $target"
wasm_opt=${WASM_OPT:-$tools/node_modules/.bin/wasm-opt}
have "$wasm_opt" || missing "wasm-opt" "bindings-wasm/build.sh --setup"

# Flags in the environment would replace those in .cargo/config.toml.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
# Keeps paths of this machine out of panic messages. Paths of this repository are relative already; with its folder in
# the flags, a clone elsewhere would recompile everything.
remap="\"--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=crates\""

# Raw and gzipped bytes of a file.
sizes() { node -e '
  const bytes = require("node:fs").readFileSync(process.argv[1]);
  console.log(bytes.length, require("node:zlib").gzipSync(bytes, { level: 9 }).length);' "$1"; }

# Hash of the inputs of the last build of a module: compiler, tools, and the files that the compiler read.
made_of() {
  rustc -vV
  while read -r file; do git hash-object --no-filters "$file" 2>&1; done <"$1"
}

# The files that the compiler read for the module, and other inputs of the build.
inputs() {
  git ls-files '*Cargo.toml'
  printf '%s\n' Cargo.lock .cargo/config.toml rust-toolchain.toml npm/ubp/generated/contract.ts \
    bindings-wasm/build.sh bindings-wasm/src/bin/bindgen.rs bindings-wasm/tools/package-lock.json
  sed 's/^[^:]*: //; s/ /\n/g' "$CARGO_TARGET_DIR/$target/wasm/ubp_wasm.d" | sed "s|^$root/||"
}

# Hash of the files in a folder.
made_here() { (cat "$1"/* 2>/dev/null || true) | git hash-object --stdin; }

build() {
  local module=$1 limit=$2 level=$3 raw gzipped stamp="$CARGO_TARGET_DIR/made/wasm-$1"
  local out="$here/dist/$module" made="$CARGO_TARGET_DIR/$target/wasm/ubp_wasm.wasm" work="$CARGO_TARGET_DIR/wasm-work/$module"
  # Both modules are one target to Cargo, which links it again for each. So check first whether any input changed.
  if [ -e "$stamp.inputs" ] && [ "$(cat "$stamp")" = "$(made_of "$stamp.inputs") $(made_here "$out")" ]; then
    echo "$module: unchanged"
    return
  fi
  echo "building $module"
  rm -rf "$stamp"* "$work"
  mkdir -p "$work" "${stamp%/*}"
  cargo build -p ubp-wasm --target "$target" --profile wasm --features "$module" \
    --config "target.$target.rustflags=[$remap]"
  inputs >"$work/inputs"
  # In the release profile, whose folder is not locked by test builds.
  cargo run --quiet --release -p ubp-wasm --features bindgen --bin ubp-bindgen -- "$made" "ubp_$module" "$work"
  # Rust puts the stack at the start of memory, so nothing is in its first kilobyte. In the order of their names, copies of
  # a generic function for other types are neighbours, which gzip stores once.
  "$wasm_opt" "$level" --reorder-functions-by-name --low-memory-unused --enable-simd --enable-bulk-memory --enable-bulk-memory-opt --enable-sign-ext --enable-mutable-globals \
    --enable-nontrapping-float-to-int --enable-reference-types --enable-multivalue \
    "$work/ubp_${module}_bg.wasm" -o "$work/optimised.wasm"
  mv "$work/optimised.wasm" "$work/ubp_${module}_bg.wasm"
  cp npm/ubp/generated/contract.ts "$work/contract.ts"
  read -r raw gzipped < <(sizes "$work/ubp_${module}_bg.wasm")
  echo "$module: $raw bytes, gzipped $gzipped of at most $limit"
  if [ "$gzipped" -gt "$limit" ]; then
    echo "build.sh: $module is too large" >&2
    exit 1
  fi
  rm -rf "$out"
  mkdir -p "$here/dist"
  mv "$work/inputs" "$stamp.inputs"
  mv "$work" "$out"
  echo "$(made_of "$stamp.inputs") $(made_here "$out")" >"$stamp"
}

for module in "${modules[@]}"; do
  case "$module" in
    base) build base 1500000 -O2 ;;
    semantic) build semantic 3000000 -O3 ;;
  esac
done
