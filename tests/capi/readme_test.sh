#!/usr/bin/env bash
# readme_test.sh README EMBED_C LIBRARY COMPILER: what the README shows for C is the example, and its
# command, with the compiler for the target in place of gcc, builds it.
set -euo pipefail
readonly readme=$1 example=$2 library=$3 compiler=$4
diff <(sed -n '/^```c$/,/^```$/p' "$readme" | sed '1d;$d') "$example" || {
  echo "< in $readme, > $example" >&2
  exit 1
}

command=$(grep '^gcc .* -lfirstcall ' "$readme")
command=${command/#gcc/$compiler}
command=${command//'$PWD/bazel-bin/capi'/$PWD/$(dirname "$library")}
command=${command//-Lbazel-bin\/capi/-L$(dirname "$library")}
command=${command/-o embed/-o $TEST_TMPDIR/embed}
eval "$command -Wall -Wextra -pedantic -Werror"
# Under --config=aarch64 there is something that starts programs of another architecture.
actual=$(${FIRSTCALL_EMULATE-} "$TEST_TMPDIR/embed")
[[ $actual == $'square(7) = 49\ncube(3) = 27' ]] || {
  echo "the example prints: $actual" >&2
  exit 1
}
