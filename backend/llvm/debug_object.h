// Has LLVM write the debug information of code that LLVM has not generated.
//
// LLVM writes the lines, variables and types of what passes through its code generator. So the code
// generator is given functions of the right size that consist of nothing: no-operations, each with
// its line, between which LLVM is told where the variables are. The object that comes out has the
// code's debug sections and unwind rows; its code is never loaded.
//
// Thread-compatible. Tested in tests/backend/llvm/debug_object_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_DEBUG_OBJECT_H_
#define FIRSTCALL_BACKEND_LLVM_DEBUG_OBJECT_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "backend/llvm/target.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCDwarf.h"
#include "object/object_bytes.h"

namespace firstcall {

// A function's code, as far as its debug information tells about it. All offsets are distances from
// the function's beginning; each list is sorted by them.
struct DescribedCode {
  struct Line {
    uint32_t offset = 0;
    llvm::DebugLoc location;  // Of the code from `offset` to the next line's.
  };
  // What is known of a variable from `offset` on.
  struct Variable {
    enum class Kind {
      kUnknown,     // It is not known where the variable is.
      kInRegister,  // `expression` is applied to the value of the register.
      kInMemory,    // The same for the value in memory, `place` bytes from the register's address.
      kAddress,     // The same for the address of that memory: the variable is there.
      kConstant,    // The variable has the value `place`.
    };
    uint32_t offset = 0;
    const llvm::DILocalVariable* variable = nullptr;
    const llvm::DIExpression* expression = nullptr;
    const llvm::DILocation* location = nullptr;  // For its scope, and the call it was inlined at.
    Kind kind = Kind::kUnknown;
    unsigned reg = 0;  // DWARF's number.
    int64_t place = 0;
  };
  struct UnwindRow {
    uint32_t offset = 0;
    llvm::MCCFIInstruction rule;
  };

  uint32_t size = 0;  // A multiple of the size of a no-operation.
  std::vector<Line> lines;
  std::vector<Variable> variables;
  std::vector<UnwindRow> unwind;
};

// Whether the expression, applied to an address, says no more than which part of the variable is
// there.
inline bool IsWholeOrFragment(const llvm::DIExpression& expression) {
  return expression.getNumElements() == 0 ||
         (expression.isFragment() && expression.getNumElements() == 3);
}

using DescribedFunctions = absl::flat_hash_map<const llvm::Function*, DescribedCode>;

// Declares, in `module`, a function whose code will be described, and which has the debug
// information `subprogram`, which no other function may have. The function gets a section of its
// own.
llvm::Function& AddDescribedFunction(llvm::Module& module, llvm::StringRef name,
                                     llvm::DISubprogram& subprogram);

// Returns an object with the debug information of `functions`, which are all that `module` defines.
// Errors: those of Target::CreateMachine; InvalidArgument if the target cannot emit objects;
// Internal if LLVM gives up: then LLVM may still refer to the module, which must be leaked.
absl::StatusOr<ObjectBytes> MakeDebugObject(const Target& target, llvm::Module& module,
                                            const DescribedFunctions& functions);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_DEBUG_OBJECT_H_
