#include "runtime/program/source_modules.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "runtime/link/source_module.h"
#include "runtime/process/exit_handlers.h"
#include "seam/symbol_index.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kWithConstructor[] = R"(
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
    [{ i32, ptr, ptr } { i32 65535, ptr @construct, ptr null }]
define internal void @construct() { ret void }
)";

class SourceModulesTest : public testing::Test {
 protected:
  // Adds a module, and returns the identifier.
  ModuleId Add(const std::string& name, absl::string_view text = kWithConstructor) {
    auto context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> parsed = ParseModule(text, *context, name);
    std::unique_ptr<ModuleSource> source =
        ModuleSource::FromModule(std::move(context), std::move(parsed)).value();
    auto index =
        std::make_shared<const SymbolIndex>(BuildSymbolIndex(*source->OpenView().value()).value());
    const ModuleId id = modules_.NextId();
    modules_.Add(std::make_shared<SourceModule>(id, name, LibraryId(), Mode::kLazy, false, false,
                                                std::move(index), nullptr, handle_, nullptr));
    return id;
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const std::shared_ptr<SourceModule>& module : modules_.All()) {
      names.push_back(module->name());
    }
    return names;
  }

  ExitHandlers exit_handlers_;
  DsoHandle handle_{exit_handlers_};
  SourceModules modules_;
};

TEST_F(SourceModulesTest, KeepsTheOrderOfAddition) {
  const ModuleId a = Add("a");
  const ModuleId b = Add("b");
  Add("c");
  EXPECT_THAT(Names(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(modules_.Find(b)->name(), "b");
  EXPECT_EQ(modules_.Remove(a)->name(), "a");
  EXPECT_EQ(modules_.Remove(a), nullptr);
  EXPECT_EQ(modules_.Find(a), nullptr);
  Add("d");
  EXPECT_THAT(Names(), ElementsAre("b", "c", "d"));
}

TEST_F(SourceModulesTest, OneCallerAtATimeHasTheClaim) {
  const ModuleId id = Add("a");
  EXPECT_NE(modules_.ClaimForRemoval(id), nullptr);
  EXPECT_EQ(modules_.ClaimForRemoval(id), nullptr);
  EXPECT_NE(modules_.Find(id), nullptr);
  modules_.ReleaseClaim(id);
  EXPECT_NE(modules_.ClaimForRemoval(id), nullptr);
  EXPECT_NE(modules_.Remove(id), nullptr);
  modules_.ReleaseClaim(id);
  EXPECT_EQ(modules_.ClaimForRemoval(id), nullptr);
}

TEST_F(SourceModulesTest, RemovedModuleIsNotConstructed) {
  const ModuleId removed = Add("removed");
  Add("stays");
  EXPECT_NE(modules_.Remove(removed), nullptr);
  const Construction::Steps steps = modules_.construction().TakeConstructors().steps;
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].module->name(), "stays");
  EXPECT_THAT(modules_.construction().TakeConstructors().steps, IsEmpty());
}

}  // namespace
}  // namespace firstcall
