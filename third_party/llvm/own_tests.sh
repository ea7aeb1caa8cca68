# Where LLVM's sources, with its own tests, are in Debian's archive, and what runs these tests. Other scripts source
# this file.
# shellcheck shell=bash

# Sets LLVM_SOURCE to the arguments of third_party/debian/fetch_source.sh for a version of LLVM. (bookworm's own
# llvm-toolchain-22 is in its security archive, which keeps the newest only; trixie's has the same archive.)
find_llvm_source() {  # VERSION
  # shellcheck disable=SC2034
  case "$1" in
    19)
      LLVM_SOURCE=(llvm-toolchain-19 llvm-toolchain-19_19.1.7.orig.tar.xz
        ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce)
      ;;
    22)
      LLVM_SOURCE=(llvm-toolchain-22/trixie llvm-toolchain-22_22.1.8.orig.tar.xz
        b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe)
      ;;
    *)
      echo "no source package is known of LLVM $1" >&2
      return 1
      ;;
  esac
}

# Prints the path of lit, a script in Python, of a version of LLVM. Fails if it is not installed.
find_lit() {  # VERSION
  local path
  for path in "/usr/lib/llvm-$1/build/utils/lit/lit.py" "/usr/lib/llvm-$1/bin/lit"; do
    [[ ! -f $path ]] || { echo "$path"; return; }
  done
  echo "there is no lit of LLVM $1 (Debian package llvm-$1-tools): run ./setup.sh --llvm=$1" >&2
  return 1
}
