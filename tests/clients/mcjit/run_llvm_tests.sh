#!/bin/bash
# Runs LLVM's own tests and examples of MCJIT with libfirstcall_mcjit.so preloaded:
#   bazel run -c opt //tests/clients/mcjit:run_llvm_tests -- DIR
#
# Fetches LLVM's source package from Debian into DIR (160 to 200 MB, pinned by SHA-256), and unpacks from it
#   unittests/ExecutionEngine/MCJIT   which must pass
#   test/ExecutionEngine/MCJIT        lli's tests, run with Debian's lli: with the preload must pass
#                                     what passes without
#   examples                          those that use MCJIT, which must print what they print without
# Prints for the unit tests how many engines were lazy, and why the others were not. The status is 0
# if everything is as it must be. A second run with the same version of LLVM fetches nothing.
#
# The version is the one that LLVM_MAJOR names (default: 19). `bazel run` names the one that the library is
# built for.
#
# Needs apt-get and what setup.sh installs; no root. DEBIAN_MIRROR names another mirror than
# deb.debian.org.

set -euo pipefail

export LLVM_MAJOR=${LLVM_MAJOR:-19}
readonly LLVM=/usr/lib/llvm-$LLVM_MAJOR
readonly EXAMPLES=(HowToUseJIT Fibonacci BrainF ParallelJIT)

SOURCE_TREE="$(cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../../.." && pwd)"
readonly SOURCE_TREE
# shellcheck source=third_party/llvm/own_tests.sh
source "$SOURCE_TREE/third_party/llvm/own_tests.sh"

fail() {
  echo "run_llvm_tests: $*" >&2
  exit 1
}

say() { echo "run_llvm_tests: $*"; }

(($# == 2)) || fail "usage: $0 LIBRARY DIR"
library="$1"
[[ -f $library ]] || library="${BUILD_WORKING_DIRECTORY:-.}/$1"
library="$(realpath "$library")"
cd "${BUILD_WORKING_DIRECTORY:-.}"
mkdir -p "$2"
cd "$2"
DIR="$PWD"
failures=0

expect() {  # WHAT COMMAND...
  local what="$1"
  shift
  if "$@"; then
    say "$what: as it must be"
  else
    say "$what: WRONG"
    failures=$((failures + 1))
  fi
}

find_llvm_source "$LLVM_MAJOR"
lit="$(find_lit "$LLVM_MAJOR")"
"$SOURCE_TREE/third_party/debian/fetch_source.sh" . "${LLVM_SOURCE[@]}"
if [[ ! -f mcjit/.unpacked-$LLVM_MAJOR ]]; then
  say "unpacking"
  rm -rf mcjit
  mkdir -p mcjit
  tar -xJf "${LLVM_SOURCE[1]}" -C mcjit --strip-components=2 --wildcards \
    "*/llvm/unittests/ExecutionEngine/MCJIT/*" "*/llvm/test/ExecutionEngine/*" \
    "${EXAMPLES[@]/#/*/llvm/examples/}"
  # A header of LLVM's build, which is not installed; the tests need nothing from it.
  mkdir -p mcjit/include/llvm/Config
  touch mcjit/include/llvm/Config/config.h
  # BrainF of LLVM 19 writes the program behind the end of its function, and refuses what comes out.
  sed -i '0,/ReturnInst::Create(C, endbb);/s//&\n  builder->SetInsertPoint(\&brainf_func->front());/' \
    mcjit/examples/BrainF/BrainF.cpp
  touch "mcjit/.unpacked-$LLVM_MAJOR"
fi

compile() {  # PROGRAM SOURCE... LINKER-OPTION...
  local program="$1"
  shift
  # Without assertions, as Debian's LLVM: BrainF of LLVM 22 fails one that is in a header.
  # shellcheck disable=SC2046
  [[ -x $program ]] || "clang++-$LLVM_MAJOR" -DNDEBUG -std=c++17 -fno-rtti -fno-exceptions -rdynamic \
    -I mcjit/include $("llvm-config-$LLVM_MAJOR" --cppflags) "$@" -o "$program" \
    $("llvm-config-$LLVM_MAJOR" --ldflags) "-lLLVM-$LLVM_MAJOR" -lpthread
}

unit_tests() {
  env "LD_PRELOAD=$library" FIRSTCALL_STATS=1 mcjit/unit_tests &>mcjit/unit_tests.txt
}

# Clients without type information are the harder case; GoogleTest has to be told.
compile mcjit/unit_tests -DGTEST_HAS_RTTI=0 mcjit/unittests/ExecutionEngine/MCJIT/*.cpp \
  -lgtest -lgtest_main
expect "LLVM's unit tests" unit_tests
grep -E '^\[  (PASSED|FAILED)  \]' mcjit/unit_tests.txt || true
say "lazy engines: $(grep -c ': lazy$' mcjit/unit_tests.txt)"
grep -E 'not lazy|compiled whole' mcjit/unit_tests.txt || true

for example in "${EXAMPLES[@]}"; do
  compile "mcjit/$example" "mcjit/examples/$example"/*.cpp
done
# A program for the BrainF compiler: prints "Hi".
printf '%s' '++++++++[>+++++++++<-]>.<++++[>++++++++<-]>+.[-]++++++++++.' >mcjit/hi.bf

# Threads may print in any order.
same_output() {  # COMMAND...
  local status=0
  "$@" &>mcjit/expected.txt || status=$?
  local other=0
  env "LD_PRELOAD=$library" "$@" &>mcjit/actual.txt || other=$?
  [[ $status == "$other" ]] && cmp <(sort mcjit/expected.txt) <(sort mcjit/actual.txt)
}
expect HowToUseJIT same_output mcjit/HowToUseJIT
expect Fibonacci same_output mcjit/Fibonacci 24
expect BrainF same_output mcjit/BrainF -jit mcjit/hi.bf
expect ParallelJIT same_output mcjit/ParallelJIT

# Runs lli's tests; the names of those that did not pass go to FILE.
run_lit() {  # FILE COMMAND...
  local file="$1"
  shift
  rm -rf mcjit/output mcjit/tools
  mkdir -p mcjit/output mcjit/tools
  printf '#!/bin/bash\nexec %s %s/bin/lli "$@"\n' "$*" "$LLVM" >mcjit/tools/lli
  chmod +x mcjit/tools/lli
  python3 "$lit" -q --param "tools=$DIR/mcjit/tools" --param "output=$DIR/mcjit/output" \
    mcjit/test/ExecutionEngine/MCJIT >mcjit/lit.txt 2>&1 || true
  grep -oE '^[ ]+lli :: .*' mcjit/lit.txt | sort >"$file" || true
}

cp "$SOURCE_TREE/tests/lli/lit.cfg.py" mcjit/test/ExecutionEngine/
run_lit mcjit/lli_without.txt ""
run_lit mcjit/lli_with.txt "env LD_PRELOAD=$library"
say "lli's tests that do not pass: $(wc -l <mcjit/lli_without.txt) without the preload," \
  "$(wc -l <mcjit/lli_with.txt) with it"
expect "lli's tests" cmp mcjit/lli_without.txt mcjit/lli_with.txt

((failures == 0)) || fail "$failures of these are wrong"
