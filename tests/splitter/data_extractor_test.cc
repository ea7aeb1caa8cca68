#include "splitter/data_extractor.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// The text of the data-module of the module `text` describes, after the verifier has seen it.
std::string DataOf(const std::string& text, absl::string_view replaced = "") {
  std::unique_ptr<ModuleSource> source =
      ModuleSource::FromBitcode(llvm::MemoryBuffer::getMemBufferCopy(ParseToBitcode(text), "test"))
          .value();
  std::shared_ptr<ModuleView> view = source->OpenView().value();
  const SymbolIndex index = BuildSymbolIndex(*view).value();
  absl::StatusOr<std::unique_ptr<llvm::Module>> data = ExtractData(
      *view, index, [&](SymbolOrdinal ordinal) { return index.at(ordinal).name == replaced; },
      /*is_far=*/false);
  EXPECT_THAT(data, IsOk());
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  EXPECT_FALSE(llvm::verifyModule(**data, &stream)) << reason;
  return PrintModule(**data);
}

TEST(DataExtractorTest, DefinesEachVariableOnceAndStrongly) {
  const std::string text = DataOf(R"(
    @exported = global i32 1
    @hidden = internal global i32 2
    @weak = weak global i32 3
    @tentative = common global i32 0
    @elsewhere = external global i32)");
  EXPECT_THAT(text, HasSubstr("@exported = dso_local global i32 1"));
  EXPECT_THAT(text, HasSubstr("@\"hidden$1\" = dso_local global i32 2"));
  EXPECT_THAT(text, HasSubstr("@weak = dso_local global i32 3"));
  EXPECT_THAT(text, HasSubstr("@tentative = dso_local global i32 0"));
  EXPECT_THAT(text, Not(HasSubstr("@elsewhere")));
}

TEST(DataExtractorTest, LargeVariablesLieApart) {
  const std::string text = DataOf(R"(
    @large = internal global [17000000 x i8] zeroinitializer
    @inside = global ptr getelementptr (i8, ptr @large, i64 5))");
  EXPECT_THAT(text, HasSubstr("@\"large$0\" = global [17000000 x i8] zeroinitializer, section "
                              "\".bss.fc_large\""));
  EXPECT_THAT(text, HasSubstr("@inside = dso_local global ptr getelementptr (i8, ptr "
                              "@\"large$0\", i64 5)"));
}

TEST(DataExtractorTest, FunctionsInDataAreTheirStubs) {
  const std::string text = DataOf(R"(
    @table = global [2 x ptr] [ptr @f, ptr @puts]
    define void @f() { ret void }
    declare i32 @puts(ptr))");
  EXPECT_THAT(text, HasSubstr("[ptr @\"f$fc.stub\", ptr @puts]"));
}

TEST(DataExtractorTest, AddressesOfFunctionsWithPrefixAreThunks) {
  const std::string text = DataOf(R"(
    target triple = "x86_64-unknown-linux-gnu"
    @table = global ptr @f
    @number = global i64 1
    define void @f() prefix ptr @number { ret void })");
  EXPECT_THAT(text, HasSubstr("@table = dso_local global ptr @\"f$fc.stub\""));
  EXPECT_THAT(text, HasSubstr("define dso_local void @\"f$fc.stub\"() #0 prefix ptr @number"));
  EXPECT_THAT(text, HasSubstr("jmp ${0:c}\", \"s\"(ptr @\"f$fc.call\")"));
}

TEST(DataExtractorTest, DistancesFromFunctionsAreStoredByCode) {
  const std::string text = DataOf(R"(
    target datalayout = "e-i64:64"
    @distances = constant { i8, [2 x i64] } { i8 7, [2 x i64] [i64 3, i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr @f to i64))] }
    define void @f() { ret void }
    define void @g() { ret void })");
  EXPECT_THAT(text, HasSubstr("@distances = dso_local global { i8, [2 x i64] } "
                              "{ i8 7, [2 x i64] [i64 3, i64 0] }"));
  EXPECT_THAT(text, HasSubstr("define void @\"$fc.initialize\"()"));
  EXPECT_THAT(text, HasSubstr("store i64 sub (i64 ptrtoint (ptr @\"g$fc.stub\" to i64), i64 "
                              "ptrtoint (ptr @\"f$fc.stub\" to i64)), ptr getelementptr (i8, ptr "
                              "@distances, i64 16), align 1"));
}

TEST(DataExtractorTest, DataMayNameOtherDataAndItself) {
  const std::string text = DataOf(R"(
    @first = global ptr @second
    @second = global { ptr, ptr } { ptr @first, ptr getelementptr (i8, ptr @second, i64 4) })");
  EXPECT_THAT(text, HasSubstr("@first = dso_local global ptr @second"));
  EXPECT_THAT(text, HasSubstr("{ ptr @first, ptr getelementptr (i8, ptr @second, i64 4) }"));
}

TEST(DataExtractorTest, WhatFillsACacheLineBeginsOne) {
  const std::string text = DataOf(R"(
    @large = global [64 x i8] zeroinitializer, align 16
    @small = global [63 x i8] zeroinitializer, align 16
    @larger = global [64 x i8] zeroinitializer, align 4096
    @listed = global [64 x i8] zeroinitializer, section "list", align 8
    @own = thread_local global [64 x i8] zeroinitializer, align 16)");
  EXPECT_THAT(text, ContainsRegex("@large = .*, align 64\n"));
  EXPECT_THAT(text, ContainsRegex("@small = .*, align 16\n"));
  EXPECT_THAT(text, ContainsRegex("@larger = .*, align 4096\n"));
  EXPECT_THAT(text, ContainsRegex("@listed = .*, align 8\n"));
  EXPECT_THAT(text, ContainsRegex("@own = .*, align 16\n"));
}

// Functions that merely read them have copies; all others, and data, refer to these.
TEST(DataExtractorTest, StringsAreDefinedOnce) {
  const std::string text = DataOf(R"(
    @named = private unnamed_addr constant [2 x i8] c"a\00"
    @unnamed = private unnamed_addr constant [2 x i8] c"b\00"
    @pointer = global ptr @named)");
  EXPECT_THAT(text, ContainsRegex("@\"named.0\" = .*constant .2 x i8. c\"a"));
  EXPECT_THAT(text, ContainsRegex("@\"unnamed.1\" = .*constant .2 x i8. c\"b"));
  EXPECT_THAT(text, ContainsRegex("@pointer = .*ptr @\"named.0\""));
}

TEST(DataExtractorTest, ReplacedDefinitionsBecomeReferences) {
  const std::string text = DataOf(R"(
    @mine = weak global i32 3
    @pointer = global ptr @mine)",
                                  "mine");
  EXPECT_THAT(text, HasSubstr("@mine = external"));
}

TEST(DataExtractorTest, InlineAssemblyComesAlongWithoutItsVersions) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmParsers();
  const std::string text = DataOf(R"(
    target triple = "x86_64-pc-linux-gnu"
    module asm "answer: .long 42"
    module asm ".symver f, g@@VERSION"
    @x = global i32 0)");
  EXPECT_THAT(text, HasSubstr("module asm \".macro .symver arguments:vararg\"\n"
                              "module asm \".endm\"\n"
                              "module asm \"answer: .long 42\"\n"));
}

TEST(DataExtractorTest, ListsOfConstructorsAreLeftToTheEngine) {
  EXPECT_THAT(DataOf(R"(
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 65535, ptr @f, ptr null }]
    define void @f() { ret void })"),
              Not(HasSubstr("global_ctors")));
}

}  // namespace
}  // namespace firstcall
