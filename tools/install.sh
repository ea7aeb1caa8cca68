#!/bin/bash
# Builds firstcall and installs it:  tools/install.sh --prefix=DIR; --help says more.
# install/ has the rest.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
exec bazel run -c opt //install -- "$@"
