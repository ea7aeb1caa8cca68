#!/usr/bin/env bash
# exports_test.sh LIBRARY HEADER: the library exports what the header declares, and nothing else.
set -euo pipefail
readonly library=$1 header=$2
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
# What the compiler sees of it.
declared=$(gcc -std=c99 -E -P "$header" | grep -oE '\bfc_[a-z_0-9]+\(' | tr -d '(' | sort -u)
if [[ $(wc -l <<<"$declared") -lt 40 ]]; then
  echo "the functions of $header were not found" >&2
  exit 1
fi
diff <(echo "$declared") <(echo "$exported") || {
  echo "< declared in $header, > exported by $library" >&2
  exit 1
}
