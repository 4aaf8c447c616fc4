# What `tests/run --setup` installs, and what tells whether it is there. Read by tests/run.
# shellcheck shell=bash disable=SC2154

# What reads the packages of a release. A command is in the Debian package of its name, except for bsdtar.
release_tools=(shellcheck ruby makepkg bsdtar fakeroot curl wget busybox)

package_of() { [ "$1" = bsdtar ] && echo libarchive-tools || echo "$1"; }

install_packages() {
  local wanted=() tool
  have git || wanted+=(git)
  have cc || wanted+=(build-essential)
  have clang || wanted+=(clang)
  have llvm-ar || wanted+=(llvm)
  have wasm-ld || wanted+=(lld)
  have node || wanted+=(nodejs)
  have npm || wanted+=(npm)
  have python3 || wanted+=(python3)
  have nvim || wanted+=(neovim)
  have chromium-headless-shell || wanted+=(chromium-headless-shell)
  for tool in "${release_tools[@]}"; do have "$tool" || wanted+=("$(package_of "$tool")"); done
  [ -e /etc/ssl/certs/ca-certificates.crt ] || wanted+=(ca-certificates)
  if [ ${#wanted[@]} -gt 0 ]; then
    if ! have apt-get || [ "$(id -u)" -ne 0 ]; then
      echo "needed: ${wanted[*]}; only root on Debian can install them here"
      return 1
    fi
    echo "installing ${wanted[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
  fi
}

install_rust_parts() {
  have rustup || { echo "needed: rustup, from https://rustup.rs"; return 1; }
  rustup component add rustfmt clippy && rustup target add wasm32-unknown-unknown
}

deny_version=0.20.2

install_cargo_deny() {
  cargo deny --version >/dev/null 2>&1 && return 0
  # It runs for two seconds: what its own profile spends on optimising it takes minutes.
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    cargo install cargo-deny --locked --version "^$deny_version" --root "$tools" 2>&1 | tail -n 3
  cargo deny --version
}

# Fetches all dependencies, including those of other systems and of unused features: the checks of licences and of the
# architecture need them.
fetch_dependencies() { have cargo && cargo fetch --locked --quiet; }

install_nodes() {
  have npm || { echo "needed: Node with npm"; return 1; }
  node tests/node/run.mjs --setup
}

node_is_there() {
  have npm && have node && [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ]
}

# The folder of the official MCP clients: outside of the clone, one for each lockfile.
mcp_clients() { echo "$tools/mcp-$(git hash-object tests/mcp/package-lock.json | cut -c1-16)"; }

install_mcp_clients() {
  local folder
  folder=$(mcp_clients)
  [ -e "$folder/installed" ] && return 0
  node_is_there || { echo "needed: Node 20 or newer with npm, from https://nodejs.org"; return 1; }
  rm -rf "$folder" && mkdir -p "$folder" && cp tests/mcp/package.json tests/mcp/package-lock.json "$folder" || return 1
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) && touch "$folder/installed"
}

# wasm-opt, and the driver for Chromium.
install_wasm_tools() {
  node_is_there || { echo "needed: Node 20 or newer with npm, from https://nodejs.org"; return 1; }
  bindings-wasm/build.sh --setup
}
