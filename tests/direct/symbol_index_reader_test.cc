// Also tests seam/symbol_index_builder, symbol_numbers, constant_address, section_names,
// lifecycle_reader and computed_variables, of which the index is made.

#include "direct/symbol_index_reader.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "direct/symbol_numbers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/constant.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/type.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/Module.h"
#include "seam/symbol_index.h"
#include "splitter/symbol_index_builder.h"
#include "tests/direct/read_both_ways.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::HasSubstr;

// The index, which is the same whoever reads the module.
void ExpectSameIndex(absl::string_view text) {
  ReadBothWays read(text);
  ASSERT_TRUE(read.ok());
  absl::StatusOr<std::unique_ptr<ir::LlvmReader>> by_llvm =
      ir::LlvmReader::Create(read.view().module());
  ASSERT_THAT(by_llvm, IsOk());
  ASSERT_OK_AND_ASSIGN(const SymbolIndex expected, BuildSymbolIndex(read.view()));
  ASSERT_OK_AND_ASSIGN(const SymbolIndex index, ReadSymbolIndex(read.module()));
  EXPECT_TRUE(index.Encode() == expected.Encode()) << text;
  ASSERT_OK_AND_ASSIGN(const SymbolIndex of_llvms, ReadSymbolIndex((*by_llvm)->module()));
  EXPECT_TRUE(of_llvms.Encode() == expected.Encode()) << text;
}

absl::Status ErrorFor(absl::string_view text) {
  ReadBothWays read(text);
  if (!read.ok()) return absl::OkStatus();
  return ReadSymbolIndex(read.module()).status();
}

TEST(SymbolIndexReaderTest, KnowsKindsAndLinkage) {
  ExpectSameIndex(R"(
    declare void @declared()
    define available_externally void @elsewhere() { ret void }
    define void @defined() { ret void }
    define weak hidden void @w() { ret void }
    define linkonce_odr protected void @l() { ret void }
    declare extern_weak void @e()
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    @outside = external global i32
    @inside = global [3 x i32] zeroinitializer
    @c = common global i32 0
    @t = thread_local global i32 0
    @"\01marked" = global i8 1)");
}

TEST(SymbolIndexReaderTest, LocalSymbolsGetTheirOrdinal) {
  ExpectSameIndex(R"(
    @data = internal global i32 1
    @.Lhidden = private constant i32 1
    define internal void @f() { ret void }
    define private void @0() { ret void }
    define void @g() { ret void })");
}

TEST(SymbolIndexReaderTest, LocalNameGivesWayToGlobalOfSameSpelling) {
  ExpectSameIndex(R"(
    define internal void @f() { ret void }
    define void @"f$0"() { ret void }
    define void @"f$0$"() { ret void }
    define void @"$7"() { ret void })");
}

TEST(SymbolIndexReaderTest, NumbersAliasesBeforeFunctions) {
  ReadBothWays read(R"(
    define void @f() { ret void }
    @v = global i32 1
    @i = ifunc void (), ptr @r
    @a = alias void (), ptr @f
    define ptr @r() { ret ptr null })");
  ASSERT_TRUE(read.ok());
  const SymbolNumbers numbers(read.module());
  for (uint32_t i = 0; i < read.view().symbol_count(); ++i) {
    const uint32_t global = numbers.GlobalOf(SymbolOrdinal{i});
    EXPECT_EQ(numbers.OrdinalOf(global), SymbolOrdinal{i});
    EXPECT_EQ(read.NameOf(global), read.view().symbol(SymbolOrdinal{i}).getName().str());
  }
}

TEST(SymbolIndexReaderTest, ResolvesAliasesAndIfuncs) {
  ExpectSameIndex(R"(
    %s = type { i8, [4 x i32] }
    $group = comdat any
    @table = global [4 x i32] zeroinitializer
    @grouped = global %s zeroinitializer, comdat($group)
    @third = alias i32, getelementptr ([4 x i32], ptr @table, i64 0, i64 2)
    @again = alias i32, getelementptr (i8, ptr @third, i64 -3)
    @member = alias i32, getelementptr (%s, ptr @grouped, i64 1, i32 1, i64 3)
    @whole = alias %s, ptr @grouped
    @weak = weak alias i32, ptr @third
    @chosen = ifunc void (), ptr @resolver
    @called = alias void (), ptr @chosen
    @resolver = alias ptr (), ptr @choose
    define ptr @choose() { ret ptr null })");
}

TEST(SymbolIndexReaderTest, OneOfSeveralComdatsIsWeak) {
  ExpectSameIndex(R"(
    $any = comdat any
    $single = comdat nodeduplicate
    @a = global i32 1, comdat($any)
    @b = global i32 1, comdat($single)
    define void @any() comdat { ret void })");
}

TEST(SymbolIndexReaderTest, ListsConstructors) {
  ExpectSameIndex(R"(
    @llvm.global_ctors = appending global [4 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 65535, ptr @a, ptr null },
      { i32, ptr, ptr } { i32 1, ptr @b, ptr null },
      { i32, ptr, ptr } zeroinitializer, { i32, ptr, ptr } { i32 1, ptr @c, ptr @v }]
    @llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 5, ptr @c, ptr null }, { i32, ptr, ptr } { i32 5, ptr @a, ptr null }]
    @v = internal global ptr @b, section ".init_array"
    @w = internal global [3 x ptr] [ptr @a, ptr null, ptr @c], section ".ctors.100"
    @x = internal global ptr @c, section ".fini_array.7"
    @y = internal global ptr @c, section ".init_array"
    @llvm.used = appending global [2 x ptr] [ptr @y, ptr @x], section "llvm.metadata"
    define void @a() { ret void }
    define internal void @b() { ret void }
    define void @c() { ret void })");
  EXPECT_THAT(ErrorFor("@v = global [2 x i32] [i32 1, i32 2], section \".init_array\""),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("something other than functions in section '.init_array'")));
}

TEST(SymbolIndexReaderTest, NamesSectionsAndLikelyLocals) {
  ExpectSameIndex(R"(
    @a = internal global i32 1, section "mine"
    @b = global i32 1, section "mine"
    @c = global i32 1, section ".not.a.name"
    @d = global i32 0 #0
    @e = constant i32 3 #0
    @__start_mine = external global i8
    @llvm.used = appending global [1 x ptr] [ptr @a], section "llvm.metadata"
    @llvm.compiler.used = appending global [2 x ptr] [ptr @f, ptr @b], section "llvm.metadata"
    define internal void @f() { ret void }
    attributes #0 = { "bss-section"="zeros" "rodata-section"="ro" "relro-section"="relro" })");
}

TEST(SymbolIndexReaderTest, MarksDistancesFromFunctions) {
  ExpectSameIndex(R"(
    @vtable = constant [2 x i32] [
      i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @vtable to i64)) to i32),
      i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @f to i64),
                          i64 ptrtoint (ptr @g to i64)) to i32)]
    @to = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64),
                                       i64 ptrtoint (ptr @to to i64)) to i32)
    @outside = constant i64 sub (i64 ptrtoint (ptr @to to i64), i64 ptrtoint (ptr @h to i64))
    @alias = alias void (), ptr @g
    @from_alias = constant { ptr, [1 x i64] } { ptr @f, [1 x i64] [
      i64 sub (i64 0, i64 ptrtoint (ptr getelementptr (i8, ptr @alias, i64 1) to i64))] }
    declare void @h()
    define void @f() { ret void }
    define void @g() { ret void })");
}

TEST(SymbolIndexReaderTest, UnitesFunctionsWithTheTablesOfTheirLabels) {
  ExpectSameIndex(R"(
    @before = global i32 1
    @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    @second = global { ptr, [1 x ptr] } { ptr @table, [1 x ptr] [ptr blockaddress(@f, %b)] }
    @distance = internal constant i32 trunc (i64 sub (
      i64 ptrtoint (ptr blockaddress(@h, %a) to i64),
      i64 ptrtoint (ptr blockaddress(@h, %b) to i64)) to i32)
    @both = internal constant [2 x ptr] [ptr blockaddress(@i, %a), ptr blockaddress(@j, %a)]
    @of_table = global ptr @table
    @alias = alias ptr, getelementptr (i8, ptr @table, i64 8)
    define void @other() { ret void }
    define internal ptr @f() { br label %a a: br label %b b: ret ptr @distance }
    define void @h() { br label %a a: br label %b b: ret void }
    define void @i() { br label %a a: ret void }
    define void @j() { br label %a a: ret void })");
}

TEST(SymbolIndexReaderTest, FindsLargeVariables) {
  ExpectSameIndex(R"(
    @a = global [15000000 x i8] zeroinitializer
    @b = global [15000000 x i8] zeroinitializer
    @c = global [15000000 x i8] zeroinitializer
    @d = global [15000000 x i8] zeroinitializer
    @e = global [15000000 x i8] zeroinitializer
    @small = global [1000 x i8] zeroinitializer
    @of_thread = thread_local global [100000000 x i8] zeroinitializer)");
}

TEST(SymbolIndexReaderTest, KnowsPrefixDataAndShadowStacks) {
  ExpectSameIndex(R"(
    define void @p() prefix i32 1 { ret void }
    define void @f() gc "shadow-stack" { ret void })");
  ExpectSameIndex(R"(
    @llvm_gc_root_chain = global ptr null
    define void @f() gc "shadow-stack" { ret void })");
}

TEST(SymbolIndexReaderTest, RefusesByName) {
  const auto expect = [](absl::string_view text, absl::string_view message) {
    EXPECT_THAT(ErrorFor(text), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(message)));
  };
  expect("module asm \"nop\"", "assembly of the module");
  expect("!llvm.module.flags = !{!0} !0 = !{i32 4, !\"kcfi\", i32 1}", "hashes of types");
  expect("@\"a$fc.b\" = global i32 1", "symbol 'a$fc.b': names with '$fc.' are reserved");
  expect("@x = alias i32, inttoptr (i64 4096 to ptr)",
         "alias 'x': an aliasee other than a symbol plus a constant offset");
  expect(
      "@v = thread_local global [2 x i32] zeroinitializer\n"
      "@x = thread_local alias i32, getelementptr (i8, ptr @v, i64 4)",
      "alias 'x': a part of a thread-local variable");
  expect(R"(@labels = constant ptr blockaddress(@f, %b), section "mine"
            define void @f() { br label %b b: ret void })",
         "variable 'labels': an unusual place of labels");
  expect(R"(@labels = available_externally constant ptr blockaddress(@f, %b)
            define void @f() { br label %b b: ret void })",
         "variable 'labels': an unusual place of labels");
  expect(R"(define void @g() prefix ptr blockaddress(@f, %b) { ret void }
            define void @f() { br label %b b: ret void })",
         "the address of a block in the data of a function");
  expect("define void @f() gc \"ocaml\" { ret void }", "function 'f': the garbage collector");
  expect("define x86_vectorcallcc void @f() { ret void }", "function 'f': a calling convention");
  expect("declare ptr @llvm.localrecover(ptr, ptr, i32)", "another function's frame");
}

// LLVM would not write it.
TEST(SymbolIndexReaderTest, RefusesUsedListOfOtherThings) {
  ir::Module module;
  ir::Type pointer_type;
  pointer_type.kind = ir::TypeKind::kPointer;
  const ir::Type* const pointer = module.AddType(pointer_type);
  ir::Type list_type;
  list_type.kind = ir::TypeKind::kArray;
  list_type.count = 2;
  list_type.contained = module.storage().Keep(std::vector<const ir::Type*>{pointer});
  const ir::Type* const list = module.AddType(list_type);
  ir::NewGlobal used;
  used.name = "llvm.used";
  used.traits.linkage = ir::Linkage::kAppending;
  used.traits.is_declaration = false;
  used.traits.type = pointer;
  used.traits.value_type = list;
  used.initializer = ir::Operand::Constant(2);
  module.AddGlobal(used);
  std::vector<ir::Constant>& constants = module.mutable_constants();
  constants.resize(3);
  constants[0].kind = ir::ConstantKind::kGlobal;
  constants[0].global = 0;
  constants[1].kind = ir::ConstantKind::kNull;
  constants[2].kind = ir::ConstantKind::kAggregate;
  constants[2].set_operands(module.storage().Keep(
      std::vector<ir::Operand>{ir::Operand::Constant(1), ir::Operand::Constant(0)}));
  constants[0].type = constants[1].type = pointer;
  constants[2].type = list;
  module.FindUsesByData();
  EXPECT_THAT(ReadSymbolIndex(module),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "variable 'llvm.used': something other than a list of globals"));
}

}  // namespace
}  // namespace firstcall::direct
