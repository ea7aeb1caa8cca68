#include "runtime/link/definitions.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "runtime/link/source_module.h"
#include "runtime/process/exit_handlers.h"
#include "seam/symbol_index.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kWeak[] = "define weak i32 @f() { ret i32 1 }";
constexpr char kStrong[] = "define i32 @f() { ret i32 2 }";

// The parameter: how many further symbols each module has, so that it is large or not.
class DefinitionsTest : public testing::TestWithParam<int> {
 protected:
  // Not added yet.
  SourceModule& Make(const std::string& name, absl::string_view text, absl::string_view library) {
    auto context = std::make_unique<llvm::LLVMContext>();
    std::string padded(text);
    for (int i = 0; i < GetParam(); ++i) {
      absl::StrAppend(&padded, "\n@padding.", i, " = internal global i8 0");
    }
    std::unique_ptr<llvm::Module> parsed = ParseModule(padded, *context, name);
    std::unique_ptr<ModuleSource> source =
        ModuleSource::FromModule(std::move(context), std::move(parsed)).value();
    auto index =
        std::make_shared<const SymbolIndex>(BuildSymbolIndex(*source->OpenView().value()).value());
    modules_.push_back(std::make_shared<SourceModule>(
        ModuleId{static_cast<uint32_t>(modules_.size())}, name, definitions_.LibraryNamed(library),
        Mode::kLazy, false, false, std::move(index), MakeOwner(), handle_, nullptr));
    return *modules_.back();
  }
  SourceModule& Add(const std::string& name, absl::string_view text,
                    absl::string_view library = "") {
    SourceModule& module = Make(name, text, library);
    EXPECT_THAT(definitions_.Add(module), IsOk());
    return module;
  }

  LazyObject& AddObject(const std::string& name, const std::vector<ElfObject::Definition>& symbols,
                        bool is_fallback) {
    objects_.push_back(
        std::make_unique<LazyObject>(name, nullptr, LibraryId(), MakeOwner(), handle_));
    EXPECT_THAT(definitions_.Add(*objects_.back(), symbols, is_fallback), IsOk());
    return *objects_.back();
  }

  std::unique_ptr<OwnedCode> MakeOwner() {
    return std::make_unique<OwnedCode>(arenas_, unwind_registry_);
  }

  // Who defines `name`; "" if nobody does.
  std::string Definer(absl::string_view name, absl::string_view library = "") {
    std::optional<Definition> found = definitions_.Find(name, definitions_.LibraryNamed(library));
    if (!found) return "";
    return found->module != nullptr ? found->module->name() : found->object->name;
  }

  const std::shared_ptr<ArenaMemory> arenas_ =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), {{64 << 10, 64 << 10, 64 << 10}})
          .value();
  const std::shared_ptr<UnwindRegistry> unwind_registry_ = std::make_shared<UnwindRegistry>();
  ExitHandlers exit_handlers_;
  DsoHandle handle_{exit_handlers_};
  Definitions definitions_;
  std::vector<std::shared_ptr<SourceModule>> modules_;
  std::vector<std::unique_ptr<LazyObject>> objects_;
};

INSTANTIATE_TEST_SUITE_P(Sizes, DefinitionsTest, testing::Values(0, 100));

TEST_P(DefinitionsTest, KnowsWhatIsDefinedAndNotWhatIsDeclaredOrLocal) {
  const SourceModule& module = Add("a", R"(
    @variable = global i32 1
    declare void @declared()
    define internal void @local() { ret void }
    define void @f() { call void @declared() call void @local() ret void })");
  std::optional<Definition> found = definitions_.Find("f");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->module, &module);
  EXPECT_EQ(module.index().at(found->ordinal).name, "f");
  EXPECT_EQ(Definer("variable"), "a");
  EXPECT_EQ(Definer("declared"), "");
  EXPECT_EQ(Definer("local"), "");
}

TEST_P(DefinitionsTest, TwoStrongOnesAreAnErrorThatChangesNothing) {
  Add("a", kStrong);
  SourceModule& second =
      Make("b", "define void @g() { ret void } define void @f() { ret void }", "");
  EXPECT_THAT(definitions_.Add(second),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       AllOf(HasSubstr("'f'"), HasSubstr("'a'"), HasSubstr("'b'"))));
  EXPECT_EQ(Definer("f"), "a");
  EXPECT_EQ(Definer("g"), "");
}

TEST_P(DefinitionsTest, AStrongOneWinsInEitherOrder) {
  Add("weak", kWeak);
  Add("strong", kStrong);
  EXPECT_EQ(Definer("f"), "strong");
  Add("late", kWeak);
  EXPECT_EQ(Definer("f"), "strong");
}

TEST_P(DefinitionsTest, TheFirstOfTheWeakOnesWins) {
  Add("first", kWeak);
  Add("second", kWeak);
  EXPECT_EQ(Definer("f"), "first");
}

TEST_P(DefinitionsTest, TheFirstWeakOneWinsAgainWhenTheStrongOneGoes) {
  Add("first", kWeak);
  Add("second", kWeak);
  SourceModule& strong = Add("strong", kStrong);
  EXPECT_EQ(Definer("f"), "strong");
  definitions_.Remove(strong);
  EXPECT_EQ(Definer("f"), "first");
}

// Whatever is removed in whatever order, the rest means what it would without what is gone.
TEST_P(DefinitionsTest, OrderOfAdditionOutlastsRemovals) {
  SourceModule& first = Add("first", kWeak);
  SourceModule& second = Add("second", kWeak);
  SourceModule& strong = Add("strong", kStrong);
  SourceModule& third = Add("third", kWeak);
  definitions_.Remove(second);
  EXPECT_EQ(Definer("f"), "strong");
  definitions_.Remove(strong);
  EXPECT_EQ(Definer("f"), "first");
  SourceModule& other = Add("other", kStrong);
  definitions_.Remove(first);
  EXPECT_EQ(Definer("f"), "other");
  definitions_.Remove(other);
  EXPECT_EQ(Definer("f"), "third");
  Add("fourth", kWeak);
  EXPECT_EQ(Definer("f"), "third");
  definitions_.Remove(third);
  EXPECT_EQ(Definer("f"), "fourth");
}

TEST_P(DefinitionsTest, RemovingTheOnlyOneLeavesNone) {
  SourceModule& module = Add("a", kStrong);
  definitions_.Remove(module);
  EXPECT_EQ(Definer("f"), "");
  Add("b", kStrong);
  EXPECT_EQ(Definer("f"), "b");
}

TEST_P(DefinitionsTest, ALibrarysOwnComesFirstAndOthersSeeWhatIsNotHidden) {
  Add("main", "define i32 @f() { ret i32 1 }");
  Add("plugin",
      "define i32 @f() { ret i32 2 } define hidden i32 @h() { ret i32 3 } "
      "define i32 @g() { ret i32 4 }",
      "lib");
  EXPECT_EQ(Definer("f"), "main");
  EXPECT_EQ(Definer("f", "lib"), "plugin");
  EXPECT_EQ(Definer("g"), "plugin");
  EXPECT_EQ(Definer("h"), "");
  EXPECT_EQ(Definer("h", "lib"), "plugin");
  EXPECT_EQ(Definer("f", "another"), "main");
}

TEST_P(DefinitionsTest, ALibraryThatBecameEmptyTakesNoPartUntilItIsFilledAgain) {
  const LibraryId id = definitions_.LibraryNamed("lib");
  SourceModule& first = Add("first", "define i32 @f() { ret i32 1 }", "lib");
  Add("other", kWeak, "other");
  EXPECT_EQ(Definer("f", "another"), "first");
  definitions_.Remove(first);
  EXPECT_EQ(Definer("f", "another"), "other");
  EXPECT_EQ(Definer("f", "lib"), "other");
  EXPECT_EQ(definitions_.LibraryNamed("lib"), id);
  EXPECT_EQ(definitions_.NameOf(id), "lib");
  Add("second", "define hidden i32 @f() { ret i32 2 }", "lib");
  EXPECT_EQ(Definer("f", "another"), "other");
  EXPECT_EQ(Definer("f", "lib"), "second");
}

TEST_P(DefinitionsTest, AMemberOfAnArchiveCountsWhereThereIsNoOther) {
  AddObject("member", {{"f", false, false}, {"g", false, false}}, /*is_fallback=*/true);
  EXPECT_EQ(Definer("f"), "member");
  SourceModule& module = Add("module", kStrong);
  EXPECT_EQ(Definer("f"), "module");
  EXPECT_EQ(Definer("g"), "member");
  definitions_.Remove(module);
  EXPECT_EQ(Definer("f"), "member");
}

TEST_P(DefinitionsTest, AnObjectsStrongDefinitionIsOneMore) {
  LazyObject& object = AddObject("object", {{"f", false, false}}, /*is_fallback=*/false);
  std::optional<Definition> found = definitions_.Find("f");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->object, &object);
  SourceModule& module = Make("module", kStrong, "");
  EXPECT_THAT(definitions_.Add(module),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("'object'")));
}

TEST_P(DefinitionsTest, BoundsOfASectionThatTwoModulesHaveMeanNothingUntilOneGoes) {
  constexpr char kText[] = "@NAME = global i32 1, section \"things\"";
  const auto text = [&](const std::string& name) {
    std::string result = kText;
    return result.replace(result.find("NAME"), 4, name);
  };
  Add("a", text("x"));
  EXPECT_FALSE(definitions_.Find("__start_things")->is_ambiguous);
  SourceModule& second = Add("b", text("y"));
  EXPECT_TRUE(definitions_.Find("__start_things")->is_ambiguous);
  definitions_.Remove(second);
  EXPECT_FALSE(definitions_.Find("__start_things")->is_ambiguous);
  EXPECT_EQ(Definer("__start_things"), "a");
}

// Only some of them are asked by name.
TEST_P(DefinitionsTest, ManyModulesHaveTheSameRules) {
  for (int i = 0; i < 8; ++i) {
    Add(absl::StrCat("weak", i), absl::StrCat(kWeak, "define void @own", i, "() { ret void }"));
  }
  EXPECT_EQ(Definer("f"), "weak0");
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Definer(absl::StrCat("own", i)), absl::StrCat("weak", i));
  }
  SourceModule& strong = Add("strong", kStrong);
  EXPECT_EQ(Definer("f"), "strong");
  SourceModule& again = Make("again", kStrong, "");
  EXPECT_THAT(definitions_.Add(again),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       "symbol 'f' is defined both by 'strong' and by 'again'"));
  definitions_.Remove(strong);
  EXPECT_EQ(Definer("f"), "weak0");
  definitions_.Remove(*modules_[0]);
  EXPECT_EQ(Definer("f"), "weak1");
  EXPECT_EQ(Definer("own0"), "");
  EXPECT_THAT(definitions_.Add(again), IsOk());
  EXPECT_EQ(Definer("f"), "again");
}

}  // namespace
}  // namespace firstcall
