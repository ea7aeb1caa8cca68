// A thousand modules, each with a function that the code generator gives up on: the good functions
// run, the bad ones report, and memory stays bounded.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

const int kModules = IsEmulated() ? 200 : 1000;

// Kilobytes.
long ResidentMemory() {
  long total = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  EXPECT_EQ(std::fscanf(file, "%ld %ld", &total, &resident), 2);
  std::fclose(file);
  return resident * 4;
}

// An instruction of another architecture.
#if defined(__aarch64__)
constexpr char kForeign[] = "@llvm.x86.sse42.crc32.32.32";
#else
constexpr char kForeign[] = "@llvm.aarch64.crc32b";
#endif

TEST(ManyFailuresTest, EachStaysWithItsFunction) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  long at_first = 0;
  for (int i = 0; i < kModules; ++i) {
    const std::string number = absl::StrCat(i);
    // The instruction of another architecture's cannot be selected: a fatal error of LLVM's.
    ASSERT_THAT(engine->AddBitcode(
                    ParseToBitcode(absl::StrCat(
                        "define i32 @good", number, "() { ret i32 ", number, " }\ndefine i32 @bad",
                        number, "() {\n", "  %r = call i32 ", kForeign, "(i32 1, i32 2)\n",
                        "  ret i32 %r\n}\n", "declare i32 ", kForeign, "(i32, i32)\n",
                        "define i32 @also_good", number, "() { ret i32 1 }")),
                    absl::StrCat("module", number)),
                IsOk());
    EXPECT_EQ(engine->Lookup<int()>(absl::StrCat("good", number)).value()(), i);
    EXPECT_THAT(engine->Prepare({absl::StrCat("bad", number)}),
                StatusIs(absl::StatusCode::kInternal,
                         AllOf(HasSubstr(absl::StrCat("compiling function 'bad", number, "'")),
                               HasSubstr("Cannot select"))));
    EXPECT_EQ(engine->Lookup<int()>(absl::StrCat("also_good", number)).value()(), 1);
    if (i == kModules / 10) at_first = ResidentMemory();
  }
  const double per_failure = (ResidentMemory() - at_first) / (kModules * 0.9);
  RecordProperty("kilobytes_for_each_failure", std::to_string(per_failure));
  std::printf("%.0f KiB for each module with a failure\n", per_failure);
  EXPECT_LT(per_failure, 400);
}

}  // namespace
}  // namespace firstcall
