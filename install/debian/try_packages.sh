#!/bin/bash
# Installs the packages that build_packages has made into a Debian that has nothing else, and uses them there:
#   bazel run //install/debian:try_packages -- PACKAGES ROOT
#
# PACKAGES is the directory with the .deb files, for one version of LLVM. ROOT is made by debootstrap (some 200 MB; further packages
# take 600 MB) unless it is there already, and is left there. Needs root and debootstrap. DEBIAN_MIRROR names
# another mirror than deb.debian.org, DEBIAN_SECURITY_MIRROR of the security archive, which has LLVM 22. The status is 0 if everything works, and if removing the packages
# leaves nothing of them.
set -euo pipefail

fail() {
  echo "try_packages: $*" >&2
  exit 1
}
say() { echo "try_packages: $*"; }

(($# == 2)) || fail "usage: try_packages PACKAGES ROOT"
cd "${BUILD_WORKING_DIRECTORY-.}"
readonly PACKAGES=$(realpath "$1") ROOT=$(realpath -m "$2")
command -v debootstrap >/dev/null || fail "debootstrap is missing (Debian package debootstrap)"
((EUID == 0)) || fail "only root can change the root directory"

mapfile -t commands < <(compgen -G "$PACKAGES/firstcall_*.deb")
((${#commands[@]} == 1)) || fail "$PACKAGES has ${#commands[@]} packages of the command, not one"
# "0.1.0+llvm22-0upstream1"; without "+llvm" for LLVM 19.
LLVM=$(dpkg-deb -f "${commands[0]}" Version | sed -n 's/.*+llvm\([0-9]*\)-.*/\1/p')
readonly LLVM=${LLVM:-19}
say "packages for LLVM $LLVM"

if [[ ! -f $ROOT/.made ]]; then
  say "making a Debian in $ROOT"
  debootstrap --variant=minbase bookworm "$ROOT" "${DEBIAN_MIRROR-http://deb.debian.org/debian}" >/dev/null ||
    fail "debootstrap failed"
  echo "deb ${DEBIAN_SECURITY_MIRROR-http://deb.debian.org/debian-security} bookworm-security main" \
    >"$ROOT/etc/apt/sources.list.d/security.list"
  touch "$ROOT/.made"
fi
rm -rf "$ROOT/packages"
mkdir "$ROOT/packages"
cp "$PACKAGES"/*.deb "$ROOT/packages"

# With /proc, where the command reads which file it is.
inside() {
  unshare --mount --pid --fork --mount-proc="$ROOT/proc" chroot "$ROOT" env --chdir=/ -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}
expect() { # WHAT EXPECTED COMMAND...
  local what=$1 expected=$2 actual
  shift 2
  actual=$(inside "$@" 2>&1) || fail "$what failed: $actual"
  [[ $actual == *"$expected"* ]] || fail "$what: $actual"
  say "$what: ${actual//$'\n'/; }"
}

install_packages() { # NAME, or a pattern of files, ...
  local names
  # The patterns are those of files there, where names begin with ./ for apt-get.
  mapfile -t names < <(cd "$ROOT" && printf '%s\n' $*)
  inside apt-get install -qq --yes --no-install-recommends "${names[@]}" >"$ROOT/log" 2>&1 || fail "apt-get: $(tail "$ROOT/log")"
}

# The command alone.
install_packages "./packages/firstcall_*.deb" "./packages/libfirstcall0*.deb"
desk=/packages/desk.ll
dpkg-deb --fsys-tarfile "$ROOT"/packages/libfirstcall-dev_*.deb |
  tar -xO ./usr/share/doc/libfirstcall-dev/examples/desk.ll >"$ROOT$desk"
expect "the command" "LLVM version $LLVM." firstcall --version
expect "a first start" "gcd(84, 36) = 12" firstcall "$desk" gcd 84 36
expect "a second start" "compiler made for   nothing" firstcall --stats "$desk" gcd 84 36

# Development.
install_packages "./packages/*.deb" g++ pkg-config
examples=/usr/share/doc/libfirstcall-dev/examples
expect "embed.c" "cube(3) = 27" sh -c \
  "gcc -std=c99 $examples/embed.c -o /packages/embed \$(pkg-config --cflags --libs firstcall) && /packages/embed"
expect "embed.cc" "compiled: 1 of 2" sh -c \
  "g++ -std=c++17 $examples/embed.cc -o /packages/embed \$(pkg-config --cflags --libs firstcall-cc) && /packages/embed"
expect "embed.c without LLVM" "cube(3) = 27" sh -c \
  "gcc -std=c99 $examples/embed.c -o /packages/embed -lfirstcall_runtime && /packages/embed"

# In MCJIT's place, in Debian's lli.
install_packages "llvm-$LLVM-runtime"
expect "lli with the preload" ": lazy" env FIRSTCALL_STATS=1 LD_PRELOAD=libfirstcall_mcjit.so \
  "lli-$LLVM" --jit-kind=mcjit "$desk" gcd 84 36
expect "lli with the preload for ORC" ": the baseline compiles" env FIRSTCALL_STATS=1 \
  FIRSTCALL_OPTIONS=--baseline=always LD_PRELOAD=libfirstcall_orc.so "lli-$LLVM" --jit-kind=orc "$desk" gcd 84 36

# And away.
mapfile -t names < <(for package in "$ROOT"/packages/*.deb; do dpkg-deb -f "$package" Package; done)
inside dpkg --purge "${names[@]}" >/dev/null || fail "dpkg --purge failed"
left=$(find "$ROOT/usr" "$ROOT/etc" "$ROOT/var/lib/dpkg/info" -name '*firstcall*')
[[ ! $left ]] || fail "left behind: $left"
say "removed without a rest"
