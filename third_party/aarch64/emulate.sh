#!/bin/bash
# Runs a command under --config=aarch64: a program for AArch64 in the emulator, anything else as it is.
# Tests start their own programs by way of FIRSTCALL_EMULATE, which names this script: the kernel does not
# start the emulator by itself unless it was configured to, which takes rights that not every container
# has.
set -euo pipefail

if [[ $(uname -m) == aarch64 ]]; then exec "$@"; fi
[[ -v FIRSTCALL_EMULATE ]] || export FIRSTCALL_EMULATE=$(realpath "$0")
# The ELF header: its magic number, and e_machine, which is 183 for AArch64.
read -r -a header < <(od -A n -v -t u1 -w20 -N 20 "$1" 2>/dev/null || true) || true
if [[ ${header[*]:0:4} == "127 69 76 70" && ${header[18]-} == 183 ]]; then
  exec /usr/bin/qemu-aarch64-static "$@"
fi
exec "$@"
