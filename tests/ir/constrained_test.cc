#include "ir/constrained.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "llvm/IR/FPEnv.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"

namespace firstcall::ir {
namespace {

// The name of the intrinsic that computes the same where nothing is constrained.
std::string PlainNameOf(absl::string_view name) {
  return absl::StrCat("llvm.", name.substr(name.rfind('.') + 1));
}

TEST(ConstrainedTest, OperationsAreThoseOfLlvm) {
  int count = 0;
  for (llvm::Intrinsic::ID id = 1; id < llvm::Intrinsic::num_intrinsics; ++id) {
    const std::string name = llvm::Intrinsic::getBaseName(id).str();
    const IntrinsicId number = IntrinsicOfName(name);
    const ConstrainedOperation* const operation = ConstrainedOperationOf(number);
    EXPECT_EQ(IsConstrainedName(name), llvm::Intrinsic::isConstrainedFPIntrinsic(id)) << name;
    if (!llvm::Intrinsic::isConstrainedFPIntrinsic(id)) {
      EXPECT_EQ(operation, nullptr) << name;
      EXPECT_EQ(PlainIntrinsicOf(number), IntrinsicId::kNone) << name;
      continue;
    }
    if (number == IntrinsicId::kOther) continue;
    ++count;
    ASSERT_NE(operation, nullptr) << name;
    EXPECT_EQ(operation->has_rounding, llvm::Intrinsic::hasConstrainedFPRoundingModeOperand(id))
        << name;
    EXPECT_EQ(PlainIntrinsicOf(number), operation->plain);
    if (operation->opcode == Opcode::kCall) {
      EXPECT_EQ(operation->plain, IntrinsicOfName(PlainNameOf(name))) << name;
      EXPECT_NE(operation->plain, IntrinsicId::kOther) << name;
    } else {
      EXPECT_EQ(operation->plain, IntrinsicId::kNone) << name;
    }
    EXPECT_EQ(operation->is_signaling, id == llvm::Intrinsic::experimental_constrained_fcmps);
    llvm::SmallVector<llvm::Intrinsic::IITDescriptor, 8> table;
    llvm::Intrinsic::getIntrinsicInfoTableEntries(id, table);
    // The first one is that of the result; of a comparison's result there are two.
    const size_t of_result = operation->opcode == Opcode::kFCmp ? 2 : 1;
    EXPECT_EQ(operation->argument_count + operation->text_count() + of_result, table.size())
        << name;
  }
  EXPECT_EQ(count, 45);
}

TEST(ConstrainedTest, InstructionsHaveTheirNames) {
  const struct {
    absl::string_view name;
    Opcode opcode;
  } kCases[] = {
      {"fadd", Opcode::kFAdd},     {"fsub", Opcode::kFSub},     {"fmul", Opcode::kFMul},
      {"fdiv", Opcode::kFDiv},     {"frem", Opcode::kFRem},     {"fcmp", Opcode::kFCmp},
      {"fcmps", Opcode::kFCmp},    {"fpext", Opcode::kFPExt},   {"fptrunc", Opcode::kFPTrunc},
      {"fptosi", Opcode::kFPToSI}, {"fptoui", Opcode::kFPToUI}, {"sitofp", Opcode::kSIToFP},
      {"uitofp", Opcode::kUIToFP}, {"sqrt", Opcode::kCall},
  };
  for (const auto& one : kCases) {
    const std::string name = absl::StrCat("llvm.experimental.constrained.", one.name);
    const ConstrainedOperation* const operation = ConstrainedOperationOf(IntrinsicOfName(name));
    ASSERT_NE(operation, nullptr) << name;
    EXPECT_EQ(operation->opcode, one.opcode) << name;
  }
}

TEST(ConstrainedTest, TextsAreThoseOfLlvm) {
  for (const char* text :
       {"", "round", "round.", "round.dynamic", "round.tonearest", "round.tonearestaway",
        "round.downward", "round.upward", "round.towardzero", "round.up", "fpexcept.strict",
        "fpexcept.ignore", "fpexcept.maytrap", "fpexcept", "fpexcept.", "Round.dynamic"}) {
    EXPECT_EQ(IsConstrainedRounding(text), llvm::convertStrToRoundingMode(text).has_value())
        << text;
    EXPECT_EQ(IsConstrainedExceptions(text), llvm::convertStrToExceptionBehavior(text).has_value())
        << text;
  }
}

TEST(ConstrainedTest, PredicatesHaveTheirNumbers) {
  for (unsigned number = llvm::CmpInst::FIRST_FCMP_PREDICATE;
       number <= llvm::CmpInst::LAST_FCMP_PREDICATE; ++number) {
    const auto predicate = static_cast<llvm::CmpInst::Predicate>(number);
    const std::string name = llvm::CmpInst::getPredicateName(predicate).str();
    Predicate found = Predicate::kIcmpEq;
    const bool is_constant =
        predicate == llvm::CmpInst::FCMP_FALSE || predicate == llvm::CmpInst::FCMP_TRUE;
    EXPECT_EQ(FindConstrainedPredicate(name, found), !is_constant) << name;
    if (!is_constant) {
      EXPECT_EQ(static_cast<unsigned>(found), number) << name;
    }
  }
  Predicate found;
  EXPECT_FALSE(FindConstrainedPredicate("", found));
  EXPECT_FALSE(FindConstrainedPredicate("eq", found));
}

}  // namespace
}  // namespace firstcall::ir
