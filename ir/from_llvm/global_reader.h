// The functions, variables, aliases, ifuncs, comdats and flags of an llvm::Module, with the
// constants that they name, as those of an ir::Module.
//
// A part of LlvmReader. Thread-compatible.

#ifndef FIRSTCALL_IR_FROM_LLVM_GLOBAL_READER_H_
#define FIRSTCALL_IR_FROM_LLVM_GLOBAL_READER_H_

#include <cstdint>
#include <vector>

#include "base/pointer_map.h"
#include "ir/from_llvm/attribute_reader.h"
#include "ir/from_llvm/constant_reader.h"
#include "ir/from_llvm/type_reader.h"
#include "ir/global.h"
#include "ir/module.h"
#include "llvm/IR/Comdat.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/GlobalObject.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace firstcall::ir {

class GlobalReader {
 public:
  GlobalReader(TypeReader& types, AttributeReader& attributes, ConstantReader& constants)
      : types_(types), attributes_(attributes), constants_(constants) {}

  // Adds everything to `module`, which has no globals and no constants yet. The names stay LLVM's.
  // The globals get their numbers in the order of bitcode. sources() has them in this order, until
  // the next call.
  void Read(const llvm::Module& source, Module& module);
  const std::vector<const llvm::GlobalValue*>& sources() const { return sources_; }

 private:
  void NumberAll(const llvm::Module& source);
  Global Convert(const llvm::GlobalValue& source);
  void SetFunction(const llvm::Function& source, Global& global, GlobalTraits& traits);
  void SetVariable(const llvm::GlobalVariable& source, Global& global, GlobalTraits& traits);
  void SetObject(const llvm::GlobalObject& source, Global& global, GlobalTraits& traits);
  void FindOnlyUsers();
  void SetMetadata(const llvm::GlobalObject& source, GlobalTraits& traits);
  uint32_t ComdatOf(const llvm::Comdat& source);
  void ReadFlags(const llvm::Module& source);

  TypeReader& types_;
  AttributeReader& attributes_;
  ConstantReader& constants_;
  Module* module_ = nullptr;
  std::vector<const llvm::GlobalValue*> sources_;
  PointerMap<uint32_t> comdats_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FROM_LLVM_GLOBAL_READER_H_
