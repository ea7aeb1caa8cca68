#!/bin/bash
# Compares random programs of Csmith, compiled by the baseline code generator, with native ones:
#   campaign.sh RUN_PROGRAM FIRST_SEED LAST_SEED DIR
# Each program is compiled by clang at -O0, -O1 and -O2, its functions by the baseline compiler where
# it covers them and by LLVM elsewhere. Leaves in DIR what differs. The last line says how many runs
# there were and how many differed; the status is 0 if none did. Programs that take longer than ten
# seconds are left out.

set -u
(($# == 4)) || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
RUN="$1" FIRST="$2" LAST="$3" DIR="$4"
mkdir -p "$DIR"
runs=0 failed=0
for ((seed = FIRST; seed <= LAST; ++seed)); do
  p="$DIR/$seed"
  csmith --seed "$seed" -o "$p.c" >/dev/null 2>&1 || continue
  clang-19 -w -O1 -I"${CSMITH_HEADERS:-/usr/include/csmith}" "$p.c" -o "$p.native" 2>/dev/null || continue
  expected="$(timeout 10 "$p.native" 2>/dev/null)" || { rm -f "$p".*; continue; }
  for level in 0 1 2; do
    clang-19 -w "-O$level" -Xclang -disable-O0-optnone -I"${CSMITH_HEADERS:-/usr/include/csmith}" \
      -emit-llvm -c "$p.c" -o "$p.O$level.bc" || continue
    for option in "" --far; do
      runs=$((runs + 1))
      # shellcheck disable=SC2086
      actual="$(timeout 100 "$RUN" $option "$p.O$level.bc" 2>"$p.error")"
      status=$?
      if ((status != 0)) || [[ $actual != "$expected" ]]; then
        failed=$((failed + 1))
        echo "differs: $p.O$level.bc $option (status $status)"
        cp "$p.O$level.bc" "$p.O$level.differs.bc"
      fi
    done
  done
  rm -f "$p".O?.bc "$p.native" "$p.error" "$p.c"
done
echo "$runs runs, $failed differ"
((failed == 0))
