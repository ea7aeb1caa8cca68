#!/bin/bash
# Runs tests of the Crystal compiler with libfirstcall_mcjit.so preloaded:
#   bazel run -c opt //tests/clients/mcjit:run_crystal_specs -- DIR [SPEC...]
#
# Crystal's tests of code generation compile small programs and run them with MCJIT, through LLVM's C API,
# each with an engine of its own. Debian 13 has a Crystal that uses LLVM 19. So this makes a Debian 13 in
# DIR/debian with debootstrap (2 GB), fetches Crystal's source from Debian into DIR (2 MB, pinned by SHA-256),
# builds the tests with Debian's compiler, and runs them without the preload and with it. SPEC is a name in
# spec/compiler/codegen, without _spec.cr. The default are some of those whose programs do not need
# Crystal's library: the others are not run by MCJIT, but linked and started.
#
# Prints how many tests passed, and how many engines were lazy, and why others were not. The status is 0 if
# with the preload the same tests pass as without, and some engines were lazy. Needs root, debootstrap and
# unshare. Takes a quarter of an hour, a second run some minutes. DEBIAN_MIRROR names another mirror than
# deb.debian.org.

set -euo pipefail

readonly ARCHIVE=crystal_1.14.0+dfsg.orig.tar.xz
readonly SHA256=4cf851b2ea0a6ba4049a4c82960cec132a113df3e457a1cca24a98afa07faacd
readonly RELEASE=trixie
SPECS=(and c_enum def_default_value double_splat enum named_args next not or return sizeof splat ssa while)

fail() {
  echo "run_crystal_specs: $*" >&2
  exit 1
}
say() { echo "run_crystal_specs: $*"; }

(($# >= 2)) || fail "usage: run_crystal_specs DIR [SPEC...]"
SOURCE_TREE="$(cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../../.." && pwd)"
library="$1"
[[ -f $library ]] || library="${BUILD_WORKING_DIRECTORY:-.}/$1"
library="$(realpath "$library")"
cd "${BUILD_WORKING_DIRECTORY:-.}"
mkdir -p "$2"
cd "$2"
readonly SOURCE_TREE library ROOT="$PWD/debian"
shift 2
(($# == 0)) || SPECS=("$@")
((EUID == 0)) || fail "only root can change the root directory"
command -v debootstrap >/dev/null || fail "debootstrap is missing (Debian package debootstrap)"

"$SOURCE_TREE/third_party/debian/fetch_source.sh" . "crystal/$RELEASE" "$ARCHIVE" "$SHA256"

inside() {
  unshare --mount --pid --fork --mount-proc="$ROOT/proc" chroot "$ROOT" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
    CRYSTAL_PATH=lib:src CRYSTAL_CACHE_DIR=/root/cache LLVM_CONFIG=llvm-config-19 \
    sh -c 'cd "$0" && exec "$@"' "$directory" "$@"
}
directory=/
if [[ ! -f $ROOT/.made ]]; then
  say "making a Debian in $ROOT"
  rm -rf "$ROOT"
  debootstrap --variant=minbase "$RELEASE" "$ROOT" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >debootstrap.txt 2>&1 ||
    fail "debootstrap failed: $(tail -n 3 debootstrap.txt)"
  inside apt-get install -qq --yes --no-install-recommends crystal g++ llvm-19-dev libevent-dev libffi-dev libgc-dev \
    libgmp-dev libpcre2-dev libssl-dev libxml2-dev libyaml-dev make pkg-config zlib1g-dev >packages.txt 2>&1 ||
    fail "apt-get install failed: $(tail -n 3 packages.txt)"
  touch "$ROOT/.made"
fi
if [[ ! -d $ROOT/root/crystal ]]; then
  mkdir -p "$ROOT/root/unpacked"
  tar -xJf "$ARCHIVE" -C "$ROOT/root/unpacked" --strip-components=1
  mv "$ROOT/root/unpacked" "$ROOT/root/crystal"
fi
directory=/root/crystal

# One program for each choice of tests.
program="specs-$(printf '%s\n' "${SPECS[@]}" | sha256sum | cut -c 1-12)"
if [[ ! -f $ROOT/root/$program ]]; then
  say "building the tests"
  # The flag says that the compiler under test is the one that is built from this source.
  inside crystal build -Di_know_what_im_doing --no-color -o "/root/$program" \
    $(printf "spec/compiler/codegen/%s_spec.cr " "${SPECS[@]}") >build.txt 2>&1 || fail "building failed: $(tail -n 5 build.txt)"
fi

# Abseil's libraries of this Debian: the other one has later ones.
rm -rf "$ROOT/root/preload"
mkdir "$ROOT/root/preload"
cp "$library" "$(dirname "$library")/libfirstcall_mcjit_engine.so" "$ROOT/root/preload/"
ldd "$ROOT/root/preload/libfirstcall_mcjit_engine.so" | awk '/libabsl/ {print $3}' | xargs cp -t "$ROOT/root/preload"

result() { # FILE
  grep -E '^[0-9]+ examples' "$1" || fail "the tests ended early: $(tail -n 5 "$1")"
}
say "running the tests without the preload"
inside "/root/$program" --order default --no-color >without.txt 2>&1 || true
say "running them with it"
inside env FIRSTCALL_STATS=1 LD_LIBRARY_PATH=/root/preload LD_PRELOAD=libfirstcall_mcjit.so \
  "/root/$program" --order default --no-color >with.txt 2>statistics.txt || true
say "without: $(result without.txt)"
say "with:    $(result with.txt)"
lazy=$(grep -c ': lazy$' statistics.txt || true)
say "lazy engines: $lazy"
grep -E 'not lazy|compiled whole' statistics.txt | sort | uniq -c | sort -rn | head || true
# Which tests failed, if any.
[[ $(result without.txt) == "$(result with.txt)" ]] || fail "with the preload the result is another"
cmp <(grep '^crystal spec' without.txt) <(grep '^crystal spec' with.txt) || fail "other tests fail"
((lazy > 0)) || fail "no engine was lazy"
