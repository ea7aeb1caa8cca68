#include "ir/names.h"

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/AtomicOrdering.h"
#include "third_party/llvm/version/captures.h"
#include "third_party/llvm/version/instructions.h"

namespace firstcall::ir {
namespace {

TEST(NamesTest, OpcodesHaveTheNamesOfLlvm) {
  std::set<std::string> expected;
  for (unsigned opcode = 1; opcode < llvm::Instruction::OtherOpsEnd; ++opcode) {
    expected.insert(llvm::Instruction::getOpcodeName(opcode));
  }
  std::set<std::string> actual = {"<Invalid operator> ", "<Invalid operator>"};
  for (int opcode = 0; opcode <= static_cast<int>(Opcode::kFreeze); ++opcode) {
    const std::string name(NameOf(static_cast<Opcode>(opcode)));
    EXPECT_EQ(expected.count(name), 1u) << name;
    EXPECT_TRUE(actual.insert(name).second) << name;
  }
  EXPECT_EQ(NameOf(Opcode::kGetElementPtr), "getelementptr");
  EXPECT_EQ(NameOf(Opcode::kCatchSwitch), "catchswitch");
  EXPECT_EQ(NameOf(Opcode::kXor), "xor");
  EXPECT_EQ(NameOf(Opcode::kAtomicRmw), "atomicrmw");
  EXPECT_EQ(NameOf(Opcode::kAddrSpaceCast), "addrspacecast");
  EXPECT_EQ(NameOf(static_cast<Opcode>(200)), "unknown");
}

TEST(NamesTest, PredicatesHaveTheNamesAndNumbersOfLlvm) {
  for (unsigned number = llvm::CmpInst::FIRST_FCMP_PREDICATE;
       number <= llvm::CmpInst::LAST_ICMP_PREDICATE; ++number) {
    const auto predicate = static_cast<llvm::CmpInst::Predicate>(number);
    if (!llvm::CmpInst::isFPPredicate(predicate) && !llvm::CmpInst::isIntPredicate(predicate)) {
      EXPECT_EQ(NameOf(static_cast<Predicate>(number)), "unknown");
    } else {
      EXPECT_EQ(NameOf(static_cast<Predicate>(number)),
                llvm::CmpInst::getPredicateName(predicate).str());
    }
  }
  EXPECT_EQ(NameOf(static_cast<Predicate>(255)), "unknown");
}

TEST(NamesTest, AtomicOperationsHaveTheNamesAndNumbersOfLlvm) {
  for (unsigned number = 0; number <= llvm::AtomicRMWInst::LAST_BINOP; ++number) {
    const auto operation = static_cast<llvm::AtomicRMWInst::BinOp>(number);
    EXPECT_EQ(NameOf(static_cast<AtomicOperation>(llvm_version::BitcodeNumberOf(operation))),
              llvm::AtomicRMWInst::getOperationName(operation).str());
  }
}

TEST(NamesTest, OrderingsHaveTheNamesOfLlvm) {
  constexpr llvm::AtomicOrdering kOrderings[] = {
      llvm::AtomicOrdering::NotAtomic,
      llvm::AtomicOrdering::Unordered,
      llvm::AtomicOrdering::Monotonic,
      llvm::AtomicOrdering::Acquire,
      llvm::AtomicOrdering::Release,
      llvm::AtomicOrdering::AcquireRelease,
      llvm::AtomicOrdering::SequentiallyConsistent,
  };
  int number = 0;
  for (llvm::AtomicOrdering ordering : kOrderings) {
    EXPECT_EQ(NameOf(static_cast<Ordering>(number++)), llvm::toIRString(ordering));
  }
}

TEST(NamesTest, LlvmKnowsTheAttributes) {
  std::set<absl::string_view> names;
  for (int i = 0; i < static_cast<int>(Attribute::kUnknown); ++i) {
    const absl::string_view name = NameOf(static_cast<Attribute>(i));
    EXPECT_TRUE(names.insert(name).second) << name;
    llvm::StringRef expected(name.data(), name.size());
    // LLVM 22 has "captures", with a value, in its place.
    if (name == "nocapture") {
      expected = llvm::Attribute::getNameFromAttrKind(llvm_version::kCaptureAttribute);
    }
    EXPECT_NE(llvm::Attribute::getAttrKindFromName(expected), llvm::Attribute::None) << name;
  }
  EXPECT_EQ(NameOf(Attribute::kByVal), "byval");
  EXPECT_EQ(NameOf(Attribute::kStackAlignment), "alignstack");
  EXPECT_EQ(NameOf(Attribute::kConvergent), "convergent");
  EXPECT_EQ(NameOf(Attribute::kUnknown), "unknown");
}

}  // namespace
}  // namespace firstcall::ir
