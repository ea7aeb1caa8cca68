// Expressions that are no operands of machine instructions have the values that they have by LLVM.

#include "backend/baseline/constant_expansion.h"

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_replace.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/version.h"

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
  @own = thread_local global [2 x i64] [i64 0, i64 8]
  define i64 @thread_local_sum(i64 %n, i1 %stores) {
    br i1 %stores, label %store, label %load
  store:
    store i64 %n, ptr @own
    br label %load
  load:
    %x = load i64, ptr @own
    %y = load i64, ptr getelementptr (i8, ptr @own, i64 8)
    %sum = add i64 %x, %y
    store i64 %sum, ptr @own
    ret i64 %sum
  }
  define ptr @thread_local_address() {
    %a = freeze ptr @own
    ret ptr %a
  }
  define ptr @thread_local_phi() {
    br label %next
  next:
    %p = phi ptr [ @own, %0 ]
    %same = icmp eq ptr @own, %p
    %r = select i1 %same, ptr %p, ptr null
    ret ptr %r
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

// LLVM 22 has no products of constants.
std::string Program() {
  if (llvm_version::kMajor < 22) return kProgram;
  return absl::StrReplaceAll(
      kProgram, {{"ret i64 mul (i64 ptrtoint (ptr @table to i64), i64 3)",
                  "%product = mul i64 ptrtoint (ptr @table to i64), 3\nret i64 %product"},
                 {"%plus = add i64 %sum, mul (i64 ptrtoint (ptr @other to i64), i64 5)",
                  "%product = mul i64 ptrtoint (ptr @other to i64), 5\n"
                  "%plus = add i64 %sum, %product"}});
}

class ConstantExpansionTest : public ::testing::TestWithParam<Baseline> {
 protected:
  ConstantExpansionTest() {
    EngineOptions options;
    options.baseline = GetParam();
    engine_ = Engine::Create(options).value();
    EXPECT_THAT(engine_->AddBitcode(ParseToBitcode(Program()), "program"), IsOk());
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

TEST_P(ConstantExpansionTest, ThreadLocalVariablesAreOperands) {
  auto* sum = Find<int64_t(int64_t, bool)>("thread_local_sum");
  EXPECT_EQ(sum(5, true), 13);
  EXPECT_EQ(sum(6, true), 14);
  EXPECT_EQ(sum(1, false), 8 + 14);
  int64_t in_another_thread = 0;
  std::thread([&] { in_another_thread = sum(1, false); }).join();
  EXPECT_EQ(in_another_thread, 8);
  EXPECT_EQ(Find<int64_t*()>("thread_local_address")(), Find<int64_t*()>("thread_local_phi")());
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
  BodyOf member("@g = thread_local global i8 0 define [1 x ptr] @f() { ret [1 x ptr] [ptr @g] }");
  baseline::ConstantExpansion expansion;
  EXPECT_FALSE(expansion.Expand(member.body));
  EXPECT_EQ(member.body.instructions.size(), 1u);
}

TEST(ExpandTest, AddressesOfThreadLocalVariablesAreComputedOnceInABlock) {
  BodyOf accesses(R"(
    @g = thread_local global [4 x i64] zeroinitializer
    define i64 @f() {
      %x = load i64, ptr @g
      store i64 1, ptr getelementptr (i8, ptr @g, i64 8)
      br label %next
    next:
      store i64 %x, ptr @g
      %p = call ptr @llvm.threadlocal.address.p0(ptr @g)
      store i64 2, ptr %p
      ret i64 %x
    }
    declare ptr @llvm.threadlocal.address.p0(ptr))");
  baseline::ConstantExpansion expansion;
  EXPECT_TRUE(expansion.Expand(accesses.body));
  // Two addresses, and the sum of one and 8.
  EXPECT_EQ(accesses.body.instructions.size(), 7u + 3u);
}

}  // namespace
}  // namespace firstcall
