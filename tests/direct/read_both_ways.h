// A module read by LLVM and without LLVM, for tests that compare what is made of it.

#ifndef FIRSTCALL_TESTS_DIRECT_READ_BOTH_WAYS_H_
#define FIRSTCALL_TESTS_DIRECT_READ_BOTH_WAYS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "bitcode/function_reader.h"
#include "bitcode/module.h"
#include "ir/function.h"
#include "ir/module.h"
#include "llvm/IR/Function.h"
#include "splitter/module_view.h"

namespace firstcall::direct {

class ReadBothWays {
 public:
  // The running test fails if `text` is not valid, or cannot be read.
  explicit ReadBothWays(absl::string_view text);

  bool ok() const { return module_ != nullptr; }
  ModuleView& view() const { return *view_; }
  const ir::Module& module() const { return module_->module(); }

  // ir::kNone if there is no global of this name.
  uint32_t NumberOf(absl::string_view name) const;
  std::string NameOf(uint32_t global) const;

  // The function, with its body. Both are valid until the next call of the same function.
  llvm::Function& LlvmBody(absl::string_view name) const;
  ir::Function& Body(absl::string_view name);

 private:
  const std::string bytes_;
  std::shared_ptr<ModuleView> view_;
  std::unique_ptr<bitcode::BitcodeModule> module_;
  std::unique_ptr<bitcode::FunctionReader> reader_;
  ir::Function body_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_TESTS_DIRECT_READ_BOTH_WAYS_H_
