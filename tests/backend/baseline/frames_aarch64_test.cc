// The frames that the baseline code generator makes for AArch64, followed instruction by
// instruction: wherever the program is, the unwind table finds the caller's frame and return
// address. (On x86-64, unwinding_test steps through the code.)

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backend/baseline/baseline_compiler.h"
#include "base/string_ref.h"
#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/stubs/disassembler.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/data_layout.h"

namespace firstcall::baseline {
namespace {

constexpr char kTriple[] = "aarch64-unknown-linux-gnu";
constexpr absl::string_view kLayout = llvm_version::kAArch64Layout;

CompiledCode Compile(const std::string& text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const std::unique_ptr<llvm::Module> module =
      llvm::parseAssembly(llvm::MemoryBufferRef(text, "test"), diagnostic, context);
  CompiledCode code;
  if (module == nullptr) {
    ADD_FAILURE() << diagnostic.getMessage().str() << " in line " << diagnostic.getLineNo();
    return code;
  }
  module->setDataLayout(ToStringRef(kLayout));
  const auto compiler = BaselineCompiler::Create(kTriple, BaselineOptions());
  EXPECT_THAT(compiler.status(), IsOk());
  EXPECT_EQ(CompileLlvm(**compiler, *module->getFunction("f"), code), Refusal::kNone);
  return code;
}

int64_t Number(absl::string_view text) {
  int64_t value = 0;
  absl::ConsumePrefix(&text, "#");
  const bool is_negative = absl::ConsumePrefix(&text, "-");
  EXPECT_TRUE(absl::StartsWith(text, "0x") ? absl::SimpleHexAtoi(text, &value)
                                           : absl::SimpleAtoi(text, &value))
      << text;
  return is_negative ? -value : value;
}

// What the instructions of a prologue and an epilogue do, as distances from sp on entry.
class Machine {
 public:
  // Of what is not followed, nothing is known.
  void Run(const std::string& text) {
    std::vector<std::string> words =
        absl::StrSplit(text, absl::ByAnyChar(" ,[]!"), absl::SkipEmpty());
    if (words.size() > 1 && words[1] == "w16") words[1] = "x16";  // It is written by halves.
    const std::string& op = words[0];
    if (op == "stp" && words[2] == "x30") {
      link_place_ = registers_.at(words[3]) + (words.size() > 4 ? Number(words[4]) : 0) + 8;
    } else if (op == "ldp" && words[2] == "x30") {
      registers_.erase("x29");
      is_link_intact_ = true;
    } else if (op == "bl" || op == "blr") {
      is_link_intact_ = false;
    } else if (op == "mov" || op == "movk" || op == "add" || op == "sub") {
      const auto known = registers_.find(words[op == "movk" ? 1 : 2]);
      if (op == "mov" && absl::StartsWith(words[2], "#")) {
        registers_[words[1]] = Number(words[2]);
      } else if (known == registers_.end() ||
                 (op != "movk" && words.size() > 3 && words[3][0] != '#' &&
                  registers_.count(words[3]) == 0)) {
        registers_.erase(words[1]);
      } else if (op == "mov") {
        registers_[words[1]] = known->second;
      } else if (op == "movk") {
        registers_[words[1]] |= Number(words[2]) << Number(words.back());
      } else {
        const int64_t shift = words.size() > 5 ? Number(words.back()) : 0;
        const int64_t operand =
            absl::StartsWith(words[3], "#") ? Number(words[3]) << shift : registers_.at(words[3]);
        registers_[words[1]] = known->second + (op == "add" ? operand : -operand);
      }
    }
  }

  // As the unwind table's rows say it.
  bool IsFrame(const std::string& cfa) const {
    const std::vector<std::string> parts = absl::StrSplit(cfa, '+');
    const auto reg = registers_.find(parts[0] == "reg31" ? "sp" : "x29");
    return reg != registers_.end() && reg->second + (parts.size() > 1 ? Number(parts[1]) : 0) == 0;
  }
  bool IsReturnAddress(const std::string& text) const {
    if (link_place_ != 0 && text == absl::StrCat("[CFA", link_place_, "]")) return true;
    return is_link_intact_ && !absl::StartsWith(text, "[");
  }

 private:
  std::map<std::string, int64_t> registers_ = {{"sp", 0}};
  int64_t link_place_ = 0;
  bool is_link_intact_ = true;
};

void ExpectRowsFollow(const std::string& body, const std::string& attributes = "") {
  const CompiledCode code =
      Compile("declare void @g(...)\n" + body + "\nattributes #0 = { \"x\" " + attributes + " }\n");
  ASSERT_EQ(code.sections.size(), 2u);
  const testing::UnwindTable table(code.sections[1].bytes, llvm::Triple::aarch64, 30);
  ASSERT_EQ(table.Fdes().size(), 1u);
  const std::vector<testing::UnwindRow> rows = table.Rows(*table.Fdes()[0]);
  const testing::Disassembler disassembler(kTriple, "+v8.5a");
  const std::vector<uint8_t>& bytes = code.sections[0].bytes;
  Machine machine;
  Machine before_return;  // Where the code branches to what stands behind the return.
  size_t row = 0;
  for (uint64_t at = 0; at < code.symbols[0].size; at += 4) {
    while (row + 1 < rows.size() && rows[row + 1].address <= at) ++row;
    const std::string text = disassembler.Text(disassembler.At(bytes, 0, at));
    EXPECT_TRUE(machine.IsFrame(rows[row].cfa))
        << at << ": " << rows[row].cfa << " before " << text;
    EXPECT_TRUE(machine.IsReturnAddress(rows[row].return_address))
        << at << ": " << rows[row].return_address << " before " << text;
    machine.Run(text);
    if (absl::StartsWith(text, "b.ne") || absl::StartsWith(text, "b ")) before_return = machine;
    if (text == "ret" || text == "br x16") machine = before_return;
  }
}

TEST(FramesAArch64Test, RowsAreExactAtEveryInstruction) {
  ExpectRowsFollow("define void @f() #0 { ret void }");
  ExpectRowsFollow("define void @f() #0 { unreachable }");
  // Places for values, arguments on the stack, saved registers of both kinds.
  ExpectRowsFollow("define i64 @f(i64 %a) #0 { %p = alloca i64 store i64 %a, ptr %p ret i64 1 }");
  ExpectRowsFollow("define void @f() #0 { call void @g(" + [] {
    std::string arguments = "i64 0";
    for (int i = 1; i < 11; ++i) arguments += ", i64 " + std::to_string(i);
    return arguments;
  }() + ") ret void }");
  ExpectRowsFollow(R"(
define double @f(i64 %n, double %x) #0 {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %j, %head ]
  %y = phi double [ %x, %entry ], [ %z, %head ]
  call void @g(i64 %i)
  %z = fadd double %y, %x
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, %n
  br i1 %c, label %head, label %done
done:
  ret double %z
})");
}

TEST(FramesAArch64Test, RowsAreExactInLargeFramesAndThoseThatGrow) {
  for (const char* size : {"4000", "4100", "65536", "1000000", "20000000"}) {
    ExpectRowsFollow(std::string("define void @f() #0 { %p = alloca [") + size +
                     " x i8] call void @g(ptr %p) ret void }");
  }
  // More arguments on the stack than a pair of registers is stored behind.
  std::string arguments = "i64 0";
  for (int i = 1; i < 200; ++i) arguments += ", i64 " + std::to_string(i);
  ExpectRowsFollow("define void @f() #0 { call void @g(" + arguments + ") ret void }");
  ExpectRowsFollow(
      "define void @f(i64 %n) #0 { %p = alloca i8, i64 %n call void @g(ptr %p) ret void }");
}

TEST(FramesAArch64Test, RowsAreExactWhereReturnAddressesAreSigned) {
  ExpectRowsFollow("define void @f() #0 { call void @g() ret void }",
                   "\"sign-return-address\"=\"all\" \"branch-target-enforcement\"");
}

TEST(FramesAArch64Test, RowsAreExactInProtectedFunctions) {
  for (const char* attributes :
       {"sspstrong", "\"probe-stack\"=\"inline-asm\"", "\"zero-call-used-regs\"=\"used\"",
        "sspreq \"probe-stack\"=\"inline-asm\" \"zero-call-used-regs\"=\"used-gpr\" "
        "\"sign-return-address\"=\"all\" \"branch-target-enforcement\""}) {
    ExpectRowsFollow("define void @f() #0 { ret void }", attributes);
    for (const char* size : {"16", "2000", "4100", "65536", "1000000", "20000000"}) {
      ExpectRowsFollow(std::string("define void @f() #0 { %p = alloca [") + size +
                           " x i8] call void @g(ptr %p) ret void }",
                       attributes);
    }
    std::string arguments = "i64 0";
    for (int i = 1; i < 200; ++i) arguments += ", i64 " + std::to_string(i);
    ExpectRowsFollow("define void @f() #0 { call void @g(" + arguments + ") ret void }",
                     attributes);
    ExpectRowsFollow(
        "define void @f(i64 %n) #0 { %p = alloca i8, i64 %n call void @g(ptr %p) ret void }",
        attributes);
  }
}

std::vector<std::string> TextsOf(const CompiledCode& code) {
  const testing::Disassembler disassembler(kTriple, "+v8.5a");
  std::vector<std::string> texts;
  for (uint64_t at = 0; at < code.symbols[0].size; at += 4) {
    texts.push_back(disassembler.Text(disassembler.At(code.sections[0].bytes, 0, at)));
  }
  return texts;
}

// The return behind the call is never reached.
TEST(FramesAArch64Test, RowsAreExactWhereTailCallsLeave) {
  for (const char* attributes :
       {"", "sspstrong", "sspreq \"probe-stack\"=\"inline-asm\" \"sign-return-address\"=\"all\""}) {
    for (const char* size : {"16", "4100", "65536"}) {
      ExpectRowsFollow(absl::StrCat(R"(
declare i64 @h(i64, i64, double)
define i64 @f(i64 %a, i64 %b, double %x) #0 {
entry:
  %p = alloca [)",
                                    size, R"( x i8]
  call void @g(ptr %p)
  %r = musttail call i64 @h(i64 %b, i64 %a, double %x)
  ret i64 %r
})"),
                       attributes);
    }
  }
}

TEST(FramesAArch64Test, MarksWhereBranchesMayLeadIfTheSourceAsks) {
  const std::string body = R"(
define void @f(i1 %c) "branch-target-enforcement" SIGNS {
  %p = select i1 %c, ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)
  indirectbr ptr %p, [ label %one, label %two ]
one:
  ret void
two:
  ret void
})";
  for (const bool signs : {false, true}) {
    std::string text = body;
    text.replace(text.find("SIGNS"), 5, signs ? "\"sign-return-address\"=\"all\"" : "");
    const std::vector<std::string> texts = TextsOf(Compile(text));
    ASSERT_FALSE(texts.empty());
    EXPECT_EQ(texts[0], signs ? "paciasp" : "bti c");
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "bti j"), 2);
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "autiasp"), signs ? 1 : 0);
    EXPECT_EQ(texts.back(), "ret");
  }
  // A jump table would be another place that branches lead to.
  const std::string with_switch = R"(
define i32 @f(i32 %n) ATTRIBUTE {
  switch i32 %n, label %d [ i32 0, label %a i32 1, label %b i32 2, label %a i32 3, label %b
                            i32 4, label %a i32 5, label %b i32 6, label %a ]
a:
  ret i32 1
b:
  ret i32 2
d:
  ret i32 3
})";
  for (const bool is_protected : {false, true}) {
    std::string text = with_switch;
    text.replace(text.find("ATTRIBUTE"), 9, is_protected ? "\"branch-target-enforcement\"" : "");
    size_t jumps = 0;
    for (const std::string& instruction : TextsOf(Compile(text))) {
      if (absl::StartsWith(instruction, "br ")) ++jumps;
    }
    EXPECT_EQ(jumps, is_protected ? 0u : 1u);
  }
}

}  // namespace
}  // namespace firstcall::baseline
