// Functions of IR text, compiled by the baseline code generator and by LLVM, must compute the same.

#include "backend/baseline/baseline_compiler.h"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "base/status.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/backend/baseline/expect_same.h"
#include "tests/splitter/osr/reference_jit.h"
#include "tests/stubs/disassembler.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using baseline::Refusal;

constexpr const char* kTriples[] = {"x86_64-linux-gnu", "aarch64-linux-gnu"};

// `body` with TYPE replaced by each width, in a function of two such integers.
void ExpectSameForWidths(const std::string& body, const std::vector<unsigned>& widths,
                         const std::string& features = "") {
  for (unsigned width : widths) {
    const std::string type = "i" + std::to_string(width);
    std::string text = body;
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;) text.replace(at, 4, type);
    const char* widen = width < 64 ? "zext" : width > 64 ? "trunc" : "bitcast";
    const char* narrow = width < 64 ? "trunc" : width > 64 ? "sext" : "bitcast";
    ExpectSame("define i64 @f(i64 %wide.a, i64 %wide.b) {\n  %a = " + std::string(narrow) +
                   " i64 %wide.a to " + type + "\n  %b = " + narrow + " i64 %wide.b to " + type +
                   "\n" + text + "\n  %result = " + widen + " " + type +
                   " %r to i64\n  ret i64 %result\n}\n",
               features);
  }
}

const std::vector<unsigned> kWidths = {1, 3, 7, 8, 13, 16, 24, 32, 33, 48, 63, 64, 96, 128};

TEST(BaselineCompilerTest, ComputesWithIntegersOfEveryWidth) {
  for (const char* operation : {"add", "sub", "mul", "and", "or", "xor"}) {
    ExpectSameForWidths(std::string("  %r = ") + operation + " TYPE %a, %b", kWidths);
    ExpectSameForWidths(std::string("  %r = ") + operation + " TYPE %a, 1", kWidths);
    ExpectSameForWidths(std::string("  %r = ") + operation + " TYPE %a, %a", kWidths);
  }
}

// A load, an operation and a store to the same place, alone and with a branch on the result.
TEST(BaselineCompilerTest, UpdatesMemory) {
  const std::string begin = R"(
  %at = alloca TYPE
  store TYPE %a, ptr %at
  %old = load TYPE, ptr %at
)";
  const std::string again = "  %r = load TYPE, ptr %at";
  for (const char* operation : {"add", "sub", "and", "or", "xor"}) {
    for (const char* operands : {"%old, %b", "%b, %old", "%old, 1", "%old, -77", "100, %old"}) {
      const std::string store = std::string("  %new = ") + operation + " TYPE " + operands +
                                "\n  store TYPE %new, ptr %at\n";
      ExpectSameForWidths(begin + store + again, {7, 8, 16, 32, 33, 64, 128});
      for (const char* predicate : {"eq", "ne", "slt", "sge", "ult", "sgt"}) {
        ExpectSameForWidths(begin + store + "  %is = icmp " + predicate + R"( TYPE %new, 0
  br i1 %is, label %more, label %end
more:
  %some = load TYPE, ptr %at
  %less = sub TYPE %some, 13
  store TYPE %less, ptr %at
  br label %end
end:
)" + again,
                            {8, 16, 32, 64});
      }
    }
  }
}

TEST(BaselineCompilerTest, APollComparesNothing) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = Parse(R"(
    @counter = external dso_local global i32
    define i32 @f() {
      %left = load i32, ptr @counter
      %less = sub i32 %left, 1
      store i32 %less, ptr @counter
      %has_run_out = icmp slt i32 %less, 0
      br i1 %has_run_out, label %ask, label %body
    ask:
      ret i32 1
    body:
      ret i32 2
    })",
                                                     context);
  ASSERT_NE(module, nullptr);
  const std::vector<std::string> expected[] = {
      {"PUSH64r", "MOV64rr_REV", "SUB32mi8", "JCC_4"},
      {"SUBXri", "STPXi", "ADDXri", "ADRP", "ADDXri", "LDRWui", "SUBSWri", "STRWui", "Bcc"}};
  for (size_t i = 0; i < std::size(kTriples); ++i) {
    ASSERT_OK_AND_ASSIGN(
        const std::unique_ptr<baseline::BaselineCompiler> compiler,
        baseline::BaselineCompiler::Create(kTriples[i], baseline::BaselineOptions()));
    CompiledCode code;
    ASSERT_EQ(baseline::CompileLlvm(*compiler, *module->getFunction("f"), code), Refusal::kNone);
    testing::Disassembler disassembler(kTriples[i]);
    std::vector<std::string> names;
    const std::vector<uint8_t>& bytes = code.sections.front().bytes;
    for (size_t at = 0; at < bytes.size() && names.size() < expected[i].size();) {
      const testing::Instruction instruction = disassembler.At(bytes, 0, at);
      names.push_back(disassembler.Name(instruction));
      at += instruction.size;
    }
    EXPECT_EQ(names, expected[i]);
  }
}

TEST(BaselineCompilerTest, WhatOnlyLooksLikeAnUpdateIsNone) {
  // Something writes in between.
  ExpectSame(R"(
    define i64 @f(i64 %a, i64 %b) {
      %at = alloca i64
      store i64 %a, ptr %at
      %old = load i64, ptr %at
      store i64 %b, ptr %at
      %new = add i64 %old, 5
      store i64 %new, ptr %at
      %r = load i64, ptr %at
      ret i64 %r
    })");
  ExpectSame(R"(
    define i64 @f(i64 %a, i64 %b) {
      %at = alloca i64
      store i64 %a, ptr %at
      %old = load i64, ptr %at
      %new = add i64 %old, 5
      store i64 %b, ptr %at
      store i64 %new, ptr %at
      %is = icmp slt i64 %new, 0
      br i1 %is, label %less, label %end
    less:
      store i64 9, ptr %at
      br label %end
    end:
      %r = load i64, ptr %at
      ret i64 %r
    })");
  // Another place; the result or what was loaded is needed again; both operands are loaded.
  ExpectSame(R"(
    define i64 @f(i64 %a, i64 %b) {
      %at = alloca i64
      %other = alloca i64
      store i64 %a, ptr %at
      store i64 %b, ptr %other
      %old = load i64, ptr %at
      %new = sub i64 %old, %b
      store i64 %new, ptr %other
      %x = load i64, ptr %at
      %y = load i64, ptr %other
      %sum = add i64 %x, %y
      store i64 %sum, ptr %at
      %z = load i64, ptr %at
      %w = xor i64 %z, %b
      store i64 %w, ptr %at
      %v = load i64, ptr %at
      %n = add i64 %v, %w
      %m = add i64 %n, %z
      ret i64 %m
    })");
  ExpectSame(R"(
    define i64 @f(i64 %a, i64 %b) {
      %at = alloca i64
      store volatile i64 %a, ptr %at
      %old = load volatile i64, ptr %at
      %new = add i64 %old, %b
      store volatile i64 %new, ptr %at
      %twice = load i64, ptr %at
      %double = add i64 %twice, %twice
      store i64 %double, ptr %at
      %r = load i64, ptr %at
      ret i64 %r
    })");
}

TEST(BaselineCompilerTest, ShiftsByWhatIsLessThanTheWidth) {
  for (const char* operation : {"shl", "lshr", "ashr"}) {
    for (unsigned width : {8, 16, 32, 64, 128}) {
      ExpectSameForWidths("  %c = and TYPE %b, " + std::to_string(width - 1) +
                              "\n  %r = " + operation + " TYPE %a, %c",
                          {width});
      ExpectSameForWidths(
          std::string("  %r = ") + operation + " TYPE %a, " + std::to_string(width / 2), {width});
    }
    ExpectSameForWidths(std::string("  %r = ") + operation + " TYPE %a, 2",
                        {3, 7, 13, 24, 33, 48, 63, 96});
  }
}

TEST(BaselineCompilerTest, Divides) {
  for (const char* operation : {"udiv", "urem", "sdiv", "srem"}) {
    ExpectSameForWidths(std::string("  %c = or TYPE %b, 2\n  %d = and TYPE %c, 63\n  %r = ") +
                            operation + " TYPE %a, %d",
                        {8, 13, 16, 24, 32, 33, 64, 128});
    ExpectSameForWidths(std::string("  %r = ") + operation + " TYPE %a, 8", {8, 13, 32, 64});
  }
}

TEST(BaselineCompilerTest, Compares) {
  for (const char* predicate :
       {"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"}) {
    ExpectSameForWidths(
        std::string("  %c = icmp ") + predicate + " TYPE %a, %b\n  %r = zext i1 %c to TYPE",
        {3, 8, 13, 16, 24, 32, 48, 64, 96, 128});
    ExpectSameForWidths(std::string("  %c = icmp ") + predicate +
                            " TYPE %a, %b\n  %r = select i1 %c, TYPE %b, TYPE 5",
                        {8, 32, 64, 128});
  }
}

TEST(BaselineCompilerTest, ComparesNumbersThatAreNotOrdered) {
  for (const char* predicate : {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq",
                                "ugt", "uge", "ult", "ule", "une", "false", "true"}) {
    for (const char* type : {"float", "double"}) {
      const std::string bits = type == std::string("float") ? "i32" : "i64";
      const std::string make = bits == "i32"
                                   ? "  %na = trunc i64 %a to i32\n  %nb = trunc i64 %b to i32\n"
                                   : "  %na = add i64 %a, 0\n  %nb = add i64 %b, 0\n";
      // -1 and INT64_MAX are not numbers.
      ExpectSame("define i64 @f(i64 %a, i64 %b) {\n" + make + "  %x = bitcast " + bits +
                 " %na to " + type + "\n  %y = bitcast " + bits + " %nb to " + type +
                 "\n  %c = fcmp " + predicate + " " + type +
                 " %x, %y\n  br i1 %c, label %yes, label %no\n"
                 "yes:\n  %d = fcmp " +
                 predicate + " " + type +
                 " %y, %x\n  %z = zext i1 %d to i64\n  %r = add i64 %z, 2\n  ret i64 %r\n"
                 "no:\n  %e = fcmp " +
                 predicate + " " + type +
                 " %y, %x\n  %s = select i1 %e, i64 %a, i64 %b\n  ret i64 %s\n}\n");
    }
  }
}

TEST(BaselineCompilerTest, RunsLoopsWhosePhisChangePlaces) {
  ExpectSame(R"(
define i64 @f(i64 %a, i64 %b) {
entry:
  br label %loop
loop:
  %x = phi i64 [ %a, %entry ], [ %y, %loop ]
  %y = phi i64 [ %b, %entry ], [ %z, %loop ]
  %z = phi i64 [ 5, %entry ], [ %x, %loop ]
  %n = phi i32 [ 0, %entry ], [ %m, %loop ]
  %m = add i32 %n, 1
  %more = icmp slt i32 %m, 100
  br i1 %more, label %loop, label %done
done:
  %d = sub i64 %x, %y
  %r = xor i64 %d, %z
  ret i64 %r
})");
}

// The phis are in the frame, and each takes the value of the one before, from the last one on.
TEST(BaselineCompilerTest, ShiftsMorePhisThanThereAreRegisters) {
  for (const bool is_cycle : {false, true}) {
    constexpr int kPhis = 60;
    std::string text = "define i64 @f(i64 %a, i64 %b) {\nentry:\n  br label %loop\nloop:\n";
    for (int i = 0; i < kPhis; ++i) {
      const std::string next = i > 0      ? "%x" + std::to_string(i - 1)
                               : is_cycle ? "%x" + std::to_string(kPhis - 1)
                                          : "%b";
      text += "  %x" + std::to_string(i) + " = phi i64 [ " + std::to_string(i) + ", %entry ], [ " +
              next + ", %loop ]\n";
    }
    text +=
        "  %n = phi i64 [ 0, %entry ], [ %m, %loop ]\n  %m = add i64 %n, 1\n"
        "  %more = icmp slt i64 %m, 7\n  br i1 %more, label %loop, label %done\ndone:\n"
        "  %s0 = add i64 %a, %x0\n";
    for (int i = 1; i < kPhis; ++i) {
      const std::string before = std::to_string(i - 1), own = std::to_string(i);
      text += "  %p" + own + " = mul i64 %s" + before + ", 31\n  %s" + own + " = add i64 %p" + own +
              ", %x" + own + "\n";
    }
    ExpectSame(text + "  ret i64 %s" + std::to_string(kPhis - 1) + "\n}\n");
  }
}

// What is computed from a symbol's address is out of reach of an instruction.
TEST(BaselineCompilerTest, ReachesFarFromSymbols) {
  ExpectSame(R"(
@g = internal global [64 x i8] zeroinitializer
define i64 @f(i64 %a, i64 %b) {
  %low = trunc i64 %a to i8
  store i8 %low, ptr @g
  %zero = sub i64 %b, %b
  %back = sub i64 %zero, 2147479000
  %p = getelementptr i8, ptr @g, i64 2147479000
  %q = getelementptr i8, ptr %p, i64 %back
  %l = load i8, ptr %q
  %r = sext i8 %l to i64
  ret i64 %r
})");
}

TEST(BaselineCompilerTest, IndexesByWideIntegers) {
  for (const std::string type : {"i65", "i67", "i100", "i128"}) {
    ExpectSame("define i64 @f(i64 %a, i64 %b) {\n  %m = and i64 %a, 3\n  %i = zext i64 %m to " +
               type +
               "\n  %v = insertelement <4 x i64> <i64 10, i64 11, i64 12, i64 13>, i64 %b, " +
               type + " %i\n  %j = xor " + type + " %i, 1\n  %x = extractelement <4 x i64> %v, " +
               type + " %i\n  %y = extractelement <4 x i64> %v, " + type + " %j\n  %n = add " +
               type + " %i, 1000\n  %o = alloca i8, i64 1\n  %p = alloca i8, " + type +
               " %n\n  %op = ptrtoint ptr %o to i64\n  %pp = ptrtoint ptr %p to i64\n"
               "  %d = sub i64 %op, %pp\n  %is_large = icmp uge i64 %d, 1000\n"
               "  %l = zext i1 %is_large to i64\n  %t = mul i64 %x, 31\n  %u = xor i64 %t, %y\n"
               "  %w = add i64 %u, %l\n  ret i64 %w\n}\n");
  }
}

// A vector of two bytes gives way to the result of an extraction, and is stored by way of a
// register that the address must not be in.
TEST(BaselineCompilerTest, ExtractsWhileAllVectorRegistersAreInUse) {
  for (int live = 0; live < 34; ++live) {
    std::string text =
        "@x = internal global float 1.0\n@o = internal global <2 x i8> <i8 3, i8 4>\n"
        "define i64 @f(i64 %a, i64 %b) {\n  %i = and i64 %a, 3\n"
        "  %v0 = insertelement <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>, "
        "float 9.0, i64 %i\n  %o = load volatile <2 x i8>, ptr @o\n";
    std::string sum;
    for (int i = 0; i < live; ++i) {
      const std::string own = std::to_string(i), next = std::to_string(i + 1);
      text += "  %x" + own + " = load volatile float, ptr @x\n";
      sum += "  %s" + next + " = fadd float %s" + own + ", %x" + own + "\n";
    }
    text += "  %s0 = extractelement <4 x float> %v0, i64 %i\n" + sum +
            "  store volatile <2 x i8> %o, ptr @o\n  %r = fptosi float %s" + std::to_string(live) +
            " to i64\n  %k = load i16, ptr @o\n  %l = zext i16 %k to i64\n"
            "  %t = xor i64 %r, %l\n  ret i64 %t\n}\n";
    ExpectSame(text);
  }
}

TEST(BaselineCompilerTest, KeepsMoreValuesThanThereAreRegisters) {
  std::string text = "define i64 @f(i64 %a, i64 %b) {\n  %v0 = add i64 %a, %b\n";
  for (int i = 1; i < 40; ++i) {
    text += "  %v" + std::to_string(i) + " = mul i64 %v" + std::to_string(i - 1) + ", " +
            std::to_string(2 * i + 1) + "\n";
  }
  text += "  %s0 = add i64 %v39, 0\n";
  for (int i = 0; i < 40; ++i) {
    text += "  %s" + std::to_string(i + 1) + " = xor i64 %s" + std::to_string(i) + ", %v" +
            std::to_string(i) + "\n";
  }
  ExpectSame(text + "  ret i64 %s40\n}\n");
}

TEST(BaselineCompilerTest, SwitchesSparselyAndDensely) {
  ExpectSame(R"(
define i64 @f(i64 %a, i64 %b) {
entry:
  switch i64 %a, label %other [ i64 0, label %one  i64 1, label %two  i64 2, label %one
                                i64 3, label %three  i64 7, label %two  i64 -1, label %three
                                i64 1000003, label %one  i64 9223372036854775807, label %two
                                i64 -9223372036854775808, label %three  i64 31, label %join ]
one:
  br label %join
two:
  br label %join
three:
  br label %join
other:
  br label %join
join:
  %r = phi i64 [ 1, %one ], [ %b, %two ], [ %a, %three ], [ -7, %other ], [ 99, %entry ]
  ret i64 %r
})");
}

// The undefined-behavior sanitizer watches the compiler here.
TEST(BaselineCompilerTest, SwitchesDenselyFromTheSmallestNumberOn) {
  ExpectSame(R"(
define i64 @f(i64 %a, i64 %b) {
entry:
  switch i64 %a, label %other [ i64 -9223372036854775808, label %one
                                i64 -9223372036854775807, label %two
                                i64 -9223372036854775806, label %three
                                i64 -9223372036854775805, label %one
                                i64 -9223372036854775804, label %two
                                i64 -9223372036854775803, label %three
                                i64 -9223372036854775802, label %one
                                i64 -9223372036854775801, label %two ]
one:
  br label %join
two:
  br label %join
three:
  br label %join
other:
  br label %join
join:
  %r = phi i64 [ 1, %one ], [ %b, %two ], [ %a, %three ], [ -7, %other ]
  ret i64 %r
})");
}

TEST(BaselineCompilerTest, PassesArgumentsInRegistersAndOnTheStack) {
  ExpectSame(R"(
%pair = type { i64, i64 }
%big = type { [12 x i64] }
define internal fastcc i64 @g(i64 %a, i32 %b, i8 signext %c, i1 zeroext %d, double %x, float %y,
                              i64 %e, i128 %w, i64 %h, ptr byval(%big) align 16 %m, i16 zeroext %i) {
  %b8 = sext i32 %b to i64
  %c8 = sext i8 %c to i64
  %d8 = zext i1 %d to i64
  %x8 = fptosi double %x to i64
  %y8 = fptosi float %y to i64
  %wl = trunc i128 %w to i64
  %wh0 = lshr i128 %w, 64
  %wh = trunc i128 %wh0 to i64
  %p = getelementptr %big, ptr %m, i64 0, i32 0, i64 11
  %m8 = load i64, ptr %p
  %i8 = zext i16 %i to i64
  %s1 = add i64 %a, %b8
  %s2 = mul i64 %s1, 3
  %s3 = add i64 %s2, %c8
  %s4 = mul i64 %s3, 3
  %s5 = add i64 %s4, %d8
  %s6 = add i64 %s5, %x8
  %s7 = mul i64 %s6, 3
  %s8 = add i64 %s7, %y8
  %s9 = add i64 %s8, %e
  %s10 = mul i64 %s9, 3
  %s11 = add i64 %s10, %wl
  %s12 = xor i64 %s11, %wh
  %s13 = mul i64 %s12, 3
  %s14 = add i64 %s13, %h
  %s15 = mul i64 %s14, 3
  %s16 = add i64 %s15, %m8
  %s17 = add i64 %s16, %i8
  ret i64 %s17
}
define internal %pair @h(ptr %p, i64 %n) {
  %v = load i64, ptr %p
  %x = insertvalue %pair undef, i64 %v, 1
  %y = insertvalue %pair %x, i64 %n, 0
  ret %pair %y
}
define i64 @f(i64 %a, i64 %b) {
  %m = alloca %big, align 16
  call void @llvm.memset.p0.i64(ptr %m, i8 3, i64 96, i1 false)
  %p = getelementptr %big, ptr %m, i64 0, i32 0, i64 11
  store i64 %b, ptr %p
  %a4 = trunc i64 %a to i32
  %a1 = trunc i64 %a to i8
  %a0 = trunc i64 %b to i1
  %a2 = trunc i64 %b to i16
  %w0 = sext i64 %a to i128
  %w = mul i128 %w0, 1234567890123456789
  %r = call fastcc i64 @g(i64 %b, i32 %a4, i8 signext %a1, i1 zeroext %a0, double 3.5, float -7.25,
                          i64 %a, i128 %w, i64 %b, ptr byval(%big) align 16 %m, i16 zeroext %a2)
  %q = call %pair @h(ptr %p, i64 %r)
  %q0 = extractvalue %pair %q, 0
  %q1 = extractvalue %pair %q, 1
  %s = sub i64 %q0, %q1
  ret i64 %s
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1))");
}

// Types of arguments and results, each with how a value of it is made of the number %a, and how it
// becomes a number again: text in which V is the value's name.
struct PassedType {
  const char* name;
  const char* make;
  const char* read;
};

constexpr PassedType kPassedTypes[] = {
    {"i1", "%V = trunc i64 %a to i1", "%V.n = zext i1 %V to i64"},
    {"i8", "%V = trunc i64 %a to i8", "%V.n = zext i8 %V to i64"},
    {"i8 signext", "%V = trunc i64 %a to i8", "%V.n = sext i8 %V to i64"},
    {"i16 zeroext", "%V = trunc i64 %a to i16", "%V.n = zext i16 %V to i64"},
    {"i32", "%V = trunc i64 %a to i32", "%V.n = zext i32 %V to i64"},
    {"i64", "%V = mul i64 %a, 5", "%V.n = add i64 %V, 1"},
    {"i128", "%V.0 = sext i64 %a to i128\n%V = mul i128 %V.0, 12345678901234567890123",
     "%V.0 = lshr i128 %V, 61\n%V.n = trunc i128 %V.0 to i64"},
    {"float", "%V.0 = trunc i64 %a to i32\n%V = bitcast i32 %V.0 to float",
     "%V.0 = bitcast float %V to i32\n%V.n = zext i32 %V.0 to i64"},
    {"double", "%V = bitcast i64 %a to double", "%V.n = bitcast double %V to i64"},
    {"<2 x i32>", "%V = bitcast i64 %a to <2 x i32>", "%V.n = bitcast <2 x i32> %V to i64"},
    {"<4 x float>",
     "%V.0 = insertelement <2 x i64> zeroinitializer, i64 %a, i64 1\n"
     "%V = bitcast <2 x i64> %V.0 to <4 x float>",
     "%V.0 = bitcast <4 x float> %V to <2 x i64>\n"
     "%V.n = extractelement <2 x i64> %V.0, i64 1"},
    {"[2 x i64]", "%V = insertvalue [2 x i64] [i64 1, i64 2], i64 %a, 1",
     "%V.n = extractvalue [2 x i64] %V, 1"},
    {"[3 x float]",
     "%V.0 = trunc i64 %a to i32\n%V.1 = bitcast i32 %V.0 to float\n"
     "%V = insertvalue [3 x float] zeroinitializer, float %V.1, 2",
     "%V.0 = extractvalue [3 x float] %V, 2\n%V.1 = bitcast float %V.0 to i32\n"
     "%V.n = zext i32 %V.1 to i64"},
    {"[2 x double]",
     "%V.0 = bitcast i64 %a to double\n"
     "%V = insertvalue [2 x double] zeroinitializer, double %V.0, 1",
     "%V.0 = extractvalue [2 x double] %V, 1\n%V.n = bitcast double %V.0 to i64"},
    {"[1 x { i64, i33 }]",
     "%V.0 = trunc i64 %a to i33\n"
     "%V = insertvalue [1 x { i64, i33 }] zeroinitializer, i33 %V.0, 0, 1",
     "%V.0 = extractvalue [1 x { i64, i33 }] %V, 0, 1\n%V.n = zext i33 %V.0 to i64"},
    {"[1 x { double, <2 x float> }]",
     "%V.0 = bitcast i64 %a to <2 x float>\n%V = insertvalue [1 x { double, <2 x float> }] "
     "zeroinitializer, <2 x float> %V.0, 0, 1",
     "%V.0 = extractvalue [1 x { double, <2 x float> }] %V, 0, 1\n"
     "%V.n = bitcast <2 x float> %V.0 to i64"},
    {"[2 x ptr]",
     "%V.0 = inttoptr i64 %a to ptr\n%V = insertvalue [2 x ptr] zeroinitializer, ptr %V.0, 1",
     "%V.0 = extractvalue [2 x ptr] %V, 1\n%V.n = ptrtoint ptr %V.0 to i64"},
    {"[3 x i32]",
     "%V.0 = trunc i64 %a to i32\n%V = insertvalue [3 x i32] zeroinitializer, i32 %V.0, 2",
     "%V.0 = extractvalue [3 x i32] %V, 2\n%V.n = zext i32 %V.0 to i64"},
    {"{ i64, i64 }", "%V = insertvalue { i64, i64 } zeroinitializer, i64 %a, 1",
     "%V.n = extractvalue { i64, i64 } %V, 1"},
    {"{ i32, double, i8 }",
     "%V.0 = bitcast i64 %a to double\n"
     "%V = insertvalue { i32, double, i8 } { i32 1, double 2.0, i8 3 }, double %V.0, 1",
     "%V.0 = extractvalue { i32, double, i8 } %V, 1\n%V.n = bitcast double %V.0 to i64"},
};

std::string WithName(std::string text, const std::string& name) {
  for (size_t at; (at = text.find("%V")) != std::string::npos;) text.replace(at, 2, "%" + name);
  return "  " + text + "\n";
}

// The name without an attribute.
std::string TypeOf(const PassedType& passed) {
  const std::string name = passed.name;
  const bool is_integer = name[0] == 'i';
  return is_integer ? name.substr(0, name.find(' ')) : name;
}

// A caller and a callee of many arguments, of which `llvms` is one that the baseline refuses.
std::string CallWith(const std::vector<PassedType>& arguments, const PassedType& result,
                     const std::string& llvms, const std::string& convention = "") {
  const std::string refused = "  call void asm sideeffect alignstack \"nop\", \"\"()\n";
  std::string parameters, values, body, made;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = "v" + std::to_string(i), comma = i == 0 ? "" : ", ";
    parameters += comma + arguments[i].name + " %" + name;
    values += comma + arguments[i].name + " %" + name;
    made += "  %a" + std::to_string(i) + " = mul i64 %b, " + std::to_string(2 * i + 3) + "\n";
    std::string make = arguments[i].make;
    for (size_t at; (at = make.find("%a")) != std::string::npos;) {
      make.replace(at, 2, "%\1" + std::to_string(i));
    }
    std::replace(make.begin(), make.end(), '\1', 'a');
    made += WithName(make, name);
    body += WithName(arguments[i].read, name);
    body += "  %s" + std::to_string(i) + " = mul i64 " +
            (i == 0 ? "7" : "%x" + std::to_string(i - 1)) + ", 31\n  %x" + std::to_string(i) +
            " = xor i64 %s" + std::to_string(i) + ", %" + name + ".n\n";
  }
  const std::string type = TypeOf(result);
  body += "  %a = add i64 %x" + std::to_string(arguments.size() - 1) + ", 1\n";
  body += WithName(result.make, "r");
  const std::string attribute = std::string(result.name).substr(type.size());
  const std::string returned = attribute + (attribute.empty() ? "" : " ") + type;
  return "define internal " + convention + returned + " @g(" + parameters + ") noinline {\n" +
         (llvms == "g" ? refused : "") + body + "  ret " + type + " %r\n}\n" +
         "define i64 @f(i64 %a, i64 %b) {\n" + (llvms == "f" ? refused : "") + made +
         "  %r = call " + convention + returned + " @g(" + values + ")\n" +
         WithName(result.read, "r") + "  ret i64 %r.n\n}\n";
}

// Compares `i64 f(i64, i64)` between an engine and LLVM alone; one of the program's two functions
// is LLVM's in the engine, too, the other must be the baseline's.
void ExpectSameAmongGenerators(const std::string& text, bool optimizes_reference = false) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> original = Parse(text, context);
  ASSERT_NE(original, nullptr) << text;
  ReferenceJit reference(std::move(original), optimizes_reference, {});
  auto* expected = reference.Address<int64_t(int64_t, int64_t)>("f");
  EngineOptions options;
  options.tier = Tier::kZero;
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Engine> engine, Engine::Create(options));
  ASSERT_THAT(engine->AddAssembly(text, "test").status(), IsOk());
  ASSERT_OK_AND_ASSIGN(auto* actual, (engine->Lookup<int64_t(int64_t, int64_t)>("f")));
  for (int64_t b : {int64_t{1}, int64_t{-77}, INT64_MAX / 3}) {
    ASSERT_EQ(actual(3, b), expected(3, b)) << text;
  }
  EXPECT_EQ(engine->stats().functions_baseline, 1u) << text;
}

TEST(BaselineCompilerTest, AgreesWithLlvmHowToPass) {
  std::mt19937 random(17);
  const auto any = [&] { return kPassedTypes[random() % std::size(kPassedTypes)]; };
  for (int i = 0; i < 80; ++i) {
    std::vector<PassedType> arguments(1 + random() % 12);
    for (PassedType& argument : arguments) argument = any();
    PassedType result = any();
    // On x86-64 too many for registers.
    while (TypeOf(result) == "[3 x float]") result = any();
    for (const char* llvms : {"f", "g"}) {
      ExpectSameAmongGenerators(CallWith(arguments, result, llvms));
    }
  }
}

// Swift's convention has more registers for results, and one for the context.
TEST(BaselineCompilerTest, AgreesWithLlvmHowSwiftPasses) {
  constexpr PassedType kContexts[] = {
      {"i64 swiftself", "%V = mul i64 %a, 7", "%V.n = add i64 %V, 3"},
      {"ptr swiftself", "%V = inttoptr i64 %a to ptr", "%V.n = ptrtoint ptr %V to i64"}};
  constexpr PassedType kResults[] = {
      {"{ i64, i32, i64, i64 }",
       "%V.0 = insertvalue { i64, i32, i64, i64 } { i64 1, i32 2, i64 3, i64 4 }, i64 %a, 3\n"
       "%V = insertvalue { i64, i32, i64, i64 } %V.0, i64 7, 0",
       "%V.3 = extractvalue { i64, i32, i64, i64 } %V, 3\n"
       "%V.1 = extractvalue { i64, i32, i64, i64 } %V, 1\n"
       "%V.4 = sext i32 %V.1 to i64\n%V.n = mul i64 %V.3, %V.4"},
      {"{ double, float, i8, double, i16, i64, float }",
       "%V.0 = bitcast i64 %a to double\n"
       "%V.1 = insertvalue { double, float, i8, double, i16, i64, float } zeroinitializer, "
       "double %V.0, 3\n"
       "%V = insertvalue { double, float, i8, double, i16, i64, float } %V.1, i16 -9, 4",
       "%V.0 = extractvalue { double, float, i8, double, i16, i64, float } %V, 3\n"
       "%V.1 = bitcast double %V.0 to i64\n"
       "%V.2 = extractvalue { double, float, i8, double, i16, i64, float } %V, 4\n"
       "%V.3 = zext i16 %V.2 to i64\n%V.n = xor i64 %V.1, %V.3"}};
  std::mt19937 random(18);
  const auto any = [&] { return kPassedTypes[random() % std::size(kPassedTypes)]; };
  for (int i = 0; i < 60; ++i) {
    std::vector<PassedType> arguments(1 + random() % 10);
    for (PassedType& argument : arguments) argument = any();
    arguments[random() % arguments.size()] = kContexts[i % 2];
    PassedType result = any();
    const std::string convention = i % 5 == 4 ? "" : "swiftcc ";
    if (convention.empty()) {
      while (TypeOf(result) == "[3 x float]") result = any();
    } else if (i % 2 == 1) {
      result = kResults[i / 2 % 2];
    }
    for (const char* llvms : {"f", "g"}) {
      ExpectSameAmongGenerators(CallWith(arguments, result, llvms, convention));
    }
  }
}

// The error goes both ways; values that live in loops do not get its register, nor the context's.
TEST(BaselineCompilerTest, AgreesWithLlvmHowSwiftThrows) {
  const std::string refused = "  call void asm sideeffect alignstack \"nop\", \"\"()\n";
  for (const std::string convention : {"swiftcc", ""}) {
    for (const std::string llvms : {"f", "g"}) {
      ExpectSameAmongGenerators(
          "define internal " + convention +
              " i64 @g(i64 %a, ptr swiftself %s, ptr swifterror %e, i64 %b) noinline {\n" +
              (llvms == "g" ? refused : "") + R"(
          %old = load ptr, ptr %e
          %o = ptrtoint ptr %old to i64
          %c = and i64 %a, 3
          %d = icmp eq i64 %c, 2
          br i1 %d, label %throw, label %return
        throw:
          %n = getelementptr i8, ptr %s, i64 %a
          store ptr %n, ptr %e
          ret i64 -1
        return:
          %x = mul i64 %b, %o
          ret i64 %x
        }
        define i64 @f(i64 %a, i64 %b) {
        entry:)" +
              (llvms == "f" ? refused : "") +
              R"(
          %e = alloca swifterror ptr
          store ptr null, ptr %e
          %base = inttoptr i64 %b to ptr
          br label %loop
        loop:
          %i = phi i64 [ 0, %entry ], [ %i1, %next ]
          %s0 = phi i64 [ 1, %entry ], [ %t, %next ]
          %s1 = phi i64 [ 2, %entry ], [ %s0, %next ]
          %s2 = phi i64 [ 3, %entry ], [ %s1, %next ]
          %s3 = phi i64 [ 4, %entry ], [ %s2, %next ]
          %s4 = phi i64 [ 5, %entry ], [ %s3, %next ]
          %r = call )" +
              convention + R"( i64 @g(i64 %i, ptr swiftself %base, ptr swifterror %e, i64 %s4)
          %p = load ptr, ptr %e
          %v = ptrtoint ptr %p to i64
          %is_null = icmp eq i64 %v, 0
          br i1 %is_null, label %next, label %caught
        caught:
          %q = getelementptr i8, ptr %p, i64 %s3
          store ptr %q, ptr %e
          br label %next
        next:
          %u = phi i64 [ 9, %loop ], [ %v, %caught ]
          %w = mul i64 %s2, 31
          %y = add i64 %r, %w
          %z = xor i64 %y, %u
          %t = add i64 %z, %s1
          %i1 = add i64 %i, 1
          %more = icmp ult i64 %i1, 30
          br i1 %more, label %loop, label %end
        end:
          ret i64 %t
        }
        )",
          /*optimizes_reference=*/true);
    }
  }
}

// A structure in memory: where the result's address goes and comes back, and what lies on the
// stack.
TEST(BaselineCompilerTest, AgreesWithLlvmHowToPassMemory) {
  const std::string refused = "  call void asm sideeffect alignstack \"nop\", \"\"()\n";
  const std::string structure = "%s = type { i64, i128, i8 }\n";
  for (const std::string llvms : {"f", "g"}) {
    const std::string in_g = llvms == "g" ? refused : "", in_f = llvms == "f" ? refused : "";
    for (const auto& [is_first, convention] :
         {std::pair(true, ""), {false, ""}, {true, "swiftcc "}, {false, "swiftcc "}}) {
      const std::string type = "ptr sret(%s) align 16 ";
      ExpectSameAmongGenerators(
          structure + "define internal " + convention + "void @g(" +
          (is_first ? type + "%out, i64 %a" : "i64 %a, " + type + "%out") +
          ", i64 %b) noinline {\n" + in_g +
          "  %last = getelementptr %s, ptr %out, i64 0, i32 2\n  %n = trunc i64 %a to i8\n"
          "  store i64 %b, ptr %out\n  store i8 %n, ptr %last\n  ret void\n}\n"
          "define i64 @f(i64 %a, i64 %b) {\n" +
          in_f + "  %m = alloca %s, align 16\n  call " + convention + "void @g(" +
          (is_first ? type + "%m, i64 %a" : "i64 %a, " + type + "%m") +
          ", i64 %b)\n  %last = getelementptr %s, ptr %m, i64 0, i32 2\n"
          "  %x = load i64, ptr %m\n  %y = load i8, ptr %last\n  %z = sext i8 %y to i64\n"
          "  %r = mul i64 %x, 31\n  %t = xor i64 %r, %z\n  ret i64 %t\n}\n");
    }
    // The address of the result is on the stack.
    ExpectSameAmongGenerators(
        structure +
        "define internal void @g([6 x i64] %many, ptr sret(%s) align 16 %out, i64 %a, i64 %b) "
        "noinline {\n" +
        in_g +
        "  %last = extractvalue [6 x i64] %many, 5\n  %x = mul i64 %a, %last\n"
        "  %y = sub i64 %x, %b\n  store i64 %y, ptr %out\n  ret void\n}\n"
        "define i64 @f(i64 %a, i64 %b) {\n" +
        in_f +
        "  %m = alloca %s, align 16\n"
        "  %many = insertvalue [6 x i64] zeroinitializer, i64 %b, 5\n"
        "  call void @g([6 x i64] %many, ptr sret(%s) align 16 %m, i64 %a, i64 %b)\n"
        "  %r = load i64, ptr %m\n  ret i64 %r\n}\n");
    for (const std::string align : {"", "align 8 ", "align 16 "}) {
      const std::string type = "ptr byval(%s) " + align;
      ExpectSameAmongGenerators(
          structure +
          "define internal i64 @g(i64 %a, i8 %c0, i8 %c1, i8 %c2, i8 %c3, i8 %c4, i8 %c5, "
          "i8 %c6, i8 %c7, i8 %c8, " +
          type + "%p, i16 %d) noinline {\n" + in_g +
          "  %last = getelementptr %s, ptr %p, i64 0, i32 2\n  %x = load i64, ptr %p\n"
          "  %y = load i8, ptr %last\n  store i64 5, ptr %p\n  %z = sext i8 %y to i64\n"
          "  %e = sext i16 %d to i64\n  %h = sext i8 %c8 to i64\n  %q = mul i64 %x, 31\n"
          "  %r = xor i64 %q, %z\n  %u = mul i64 %r, 31\n  %v = xor i64 %u, %e\n"
          "  %w = add i64 %v, %h\n  ret i64 %w\n}\n"
          "define i64 @f(i64 %a, i64 %b) {\n" +
          in_f +
          "  %m = alloca %s, align 16\n  store i64 %b, ptr %m\n"
          "  %last = getelementptr %s, ptr %m, i64 0, i32 2\n  %n = trunc i64 %a to i8\n"
          "  store i8 %n, ptr %last\n  %d = trunc i64 %b to i16\n"
          "  %t = call i64 @g(i64 %a, i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 -8, " +
          type + "%m, i16 %d)\n  %k = load i64, ptr %m\n  %s = sub i64 %t, %k\n  ret i64 %s\n}\n");
    }
  }
}

TEST(BaselineCompilerTest, AgreesWithLlvmWhereNothingIsPassed) {
  const std::string refused = "  call void asm sideeffect alignstack \"nop\", \"\"()\n";
  for (const std::string llvms : {"f", "g"}) {
    ExpectSameAmongGenerators(
        "define internal i64 @g(ptr byval({}) %e, ptr byval(i64) %x, i64 %a) noinline {\n" +
        (llvms == "g" ? refused : "") +
        "  %l = load i64, ptr %x\n  %r = sub i64 %l, %a\n  ret i64 %r\n}\n"
        "define i64 @f(i64 %a, i64 %b) {\n" +
        (llvms == "f" ? refused : "") +
        "  %m = alloca i64\n  store i64 %b, ptr %m\n"
        "  %r = call i64 @g(ptr byval({}) %m, ptr byval(i64) %m, i64 %a)\n  ret i64 %r\n}\n");
  }
}

// Numbers that live across calls are in registers that the callee saves, beside values in slots.
TEST(BaselineCompilerTest, KeepsNumbersAcrossCalls) {
  ExpectSame(R"(
define internal double @g(double %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %j, %head ]
  %y = phi double [ %x, %entry ], [ %z, %head ]
  %w = phi double [ 1.5, %entry ], [ %v, %head ]
  %z = fadd double %y, %w
  %v = fmul double %w, 0.5
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, %n
  br i1 %c, label %head, label %done
done:
  %r = fsub double %z, %v
  ret double %r
}
define i64 @f(i64 %a, i64 %b) {
entry:
  %x0 = sitofp i64 %a to double
  %y0 = sitofp i64 %b to double
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %j, %head ]
  %x = phi double [ %x0, %entry ], [ %x1, %head ]
  %y = phi double [ %y0, %entry ], [ %y1, %head ]
  %s = phi double [ 0.0, %entry ], [ %t, %head ]
  %p = call double @g(double %x, i64 3)
  %q = call double @g(double %y, i64 2)
  %x1 = fadd double %x, %q
  %y1 = fsub double %y, %p
  %t0 = fadd double %s, %x
  %t = fadd double %t0, %y
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, 5
  br i1 %c, label %head, label %done
done:
  %bits = bitcast double %t to i64
  ret i64 %bits
})");
}

TEST(BaselineCompilerTest, ReadsVariadicArguments) {
  ExpectSame(R"(
declare void @llvm.va_start(ptr)
declare void @llvm.va_end(ptr)
declare i32 @vsnprintf(ptr, i64, ptr, ptr)
@format = private unnamed_addr constant [22 x i8] c"%ld %g %d %ld %ld %ld\00"
define internal i64 @g(ptr %buffer, ptr %format, ...) {
  %list = alloca [32 x i8], align 16
  call void @llvm.va_start(ptr %list)
  %n = call i32 @vsnprintf(ptr %buffer, i64 200, ptr %format, ptr %list)
  call void @llvm.va_end(ptr %list)
  %r = sext i32 %n to i64
  ret i64 %r
}
define i64 @f(i64 %a, i64 %b) {
  %buffer = alloca [200 x i8]
  %d = sitofp i64 %a to double
  %n = call i64 (ptr, ptr, ...) @g(ptr %buffer, ptr @format, i64 %a, double %d, i32 7, i64 %b,
                                   i64 %a, i64 -3)
  %p = getelementptr i8, ptr %buffer, i64 3
  %c = load i8, ptr %p
  %c8 = zext i8 %c to i64
  %r = mul i64 %n, %c8
  ret i64 %r
})");
}

TEST(BaselineCompilerTest, ConvertsBetweenIntegersAndNumbers) {
  for (const char* type : {"float", "double"}) {
    for (const char* from : {"sitofp", "uitofp"}) {
      for (const char* integer : {"i8", "i16", "i32", "i64"}) {
        const std::string narrow = integer == std::string("i64")
                                       ? "bitcast i64 %a to i64"
                                       : "trunc i64 %a to " + std::string(integer);
        const std::string bits = type == std::string("float") ? "i32" : "i64";
        const std::string widen = bits == "i32" ? "zext i32 %y to i64" : "bitcast i64 %y to i64";
        ExpectSame("define i64 @f(i64 %a, i64 %b) {\n  %n = " + narrow + "\n  %x = " + from + " " +
                   integer + " %n to " + type + "\n  %z = fmul " + type +
                   " %x, 1.5\n  %y = bitcast " + type + " %z to " + bits + "\n  %r = " + widen +
                   "\n  ret i64 %r\n}\n");
      }
    }
  }
}

TEST(BaselineCompilerTest, MakesIntrinsicsInLine) {
  for (const char* name :
       {"smax", "smin", "umax", "umin", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"}) {
    ExpectSameForWidths(std::string("  %r = call TYPE @llvm.") + name + ".TYPE(TYPE %a, TYPE %b)",
                        {8, 16, 32, 64});
  }
  for (const char* name : {"fshl", "fshr"}) {
    ExpectSameForWidths(
        std::string("  %r = call TYPE @llvm.") + name + ".TYPE(TYPE %a, TYPE %b, TYPE %b)",
        {8, 16, 32, 64});
    ExpectSameForWidths(
        std::string("  %r = call TYPE @llvm.") + name + ".TYPE(TYPE %a, TYPE %a, TYPE 5)",
        {8, 16, 32, 64});
  }
  for (const char* name : {"abs", "ctlz", "cttz"}) {
    ExpectSameForWidths(std::string("  %r = call TYPE @llvm.") + name + ".TYPE(TYPE %a, i1 false)",
                        {8, 16, 24, 32, 64});
  }
  ExpectSameForWidths("  %r = call TYPE @llvm.bswap.TYPE(TYPE %a)", {16, 32, 48, 64});
  for (const char* name : {"uadd", "usub", "umul", "sadd", "ssub", "smul"}) {
    ExpectSameForWidths(std::string("  %p = call { TYPE, i1 } @llvm.") + name +
                            ".with.overflow.TYPE(TYPE %a, TYPE %b)\n"
                            "  %v = extractvalue { TYPE, i1 } %p, 0\n"
                            "  %o = extractvalue { TYPE, i1 } %p, 1\n"
                            "  %r = select i1 %o, TYPE 77, TYPE %v",
                        {8, 16, 32, 64});
  }
}

// The sets of features with which atomic updates are different instructions. An emulator's CPU has
// LSE, but LLVM, which asks the machine around it, does not know.
std::vector<std::string> FeaturesOfAtomicUpdates() {
#ifdef __aarch64__
  if (getauxval(AT_HWCAP) & HWCAP_ATOMICS) return {"-lse", "+lse"};
#endif
  return {""};
}

TEST(BaselineCompilerTest, UpdatesMemoryAtomically) {
  for (const std::string& features : FeaturesOfAtomicUpdates()) {
    for (const char* operation :
         {"xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"}) {
      ExpectSameForWidths(std::string("  %p = alloca TYPE\n  store TYPE %a, ptr %p\n"
                                      "  %old = atomicrmw ") +
                              operation +
                              " ptr %p, TYPE %b seq_cst\n  %x = cmpxchg ptr %p, TYPE %b, TYPE 9 "
                              "seq_cst monotonic\n  %y = extractvalue { TYPE, i1 } %x, 1\n"
                              "  %w = zext i1 %y to i64\n  fence seq_cst\n"
                              "  %new = load atomic TYPE, ptr %p seq_cst, align 8\n"
                              "  %s = mul TYPE %old, 3\n  %t = add TYPE %s, %new\n"
                              "  %q = select i1 %y, TYPE 1, TYPE 2\n  %r = xor TYPE %t, %q",
                          {8, 16, 32, 64}, features);
    }
  }
}

TEST(BaselineCompilerTest, ComputesWithVectors) {
  for (const char* type : {"<4 x i32>", "<2 x i64>", "<8 x i16>", "<16 x i8>", "<4 x i16>"}) {
    const std::string vector = type;
    const std::string element = vector.substr(5 + (vector[2] != ' '), 4);
    const std::string lane = element.substr(0, element.find('>'));
    const std::string narrow = lane == "i64" ? "bitcast i64" : "trunc i64";
    const std::string widen = lane == "i64" ? "bitcast" : "sext";
    for (const std::string operation :
         {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"}) {
      const bool is_shift = operation.find("sh") != std::string::npos;
      const std::string right = is_shift ? "splat (" + lane + " 3)" : "%v2";
      const std::string name = vector.substr(1, vector.size() - 2);
      const std::string count = name.substr(0, name.find(' '));
      const std::string mask = "<" + count + " x i1>";
      ExpectSame("define i64 @f(i64 %a, i64 %b) {\n  %x = " + narrow + " %a to " + lane +
                 "\n  %y = " + narrow + " %b to " + lane + "\n  %i = and i64 %b, 1\n" +
                 "  %v0 = insertelement " + vector + " zeroinitializer, " + lane + " %x, i64 0\n" +
                 "  %v1 = insertelement " + vector + " %v0, " + lane + " %y, i64 1\n" +
                 "  %v2 = insertelement " + vector + " zeroinitializer, " + lane + " %y, i64 %i\n" +
                 "  %s = shufflevector " + vector + " %v1, " + vector + " %v2, <" + count +
                 " x i32> zeroinitializer\n  %t = " + operation + " " + vector + " %v1, " + right +
                 "\n" + "  %c = icmp sgt " + vector + " %t, %s\n  %d = select " + mask + " %c, " +
                 vector + " %t, " + vector + " %v1\n  %z = zext " + mask + " %c to " + vector +
                 "\n  %e = add " + vector + " %d, %z\n  %l = extractelement " + vector +
                 " %e, i64 %i\n  %r = " + widen + " " + lane + " %l to i64\n  ret i64 %r\n}\n");
    }
  }
}

// How the two arguments become two vectors, `%v` and `%w`, of `bits`: theirs in this order, and the
// other way round.
std::string VectorsFrom(unsigned bits, const std::string& type) {
  if (bits == 128) {
    return "  %v0 = insertelement <2 x i64> poison, i64 %a, i64 0\n"
           "  %v1 = insertelement <2 x i64> %v0, i64 %b, i64 1\n"
           "  %w1 = shufflevector <2 x i64> %v1, <2 x i64> poison, <2 x i32> <i32 1, i32 0>\n"
           "  %v = bitcast <2 x i64> %v1 to " +
           type + "\n  %w = bitcast <2 x i64> %w1 to " + type + "\n";
  }
  const std::string integer = "i" + std::to_string(bits);
  const std::string narrow = bits == 64 ? "bitcast i64 " : "trunc i64 ";
  return "  %v0 = " + narrow + "%a to " + integer + "\n  %w0 = " + narrow + "%b to " + integer +
         "\n  %v = bitcast " + integer + " %v0 to " + type + "\n  %w = bitcast " + integer +
         " %w0 to " + type + "\n";
}

// Returns `%r`, a vector of `bits`.
std::string ResultOf(unsigned bits, const std::string& type) {
  if (bits == 128) {
    return "  %q = bitcast " + type +
           " %r to <2 x i64>\n  %q0 = extractelement <2 x i64> %q, i64 0\n"
           "  %q1 = extractelement <2 x i64> %q, i64 1\n  %q2 = mul i64 %q1, 3\n"
           "  %q3 = xor i64 %q0, %q2\n  ret i64 %q3\n}\n";
  }
  const std::string integer = "i" + std::to_string(bits);
  const std::string widen = bits == 64 ? "bitcast " : "zext ";
  return "  %q = bitcast " + type + " %r to " + integer + "\n  %q0 = " + widen + integer +
         " %q to i64\n  ret i64 %q0\n}\n";
}

struct VectorType {
  const char* name;
  unsigned count, lane_bits;
  unsigned bits() const { return count * lane_bits; }
};

constexpr VectorType kIntegerVectors[] = {
    {"<2 x i8>", 2, 8},   {"<4 x i8>", 4, 8},   {"<8 x i8>", 8, 8},   {"<16 x i8>", 16, 8},
    {"<2 x i16>", 2, 16}, {"<4 x i16>", 4, 16}, {"<8 x i16>", 8, 16}, {"<2 x i32>", 2, 32},
    {"<4 x i32>", 4, 32}, {"<2 x i64>", 2, 64}};

constexpr char kHead[] = "define i64 @f(i64 %a, i64 %b) {\n";

TEST(BaselineCompilerTest, ComputesWithVectorsOfEverySize) {
  for (const VectorType& vector : kIntegerVectors) {
    const std::string type = vector.name;
    for (const char* operation : {"add", "sub", "mul", "xor"}) {
      ExpectSame(kHead + VectorsFrom(vector.bits(), type) + "  %p = alloca " + type + "\n  store " +
                 type + " %v, ptr %p\n  %u = load " + type + ", ptr %p\n  %r = " + operation + " " +
                 type + " %u, %w\n" + ResultOf(vector.bits(), type));
    }
    for (const char* name : {"smax", "smin", "umax", "umin"}) {
      const std::string mangled =
          "v" + std::to_string(vector.count) + "i" + std::to_string(vector.lane_bits);
      ExpectSame(kHead + VectorsFrom(vector.bits(), type) + "  %r = call " + type + " @llvm." +
                 name + "." + mangled + "(" + type + " %v, " + type + " %w)\n" +
                 ResultOf(vector.bits(), type));
    }
  }
}

TEST(BaselineCompilerTest, ComputesWithVectorsOfSeveralRegisters) {
  // %v and %w of <8 x i32>, or its two halves.
  const std::string head = std::string(kHead) + VectorsFrom(128, "<4 x i32>") + R"(
  %s = call <4 x i32> @llvm.umax.v4i32(<4 x i32> %v, <4 x i32> <i32 1, i32 7, i32 100, i32 5>)
  %x = shufflevector <4 x i32> %v, <4 x i32> %s, <8 x i32> <i32 0, i32 5, i32 2, i32 7, i32 4, i32 1,
                                                            i32 6, i32 3>
  %y = shufflevector <4 x i32> %w, <4 x i32> %v, <8 x i32> <i32 7, i32 6, i32 1, i32 0, i32 3, i32 3,
                                                            i32 4, i32 2>
)";
  const std::string tail = R"(
  %n = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %r)
  %m = extractelement <8 x i32> %r, i64 6
  %k = and i64 %a, 7
  %l = extractelement <8 x i32> %r, i64 %k
  %n0 = zext i32 %n to i64
  %m0 = zext i32 %m to i64
  %l0 = zext i32 %l to i64
  %n1 = shl i64 %n0, 31
  %o = xor i64 %n1, %m0
  %p = mul i64 %o, 5
  %q = add i64 %p, %l0
  ret i64 %q
}
)";
  for (const char* body : {
           "%r = add <8 x i32> %x, %y",
           "%r = mul <8 x i32> %x, <i32 1, i32 -2, i32 3, i32 -4, i32 5, i32 -6, i32 7, i32 -8>",
           "%z = and <8 x i32> %y, splat (i32 31)\n  %r = shl <8 x i32> %x, %z",
           "%c = icmp slt <8 x i32> %x, %y\n"
           "  %r = select <8 x i1> %c, <8 x i32> %y, <8 x i32> %x",
           "%c = icmp ult i64 %a, %b\n  %r = select i1 %c, <8 x i32> %y, <8 x i32> %x",
           "%z = sext <8 x i32> %x to <8 x i64>\n  %u = lshr <8 x i64> %z, splat (i64 5)\n"
           "  %r = trunc <8 x i64> %u to <8 x i32>",
           "%z = bitcast <8 x i32> %x to <4 x i64>\n  %u = sub <4 x i64> zeroinitializer, %z\n"
           "  %r = bitcast <4 x i64> %u to <8 x i32>",
           "%z = sitofp <8 x i32> %x to <8 x float>\n"
           "  %u = fadd <8 x float> %z, splat (float 0.5)\n  %t = fneg <8 x float> %u\n"
           "  %r = bitcast <8 x float> %t to <8 x i32>",
           "%r = insertelement <8 x i32> %x, i32 77, i64 6",
           "%p0 = alloca <8 x i32>, align 16\n  store <8 x i32> %x, ptr %p0\n"
           "  %r = load <8 x i32>, ptr %p0",
           "%z = shufflevector <8 x i32> %x, <8 x i32> %y, <32 x i32> <i32 0, i32 1, i32 2, i32 3,"
           " i32 4, i32 5, i32 6, i32 7, i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9,"
           " i32 8, i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 1, i32 1, i32 1,"
           " i32 1, i32 9, i32 9, i32 9, i32 9>\n"
           "  %r = shufflevector <32 x i32> %z, <32 x i32> poison, <8 x i32> <i32 31, i32 3, i32 "
           "20,"
           " i32 17, i32 11, i32 27, i32 9, i32 8>",
           "%z = shufflevector <8 x i32> %x, <8 x i32> %y, <32 x i32> zeroinitializer\n"
           "  %u = shufflevector <8 x i32> %y, <8 x i32> %x, <32 x i32> zeroinitializer\n"
           "  %c = icmp ult i64 %a, %b\n  %t = select i1 %c, <32 x i32> %z, <32 x i32> %u\n"
           "  %d = add <32 x i32> %z, %u\n  %h = xor <32 x i32> %d, %t\n"
           "  %r = shufflevector <32 x i32> %h, <32 x i32> poison, <8 x i32> <i32 31, i32 3, i32 "
           "20,"
           " i32 17, i32 11, i32 27, i32 9, i32 8>",
           "%f = freeze <8 x i32> %x\n  %r = call <8 x i32> @llvm.smax.v8i32(<8 x i32> %f, <8 x "
           "i32> "
           "%y)",
       }) {
    ExpectSame(head + "  " + body + tail);
  }
  // In a loop, as a phi.
  ExpectSame(head + R"(
  br label %again
again:
  %i = phi i32 [ 0, %0 ], [ %j, %again ]
  %t = phi <8 x i32> [ %x, %0 ], [ %r, %again ]
  %u = phi <8 x i32> [ %y, %0 ], [ %t, %again ]
  %r = add <8 x i32> %t, %u
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, 3
  br i1 %c, label %again, label %done
done:)" + tail);
}

TEST(BaselineCompilerTest, MovesBetweenMasksAndTheirBits) {
  for (const VectorType& vector : kIntegerVectors) {
    const std::string type = vector.name, count = std::to_string(vector.count);
    const std::string mask = "<" + count + " x i1>", bits = "i" + count;
    for (const char* predicate : {"eq", "ult", "sge"}) {
      ExpectSame(kHead + VectorsFrom(vector.bits(), type) + "  %c = icmp " + predicate + " " +
                 type + " %v, %w\n  %m = bitcast " + mask + " %c to " + bits + "\n  %q = zext " +
                 bits + " %m to i64\n  %any = call i1 @llvm.vector.reduce.or.v" + count + "i1(" +
                 mask + " %c)\n  %all = call i1 @llvm.vector.reduce.and.v" + count + "i1(" + mask +
                 " %c)\n  %x = select i1 %any, i64 256, i64 0\n"
                 "  %y = select i1 %all, i64 512, i64 0\n"
                 "  %s = add i64 %q, %x\n  %t = add i64 %s, %y\n  ret i64 %t\n}\n");
    }
    ExpectSame(kHead + VectorsFrom(vector.bits(), type) + "  %m = trunc i64 %b to " + bits +
               "\n  %c = bitcast " + bits + " %m to " + mask + "\n  %r = select " + mask + " %c, " +
               type + " %v, " + type + " %w\n" + ResultOf(vector.bits(), type));
  }
}

TEST(BaselineCompilerTest, ComparesVectorsOfNumbers) {
  const VectorType types[] = {
      {"<2 x float>", 2, 32}, {"<4 x float>", 4, 32}, {"<2 x double>", 2, 64}};
  for (const VectorType& vector : types) {
    const std::string count = std::to_string(vector.count), bits = "i" + count;
    for (const char* predicate : {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq",
                                  "ugt", "uge", "ult", "ule", "une", "false", "true"}) {
      ExpectSame(kHead + VectorsFrom(vector.bits(), vector.name) + "  %c = fcmp " + predicate +
                 " " + vector.name + " %v, %w\n  %m = bitcast <" + count + " x i1> %c to " + bits +
                 "\n  %r = zext " + bits + " %m to i64\n  ret i64 %r\n}\n");
    }
  }
}

TEST(BaselineCompilerTest, ConvertsVectors) {
  struct Conversion {
    VectorType from, to;
    const char* operation;
  };
  const Conversion conversions[] = {
      {{"<4 x i32>", 4, 32}, {"<4 x float>", 4, 32}, "sitofp"},
      {{"<4 x i32>", 4, 32}, {"<4 x float>", 4, 32}, "uitofp"},
      {{"<2 x i32>", 2, 32}, {"<2 x double>", 2, 64}, "sitofp"},
      {{"<2 x i32>", 2, 32}, {"<2 x double>", 2, 64}, "uitofp"},
      {{"<4 x i16>", 4, 16}, {"<4 x float>", 4, 32}, "sitofp"},
      {{"<4 x i8>", 4, 8}, {"<4 x float>", 4, 32}, "uitofp"},
      {{"<2 x i64>", 2, 64}, {"<2 x double>", 2, 64}, "sitofp"},
      {{"<2 x i64>", 2, 64}, {"<2 x float>", 2, 32}, "sitofp"},
      {{"<2 x float>", 2, 32}, {"<2 x double>", 2, 64}, "fpext"},
      {{"<2 x double>", 2, 64}, {"<2 x float>", 2, 32}, "fptrunc"},
      {{"<2 x i32>", 2, 32}, {"<2 x ptr>", 2, 64}, "inttoptr"},
      {{"<2 x i64>", 2, 64}, {"<2 x ptr>", 2, 64}, "inttoptr"},
      {{"<4 x i16>", 4, 16}, {"<4 x i32>", 4, 32}, "sext"},
      {{"<4 x i16>", 4, 16}, {"<4 x i32>", 4, 32}, "zext"},
      {{"<2 x i64>", 2, 64}, {"<2 x i32>", 2, 32}, "trunc"},
      {{"<2 x i16>", 2, 16}, {"<2 x i8>", 2, 8}, "trunc"},
  };
  for (const Conversion& conversion : conversions) {
    const std::string text = VectorsFrom(conversion.from.bits(), conversion.from.name) +
                             "  %x = " + conversion.operation + " " + conversion.from.name +
                             " %v to " + conversion.to.name + "\n";
    // An address has to become a number again.
    if (std::string(conversion.operation) == "inttoptr") {
      ExpectSame(kHead + text + "  %r = ptrtoint <2 x ptr> %x to <2 x i64>\n" +
                 ResultOf(128, "<2 x i64>"));
      ExpectSame(kHead + text + "  %r = ptrtoint <2 x ptr> %x to <2 x i32>\n" +
                 ResultOf(64, "<2 x i32>"));
    } else {
      ExpectSame(kHead + text + "  %r = bitcast " + conversion.to.name + " %x to " +
                 conversion.to.name + "\n" + ResultOf(conversion.to.bits(), conversion.to.name));
    }
  }
  // Of numbers that fit the integers.
  for (unsigned lane_bits : {8, 16, 32, 64}) {
    const std::string type = "<2 x i" + std::to_string(lane_bits) + ">";
    const std::string distance = std::to_string(std::min(60u, 66 - lane_bits));
    for (const bool is_signed : {true, false}) {
      if (!is_signed && lane_bits == 64) continue;  // Not covered.
      ExpectSame(kHead + VectorsFrom(128, "<2 x i64>") + "  %n = " + (is_signed ? "ashr" : "lshr") +
                 " <2 x i64> %v, splat (i64 " + distance +
                 ")\n  %d = sitofp <2 x i64> %n to <2 x double>\n"
                 "  %h = fmul <2 x double> %d, splat (double 0.75)\n  %r = " +
                 (is_signed ? "fptosi" : "fptoui") + " <2 x double> %h to " + type + "\n" +
                 ResultOf(2 * lane_bits, type));
    }
  }
}

TEST(BaselineCompilerTest, ComputesVectorsOfAddresses) {
  // Distances from an address, so that they are the same wherever it is.
  const std::string tail =
      "  %t = ptrtoint <2 x ptr> %x to <2 x i64>\n  %o0 = ptrtoint ptr @g to i64\n"
      "  %o1 = insertelement <2 x i64> poison, i64 %o0, i64 0\n"
      "  %o = shufflevector <2 x i64> %o1, <2 x i64> poison, <2 x i32> zeroinitializer\n"
      "  %r = sub <2 x i64> %t, %o\n" +
      ResultOf(128, "<2 x i64>");
  const std::string head =
      "%s = type { i32, [3 x i16], i64 }\n@g = global [4 x i64] zeroinitializer\n" +
      std::string(kHead) + VectorsFrom(128, "<2 x i64>") +
      "  %n = trunc <2 x i64> %v to <2 x i16>\n  %k = trunc i64 %b to i32\n";
  for (const char* address :
       {"getelementptr i64, ptr @g, <2 x i64> %v", "getelementptr [3 x i16], ptr @g, <2 x i16> %n",
        "getelementptr %s, ptr @g, i32 %k, i32 1, <2 x i64> %w",
        "getelementptr i8, ptr @g, <2 x i64> <i64 112, i64 -168>"}) {
    ExpectSame(head + "  %x = " + address + "\n" + tail);
    ExpectSame(head + "  %y = " + address +
               "\n  %x = getelementptr %s, <2 x ptr> %y, i32 %k, i32 2\n" + tail);
  }
}

TEST(BaselineCompilerTest, LoadsAndStoresStructures) {
  for (const char* type :
       {"{ i64, i64 }", "{ i1, i24, float, <2 x i8> }", "{ i8, [3 x i16], double, ptr }",
        "{ [2 x { i8, i32 }], i64 }", "<{ i8, i32, i16 }>", "[9 x i16]", "[12 x i32]"}) {
    const std::string t = type;
    ExpectSame("@g = global " + t + " zeroinitializer\n" + kHead +
               "  %p = alloca [64 x i8], align 16\n  %q = alloca [64 x i8], align 16\n"
               "  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 64, i1 false)\n"
               "  call void @llvm.memset.p0.i64(ptr %q, i8 0, i64 64, i1 false)\n"
               "  store i64 %a, ptr %p\n  %p1 = getelementptr i64, ptr %p, i64 1\n"
               "  store i64 %b, ptr %p1\n  %p2 = getelementptr i64, ptr %p, i64 2\n"
               "  store i64 %a, ptr %p2\n  %p0 = load i8, ptr %p\n  %p3 = and i8 %p0, 1\n"
               "  store i8 %p3, ptr %p\n  %x = load " +
               t + ", ptr %p\n  store " + t + " %x, ptr @g\n  %y = load " + t +
               ", ptr @g\n  store " + t +
               " %y, ptr %q\n"
               "  %q0 = load i64, ptr %q\n  %q1 = getelementptr i64, ptr %q, i64 1\n"
               "  %q2 = load i64, ptr %q1\n  %q3 = getelementptr i64, ptr %q, i64 2\n"
               "  %q4 = load i64, ptr %q3\n  %s = mul i64 %q2, 3\n  %t = mul i64 %q4, 5\n"
               "  %u = add i64 %q0, %s\n  %r = add i64 %u, %t\n  ret i64 %r\n}\n"
               "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n");
  }
}

// On AArch64 branches on conditions, and what reads the constants behind the code, reach 1 MiB.
TEST(BaselineCompilerTest, CompilesMoreCodeThanBranchesReach) {
  constexpr int kStores = 75000;
  std::string text = R"(
@g = global i64 0
@labels = internal constant [2 x ptr] [ptr blockaddress(@f, %sum), ptr blockaddress(@f, %short)]
define i64 @f(i64 %a, i64 %b) {
entry:
  %x = sitofp i64 %a to double
  %y = fadd double %x, 1.5
  %n = fptosi double %y to i64
  switch i64 %b, label %more [ i64 0, label %sum i64 1, label %short i64 2, label %sum
                               i64 3, label %short i64 4, label %more i64 5, label %sum ]
more:
  %c = icmp slt i64 %a, 10
  br i1 %c, label %long, label %short
long:
)";
  for (int i = 0; i < kStores; ++i)
    text += "  store volatile i64 " + std::to_string(i) + ", ptr @g\n";
  text += R"(
  %k = and i64 %b, 1
  %p = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %k
  %l = load ptr, ptr %p
  indirectbr ptr %l, [ label %sum, label %short ]
sum:
  %old = load i64, ptr @g
  store i64 7, ptr @g
  %s = add i64 %n, %old
  ret i64 %s
short:
  ret i64 %n
})";
  for (bool is_near : {true, false}) {
    Engine& engine = StrictEngine(is_near, /*features=*/"");
    ASSERT_OK_AND_ASSIGN(const ModuleId program, engine.AddAssembly(text, "test"));
    const absl::Cleanup remove = [&] { EXPECT_THAT(engine.Remove(program), IsOk()); };
    ASSERT_OK_AND_ASSIGN(auto* function, (engine.Lookup<int64_t(int64_t, int64_t)>("f")));
    EXPECT_EQ(function(20, 9), 21);              // By way of the branch.
    EXPECT_EQ(function(5, 3), 6);                // By way of the jump table.
    EXPECT_EQ(function(5, 0), 6);                // Nothing is stored yet.
    EXPECT_EQ(function(5, 4), 6 + kStores - 1);  // Through all of it, and by a label's address.
    EXPECT_EQ(function(5, 5), 6 + 7);
    EXPECT_EQ(function(-5, 9), -3);  // By the other label's.
  }
}

TEST(BaselineCompilerTest, JumpsToAddressesOfLabels) {
  ExpectSame(R"(
@table = internal constant [3 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two),
                                      ptr blockaddress(@f, %done)]
define i64 @f(i64 %a, i64 %b) {
entry:
  br label %next
next:
  %x = phi i64 [ %a, %entry ], [ %x1, %one ], [ %x2, %two ]
  %n = phi i64 [ 0, %entry ], [ 1, %one ], [ 2, %two ]
  %slot = getelementptr [3 x ptr], ptr @table, i64 0, i64 %n
  %label = load ptr, ptr %slot
  indirectbr ptr %label, [label %one, label %two, label %done]
one:
  %y = phi i64 [ %x, %next ]
  %x1 = add i64 %y, %b
  br label %next
two:
  %x2 = mul i64 %x, 5
  br label %next
done:
  %r = phi i64 [ %n, %next ]
  %s = xor i64 %x, %r
  ret i64 %s
})");
}

// Many values live on where a call returns for the second time, whichever way comes first in the
// code. Meanwhile, other values have needed places in the frame.
TEST(BaselineCompilerTest, KeepsValuesForASecondReturn) {
  constexpr int kValues = 24;
  const auto sum_of = [](const std::string& name, const std::string& first) {
    std::string code, sum = first;
    for (int i = 0; i < kValues; ++i) {
      const std::string next = "%" + name + "s" + std::to_string(i);
      code += next + " = add i64 " + sum + ", %" + name + std::to_string(i) + "\n";
      sum = next;
    }
    return code + "%" + name + "sum = add i64 " + sum + ", 0\n";
  };
  std::string values, others;
  for (int i = 0; i < kValues; ++i) {
    const std::string number = std::to_string(i);
    values += "%v" + number + " = call i64 @opaque(i64 %a, i64 " + number + ")\n";
    others += "%w" + number + " = call i64 @opaque(i64 %b, i64 " + number + ")\n";
  }
  const std::pair<const char*, const char*> branches[] = {
      {"icmp eq i32 %r, 0", "label %first, label %second"},
      {"icmp ne i32 %r, 0", "label %second, label %first"}};
  for (const auto& [comparison, targets] : branches) {
    for (const bool are_used_at_once : {false, true}) {
      const std::string sum = sum_of("v", "%b");
      ExpectSame(std::string(R"(
declare i32 @_setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn
define i64 @opaque(i64 %a, i64 %n) noinline optnone {
  %p = mul i64 %a, 7
  %r = xor i64 %p, %n
  ret i64 %r
}
define i64 @f(i64 %a, i64 %b) {
  %buffer = alloca [512 x i8], align 16
  %memory = alloca i64
  store i64 %a, ptr %memory
)") + values + "%r = call i32 @_setjmp(ptr %buffer) returns_twice\n" +
                 (are_used_at_once ? sum : "") + "%c = " + comparison + "\nbr i1 %c, " + targets +
                 "\nfirst:\n" + others + sum_of("w", "%a") + R"(
  store i64 %wsum, ptr %memory
  call void @longjmp(ptr %buffer, i32 3)
  unreachable
second:
)" + (are_used_at_once ? "" : sum) +
                 R"(
  %m = load i64, ptr %memory
  %wide = zext i32 %r to i64
  %t = xor i64 %vsum, %m
  %u = add i64 %t, %wide
  ret i64 %u
})");
    }
  }
}

TEST(BaselineCompilerTest, ValuesPassThroughEmptyAssembly) {
  ExpectSameForWidths(R"(
  %c = call TYPE asm "", "=r,0,~{memory}"(TYPE %a)
  %d = add TYPE %c, %b
  %r = call TYPE asm sideeffect "", "=&r,0,r"(TYPE %d, TYPE %c))",
                      {8, 16, 32, 64});
  ExpectSame(R"(
define i64 @f(i64 %a, i64 %b) {
  %place = alloca i64
  store i64 %b, ptr %place
  %old = load i64, ptr %place
  call void asm sideeffect "", "=*m,*m,~{memory}"(ptr elementtype(i64) %place, ptr elementtype(i64) %place)
  %pair = call { i64, double } asm "", "=r,=r,1,0,r,i"(double 1.5, i64 %a, ptr %place, ptr @f)
  %first = extractvalue { i64, double } %pair, 0
  %second = extractvalue { i64, double } %pair, 1
  %bits = bitcast double %second to i64
  call void asm sideeffect "", "=*rm,0,~{memory}"(ptr elementtype(i64) %place, i64 %old)
  %new = load i64, ptr %place
  %s = sub i64 %first, %old
  %t = xor i64 %s, %bits
  %r = mul i64 %t, %new
  ret i64 %r
})");
  // What is stored is the input, whatever was there before.
  ExpectSame(R"(
define i64 @f(i64 %a, i64 %b) {
  %place = alloca i64
  store i64 %a, ptr %place
  call void asm sideeffect "", "=*r,0"(ptr elementtype(i64) %place, i64 %b)
  %r = load i64, ptr %place
  ret i64 %r
})");
}

TEST(BaselineCompilerTest, EmitsNothingOfWhatItRefuses) {
  const struct {
    const char* text;
    Refusal refusal;
  } cases[] = {
      {"define void @f() { call void asm \"nop\", \"\"() ret void }", Refusal::kInlineAssembly},
      {"define i64 @f() { %r = call i64 asm \"\", \"={rsp}\"() ret i64 %r }",
       Refusal::kInlineAssembly},
      {"define void @f(i128 %v, ptr %p) {\n"
       "  call void asm \"\", \"=*m,0\"(ptr elementtype(i128) %p, i128 %v) ret void }",
       Refusal::kInlineAssembly},
      {"define void @f(ptr byval(i64) %p) { musttail call void @f(ptr byval(i64) %p) ret void }",
       Refusal::kMustTail},
      {"define ppc_fp128 @f(ppc_fp128 %x) { ret ppc_fp128 %x }", Refusal::kArgumentPassing},
      {"define i32 @f(i64 %n) { %v = alloca i8, i64 %n %r = call i32 @setjmp() ret i32 %r }\n"
       "declare i32 @setjmp() returns_twice",
       Refusal::kReturnsTwice},
      {"define i32 @f() \"branch-target-enforcement\" { %r = call i32 @setjmp() ret i32 %r }\n"
       "declare i32 @setjmp() returns_twice",
       Refusal::kReturnsTwice},
      {"define i32 @f() personality ptr @p { %r = invoke i32 @setjmp() to label %a unwind label %b "
       "a: ret i32 %r b: %l = landingpad { ptr, i32 } cleanup ret i32 0 }\n"
       "declare i32 @setjmp() returns_twice declare i32 @p(...)",
       Refusal::kReturnsTwice},
      {"define void @f() naked { ret void }", Refusal::kFunctionAttribute},
      {"define void @f() \"no_caller_saved_registers\" { ret void }", Refusal::kFunctionAttribute},
      {"define void @f() \"no_callee_saved_registers\" { ret void }", Refusal::kFunctionAttribute},
      {"declare void @g() define void @f() { call void @g() \"no_caller_saved_registers\" ret void "
       "}",
       Refusal::kFunctionAttribute},
      {"declare void @g() \"no_callee_saved_registers\" define void @f() { call void @g() ret void "
       "}",
       Refusal::kFunctionAttribute},
      {"define void @f() speculative_load_hardening { ret void }", Refusal::kFunctionAttribute},
      {"define void @f() fn_ret_thunk_extern { ret void }", Refusal::kFunctionAttribute},
      {"define void @f() sanitize_memtag { ret void }", Refusal::kFunctionAttribute},
      {"define void @f() \"zero-call-used-regs\"=\"all\" { ret void }",
       Refusal::kFunctionAttribute},
      {"define void @f() \"patchable-function-prefix\"=\"2\" { ret void }",
       Refusal::kFunctionAttribute},
      {"define void @f() \"xray-instruction-threshold\"=\"1\" { ret void }",
       Refusal::kFunctionAttribute},
      {"define void @f() !pcsections !0 { ret void } !0 = !{!\"covered\"}",
       Refusal::kFunctionAttribute},
      {"define void @f(ptr %p) { store i32 1, ptr %p, !pcsections !0 ret void } !0 = "
       "!{!\"stores\"}",
       Refusal::kInstruction},
      {"declare void @llvm.trap() define void @f() { call void @llvm.trap() "
       "\"trap-func-name\"=\"g\" unreachable }",
       Refusal::kIntrinsic},
      {"declare <2 x ptr> @llvm.ptrmask.v2p0.v2i64(<2 x ptr>, <2 x i64>) "
       "define <2 x ptr> @f(<2 x ptr> %p, <2 x i64> %m) { %r = call <2 x ptr> "
       "@llvm.ptrmask.v2p0.v2i64(<2 x ptr> %p, <2 x i64> %m) ret <2 x ptr> %r }",
       Refusal::kVector},
      {"declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1) define void @f(ptr %p) { call "
       "void @llvm.memset.inline.p0.i64(ptr %p, i8 0, i64 1000, i1 false) ret void }",
       Refusal::kIntrinsic},
      {"declare ptr addrspace(1) @llvm.stacksave.p1() define void @f() { %a = call ptr "
       "addrspace(1) "
       "@llvm.stacksave.p1() ret void }",
       Refusal::kIntrinsic},
      {"declare ptr addrspace(1) @llvm.launder.invariant.group.p1(ptr addrspace(1)) define void "
       "@f() { %a = call ptr addrspace(1) @llvm.launder.invariant.group.p1(ptr addrspace(1) null) "
       "ret void }",
       Refusal::kIntrinsic},
      {"define void @f(i64 %n) { %a = alloca i8, i64 %n, align 4294967296 store volatile i8 1, ptr "
       "%a ret void }",
       Refusal::kInstruction},
      {"define void @f() personality ptr @p { invoke void @g() to label %end unwind label %pad "
       "end: ret void pad: %e = landingpad { ptr, float } cleanup ret void } declare void @g() "
       "declare i32 @p(...)",
       Refusal::kException},
      {"define void @f({ i128, i64 } %v) { ret void }", Refusal::kArgumentPassing},
      {"define ptr @f() { ret ptr blockaddress(@f, %never)\nnever: ret ptr null }",
       Refusal::kBlockAddress},
      {"define void @f() \"probe-stack\"=\"g\" { %a = alloca [5000 x i8] store volatile i8 1, ptr "
       "%a ret void }",
       Refusal::kFunctionAttribute},
      {"define void @f() \"probe-stack\"=\"inline-asm\" \"stack-probe-size\"=\"256\" { %a = "
       "alloca [300 x i8] store volatile i8 1, ptr %a ret void }",
       Refusal::kFunctionAttribute},
      {"define void @f() sanitize_hwaddress { ret void }", Refusal::kFunctionAttribute},
      {"define void @f() sanitize_address sanitize_thread sanitize_memory { ret void }",
       Refusal::kNone},
      {"define void @f(i32 %n) \"probe-stack\"=\"g\" { %a = alloca i8, i32 %n store "
       "volatile i8 1, ptr %a ret void }",
       Refusal::kFunctionAttribute},
      {"define void @f() \"probe-stack\"=\"inline-asm\" { %a = alloca [500 x i8] store volatile i8 "
       "1, ptr %a ret void }",
       Refusal::kNone},
      {"define ghccc void @f() { ret void }", Refusal::kCallingConvention},
      {"define swiftcc i64 @f(i64 %a, ptr swiftself %s, ptr swifterror %e) { ret i64 %a }",
       Refusal::kNone},
      {"define swifttailcc void @f() { ret void }", Refusal::kCallingConvention},
      {"define void @f(ptr %g) { call swifttailcc void %g() ret void }",
       Refusal::kCallingConvention},
      {"define swiftcc void @f(i64 %a, ...) { ret void }", Refusal::kCallingConvention},
      {"define swiftcc void @f(ptr swiftasync %a) { ret void }", Refusal::kArgumentPassing},
      {"define swiftcc void @f({ i64, i64 } swiftself %a) { ret void }", Refusal::kArgumentPassing},
      {"define void @f(ptr %g) { call swiftcc void %g({ i64, i64 } swiftself zeroinitializer) "
       "ret void }",
       Refusal::kArgumentPassing},
      {"define swiftcc i64 @f(ptr swiftself %a) { %r = musttail call swiftcc i64 @f(ptr swiftself "
       "%a) ret i64 %r }",
       Refusal::kMustTail},
      {"define i64 @f(i64 %a) { %r = musttail call i64 @f(i64 %a) ret i64 %r }\n"
       "!llvm.module.flags = !{!0}\n!0 = !{i32 8, !\"cf-protection-branch\", i32 1}",
       Refusal::kMustTail},
      {"define i64 @f(i64 %a) \"zero-call-used-regs\"=\"used-gpr\" {\n"
       "  %r = musttail call i64 @f(i64 %a) ret i64 %r }",
       Refusal::kMustTail},
      {"define void @f(ptr nest %p) { ret void }", Refusal::kArgumentPassing},
      {"define i256 @f(i256 %a) { ret i256 %a }", Refusal::kArgumentPassing},
      {"define void @f(<17 x i1> %a) { ret void }", Refusal::kType},
      {"define void @f(<17 x i8> %a) { ret void }", Refusal::kArgumentPassing},
      {"define void @f(ptr %p) { %v = load <257 x i8>, ptr %p store <257 x i8> %v, ptr %p ret void "
       "}",
       Refusal::kType},
      {"define void @f(ptr %p) { %v = load <2 x i24>, ptr %p store <2 x i24> %v, ptr %p ret void }",
       Refusal::kType},
      {"define void @f(ptr %p) { %v = load <129 x i1>, ptr %p store <129 x i1> %v, ptr %p ret void "
       "}",
       Refusal::kType},
      {"define <3 x i8> @f(<3 x i8> %v) { %r = musttail call <3 x i8> @f(<3 x i8> %v) ret <3 x i8> "
       "%r }",
       Refusal::kMustTail},
      {"define zeroext i65 @f() { ret i65 1 }", Refusal::kArgumentPassing},
      {"define void @f(i100 signext %a) { ret void }", Refusal::kArgumentPassing},
      {"declare void @g(i65) define void @f() { call void @g(i65 zeroext 1) ret void }",
       Refusal::kArgumentPassing},
      {"declare signext i65 @g() define void @f() { call i65 @g() ret void }",
       Refusal::kArgumentPassing},
      {"define void @f() { %a = alloca [268435456 x i8] %b = alloca [268435456 x i8]\n"
       "%c = alloca [268435456 x i8] %d = alloca [268435456 x i8] %e = alloca i8\n"
       "store volatile i8 1, ptr %a store volatile i8 1, ptr %e ret void }",
       Refusal::kSize},
  };
  for (const char* triple : kTriples) {
    auto compiler = baseline::BaselineCompiler::Create(triple, baseline::BaselineOptions());
    ASSERT_THAT(compiler.status(), IsOk());
    for (const auto& [text, refusal] : cases) {
      llvm::LLVMContext context;
      const std::unique_ptr<llvm::Module> module = Parse(text, context);
      ASSERT_NE(module, nullptr);
      CompiledCode code;
      EXPECT_EQ(baseline::CompileLlvm(**compiler, *module->getFunction("f"), code), refusal)
          << triple << ": " << text;
      EXPECT_EQ(code.sections.empty(), refusal != Refusal::kNone);
    }
  }
}

TEST(BaselineCompilerTest, CoversFramesThatNeedNoProbe) {
  const struct {
    const char* triple;
    int largest;  // Bytes of a variable.
  } cases[] = {{"x86_64-unknown-linux-gnu", 4096 - 32}, {"aarch64-unknown-linux-gnu", 1024 - 48}};
  for (const auto& [triple, largest] : cases) {
    auto compiler = baseline::BaselineCompiler::Create(triple, baseline::BaselineOptions());
    ASSERT_THAT(compiler.status(), IsOk());
    const auto compile = [&](int size) {
      llvm::LLVMContext context;
      const std::unique_ptr<llvm::Module> module =
          Parse(absl::StrCat("define void @f() \"probe-stack\"=\"g\" { %a = alloca [", size,
                             " x i8], align 1 store volatile i8 1, ptr %a ret void }"),
                context);
      CompiledCode code;
      return baseline::CompileLlvm(**compiler, *module->getFunction("f"), code);
    };
    EXPECT_EQ(compile(largest), Refusal::kNone) << triple;
    EXPECT_EQ(compile(largest + 1), Refusal::kFunctionAttribute) << triple;
  }
}

// On x86-64 LLVM fuses what may be fused if the function's CPU can, and baseline code does not.
TEST(BaselineCompilerTest, LeavesWhatWouldBeFusedToLlvm) {
  const struct {
    const char* attributes;
    std::vector<std::string> features;
    Refusal refusal;
  } cases[] = {
      {"", {}, Refusal::kNone},
      {"", {"fma"}, Refusal::kIntrinsic},
      {R"("target-features"="+sse2")", {"fma"}, Refusal::kIntrinsic},
      {R"("target-cpu"="x86-64")", {"fma"}, Refusal::kNone},
      {R"("target-cpu"="x86-64" "target-features"="+avx2,+fma,+sse2")", {}, Refusal::kIntrinsic},
      {R"("target-cpu"="bdver1" "target-features"="+fma4")", {}, Refusal::kIntrinsic},
      {R"("target-cpu"="haswell")", {}, Refusal::kIntrinsic},
      {R"("target-cpu"="haswell" "target-features"="+fma,-fma")", {}, Refusal::kNone},
      {R"("target-cpu"="bdver2" "target-features"="-fma")", {}, Refusal::kIntrinsic},  // FMA4.
      {R"("target-cpu"="x86-64" "target-features"="+avx512f")", {}, Refusal::kIntrinsic},
      {R"("target-cpu"="haswell" "target-features"="-avx")", {}, Refusal::kNone},
      {R"("target-cpu"="unknown" "target-features"="")", {"fma"}, Refusal::kNone},
  };
  for (const auto& [attributes, features, refusal] : cases) {
    baseline::BaselineOptions options;
    options.features = features;
    auto compiler = baseline::BaselineCompiler::Create("x86_64-pc-linux-gnu", options);
    ASSERT_THAT(compiler.status(), IsOk());
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = Parse(
        absl::StrCat("declare double @llvm.fmuladd.f64(double, double, double)\n"
                     "define double @f(double %x) ",
                     attributes,
                     " { %y = call double @llvm.fmuladd.f64(double %x, double %x, double %x)\n"
                     "ret double %y }"),
        context);
    ASSERT_NE(module, nullptr);
    CompiledCode code;
    EXPECT_EQ(baseline::CompileLlvm(**compiler, *module->getFunction("f"), code), refusal)
        << attributes;
  }
}

TEST(BaselineCompilerTest, IsNotForOtherArchitectures) {
  const auto compiler =
      baseline::BaselineCompiler::Create("riscv64-linux-gnu", baseline::BaselineOptions());
  EXPECT_EQ(compiler.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(compiler.status().message(), "create baseline compiler: not for 'riscv64-linux-gnu'");
}

}  // namespace
}  // namespace firstcall
