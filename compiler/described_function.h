// What debug information says of a function, for code that the baseline code generator has made of
// the function: turns what was recorded of the code (backend/baseline/code_map.h) and the debug
// information of the IR into a DescribedCode.
//
// Thread-compatible: hold the mutex of the view that the function's context belongs to. Tested in
// tests/debugger/attach_test.cc.

#ifndef FIRSTCALL_COMPILER_DESCRIBED_FUNCTION_H_
#define FIRSTCALL_COMPILER_DESCRIBED_FUNCTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/baseline/code_map.h"
#include "backend/llvm/debug_object.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Value.h"

namespace firstcall {

class DescribedFunction {
 public:
  // `function` must outlive this object and not change; ir/from_llvm has read it.
  explicit DescribedFunction(const llvm::Function& function);

  // The numbers, in ir::Function::values, of the values that variables have.
  std::vector<uint32_t> WatchedValues() const;

  // `map`: of the function's code, with the values watched. Refers to debug information that lives
  // as long as its context, not to the function.
  DescribedCode Describe(const baseline::CodeMap& map) const;

  // The lines alone, for which no values have to be watched.
  std::vector<DescribedCode::Line> DescribeLines(const baseline::CodeMap& map) const;

 private:
  // An assignment of a value to a variable, or to a part of it.
  struct Assignment {
    const llvm::DbgVariableRecord* record;
    uint32_t instruction;  // In front of which the assignment stands.
    // The variable's value, or its address if it is in memory; null if neither is known.
    const llvm::Value* value;
    const llvm::DIExpression* expression;  // To be applied to `value`.
    bool is_in_memory;
    // No other assignment says something else of this part of the variable.
    bool is_only = true;
    // If one follows in the same block: the instruction in front of which it stands.
    std::optional<uint32_t> next = std::nullopt;
  };

  void FindOthers();
  static void FollowAddress(Assignment& assignment, const llvm::DataLayout& layout);

  std::vector<const llvm::Instruction*> instructions_;    // By their numbers in ir::Function.
  llvm::DenseMap<const llvm::Value*, uint32_t> numbers_;  // Of values.
  std::vector<Assignment> assignments_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_DESCRIBED_FUNCTION_H_
