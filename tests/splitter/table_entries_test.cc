#include "splitter/table_entries.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "splitter/data_extractor.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The data-module of a module of `variables` and some functions.
std::string DataWith(const std::string& variables) {
  const std::string functions = R"(
    target triple = "x86_64-unknown-linux-gnu"
    @number = global i64 1
    @also = unnamed_addr alias void (), ptr @virtual
    define linkonce_odr void @virtual() unnamed_addr { ret void }
    define void @compared() { ret void }
    define void @compared_elsewhere() local_unnamed_addr { ret void }
    define void @prefixed() unnamed_addr prefix i64 1 { ret void }
    declare void @outside() unnamed_addr)";
  std::unique_ptr<ModuleSource> source =
      ModuleSource::FromBitcode(
          llvm::MemoryBuffer::getMemBufferCopy(ParseToBitcode(functions + variables), "test"))
          .value();
  std::shared_ptr<ModuleView> view = source->OpenView().value();
  const SymbolIndex index = BuildSymbolIndex(*view).value();
  absl::StatusOr<std::unique_ptr<llvm::Module>> data = ExtractData(
      *view, index, [](SymbolOrdinal) { return false; }, /*is_far=*/false);
  EXPECT_THAT(data, IsOk());
  EXPECT_FALSE(llvm::verifyModule(**data));
  return PrintModule(**data);
}

TEST(TableEntriesTest, NamesFunctionsWhoseAddressNobodyCompares) {
  const std::string text = DataWith(R"(
    @vtable = constant { i64, [3 x ptr] } { i64 0, [3 x ptr] [ptr @virtual, ptr @compared, ptr @virtual] })");
  EXPECT_THAT(text, HasSubstr("@vtable = dso_local global { i64, [3 x ptr] } { i64 0, [3 x ptr] "
                              "[ptr @\"virtual$fc.table\", ptr @\"compared$fc.stub\", "
                              "ptr @\"virtual$fc.table\"] }"));
}

// The data-module defines these for code that lets their address escape.
TEST(TableEntriesTest, NamesThemInSmallPrivateConstants) {
  const std::string text = DataWith("@vtable = private unnamed_addr constant ptr @virtual");
  EXPECT_THAT(text, HasSubstr("unnamed_addr global ptr @\"virtual$fc.table\""));
}

TEST(TableEntriesTest, AliasesStandForTheirFunction) {
  EXPECT_THAT(DataWith("@vtable = constant ptr @also"), HasSubstr("ptr @\"virtual$fc.table\""));
}

TEST(TableEntriesTest, VariablesKeepStubs) {
  EXPECT_THAT(DataWith("@variable = global ptr @virtual"),
              HasSubstr("@variable = dso_local global ptr @\"virtual$fc.stub\""));
}

TEST(TableEntriesTest, SectionsOfTheUsersKeepStubs) {
  EXPECT_THAT(DataWith("@listed = constant ptr @virtual, section \"list\""),
              HasSubstr("@listed = dso_local constant ptr @\"virtual$fc.stub\""));
}

TEST(TableEntriesTest, FunctionsWithPrefixOrWithoutDefinitionAreLeft) {
  const std::string text = DataWith(
      "@table = constant [3 x ptr] [ptr @prefixed, ptr @outside, ptr @compared_elsewhere]");
  EXPECT_THAT(text, HasSubstr("[ptr @\"prefixed$fc.stub\", ptr @outside, "
                              "ptr @\"compared_elsewhere$fc.stub\"]"));
  EXPECT_THAT(text, Not(HasSubstr("$fc.table")));
}

TEST(TableEntriesTest, DistancesAreLeft) {
  const std::string text = DataWith(
      "@relative = constant [1 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent "
      "@virtual to i64), i64 ptrtoint (ptr @relative to i64)) to i32)]");
  EXPECT_THAT(text, Not(HasSubstr("$fc.table")));
}

}  // namespace
}  // namespace firstcall
