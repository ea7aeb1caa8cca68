#include "direct/code_tables.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::HasSubstr;

absl::Status Check(absl::string_view text) {
  const std::string bytes = ParseToBitcode(text);
  const auto module = bitcode::BitcodeModule::Read(
      absl::MakeSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  EXPECT_THAT(module, IsOk());
  return module.ok() ? CheckCodeTables(**module) : module.status();
}

void ExpectRefused(absl::string_view text, absl::string_view symbol) {
  EXPECT_THAT(Check(text), StatusIs(absl::StatusCode::kUnimplemented,
                                    absl::StrCat("symbol '", symbol,
                                                 "': the bounds of a table of the code generator")))
      << text;
}

// As AddressSanitizer writes it.
constexpr char kRegisters[] = R"(
  @__start_list = extern_weak hidden global i64
  @__stop_list = extern_weak hidden global i64
  declare void @register(ptr, ptr)
  define void @constructor() {
    call void @register(ptr @__start_list, ptr @__stop_list)
    ret void
  })";

TEST(CodeTablesTest, ASectionThatNothingFillsIsNoTable) {
  EXPECT_THAT(Check(kRegisters), IsOk());
  EXPECT_THAT(Check("define void @f() { call void asm \"nop\", \"\"() ret void }"), IsOk());
}

TEST(CodeTablesTest, ASectionOfVariablesIsNoTable) {
  EXPECT_THAT(Check(std::string(kRegisters) + R"(
    @entry = global i32 1, section "list"
    define void @f() {
      call void asm ".pushsection list; .popsection", ""()
      ret void
    })"),
              IsOk());
}

TEST(CodeTablesTest, AssemblyAndMetadataMayFillASection) {
  ExpectRefused(std::string(kRegisters) + R"(
    define void @f() {
      call void asm ".pushsection list; .quad 1; .popsection", ""()
      ret void
    })",
                "__stop_list");
  ExpectRefused(std::string(kRegisters) + R"(
    define void @f() !pcsections !0 {
      ret void
    }
    !0 = !{!"list"})",
                "__stop_list");
  ExpectRefused(std::string(kRegisters) + R"(
    define void @f(ptr %p) {
      store i32 1, ptr %p, !pcsections !0
      ret void
    }
    !0 = !{!"list"})",
                "__stop_list");
}

TEST(CodeTablesTest, AttributesFillTheSectionsOfTheCodeGenerator) {
  const std::string patchable =
      "define void @f() \"patchable-function-entry\"=\"2\" { ret void }\n";
  const std::string traced =
      "define void @f() \"function-instrument\"=\"xray-always\" { ret void }\n";
  const std::string of_patchable = "@__start___patchable_function_entries = external global ptr\n";
  const std::string of_traced = "@__stop_xray_instr_map = external global ptr\n";
  ExpectRefused(of_patchable + patchable, "__start___patchable_function_entries");
  ExpectRefused(of_traced + traced, "__stop_xray_instr_map");
  EXPECT_THAT(Check(of_patchable + traced), IsOk());
  EXPECT_THAT(Check(of_traced + patchable), IsOk());
}

TEST(CodeTablesTest, MapsOfTheCodeGeneratorAreLeftToLlvm) {
  ExpectRefused("@__LLVM_StackMaps = external global i8", "__LLVM_StackMaps");
  ExpectRefused("@\"\\01__LLVM_FaultMaps\" = external global i8", "__LLVM_FaultMaps");
  EXPECT_THAT(Check("@__LLVM_StackMaps = global i8 0"), IsOk());
}

TEST(CodeTablesTest, ABodyThatCannotBeReadMayHaveEntries) {
  const std::string unread =
      "define void @f(ptr %p) { store i8 0, ptr %p, align 4294967296 ret void }";
  EXPECT_THAT(Check(unread), IsOk());
  EXPECT_THAT(Check(kRegisters + unread),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("'f'")));
}

}  // namespace
}  // namespace firstcall::direct
