// Expressions that are no operands of machine instructions have the values that they have by LLVM.

#include "backend/baseline/constant_expansion.h"

#include <cstdint>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr char kProgram[] = R"(
  @table = global [16 x i8] zeroinitializer, align 16
  @other = global [16 x i8] zeroinitializer, align 16
  define i64 @product() {
    ret i64 mul (i64 ptrtoint (ptr @table to i64), i64 3)
  }
  define i64 @masked() {
    %low = and i64 xor (i64 ptrtoint (ptr @table to i64), i64 4), 255
    ret i64 %low
  }
  define i64 @difference() {
    %d = add i64 sub (i64 ptrtoint (ptr @table to i64), i64 ptrtoint (ptr @other to i64)), 1
    ret i64 %d
  }
  define i32 @narrow(i1 %c) {
    br i1 %c, label %a, label %b
  a:
    br label %join
  b:
    br label %join
  join:
    %x = phi i32 [ trunc (i64 ptrtoint (ptr getelementptr (i8, ptr @table, i64 5) to i64) to i32),
                   %a ], [ 7, %b ]
    %y = phi i32 [ 2, %a ],
                 [ trunc (i64 sub (i64 0, i64 ptrtoint (ptr @table to i64)) to i32), %b ]
    %z = xor i32 %x, %y
    ret i32 %z
  }
  define void @store(ptr %to) {
    store i16 trunc (i64 ptrtoint (ptr @table to i64) to i16), ptr %to
    %second = getelementptr i16, ptr %to, i64 1
    store i16 trunc (i64 ptrtoint (ptr @other to i64) to i16), ptr %second
    ret void
  }
  define i64 @loop(i64 %n) {
  entry:
    br label %next
  next:
    %i = phi i64 [ 0, %entry ], [ %more, %next ]
    %sum = phi i64 [ xor (i64 ptrtoint (ptr @table to i64), i64 1), %entry ], [ %plus, %next ]
    %plus = add i64 %sum, mul (i64 ptrtoint (ptr @other to i64), i64 5)
    %more = add i64 %i, 1
    %again = icmp ult i64 %more, %n
    br i1 %again, label %next, label %end
  end:
    ret i64 %plus
  })";

class ConstantExpansionTest : public ::testing::TestWithParam<Baseline> {
 protected:
  ConstantExpansionTest() {
    EngineOptions options;
    options.baseline = GetParam();
    engine_ = Engine::Create(options).value();
    EXPECT_THAT(engine_->AddBitcode(ParseToBitcode(kProgram), "program"), IsOk());
  }

  template <typename T>
  T* Find(const char* name) {
    return reinterpret_cast<T*>(engine_->LookupAddress(name).value());
  }
  uint64_t AddressOf(const char* name) { return reinterpret_cast<uint64_t>(Find<char>(name)); }

  std::unique_ptr<Engine> engine_;
};

TEST_P(ConstantExpansionTest, ExpressionsAreComputed) {
  const uint64_t table = AddressOf("table"), other = AddressOf("other");
  EXPECT_EQ(Find<uint64_t()>("product")(), table * 3);
  EXPECT_EQ(Find<uint64_t()>("masked")(), (table ^ 4) & 255);
  EXPECT_EQ(Find<uint64_t()>("difference")(), table - other + 1);
  uint16_t stored[2] = {};
  Find<void(uint16_t*)>("store")(stored);
  EXPECT_EQ(stored[0], static_cast<uint16_t>(table));
  EXPECT_EQ(stored[1], static_cast<uint16_t>(other));
}

TEST_P(ConstantExpansionTest, OperandsOfPhisAreComputedWhereTheyComeFrom) {
  const uint64_t table = AddressOf("table"), other = AddressOf("other");
  EXPECT_EQ(Find<uint32_t(bool)>("narrow")(true), static_cast<uint32_t>(table + 5) ^ 2);
  EXPECT_EQ(Find<uint32_t(bool)>("narrow")(false), static_cast<uint32_t>(0 - table) ^ 7);
  EXPECT_EQ(Find<uint64_t(uint64_t)>("loop")(3), (table ^ 1) + 15 * other);
}

INSTANTIATE_TEST_SUITE_P(Both, ConstantExpansionTest,
                         ::testing::Values(Baseline::kStrict, Baseline::kOff));

class BodyOf {
 public:
  explicit BodyOf(const std::string& text) : module_(ParseModule(text, context_)) {
    EXPECT_THAT(reader_.Begin(*module_), IsOk());
    EXPECT_THAT(reader_.Read(*module_->begin(), body), IsOk());
  }

 private:
  llvm::LLVMContext context_;
  const std::unique_ptr<llvm::Module> module_;
  ir::LlvmReader reader_;

 public:
  ir::Function body;
};

TEST(ExpandTest, WhatIsSupportedStaysAsItIs) {
  BodyOf plain("@g = global i8 0 define ptr @f() { ret ptr getelementptr (i8, ptr @g, i64 1) }");
  baseline::ConstantExpansion expansion;
  EXPECT_FALSE(expansion.Expand(plain.body));
  EXPECT_EQ(plain.body.instructions.size(), 1u);
}

TEST(ExpandTest, WhatNoInstructionComputesIsLeft) {
  BodyOf thread_local_address(
      "@g = thread_local global i8 0 define i64 @f() {\n"
      "  ret i64 mul (i64 ptrtoint (ptr @g to i64), i64 3) }");
  baseline::ConstantExpansion expansion;
  EXPECT_FALSE(expansion.Expand(thread_local_address.body));
  EXPECT_EQ(thread_local_address.body.instructions.size(), 1u);
}

}  // namespace
}  // namespace firstcall
