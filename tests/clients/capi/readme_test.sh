#!/usr/bin/env bash
# readme_test.sh README EMBED_C INSTALL VERSION C_INTERFACE COMPILER: what the README shows for C is the
# example, and its commands, with the compiler for the target in place of gcc, install and build it.
set -euo pipefail
readonly readme=$1 example=$2 install=$3 version=$4 interface=$5 compiler=$6
diff <(sed -n '/^```c$/,/^```$/p' "$readme" | sed '1d;$d') "$example" || {
  echo "< in $readme, > $example" >&2
  exit 1
}

commands=$(grep -A 3 '^tools/install.sh --prefix=' "$readme")
[[ $commands == *$'\n./embed' && $commands == *$'\ngcc '* ]] || {
  echo "the commands are not found: $commands" >&2
  exit 1
}
commands=${commands/#'tools/install.sh'/"$install $version $interface"}
commands=${commands/$'\n'gcc/$'\n'"$compiler -Wall -Wextra -pedantic -Werror"}
commands=${commands/-o embed/-o "$TEST_TMPDIR/embed"}
# Under --config=aarch64 there is something that starts programs of another architecture.
commands=${commands/%'./embed'/"${FIRSTCALL_EMULATE-} $TEST_TMPDIR/embed"}
actual=$(HOME=$TEST_TMPDIR eval "$commands")
[[ $actual == $'square(7) = 49\ncube(3) = 27' ]] || {
  echo "the example prints: $actual" >&2
  exit 1
}
