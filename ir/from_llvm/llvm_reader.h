// Makes an ir::Module of an llvm::Module, and bodies of its llvm::Functions.
//
// For functions whose IR is in LLVM's memory already, such as the one of a function-module. Making
// the module costs time for each global, and for the constants in initializers. Making a body costs
// time for each instruction.
//
// Thread-compatible: use one reader for each compiling thread. Reuse the reader, because it keeps
// its memory from module to module. Tested in tests/ir/from_llvm/llvm_reader_test.cc.

#ifndef FIRSTCALL_IR_FROM_LLVM_LLVM_READER_H_
#define FIRSTCALL_IR_FROM_LLVM_LLVM_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/body_reader.h"
#include "ir/data_layout.h"
#include "ir/from_llvm/attribute_reader.h"
#include "ir/from_llvm/constant_reader.h"
#include "ir/from_llvm/global_reader.h"
#include "ir/from_llvm/instruction_reader.h"
#include "ir/from_llvm/type_reader.h"
#include "ir/function.h"
#include "ir/module.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/Module.h"

namespace firstcall::ir {

class LlvmReader : public BodyReader {
 public:
  // A reader that has begun with `source`.
  static absl::StatusOr<std::unique_ptr<LlvmReader>> Create(const llvm::Module& source);

  LlvmReader()
      : attributes_(types_),
        constants_(types_),
        globals_(types_, attributes_, constants_),
        instructions_(types_, attributes_, constants_) {}
  LlvmReader(const LlvmReader&) = delete;
  LlvmReader& operator=(const LlvmReader&) = delete;

  // Makes a new module(), of `source`. The former module, with the bodies of its functions, is no
  // longer valid. `source`, which must be valid IR, must outlive the new one, and must not change
  // as long as the new one is used: names and data stay in LLVM's memory. Unimplemented if
  // ir::DataLayout does not know the module's data layout.
  absl::Status Begin(const llvm::Module& source);

  // The module of the last Begin that has succeeded.
  const Module& module() const override { return *module_; }
  // The number of `global` in module().globals(); kNone if it is none of the module.
  uint32_t NumberOf(const llvm::GlobalValue& global) const { return constants_.NumberOf(global); }

  // All attributes and types that the body names are added to module(). All constants that the
  // module lacks are the body's own.
  absl::Status Read(uint32_t global, Function& function) override;
  absl::Status Read(const llvm::Function& source, Function& function);

 private:
  absl::Status ReadLayout(const llvm::Module& source);

  // The last data layout: many modules have the same one.
  std::string layout_text_;
  std::optional<DataLayout> layout_;
  std::unique_ptr<Module> module_;
  TypeReader types_;
  AttributeReader attributes_;
  ConstantReader constants_;
  GlobalReader globals_;
  InstructionReader instructions_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FROM_LLVM_LLVM_READER_H_
