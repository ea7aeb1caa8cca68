#!/bin/bash
# What --strip leaves is debugged with a real GDB:
#   stripped_test.sh INSTALL VERSION C_INTERFACE PROGRAM SOURCE
# PROGRAM is bitcode with debug information, made from SOURCE. Skips itself where GDB cannot debug.
set -euo pipefail
readonly install_options=(--strip)
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"

readonly program=$4 source_file=$5

looked_at=0
while read -r file; do
  [[ $(head -c 4 "$file" | tail -c 3) == ELF ]] || continue
  [[ ! $(nm "$file" 2>/dev/null) ]] || fail "$file has symbols"
  looked_at=$((looked_at + 1))
done < <(find "$prefix" -type f)
((looked_at >= 5)) || fail "only $looked_at files were looked at"

# GDB's commands are read from the standard input.
debug() { # PROGRAM...
  cat >"$TEST_TMPDIR/commands.gdb"
  gdb -q -nx -batch -iex 'set debuginfod enabled off' -ex 'set breakpoint pending on' -ex 'set width 0' \
    -x "$TEST_TMPDIR/commands.gdb" --args "$@" 2>&1 || true
}
if ! command -v gdb >/dev/null; then
  echo "skipped: there is no gdb"
  exit 0
fi
output=$(debug /bin/true <<<run)
if [[ $output != *"exited normally"* ]]; then
  echo "skipped: gdb cannot debug here (ptrace): $output"
  exit 0
fi

# "session.cc:12", for the line of the source that ends in a comment.
line() { # COMMENT
  local number
  number=$(grep -n "// $1\$" "$source_file" | cut -d: -f1)
  [[ $number =~ ^[0-9]+$ ]] || fail "no line, or several, end in '// $1'"
  echo "$(basename "$source_file"):$number"
}
in_rare=$(line 'in rare') calls_rare=$(line 'calls rare')
readonly in_rare calls_rare

output=$(
  debug "$prefix/bin/firstcall" --no-object-cache "$program" <<COMMANDS
break rare
run
backtrace 2
info functions ^llvm::
COMMANDS
)
[[ $output == *"Breakpoint 1, rare (x=60) at "*"$in_rare"* ]] || fail "the breakpoint is not hit: $output"
[[ $output == *"#1 "*" in often (x=60) at "*"$calls_rare"* ]] || fail "the caller is missing: $output"
[[ $output == *'matching regular expression "^llvm::":' ]] || fail "the debugger reads LLVM's symbols: $output"

output=$(
  debug "$prefix/bin/firstcall" --no-object-cache "$program" <<COMMANDS
break $calls_rare
run
step
backtrace 2
COMMANDS
)
[[ $output == *$'\nrare (x=60) at '*"$in_rare"* ]] || fail "step does not go into the function: $output"
[[ $output == *"#1 "*" in often (x=60) at "*"$calls_rare"* ]] || fail "step loses the caller: $output"
