// Reads IR from text by LLVM and then by ir::LlvmReader, for tests.

#ifndef FIRSTCALL_TESTS_IR_FROM_LLVM_READING_H_
#define FIRSTCALL_TESTS_IR_FROM_LLVM_READING_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "ir/module.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::ir {

// The module `text`, and the body of the one function that was read last. If the text is wrong, the
// running test fails.
class Reading {
 public:
  explicit Reading(absl::string_view text) : source_(ParseModule(text, context_)) {
    if (source_ == nullptr) return;
    EXPECT_THAT(reader_.Begin(*source_), IsOk());
  }

  llvm::Module& source() { return *source_; }
  LlvmReader& reader() { return reader_; }
  const Module& module() const { return reader_.module(); }

  const llvm::GlobalValue* SourceOf(absl::string_view name) const {
    return source_->getNamedValue({name.data(), name.size()});
  }
  const Global& GlobalNamed(absl::string_view name) const {
    return module().globals()[reader_.NumberOf(*SourceOf(name))];
  }
  const Constant& InitializerOf(absl::string_view name) const {
    return module().constant(GlobalNamed(name).initializer);
  }

  // Reads the function; valid until the next call.
  const Function& Body(absl::string_view name) {
    EXPECT_THAT(reader_.Read(*source_->getFunction({name.data(), name.size()}), body_), IsOk());
    return body_;
  }

 private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> source_;
  LlvmReader reader_;
  Function body_;
};

// Instruction number `number` of the body.
inline const Instruction& At(const Function& body, uint32_t number) {
  return body.instructions[number];
}

// The first instruction with `opcode`; the terminator of the first block if there is none, with the
// running test failed.
inline const Instruction& FirstOf(const Function& body, Opcode opcode) {
  for (const Instruction& instruction : body.instructions) {
    if (instruction.opcode == opcode) return instruction;
  }
  ADD_FAILURE() << "no instruction with opcode " << static_cast<int>(opcode);
  return body.TerminatorOf(body.blocks[0]);
}

}  // namespace firstcall::ir

#endif  // FIRSTCALL_TESTS_IR_FROM_LLVM_READING_H_
