#!/bin/bash
# Builds firstcall and installs it:  tools/install.sh --prefix=DIR; --help says more.
# install/ has the rest.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."

config=()
options=()
for argument in "$@"; do
  case "$argument" in
    --llvm=19) config=() ;;
    --llvm=*) config=("--config=llvm${argument#*=}") ;;
    *) options+=("$argument") ;;
  esac
done
exec bazel run -c opt "${config[@]}" //install -- "${options[@]}"
