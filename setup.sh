#!/bin/bash
# Installs the Debian packages this project is built and tested with. Safe to run again: when nothing is
# missing it changes nothing, prints nothing and takes a few hundredths of a second.
set -euo pipefail

readonly LLVM_VERSIONS=(19 22)

die() {
  echo "setup.sh: $*" >&2
  exit 1
}

usage() {
  cat <<USAGE
usage: ./setup.sh [--llvm=VERSION] [--aarch64] [--help]

Installs the Debian packages that building and testing need:
$(printf '  %s\n' "${packages[@]}")
--llvm=VERSION installs another LLVM than ${LLVM_VERSIONS[0]}, for --config=llvmVERSION: ${LLVM_VERSIONS[*]:1}
--aarch64 also installs what \`bazel test --config=aarch64\` needs on a machine of another architecture:
$(printf '  %s\n' "${aarch64_packages[@]}")
USAGE
}

LLVM=${LLVM_VERSIONS[0]}
with_aarch64=
wants_help=
wrong=
for argument in "$@"; do
  case "$argument" in
    --llvm=*) LLVM=${argument#*=} ;;
    --aarch64) with_aarch64=yes ;;
    -h | --help) wants_help=yes ;;
    *) wrong="unknown argument: $argument" ;;
  esac
done
[[ " ${LLVM_VERSIONS[*]} " == *" $LLVM "* ]] ||
  die "LLVM $LLVM is not supported; these are: ${LLVM_VERSIONS[*]}"

# Of LLVM's debugger and C++ library Debian has one version installed at a time, and any will do.
of_llvm=$LLVM
for version in "${LLVM_VERSIONS[@]}"; do
  ! dpkg-query --show --showformat='${db:Status-Status}' "libc++-$version-dev" 2>/dev/null | grep -qx installed ||
    of_llvm=$version
done
readonly LLVM of_llvm

packages=(
  # Building
  bazel-bootstrap binutils g++ git lld python3
  "llvm-$LLVM-dev" libabsl-dev libffi-dev libhiredis-dev
  # Static probes
  systemtap-sdt-dev
  # What LLVM's static libraries need, with which the command is linked
  libzstd-dev zlib1g-dev
  # Testing: GoogleTest; the LLVM tools (opt, lli, FileCheck, llvm-symbolizer); clang, which compiles the
  # test programs and builds the sanitizer configurations; an earlier clang, whose bitcode has typed pointers;
  # LLVM's C++ library and a garbage collector, which a program may have; random C programs; GCC's source, which
  # has its tests; debuggers; a profiler; a browser; servers for the shared object cache, and the headers that our
  # declarations of libcurl and OpenSSL are compared with
  libgmock-dev libgtest-dev
  "llvm-$LLVM" "llvm-$LLVM-tools"
  "clang-$LLVM" "libclang-rt-$LLVM-dev"
  clang-14
  "libc++-$of_llvm-dev" "libc++abi-$of_llvm-dev"
  libgc-dev
  csmith libcsmith-dev
  gcc-12-source
  gdb "lldb-$of_llvm"
  linux-perf
  chromium
  libcurl4-openssl-dev libssl-dev nginx openssl redis-server
  # Installing without symbols, and testing what is installed: build systems, and a reader of man pages
  xz-utils
  cmake groff-base meson ninja-build pkg-config
  # Measuring
  hyperfine libbenchmark-dev valgrind
  # Formatting
  clang-format
)

# With --aarch64: a cross compiler and an emulator, and what the packages above give to this machine's own
# architecture, for that one.
aarch64_packages=(
  g++-aarch64-linux-gnu qemu-user-static
  "libllvm$LLVM:arm64" libabsl-dev:arm64 libstdc++-12-dev:arm64
  libcurl4:arm64 libffi-dev:arm64 libhiredis-dev:arm64
  libgmock-dev:arm64 libgtest-dev:arm64 libbenchmark-dev:arm64
)

if [[ $wants_help ]]; then
  usage
  exit 0
elif [[ $wrong ]]; then
  usage >&2
  die "$wrong"
fi

if [[ $with_aarch64 ]]; then packages+=("${aarch64_packages[@]}"); fi

for tool in apt-get apt-cache dpkg dpkg-query; do
  command -v "$tool" >/dev/null ||
    die "$tool not found: only Debian 12 (bookworm) is supported. Elsewhere install the equivalents of: ${packages[*]}"
done

# dpkg-query fails when it does not know one of the names; what it prints for the others counts. Of a
# package that was asked for without an architecture, any will do.
installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n${Package}:${Architecture} ${db:Status-Status}\n' \
  "${packages[@]}" 2>/dev/null | sed -n 's/ installed$//p') || true

missing=()
for package in "${packages[@]}"; do
  [[ $'\n'$installed$'\n' == *$'\n'"$package"$'\n'* ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || die "not root and there is no sudo; as root, run: apt-get install ${missing[*]}"
  as_root=(sudo)
fi

echo "Installing: ${missing[*]}"
if [[ $with_aarch64 && $(dpkg --print-architecture) != arm64 ]]; then
  "${as_root[@]}" dpkg --add-architecture arm64
fi
"${as_root[@]}" apt-get update -qq || die "apt-get update failed: is there a network?"
for package in "${missing[@]}"; do
  policy=$(LC_ALL=C apt-cache policy "$package")
  [[ $policy == *"Candidate: "[0-9]* ]] ||
    die "this machine's package archive has no $package: Debian 12 (bookworm) is needed"
done
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq --yes --no-install-recommends "${missing[@]}" >/dev/null ||
  die "apt-get install failed; to see why, run: apt-get install ${missing[*]}"
config=
[[ $LLVM == "${LLVM_VERSIONS[0]}" ]] || config=" --config=llvm$LLVM"
echo "Done. Next: bazel test$config //..."
