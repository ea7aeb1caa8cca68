// Constants and types: every kind.

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ir/from_llvm/reading.h"
#include "third_party/llvm/version/version.h"

namespace firstcall::ir {
namespace {

using ::testing::ElementsAre;

TEST(ConstantReaderTest, ReadsNumbers) {
  Reading reading(R"(
    @zero = global i32 0
    @negative = global i8 -2
    @wide = global i128 -1
    @odd = global i65 3
    @half = global half 1.0
    @float = global float -0.0
    @nothing = global double 0.0
    @long = global x86_fp80 0xK3FFF8000000000000000)");
  EXPECT_TRUE(reading.InitializerOf("zero").IsInteger());
  EXPECT_TRUE(reading.InitializerOf("zero").IsZero());
  EXPECT_EQ(reading.InitializerOf("negative").bits(), UINT64_MAX - 1);
  EXPECT_EQ(reading.InitializerOf("negative").unsigned_bits(), 0xfeu);
  EXPECT_THAT(reading.InitializerOf("wide").words(), ElementsAre(UINT64_MAX, UINT64_MAX));
  EXPECT_THAT(reading.InitializerOf("odd").words(), ElementsAre(3, 0));
  EXPECT_EQ(reading.InitializerOf("half").kind, ConstantKind::kFloat);
  EXPECT_EQ(reading.InitializerOf("half").bits(), 0x3c00u);
  EXPECT_EQ(reading.InitializerOf("float").bits(), 0x80000000u);
  EXPECT_FALSE(reading.InitializerOf("float").IsZero());
  EXPECT_EQ(reading.InitializerOf("nothing").kind, ConstantKind::kFloat);
  EXPECT_TRUE(reading.InitializerOf("nothing").IsZero());
  EXPECT_THAT(reading.InitializerOf("long").words(), ElementsAre(uint64_t{1} << 63, 0x3fff));
}

TEST(ConstantReaderTest, ReadsAggregates) {
  Reading reading(R"(
    @null = global ptr null
    @nulls = global [4 x ptr] zeroinitializer
    @undef = global i32 undef
    @poison = global {i8, i16} poison
    @text = global [4 x i8] c"ab\00c"
    @data = global [2 x i16] [i16 1, i16 -1]
    @floats = global <2 x float> <float 1.0, float 0.0>
    @mixed = global {i8, ptr, [1 x i8]} {i8 1, ptr @text, [1 x i8] c"x"}
    @partial = global <2 x i32> <i32 1, i32 undef>)");
  EXPECT_EQ(reading.InitializerOf("null").kind, ConstantKind::kNull);
  EXPECT_EQ(reading.InitializerOf("nulls").kind, ConstantKind::kNull);
  EXPECT_TRUE(reading.InitializerOf("nulls").type->IsArray());
  EXPECT_EQ(reading.InitializerOf("undef").kind, ConstantKind::kUndef);
  EXPECT_EQ(reading.InitializerOf("poison").kind, ConstantKind::kPoison);
  EXPECT_EQ(reading.InitializerOf("text").kind, ConstantKind::kData);
  EXPECT_EQ(reading.InitializerOf("text").data(), absl::string_view("ab\0c", 4));
  EXPECT_EQ(reading.InitializerOf("data").data(), absl::string_view("\x01\x00\xff\xff", 4));
  EXPECT_EQ(reading.InitializerOf("floats").data(), absl::string_view("\0\0\x80\x3f\0\0\0\0", 8));
  const Constant& mixed = reading.InitializerOf("mixed");
  EXPECT_EQ(mixed.kind, ConstantKind::kAggregate);
  ASSERT_EQ(mixed.operands().size(), 3u);
  EXPECT_TRUE(reading.module().constant(mixed.operands()[1]).IsGlobal());
  EXPECT_EQ(reading.InitializerOf("partial").kind, ConstantKind::kAggregate);
}

TEST(ConstantReaderTest, ReadsExpressions) {
  Reading reading(R"(
    @a = global [4 x i32] zeroinitializer
    @address = global ptr getelementptr inbounds ([4 x i32], ptr @a, i64 0, i64 2)
    @number = global i64 ptrtoint (ptr @a to i64)
    @difference = global i32 trunc (i64 sub (i64 ptrtoint (ptr @address to i64),
                                             i64 ptrtoint (ptr @a to i64)) to i32)
    @f_equivalent = global ptr dso_local_equivalent @f
    @f_plain = global ptr no_cfi @f
    @block = global ptr blockaddress(@f, %b)
    @table = global [2 x ptr] [ptr blockaddress(@f, %c), ptr blockaddress(@f, %b)]
    define void @f() {
    a:
      br label %c
    b:
      br label %c
    c:
      ret void
    })");
  const Module& module = reading.module();
  const Constant& address = reading.InitializerOf("address");
  EXPECT_EQ(address.kind, ConstantKind::kExpression);
  EXPECT_EQ(address.opcode, Opcode::kGetElementPtr);
  EXPECT_TRUE(address.source_type()->IsArray());
  EXPECT_EQ(address.operands().size(), 3u);
  EXPECT_EQ(address.operands()[0], Operand::Constant(0));
  EXPECT_EQ(reading.InitializerOf("number").opcode, Opcode::kPtrToInt);
  const Constant& difference = reading.InitializerOf("difference");
  EXPECT_EQ(difference.opcode, Opcode::kTrunc);
  EXPECT_EQ(module.constant(difference.operands()[0]).opcode, Opcode::kSub);
  const uint32_t f = reading.reader().NumberOf(*reading.SourceOf("f"));
  EXPECT_EQ(reading.InitializerOf("f_equivalent").kind, ConstantKind::kDsoLocalEquivalent);
  EXPECT_EQ(reading.InitializerOf("f_equivalent").global, f);
  EXPECT_EQ(reading.InitializerOf("f_plain").kind, ConstantKind::kNoCfi);
  EXPECT_EQ(reading.InitializerOf("f_plain").global, f);
  EXPECT_EQ(reading.InitializerOf("block").kind, ConstantKind::kBlockAddress);
  EXPECT_EQ(reading.InitializerOf("block").block(), 1u);
  const Constant& table = reading.InitializerOf("table");
  EXPECT_EQ(module.constant(table.operands()[0]).block(), 2u);
  EXPECT_EQ(reading.Body("f").blocks[1].has_address_taken, true);
  EXPECT_EQ(reading.Body("f").blocks[0].has_address_taken, false);
}

TEST(ConstantReaderTest, WhatOnlyLlvmKnowsIsOther) {
  Reading reading(R"(
    @a = global i32 0
    @signed = global ptr ptrauth (ptr @a, i32 1))");
  EXPECT_EQ(reading.InitializerOf("signed").kind, ConstantKind::kOther);
  EXPECT_TRUE(reading.InitializerOf("signed").type->IsPointer());
  // What is signed is used all the same.
  EXPECT_TRUE(reading.module().IsUsedByData(0));
}

TEST(ConstantReaderTest, ReadsDeepConstantsWithoutRecursion) {
  // Each number contains the former one; the type is as deep.
  llvm::LLVMContext context;
  llvm::Module source("deep", context);
  llvm::Constant* value = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1);
  for (int i = 0; i < 2000; ++i) value = llvm::ConstantStruct::getAnon({value});
  new llvm::GlobalVariable(source, value->getType(), false, llvm::GlobalValue::ExternalLinkage,
                           value, "deep");
  LlvmReader reader;
  ASSERT_THAT(reader.Begin(source), IsOk());
  EXPECT_EQ(reader.module().constants().size(), 2002u);
}

TEST(TypeReaderTest, ReadsEveryKind) {
  const bool has_mmx = llvm_version::kMajor < 20;
  Reading reading(absl::StrReplaceAll(R"(
    %opaque = type opaque
    %named = type <{ i8, i32 }>
    @o = external global %opaque
    declare void @f(half, bfloat, float, double, x86_fp80, fp128, ppc_fp128, i17, ptr,
                    ptr addrspace(3), %named, { i8, i32 }, [3 x i64], <5 x i8>,
                    <vscale x 2 x i32>, target("spirv.Image"), x86_mmx)
    declare x86_amx @llvm.x86.tilezero.internal(i16, i16)
    declare token @llvm.call.preallocated.setup(i32)
    declare i64 @llvm.read_register.i64(metadata)
    declare i32 @v(i32, ...))",
                                      {{", x86_mmx", has_mmx ? ", x86_mmx" : ""}}));
  const Type& function = *reading.GlobalNamed("f").value_type();
  EXPECT_TRUE(function.result()->IsVoid());
  const absl::Span<const Type* const> types = function.parameters();
  std::vector<TypeKind> kinds;
  for (const Type* type : types) kinds.push_back(type->kind);
  if (!has_mmx) kinds.push_back(TypeKind::kX86Mmx);
  EXPECT_THAT(
      kinds,
      ElementsAre(TypeKind::kHalf, TypeKind::kBFloat, TypeKind::kFloat, TypeKind::kDouble,
                  TypeKind::kX86Fp80, TypeKind::kFp128, TypeKind::kPpcFp128, TypeKind::kInteger,
                  TypeKind::kPointer, TypeKind::kPointer, TypeKind::kStruct, TypeKind::kStruct,
                  TypeKind::kArray, TypeKind::kFixedVector, TypeKind::kScalableVector,
                  TypeKind::kTargetExtension, TypeKind::kX86Mmx));
  EXPECT_EQ(types[7]->number, 17u);
  EXPECT_EQ(types[9]->number, 3u);
  EXPECT_TRUE(types[10]->is_packed && !types[10]->is_literal);
  EXPECT_EQ(types[10]->alloc_size, 5u);
  EXPECT_TRUE(!types[11]->is_packed && types[11]->is_literal);
  EXPECT_THAT(types[11]->offsets, ElementsAre(0, 4));
  EXPECT_EQ(types[12]->count, 3u);
  EXPECT_EQ(types[12]->alloc_size, 24u);
  EXPECT_EQ(types[13]->count, 5u);
  EXPECT_EQ(types[14]->count, 2u);
  EXPECT_FALSE(types[14]->is_sized);
  EXPECT_EQ(reading.GlobalNamed("llvm.x86.tilezero.internal").value_type()->result()->kind,
            TypeKind::kX86Amx);
  EXPECT_TRUE(
      reading.GlobalNamed("llvm.call.preallocated.setup").value_type()->result()->IsToken());
  EXPECT_EQ(reading.GlobalNamed("llvm.read_register.i64").value_type()->parameters()[0]->kind,
            TypeKind::kMetadata);
  EXPECT_EQ(reading.GlobalNamed("o").value_type()->kind, TypeKind::kOpaqueStruct);
  EXPECT_TRUE(reading.GlobalNamed("v").value_type()->is_variadic);
  EXPECT_EQ(reading.GlobalNamed("f").type(), types[8]);
}

}  // namespace
}  // namespace firstcall::ir
