#!/bin/bash
# Fetches and builds what the benchmarks run:  fetch_workloads.sh DIR
#
# Two real programs are fetched, each pinned by the SHA-256 of the archive it comes in:
#   SQLite 3.53.2 (amalgamation)  npm package better-sqlite3, deps/sqlite3/
#   Lua 5.4.4                     Debian source package lua5.4, the upstream archive in it
# The rest is generated here or compiled from programs/. Leaves in DIR:
#   sq lua hello small stream .bc      as the front end emits it, before any optimization
#   sqO2 luaO2 helloO2 ... .bc         after clang -O2
#   chain_N.bc                         N functions, each calls the next
#   native/sq, native/chain_N, ...     the same ahead of time (-O2): the reference
#   compute/NAME.bc, NAMEopt.bc        what computes for seconds: as the front end emits it for -O2,
#                                      before any pass, and that after opt -O2; ahead of time in
#                                      native/; work.lua, work.sql, long_work.sql
#
# Needs clang-VERSION, llvm-VERSION (19, or what LLVM_MAJOR says), npm, apt-get and sha256sum; no root,
# and the machine's apt configuration and package lists are left alone. Silent, and quick, when DIR is
# up to date. DEBIAN_MIRROR names another mirror than deb.debian.org.

set -euo pipefail
shopt -s extglob

if [[ $# -ne 1 || $1 == -* ]]; then
  echo "usage: $0 DIR" >&2
  exit 2
fi

readonly SQLITE_PACKAGE=better-sqlite3@12.11.1
readonly SQLITE_ARCHIVE=better-sqlite3-12.11.1.tgz
readonly SQLITE_SHA256=ebf0ed75a7a59dbcb3b24bbd014ef49d9f15bc328e4adcbf516f2a8fadfa2835
readonly LUA_ARCHIVE=lua5.4_5.4.4.orig.tar.gz
readonly LUA_SHA256=164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61
readonly CHAINS=(1 100 500 1000 2000 10000)

SCRIPT="$(realpath "${BASH_SOURCE[0]}")"
HERE="$(dirname "$SCRIPT")"
cd "${BUILD_WORKING_DIRECTORY:-.}"  # Bazel runs us elsewhere.
mkdir -p "$1"
DIR="$(cd "$1" && pwd)"
readonly SCRIPT HERE DIR PROGRAMS="$HERE/programs" SOURCES="$DIR/sources"
# shellcheck source=benchmarks/workload_tools.sh
source "$HERE/workload_tools.sh"

check_sha256() {  # FILE SHA256
  echo "$2  $1" | sha256sum --check --status || fail "$1 does not have the pinned SHA-256 $2"
}

fetch_sqlite() {
  [[ -f $SOURCES/$SQLITE_ARCHIVE ]] ||
    (cd "$SOURCES" && quietly npm pack --cache "$SOURCES/npm-cache" "$SQLITE_PACKAGE")
  check_sha256 "$SOURCES/$SQLITE_ARCHIVE" "$SQLITE_SHA256"
  mkdir -p "$SOURCES/sqlite"
  tar -xzf "$SOURCES/$SQLITE_ARCHIVE" -C "$SOURCES/sqlite" --strip-components=3 \
    package/deps/sqlite3/sqlite3.c package/deps/sqlite3/sqlite3.h
}

fetch_lua() {
  "$HERE/../third_party/debian/fetch_source.sh" "$SOURCES" lua5.4 "$LUA_ARCHIVE" "$LUA_SHA256"
  mkdir -p "$SOURCES/lua"
  tar -xzf "$SOURCES/$LUA_ARCHIVE" -C "$SOURCES/lua" --strip-components=1
}

# What the front end hands to the code generator for a build without optimization.
readonly UNOPTIMIZED=(-O0 -Xclang -disable-O0-optnone)

# Once as emitted and once optimized.
compile() {  # NAME FLAGS... -- FILES...
  local name=$1
  shift
  emit "$name" "${UNOPTIMIZED[@]}" "$@"
  emit "${name}O2" -O2 "$@"
}

# N functions; each calls the next and adds its number to what comes back: none is a tail call.
print_chain() {  # N
  awk -v n="$1" 'BEGIN {
    print "@format = private unnamed_addr constant [5 x i8] c\"%ld\\0A\\00\""
    print "declare i32 @printf(ptr, ...)"
    for (i = 0; i < n; ++i) {
      printf "define i64 @f%d(i64 %%x) noinline {\n", i
      if (i + 1 < n) printf "  %%y = call i64 @f%d(i64 %%x)\n", i + 1
      printf "  %%z = add i64 %s, %d\n  ret i64 %%z\n}\n", (i + 1 < n ? "%y" : "%x"), i
    }
    print "define i32 @main() {\n  %sum = call i64 @f0(i64 1)"
    print "  %printed = call i32 (ptr, ...) @printf(ptr @format, i64 %sum)\n  ret i32 0\n}"
  }'
}

build_native() {  # NAME BITCODE
  quietly "clang++-$LLVM_VERSION" -O2 -Wno-override-module "$2" -o "$DIR/native/$1" -lm
}

# What the benchmark :compute runs.
build_compute() {
  local file name
  mkdir -p "$DIR/compute"
  for file in "$PROGRAMS"/compute/*.c "$PROGRAMS"/compute/*.cc; do
    name="$(basename "${file%.*}")"
    emit "compute/$name" "${TO_BE_OPTIMIZED[@]}" -- "$file"
    emit "compute/${name}O2" -O2 -- "$file"
    build_native "$name" "$DIR/compute/${name}O2.bc"
    rm "$DIR/compute/${name}O2.bc"
  done
  emit compute/lua "${TO_BE_OPTIMIZED[@]}" "${LUA[@]}"
  emit compute/sq "${TO_BE_OPTIMIZED[@]}" "${SQLITE[@]}"
  cp "$PROGRAMS"/work.{lua,sql} "$DIR/compute"
  # Three times the rows.
  sed 's/i < 1600000/i < 4800000/; s/i < 3200000/i < 9600000/' "$PROGRAMS/work.sql" > "$DIR/compute/long_work.sql"
  for file in "$DIR"/compute/*.bc; do
    quietly "opt-$LLVM_VERSION" -O2 "$file" -o "${file%.bc}opt.bc"
  done
}

build() {
  say "compiling (about a minute)"
  rm -rf "$DIR/objects" "$DIR/compute"
  mkdir -p "$DIR/objects/compute" "$DIR/native"
  local name n
  for n in "${CHAINS[@]}"; do
    print_chain "$n" | "llvm-as-$LLVM_VERSION" -o "$DIR/chain_$n.bc"
    build_native "chain_$n" "$DIR/chain_$n.bc"
  done
  compile hello -- "$PROGRAMS/hello.c"
  compile small -- "$PROGRAMS/small.cc"
  compile stream -- "$PROGRAMS/stream.cc"
  LUA=(-DLUA_USE_POSIX -- "$SOURCES"/lua/src/!(luac).c)
  SQLITE=("-I$SOURCES/sqlite" -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION
    -- "$SOURCES/sqlite/sqlite3.c" "$PROGRAMS/sqlite_driver.c")
  compile lua "${LUA[@]}"
  compile sq "${SQLITE[@]}"
  for name in hello small stream lua sq; do build_native "$name" "$DIR/${name}O2.bc"; done
  build_compute
  rm -rf "$DIR/objects"
}

main() {
  local stamp="$DIR/.fingerprint" wanted
  wanted="$(fingerprint "$HERE/workload_tools.sh" "$PROGRAMS"/!(others))"
  [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return
  rm -f "$stamp"
  mkdir -p "$SOURCES"
  say "fetching SQLite and Lua"
  fetch_sqlite
  fetch_lua
  build
  echo "$wanted" >"$stamp"
  rm -rf "$SOURCES/npm-cache"
  say "bitcode in $DIR/*.bc, ahead-of-time programs in $DIR/native, sources in $SOURCES"
}

main
