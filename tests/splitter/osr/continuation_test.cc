// What a function does is the same wherever it goes on in a continuation: each program is run as it
// is, and then left at every loop, at several iterations.

#include "splitter/osr/continuation.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "splitter/osr/hotness_polls.h"
#include "splitter/osr/loop_entries.h"
#include "tests/splitter/osr/continuation_programs.h"
#include "tests/splitter/osr/reference_jit.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// --- What programs may call ---

std::vector<int64_t> traced;
int32_t* kept = nullptr;

void Trace(int64_t value) { traced.push_back(value); }
void Keep(int32_t* p) { kept = p; }
void Bump() { ++*kept; }
void ThrowIf(int64_t value) {
  if (value != 0) throw value;
}

#if defined(__aarch64__)
// What numbers of 128 bits are computed by: a library that is linked statically.
extern "C" {
void __multf3();
void __trunctfdf2();
}
#endif

std::map<std::string, void*> Host() {
  std::map<std::string, void*> host = {{"trace", reinterpret_cast<void*>(&Trace)},
                                       {"keep", reinterpret_cast<void*>(&Keep)},
                                       {"bump", reinterpret_cast<void*>(&Bump)},
                                       {"throw_if", reinterpret_cast<void*>(&ThrowIf)}};
#if defined(__aarch64__)
  host["__multf3"] = reinterpret_cast<void*>(&__multf3);
  host["__trunctfdf2"] = reinterpret_cast<void*>(&__trunctfdf2);
#endif
  return host;
}

struct Outcome {
  int64_t result = 0;
  std::vector<int64_t> trace;

  bool operator==(const Outcome& other) const {
    return result == other.result && trace == other.trace;
  }
  friend void PrintTo(const Outcome& outcome, std::ostream* stream) {
    *stream << outcome.result << " and " << ::testing::PrintToString(outcome.trace);
  }
};

Outcome Observe(int64_t (*run)(int64_t), int64_t argument) {
  traced.clear();
  kept = nullptr;
  Outcome outcome;
  try {
    outcome.result = run(argument);
  } catch (int64_t thrown) {
    outcome.result = -1000 - thrown;
  }
  outcome.trace = traced;
  return outcome;
}

// --- Leaving ---

// Lets @f go on in `continuation` when `loop` comes round for the `leave_at`th time.
struct Leaving {
  uint32_t loop = 0;
  int leave_at = 0;
  void* continuation = nullptr;
  int left = 0;
};

void* Leave(HotnessCounter* counter, uint32_t loop) {
  auto* leaving = static_cast<Leaving*>(counter->owner.load());
  counter->left.store(0);
  if (loop != leaving->loop || --leaving->leave_at != 0) return nullptr;
  ++leaving->left;
  return leaving->continuation;
}

std::unique_ptr<llvm::Module> WithContinuation(const std::string& text, uint32_t loop,
                                               llvm::LLVMContext& context) {
  std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  module->setDataLayout(ReferenceDataLayout());
  llvm::Function& function = *module->getFunction("f");
  llvm::ValueToValueMapTy map;
  llvm::Function& copy = *llvm::CloneFunction(&function, map);
  const Labels its_labels = FindLabels(copy);
  LoopEntries its_entries(copy, its_labels, LoopEntries::Purpose::kContinuation);
  MakeContinuation(copy, *its_entries.Find(loop), "continuation");
  const Labels labels = FindLabels(function);
  LoopEntries entries(function, labels, LoopEntries::Purpose::kContinuation);
  size_t taken = 0;
  AddHotnessPolls(function, *DeclareHotnessCounter(*module, "counter", /*is_near=*/false), entries,
                  ChoosePolls(function, entries, SIZE_MAX, taken), /*asks_when_called=*/true);
  return module;
}

class ContinuationTest
    : public ::testing::TestWithParam<std::tuple<ContinuationProgram, /*optimize=*/bool>> {};

TEST_P(ContinuationTest, ChangesNothing) {
  const auto& [program, optimize] = GetParam();
  constexpr int64_t kArguments[] = {0, 1, 2, 9};
  llvm::LLVMContext context;
  std::map<int64_t, Outcome> expected;
  size_t loops = 0;
  {
    std::unique_ptr<llvm::Module> module = ParseModule(program.text, context);
    ASSERT_NE(module, nullptr);
    llvm::Function& function = *module->getFunction("f");
    const Labels labels = FindLabels(function);
    loops = LoopEntries(function, labels, LoopEntries::Purpose::kContinuation).size();
    ReferenceJit jit(std::move(module), optimize, Host());
    auto* run = jit.Address<int64_t(int64_t)>("run");
    ASSERT_NE(run, nullptr);
    for (int64_t argument : kArguments) expected[argument] = Observe(run, argument);
  }
  ASSERT_EQ(loops, program.loops);
  for (uint32_t loop = 0; loop < loops; ++loop) {
    HotnessCounter counter;
    Leaving leaving;
    std::map<std::string, void*> host = Host();
    host["counter"] = &counter;
    ReferenceJit jit(WithContinuation(program.text, loop, context), optimize, host);
    auto* run = jit.Address<int64_t(int64_t)>("run");
    auto* continuation = jit.Address<void>("continuation");
    ASSERT_NE(run, nullptr);
    ASSERT_NE(continuation, nullptr);
    int left = 0;
    for (int64_t argument : kArguments) {
      for (int leave_at : {1, 2, 3, 6}) {
        SCOPED_TRACE(absl::StrCat("loop ", loop, ", argument ", argument, ", left at ", leave_at));
        leaving = {loop, leave_at, continuation, 0};
        counter.left = 0;
        counter.handler = &Leave;
        counter.owner = &leaving;
        EXPECT_EQ(Observe(run, argument), expected[argument]);
        left += leaving.left;
      }
    }
    EXPECT_GE(left, 4) << "loop " << loop << " is hardly ever run";
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ContinuationTest,
                         ::testing::Combine(::testing::ValuesIn(ContinuationPrograms()),
                                            ::testing::Bool()),
                         [](const ::testing::TestParamInfo<ContinuationTest::ParamType>& info) {
                           return absl::StrCat(std::get<0>(info.param).name,
                                               std::get<1>(info.param) ? "Optimized" : "");
                         });

// --- What it looks like ---

class ContinuationShapeTest : public ::testing::Test {
 protected:
  // The continuation at the first loop of @f.
  llvm::Function& Make(const std::string& text) {
    module_ = ParseModule(text, context_);
    llvm::Function& function = *module_->getFunction("f");
    const Labels labels = FindLabels(function);
    LoopEntries entries(function, labels, LoopEntries::Purpose::kContinuation);
    llvm::Function* made = MakeContinuation(function, *entries.Find(0), "continuation");
    bool debug_info_is_broken = false;
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs(), &debug_info_is_broken));
    EXPECT_FALSE(debug_info_is_broken);
    EXPECT_EQ(made->getName(), "continuation");
    EXPECT_TRUE(made->hasExternalLinkage());
    return *module_->getFunction("continuation.body");
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

constexpr char kLoop[] = R"( {
  entry:
    br label %loop
  loop:
    %more = load volatile i1, ptr %p
    br i1 %more, label %loop, label %end
  end:
    ret ptr %p
  })";

TEST_F(ContinuationShapeTest, KeepsWhatIsStillTrueOfTheFunction) {
  llvm::Function& made = Make(absl::StrCat(
      "declare i32 @personality(...)\n"
      "define internal nonnull ptr @f(ptr nocapture returned %p) nounwind willreturn alwaysinline "
      "memory(argmem: read) \"target-features\"=\"\" section \"mine\" personality ptr "
      "@personality",
      kLoop));
  EXPECT_TRUE(made.hasLocalLinkage());
  EXPECT_TRUE(made.hasPersonalityFn());
  EXPECT_TRUE(made.doesNotThrow());
  EXPECT_TRUE(made.hasFnAttribute("target-features"));
  EXPECT_TRUE(made.hasRetAttribute(llvm::Attribute::NonNull));
  EXPECT_FALSE(made.hasFnAttribute(llvm::Attribute::AlwaysInline));
  EXPECT_FALSE(made.hasFnAttribute(llvm::Attribute::WillReturn));
  EXPECT_FALSE(made.hasFnAttribute(llvm::Attribute::Memory));
  EXPECT_FALSE(made.hasParamAttribute(0, llvm::Attribute::Returned));
  EXPECT_EQ(module_->getFunction("f"), nullptr);
}

TEST_F(ContinuationShapeTest, FunctionThatIsStillCalledBecomesADeclaration) {
  llvm::Function& made = Make(R"(
    define i32 @f(i32 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ %n, %entry ], [ %j, %loop ]
      %j = call i32 @f(i32 %i)
      %more = icmp eq i32 %j, 3
      br i1 %more, label %loop, label %end
    end:
      ret i32 %j
    })");
  EXPECT_FALSE(made.isDeclaration());
  ASSERT_NE(module_->getFunction("f"), nullptr);
  EXPECT_TRUE(module_->getFunction("f")->isDeclaration());
}

TEST_F(ContinuationShapeTest, WhatLiesBeforeTheLoopIsGone) {
  Make(R"(
    declare void @before()
    declare i1 @inside()
    define void @f() {
    entry:
      call void @before()
      br label %loop
    loop:
      %more = call i1 @inside()
      br i1 %more, label %loop, label %end
    end:
      ret void
    })");
  EXPECT_THAT(PrintModule(*module_), HasSubstr("call i1 @inside()"));
  EXPECT_THAT(PrintModule(*module_), Not(HasSubstr("call void @before()")));
}

constexpr char kWithDebugInformation[] = R"(
  define i32 @f(i32 %n) !dbg !4 {
  entry:
    %v = alloca i32, !dbg !7
    call void @llvm.dbg.declare(metadata ptr %v, metadata !8, metadata !DIExpression()), !dbg !7
    store i32 %n, ptr %v, !dbg !7
    call void @llvm.dbg.value(metadata i32 %n, metadata !9, metadata !DIExpression()), !dbg !7
    br label %loop, !dbg !7
  loop:
    %i = phi i32 [ 0, %entry ], [ %j, %loop ], !dbg !7
    call void @llvm.dbg.value(metadata i32 %i, metadata !9, metadata !DIExpression()), !dbg !7
    %j = add i32 %i, 1, !dbg !7
    %last = load i32, ptr %v, !dbg !7
    %more = icmp slt i32 %j, %last, !dbg !7
    br i1 %more, label %loop, label %end, !dbg !7
  end:
    ret i32 %j, !dbg !7
  }
  declare void @llvm.dbg.declare(metadata, metadata, metadata)
  declare void @llvm.dbg.value(metadata, metadata, metadata)
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
  !1 = !DIFile(filename: "f.c", directory: "/")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !3 = !DISubroutineType(types: !{null})
  !4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !3, unit: !0,
                              spFlags: DISPFlagDefinition)
  !5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
  !7 = !DILocation(line: 2, scope: !4)
  !8 = !DILocalVariable(name: "v", scope: !4, type: !5)
  !9 = !DILocalVariable(name: "i", scope: !4, type: !5))";

TEST_F(ContinuationShapeTest, DebugInformationComesAlong) {
  llvm::Function& made = Make(kWithDebugInformation);
  ASSERT_NE(made.getSubprogram(), nullptr);
  EXPECT_EQ(made.getSubprogram()->getName(), "f");
  EXPECT_EQ(module_->getFunction("f"), nullptr);
}

TEST_F(ContinuationShapeTest, DebugInformationStaysWithABodyThatIsNotInlined) {
  llvm::Function& made = Make(kWithDebugInformation);
  KeepDebugInfoOfContinuations(*module_);
  EXPECT_NE(made.getSubprogram(), nullptr);
  EXPECT_EQ(module_->getFunction("continuation")->getSubprogram(), nullptr);
  EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
}

TEST_F(ContinuationShapeTest, DebugInformationOfAnInlinedBodyIsTheContinuations) {
  llvm::Function& made = Make(kWithDebugInformation);
  llvm::InlineFunctionInfo info;
  ASSERT_TRUE(
      llvm::InlineFunction(*llvm::cast<llvm::CallBase>(*made.user_begin()), info).isSuccess());
  made.eraseFromParent();
  KeepDebugInfoOfContinuations(*module_);
  llvm::Function& continuation = *module_->getFunction("continuation");
  ASSERT_NE(continuation.getSubprogram(), nullptr);
  EXPECT_EQ(continuation.getSubprogram()->getName(), "f");
  bool debug_info_is_broken = false;
  EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs(), &debug_info_is_broken));
  EXPECT_FALSE(debug_info_is_broken);
  EXPECT_THAT(PrintModule(*module_), Not(HasSubstr("firstcall.subprogram")));
}

// The table names the blocks where they are now.
TEST_F(ContinuationShapeTest, LabelsFollowTheirBlocks) {
  llvm::Function& made = Make(R"(
    @table = internal constant [2 x ptr] [ptr blockaddress(@f, %again), ptr blockaddress(@f, %end)]
    define i32 @f(ptr %p) {
    entry:
      br label %again
    again:
      %i = load volatile i32, ptr %p
      %t = getelementptr [2 x ptr], ptr @table, i32 0, i32 %i
      %l = load ptr, ptr %t
      indirectbr ptr %l, [label %again, label %end]
    end:
      ret i32 %i
    })");
  const std::string text = PrintModule(*module_);
  EXPECT_THAT(text, HasSubstr("blockaddress(@continuation.body, %again)"));
  EXPECT_THAT(text, Not(HasSubstr("blockaddress(@f,")));
  EXPECT_FALSE(made.isDeclaration());
}

}  // namespace
}  // namespace firstcall
