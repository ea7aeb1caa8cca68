// Entries, choices of polls and machine code are those of splitter/osr for random functions.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/direct/osr/comparing.h"

namespace firstcall::direct {
namespace {

// Writes functions of any control flow. Values pass from block to block only through variables,
// and from the first block.
class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  std::string Write() {
    blocks_ = 2 + Below(12);
    variables_ = 1 + Below(70);
    std::string text = kBeginning;
    for (uint32_t i = 0; i < variables_; ++i) {
      absl::StrAppend(&text, " %v", i, " = alloca i32\n");
      if (Below(4) == 0) absl::StrAppend(&text, " store i32 1, ptr %v", i, "\n");
    }
    for (uint32_t i = 0; i < kValues; ++i) {
      absl::StrAppend(&text, " %x", i, " = add i32 %n, ", i + 3, "\n");
    }
    text += " br label %b0\n";
    for (uint32_t block = 0; block < blocks_; ++block) AddBlock(block, text);
    return absl::StrCat(text, "end:\n ret i32 0\n}\n");
  }

 private:
  static constexpr uint32_t kValues = 6;
  static constexpr char kBeginning[] = R"(
    declare void @keep(ptr nocapture)
    declare ptr @give(ptr)
    declare void @llvm.lifetime.start.p0(i64, ptr)
    declare void @llvm.lifetime.end.p0(i64, ptr)
    define i32 @f(i32 %n, i1 %c, ptr %p) {
    entry:
  )";

  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }
  std::string AnyBlock() {
    const uint32_t block = Below(blocks_ + 1);
    return block == blocks_ ? "%end" : absl::StrCat("%b", block);
  }

  void AddBlock(uint32_t block, std::string& text) {
    absl::StrAppend(&text, "b", block, ":\n");
    for (uint32_t i = Below(6); i > 0; --i) AddInstruction(text);
    switch (Below(8)) {
      case 0:
        absl::StrAppend(&text, " br i1 ", Below(2) == 0 ? "true" : "false", ", label ", AnyBlock(),
                        ", label ", AnyBlock(), "\n");
        break;
      case 1:
        absl::StrAppend(&text, " switch i32 %n, label ", AnyBlock(), " [ i32 1, label ", AnyBlock(),
                        "\n i32 2, label ", AnyBlock(), " ]\n");
        break;
      case 2:
        absl::StrAppend(&text, " br label ", AnyBlock(), "\n");
        break;
      default:
        absl::StrAppend(&text, " br i1 %c, label %",
                        block + 1 == blocks_ ? "end" : absl::StrCat("b", block + 1), ", label ",
                        AnyBlock(), "\n");
    }
  }

  void AddInstruction(std::string& text) {
    const std::string variable = absl::StrCat("%v", Below(variables_));
    const std::string result = absl::StrCat(" %r", next_++, " = ");
    switch (Below(9)) {
      case 0:
        return absl::StrAppend(&text, " store i32 %x", Below(kValues), ", ptr ", variable, "\n");
      case 1:
        return absl::StrAppend(&text, result, "load i32, ptr ", variable, "\n");
      case 2:
        return absl::StrAppend(&text, " call void @llvm.lifetime.start.p0(i64 4, ptr ", variable,
                               ")\n");
      case 3:
        return absl::StrAppend(&text, " call void @llvm.lifetime.end.p0(i64 4, ptr ", variable,
                               ")\n");
      case 4:
        return absl::StrAppend(&text, " call void @keep(ptr ", variable, ")\n");
      case 5:
        if (Below(4) != 0) return;
        return absl::StrAppend(&text, result, "call ptr @give(ptr ", variable, ")\n");
      case 6:
        return absl::StrAppend(&text, " store i32 %x", Below(kValues), ", ptr %p\n");
      default:
        return absl::StrAppend(&text, result, "add i32 %x", Below(kValues), ", 1\n");
    }
  }

  std::mt19937 random_;
  uint32_t blocks_ = 0, variables_ = 0, next_ = 0;
};

TEST(RandomFunctionsTest, AllIsAsTheSplitterSays) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    const std::string text = Writer(seed).Write();
    ComparedFunction function(text);
    ASSERT_TRUE(function.is_valid()) << text;
    ASSERT_EQ(function.Entries(), function.EntriesOfLlvm()) << text;
    for (size_t allowance : {20, 60, 100, 1000}) {
      ASSERT_EQ(function.Choice(allowance), function.ChoiceOfLlvm(allowance)) << text;
    }
    const bool asks_when_called = seed % 2 == 0;
    const std::string code = function.Code(asks_when_called);
    ASSERT_EQ(code, function.CodeOfLlvm(asks_when_called)) << text;
  }
}

}  // namespace
}  // namespace firstcall::direct
