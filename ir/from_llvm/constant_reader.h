// The constants of an llvm::Module, and of its functions, as constants of ir/.
//
// A part of LlvmReader. Thread-compatible.

#ifndef FIRSTCALL_IR_FROM_LLVM_CONSTANT_READER_H_
#define FIRSTCALL_IR_FROM_LLVM_CONSTANT_READER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/pointer_map.h"
#include "ir/constant.h"
#include "ir/from_llvm/type_reader.h"
#include "ir/function.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "llvm/IR/Constant.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Value.h"

namespace firstcall::ir {

// From llvm::Value, or what else has an address, to operand.
using OperandMap = PointerMap<Operand>;

class ConstantReader {
 public:
  explicit ConstantReader(TypeReader& types) : types_(types) {}

  // Forgets all constants. From now on, constants are added to `module`.
  void Begin(Module& module);

  // Makes the next constant of the module, the address of `global`, which gets the next number.
  // Called for all globals, before the module gets any other constant.
  void AddGlobal(const llvm::GlobalValue& global);

  // kNone if `global` is none of the module.
  uint32_t NumberOf(const llvm::GlobalValue& global) const {
    const Operand* const address = of_module_.Find(&global);
    return address == nullptr ? kNone : address->number();
  }

  // From now on, constants are added to `function`, and noted in `operands`. Both must live until
  // the next call.
  void BeginFunction(Function& function, OperandMap& operands);

  // A constant, or inline assembly. Adds the constant, and those that it consists of, if they are
  // not there yet.
  Operand OperandOf(const llvm::Value& source);

 private:
  const Operand* Find(const llvm::Value* source);
  bool PushMissing(const llvm::Value& source);
  Operand Append(const Constant& constant);
  Constant Convert(const llvm::Value& source);
  void SetInteger(const llvm::ConstantInt& source, Constant& constant);
  void SetFloat(const llvm::ConstantFP& source, Constant& constant);
  void SetData(const llvm::ConstantDataSequential& source, Constant& constant);
  void SetExpression(const llvm::ConstantExpr& source, Constant& constant);
  void SetOperands(const llvm::User& source, Constant& constant);
  void SetGlobal(const llvm::GlobalValue& global, ConstantKind kind, Constant& constant);
  void SetBlockAddress(const llvm::BlockAddress& source, Constant& constant);
  void SetAssembly(const llvm::InlineAsm& source, Constant& constant);
  void NumberBlocks(const llvm::Function& function);
  absl::Span<const Operand> Keep(std::vector<Operand> operands);

  TypeReader& types_;
  Module* module_ = nullptr;
  Function* function_ = nullptr;  // Null: constants are added to the module.
  OperandMap of_module_;
  OperandMap* of_function_ = nullptr;
  std::vector<const llvm::Value*> work_;  // Constants to add, the next one last.
  // The blocks of functions, and those functions themselves, of which a constant has the address of
  // a block.
  PointerMap<uint32_t> blocks_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FROM_LLVM_CONSTANT_READER_H_
