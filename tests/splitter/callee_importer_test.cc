#include "splitter/callee_importer.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CalleeImporterTest : public ::testing::Test {
 protected:
  void Load(const std::string& text) { module_ = ParseModule(text, context_); }

  llvm::Function& Get(const std::string& name) { return *module_->getFunction(name); }

  // What comes along with @f, from among the definitions but `refused`: `!` marks what is private.
  std::vector<std::string> ImportsOf(const std::string& refused = "",
                                     const std::string& cold = "") {
    const auto may_be_imported = [&](llvm::Function& callee) {
      return !callee.isDeclaration() && callee.getName() != refused;
    };
    const auto is_warm = [&](llvm::Function& callee) { return callee.getName() != cold; };
    const auto small_body = [&](llvm::Function& callee, const BodyLimits& limits) {
      const bool is_small =
          may_be_imported(callee) && callee.getInstructionCount() <= limits.simplified;
      return is_small ? &callee : nullptr;
    };
    const auto likely_targets = [&](const llvm::Function& caller) {
      return targets_[caller.getName().str()];
    };
    const ImportRoot root = {&Get("f"), &Get("f")};
    const Imports imports = ChooseImports({root}, IsUnoptimized(*module_), kMaxImported,
                                          {may_be_imported, small_body, is_warm, likely_targets});
    std::vector<std::string> names;
    for (const Import& import : imports.callees) {
      names.push_back((import.is_private ? "!" : "") + import.function->getName().str());
    }
    for (const Import& import : imports.pointees) {
      names.push_back("&" + import.function->getName().str());
    }
    return names;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  // What indirect calls are likely to call, by their caller.
  std::map<std::string, std::vector<llvm::Function*>> targets_;
};

// A function `name` of `count` instructions that all matter.
std::string BodyOf(const std::string& name, int count, const std::string& attributes = "") {
  std::string text = absl::StrCat("define void @", name, "(ptr %p) ", attributes, " {\n");
  for (int i = 1; i < count; ++i) absl::StrAppend(&text, "store volatile i32 ", i, ", ptr %p\n");
  return absl::StrCat(text, "ret void }\n");
}

TEST_F(CalleeImporterTest, LikelyTargetsOfIndirectCallsComeAlong) {
  Load(absl::StrCat("define void @f(ptr %p) { call void %p(ptr %p) ret void }",
                    BodyOf("target", 10),
                    "define void @direct(ptr %p) { call void @behind(ptr %p) ret void }",
                    BodyOf("behind", 5), BodyOf("large", 400)));
  EXPECT_THAT(ImportsOf(), IsEmpty());
  targets_["f"] = {&Get("target"), &Get("f"), &Get("large"), &Get("direct")};
  EXPECT_THAT(ImportsOf(), ElementsAre("target", "direct", "behind"));
  EXPECT_THAT(ImportsOf(/*refused=*/"target"), ElementsAre("direct", "behind"));
}

TEST_F(CalleeImporterTest, LikelyTargetsOfImportsComeAlong) {
  Load(absl::StrCat("define void @f(ptr %p) { call void @middle(ptr %p) ret void }",
                    "define void @middle(ptr %p) { call void %p(ptr %p) ret void }",
                    BodyOf("target", 10)));
  targets_["middle"] = {&Get("target")};
  EXPECT_THAT(ImportsOf(), ElementsAre("middle", "target"));
}

TEST_F(CalleeImporterTest, NearestFirstAndEachOnce) {
  Load(R"(
    define void @far() { ret void }
    define void @left() { call void @far() ret void }
    define void @right() { call void @far() call void @left() ret void }
    define void @f() { call void @left() call void @right() call void @left() ret void })");
  EXPECT_THAT(ImportsOf(), ElementsAre("left", "right", "far"));
}

// LLVM inlines @large and @other into @both first, and then does not inline @both.
TEST_F(CalleeImporterTest, NothingThatItsOwnCalleesMakeTooLarge) {
  Load(absl::StrCat(BodyOf("large", 70), BodyOf("other", 70), R"(
    define void @both(ptr %p) { call void @large(ptr %p) call void @other(ptr %p) ret void }
    define void @one(ptr %p) { call void @large(ptr %p) ret void }
    define void @f(ptr %p) { call void @both(ptr %p) call void @one(ptr %p) ret void })"));
  EXPECT_THAT(ImportsOf(), ElementsAre("one", "large"));
}

TEST_F(CalleeImporterTest, WhatCallsTheFunctionsItIsPassedMayBecomeLarge) {
  Load(absl::StrCat(BodyOf("large", 70), BodyOf("other", 70), R"(
    define void @passed() { ret void }
    define void @both(ptr %p, ptr %q) {
      call void @large(ptr %p)
      call void @other(ptr %p)
      call void %q()
      ret void
    }
    define void @f(ptr %p) { call void @both(ptr %p, ptr @passed) ret void })"));
  EXPECT_THAT(ImportsOf(), ElementsAre("!both", "!large", "!other", "&passed"));
}

TEST_F(CalleeImporterTest, RecursionEnds) {
  Load(R"(
    define void @g() { call void @h() call void @f() ret void }
    define void @h() { call void @g() call void @h() ret void }
    define void @f() { call void @g() call void @f() ret void })");
  EXPECT_THAT(ImportsOf(), ElementsAre("g", "h"));
}

TEST_F(CalleeImporterTest, NothingThatTheAskedRefuses) {
  Load(R"(
    define void @deeper() { ret void }
    define void @g() { call void @deeper() ret void }
    define void @f() { call void @g() ret void })");
  EXPECT_THAT(ImportsOf(/*refused=*/"deeper"), ElementsAre("g"));
  EXPECT_THAT(ImportsOf(/*refused=*/"g"), IsEmpty());
}

TEST_F(CalleeImporterTest, NothingThatMustNotBeInlined) {
  Load(R"(
    define void @stays() noinline { ret void }
    define void @plain() noinline optnone { ret void }
    define i32 @twice() returns_twice { ret i32 0 }
    define void @naked() naked { unreachable }
    define weak void @weak() { ret void }
    define void @coroutine() presplitcoroutine { ret void }
    define void @here() { ret void }
    declare void @elsewhere()
    declare void @llvm.donothing()
    define void @f(ptr %p) {
      call void @stays()
      call void @plain()
      %a = call i32 @twice()
      call void @naked()
      call void @weak()
      call void @coroutine()
      call void @here() noinline
      call void @llvm.donothing()
      call void %p()
      ret void
    })");
  EXPECT_THAT(ImportsOf(), IsEmpty());
}

// A function may go on in another thread than the one in which it has begun.
TEST_F(CalleeImporterTest, OfUnoptimizedModulesNothingThatFindsVariablesOfTheThread) {
  const auto load_with = [&](const std::string& attributes) {
    Load(absl::StrCat(R"(
      @variable = thread_local global i32 0
      declare ptr @llvm.threadlocal.address.p0(ptr)
      attributes #0 = { )",
                      attributes, R"( }
      define ptr @finds() #0 {
        %p = call ptr @llvm.threadlocal.address.p0(ptr @variable)
        ret ptr %p
      }
      define i32 @reads() #0 { %x = load i32, ptr @variable ret i32 %x }
      define i32 @plain() #0 { ret i32 1 }
      define void @f() #0 {
        call ptr @finds()
        call i32 @reads()
        call i32 @plain()
        ret void
      })"));
  };
  load_with("noinline nounwind");
  EXPECT_THAT(ImportsOf(), ElementsAre("plain"));
  load_with("nounwind");
  EXPECT_THAT(ImportsOf(), ElementsAre("finds", "reads", "plain"));
}

TEST_F(CalleeImporterTest, NothingIntoWhatIsNotOptimized) {
  Load(
      "define void @g() { ret void }\n"
      "define void @f() noinline optnone { call void @g() ret void }");
  EXPECT_THAT(ImportsOf(), IsEmpty());
}

TEST_F(CalleeImporterTest, LargeBodiesOnlyIfTheyMustBeInlined) {
  Load(BodyOf("small", 10) + BodyOf("large", 3000) + BodyOf("must", 3000, "alwaysinline") + R"(
    define void @f(ptr %p) {
      call void @large(ptr %p)
      call void @must(ptr %p)
      call void @small(ptr %p)
      ret void
    })");
  EXPECT_THAT(ImportsOf(), ElementsAre("must"));
  Load(BodyOf("small", 10) + BodyOf("large", 3000) +
       "define void @f(ptr %p) { call void @large(ptr %p) call void @small(ptr %p) ret void }");
  EXPECT_THAT(ImportsOf(), ElementsAre("small"));
}

TEST_F(CalleeImporterTest, OfWhatIsColdOnlyVerySmallBodies) {
  for (const int size : {30, 31}) {
    Load(absl::StrCat(BodyOf("g", size), BodyOf("h", size),
                      "define void @f(ptr %p) { call void @g(ptr %p) call void @h(ptr %p) "
                      "ret void }"));
    if (size == 30) {
      EXPECT_THAT(ImportsOf("", /*cold=*/"g"), ElementsAre("g", "h"));
    } else {
      EXPECT_THAT(ImportsOf("", /*cold=*/"g"), ElementsAre("h"));
    }
  }
  Load(absl::StrCat(BodyOf("g", 90, "alwaysinline"),
                    "define void @f(ptr %p) { call void @g(ptr %p) ret void }"));
  EXPECT_THAT(ImportsOf("", /*cold=*/"g"), ElementsAre("g"));
}

TEST_F(CalleeImporterTest, AllTogetherAreLimited) {
  std::string calls;
  std::string bodies;
  for (int i = 0; i < 200; ++i) {
    bodies += BodyOf(absl::StrCat("g", i), 100);
    absl::StrAppend(&calls, "call void @g", i, "(ptr %p)\n");
  }
  Load(bodies + "define void @f(ptr %p) {\n" + calls + "ret void }");
  const std::vector<std::string> imports = ImportsOf();
  EXPECT_GE(imports.size(), 2u);
  EXPECT_LE(imports.size(), 50u);
}

TEST_F(CalleeImporterTest, NoInlineOfEveryFunctionMeansNothing) {
  const std::string most = R"(
    define void @g() noinline { ret void }
    define void @must() alwaysinline { ret void }
    declare void @elsewhere()
    define void @f() noinline { call void @g() call void @elsewhere() ret void })";
  Load(most);
  EXPECT_TRUE(IsUnoptimized(*module_));
  EXPECT_THAT(ImportsOf(), ElementsAre("g"));
  Load(most + "define void @h() { ret void }");
  EXPECT_FALSE(IsUnoptimized(*module_));
  EXPECT_THAT(ImportsOf(), IsEmpty());
}

TEST_F(CalleeImporterTest, NoInlineOfACallAlwaysMeansSomething) {
  Load(
      "define void @g() noinline { ret void }\n"
      "define void @f() noinline { call void @g() noinline ret void }");
  EXPECT_THAT(ImportsOf(), IsEmpty());
}

TEST_F(CalleeImporterTest, WhatIsPassedFunctionsIsPrivateWithWhatItCalls) {
  Load(R"(
    define i1 @less(i32 %a, i32 %b) { %r = icmp slt i32 %a, %b ret i1 %r }
    define void @step(ptr %by) { %r = call i1 %by(i32 1, i32 2) ret void }
    define void @sort(ptr %by) { call void @step(ptr %by) call void @sort(ptr %by) ret void }
    define void @other(ptr %data) { ret void }
    @data = global i32 0
    define void @f() {
      call void @sort(ptr @less)
      call void @other(ptr @data)
      ret void
    })");
  EXPECT_THAT(ImportsOf(), ElementsAre("!sort", "other", "!step", "&less"));
}

TEST_F(CalleeImporterTest, WhatAnotherModuleDefinesIsImportedOnce) {
  Load(R"(
    define available_externally void @step(ptr %by) { call void %by(ptr %by) ret void }
    define available_externally void @less(ptr %by) { ret void }
    define void @f() { call void @less(ptr @step) call void @step(ptr @less) ret void })");
  EXPECT_THAT(ImportsOf(), ElementsAre("!less", "!step"));
}

TEST_F(CalleeImporterTest, WhatIsPassedElsewhereIsNotImported) {
  Load(R"(
    declare void @sort(ptr)
    define void @large() { ret void }
    define void @less() { ret void }
    define void @f() { call void @sort(ptr @less) ret void })");
  EXPECT_THAT(ImportsOf(), IsEmpty());
}

TEST_F(CalleeImporterTest, WhoAsksForItsFrameKeepsIt) {
  Load(R"(
    declare ptr @llvm.returnaddress(i32)
    declare ptr @llvm.eh.dwarf.cfa(i32)
    declare i64 @llvm.read_register.i64(metadata)
    !0 = !{!"rbp"}
    define ptr @returns() noinline "frame-pointer"="all" { %p = call ptr @llvm.returnaddress(i32 0) ret ptr %p }
    define ptr @unwinds() noinline "frame-pointer"="all" { %p = call ptr @llvm.eh.dwarf.cfa(i32 0) ret ptr %p }
    define i64 @reads() noinline "frame-pointer"="all" { %p = call i64 @llvm.read_register.i64(metadata !0) ret i64 %p }
    define void @traced() noinline "frame-pointer"="all" "instrument-function-entry-inlined"="mcount" { ret void }
    define void @f() noinline "frame-pointer"="all" { ret void })");
  for (const char* name : {"returns", "unwinds", "reads", "traced"}) {
    ForgetThatItIsUnoptimized(Get(name));
    EXPECT_TRUE(Get(name).hasFnAttribute(llvm::Attribute::NoInline)) << name;
    EXPECT_TRUE(Get(name).hasFnAttribute("frame-pointer")) << name;
  }
  ForgetThatItIsUnoptimized(Get("f"));
  EXPECT_FALSE(Get("f").hasFnAttribute(llvm::Attribute::NoInline));
  EXPECT_FALSE(Get("f").hasFnAttribute("frame-pointer"));
}

}  // namespace
}  // namespace firstcall
