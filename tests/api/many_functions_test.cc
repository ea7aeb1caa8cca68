// Thousands of functions in one arena, each of which calls the next.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr int64_t kFunctions = 5000;

// f0(x) is x and all numbers up to kFunctions - 1.
const std::string& Chain() {
  static const std::string* const bitcode = [] {
    std::string text;
    for (int64_t i = 0; i < kFunctions; ++i) {
      absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) noinline {\n");
      if (i + 1 < kFunctions) absl::StrAppend(&text, "  %y = call i64 @f", i + 1, "(i64 %x)\n");
      absl::StrAppend(&text, "  %z = add i64 ", i + 1 < kFunctions ? "%y" : "%x", ", ", i,
                      "\n  ret i64 %z\n}\n");
    }
    return new std::string(ParseToBitcode(text));
  }();
  return *bitcode;
}

class ManyFunctionsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_THAT(engine_->AddBitcode(Chain(), "chain"), IsOk()); }

  int64_t Call() { return engine_->Lookup<int64_t(int64_t)>("f0").value()(7); }

  const std::unique_ptr<Engine> engine_ = Engine::Create().value();
};

TEST_F(ManyFunctionsTest, RunWhenTheyWerePrepared) {
  ASSERT_THAT(engine_->PrepareAll(), IsOk());
  EXPECT_EQ(engine_->stats().functions_compiled, static_cast<size_t>(kFunctions));
  EXPECT_EQ(Call(), 7 + kFunctions * (kFunctions - 1) / 2);
}

TEST_F(ManyFunctionsTest, RunWhenTheyAreCalled) {
  EXPECT_EQ(Call(), 7 + kFunctions * (kFunctions - 1) / 2);
  EXPECT_EQ(Call(), 7 + kFunctions * (kFunctions - 1) / 2);
  EXPECT_EQ(engine_->stats().functions_compiled, static_cast<size_t>(kFunctions));
}

}  // namespace
}  // namespace firstcall
