#include "compiler/loaded_module.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/MemoryBuffer.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

std::unique_ptr<ModuleSource> SourceOf(const char* text) {
  return ModuleSource::FromText(llvm::MemoryBuffer::getMemBuffer(text, "m")->getMemBufferRef())
      .value();
}

// A module with the text of one and the index of the other.
LoadedModule Load(const char* text, const char* indexed) {
  const std::unique_ptr<ModuleSource> source = SourceOf(indexed);
  const std::shared_ptr<ModuleView> view = source->OpenView().value();
  return LoadedModule(ModuleId{1}, SourceOf(text),
                      std::make_shared<const SymbolIndex>(BuildSymbolIndex(*view).value()));
}

constexpr char kOne[] = "define void @f() { ret void }";

TEST(LoadedModuleTest, OpensViewsThatFitTheIndex) {
  EXPECT_THAT(Load(kOne, "define void @g() { ret void }").OpenView(), IsOk());
}

TEST(LoadedModuleTest, FunctionsBehindThoseOfTheIndexAreInOrder) {
  EXPECT_THAT(Load("declare void @g() define void @f() { ret void }", kOne).OpenView(), IsOk());
}

TEST(LoadedModuleTest, AnIndexOfMoreSymbolsIsAnError) {
  EXPECT_THAT(Load(kOne, "@v = global i32 1 define void @f() { ret void }").OpenView(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "reading 'm': LLVM finds 1 symbols in the module, whose index has 2"));
}

TEST(LoadedModuleTest, AnIndexOfOtherSymbolsIsAnError) {
  EXPECT_THAT(Load("@v = global i32 1 define void @f() { ret void }", kOne).OpenView(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "reading 'm': what LLVM finds in place of 'f' is of another kind than the "
                       "index says"));
}

}  // namespace
}  // namespace firstcall
