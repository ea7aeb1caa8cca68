#include "direct/function_choice.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/baseline_compiler.h"
#include "base/file_contents.h"
#include "base/ids.h"
#include "base/module_contents.h"
#include "direct/compile_context.h"
#include "direct/host_target.h"
#include "direct/source_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/function.h"
#include "ir/global.h"
#include "seam/compiler.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr ModuleId kModule{1};

struct Options {
  std::vector<std::string> have_bodies = {};  // These may not join.
  bool others_may_join = true;
  size_t companions = 0;
  bool lists_callees = false;
};

class FunctionChoiceTest : public ::testing::Test {
 protected:
  FunctionChoiceTest() {
    baseline::BaselineOptions options;
    options.features = HostFeatures();
    context_ = CompileContext::Create(options, CompileSettings()).value();
  }

  void Read(absl::string_view text) {
    source_ =
        std::make_unique<SourceModule>(kModule,
                                       ModuleContents{"m", ModuleContents::Form::kBitcode,
                                                      FileContents::Copy(ParseToBitcode(text))},
                                       /*index=*/nullptr);
    ASSERT_OK_AND_ASSIGN(module_, source_->Read());
  }

  std::string NameOf(SymbolOrdinal ordinal) const {
    return std::string(module_->module().globals()[module_->numbers.GlobalOf(ordinal)].name);
  }

  absl::Status Choose(absl::string_view name, const Options& options) {
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    const auto may_join = [&](SymbolOrdinal other) {
      asked_.push_back(NameOf(other));
      return std::count(options.have_bodies.begin(), options.have_bodies.end(), NameOf(other)) == 0;
    };
    FunctionOrder order{kModule, module_->index->Find(name).value(), is_replaced, may_join};
    order.others_may_join = options.others_may_join;
    order.companions = options.companions;
    order.lists_callees = options.lists_callees;
    asked_.clear();
    absl::StatusOr<FunctionChoice> choice = ChooseFunctions(order, module_, *context_);
    if (choice.ok()) choice_ = *std::move(choice);
    return choice.status();
  }

  // The names of the chosen functions, each of which must have its own body.
  std::vector<std::string> FunctionsFor(absl::string_view name, const Options& options = {}) {
    EXPECT_THAT(Choose(name, options), IsOk());
    std::vector<std::string> names;
    for (size_t i = 0; i < choice_.functions.size(); ++i) {
      const FunctionChoice::ChosenFunction& chosen = choice_.functions[i];
      EXPECT_EQ(module_->numbers.GlobalOf(chosen.ordinal), chosen.global);
      EXPECT_EQ(context_->Body(i).global_number(), chosen.global);
      names.push_back(NameOf(chosen.ordinal));
    }
    return names;
  }

  std::unique_ptr<CompileContext> context_;
  std::unique_ptr<SourceModule> source_;
  std::shared_ptr<const ReadModule> module_;
  FunctionChoice choice_;
  std::vector<std::string> asked_;  // By the last choice, whether they may join.
};

// A function of `count` instructions and a return.
std::string FunctionOf(size_t count, absl::string_view name) {
  std::string text = absl::StrCat("define void @", name, "(ptr %p) {\n");
  for (size_t i = 0; i < count; ++i) absl::StrAppend(&text, "store volatile i32 0, ptr %p\n");
  return absl::StrCat(text, "ret void\n}\n");
}

// A function that calls the `callees`, and nothing else.
std::string CallerOf(const std::vector<std::string>& callees, absl::string_view name) {
  std::string text = absl::StrCat("define void @", name, "(ptr %p) {\n");
  for (const std::string& callee : callees) {
    absl::StrAppend(&text, "call void @", callee, "(ptr %p)\n");
  }
  return absl::StrCat(text, "ret void\n}\n");
}

constexpr absl::string_view kCalls = R"(
  declare void @elsewhere()
  define void @f(i1 %c) {
    call void @always()
    br i1 %c, label %then, label %end
  then:
    call void @sometimes()
    br label %end
  end:
    call void @elsewhere()
    ret void
  }
  define void @always() {
    call void @inner()
    ret void
  }
  define void @inner() {
    ret void
  }
  define void @sometimes() {
    ret void
  }
)";

TEST_F(FunctionChoiceTest, WhatIsCertainlyCalledJoins) {
  Read(kCalls);
  EXPECT_THAT(FunctionsFor("f"), ElementsAre("f", "always", "inner"));
  EXPECT_THAT(choice_.variables, IsEmpty());
  EXPECT_THAT(choice_.callees, IsEmpty());
}

TEST_F(FunctionChoiceTest, NothingJoinsIfNothingMay) {
  Read(kCalls);
  Options options;
  options.others_may_join = false;
  EXPECT_THAT(FunctionsFor("f", options), ElementsAre("f"));
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(FunctionChoiceTest, WhatHasABodyNeitherJoinsNorBringsItsCallees) {
  Read(kCalls);
  Options options;
  options.have_bodies = {"always"};
  EXPECT_THAT(FunctionsFor("f", options), ElementsAre("f"));
  EXPECT_THAT(asked_, ElementsAre("always"));
}

TEST_F(FunctionChoiceTest, ListsWhatIsLikelyCalledAndHasNotJoined) {
  Read(kCalls);
  Options options;
  options.lists_callees = true;
  EXPECT_THAT(FunctionsFor("f", options), ElementsAre("f", "always", "inner"));
  ASSERT_THAT(choice_.callees, SizeIs(1));
  EXPECT_EQ(NameOf(choice_.callees[0]), "sometimes");
}

TEST_F(FunctionChoiceTest, CompanionsAreWhatComesNextInTheModule) {
  Read(kCalls);
  Options options;
  options.companions = 2;
  EXPECT_THAT(FunctionsFor("inner", options), ElementsAre("inner", "sometimes", "f"));
  options.have_bodies = {"f"};
  EXPECT_THAT(FunctionsFor("inner", options), ElementsAre("inner", "sometimes", "always"));
}

constexpr char kOnlyForLlvm[] = R"(
  define void @f() {
    call void @assembly()
    call void @prefixed()
    call void @foreign()
    call void @plain()
    ret void
  }
  define void @assembly() {
    call void asm "nop", ""()
    ret void
  }
  define void @prefixed() prefix i32 1 {
    ret void
  }
  define ptr @foreign() {
    ret ptr blockaddress(@owner, %label)
  }
  define void @owner() {
    br label %label
  label:
    ret void
  }
  define void @plain() {
    ret void
  })";

TEST_F(FunctionChoiceTest, WhatOnlyLlvmCompilesDoesNotJoin) {
  Read(kOnlyForLlvm);
  EXPECT_THAT(FunctionsFor("f"), ElementsAre("f", "plain"));
  // Whether the bodies had been looked at before makes no difference.
  EXPECT_THAT(FunctionsFor("f"), ElementsAre("f", "plain"));
}

TEST_F(FunctionChoiceTest, SaysWhyOnlyLlvmCompilesTheRequestedFunction) {
  Read(kOnlyForLlvm);
  const auto refused = [](const char* reason) {
    return StatusIs(absl::StatusCode::kUnimplemented, reason);
  };
  EXPECT_THAT(Choose("assembly", {}), refused("inline assembly"));
  EXPECT_THAT(Choose("prefixed", {}), refused("prefix data"));
  EXPECT_THAT(Choose("foreign", {}), refused("addresses of blocks of other functions"));
  EXPECT_THAT(Choose("owner", {}), refused("addresses of blocks of other functions"));
}

TEST_F(FunctionChoiceTest, NothingJoinsAFunctionWithTablesOfItsLabels) {
  Read(R"(
    @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    define void @f(i64 %i) {
      call void @callee()
      %place = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
      %label = load ptr, ptr %place
      indirectbr ptr %label, [ label %a, label %b ]
    a:
      ret void
    b:
      ret void
    }
    define void @callee() {
      ret void
    }
    define void @caller() {
      call void @f(i64 0)
      ret void
    })");
  EXPECT_THAT(FunctionsFor("f"), ElementsAre("f"));
  ASSERT_THAT(choice_.variables, SizeIs(1));
  EXPECT_EQ(NameOf(choice_.variables[0].ordinal), "table");
  // Nor does such a function join others.
  EXPECT_THAT(FunctionsFor("caller"), ElementsAre("caller"));
  EXPECT_THAT(choice_.variables, IsEmpty());
}

TEST_F(FunctionChoiceTest, LargeFunctionsDoNotJoin) {
  Read(absl::StrCat(FunctionOf(2000, "large"), FunctionOf(1, "small"),
                    CallerOf({"large", "small"}, "f"), CallerOf({"small"}, "other")));
  EXPECT_THAT(FunctionsFor("f"), ElementsAre("f"));
  // The memory of a body that is not needed is given up.
  EXPECT_THAT(context_->Body(1).instructions, IsEmpty());
  EXPECT_THAT(FunctionsFor("other"), ElementsAre("other", "small"));
  EXPECT_THAT(FunctionsFor("large"), ElementsAre("large"));
}

TEST_F(FunctionChoiceTest, AtMost2000InstructionsJoin) {
  Read(absl::StrCat(FunctionOf(999, "a"), FunctionOf(998, "b"), FunctionOf(1, "c"),
                    FunctionOf(0, "d"), CallerOf({"a", "b", "a", "c", "d"}, "f")));
  // 1,000 and 999, and then 2 would be too many, after which nothing is tried.
  EXPECT_THAT(FunctionsFor("f"), ElementsAre("f", "a", "b"));
}

TEST_F(FunctionChoiceTest, AtMost64FunctionsAreCompiledTogether) {
  std::string text;
  std::vector<std::string> callees;
  for (int i = 0; i < 70; ++i) {
    callees.push_back(absl::StrCat("g", i));
    text += FunctionOf(1, callees.back());
  }
  Read(text + CallerOf(callees, "f"));
  EXPECT_THAT(FunctionsFor("f"), SizeIs(64));
}

// What a former choice has read is in the places of other functions.
TEST_F(FunctionChoiceTest, ABodyWhoseSizeIsKnownIsReadWhenItJoins) {
  Read(absl::StrCat(FunctionOf(1, "a"), FunctionOf(2, "b"), CallerOf({"a", "b"}, "f"),
                    CallerOf({"b", "a"}, "g")));
  EXPECT_THAT(FunctionsFor("f"), ElementsAre("f", "a", "b"));
  EXPECT_THAT(FunctionsFor("g"), ElementsAre("g", "b", "a"));
  EXPECT_THAT(context_->Body(1).instructions, SizeIs(3));
  EXPECT_THAT(context_->Body(2).instructions, SizeIs(2));
}

}  // namespace
}  // namespace firstcall::direct
