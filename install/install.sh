#!/bin/bash
# Installs firstcall. tools/install.sh is how it is called, and says how; the build gives the first two
# arguments:  install.sh VERSION C_INTERFACE [OPTION...]
set -euo pipefail

readonly VERSION=$1 INTERFACE=$2
# "_llvm22" and "22"; nothing and "19".
readonly OF_LLVM=${INTERFACE#"${INTERFACE%%_*}"}
readonly LLVM=${OF_LLVM#_llvm}
shift 2

usage() {
  cat <<'USAGE'
usage: tools/install.sh --prefix=DIR [--llvm=VERSION] [--destdir=DIR] [--libdir=DIR] [--strip]

Builds firstcall (bazel build -c opt) and installs it:
  bin/firstcall            the command
  lib/libfirstcall*        libraries: the C interface, the C++ interface, the drop-in for MCJIT
  lib/firstcall/           what the command and the libraries need
  lib/pkgconfig/, lib/cmake/Firstcall/
  include/firstcall/       headers in C and C++
  lib/systemd/user/        units that start the compile server
  share/                   man page, completions for bash and zsh, documents

  --prefix=DIR   where to install; an absolute path. The tree may be moved elsewhere later.
  --llvm=VERSION build with this LLVM: 19, which is the default, or 22
  --libdir=DIR   where libraries go, below the prefix (default: lib)
  --destdir=DIR  put in front of the prefix, for making packages
  --strip        leave out symbols, but for those by which a debugger finds compiled code
USAGE
}

die() {
  echo "install.sh: $*" >&2
  exit 1
}

prefix= libdir=lib destdir= strip=
for argument in "$@"; do
  case "$argument" in
    --prefix=*) prefix=${argument#*=} ;;
    --libdir=*) libdir=${argument#*=} ;;
    --destdir=*) destdir=${argument#*=} ;;
    --strip) strip=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      die "unknown argument: $argument"
      ;;
  esac
done
[[ $prefix == /* ]] || die "--prefix=DIR with an absolute path is needed"
[[ ! $destdir || $destdir == /* ]] || die "--destdir=DIR is an absolute path"
[[ $libdir != /* && $libdir != *..* ]] || die "--libdir is a path below the prefix"

readonly ROOT=$destdir$prefix
readonly LIB=$ROOT/$libdir
# From a directory below the prefix to the prefix.
up() { sed 's|[^/]\+|..|g' <<<"$1"; }

# Removes symbols, but for those that a debugger needs (docs/debugging.md): it hears of compiled code by
# __jit_debug_*, and steps into a function that is compiled by the step with the help of _dl_* (stubs/reentry_*.S).
# They are kept where GDB looks for the symbols of a stripped file: in a compressed ELF file without contents, in
# section .gnu_debugdata (GDB's manual, "MiniDebugInfo").
strip_for_debuggers() { # FILE
  local kept
  kept=$(mktemp)
  objcopy --only-keep-debug "$1" "$kept"
  strip --strip-all --wildcard --keep-symbol='__jit_debug_*' --keep-symbol=_dl_fixup \
    --keep-symbol=_dl_runtime_resolve "$kept"
  xz --force --suffix=.xz "$kept"
  strip --strip-unneeded --remove-section=.comment "$1"
  objcopy --add-section ".gnu_debugdata=$kept.xz" "$1"
  rm "$kept.xz"
}

# Paths are those of the runfiles, whose directory Bazel makes the current one.
program() { # FILE DESTINATION
  install -D -m "${3-755}" "$1" "$2"
  if [[ $strip ]]; then strip_for_debuggers "$2"; fi
}
library() { program "$1" "$2" 644; } # FILE DESTINATION

# A template, with what only an installation knows.
fill() { # FILE DESTINATION
  mkdir -p "$(dirname "$2")"
  sed -e "s|@VERSION@|$VERSION|g" -e "s|@LIBDIR@|$libdir|g" -e "s|@LLVM@|${LLVM:-19}|g" \
    -e "s|@PKGCONFIG_TO_PREFIX@|$(up "$libdir/pkgconfig")|g" \
    -e "s|@CMAKE_TO_PREFIX@|$(up "$libdir/cmake/Firstcall")|g" "$1" >"$2"
  chmod 644 "$2"
}

# --- The command, and what it finds in its own directory ---
for file in firstcall firstcall-llvm; do
  [[ -f tools/$file ]] || continue # It is one program where LLVM is not linked statically.
  program "tools/$file" "$LIB/firstcall/$file"
done
if [[ -f tools/libfirstcall_compiler.so ]]; then
  library tools/libfirstcall_compiler.so "$LIB/firstcall/libfirstcall_compiler.so"
fi
mkdir -p "$ROOT/bin"
ln -sf "../$libdir/firstcall/firstcall" "$ROOT/bin/firstcall"

# --- Libraries ---
# Each stands under its full version, and if it is not for LLVM 19 with its LLVM, and is found by its SONAME and, by the linker, without either.
library "clients/capi/libfirstcall.so.$INTERFACE" "$LIB/libfirstcall.so.$VERSION$OF_LLVM"
ln -sf "libfirstcall.so.$VERSION$OF_LLVM" "$LIB/libfirstcall.so.$INTERFACE"
ln -sf "libfirstcall.so.$INTERFACE" "$LIB/libfirstcall.so"

# This one finds the compiler beside the file that it really is.
library "clients/capi/libfirstcall_runtime.so.$INTERFACE" "$LIB/firstcall/libfirstcall_runtime.so.$VERSION$OF_LLVM"
ln -sf "firstcall/libfirstcall_runtime.so.$VERSION$OF_LLVM" "$LIB/libfirstcall_runtime.so.$INTERFACE"
ln -sf "libfirstcall_runtime.so.$INTERFACE" "$LIB/libfirstcall_runtime.so"

library "engine/libfirstcall_cc.so.$VERSION$OF_LLVM" "$LIB/libfirstcall_cc.so.$VERSION$OF_LLVM"
ln -sf "libfirstcall_cc.so.$VERSION$OF_LLVM" "$LIB/libfirstcall_cc.so"

# So does this one.
library clients/mcjit/libfirstcall_mcjit.so "$LIB/firstcall/libfirstcall_mcjit.so"
library clients/mcjit/libfirstcall_mcjit_engine.so "$LIB/firstcall/libfirstcall_mcjit_engine.so"
ln -sf firstcall/libfirstcall_mcjit.so "$LIB/libfirstcall_mcjit.so"

# And this one. Programs that ask for the compile function are linked with the engine.
library clients/orc/libfirstcall_orc.so "$LIB/firstcall/libfirstcall_orc.so"
library clients/orc/libfirstcall_orc_engine.so "$LIB/firstcall/libfirstcall_orc_engine.so"
ln -sf firstcall/libfirstcall_orc.so "$LIB/libfirstcall_orc.so"
ln -sf firstcall/libfirstcall_orc_engine.so "$LIB/libfirstcall_orc_engine.so"

# --- Headers ---
install -D -m 644 clients/capi/firstcall.h "$ROOT/include/firstcall/firstcall.h"
mapfile -t headers <install/public_headers.txt
install/headers.py . "$ROOT/include/firstcall" "${headers[@]}"

# --- What build systems read ---
fill install/firstcall.pc.in "$LIB/pkgconfig/firstcall.pc"
fill install/firstcall-cc.pc.in "$LIB/pkgconfig/firstcall-cc.pc"
fill install/FirstcallConfig.cmake.in "$LIB/cmake/Firstcall/FirstcallConfig.cmake"
fill install/FirstcallConfigVersion.cmake.in "$LIB/cmake/Firstcall/FirstcallConfigVersion.cmake"

# --- For people ---
fill install/firstcall.1.in "$ROOT/share/man/man1/firstcall.1"
install -D -m 644 install/firstcall.bash "$ROOT/share/bash-completion/completions/firstcall"
install -D -m 644 install/_firstcall "$ROOT/share/zsh/site-functions/_firstcall"
# systemd finds units of a user below /usr and /usr/local; elsewhere they have to be linked.
install -D -m 644 install/systemd/firstcall.socket "$ROOT/lib/systemd/user/firstcall.socket"
sed "s|@BIN@|$prefix/bin|g" install/systemd/firstcall.service.in \
  >"$ROOT/lib/systemd/user/firstcall.service"
chmod 644 "$ROOT/lib/systemd/user/firstcall.service"
install -D -m 644 LICENSE "$ROOT/share/doc/firstcall/LICENSE"
install -D -m 644 README.md "$ROOT/share/doc/firstcall/README.md"
for example in CMakeLists.txt desk.ll embed.c embed.cc memory.c meson.build repl.c repl.txt; do
  install -D -m 644 "examples/$example" "$ROOT/share/doc/firstcall/examples/$example"
done
