#include "splitter/fact_finder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/llvm/ir_optimizer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "splitter/function_extractor.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FactFinderTest : public ::testing::Test {
 protected:
  FactFinderTest() {
    EngineOptions options;
    options.tier = Tier::kOne;
    target_.emplace(MakeTarget(options));
    optimizer_ = IrOptimizer::Create(*target_).value();
  }

  void Load(const std::string& text) {
    absl::StatusOr<std::unique_ptr<ModuleSource>> source = ModuleSource::FromBitcode(
        llvm::MemoryBuffer::getMemBufferCopy(ParseToBitcode(text), "test"));
    ASSERT_THAT(source, IsOk());
    source_ = *std::move(source);
    view_ = source_->OpenView().value();
    ASSERT_THAT(target_->Adopt(view_->module()), IsOk());
    index_.emplace(BuildSymbolIndex(*view_).value());
  }

  // The declaration of `callee` in the function-module of `name`, with the attributes that its
  // group stands for; the module is valid IR.
  std::string Declared(absl::string_view callee, absl::string_view name = "f") {
    ExtractOptions options;
    options.body = OptimizedBody{};
    options.import_callees = imports_;
    options.keep_in_view = true;
    options.facts = &facts_;
    options.infer = [&](llvm::Module& module) { optimizer_->Infer(module); };
    absl::StatusOr<FunctionModule> extracted =
        ExtractFunction(*view_, *index_, *index_->Find(name), options,
                        {[&](SymbolOrdinal symbol) {
                           asked_.push_back(std::string(index_->at(symbol).name));
                           return index_->at(symbol).name == replaced_;
                         },
                         [](SymbolOrdinal) { return false; }, [](SymbolOrdinal) { return true; },
                         [](llvm::Function&) {}});
    EXPECT_THAT(extracted, IsOk());
    if (!extracted.ok()) return "";
    extracted_ = *std::move(extracted);
    std::string reason;
    llvm::raw_string_ostream stream(reason);
    EXPECT_FALSE(llvm::verifyModule(*extracted_.module, &stream)) << reason;
    const llvm::Function* function =
        extracted_.module->getFunction(absl::StrCat(callee, "$fc.call"));
    if (function == nullptr) return "(none)";
    const llvm::AttributeList attributes = function->getAttributes();
    std::string text = absl::StrCat(attributes.getFnAttrs().getAsString(), " returns ",
                                    attributes.getRetAttrs().getAsString());
    for (unsigned i = 0; i < function->arg_size(); ++i) {
      absl::StrAppend(&text, " argument ", attributes.getParamAttrs(i).getAsString());
    }
    return text;
  }

  std::vector<std::string> SourceNames() const {
    std::vector<std::string> names;
    for (SymbolOrdinal source : extracted_.sources) {
      names.push_back(std::string(index_->at(source).name));
    }
    return names;
  }

  std::optional<Target> target_;
  std::unique_ptr<IrOptimizer> optimizer_;
  bool imports_ = false;
  std::string replaced_;  // The symbol that gives way to another.
  std::vector<std::string> asked_;
  std::unique_ptr<ModuleSource> source_;
  std::shared_ptr<ModuleView> view_;
  std::optional<SymbolIndex> index_;
  FunctionModule extracted_;
  FunctionFacts facts_;
};

// As a front end writes a recursive function down: its parameter is in a variable.
constexpr char kReads[] = R"(
  define i32 @total(ptr %n) nounwind {
    %variable = alloca ptr
    store ptr %n, ptr %variable
    %again = load ptr, ptr %variable
    %is_leaf = icmp eq ptr %again, null
    br i1 %is_leaf, label %leaf, label %node
  leaf:
    ret i32 0
  node:
    %left = load ptr, ptr %again
    %sum = call i32 @total(ptr %left)
    %more = add i32 %sum, 1
    ret i32 %more
  }
  define i32 @f(ptr %root) { %sum = call i32 @total(ptr %root) ret i32 %sum })";

TEST_F(FactFinderTest, ARecursiveFunctionThatReadsIsKnownToReadOnly) {
  Load(kReads);
  EXPECT_THAT(Declared("total"), HasSubstr("memory(read"));
  EXPECT_EQ(extracted_.facts, 1u);
  EXPECT_THAT(SourceNames(), ::testing::ElementsAre("total", "f"));
}

TEST_F(FactFinderTest, ACopyForInliningHasTheSameFacts) {
  Load(kReads);
  imports_ = true;
  EXPECT_THAT(Declared("total"), HasSubstr("memory(read"));
}

TEST_F(FactFinderTest, FactsGoUpThroughSeveralCalls) {
  Load(R"(
    @counter = global i32 0
    declare void @unknown()
    define i32 @leaf(i32 %x) { %y = add i32 %x, 1 ret i32 %y }
    define i32 @middle(i32 %x) { %y = call i32 @leaf(i32 %x) ret i32 %y }
    define i32 @writes(i32 %x) { store i32 %x, ptr @counter ret i32 %x }
    define i32 @calls(i32 %x) { call void @unknown() ret i32 %x }
    define i32 @f(i32 %x) {
      %a = call i32 @middle(i32 %x)
      %b = call i32 @writes(i32 %a)
      %c = call i32 @calls(i32 %b)
      ret i32 %c
    })");
  const std::string middle = Declared("middle");
  EXPECT_THAT(middle, HasSubstr("memory(none)"));
  EXPECT_THAT(middle, HasSubstr("nounwind"));
  EXPECT_THAT(middle, HasSubstr("willreturn"));
  EXPECT_THAT(SourceNames(), ::testing::Contains("leaf"));
  const std::string writes = Declared("writes");
  EXPECT_THAT(writes, HasSubstr("memory(write"));
  EXPECT_THAT(writes, HasSubstr("argument returned"));
  const std::string calls = Declared("calls");
  EXPECT_THAT(calls, Not(HasSubstr("memory")));
  EXPECT_THAT(calls, Not(HasSubstr("nounwind")));
}

TEST_F(FactFinderTest, NothingIsKnownOfAFunctionThatIsReplacedNorOfItsCallers) {
  Load(R"(
    define linkonce_odr i32 @shared(i32 %x) { ret i32 %x }
    define i32 @caller(i32 %x) { %y = call i32 @shared(i32 %x) ret i32 %y }
    define i32 @f(i32 %x) {
      %a = call i32 @shared(i32 %x)
      %b = call i32 @caller(i32 %a)
      ret i32 %b
    })");
  replaced_ = "shared";
  EXPECT_THAT(Declared("shared"), Not(HasSubstr("memory")));
  EXPECT_THAT(Declared("caller"), Not(HasSubstr("memory")));
}

TEST_F(FactFinderTest, WhetherAWeakDefinitionIsReplacedIsAskedEachTimeAFactRestsOnIt) {
  Load(R"(
    define linkonce_odr i32 @shared(i32 %x) { ret i32 %x }
    define i32 @caller(i32 %x) { %y = call i32 @shared(i32 %x) ret i32 %y }
    define i32 @f(i32 %x) { %a = call i32 @caller(i32 %x) ret i32 %a }
    define i32 @g(i32 %x) { %a = call i32 @caller(i32 %x) ret i32 %a })");
  EXPECT_THAT(Declared("caller", "f"), HasSubstr("memory(none)"));
  asked_.clear();
  EXPECT_THAT(Declared("caller", "g"), HasSubstr("memory(none)"));
  EXPECT_THAT(asked_, ::testing::Contains("shared"));
  EXPECT_THAT(SourceNames(), ::testing::IsSupersetOf({"shared", "caller", "g"}));
}

TEST_F(FactFinderTest, ADefinitionThatAnotherOneMayReplaceAtAnyTimeHasNoFacts) {
  Load(R"(
    define weak i32 @any(i32 %x) { ret i32 %x }
    define available_externally i32 @elsewhere(i32 %x) { ret i32 %x }
    define i32 @f(i32 %x) {
      %a = call i32 @any(i32 %x)
      %b = call i32 @elsewhere(i32 %a)
      ret i32 %b
    })");
  EXPECT_THAT(Declared("any"), Not(HasSubstr("memory")));
  EXPECT_EQ(extracted_.facts, 0u);
}

TEST_F(FactFinderTest, AFunctionOfALibrarysNameIsNotTakenForThatFunction) {
  Load(R"(
    @calls = global i64 0
    define i64 @strlen(ptr %s) noinline optnone { store i64 1, ptr @calls ret i64 0 }
    define i64 @caller(ptr %s) { %n = call i64 @strlen(ptr %s) ret i64 %n }
    define i64 @f(ptr %s) { %n = call i64 @caller(ptr %s) ret i64 %n })");
  EXPECT_THAT(Declared("caller"), Not(HasSubstr("memory")));
}

std::string FindsAThreadsVariable(const std::string& attribute) {
  return absl::StrCat(R"(
    @variable = thread_local global i32 0
    declare ptr @llvm.threadlocal.address.p0(ptr)
    define ptr @finds() )",
                      attribute, R"( {
      %p = call ptr @llvm.threadlocal.address.p0(ptr @variable)
      ret ptr %p
    }
    define ptr @f() )",
                      attribute, " { %a = call ptr @finds() ret ptr %a }");
}

TEST_F(FactFinderTest, AFunctionThatFindsAThreadsVariableHasFacts) {
  Load(FindsAThreadsVariable("nounwind"));
  EXPECT_THAT(Declared("finds"), HasSubstr("memory(none)"));
}

// Its caller may go on in another thread than the one in which it has begun.
TEST_F(FactFinderTest, InAnUnoptimizedModuleItHasNone) {
  Load(FindsAThreadsVariable("noinline nounwind"));
  EXPECT_THAT(Declared("finds"), Not(HasSubstr("memory(none)")));
}

TEST_F(FactFinderTest, AFunctionWithHooksHasNoFacts) {
  Load(R"(
    define i32 @hooked(i32 %x) "instrument-function-entry-inlined"="mcount" { ret i32 %x }
    define i32 @f(i32 %x) { %a = call i32 @hooked(i32 %x) ret i32 %a })");
  EXPECT_THAT(Declared("hooked"), Not(HasSubstr("memory")));
}

TEST_F(FactFinderTest, AnAddressThatMayBeNullIsNotKnownNotToBe) {
  Load(R"(
    @maybe = extern_weak global i32
    define ptr @address() { ret ptr @maybe }
    define ptr @f() { %a = call ptr @address() ret ptr %a })");
  EXPECT_THAT(Declared("address"), Not(HasSubstr("nonnull")));
}

TEST_F(FactFinderTest, InferenceEndsWhereTheAllowanceDoes) {
  std::string text = "define i64 @f0(i64 %x) { ret i64 %x }\n";
  constexpr int kFunctions = 60;
  for (int i = 1; i <= kFunctions; ++i) {
    absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) {\n");
    std::string last = "%x";
    for (int j = 0; j < 100; ++j) {
      absl::StrAppend(&text, "  %v", j, " = mul i64 ", last, ", %x\n");
      last = absl::StrCat("%v", j);
    }
    absl::StrAppend(&text, "  %y = call i64 @f", i - 1, "(i64 ", last, ")\n  ret i64 %y\n}\n");
  }
  Load(text);
  Declared("f59", "f60");
  EXPECT_NE(facts_.Find(*index_->Find("f59")), nullptr);
  EXPECT_EQ(facts_.Find(*index_->Find("f1")), nullptr);
  EXPECT_TRUE(view_->module().getFunction("f1")->isMaterializable()) << "it was not even read";
}

}  // namespace
}  // namespace firstcall
