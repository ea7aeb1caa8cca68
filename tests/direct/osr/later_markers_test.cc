// Lifetime markers as LLVM 22 writes them: without a size. LLVM 19 reads no such module, so that
// the modules are written by LLVM 19 with functions of other names, which are then renamed.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "bitcode/function_reader.h"
#include "bitcode/module.h"
#include "direct/osr/loop_entries.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/module.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::HasSubstr;

class LaterMarkersTest : public ::testing::Test {
 protected:
  // Reads @f, in which @start and @end are the markers.
  absl::Status Read(absl::string_view text) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
    module->getFunction("start")->setName("llvm.lifetime.start.p0");
    module->getFunction("end")->setName("llvm.lifetime.end.p0");
    bytes_ = ModuleToBitcode(*module);
    absl::StatusOr<std::unique_ptr<bitcode::BitcodeModule>> read = bitcode::BitcodeModule::Read(
        {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()});
    FIRSTCALL_RETURN_IF_ERROR(read.status());
    module_ = *std::move(read);
    for (const ir::Global& global : module_->module().globals()) {
      if (global.name != "f") continue;
      return bitcode::FunctionReader(*module_).Read(module_->module().NumberOf(global), body_);
    }
    return absl::NotFoundError("@f");
  }

  // A loop, in front of which the life of %before begins. %inside lives inside of the loop.
  static std::string Loop(absl::string_view parameters, absl::string_view size) {
    return absl::StrCat("declare void @start(", parameters, ")\n declare void @end(", parameters,
                        R"()
      declare void @keep(ptr nocapture)
      define void @f(i1 %c) {
        %before = alloca i32
        %inside = alloca i32
        call void @start()",
                        size, R"(ptr %before)
        br label %loop
      loop:
        call void @start()",
                        size, R"(ptr %inside)
        call void @keep(ptr %inside)
        call void @end()",
                        size, R"(ptr %inside)
        call void @keep(ptr %before)
        br i1 %c, label %loop, label %out
      out:
        ret void
      })");
  }

  std::string bytes_;
  std::unique_ptr<bitcode::BitcodeModule> module_;
  ir::Function body_;
};

TEST_F(LaterMarkersTest, MarkTheSameVariables) {
  for (const std::string& text : {Loop("i64, ptr", "i64 4, "), Loop("ptr", "")}) {
    ASSERT_THAT(Read(text), IsOk());
    LoopEntries entries;
    entries.Begin(body_);
    ASSERT_EQ(entries.size(), 1);
    ASSERT_EQ(entries.Find(0), LoopEntries::Verdict::kPossible);
    const LoopEntry entry = entries.At(0);
    ASSERT_EQ(entry.variables.size(), 1);
    EXPECT_EQ(entry.variables[0].place, 0);
  }
}

TEST_F(LaterMarkersTest, MarkersWithOtherParametersAreLeftToLlvm) {
  struct Case {
    absl::string_view parameters, arguments;
  };
  for (const Case& wrong : {Case{"", ""}, Case{"i32", "i32 %0"}, Case{"ptr, i64", "ptr %0, i64 %1"},
                            Case{"i64, ptr, ptr", "i64 %0, ptr %1, ptr %2"}}) {
    EXPECT_THAT(
        Read(absl::StrCat("declare void @start(", wrong.parameters, ")\n declare void @end(",
                          wrong.parameters, ")\n define void @f(", wrong.parameters,
                          ") {\n call void @start(", wrong.arguments, ")\n ret void }")),
        StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("another signature")))
        << wrong.parameters;
  }
}

}  // namespace
}  // namespace firstcall::direct
