#!/usr/bin/env bash
# exports_test.sh LIBRARY HEADER C_INTERFACE: the library exports what the header declares, each under the
# interface's version, and nothing else.
set -euo pipefail
readonly library=$1 header=$2 interface=$3
# But for the version itself, which is an absolute symbol, and for a place in the static thread-local storage, which the
# linker lists without exporting it.
exported=$(nm -D --defined-only --extern-only "$library" | awk '$2 != "A" {print $3}' | sort)
# What the compiler sees of it.
declared=$(gcc -std=c99 -E -P "$header" | LC_ALL=C grep -oE '\bfc_[a-z_0-9]+\(' | tr -d '(' | sed "s/\$/@@FIRSTCALL_$interface/" | sort -u)
if [[ $(wc -l <<<"$declared") -lt 40 ]]; then
  echo "the functions of $header were not found" >&2
  exit 1
fi
diff <(echo "$declared") <(echo "$exported") || {
  echo "< declared in $header, > exported by $library" >&2
  exit 1
}
