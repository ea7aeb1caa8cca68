// Stack protection by the baseline code generator: which functions have a guard, as LLVM decides
// it; where the guard lies; and what happens when an overflow changes it.

#include "backend/baseline/stack_protection.h"

#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/baseline_compiler.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/data_layout.h"

namespace {

// Writes `count` bytes from `to` on, as an overflow does.
void Fill(char* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) const_cast<volatile char*>(to)[i] = 'x';
}

int64_t distance = 0;

}  // namespace

extern "C" {
void test_fill(char* to, int64_t count) { Fill(to, count); }
void test_look(char*) {}
// Notes by how much the second variable lies above the first one.
void test_compare(char* low, char* high) { distance = high - low; }
void test_throw() { throw 7; }
}

namespace firstcall::baseline {
namespace {

constexpr const char* kTriples[] = {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"};
constexpr absl::string_view kLayouts[] = {llvm_version::kX8664Layout, llvm_version::kAArch64Layout};

constexpr char kDeclarations[] = R"(
  declare void @test_fill(ptr, i64)
  declare void @test_look(ptr)
  declare void @test_compare(ptr, ptr)
  declare void @test_throw()
  declare void @llvm.lifetime.start.p0(i64, ptr)
  declare i32 @_setjmp(ptr) returns_twice
)";

struct Compiled {
  Refusal refusal = Refusal::kNone;
  bool has_guard = false;  // The code calls the function for a changed guard.
};

Compiled Compile(const char* triple, const std::string& text) {
  Compiled result;
  llvm::LLVMContext context;
  const bool is_first = triple == kTriples[0];
  const std::unique_ptr<llvm::Module> module =
      ParseModule(absl::StrCat("target datalayout = \"", kLayouts[is_first ? 0 : 1],
                               "\"\ntarget triple = \"", triple, "\"\n", kDeclarations, text),
                  context);
  if (module == nullptr) return result;
  const auto compiler = BaselineCompiler::Create(triple, BaselineOptions());
  EXPECT_THAT(compiler.status(), IsOk());
  CompiledCode code;
  result.refusal = CompileLlvm(**compiler, *module->getFunction("f"), code);
  result.has_guard = absl::StrContains(code.names, "__stack_chk_fail");
  return result;
}

// A function with this body, protected with this strength.
void ExpectGuard(const std::string& body, const std::string& attributes, bool has_guard) {
  for (const char* triple : kTriples) {
    const Compiled compiled = Compile(
        triple, absl::StrCat("define void @f(i64 %n, ptr %p) ", attributes, " {\n", body, "\n}\n"));
    EXPECT_EQ(compiled.refusal, Refusal::kNone) << body;
    EXPECT_EQ(compiled.has_guard, has_guard) << triple << " " << attributes << "\n" << body;
  }
}

// Whether there is a guard with ssp, and whether there is one with sspstrong. With sspreq there
// always is one, and without an attribute none.
void ExpectGuards(const std::string& body, bool with_plain, bool with_strong) {
  ExpectGuard(body, "", false);
  ExpectGuard(body, "ssp", with_plain);
  ExpectGuard(body, "sspstrong", with_strong);
  ExpectGuard(body, "sspreq", true);
}

TEST(StackProtectionTest, FunctionsWithoutVariablesInDangerHaveNoGuard) {
  ExpectGuards("ret void", false, false);
  ExpectGuards("%a = alloca i64 store i64 %n, ptr %a %b = load i64, ptr %a ret void", false, false);
  ExpectGuards(
      "%a = alloca { i64, i64 } %b = getelementptr { i64, i64 }, ptr %a, i32 0, i32 1 "
      "store i64 %n, ptr %b ret void",
      false, false);
  ExpectGuards("%a = alloca i64 call void @llvm.lifetime.start.p0(i64 8, ptr %a) ret void", false,
               false);
}

TEST(StackProtectionTest, ArraysAreInDanger) {
  ExpectGuards("%a = alloca [8 x i8] ret void", true, true);
  ExpectGuards("%a = alloca [7 x i8] ret void", false, true);
  ExpectGuards("%a = alloca [8 x i64] ret void", false, true);
  ExpectGuards("%a = alloca { i64, { [8 x i8] } } ret void", true, true);
  ExpectGuards("%a = alloca { i64, [2 x i32] } ret void", false, true);
  ExpectGuards("%a = alloca i8, i64 8 ret void", true, true);
  ExpectGuards("%a = alloca i8, i64 7 ret void", false, true);
  ExpectGuards("%a = alloca i8, i64 %n ret void", true, true);
  ExpectGuard("%a = alloca [8 x i8] ret void", "ssp \"stack-protector-buffer-size\"=\"9\"", false);
  ExpectGuard("%a = alloca [9 x i8] ret void", "ssp \"stack-protector-buffer-size\"=\"9\"", true);
}

TEST(StackProtectionTest, VariablesWhoseAddressesAreTakenAreInDangerIfStrong) {
  for (const char* use : {
           "call void @test_look(ptr %a)",
           "store ptr %a, ptr %p",
           "%b = ptrtoint ptr %a to i64",
           "%b = getelementptr i8, ptr %a, i64 %n",
           "%b = getelementptr i8, ptr %a, i64 8",
           "%b = getelementptr i8, ptr %a, i64 -1",
           "%b = getelementptr i8, ptr %a, i64 4 store i64 %n, ptr %b",
           "%b = getelementptr i8, ptr %a, i64 4 call void @test_look(ptr %b)",
           "store i128 0, ptr %a",
           "%b = icmp eq ptr %a, %p",
       }) {
    ExpectGuards(absl::StrCat("%a = alloca i64 ", use, " ret void"), false, true);
  }
  // The phi stands before the pointer that it has.
  ExpectGuards(R"(
      %a = alloca { i64, i64 }
      br label %head
    head:
      %b = phi ptr [ %p, %0 ], [ %c, %head ]
      store i64 1, ptr %b
      %c = getelementptr { i64, i64 }, ptr %a, i32 0, i32 1
      %again = icmp eq i64 %n, 0
      br i1 %again, label %head, label %done
    done:
      ret void)",
               false, true);
}

TEST(StackProtectionTest, TheGuardIsCheckedBeforeCallsThatLeaveByAnException) {
  ExpectGuard("%a = alloca [8 x i8] call void @test_throw() noreturn unreachable", "ssp", true);
  ExpectGuard("%a = alloca [8 x i8] call void @test_throw() noreturn nounwind unreachable", "ssp",
              false);
}

TEST(StackProtectionTest, RefusesGuardsInUnusualPlaces) {
  const std::string body = "define void @f() sspreq { ret void }\n";
  for (const char* flag : {"!{i32 1, !\"stack-protector-guard\", !\"global\"}",
                           "!{i32 1, !\"stack-protector-guard-reg\", !\"gs\"}",
                           "!{i32 1, !\"stack-protector-guard-offset\", i32 64}"}) {
    for (const char* triple : kTriples) {
      EXPECT_EQ(
          Compile(triple, absl::StrCat(body, "!llvm.module.flags = !{!0}\n!0 = ", flag)).refusal,
          Refusal::kFunctionAttribute);
    }
  }
  for (const char* triple :
       {"x86_64-apple-macosx14.0", "x86_64-unknown-freebsd13", "x86_64-unknown-linux-android21"}) {
    EXPECT_EQ(Compile(triple, body).refusal, Refusal::kFunctionAttribute);
  }
  EXPECT_EQ(Compile(kTriples[0],
                    "define void @f() ssp \"stack-protector-buffer-size\"=\"x\" { ret void }")
                .refusal,
            Refusal::kFunctionAttribute);
}

// ---- Functions that run ----

// Compiled by the baseline code generator, or by LLVM.
std::unique_ptr<Engine> EngineFor(const std::string& program, Baseline baseline) {
  EngineOptions options;
  options.baseline = baseline;
  options.tier = Tier::kZero;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  EXPECT_THAT(engine->AddBitcode(ParseToBitcode(absl::StrCat(kDeclarations, program)), "program"),
              IsOk());
  return engine;
}

constexpr char kOverflows[] = R"(
  define void @array(i64 %n) sspstrong {
    %before = alloca i64
    %a = alloca [16 x i8], align 16
    %after = alloca i64
    store i64 %n, ptr %before
    store i64 %n, ptr %after
    call void @test_fill(ptr %a, i64 %n)
    ret void
  }
  define void @dynamic(i64 %n) sspstrong {
    %a = alloca i8, i64 16
    %b = alloca i8, i64 %n
    call void @test_fill(ptr %b, i64 16)
    %m = add i64 %n, 16
    call void @test_fill(ptr %b, i64 %m)
    ret void
  }
  define void @only_dynamic(i64 %size, i64 %n) ssp {
    %b = alloca i8, i64 %size
    call void @test_fill(ptr %b, i64 %n)
    ret void
  }
  define i64 @many(i64 %n, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i) sspreq {
    %a = alloca [40 x i8]
    call void @test_fill(ptr %a, i64 %n)
    %s = add i64 %h, %i
    ret i64 %s
  }
  define i64 @calls_many(i64 %n) sspreq {
    %r = call i64 @many(i64 %n, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9)
    ret i64 %r
  }
  define double @twice(i64 %n) sspstrong {
    %buffer = alloca [64 x i64], align 16
    %a = alloca [24 x i8]
    %again = call i32 @_setjmp(ptr %buffer) returns_twice
    call void @test_fill(ptr %a, i64 %n)
    ret double 2.5
  }
  define void @throws(i64 %n) ssp {
    %a = alloca [24 x i8]
    call void @test_fill(ptr %a, i64 %n)
    call void @test_throw() noreturn
    unreachable
  }
)";

TEST(StackProtectionTest, FunctionsWithAGuardWorkIfNothingOverflows) {
  const std::unique_ptr<Engine> engine = EngineFor(kOverflows, Baseline::kStrict);
  engine->Lookup<void(int64_t)>("array").value()(16);
  engine->Lookup<void(int64_t, int64_t)>("only_dynamic").value()(100, 100);
  EXPECT_EQ(engine->Lookup<int64_t(int64_t)>("calls_many").value()(40), 17);
  EXPECT_EQ(engine->Lookup<double(int64_t)>("twice").value()(24), 2.5);
  EXPECT_THROW(engine->Lookup<void(int64_t)>("throws").value()(24), int);
}

#if defined(__x86_64__)  // The emulator of another architecture cannot fork as death tests do.
using StackProtectionDeathTest = ::testing::TestWithParam<Baseline>;

TEST_P(StackProtectionDeathTest, OverflowsEndTheProgram) {
  const std::unique_ptr<Engine> engine = EngineFor(kOverflows, GetParam());
  constexpr char kMessage[] = "stack smashing detected";
  EXPECT_DEATH(engine->Lookup<void(int64_t)>("array").value()(40), kMessage);
  EXPECT_DEATH(engine->Lookup<void(int64_t, int64_t)>("only_dynamic").value()(64, 128), kMessage);
  EXPECT_DEATH(engine->Lookup<int64_t(int64_t)>("calls_many").value()(64), kMessage);
  EXPECT_DEATH(engine->Lookup<double(int64_t)>("twice").value()(600), kMessage);
  EXPECT_DEATH(engine->Lookup<void(int64_t)>("throws").value()(48), kMessage);
}

INSTANTIATE_TEST_SUITE_P(Generators, StackProtectionDeathTest,
                         ::testing::Values(Baseline::kStrict, Baseline::kOff));
#endif

// An overflow of an array must not reach other variables before the guard.
TEST(StackProtectionTest, ArraysLieAboveOtherVariables) {
  const std::unique_ptr<Engine> engine = EngineFor(R"(
    define void @f() sspstrong {
      %taken = alloca i64
      %large = alloca [16 x i8]
      %small = alloca [4 x i8]
      %taken2 = alloca i64
      call void @test_compare(ptr %taken, ptr %small)
      ret void
    }
    define void @g() sspstrong {
      %small = alloca [4 x i8]
      %large = alloca [16 x i8]
      call void @test_compare(ptr %small, ptr %large)
      ret void
    }
    define void @h() ssp {
      %large = alloca [16 x i8]
      %taken = alloca i64
      call void @test_compare(ptr %taken, ptr %large)
      ret void
    }
  )",
                                                   Baseline::kStrict);
  for (const char* name : {"f", "g", "h"}) {
    distance = 0;
    engine->Lookup<void()>(name).value()();
    EXPECT_GT(distance, 0) << name;
  }
}

}  // namespace
}  // namespace firstcall::baseline
