# What fetch_workloads.sh and fetch_others.sh share; they source this file. They have set DIR, the
# directory that they fill, and SCRIPT, their own path.
# shellcheck shell=bash

readonly LLVM_VERSION=${LLVM_MAJOR:-19}

# What the front end hands to the optimizer for -O2. It has what optimizing needs: type-based alias
# information, lifetimes, bodies of library templates, and no noinline but the programmer's.
# shellcheck disable=SC2034
readonly TO_BE_OPTIMIZED=(-O2 -Xclang -disable-llvm-passes)

say() { echo "$(basename "$SCRIPT" .sh): $*" >&2; }

fail() {
  say "$*"
  exit 1
}

# Runs a command quietly; shows what it said only if it fails.
quietly() {
  local log
  log="$(mktemp)"
  "$@" >"$log" 2>&1 || { cat "$log" >&2; rm "$log"; fail "failed: $*"; }
  rm "$log"
}

# The driver that compiles the file: C or C++.
driver_of() {  # FILE
  case "$1" in
    *.c) echo "clang-$LLVM_VERSION" ;;
    *) echo "clang++-$LLVM_VERSION" ;;
  esac
}

# Compiles C or C++ files into one bitcode file, two at a time.
emit() {  # NAME FLAGS... -- FILES...
  local name=$1 flags=() parts=() file
  shift
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  for file in "$@"; do
    parts+=("$DIR/objects/$name-${#parts[@]}.bc")
    in_turns quietly "$(driver_of "$file")" "${flags[@]}" -w -emit-llvm -c "$file" -o "${parts[-1]}"
  done
  wait_for_all
  quietly "llvm-link-$LLVM_VERSION" "${parts[@]}" -o "$DIR/$name.bc"
}

STARTED=()  # The processes of in_turns that wait_for_all has not waited for.

# Runs a command in the background, when fewer than two are running.
in_turns() {  # COMMAND...
  while (($(jobs -rp | wc -l) >= 2)); do wait -n || true; done
  "$@" &
  STARTED+=("$!")
}

# Fails if a command of in_turns has failed.
wait_for_all() {
  local process
  for process in "${STARTED[@]}"; do wait "$process" || exit 1; done
  STARTED=()
}

# What the contents of DIR depend on: the script, files of ours, and the compiler.
fingerprint() {  # FILES AND DIRECTORIES...
  {
    find -L "$SCRIPT" "$@" -type f -print0 | sort -z | xargs -0 cat
    "clang-$LLVM_VERSION" --version
  } | sha256sum | cut -d' ' -f1
}
