// The matchers, the parser and the process under PR_SET_MDWE that other tests rely on.

#include <sys/mman.h>

#include <csignal>

#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/mdwe.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(StatusMatchersTest, TakeAStatusOrAStatusOr) {
  const absl::StatusOr<int> value = 5;
  const absl::StatusOr<int> error = absl::NotFoundError("symbol 'f': nowhere");
  EXPECT_THAT(absl::OkStatus(), IsOk());
  EXPECT_THAT(value, IsOk());
  EXPECT_THAT(error, Not(IsOk()));
  EXPECT_THAT(error.status(), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(error, StatusIs(absl::StatusCode::kNotFound, HasSubstr("'f'")));
  EXPECT_THAT(error, Not(StatusIs(absl::StatusCode::kInternal, HasSubstr("'f'"))));
  EXPECT_THAT(error, Not(StatusIs(absl::StatusCode::kNotFound, HasSubstr("'g'"))));
}

TEST(StatusMatchersTest, AssignsTheValue) {
  ASSERT_OK_AND_ASSIGN(const int value, absl::StatusOr<int>(5));
  EXPECT_EQ(value, 5);
}

TEST(StatusMatchersTest, AssignFailsTheTestWithTheError) {
  EXPECT_FATAL_FAILURE(
      {
        int value = 0;
        ASSERT_OK_AND_ASSIGN(value, absl::StatusOr<int>(absl::NotFoundError("no such thing")));
        (void)value;
      },
      "NOT_FOUND: no such thing");
}

TEST(IrTest, ParsesAndPrints) {
  llvm::LLVMContext context;
  const auto module = ParseModule("define i32 @f() { ret i32 7 }", context, "seven");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->getModuleIdentifier(), "seven");
  EXPECT_THAT(PrintModule(*module), HasSubstr("ret i32 7"));
  EXPECT_THAT(ModuleToBitcode(*module), StartsWith("BC\xc0\xde"));
  EXPECT_THAT(ParseToBitcode("define i32 @f() { ret i32 7 }"), StartsWith("BC\xc0\xde"));
}

TEST(IrTest, WrongTextFailsTheTest) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(ParseToBitcode("define i32 @f() { ret i64 }"), IsEmpty()),
                          "ParseModule");
}

TEST(IrTest, ModuleTheVerifierRefusesFailsTheTest) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(ParseToBitcode("define i32 @f(i32 %x) {\n"
                                                     "  %y = add i32 %y, %x\n  ret i32 %y\n}"),
                                      IsEmpty()),
                          "Only PHI nodes may reference their own value");
}

TEST(MdweTest, RefusesMemoryThatIsWritableAndExecutable) {
  const std::optional<int> refused = RunUnderMdwe([] {
    const int both = PROT_READ | PROT_WRITE | PROT_EXEC;
    return mmap(nullptr, 1, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 3 : 0;
  });
  if (!refused) GTEST_SKIP() << kNoMdwe;
  EXPECT_EQ(refused, 3);
}

TEST(MdweTest, ASignalIsNoSuccess) {
  const std::optional<int> result = RunUnderMdwe([] { return std::raise(SIGKILL); });
  if (!result) GTEST_SKIP() << kNoMdwe;
  EXPECT_EQ(result, 128 + SIGKILL);
}

}  // namespace
}  // namespace firstcall
