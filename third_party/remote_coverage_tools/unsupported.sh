#!/bin/bash
echo "bazel coverage is not supported in this workspace" >&2
exit 1
