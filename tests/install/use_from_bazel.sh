#!/bin/bash
# Uses firstcall from another Bazel workspace, by local_repository and by http_archive:
#   bazel run //tests/install:use_from_bazel -- DIR [BAZEL-OPTION...]
#
# Builds the examples in a workspace in DIR, which compiles the engine anew, and runs them. With http_archive
# it is only analyzed, because what would be compiled is the same. The options are given to `bazel build`
# there, such as --jobs=2 or --disk_cache=DIRECTORY. The network is not used.
set -euo pipefail

fail() {
  echo "use_from_bazel: $*" >&2
  exit 1
}
(($# >= 1)) || fail "usage: use_from_bazel DIR [BAZEL-OPTION...]"
readonly ROOT=$(cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.." && pwd)
cd "${BUILD_WORKING_DIRECTORY-.}"
mkdir -p "$1/workspace"
readonly DIR=$(cd "$1" && pwd)
shift
cd "$DIR/workspace"
cp "$ROOT/examples/embed.cc" "$ROOT/examples/embed.c" .

# workspace RULE...: the workspace's files, with firstcall from this rule.
workspace() {
  {
    echo 'workspace(name = "client")'
    printf '%s\n' "$@"
    # Bazel 4 would download these, but there is no network here. Others leave them out.
    for name in rules_cc rules_java remote_coverage_tools; do
      echo "local_repository(name = \"$name\", path = \"$ROOT/third_party/$name\")"
    done
    echo 'load("@firstcall//third_party:repositories.bzl", "firstcall_dependencies")'
    echo 'firstcall_dependencies()'
  } >WORKSPACE
}
cat >BUILD <<'END'
cc_binary(
    name = "embed_cc",
    srcs = ["embed.cc"],
    deps = ["@firstcall"],
)

cc_binary(
    name = "embed_c",
    srcs = ["embed.c"],
    deps = ["@firstcall//:firstcall_c"],
)
END
cat >.bazelrc <<'END'
build --cxxopt=-std=c++17 --dynamic_mode=off --spawn_strategy=local
END
client_bazel() { bazel --output_base="$DIR/output" "$@"; }
trap 'client_bazel shutdown' EXIT

git -C "$ROOT" archive --prefix=firstcall-archive/ HEAD -o "$DIR/firstcall.tar.gz"
sum=$(sha256sum "$DIR/firstcall.tar.gz" | cut -d ' ' -f 1)
workspace 'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")' \
  "http_archive(name = \"firstcall\", urls = [\"file://$DIR/firstcall.tar.gz\"], sha256 = \"$sum\", strip_prefix = \"firstcall-archive\")"
client_bazel build --nobuild //... "$@" || fail "http_archive"
echo "use_from_bazel: http_archive: analyzed"

workspace "local_repository(name = \"firstcall\", path = \"$ROOT\")"
client_bazel build //... "$@" || fail "local_repository"
[[ $(bazel-bin/embed_cc) == $'square(7) = 49\ncompiled: 1 of 2' ]] || fail "embed.cc prints something else"
[[ $(bazel-bin/embed_c) == $'square(7) = 49\ncube(3) = 27' ]] || fail "embed.c prints something else"
echo "use_from_bazel: local_repository: built and run"
