// Tells which callees were inlined: those that an optimized function called, and whose bodies were
// there, before LLVM's passes, and that it no longer calls after them. Calls that were found to be
// unreachable count as inlined. Callees of inlined callees are not listed.
//
// Immutable. Tested in tests/compiler/inlined_callees_test.cc.

#ifndef FIRSTCALL_COMPILER_INLINED_CALLEES_H_
#define FIRSTCALL_COMPILER_INLINED_CALLEES_H_

#include <string>
#include <vector>

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

class InlinedCallees {
 public:
  // `module` is a function-module before any pass. It is not used later.
  explicit InlinedCallees(const llvm::Module& module);

  // Returns the names of the functions, sorted. `module` is the same, after the passes.
  std::vector<std::string> FindIn(const llvm::Module& module) const;

 private:
  const std::vector<std::string> callees_;  // As LLVM names them. Sorted.
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_INLINED_CALLEES_H_
