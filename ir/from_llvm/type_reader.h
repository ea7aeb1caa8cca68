// The types of an llvm::Module as types of an ir::Module.
//
// A part of LlvmReader. Thread-compatible.

#ifndef FIRSTCALL_IR_FROM_LLVM_TYPE_READER_H_
#define FIRSTCALL_IR_FROM_LLVM_TYPE_READER_H_

#include <vector>

#include "base/pointer_map.h"
#include "ir/module.h"
#include "ir/type.h"
#include "llvm/IR/Type.h"

namespace firstcall::ir {

class TypeReader {
 public:
  // Forgets all types. From now on, types are added to `module`.
  void Begin(Module& module) {
    module_ = &module;
    types_.Clear();
  }

  // The type that means `source`: the same object for the same type. Adds the type to the module
  // when the type is first asked for.
  const Type* TypeOf(const llvm::Type* source) {
    if (const Type* const* type = types_.Find(source)) return *type;
    return Add(source);
  }

 private:
  const Type* Add(const llvm::Type* source);
  bool PushMissing(const llvm::Type* source);
  Type Convert(const llvm::Type* source);

  Module* module_ = nullptr;
  PointerMap<const Type*> types_;
  std::vector<const llvm::Type*> work_;  // Types to add, the next one last.
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FROM_LLVM_TYPE_READER_H_
