#!/bin/bash
# Builds the examples with what pkg-config says of the installed tree:
#   pkg_config_test.sh INSTALL VERSION C_INTERFACE REPL_EXPECTED
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/installed.sh"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
examples=$prefix/share/doc/firstcall/examples
[[ $(pkg-config --modversion firstcall) == "$VERSION" ]] || fail "firstcall.pc has another version"
[[ $(pkg-config --modversion firstcall-cc) == "$VERSION" ]] || fail "firstcall-cc.pc has another version"

readonly rpath=-Wl,-rpath,$prefix/lib
read -r -a c_options < <(pkg-config --cflags --libs firstcall)
read -r -a cc_options < <(pkg-config --cflags --libs firstcall-cc)
mapfile -t llvm_options < <("llvm-config-$LLVM" --cppflags --ldflags --libs | xargs -n 1)
mkdir "$TEST_TMPDIR/programs"
cd "$TEST_TMPDIR/programs"
for example in embed memory; do
  gcc -std=c99 "$examples/$example.c" -o "${example}_c" "${c_options[@]}" "$rpath"
done
gcc -std=c99 "$examples/repl.c" -o repl_c "${c_options[@]}" "${llvm_options[@]}" "$rpath"
g++ -std=c++17 "$examples/embed.cc" -o embed_cc "${cc_options[@]}" "$rpath"
cd "$OLDPWD"
expect_examples "$TEST_TMPDIR/programs" "$4"

# The program asks for the interface's number, not for a version.
needed=$(objdump -p "$TEST_TMPDIR/programs/embed_c")
[[ $needed == *NEEDED*libfirstcall.so."$3"* && $needed == *FIRSTCALL_"$3"* ]] ||
  fail "embed_c needs other libraries: $needed"
# In C++ it asks for this release.
needed=$(objdump -p "$TEST_TMPDIR/programs/embed_cc")
[[ $needed == *NEEDED*libfirstcall_cc.so."$VERSION$OF_LLVM"* ]] || fail "embed_cc needs other libraries: $needed"

# Without LLVM, but for the first compile: the library finds the compiler in the installed tree.
gcc -std=c99 "$examples/embed.c" -o "$TEST_TMPDIR/runtime" -I"$prefix/include" -L"$prefix/lib" \
  -lfirstcall_runtime "$rpath"
expect "embed.c without LLVM" $'square(7) = 49\ncube(3) = 27' "$TEST_TMPDIR/runtime"
! ldd "$TEST_TMPDIR/runtime" | grep LLVM || fail "the library without LLVM needs LLVM"
