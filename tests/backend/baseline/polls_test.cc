// What the code generator makes of polls, and what it tells about them. tests/api/left_loops_test
// runs such code.

#include "backend/baseline/polls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/code_map.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/stubs/disassembler.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

using ::testing::StartsWith;
using Kind = CodeMap::Location::Kind;

constexpr const char* kTriples[] = {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"};

// Loop 0 is %inner, and loop 1 %outer: the search finds the inner back edge first.
constexpr char kNested[] = R"(
  @counter = external dso_local global i32
  declare void @look(ptr)
  define i64 @f(i64 %n, i128 %wide, double %factor) ATTRIBUTES {
  entry:
    %variable = alloca i64
    br label %outer
  outer:
    %i = phi i64 [ 0, %entry ], [ %i1, %outer.end ]
    br label %inner
  inner:
    %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
    %j1 = add i64 %j, 1
    %more = icmp slt i64 %j1, %n
    br i1 %more, label %inner, label %outer.end
  outer.end:
    call void @look(ptr %variable)
    %i1 = add i64 %i, 1
    %again = icmp slt i64 %i1, %n
    br i1 %again, label %outer, label %end
  end:
    %low = trunc i128 %wide to i64
    %whole = fptosi double %factor to i64
    %sum = add i64 %low, %whole
    ret i64 %sum
  })";

class PollsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void Compile(absl::string_view attributes, CodeMap* map = nullptr, bool is_near = true) {
    std::string text = kNested;
    const std::string mark = "ATTRIBUTES";
    text.replace(text.find(mark), mark.size(), std::string(attributes));
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
    ASSERT_NE(module, nullptr);
    const auto compiler = BaselineCompiler::Create(GetParam(), BaselineOptions());
    ASSERT_THAT(compiler.status(), IsOk());
    ir::LlvmReader reader;
    ir::Function function;
    ASSERT_THAT(reader.Begin(*module), IsOk());
    ASSERT_THAT(reader.Read(*module->getFunction("f"), function), IsOk());
    ASSERT_EQ((*compiler)->Compile(function, is_near, code_, map), Refusal::kNone);
  }

  // How many relocations name the symbol.
  size_t ReferencesTo(absl::string_view name) const {
    return std::count_if(code_.relocations.begin(), code_.relocations.end(),
                         [&](const CodeRelocation& relocation) {
                           return code_.NameOf(code_.symbols[relocation.symbol]) == name;
                         });
  }

  bool is_x86_64() const { return GetParam() == std::string(kTriples[0]); }
  // To the counter, by one instruction, or by the two that make an address on AArch64.
  size_t ReferencesOf(size_t accesses) const { return is_x86_64() ? accesses : 2 * accesses; }

  CompiledCode code_;
};

INSTANTIATE_TEST_SUITE_P(Architectures, PollsTest, ::testing::ValuesIn(kTriples));

TEST_P(PollsTest, ABodyThatNothingReplacesHasNone) {
  Compile("");
  EXPECT_EQ(ReferencesTo("counter"), 0u);
}

// Each poll counts in one place, and asks in another.
TEST_P(PollsTest, EachLoopPolls) {
  Compile("\"firstcall-polls\"=\"counter\"");
  EXPECT_EQ(ReferencesTo("counter"), ReferencesOf(4));
}

TEST_P(PollsTest, TheBeginningPollsIfItIsAskedFor) {
  Compile("\"firstcall-polls\"=\"counter\" \"firstcall-polls-when-called\"");
  EXPECT_EQ(ReferencesTo("counter"), ReferencesOf(6));
}

TEST_P(PollsTest, ACounterThatIsFarAwayIsReachedByItsAddress) {
  Compile("\"firstcall-polls\"=\"counter\"", nullptr, /*is_near=*/false);
  EXPECT_EQ(ReferencesTo("counter"), 1u);
}

TEST_P(PollsTest, TheMapTellsWhereValuesAreAtALoop) {
  CodeMap map;
  map.loop = 1;                   // %outer
  map.live = {0, 1, 2, 3, 4, 5};  // %n, %wide, %factor, %variable, %i, %j
  Compile("\"firstcall-polls\"=\"counter\"", &map);
  ASSERT_TRUE(map.has_poll);
  ASSERT_EQ(map.first_parts, (std::vector<uint32_t>{0, 1, 3, 4, 5, 6}));
  ASSERT_EQ(map.parts.size(), 7u);
  for (size_t i : {0, 1, 2, 3, 5}) EXPECT_NE(map.parts[i].location.kind, Kind::kNowhere) << i;
  EXPECT_EQ(map.parts[2].offset, 8u);  // The upper half of %wide.
  EXPECT_EQ(map.parts[3].bits, 0);
  EXPECT_EQ(map.parts[4].location.kind, Kind::kAddressOf);
  EXPECT_EQ(map.parts[4].location.reg, is_x86_64() ? 6 : 29);
  EXPECT_EQ(map.parts[5].bits, 64);
}

TEST_P(PollsTest, TheMapOfAnotherLoopHasNoPoll) {
  CodeMap map;
  map.loop = 2;
  Compile("\"firstcall-polls\"=\"counter\"", &map);
  EXPECT_FALSE(map.has_poll);
  EXPECT_TRUE(map.parts.empty());
}

TEST_P(PollsTest, TheBodyIsLeftByACall) {
  CodeMap map;
  map.loop = 0;
  Compile("\"firstcall-polls\"=\"counter\"", &map);
  const testing::Disassembler disassembler(GetParam());
  const std::vector<testing::Instruction> instructions =
      disassembler.Range(code_.sections[0].bytes, 0, map.leave, map.size);
  ASSERT_FALSE(instructions.empty());
  EXPECT_THAT(disassembler.Text(instructions.front()), StartsWith(is_x86_64() ? "call" : "blr"));
}

}  // namespace
}  // namespace firstcall::baseline
