#include "tests/direct/read_both_ways.h"

#include <utility>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "ir/global.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tests/testing/ir.h"

namespace firstcall::direct {

ReadBothWays::ReadBothWays(absl::string_view text) : bytes_(ParseToBitcode(text)) {
  absl::StatusOr<std::shared_ptr<ModuleView>> view =
      ModuleView::ParseLazily(llvm::MemoryBuffer::getMemBufferCopy(bytes_, "test"));
  EXPECT_TRUE(view.ok()) << view.status();
  absl::StatusOr<std::unique_ptr<bitcode::BitcodeModule>> module = bitcode::BitcodeModule::Read(
      {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()});
  EXPECT_TRUE(module.ok()) << module.status();
  if (!view.ok() || !module.ok()) return;
  view_ = *std::move(view);
  module_ = *std::move(module);
  reader_ = std::make_unique<bitcode::FunctionReader>(*module_);
}

uint32_t ReadBothWays::NumberOf(absl::string_view name) const {
  for (const ir::Global& global : module().globals()) {
    if (global.name == name) return module().NumberOf(global);
  }
  return ir::kNone;
}

std::string ReadBothWays::NameOf(uint32_t global) const {
  return std::string(module().globals()[global].name);
}

llvm::Function& ReadBothWays::LlvmBody(absl::string_view name) const {
  llvm::Function* const function = view_->module().getFunction({name.data(), name.size()});
  llvm::cantFail(function->materialize());
  return *function;
}

ir::Function& ReadBothWays::Body(absl::string_view name) {
  const absl::Status status = reader_->Read(NumberOf(name), body_);
  EXPECT_TRUE(status.ok()) << status;
  return body_;
}

}  // namespace firstcall::direct
