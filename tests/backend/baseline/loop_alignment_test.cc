// Where innermost loops lie in the code, whatever the prologue in front of them is like.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/substitute.h"
#include "backend/baseline/baseline_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/stubs/disassembler.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

using ::testing::Each;
using ::testing::Ge;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct Target {
  const char* triple;
  uint64_t loop_alignment;
  // Of the shortest jump, and of the shortest that reaches more than 128 bytes back.
  uint64_t short_jump, long_jump;
};

constexpr Target kTargets[] = {{"x86_64-pc-linux-gnu", 32, 2, 5},
                               {"aarch64-unknown-linux-gnu", 16, 4, 4}};

// $0: attributes; $1: the size of a variable; $2: more instructions in the loop.
constexpr char kLoop[] = R"(
  declare void @look(ptr, i64)
  define i64 @f(ptr %p, i64 %n) $0 {
  entry:
    %variable = alloca [$1 x i8]
    store i8 1, ptr %variable
    br label %outer
  outer:
    %i = phi i64 [ 0, %entry ], [ %i1, %outer.end ]
    br label %inner
  inner:
    %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
    $2
    %j1 = add i64 %j, 1
    %more = icmp slt i64 %j1, %n
    br i1 %more, label %inner, label %outer.end
  outer.end:
    %i1 = add i64 %i, 1
    %again = icmp slt i64 %i1, %n
    br i1 %again, label %outer, label %end
  end:
    ret i64 %i1
  }
  !llvm.module.flags = !{!0}
  !0 = !{i32 8, !"cf-protection-branch", i32 $3}
)";

class LoopAlignmentTest : public ::testing::TestWithParam<Target> {
 protected:
  void Compile(const std::string& program) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = ParseModule(program, context);
    ASSERT_NE(module, nullptr);
    const auto compiler = BaselineCompiler::Create(GetParam().triple, BaselineOptions());
    ASSERT_THAT(compiler.status(), IsOk());
    ASSERT_EQ(CompileLlvm(**compiler, *module->getFunction("f"), code_), Refusal::kNone);
    ASSERT_EQ(code_.symbols[0].offset, 0u);
    const testing::Disassembler disassembler(GetParam().triple);
    instructions_ = disassembler.Range(code_.sections[0].bytes, 0, 0, code_.symbols[0].size);
    backward_.clear();
    for (const testing::Instruction& instruction : instructions_) {
      uint64_t target = 0;
      const llvm::MCInstrAnalysis& analysis = disassembler.analysis();
      if (analysis.isBranch(instruction.inst) &&
          analysis.evaluateBranch(instruction.inst, instruction.address, instruction.size,
                                  target) &&
          target < instruction.address) {
        backward_.push_back({target, instruction});
      }
    }
  }

  // The offset of the loop that lies in another one: a prologue that touches each page has a loop,
  // too. 1 if there is none.
  uint64_t InnerLoop() const {
    for (const Backward& inner : backward_) {
      for (const Backward& outer : backward_) {
        if (outer.target < inner.target && inner.jump.address < outer.jump.address) {
          return inner.target;
        }
      }
    }
    return 1;
  }

  struct Backward {
    uint64_t target;
    testing::Instruction jump;
  };

  CompiledCode code_;
  std::vector<testing::Instruction> instructions_;
  std::vector<Backward> backward_;
};

INSTANTIATE_TEST_SUITE_P(Architectures, LoopAlignmentTest, ::testing::ValuesIn(kTargets));

TEST_P(LoopAlignmentTest, InnermostLoopsAreAlignedBehindAnyPrologue) {
  const char* const kCall = "call void @look(ptr %p, i64 %j)";
  for (const char* attributes :
       {"nounwind", "nounwind noredzone", "nounwind ssp", "nounwind \"probe-stack\"=\"inline-asm\"",
        "uwtable sspreq", "\"branch-target-enforcement\" \"sign-return-address\"=\"all\""}) {
    for (const char* size : {"8", "120", "200", "5000", "70000", "9000000"}) {
      for (const char* body : {"", kCall}) {
        for (const char* protection : {"0", "1"}) {
          SCOPED_TRACE(absl::Substitute("$0, $1, $2, $3", attributes, size, body, protection));
          ASSERT_NO_FATAL_FAILURE(
              Compile(absl::Substitute(kLoop, attributes, size, body, protection)));
          ASSERT_THAT(backward_, SizeIs(Ge(2u)));
          EXPECT_EQ(InnerLoop() % GetParam().loop_alignment, 0u);
          EXPECT_EQ(code_.sections[0].alignment % GetParam().loop_alignment, 0u);
        }
      }
    }
  }
}

// A call of such a function runs through few instructions that do nothing.
TEST_P(LoopAlignmentTest, ThePrologueIsFilledUpByFewInstructions) {
  const testing::Disassembler disassembler(GetParam().triple);
  for (const char* size : {"8", "120", "200", "5000"}) {
    ASSERT_NO_FATAL_FAILURE(Compile(absl::Substitute(kLoop, "nounwind", size, "", "0")));
    int fillers = 0;
    for (const testing::Instruction& instruction : instructions_) {
      if (instruction.address >= 32) break;
      const std::string text = disassembler.Text(instruction);
      if (text.rfind("nop", 0) == 0 || text == "xchgw %ax, %ax") ++fillers;
    }
    EXPECT_LE(fillers, 5) << size;
  }
}

TEST_P(LoopAlignmentTest, AFunctionWithoutLoopsIsAsItWas) {
  ASSERT_NO_FATAL_FAILURE(Compile("define i64 @f(i64 %n) { ret i64 %n }"));
  EXPECT_EQ(code_.sections[0].alignment, 16u);
  const testing::Disassembler disassembler(GetParam().triple);
  std::vector<std::string> texts;
  for (const auto& instruction : instructions_) texts.push_back(disassembler.Text(instruction));
  EXPECT_THAT(texts, Each(Not(StartsWith("nop"))));
}

TEST_P(LoopAlignmentTest, JumpsBackAreAsShortAsTheyCanBe) {
  ASSERT_NO_FATAL_FAILURE(Compile(absl::Substitute(kLoop, "nounwind", "8", "", "0")));
  ASSERT_THAT(backward_, SizeIs(Ge(2u)));
  for (const Backward& backward : backward_) {
    EXPECT_EQ(backward.jump.size, GetParam().short_jump);
  }
  std::string long_body;
  for (int i = 0; i < 40; ++i) long_body += "store volatile i64 %j, ptr %p\n";
  ASSERT_NO_FATAL_FAILURE(Compile(absl::Substitute(kLoop, "nounwind", "8", long_body, "0")));
  ASSERT_THAT(backward_, SizeIs(Ge(2u)));
  for (const Backward& backward : backward_) {
    EXPECT_GE(backward.jump.size, GetParam().long_jump);
  }
}

}  // namespace
}  // namespace firstcall::baseline
