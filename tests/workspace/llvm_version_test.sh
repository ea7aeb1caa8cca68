#!/bin/bash
# What differs between LLVM's versions stands in third_party/llvm/version: no other source asks for the
# version.
#
#   llvm_version_test.sh FILE
#
# FILE is one at the root of the workspace.
set -euo pipefail
root=$(dirname "$(realpath "$1")")
[[ -f $root/third_party/llvm/version/version.h ]] || { echo "$root is not the workspace" >&2; exit 1; }
# Not through the symbolic links that Bazel makes.
asking=$(cd "$root" && grep -rlE 'LLVM_VERSION_(MAJOR|MINOR|PATCH|STRING)' --include='*.h' --include='*.cc' --include='*.c' \
  --include='*.S' --exclude-dir=version .) || true
if [[ $asking ]]; then
  printf '%s asks for the version of LLVM\n' $asking >&2
  exit 1
fi
