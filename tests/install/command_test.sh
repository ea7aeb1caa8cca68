#!/bin/bash
# The installed command, its man page and its completions:  command_test.sh INSTALL VERSION C_INTERFACE
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"

readonly command=$prefix/bin/firstcall
readonly desk=$prefix/share/doc/firstcall/examples/desk.ll
export FIRSTCALL_CACHE=$TEST_TMPDIR/cache
expect "a first start" "gcd(84, 36) = 12" "$command" "$desk" gcd 84 36
"$command" --stats "$desk" gcd 84 36 2>"$TEST_TMPDIR/stats" >/dev/null || fail "a second start failed"
grep -q 'compiler made for *nothing' "$TEST_TMPDIR/stats" || fail "the second start compiled something"
version=$("$command" --version)
[[ $version == "firstcall version $VERSION"$'\n'"LLVM version $LLVM."* ]] || fail "--version: $version"

# What --help names has to be in the man page. The completions ask the command.
mapfile -t options < <("$command" --help | LC_ALL=C grep -oE '^  --[a-z0-9-]+' | tr -d ' ')
((${#options[@]} > 30)) || fail "--help names these only: ${options[*]}"
options+=(-O0 -O3)
readonly page=$prefix/share/man/man1/firstcall.1
readonly zsh=$prefix/share/zsh/site-functions/_firstcall
source "$prefix/share/bash-completion/completions/firstcall"
for option in "${options[@]}"; do
  LC_ALL=C grep -qE -- "(^|[^-a-z])$option([^-a-z]|$)" <(sed 's/\\-/-/g' "$page") || fail "the man page has no $option"
  [[ $(_firstcall_list "$command" | cut -d' ' -f1) =~ (^|$'\n')$option=?($|$'\n') ]] ||
    fail "bash's completion has no $option"
done
grep -q "firstcall $VERSION" "$page" || fail "the man page has another version"

mkdir "$TEST_TMPDIR/empty"
# complete_words WORD... completes the last word in bash. Readline makes words of equals signs.
complete_words() {
  COMP_WORDS=("$command" "$@") COMP_CWORD=$#
  COMPREPLY=()
  cd "$TEST_TMPDIR/empty"
  _firstcall
  printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}
[[ $(complete_words --ti) == "--tier= " ]] || fail "bash: --ti: $(complete_words --ti)"
[[ $(complete_words --tier =) == "0 1 auto " ]] || fail "bash: --tier="
[[ $(complete_words --tier = a) == "auto " ]] || fail "bash: --tier=a"
[[ $(complete_words ca) == "cache " ]] || fail "bash: ca"
[[ $(complete_words cache v) == "verify " ]] || fail "bash: cache v"
[[ $(complete_words --stats program.bc --ti) == " " ]] || fail "bash: the program's own options"
if command -v zsh >/dev/null; then
  zsh -n "$zsh" || fail "zsh cannot read its completion"
  specs=$(zsh -fc '_arguments() { print -rl -- "$@" }; words=("$1") && source "$2"' zsh "$command" "$zsh")
  for spec in "--tier=[" "]:value:(0 1 auto)" "--stats[" ":value:_files"; do
    [[ $specs == *"$spec"* ]] || fail "zsh's completion has no '$spec' in: $specs"
  done
fi
if command -v groff >/dev/null; then
  warnings=$(groff -man -Tutf8 -ww -rHY=0 "$page" 2>&1 >/dev/null)
  [[ ! $warnings ]] || fail "the man page: $warnings"
fi
