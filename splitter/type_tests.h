// Lowers tests of the types of virtual function tables (clang's -fwhole-program-vtables). The tests
// are meant for a static linker that sees the whole program and devirtualizes calls. Without such a
// linker, code does not depend on the tests.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/type_tests_test.cc.

#ifndef FIRSTCALL_SPLITTER_TYPE_TESTS_H_
#define FIRSTCALL_SPLITTER_TYPE_TESTS_H_

#include "absl/status/status.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace firstcall {

// Whether a function of `module` may have something to lower.
bool MayHaveTypeTests(const llvm::Module& module);

// Removes the tests from `function`, whose body has been read: llvm.type.test and
// llvm.type.checked.load, with the assumptions about their results, and llvm.public.type.test,
// whose result is true. The load of llvm.type.checked.load remains. Unimplemented if the code
// depends on a result in another way, as with -fsanitize=cfi: the result would need all tables of
// the program next to each other.
absl::Status LowerTypeTests(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_TYPE_TESTS_H_
