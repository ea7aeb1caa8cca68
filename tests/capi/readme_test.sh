#!/usr/bin/env bash
# readme_test.sh README EMBED_C LIBRARY: what the README shows for C is the example, and its command
# builds it.
set -euo pipefail
readonly readme=$1 example=$2 library=$3
diff <(sed -n '/^```c$/,/^```$/p' "$readme" | sed '1d;$d') "$example" || {
  echo "< in $readme, > $example" >&2
  exit 1
}

command=$(grep '^gcc .* -lfirstcall ' "$readme")
command=${command//'$PWD/bazel-bin/capi'/$PWD/$(dirname "$library")}
command=${command//-Lbazel-bin\/capi/-L$(dirname "$library")}
command=${command/-o embed/-o $TEST_TMPDIR/embed}
eval "$command -Wall -Wextra -pedantic -Werror"
actual=$("$TEST_TMPDIR/embed")
[[ $actual == $'square(7) = 49\ncube(3) = 27' ]] || {
  echo "the example prints: $actual" >&2
  exit 1
}
