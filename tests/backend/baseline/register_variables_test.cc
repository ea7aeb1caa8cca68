// Variables whose contents are in registers: which ones are, and that they behave as in memory.

#include "backend/baseline/register_variables.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/code_map.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/backend/baseline/expect_same.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

using Kind = CodeMap::Location::Kind;

constexpr const char* kTriples[] = {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"};

// Whether the first alloca of `f`, which must be the value behind the arguments, is a register
// variable for both architectures; fails if it is for one only.
bool IsInRegister(const std::string& text) {
  std::vector<bool> answers;
  for (const char* triple : kTriples) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
    if (module == nullptr) return false;
    const llvm::Function& function = *module->getFunction("f");
    const auto compiler = BaselineCompiler::Create(triple, BaselineOptions());
    EXPECT_THAT(compiler.status(), IsOk());
    ir::LlvmReader reader;
    ir::Function read;
    EXPECT_THAT(reader.Begin(*module), IsOk());
    EXPECT_THAT(reader.Read(function, read), IsOk());
    CodeMap map;
    map.watched = {static_cast<uint32_t>(function.arg_size())};
    CompiledCode code;
    EXPECT_EQ((*compiler)->Compile(read, /*is_near=*/true, code, &map), Refusal::kNone);
    answers.push_back(std::any_of(
        map.changes.begin(), map.changes.end(),
        [](const CodeMap::Change& change) { return change.location.kind == Kind::kVariable; }));
  }
  EXPECT_EQ(answers[0], answers[1]) << text;
  return answers[0];
}

// A loop that counts `%i` down. `before` and `inside` are instructions; `attributes` those of `f`.
std::string Loop(const std::string& type, const std::string& before, const std::string& inside,
                 const std::string& attributes = "") {
  return "declare void @look(ptr)\ndeclare i32 @setjmp(ptr) returns_twice\n"
         "declare void @llvm.lifetime.start.p0(i64, ptr)\n"
         "define " +
         type + " @f(" + type + " %n) " + attributes +
         " {\n"
         "  %i = alloca " +
         type + "\n  " + before +
         "\n"
         "  store " +
         type + " %n, ptr %i\n  br label %loop\nloop:\n  " + inside +
         "\n"
         "  %before = load " +
         type + ", ptr %i\n  %after = sub " + type +
         " %before, 1\n"
         "  store " +
         type +
         " %after, ptr %i\n"
         "  %more = icmp sgt " +
         type +
         " %after, 0\n"
         "  br i1 %more, label %loop, label %end\nend:\n"
         "  %last = load " +
         type + ", ptr %i\n  ret " + type + " %last\n}\n";
}

TEST(RegisterVariablesTest, WhatIsLoadedAndStoredIsInARegister) {
  for (const char* type : {"i8", "i16", "i32", "i64"}) {
    EXPECT_TRUE(IsInRegister(Loop(type, "", ""))) << type;
  }
  EXPECT_TRUE(IsInRegister(Loop("i32", "call void @llvm.lifetime.start.p0(i64 4, ptr %i)", "")));
}

TEST(RegisterVariablesTest, WhatIsReachedInAnotherWayIsInMemory) {
  for (const char* type : {"i1", "i24", "i128"}) {
    EXPECT_FALSE(IsInRegister(Loop(type, "", ""))) << type;
  }
  for (const char* use : {
           "call void @look(ptr %i)",
           "%v = load volatile i32, ptr %i",
           "store volatile i32 1, ptr %i",
           "%v = load atomic i32, ptr %i monotonic, align 4",
           "%v = load i16, ptr %i",
           "%v = load float, ptr %i",
           "store ptr %i, ptr null",
           "%v = atomicrmw add ptr %i, i32 1 seq_cst",
           "%v = getelementptr i8, ptr %i, i64 1",
           "%v = icmp eq ptr %i, null",
       }) {
    EXPECT_FALSE(IsInRegister(Loop("i32", "", use))) << use;
  }
}

TEST(RegisterVariablesTest, StayInMemoryIfACallMayReturnTwice) {
  EXPECT_TRUE(IsInRegister(Loop("i32", "", "", "noinline optnone")));
  EXPECT_FALSE(IsInRegister(Loop("i32", "%r = call i32 @setjmp(ptr null) returns_twice", "")));
}

TEST(RegisterVariablesTest, AreNotWorthARegisterIfTheyAreSeldomUsed) {
  EXPECT_FALSE(IsInRegister(R"(
    define i32 @f(i32 %n) {
      %i = alloca i32
      store i32 %n, ptr %i
      %last = load i32, ptr %i
      ret i32 %last
    })"));
}

// More variables than registers, of all kinds, across calls and in loops.
constexpr char kManyVariables[] = R"(
  define i64 @mix(i64 %a, i64 %b) noinline {
    %x = xor i64 %a, %b
    %y = mul i64 %x, 3
    ret i64 %y
  }
  define i64 @f(i64 %a, i64 %b) {
    %i = alloca i8
    %s = alloca i16
    %w = alloca i32
    %l = alloca i64
    %x = alloca i64
    %y = alloca i64
    %z = alloca i64
    %p = alloca ptr
    %g = alloca double
    %h = alloca float
    store i8 5, ptr %i
    %a16 = trunc i64 %a to i16
    store i16 %a16, ptr %s
    %b32 = trunc i64 %b to i32
    store i32 %b32, ptr %w
    store i64 %a, ptr %l
    store i64 %b, ptr %x
    store i64 -1, ptr %y
    store i64 0, ptr %z
    store ptr null, ptr %p
    store double 1.5, ptr %g
    store float 0.0, ptr %h
    br label %outer
  outer:
    br label %inner
  inner:
    %s0 = load i16, ptr %s
    %s1 = mul i16 %s0, 7
    %s2 = add i16 %s1, 1
    store i16 %s2, ptr %s
    %w0 = load i32, ptr %w
    %ws = sext i16 %s2 to i32
    %w1 = xor i32 %w0, %ws
    store i32 %w1, ptr %w
    %l0 = load i64, ptr %l
    %x0 = load i64, ptr %x
    %l1 = add i64 %l0, %x0
    store i64 %l1, ptr %l
    store i64 %l0, ptr %x
    %s3 = load i16, ptr %s
    %big = zext i16 %s3 to i64
    %z0 = load i64, ptr %z
    %z1 = sub i64 %z0, %big
    store i64 %z1, ptr %z
    %p0 = load ptr, ptr %p
    %p1 = getelementptr i8, ptr %p0, i64 %big
    store ptr %p1, ptr %p
    %g0 = load double, ptr %g
    %g1 = fadd double %g0, 2.5
    store double %g1, ptr %g
    %h0 = load float, ptr %h
    %g2 = load double, ptr %g
    %h1 = fptrunc double %g2 to float
    %h2 = fadd float %h1, %h0
    store float %h2, ptr %h
    %again = icmp ult i16 %s2, 20000
    br i1 %again, label %count, label %rare
  rare:
    %y0 = load i64, ptr %y
    %y1 = load i64, ptr %z
    %y2 = call i64 @mix(i64 %y0, i64 %y1)
    store i64 %y2, ptr %y
    br label %count
  count:
    %i0 = load i8, ptr %i
    %i1 = add i8 %i0, -1
    store i8 %i1, ptr %i
    %more = icmp ne i8 %i1, 0
    br i1 %more, label %inner, label %test
  test:
    store i8 3, ptr %i
    %z2 = load i64, ptr %z
    %low = and i64 %z2, 3
    %z3 = add i64 %z2, 1
    store i64 %z3, ptr %z
    %repeat = icmp eq i64 %low, 1
    br i1 %repeat, label %outer, label %end
  end:
    %r0 = load i64, ptr %l
    %r1 = load i64, ptr %x
    %r2 = load i64, ptr %y
    %r3 = load i64, ptr %z
    %r4 = load ptr, ptr %p
    %r5 = ptrtoint ptr %r4 to i64
    %r6 = load i32, ptr %w
    %r7 = zext i32 %r6 to i64
    %r8 = load float, ptr %h
    %r9 = fptosi float %r8 to i64
    %q0 = call i64 @mix(i64 %r0, i64 %r1)
    %q1 = call i64 @mix(i64 %q0, i64 %r2)
    %q2 = call i64 @mix(i64 %q1, i64 %r3)
    %q3 = call i64 @mix(i64 %q2, i64 %r5)
    %q4 = call i64 @mix(i64 %q3, i64 %r7)
    %q5 = call i64 @mix(i64 %q4, i64 %r9)
    ret i64 %q5
  }
)";

TEST(RegisterVariablesTest, BehaveAsInMemory) { ExpectSame(kManyVariables); }

// A loaded value stays what it was when the variable changes.
TEST(RegisterVariablesTest, LoadedValuesDoNotChange) {
  ExpectSame(R"(
    define i64 @f(i64 %a, i64 %b) {
      %x = alloca i64
      %y = alloca i64
      store i64 %a, ptr %x
      store i64 %b, ptr %y
      br label %loop
    loop:
      %x0 = load i64, ptr %x
      %y0 = load i64, ptr %y
      store i64 %y0, ptr %x
      store i64 %x0, ptr %y
      %x1 = load i64, ptr %x
      %x2 = add i64 %x1, 1
      store i64 %x2, ptr %x
      %sum = add i64 %x0, %x1
      %low = and i64 %sum, 31
      %done = icmp eq i64 %low, 17
      %far = icmp ugt i64 %x2, 1000
      %stop = or i1 %done, %far
      br i1 %stop, label %end, label %loop
    end:
      %d0 = sub i64 %x0, %y0
      %d1 = load i64, ptr %y
      %d2 = mul i64 %d0, %d1
      ret i64 %d2
    })");
}

// Each operation of an update, with a result that is tested and one that is not.
TEST(RegisterVariablesTest, Updates) {
  for (const char* type : {"i8", "i16", "i32", "i64"}) {
    for (const char* operation : {"add", "sub", "and", "or", "xor"}) {
      for (const char* operand : {"-3", "%n"}) {
        for (const char* predicate : {"eq", "slt"}) {
          const std::string t = type, op = operation, by = operand;
          const std::string n = t == "i64" ? "%n = add i64 %b, 0" : "%n = trunc i64 %b to " + t;
          const std::string from = t == "i64" ? "%m = add i64 %a, 0" : "%m = trunc i64 %a to " + t;
          const std::string result =
              t == "i64" ? "%r = add i64 %v, 0" : "%r = sext " + t + " %v to i64";
          ExpectSame("define i64 @f(i64 %a, i64 %b) {\n  %x = alloca " + t +
                     "\n"
                     "  %c = alloca i32\n  " +
                     n + "\n  " + from +
                     "\n"
                     "  store " +
                     t +
                     " %m, ptr %x\n  store i32 9, ptr %c\n  br label %loop\n"
                     "loop:\n"
                     "  %x0 = load " +
                     t + ", ptr %x\n  %x1 = " + op + " " + t + " %x0, " + by + "\n  store " + t +
                     " %x1, ptr %x\n  %is = icmp " + predicate + " " + t +
                     " %x1, 0\n  br i1 %is, label %end, label %next\nnext:\n"
                     "  %y0 = load " +
                     t + ", ptr %x\n  %y1 = " + op + " " + t +
                     " %y0, 5\n"
                     "  store " +
                     t +
                     " %y1, ptr %x\n"
                     "  %c0 = load i32, ptr %c\n  %c1 = sub i32 %c0, 1\n"
                     "  store i32 %c1, ptr %c\n  %more = icmp ne i32 %c1, 0\n"
                     "  br i1 %more, label %loop, label %end\nend:\n"
                     "  %v = load " +
                     t + ", ptr %x\n  " + result + "\n  ret i64 %r\n}\n");
        }
      }
    }
  }
}

}  // namespace
}  // namespace firstcall::baseline
