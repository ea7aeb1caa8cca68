// Functions that pass vectors to each other, of which the baseline code generator compiles some and
// LLVM the others: LLVM must compute the same for all of them.

#include "backend/baseline/vector_passing.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/refusal.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"
#include "object/compiled_code.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/backend/baseline/expect_same.h"
#include "tests/backend/baseline/vector_buffers.h"

namespace firstcall::baseline {
namespace {

// Functions with these attributes know no vector registers of more than 16 bytes, unless they have
// small numbers, for which LLVM would call a library otherwise. "alignstack" means nothing to LLVM,
// but the baseline code generator leaves such functions to LLVM.
std::string Attributes(bool has_small_numbers) {
#ifdef __x86_64__
  const std::string cpu = has_small_numbers ? R"("target-features"="+f16c")"
                                            : R"("target-cpu"="x86-64" "tune-cpu"="generic")";
#else
  (void)has_small_numbers;
  const std::string cpu = "nounwind";
#endif
  return absl::StrCat("attributes #0 = { ", cpu, " }\nattributes #1 = { ", cpu,
                      " \"alignstack\" }\n");
}

enum class Compiler { kBaseline, kLlvm };

std::string NumberOf(Compiler compiler) { return compiler == Compiler::kBaseline ? "#0" : "#1"; }

// f calls g, with arguments of the type between others, and so many that some are on the stack. If
// g returns the type, f stores what g returns.
std::string Program(const std::string& type, bool returns, Compiler f, Compiler g) {
  return absl::StrReplaceAll(absl::StrCat(kVectorBuffers,
                                          returns ? R"(
define VEC @g(i8 %a, VEC %x, double %b, VEC %y, ptr %q, i32 %c) OFG {
  store VEC %x, ptr %q, align 1
  %q1 = getelementptr i8, ptr %q, i64 230
  store i8 %a, ptr %q1
  %q2 = getelementptr i8, ptr %q, i64 232
  store double %b, ptr %q2
  %q3 = getelementptr i8, ptr %q, i64 240
  store i32 %c, ptr %q3
  ret VEC %y
}
define i64 @f(i64 %i, i64 %j) OFF {
  %p = alloca [65 x i64]
  call void @fill(ptr %p, i64 %i, i64 %j)
  %p1 = getelementptr i8, ptr %p, i64 3
  %p2 = getelementptr i8, ptr %p, i64 140
  %q = getelementptr i8, ptr %p, i64 264
  %x = load VEC, ptr %p1, align 1
  %y = load VEC, ptr %p2, align 1
  %a = trunc i64 %i to i8
  %b = sitofp i64 %j to double
  %c = trunc i64 %j to i32
  %r = call VEC @g(i8 %a, VEC %x, double %b, VEC %y, ptr %q, i32 %c)
  store VEC %r, ptr %p, align 1
  %h = call i64 @hash(ptr %p)
  ret i64 %h
}
)"
                                                  : R"(
define i32 @g(VEC %x, ptr %q, VEC %y, float %b, VEC %z, i16 %c) OFG {
  store VEC %x, ptr %q, align 1
  %q1 = getelementptr i8, ptr %q, i64 70
  store VEC %y, ptr %q1, align 1
  %q2 = getelementptr i8, ptr %q, i64 140
  store VEC %z, ptr %q2, align 1
  %q3 = getelementptr i8, ptr %q, i64 220
  store float %b, ptr %q3
  %r = sext i16 %c to i32
  ret i32 %r
}
define i64 @f(i64 %i, i64 %j) OFF {
  %p = alloca [65 x i64]
  call void @fill(ptr %p, i64 %i, i64 %j)
  %p1 = getelementptr i8, ptr %p, i64 3
  %p2 = getelementptr i8, ptr %p, i64 140
  %q = getelementptr i8, ptr %p, i64 264
  %x = load VEC, ptr %p1, align 1
  %y = load VEC, ptr %p2, align 1
  %b = sitofp i64 %j to float
  %c = trunc i64 %j to i16
  %r = call i32 @g(VEC %x, ptr %q, VEC %y, float %b, VEC %x, i16 %c)
  store i32 %r, ptr %p
  %h = call i64 @hash(ptr %p)
  ret i64 %h
}
)",
                                          Attributes(absl::StrContains(type, "half") ||
                                                     absl::StrContains(type, "bfloat"))),
                             {{"VEC", type}, {"OFF", NumberOf(f)}, {"OFG", NumberOf(g)}});
}

// Why the baseline code generator refuses the function of the program, on this machine.
Refusal RefusalOf(const std::string& program, const char* name) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = Parse(program, context);
  if (module == nullptr) return Refusal::kRepresentation;
  const std::unique_ptr<BaselineCompiler> compiler =
      BaselineCompiler::Create(llvm::sys::getProcessTriple(), {}).value();
  CompiledCode code;
  return CompileLlvm(*compiler, *module->getFunction(name), code);
}

void ExpectPassed(const std::string& type, bool returns) {
  const std::string own = Program(type, returns, Compiler::kBaseline, Compiler::kBaseline);
  EXPECT_EQ(RefusalOf(own, "f"), Refusal::kNone) << own;
  EXPECT_EQ(RefusalOf(own, "g"), Refusal::kNone) << own;
  ExpectSame(own);
  ExpectSame(Program(type, returns, Compiler::kBaseline, Compiler::kLlvm));
  ExpectSame(Program(type, returns, Compiler::kLlvm, Compiler::kBaseline));
}

std::string TypeOf(int count, const std::string& lane) {
  return absl::StrCat("<", count, " x ", lane, ">");
}

TEST(VectorPassingTest, PassesVectorsOfEachCountAsLlvmDoes) {
  for (const char* lane : {"i1", "i8", "i16", "i32", "i64", "float", "double", "ptr"}) {
    for (int count : {1, 2, 3, 4, 5, 6, 7, 8}) ExpectPassed(TypeOf(count, lane), false);
  }
  for (const char* lane : {"i1", "i8", "i16"}) {
    for (int count : {9, 13, 16}) ExpectPassed(TypeOf(count, lane), false);
  }
}

TEST(VectorPassingTest, PassesSmallNumbersAsLlvmDoes) {
  for (int count : {1, 2, 3, 4, 7, 8}) ExpectPassed(TypeOf(count, "half"), false);
#ifdef __aarch64__
  // On x86-64, LLVM calls a library to move such numbers, unless the processor computes with them.
  for (int count : {1, 2, 3, 4, 7, 8}) ExpectPassed(TypeOf(count, "bfloat"), false);
#endif
}

// f passes vectors on the stack, because there are many arguments before.
TEST(VectorPassingTest, PassesOneSmallNumberOnTheStackAsLlvmDoes) {
  for (const char* type : {"<1 x half>", "<2 x half>", "<3 x half>", "<1 x float>"}) {
    for (Compiler f : {Compiler::kBaseline, Compiler::kLlvm}) {
      for (Compiler g : {Compiler::kBaseline, Compiler::kLlvm}) {
        std::string before = "i32 0";
        std::string parameters = "i32";
        for (int i = 0; i < 8; ++i) {
          absl::StrAppend(&before, ", double ", i, ".0");
          absl::StrAppend(&parameters, ", double");
        }
        ExpectSame(absl::StrReplaceAll(absl::StrCat(kVectorBuffers, R"(
define void @g(ptr %q, BEFORE, VEC %x, double %b, VEC %y, double %c) OFG {
  store VEC %x, ptr %q, align 1
  %q1 = getelementptr i8, ptr %q, i64 70
  store VEC %y, ptr %q1, align 1
  %q2 = getelementptr i8, ptr %q, i64 224
  store double %b, ptr %q2
  %q3 = getelementptr i8, ptr %q, i64 240
  store double %c, ptr %q3
  ret void
}
define i64 @f(i64 %i, i64 %j) OFF {
  %p = alloca [65 x i64]
  call void @fill(ptr %p, i64 %i, i64 %j)
  %p1 = getelementptr i8, ptr %p, i64 3
  %p2 = getelementptr i8, ptr %p, i64 140
  %q = getelementptr i8, ptr %p, i64 264
  %x = load VEC, ptr %p1, align 1
  %y = load VEC, ptr %p2, align 1
  %b = sitofp i64 %j to double
  %c = sitofp i64 %i to double
  call void @g(ptr %q, ARGUMENTS, VEC %x, double %b, VEC %y, double %c)
  %h = call i64 @hash(ptr %p)
  ret i64 %h
}
)",
                                                    Attributes(absl::StrContains(type, "half"))),
                                       {{"BEFORE", parameters},
                                        {"ARGUMENTS", before},
                                        {"VEC", type},
                                        {"OFF", NumberOf(f)},
                                        {"OFG", NumberOf(g)}}));
      }
    }
  }
}

TEST(VectorPassingTest, PassesLargeVectorsInParts) {
  for (const char* type : {"<16 x i32>", "<32 x i16>", "<64 x i8>", "<8 x double>"}) {
    ExpectPassed(type, false);
  }
}

TEST(VectorPassingTest, ReturnsVectorsAsLlvmDoes) {
  for (const char* lane : {"i1", "i8", "i16", "i32", "i64", "float", "double", "ptr", "half"}) {
    for (int count : {1, 2}) ExpectPassed(TypeOf(count, lane), true);
  }
  for (const char* type :
       {"<3 x i1>",  "<4 x i1>",     "<8 x i1>",  "<16 x i1>",   "<3 x i8>",   "<4 x i8>",
        "<8 x i8>",  "<15 x i8>",    "<3 x i16>", "<4 x i16>",   "<5 x i16>",  "<7 x i16>",
        "<3 x i32>", "<3 x i64>",    "<3 x ptr>", "<3 x float>", "<3 x half>", "<7 x half>",
        "<8 x i32>", "<16 x float>", "<4 x ptr>"}) {
    ExpectPassed(type, true);
  }
}

// LLVM returns these in memory.
TEST(VectorPassingTest, LeavesResultsInMemoryToLlvm) {
  for (const char* type : {"<9 x i1>", "<9 x i32>", "<64 x i32>"}) {
    const std::string program = Program(type, true, Compiler::kBaseline, Compiler::kBaseline);
    EXPECT_EQ(RefusalOf(program, "g"), Refusal::kArgumentPassing) << type;
    EXPECT_EQ(RefusalOf(program, "f"), Refusal::kArgumentPassing) << type;
  }
}

#ifdef __x86_64__
// A register of 32 bytes passes such a vector then.
TEST(VectorPassingTest, LeavesWideVectorsToLlvmIfRegistersAreWide) {
  const auto with = [](const std::string& attributes, const std::string& type) {
    return absl::StrCat("define void @f(", type, " %x) #0 {\n  ret void\n}\nattributes #0 = { ",
                        attributes, " }\n");
  };
  // LLVM's list of the features of some CPUs has AVX2, and not AVX, which AVX2 implies.
  for (const char* attributes :
       {R"("target-cpu"="haswell")", R"("target-cpu"="x86-64-v3")", R"("target-cpu"="alderlake")",
        R"("target-cpu"="x86-64-v4" "target-features"="+sse2")", R"("target-features"="+avx2")"}) {
    for (const char* type : {"<8 x i32>", "<5 x i32>", "<3 x double>"}) {
      EXPECT_EQ(RefusalOf(with(attributes, type), "f"), Refusal::kArgumentPassing) << type;
    }
    EXPECT_EQ(RefusalOf(with(attributes, "<3 x float>"), "f"), Refusal::kNone);
  }
  EXPECT_EQ(RefusalOf(with(R"("target-cpu"="haswell" "target-features"="-avx")", "<8 x i32>"), "f"),
            Refusal::kNone);
}
#endif

}  // namespace
}  // namespace firstcall::baseline
