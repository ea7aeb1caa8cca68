#include "splitter/module_source.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kProgram[] = R"(
  @data = internal global i32 5
  define i32 @f() { %x = load i32, ptr @data  ret i32 %x }
  define internal i32 @g() { %x = call i32 @f()  ret i32 %x })";

absl::StatusOr<std::unique_ptr<ModuleSource>> FromBytes(const std::string& bytes) {
  return ModuleSource::FromBitcode(llvm::MemoryBuffer::getMemBufferCopy(bytes, "bytes"));
}

absl::StatusOr<std::unique_ptr<ModuleSource>> FromText(const std::string& text) {
  return ModuleSource::FromText(llvm::MemoryBufferRef(text, "program.ll"));
}

void ExpectSameOrdinals(ModuleSource& source) {
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<ModuleView> first, source.OpenView());
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<ModuleView> second, source.OpenView());
  EXPECT_NE(&first->context(), &second->context());
  ASSERT_EQ(first->symbol_count(), second->symbol_count());
  for (uint32_t i = 0; i < first->symbol_count(); ++i) {
    llvm::GlobalValue& symbol = second->symbol(SymbolOrdinal{i});
    EXPECT_EQ(first->symbol(SymbolOrdinal{i}).getName(), symbol.getName());
    EXPECT_EQ(second->ordinal_of(symbol), SymbolOrdinal{i});
  }
}

TEST(ModuleSourceTest, ViewsOfBitcodeHaveTheSameOrdinals) {
  ASSERT_OK_AND_ASSIGN(auto source, FromBytes(ParseToBitcode(kProgram)));
  EXPECT_FALSE(source->is_verified());
  EXPECT_TRUE(source->is_reopenable());
  ExpectSameOrdinals(*source);
}

TEST(ModuleSourceTest, ViewsOfAModuleInMemoryHaveTheSameOrdinals) {
  ASSERT_OK_AND_ASSIGN(auto source, FromText(kProgram));
  EXPECT_TRUE(source->is_verified());
  ExpectSameOrdinals(*source);
}

TEST(ModuleSourceTest, WhatTakesThePlaceOfAnOlderIntrinsicHasNoOrdinal) {
  llvm::LLVMContext context;
  const auto module = ParseModule(R"(
    declare i32 @older(i32)
    define i32 @f(i32 %x) { %y = call i32 @older(i32 %x)  ret i32 %y })",
                                  context);
  module->getFunction("older")->setName("llvm.ctlz.i32");  // LLVM 2.9's, with one parameter.
  ASSERT_OK_AND_ASSIGN(auto source, FromBytes(ModuleToBitcode(*module)));
  ASSERT_OK_AND_ASSIGN(auto view, source->OpenView());
  const llvm::Function* newer = view->module().getFunction("llvm.ctlz.i32");
  ASSERT_NE(newer, nullptr);
  EXPECT_EQ(newer->arg_size(), 2u);
  EXPECT_EQ(view->ordinal_of(*newer), std::nullopt);
  EXPECT_EQ(view->ordinal_of(*view->module().getFunction("f")), SymbolOrdinal{1});
}

TEST(ModuleSourceTest, BodiesOfBitcodeAreReadLazily) {
  ASSERT_OK_AND_ASSIGN(auto source, FromBytes(ParseToBitcode(kProgram)));
  ASSERT_OK_AND_ASSIGN(auto view, source->OpenView());
  EXPECT_TRUE(view->module().getFunction("f")->isMaterializable());
}

TEST(ModuleSourceTest, GarbageIsInvalid) {
  EXPECT_THAT(FromBytes("not bitcode at all"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                        HasSubstr("'bytes': reading bitcode: ")));
}

TEST(ModuleSourceTest, TruncatedBitcodeIsInvalidAtEveryLength) {
  const std::string bytes = ParseToBitcode(kProgram);
  ASSERT_THAT(FromBytes(bytes), IsOk());
  for (size_t length = 0; length < bytes.size(); length += 4) {
    EXPECT_THAT(FromBytes(bytes.substr(0, length)), StatusIs(absl::StatusCode::kInvalidArgument))
        << length;
  }
}

TEST(ModuleSourceTest, ParseErrorHasFileLineAndColumn) {
  EXPECT_THAT(FromText("define i32 @f() {\n  ret i32 %nothing\n}\n"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("program.ll:2:11: error: use of undefined value '%nothing'")));
}

TEST(ModuleSourceTest, InvalidIrNamesTheFunctionAndTheReason) {
  EXPECT_THAT(FromText("define i32 @bad() {\n %a = add i32 %b, 1\n %b = add i32 %a, 1\n"
                       " ret i32 %b\n}"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("'program.ll': function 'bad' is not valid IR: "),
                             HasSubstr("Instruction does not dominate all uses!"))));
}

TEST(ModuleSourceTest, UnparsedSourcesAreReadWhenAViewIsNeeded) {
  const std::string text = "define void @f() { ret void }";
  for (bool is_text : {false, true}) {
    auto buffer =
        llvm::MemoryBuffer::getMemBufferCopy(is_text ? text : ParseToBitcode(text), "test");
    std::unique_ptr<ModuleSource> source = ModuleSource::Unparsed(
        std::move(buffer), is_text ? ModuleContents::Form::kText : ModuleContents::Form::kBitcode);
    EXPECT_EQ(source->name(), "test");
    EXPECT_EQ(source->is_verified(), is_text);
    for (int i = 0; i < 2; ++i) {
      ASSERT_OK_AND_ASSIGN(std::shared_ptr<ModuleView> view, source->OpenView());
      EXPECT_EQ(view->symbol_count(), 1u);
    }
    EXPECT_THAT(source->Parse(), IsOk());
  }
}

TEST(ModuleSourceTest, ErrorsOfUnparsedSourcesComeWhenTheyAreParsed) {
  const auto unparsed = [](const std::string& contents, ModuleContents::Form form) {
    return ModuleSource::Unparsed(llvm::MemoryBuffer::getMemBufferCopy(contents, "bad"), form);
  };
  EXPECT_THAT(unparsed("BC\xc0\xde and no more", ModuleContents::Form::kBitcode)->Parse(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'bad'")));
  std::unique_ptr<ModuleSource> text = unparsed("define nothing", ModuleContents::Form::kText);
  EXPECT_THAT(text->Parse(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bad:1:8")));
  EXPECT_THAT(text->OpenView(), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ModuleSourceTest, DigestIsThatOfTheContents) {
  const auto digest = [](const std::string& text) {
    return ModuleSource::Unparsed(llvm::MemoryBuffer::getMemBufferCopy(text, text),
                                  ModuleContents::Form::kText)
        ->ContentDigest();
  };
  EXPECT_EQ(digest("; one").size(), 32u);
  EXPECT_EQ(digest("; one"), digest("; one"));
  EXPECT_NE(digest("; one"), digest("; two"));
}

// As clang divides what it compiles: functions, and tables that refer to them.
constexpr char kFunctions[] = R"(
  @table = external constant [2 x ptr]
  @data = internal global i32 5
  define i32 @f() { %x = load i32, ptr @data  ret i32 %x }
  define ptr @g() { ret ptr @table })";
constexpr char kTables[] = R"(
  @table = linkonce_odr constant [2 x ptr] [ptr @f, ptr @data]
  @data = internal constant i32 7
  declare void @f())";

std::string ToOneFile(const std::vector<std::string>& texts) {
  llvm::SmallVector<char, 0> bytes;
  {
    llvm::BitcodeWriter writer(bytes);
    llvm::LLVMContext context;
    std::vector<std::unique_ptr<llvm::Module>> modules;
    for (const std::string& text : texts) {
      modules.push_back(ParseModule(text, context));
      writer.writeModule(*modules.back());
    }
    writer.writeSymtab();
    writer.writeStrtab();
  }
  return std::string(bytes.begin(), bytes.end());
}

TEST(ModuleSourceTest, SeveralModulesOfAFileBecomeOne) {
  ASSERT_OK_AND_ASSIGN(auto source, FromBytes(ToOneFile({kFunctions, kTables})));
  ASSERT_OK_AND_ASSIGN(auto view, source->OpenView());
  llvm::Module& module = view->module();
  EXPECT_TRUE(module.getFunction("f")->isMaterializable()) << "bodies stay unread";
  ASSERT_NE(module.getNamedGlobal("table"), nullptr);
  EXPECT_TRUE(module.getNamedGlobal("table")->hasInitializer());
  // A body that was read afterwards refers to what was linked.
  ASSERT_FALSE(llvm::errorToBool(module.materializeAll()));
  EXPECT_FALSE(llvm::verifyModule(module));
  EXPECT_THAT(PrintModule(module),
              AllOf(HasSubstr("ret ptr @table"), HasSubstr("@data = internal global i32 5"),
                    HasSubstr("@table = linkonce_odr constant [2 x ptr] "
                              "[ptr @f, ptr @data.")));
}

TEST(ModuleSourceTest, ViewsOfSeveralModulesHaveTheSameOrdinals) {
  ASSERT_OK_AND_ASSIGN(auto source, FromBytes(ToOneFile({kFunctions, kTables})));
  ExpectSameOrdinals(*source);
}

TEST(ModuleSourceTest, ConflictsBetweenTheModulesOfAFileAreReported) {
  EXPECT_THAT(FromBytes(ToOneFile({kFunctions, "define void @f() { ret void }"})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "'bytes': joining the modules of the bitcode: Linking globals named 'f': "
                       "symbol multiply defined!"));
  EXPECT_THAT(FromBytes(ToOneFile({kFunctions, "target triple = \"aarch64-linux-gnu\""})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "'bytes': joining the modules of the bitcode: they are made for different "
                       "targets"));
}

TEST(ModuleSourceTest, TruncatedBitcodeOfSeveralModulesIsInvalid) {
  const std::string bytes = ToOneFile({kFunctions, kTables});
  for (size_t length = 0; length < bytes.size(); length += 4) {
    EXPECT_THAT(FromBytes(bytes.substr(0, length)), StatusIs(absl::StatusCode::kInvalidArgument))
        << length;
  }
}

}  // namespace
}  // namespace firstcall
