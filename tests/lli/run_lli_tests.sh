#!/bin/bash
# Runs LLVM's own tests of lli with firstcall in lli's place:
#   bazel run //tests/lli:run_lli_tests -- [--filter=REGEX] [--option=OPTION]... [--firstcall=PATH] DIR
#
# Fetches LLVM's source package from Debian into DIR (160 to 200 MB, pinned by SHA-256), unpacks the tests
# of lli from it and runs them with LLVM's lit; REGEX chooses among their names. An OPTION is given to
# firstcall wherever the test does not give it itself. PATH is another firstcall than the one Bazel
# built. Ends with lit's counts; the status is 0 if no test failed. A second run with the same version of
# LLVM fetches nothing.
#
# The tests are those of the LLVM that LLVM_MAJOR names (default: 19). `bazel run` names the one that
# firstcall is built with.
#
# Needs apt-get and what setup.sh installs (lit is in llvm-VERSION-tools); no root. DEBIAN_MIRROR names
# another mirror than deb.debian.org.

set -euo pipefail

export LLVM_MAJOR=${LLVM_MAJOR:-19}
readonly TESTS=llvm/test/ExecutionEngine

SOURCE_TREE="$(cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.." && pwd)"
readonly SOURCE_TREE
# shellcheck source=third_party/llvm/own_tests.sh
source "$SOURCE_TREE/third_party/llvm/own_tests.sh"

usage() {
  echo "usage: $0 [--filter=REGEX] [--option=OPTION]... [--firstcall=PATH] DIR" >&2
  exit 2
}

fail() {
  echo "run_lli_tests: $*" >&2
  exit 1
}

# Prints a script that calls firstcall with our options, except those that its caller gives.
write_wrapper() {
  echo "#!/bin/bash"
  printf 'options=('
  printf '%q ' "${options[@]}"
  cat <<'END'
)
chosen=()
for option in "${options[@]}"; do
  name="${option%%=*}"
  [[ $name != -O[0-3] ]] || name=-O
  name="${name#-}"
  name="${name#-}"
  [[ " $* " =~ \ --?$name ]] || chosen+=("$option")
done
END
  printf 'exec %q "${chosen[@]}" "$@"\n' "$firstcall"
}

# Bazel runs us elsewhere, and names firstcall relative to there, before what the user says.
firstcall=
directory=
filter=.
options=()
for argument in "$@"; do
  case "$argument" in
    --firstcall=*)
      firstcall="${argument#*=}"
      [[ -x $firstcall ]] || firstcall="${BUILD_WORKING_DIRECTORY:-.}/$firstcall"
      ;;
    --filter=*) filter="${argument#*=}" ;;
    --option=*) options+=("${argument#*=}") ;;
    -*) usage ;;
    *)
      [[ -z $directory ]] || usage
      directory="$argument"
      ;;
  esac
done
[[ -n $directory ]] || usage
[[ -x $firstcall ]] || fail "no firstcall to run: $firstcall"
lit="$(find_lit "$LLVM_MAJOR")"
find_llvm_source "$LLVM_MAJOR"
firstcall="$(realpath "$firstcall")"
cd "${BUILD_WORKING_DIRECTORY:-.}"
mkdir -p "$directory"
cd "$directory"

"$SOURCE_TREE/third_party/debian/fetch_source.sh" . "${LLVM_SOURCE[@]}"
if [[ ! -f tests/.unpacked-$LLVM_MAJOR ]]; then
  echo "run_lli_tests: unpacking" >&2
  rm -rf tests
  mkdir tests
  tar -xJf "${LLVM_SOURCE[1]}" -C tests --wildcards --strip-components=4 "*/$TESTS"
  touch "tests/.unpacked-$LLVM_MAJOR"
fi
cp "$SOURCE_TREE/tests/lli/lit.cfg.py" tests/
rm -rf output tools
mkdir output tools
if ((${#options[@]} == 0)); then
  ln -s "$firstcall" tools/lli
else
  write_wrapper >tools/lli
  chmod +x tools/lli
fi

exec python3 "$lit" -v "--filter=$filter" \
  --param "tools=$PWD/tools" --param "output=$PWD/output" tests
