#include "ir/intrinsic.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include "third_party/llvm/version/instructions.h"

namespace firstcall::ir {
namespace {

constexpr auto kLast = IntrinsicId::kX86Sse2PsrliW;

TEST(IntrinsicTest, KnowsNames) {
  const std::pair<absl::string_view, IntrinsicId> expected[] = {
      {"", IntrinsicId::kNone},
      {"f", IntrinsicId::kNone},
      {"llvm", IntrinsicId::kNone},
      {"llvmx.trap", IntrinsicId::kNone},
      {"llvm.", IntrinsicId::kOther},
      {"llvm.a", IntrinsicId::kOther},
      {"llvm.zzz", IntrinsicId::kOther},
      {"llvm.abs.i32", IntrinsicId::kAbs},
      {"llvm.abs.v4i32", IntrinsicId::kAbs},
      {"llvm.absolute.i32", IntrinsicId::kOther},
      {"llvm.memcpy.p0.p0.i64", IntrinsicId::kMemcpy},
      {"llvm.memcpy.inline.p0.p0.i64", IntrinsicId::kMemcpyInline},
      {"llvm.memcpy.element.unordered.atomic.p0.p0.i32", IntrinsicId::kOther},
      {"llvm.memmove.p0.p0.i64", IntrinsicId::kMemmove},
      {"llvm.memmove.element.unordered.atomic.p0.p0.i32", IntrinsicId::kOther},
      {"llvm.memset.p0.i64", IntrinsicId::kMemset},
      {"llvm.memset.inline.p0.i64", IntrinsicId::kMemsetInline},
      {"llvm.memset.element.unordered.atomic.p0.i32", IntrinsicId::kOther},
      {"llvm.exp.f64", IntrinsicId::kExp},
      {"llvm.exp2.f64", IntrinsicId::kExp2},
      {"llvm.exp10.f64", IntrinsicId::kOther},
      {"llvm.expect.i1", IntrinsicId::kExpect},
      {"llvm.expect.with.probability.i1", IntrinsicId::kExpectWithProbability},
      {"llvm.pow.f64", IntrinsicId::kPow},
      {"llvm.powi.f64.i32", IntrinsicId::kOther},
      {"llvm.trap", IntrinsicId::kTrap},
      {"llvm.trap.i32", IntrinsicId::kOther},
      {"llvm.stacksave", IntrinsicId::kStacksave},     // Until LLVM 17.
      {"llvm.stacksave.p0", IntrinsicId::kStacksave},  // Since LLVM 18.
      {"llvm.va_start.p0", IntrinsicId::kVaStart},
      {"llvm.var.annotation.p0.p0", IntrinsicId::kVarAnnotation},
      {"llvm.eh.typeid.for.p0", IntrinsicId::kEhTypeidFor},
      {"llvm.eh.typeid", IntrinsicId::kOther},
      {"llvm.vector.reduce.xor.v4i32", IntrinsicId::kVectorReduceXor},
      {"llvm.vector.reduce.fadd.v4f32", IntrinsicId::kVectorReduceFadd},
      {"llvm.vector.reduce.fmax.v4f32", IntrinsicId::kVectorReduceFmax},
      {"llvm.vector.reduce.fmaximum.v4f32", IntrinsicId::kVectorReduceFmaximum},
      {"llvm.vector.reverse.v4f32", IntrinsicId::kOther},
  };
  for (const auto& [name, id] : expected) EXPECT_EQ(IntrinsicOfName(name), id) << name;
}

// The names of intrinsics that LLVM has, by the numbers of this project.
std::map<IntrinsicId, std::string> NamesOfLlvm() {
  std::map<IntrinsicId, std::string> names;
  for (llvm::Intrinsic::ID id = 1; id < llvm::Intrinsic::num_intrinsics; ++id) {
    const std::string name = llvm::Intrinsic::getBaseName(id).str();
    const IntrinsicId number = IntrinsicOfName(name);
    EXPECT_NE(number, IntrinsicId::kNone) << name;
    if (number == IntrinsicId::kOther) continue;
    EXPECT_TRUE(names.emplace(number, name).second) << name << " and " << names[number];
  }
  return names;
}

TEST(IntrinsicTest, EachNumberIsOneIntrinsicOfLlvm) {
  const std::map<IntrinsicId, std::string> names = NamesOfLlvm();
  absl::string_view last;
  for (int i = static_cast<int>(IntrinsicId::kOther) + 1; i <= static_cast<int>(kLast); ++i) {
    const auto name = names.find(static_cast<IntrinsicId>(i));
    ASSERT_NE(name, names.end()) << i;
    EXPECT_LT(last, name->second);
    last = name->second;
  }
  EXPECT_EQ(names.rbegin()->first, kLast);
}

// With whatever follows the name.
TEST(IntrinsicTest, AgreesWithLlvm) {
  std::map<llvm::Intrinsic::ID, IntrinsicId> numbers;
  for (const auto& [number, name] : NamesOfLlvm()) {
    const llvm::Intrinsic::ID id = llvm_version::IntrinsicOfName(name);
    ASSERT_NE(id, llvm::Intrinsic::not_intrinsic) << name;
    numbers[id] = number;
  }
  for (llvm::Intrinsic::ID id = 1; id < llvm::Intrinsic::num_intrinsics; ++id) {
    const std::string name = llvm::Intrinsic::getBaseName(id).str();
    for (absl::string_view end :
         {"", ".i32", ".p0.p0.i64", ".v4i32", ".inline", ".with.probability"}) {
      const std::string whole = absl::StrCat(name, end);
      const auto number = numbers.find(llvm_version::IntrinsicOfName(whole));
      const IntrinsicId expected = number == numbers.end() ? IntrinsicId::kOther : number->second;
      EXPECT_EQ(IntrinsicOfName(whole), expected) << whole;
    }
  }
}

}  // namespace
}  // namespace firstcall::ir
