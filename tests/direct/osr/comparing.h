// Functions whose loops are found by direct/osr and by splitter/osr, for tests.

#ifndef FIRSTCALL_TESTS_DIRECT_OSR_COMPARING_H_
#define FIRSTCALL_TESTS_DIRECT_OSR_COMPARING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "direct/osr/loop_entries.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "ir/operand.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace firstcall::direct {

// The function @f of a module of LLVM IR, and its body in ir/. The module has the host's triple and
// data layout, a counter for polls, and, if a label lives at a loop, a table of the blocks that @f
// may branch to indirectly.
class ComparedFunction {
 public:
  // If the text is wrong, the running test fails, and nothing else may be called.
  explicit ComparedFunction(absl::string_view text);
  ~ComparedFunction();

  bool is_valid() const { return is_valid_; }
  llvm::Function& source() { return *source_->getFunction("f"); }
  llvm::GlobalVariable& counter() { return *counter_; }
  ir::LlvmReader& reader() { return reader_; }
  ir::Function& body() { return body_; }
  // The address of the counter.
  ir::Operand counter_operand() const;
  // That of the table; nothing if there is none.
  ir::Operand targets_operand() const;
  // The name that the value has in the text.
  std::string NameOf(uint32_t value) const { return values_[value]; }
  std::string NameOfBlock(uint32_t block) const { return blocks_[block]; }
  // The number of the value that has this name in the text.
  uint32_t ValueNamed(absl::string_view name) const;

  // For each loop: the block, and the names of what lives there, in the order in which it is
  // passed; "&" marks variables whose addresses may be in live values, "label" what is passed as a
  // number. Or the word "impossible" or "unknown".
  std::vector<std::string> Entries();
  // The same as splitter/osr says. Never unknown.
  std::vector<std::string> EntriesOfLlvm();

  // The choice of polls by either, as text, with its cost.
  std::string Choice(size_t allowance);
  std::string ChoiceOfLlvm(size_t allowance);

  // Adds all polls that an unlimited allowance permits, by either, and compiles the body: the
  // machine code as text. Each changes what it changes, so it is called once, LLVM's last.
  std::string Code(bool asks_when_called);
  std::string CodeOfLlvm(bool asks_when_called);

 private:
  bool HasLiveLabel();
  std::string Compile(ir::Function& body) const;

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> source_;
  llvm::GlobalVariable* counter_ = nullptr;
  llvm::GlobalVariable* targets_ = nullptr;
  ir::LlvmReader reader_;
  ir::Function body_;
  LoopEntries entries_;
  std::vector<std::string> values_, blocks_;
  bool is_valid_ = false;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_TESTS_DIRECT_OSR_COMPARING_H_
