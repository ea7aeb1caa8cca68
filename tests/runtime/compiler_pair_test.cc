#include "runtime/process/compiler_pair.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seam/symbol_index.h"
#include "seam/symbol_index_builder.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr SymbolOrdinal kFirst{0}, kSecond{1};

// What both compilers of a test do.
struct Script {
  std::vector<std::string> log;
  absl::Status small_failure;      // Of all requests but Add.
  absl::Status small_add_failure;  // Of Add.
  bool complete_lets_join = true;  // The complete compiler asks whether kSecond may join.
};

class FakeCompiler final : public Compiler {
 public:
  FakeCompiler(std::string name, bool is_small, std::shared_ptr<const SymbolIndex> index,
               Script& script)
      : name_(std::move(name)), is_small_(is_small), index_(std::move(index)), script_(script) {}

  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override {
    script_.log.push_back(absl::StrCat(name_, " adds ", order.contents.name,
                                       order.index == nullptr ? "" : " with its index"));
    if (is_small_ && !script_.small_add_failure.ok()) return script_.small_add_failure;
    return order.index == nullptr ? index_ : order.index;
  }
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) override {
    CompiledFunction compiled;
    compiled.functions = {order.function};
    if ((is_small_ || script_.complete_lets_join) && order.may_join(kSecond)) {
      compiled.functions.push_back(kSecond);
    }
    FIRSTCALL_RETURN_IF_ERROR(Note("function"));
    return compiled;
  }
  absl::StatusOr<CompiledObject> CompileData(const DataOrder&) override {
    FIRSTCALL_RETURN_IF_ERROR(Note("data"));
    return CompiledObject();
  }
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder&) override {
    FIRSTCALL_RETURN_IF_ERROR(Note("whole"));
    return CompiledObject();
  }
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder&) override {
    FIRSTCALL_RETURN_IF_ERROR(Note("optimize"));
    return CompiledObject();
  }
  absl::StatusOr<CodeDescription> DescribeBodies(const DescriptionOrder&) override {
    FIRSTCALL_RETURN_IF_ERROR(Note("description"));
    return CodeDescription();
  }
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId) override {
    FIRSTCALL_RETURN_IF_ERROR(Note("digests"));
    return BodyDigests();
  }
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId) override {
    FIRSTCALL_RETURN_IF_ERROR(Note("labels"));
    return AssemblyLabels();
  }
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId, SymbolOrdinal) override {
    FIRSTCALL_RETURN_IF_ERROR(Note("entry"));
    return EntryPoint(true);
  }
  absl::StatusOr<FunctionShape> ReadShape(ModuleId, SymbolOrdinal, bool) override {
    FIRSTCALL_RETURN_IF_ERROR(Note("shape"));
    return FunctionShape(FunctionShape::Signature());
  }
  void ReadAgain(ModuleId) override { script_.log.push_back(name_ + " again"); }
  void ForgetFunctions(ModuleId, bool) override { script_.log.push_back(name_ + " forgets"); }
  void Remove(ModuleId) override { script_.log.push_back(name_ + " removes"); }
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override {
    return absl::UnimplementedError("no linker");
  }
  const void* SomewhereInLibrary() override { return nullptr; }

 private:
  absl::Status Note(const char* what) {
    script_.log.push_back(absl::StrCat(name_, " ", what));
    return is_small_ ? script_.small_failure : absl::OkStatus();
  }

  const std::string name_;
  const bool is_small_;
  const std::shared_ptr<const SymbolIndex> index_;
  Script& script_;
};

std::shared_ptr<const SymbolIndex> IndexOfTwoFunctions() {
  SymbolIndexBuilder builder(2);
  for (const char* name : {"first", "second"}) {
    Symbol symbol;
    symbol.name = name;
    symbol.is_definition = true;
    EXPECT_THAT(builder.Add(symbol), IsOk());
  }
  builder.MakeNamesUnique();
  builder.NumberGroups();
  return std::make_shared<const SymbolIndex>(std::move(builder).Finish());
}

class CompilerPairTest : public ::testing::Test {
 protected:
  CompilerPairTest()
      : complete_([this](absl::string_view reason) -> absl::StatusOr<std::unique_ptr<Compiler>> {
          script_.log.push_back(absl::StrCat("made for ", reason));
          return std::make_unique<FakeCompiler>("complete", /*is_small=*/false, index_, script_);
        }),
        pair_(std::make_unique<FakeCompiler>("small", /*is_small=*/true, index_, script_),
              complete_) {}

  void Add() {
    ASSERT_OK_AND_ASSIGN(
        auto index,
        pair_.Add({ModuleId{1}, {"m", ModuleContents::Form::kBitcode, nullptr}, nullptr}));
    EXPECT_EQ(index, index_);
    script_.log.clear();
  }

  // Notes in `joined` whether kSecond was claimed, which is possible only once.
  absl::StatusOr<CompiledFunction> Compile() {
    const auto is_replaced = [](SymbolOrdinal) { return false; };
    const auto may_join = [this](SymbolOrdinal function) {
      if (function != kSecond || joined_) return false;
      return joined_ = true;
    };
    return pair_.CompileFunction({ModuleId{1}, kFirst, is_replaced, may_join});
  }

  const std::shared_ptr<const SymbolIndex> index_ = IndexOfTwoFunctions();
  Script script_;
  bool joined_ = false;
  DeferredCompiler complete_;
  CompilerPair pair_;
};

TEST_F(CompilerPairTest, WhatTheSmallOneCanDoNeedsNoOther) {
  Add();
  ASSERT_OK_AND_ASSIGN(const CompiledFunction compiled, Compile());
  EXPECT_THAT(compiled.functions, ElementsAre(kFirst, kSecond));
  EXPECT_THAT(pair_.ReadEntryPoint(ModuleId{1}, kFirst), IsOk());
  EXPECT_THAT(pair_.ReadLabels(ModuleId{1}), IsOk());
  EXPECT_THAT(pair_.DigestBodies(ModuleId{1}), IsOk());
  pair_.Remove(ModuleId{1});
  EXPECT_THAT(script_.log, ElementsAre("small function", "small entry", "small labels",
                                       "small digests", "small removes"));
  EXPECT_EQ(complete_.compiler(), nullptr);
  EXPECT_THAT(pair_.refusals(), IsEmpty());
}

TEST_F(CompilerPairTest, ARefusalMakesTheOtherOneWhichGetsTheModuleWithItsIndex) {
  Add();
  script_.small_failure = absl::UnimplementedError("function 'first': a cause");
  ASSERT_THAT(Compile(), IsOk());
  EXPECT_THAT(script_.log,
              ElementsAre("small function", "made for compiling 'first' of 'm': a cause",
                          "complete adds m with its index", "complete function"));
  EXPECT_EQ(complete_.reason(), "compiling 'first' of 'm': a cause");
  EXPECT_THAT(pair_.refusals(), ElementsAre(Pair("a cause", 1)));
}

TEST_F(CompilerPairTest, FunctionsThatHadJoinedJoinAgain) {
  Add();
  script_.small_failure = absl::UnimplementedError("a cause");
  ASSERT_OK_AND_ASSIGN(const CompiledFunction compiled, Compile());
  EXPECT_THAT(compiled.functions, ElementsAre(kFirst, kSecond));
}

TEST_F(CompilerPairTest, IfTheyDoNotTheCompileFails) {
  Add();
  script_.small_failure = absl::UnimplementedError("a cause");
  script_.complete_lets_join = false;
  EXPECT_THAT(Compile(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                  "functions that had joined are not compiled with it"));
}

TEST_F(CompilerPairTest, AModuleThatIsRefusedIsTheOtherOnesAlone) {
  script_.small_add_failure = absl::InvalidArgumentError("'m': damaged");
  ASSERT_THAT(pair_.Add({ModuleId{1}, {"m", ModuleContents::Form::kBitcode, nullptr}, nullptr}),
              IsOk());
  ASSERT_THAT(Compile(), IsOk());
  EXPECT_THAT(script_.log, ElementsAre("small adds m", "made for reading 'm': damaged",
                                       "complete adds m", "complete function"));
}

TEST_F(CompilerPairTest, IfItsIndexIsKnownTheOtherOneIsMadeLater) {
  script_.small_add_failure = absl::UnimplementedError("text");
  ASSERT_THAT(pair_.Add({ModuleId{1}, {"m", ModuleContents::Form::kText, nullptr}, index_}),
              IsOk());
  EXPECT_THAT(script_.log, ElementsAre("small adds m with its index"));
  EXPECT_THAT(pair_.refusals(), IsEmpty());
  ASSERT_THAT(Compile(), IsOk());
  EXPECT_THAT(script_.log.back(), "complete function");
}

TEST_F(CompilerPairTest, WhatMayPassIsNoReasonForTheOtherOne) {
  Add();
  script_.small_failure = absl::ResourceExhaustedError("memory");
  EXPECT_THAT(Compile(), StatusIs(absl::StatusCode::kResourceExhausted, "memory"));
  EXPECT_EQ(complete_.compiler(), nullptr);
}

TEST_F(CompilerPairTest, DigestsAreNoReasonEither) {
  Add();
  script_.small_failure = absl::UnimplementedError("no digests");
  EXPECT_THAT(pair_.DigestBodies(ModuleId{1}), StatusIs(absl::StatusCode::kUnimplemented));
  EXPECT_EQ(complete_.compiler(), nullptr);
}

TEST_F(CompilerPairTest, TheOtherOneDescribesWhatHasDebugInformation) {
  Add();
  script_.small_failure = absl::NotFoundError("no debug information");
  const auto is_replaced = [](SymbolOrdinal) { return false; };
  const auto is_running = [](size_t, ObjectBytes) { return true; };
  const auto straight_calls = [](size_t) { return std::vector<SymbolOrdinal>(); };
  const DescriptionOrder order{ModuleId{1}, {kFirst}, is_replaced, is_running, straight_calls};
  EXPECT_THAT(pair_.DescribeBodies(order), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(complete_.compiler(), nullptr);
  script_.small_failure = absl::UnimplementedError("only the other one");
  script_.log.clear();
  EXPECT_THAT(pair_.DescribeBodies(order), IsOk());
  EXPECT_THAT(script_.log, ElementsAre("small description", "made for describing 'm'",
                                       "complete adds m with its index", "complete description"));
}

TEST_F(CompilerPairTest, TheSmallOneIsStillAskedFirstAfterwards) {
  Add();
  script_.small_failure = absl::UnimplementedError("a cause");
  ASSERT_THAT(Compile(), IsOk());
  script_.small_failure = absl::OkStatus();
  script_.log.clear();
  ASSERT_THAT(Compile(), IsOk());
  EXPECT_THAT(script_.log, ElementsAre("small function"));
}

TEST_F(CompilerPairTest, BothForget) {
  Add();
  ASSERT_THAT(complete_.Make("a test"), IsOk());
  script_.log.clear();
  pair_.ReadAgain(ModuleId{1});
  pair_.ForgetFunctions(ModuleId{1}, true);
  pair_.Remove(ModuleId{1});
  EXPECT_THAT(script_.log, ElementsAre("small again", "complete again", "small forgets",
                                       "complete forgets", "small removes", "complete removes"));
}

}  // namespace
}  // namespace firstcall
