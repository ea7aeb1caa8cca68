// Functions with "zero-call-used-regs" leave nothing in registers but their results.

#include "backend/baseline/cleared_registers.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

using ::testing::HasSubstr;
using ::testing::Not;

// The code of `f`, as an assembler would take it.
std::string TextOf(const char* triple, const std::string& text, Refusal expected = Refusal::kNone) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  if (module == nullptr) return "";
  const auto compiler = BaselineCompiler::Create(triple, BaselineOptions());
  EXPECT_THAT(compiler.status(), IsOk());
  CompiledCode code;
  EXPECT_EQ(CompileLlvm(**compiler, *module->getFunction("f"), code), expected) << text;
  if (expected != Refusal::kNone) return "";
  const testing::Disassembler disassembler(triple);
  std::vector<std::string> lines;
  for (const testing::Instruction& instruction :
       disassembler.Range(code.sections[0].bytes, 0, 0, code.symbols[0].size)) {
    lines.push_back(disassembler.Text(instruction));
  }
  return absl::StrJoin(lines, "\n");
}

TEST(ClearedRegistersTest, EveryRegisterButTheResultIsCleared) {
  const std::string function = "define i64 @f(i64 %a) \"zero-call-used-regs\"=\"$\" { ret i64 %a }";
  const auto with = [&](const char* kind) {
    std::string text = function;
    return text.replace(text.find('$'), 1, kind);
  };
  for (const char* kind : {"used-gpr", "used-gpr-arg", "all-gpr", "all-gpr-arg"}) {
    const std::string text = TextOf("x86_64-pc-linux-gnu", with(kind));
    for (const char* cleared : {"ecx", "edx", "esi", "edi", "r8d", "r9d", "r10d", "r11d"}) {
      EXPECT_THAT(text, HasSubstr(absl::StrCat("xorl %", cleared, ", %", cleared)));
    }
    EXPECT_THAT(text, Not(HasSubstr("xorl %eax")));
    EXPECT_THAT(text, Not(HasSubstr("ebx")));
    EXPECT_THAT(text, Not(HasSubstr("xmm")));
  }
  for (const char* kind : {"used", "used-arg"}) {
    const std::string text = TextOf("x86_64-pc-linux-gnu", with(kind));
    for (int i = 0; i < 16; ++i) EXPECT_THAT(text, HasSubstr(absl::StrCat("%xmm", i, "\n")));
  }
  for (const char* kind : {"used-gpr", "used-gpr-arg", "all-gpr-arg"}) {
    const std::string text = TextOf("aarch64-unknown-linux-gnu", with(kind));
    for (int i = 1; i < 18; ++i) EXPECT_THAT(text, HasSubstr(absl::StrCat("mov w", i, ", #0x0")));
    EXPECT_THAT(text, Not(HasSubstr("mov w0, #0")));
    EXPECT_THAT(text, Not(HasSubstr("x18")));
    EXPECT_THAT(text, Not(HasSubstr("v0")));
  }
}

TEST(ClearedRegistersTest, ResultsOfEveryKindAreKept) {
  const std::string attribute = "\"zero-call-used-regs\"=\"used\"";
  const std::string text =
      TextOf("x86_64-pc-linux-gnu", "define { i64, double, i64 } @f({ i64, double, i64 } %a) " +
                                        attribute + " { ret { i64, double, i64 } %a }");
  for (const char* kept : {"xorl %eax", "xorl %edx", "xorps %xmm0"}) {
    EXPECT_THAT(text, Not(HasSubstr(kept)));
  }
  EXPECT_THAT(text, HasSubstr("%xmm1"));
  // The address of a result in memory.
  EXPECT_THAT(TextOf("x86_64-pc-linux-gnu",
                     "define void @f(ptr sret(i64) %r) " + attribute + " { ret void }"),
              Not(HasSubstr("xorl %eax")));
  EXPECT_THAT(TextOf("x86_64-pc-linux-gnu", "define void @f() " + attribute + " { ret void }"),
              HasSubstr("xorl %eax"));
  EXPECT_THAT(TextOf("x86_64-pc-linux-gnu",
                     "define void @f() \"zero-call-used-regs\"=\"skip\" { ret void }"),
              Not(HasSubstr("xor")));
}

TEST(ClearedRegistersTest, RefusesKindsWithUnknownRegisters) {
  for (const char* kind : {"all", "all-arg", "some"}) {
    const std::string text =
        absl::StrCat("define void @f() \"zero-call-used-regs\"=\"", kind, "\" { ret void }");
    TextOf("x86_64-pc-linux-gnu", text, Refusal::kFunctionAttribute);
    TextOf("aarch64-unknown-linux-gnu", text, Refusal::kFunctionAttribute);
  }
  TextOf("aarch64-unknown-linux-gnu",
         "define void @f() \"zero-call-used-regs\"=\"all-gpr\" { ret void }",
         Refusal::kFunctionAttribute);
}

}  // namespace
}  // namespace firstcall::baseline
