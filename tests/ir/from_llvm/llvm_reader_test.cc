// Globals with their attributes; what the reader refuses; reuse.

#include "ir/from_llvm/llvm_reader.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ir/from_llvm/reading.h"

namespace firstcall::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LlvmReaderTest, NumbersGlobalsAsBitcodeDoes) {
  Reading reading(R"(
    define void @f() { ret void }
    @a = alias i32, ptr @v
    @i = ifunc void (), ptr @r
    @v = global i32 1
    define ptr @r() { ret ptr @f }
    @w = global i32 2)");
  std::vector<std::string> names;
  for (const Global& global : reading.module().globals()) names.push_back(std::string(global.name));
  EXPECT_THAT(names, ElementsAre("v", "w", "f", "r", "a", "i"));
  for (uint32_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(reading.module().constants()[i].IsGlobal());
    EXPECT_EQ(reading.module().constants()[i].global, i);
    EXPECT_EQ(reading.reader().NumberOf(*reading.SourceOf(names[i])), i);
  }
  EXPECT_EQ(reading.GlobalNamed("a").kind(), GlobalKind::kAlias);
  EXPECT_EQ(reading.GlobalNamed("a").initializer, Operand::Constant(0));
  EXPECT_EQ(reading.GlobalNamed("i").kind(), GlobalKind::kIfunc);
  EXPECT_EQ(reading.GlobalNamed("i").initializer, Operand::Constant(3));
  EXPECT_TRUE(reading.module().IsUsedByData(0));
  EXPECT_FALSE(reading.module().IsUsedByData(1));
}

TEST(LlvmReaderTest, ReadsPropertiesOfVariables) {
  Reading reading(R"(
    $c = comdat nodeduplicate
    @plain = external global i32
    @t = internal thread_local(initialexec) unnamed_addr constant i8 1, section ".s", align 32
    @c = linkonce_odr hidden global i16 1, comdat
    @x = externally_initialized global i32 0 #0
    @p = global i32 0, partition "part"
    @far = global i32 0, code_model "large"
    @space = addrspace(2) global i32 0
    @m = global i32 0, !associated !0
    attributes #0 = { "bss-section"=".b" }
    !0 = !{ptr @t})");
  const Global& plain = reading.GlobalNamed("plain");
  EXPECT_TRUE(plain.IsVariable() && plain.is_declaration() && !plain.is_constant());
  EXPECT_TRUE(plain.initializer.IsNothing());
  EXPECT_FALSE(plain.has_unknown());
  const Global& local = reading.GlobalNamed("t");
  EXPECT_EQ(local.linkage(), Linkage::kInternal);
  EXPECT_EQ(local.thread_local_mode(), ThreadLocalMode::kInitialExec);
  EXPECT_EQ(local.unnamed_address(), UnnamedAddress::kGlobal);
  EXPECT_TRUE(local.is_constant() && local.is_dso_local() && !local.is_declaration());
  EXPECT_EQ(local.section(), ".s");
  EXPECT_EQ(local.alignment(), 32u);
  const Global& in_comdat = reading.GlobalNamed("c");
  EXPECT_EQ(in_comdat.visibility(), Visibility::kHidden);
  ASSERT_EQ(in_comdat.comdat, 0u);
  EXPECT_EQ(reading.module().comdats()[0].name, "c");
  EXPECT_EQ(reading.module().comdats()[0].selection, 4);
  EXPECT_TRUE(reading.GlobalNamed("x").is_externally_initialized());
  EXPECT_EQ(reading.GlobalNamed("x").variable_attributes().ValueOf("bss-section"), ".b");
  EXPECT_TRUE(reading.GlobalNamed("p").has_unknown());
  EXPECT_TRUE(reading.GlobalNamed("far").has_unknown());
  EXPECT_TRUE(reading.GlobalNamed("m").has_unknown());
  EXPECT_EQ(reading.GlobalNamed("space").address_space(), 2u);
  EXPECT_EQ(reading.GlobalNamed("space").type()->number, 2u);
}

TEST(LlvmReaderTest, ReadsPropertiesOfFunctions) {
  Reading reading(R"(
    declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
    declare i32 @p(...)
    define fastcc void @f() gc "statepoint-example" prefix i32 1 prologue i8 2
        personality ptr @p {
      ret void
    })");
  EXPECT_EQ(reading.GlobalNamed("llvm.memcpy.inline.p0.p0.i64").intrinsic(),
            IntrinsicId::kMemcpyInline);
  const Global& function = reading.GlobalNamed("f");
  EXPECT_EQ(function.intrinsic(), IntrinsicId::kNone);
  EXPECT_EQ(function.convention(), kConventionFast);
  EXPECT_EQ(function.collector(), "statepoint-example");
  EXPECT_EQ(reading.module().constant(function.prefix_data()).bits(), 1u);
  EXPECT_EQ(reading.module().constant(function.prologue_data()).bits(), 2u);
  EXPECT_EQ(function.personality().number(), reading.reader().NumberOf(*reading.SourceOf("p")));
  EXPECT_TRUE(reading.module().IsUsedByData(function.personality().number()));
}

TEST(LlvmReaderTest, ReadsAttributes) {
  Reading reading(R"(
    declare zeroext i8 @f(ptr byref(i64) align 4, ptr byval({i32, i32}) align 16, ptr nonnull,
                          ptr alignstack(32), ptr noalias) #0
    declare void @none()
    declare void @dropped(ptr noundef readonly)
    attributes #0 = { nounwind uwtable noredzone willreturn "target-cpu"="x" "b" })");
  const AttributeList& list = *reading.GlobalNamed("f").attributes();
  EXPECT_TRUE(list.function.Has(Attribute::kNoUnwind));
  EXPECT_TRUE(list.function.Has(Attribute::kUWTable));
  EXPECT_FALSE(list.function.Has(Attribute::kUnknown));
  EXPECT_EQ(list.function.ValueOf("target-cpu"), "x");
  ASSERT_EQ(list.function.strings.size(), 2u);
  EXPECT_EQ(list.function.strings[0].name, "b");
  EXPECT_TRUE(list.result.Has(Attribute::kZExt));
  EXPECT_EQ(list.parameters.size(), 4u);
  EXPECT_TRUE(list.OfParameter(0).Has(Attribute::kByRef));
  EXPECT_TRUE(list.OfParameter(0).type->IsInteger(64));
  EXPECT_TRUE(list.OfParameter(1).Has(Attribute::kByVal));
  EXPECT_EQ(list.OfParameter(1).alignment, 16u);
  EXPECT_EQ(list.OfParameter(1).type->alloc_size, 8u);
  EXPECT_EQ(list.OfParameter(2).kinds, 0u);
  EXPECT_EQ(list.OfParameter(3).stack_alignment, 32u);
  EXPECT_TRUE(list.HasAnywhere(Attribute::kByVal));
  EXPECT_FALSE(list.HasAnywhere(Attribute::kInReg));
  EXPECT_EQ(reading.GlobalNamed("none").attributes()->anywhere, 0u);
  EXPECT_TRUE(reading.GlobalNamed("dropped").attributes()->parameters.empty());
}

TEST(LlvmReaderTest, MetadataOfADefinitionBelongsToItsBody) {
  Reading reading(R"(
    declare !note !0 void @declared()
    define void @defined() !prof !0 {
      ret void
    }
    !0 = !{!"function_entry_count", i64 1})");
  EXPECT_TRUE(reading.GlobalNamed("declared").has_unknown());
  EXPECT_FALSE(reading.GlobalNamed("defined").has_unknown());
  EXPECT_FALSE(reading.Body("defined").has_unknown);
}

TEST(LlvmReaderTest, ReadsWhatTheModuleSays) {
  Reading reading(R"(
    target triple = "x86_64-pc-linux-gnu"
    target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
    module asm ".globl x"
    !llvm.module.flags = !{!0, !1}
    !0 = !{i32 8, !"cf-protection-branch", i32 1}
    !1 = !{i32 1, !"text", !"value"})");
  EXPECT_EQ(reading.module().triple(), "x86_64-pc-linux-gnu");
  EXPECT_TRUE(reading.module().has_assembly());
  EXPECT_EQ(reading.module().FlagOf("cf-protection-branch"), 1u);
  ASSERT_EQ(reading.module().flags().size(), 2u);
  EXPECT_EQ(reading.module().flags()[1].name, "text");
  EXPECT_EQ(reading.module().FlagOf("text"), 0u);
}

TEST(LlvmReaderTest, RefusesDataLayoutsByName) {
  Reading reading("define void @f() { ret void }");
  llvm::LLVMContext context;
  const auto big_endian = ParseModule(R"(target datalayout = "E")", context, "big");
  EXPECT_THAT(reading.reader().Begin(*big_endian),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("reading module 'big'")));
  // The former module is still there.
  EXPECT_EQ(reading.Body("f").instructions.size(), 1u);
}

TEST(LlvmReaderTest, RefusesWhatHasNoBody) {
  Reading reading(R"(
    @v = global i32 1
    declare void @f())");
  Function body;
  EXPECT_THAT(reading.reader().Read(*reading.source().getFunction("f"), body),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("reading function 'f': it has no body")));
  EXPECT_THAT(reading.reader().Read(0, body), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(reading.reader().Read(1, body), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(reading.reader().Read(2, body), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(LlvmReaderTest, RefusesFunctionsOfOtherModules) {
  Reading reading("define void @f() { ret void }");
  Reading other("define void @f() { ret void }");
  Function body;
  EXPECT_THAT(reading.reader().Read(*other.source().getFunction("f"), body),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("in another module")));
}

TEST(LlvmReaderTest, RefusesBlocksWithoutTerminators) {
  Reading reading("define void @f() { ret void }");
  reading.source().getFunction("f")->front().getTerminator()->eraseFromParent();
  Function body;
  EXPECT_THAT(reading.reader().Read(*reading.source().getFunction("f"), body),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("block 0")));
}

TEST(LlvmReaderTest, RefusesValuesOfOtherFunctions) {
  Reading reading(R"(
    define i32 @f(i32 %a) { ret i32 %a }
    define i32 @g(i32 %a) { ret i32 %a })");
  reading.source().getFunction("f")->front().getTerminator()->setOperand(
      0, reading.source().getFunction("g")->getArg(0));
  Function body;
  EXPECT_THAT(reading.reader().Read(*reading.source().getFunction("f"), body),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not its own")));
}

TEST(LlvmReaderTest, IsReusedForOtherModules) {
  llvm::LLVMContext context;
  const auto first = ParseModule(R"(
    @a = global i32 1
    define ptr @f() { ret ptr @a })",
                                 context);
  const auto second = ParseModule(R"(
    @b = global i64 1
    @c = global i64 2
    define ptr @f(i8 %x) { ret ptr @c })",
                                  context);
  LlvmReader reader;
  Function body;
  for (int i = 0; i < 100; ++i) {
    ASSERT_THAT(reader.Begin(*first), IsOk());
    ASSERT_THAT(reader.Read(*first->getFunction("f"), body), IsOk());
    EXPECT_EQ(body.OperandOf(At(body, 0), 0), Operand::Constant(0));
    EXPECT_EQ(reader.NumberOf(*second->getFunction("f")), kNone);
    ASSERT_THAT(reader.Begin(*second), IsOk());
    ASSERT_THAT(reader.Read(2, body), IsOk());
    EXPECT_EQ(body.GlobalOf(body.OperandOf(At(body, 0), 0))->name, "c");
    EXPECT_EQ(body.argument_count(), 1u);
    EXPECT_EQ(body.constants.size(), 0u);
  }
}

}  // namespace
}  // namespace firstcall::ir
