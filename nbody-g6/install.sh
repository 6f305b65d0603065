#!/bin/sh
# Builds libsapporo and installs it: install.sh PREFIX.
set -eu
prefix=${1:?usage: install.sh PREFIX}
cd "$(dirname "$0")"
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
cargo rustc --lib --release --crate-type cdylib --target-dir "${CARGO_TARGET_DIR:-$target}"
install -d "$prefix/lib/pkgconfig" "$prefix/include"
install -m 755 "${CARGO_TARGET_DIR:-$target}/release/libsapporo.so" "$prefix/lib"
install -m 644 include/g6lib.h "$prefix/include"
install -m 644 sapporo.pc sapporo_light.pc "$prefix/lib/pkgconfig"
