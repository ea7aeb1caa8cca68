// The attributes of an llvm::Module as attributes of an ir::Module.
//
// A part of LlvmReader. Thread-compatible.

#ifndef FIRSTCALL_IR_FROM_LLVM_ATTRIBUTE_READER_H_
#define FIRSTCALL_IR_FROM_LLVM_ATTRIBUTE_READER_H_

#include "base/pointer_map.h"
#include "ir/attributes.h"
#include "ir/from_llvm/type_reader.h"
#include "ir/module.h"
#include "llvm/IR/Attributes.h"

namespace firstcall::ir {

class AttributeReader {
 public:
  explicit AttributeReader(TypeReader& types) : types_(types) {}

  // Forgets all attributes. From now on, attributes are added to `module`, as types are.
  void Begin(Module& module) {
    module_ = &module;
    lists_.Clear();
  }

  // Never null. Texts stay LLVM's: they live as long as the LLVMContext.
  const AttributeList* ListOf(const llvm::AttributeList& source) {
    if (const AttributeList* const* list = lists_.Find(source.getRawPointer())) return *list;
    return Add(source);
  }

  AttributeSet SetOf(const llvm::AttributeSet& source);

 private:
  const AttributeList* Add(const llvm::AttributeList& source);
  void AddTo(const llvm::Attribute& source, AttributeSet& set);

  TypeReader& types_;
  Module* module_ = nullptr;
  PointerMap<const AttributeList*> lists_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FROM_LLVM_ATTRIBUTE_READER_H_
