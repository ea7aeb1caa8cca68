#include "direct/data_choice.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "direct/symbol_index_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seam/symbol_index.h"
#include "tests/direct/read_both_ways.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool Never(SymbolOrdinal) { return false; }
bool Always(SymbolOrdinal) { return true; }

absl::StatusOr<std::vector<std::string>> Choose(absl::string_view text,
                                                IsReplaced is_replaced = Never,
                                                bool drops_debug_info = true) {
  ReadBothWays read(text);
  if (!read.ok()) return absl::UnknownError("not read");
  absl::StatusOr<SymbolIndex> index = ReadSymbolIndex(read.module());
  if (!index.ok()) return index.status();
  absl::StatusOr<std::vector<ChosenVariable>> chosen =
      ChooseData(read.module(), *index, is_replaced, drops_debug_info);
  if (!chosen.ok()) return chosen.status();
  std::vector<std::string> texts;
  for (const ChosenVariable& variable : *chosen) {
    EXPECT_EQ(variable.name, variable.definition.name);
    texts.push_back(absl::StrCat(variable.name,
                                 variable.definition.traits.is_constant ? " constant" : "",
                                 variable.definition.traits.alignment == 0
                                     ? ""
                                     : absl::StrCat(" ", variable.definition.traits.alignment),
                                 variable.definition.traits.section.empty()
                                     ? ""
                                     : absl::StrCat(" ", variable.definition.traits.section)));
  }
  return texts;
}

TEST(DataChoiceTest, DefinesWhatTheModuleDefines) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> chosen, Choose(R"(
    @text = private unnamed_addr constant [4 x i8] c"abc\00"
    @a = global i32 1
    @b = internal constant i64 1, align 4
    @outside = external global i32
    @elsewhere = available_externally global i32 1
    @common = common global i32 0, align 4
    @note = private constant i32 1, section "llvm.metadata"
    @line = global [100 x i8] zeroinitializer, align 1
    @page = global [100 x i8] zeroinitializer, align 4096
    @llvm.used = appending global [1 x ptr] [ptr @a], section "llvm.metadata")"));
  EXPECT_THAT(chosen, ElementsAre("a", "b$2 constant 4", "common 4", "line 64", "page 4096",
                                  "text$0 constant"));
}

TEST(DataChoiceTest, LargeZerosLieApart) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> chosen,
                       Choose("@a = constant [50000000 x i8] zeroinitializer"));
  EXPECT_THAT(chosen, ElementsAre("a 64 .bss.fc_large"));
}

// Neither their alignment nor their size nor what tables have in place of functions changes there.
TEST(DataChoiceTest, VariablesOfSectionsStayAsTheyAre) {
  ASSERT_OK_AND_ASSIGN(
      const std::vector<std::string> chosen,
      Choose("@line = global [100 x i8] zeroinitializer, align 1, section \"mine\"\n"
             "@large = global [50000000 x i8] zeroinitializer, section \"mine\""));
  EXPECT_THAT(chosen, ElementsAre("line 1 mine", "large mine"));
}

TEST(DataChoiceTest, ThreadLocalVariablesStayAsTheyAre) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> chosen,
                       Choose("@a = thread_local global [50000000 x i8] zeroinitializer, align 4"));
  EXPECT_THAT(chosen, ElementsAre("a 4"));
}

TEST(DataChoiceTest, LeavesOutWhatIsReplaced) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> chosen,
                       Choose("@w = weak global i32 1 @s = global i32 1", Always));
  EXPECT_THAT(chosen, ElementsAre("s"));
  EXPECT_THAT(Choose("@w = weak global i32 1 @s = alias i32, ptr @w", Always),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("variable 'w': an alias keeps the definition")));
}

TEST(DataChoiceTest, RefusesByName) {
  const auto expect = [](absl::string_view text, absl::string_view message) {
    EXPECT_THAT(Choose(text), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(message)));
  };
  expect("@v = global i32 1 #0 attributes #0 = { \"data-section\"=\"mine\" }",
         "variable 'v': a section by an attribute");
  expect("@v = addrspace(1) global i32 1", "variable 'v': an address space of its own");
  expect(R"(@v = constant i64 sub (i64 ptrtoint (ptr @v to i64), i64 ptrtoint (ptr @f to i64))
            define void @f() { ret void })",
         "variable 'v': an initializer that code computes");
  expect("@v = global [20000000 x i8] c\"" + std::string(20000000, 'x') + "\"",
         "variable 'v': it is large, and not zero");
  expect("define void @f() prefix i32 1 { ret void }", "prefix data of a function");
  expect("define void @f() gc \"shadow-stack\" { ret void }", "a list of garbage's roots");
}

TEST(DataChoiceTest, DropsDebugInformationOrRefusesIt) {
  constexpr absl::string_view kDescribed = R"(
    @v = global i32 1, !dbg !4
    !llvm.dbg.cu = !{!1}
    !llvm.module.flags = !{!0}
    !0 = !{i32 2, !"Debug Info Version", i32 3}
    !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)
    !2 = !DIFile(filename: "f.c", directory: "/")
    !3 = distinct !DIGlobalVariable(name: "v", scope: !1, file: !2, type: !5,
                                     isDefinition: true)
    !5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
    !4 = !DIGlobalVariableExpression(var: !3, expr: !DIExpression()))";
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> chosen, Choose(kDescribed));
  EXPECT_THAT(chosen, ElementsAre("v"));
  EXPECT_THAT(Choose(kDescribed, Never, /*drops_debug_info=*/false),
              StatusIs(absl::StatusCode::kUnimplemented, "variable 'v': debug information"));
}

TEST(DataChoiceTest, KnowsWhetherThereIsData) {
  const auto has_data = [](absl::string_view text) {
    ReadBothWays read(text);
    absl::StatusOr<SymbolIndex> index = ReadSymbolIndex(read.module());
    return index.ok() && HasData(read.module(), *index);
  };
  EXPECT_TRUE(has_data("@v = global i32 1"));
  EXPECT_FALSE(has_data("@v = external global i32"));
  EXPECT_FALSE(has_data("@text = private unnamed_addr constant [4 x i8] c\"abc\\00\""));
  EXPECT_TRUE(has_data("define void @f() prefix i32 1 { ret void }"));
}

}  // namespace
}  // namespace firstcall::direct
