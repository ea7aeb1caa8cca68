// Programs with random attributes have all that optimized code for another CPU may have.

#include "tests/differential/attribute_program.h"

#include <memory>
#include <set>
#include <string>

#include "backend/llvm/compared_constructs.h"
#include "gtest/gtest.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::testing {
namespace {

constexpr uint32_t kSeeds = 100;

// What programs with random attributes have.
struct Found {
  std::set<llvm::Attribute::AttrKind> of_functions;
  std::set<llvm::Attribute::AttrKind> of_values;
  std::set<std::string> names;
  std::set<llvm::Intrinsic::ID> intrinsics;

  void Add(const llvm::AttributeList& attributes) {
    for (const unsigned index : attributes.indexes()) {
      for (const llvm::Attribute attribute : attributes.getAttributes(index)) {
        if (attribute.isStringAttribute()) {
          names.insert(attribute.getKindAsString().str());
        } else if (index == llvm::AttributeList::FunctionIndex) {
          of_functions.insert(attribute.getKindAsEnum());
        } else {
          of_values.insert(attribute.getKindAsEnum());
        }
      }
    }
  }

  void Add(const llvm::Module& program) {
    for (const llvm::Function& function : program) {
      Add(function.getAttributes());
      if (function.isIntrinsic()) intrinsics.insert(function.getIntrinsicID());
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
          Add(call->getAttributes());
        }
      }
    }
  }
};

TEST(AttributeProgramTest, HasAllThatIsCompared) {
  Found found;
  int functions = 0;
  int compared = 0;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    llvm::LLVMContext context;
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<llvm::Module> program,
                         MakeAttributeProgram(seed, context));
    found.Add(*program);
    for (const llvm::Function& function : *program) {
      if (function.isDeclaration()) continue;
      ++functions;
      compared += HasOnlyCompared(function) ? 1 : 0;
    }
  }
  for (const llvm::Attribute::AttrKind kind : ComparedFunctionAttributes()) {
    EXPECT_TRUE(found.of_functions.count(kind)) << llvm::Attribute::getNameFromAttrKind(kind).str();
  }
  for (const llvm::Attribute::AttrKind kind : ComparedValueAttributes()) {
    EXPECT_TRUE(found.of_values.count(kind)) << llvm::Attribute::getNameFromAttrKind(kind).str();
  }
  for (const llvm::StringRef name : ComparedAttributeNames()) {
    EXPECT_TRUE(found.names.count(name.str())) << name.str();
  }
  const std::set<llvm::Intrinsic::ID> left_out = {
      // They are for a debugger.
      llvm::Intrinsic::dbg_assign, llvm::Intrinsic::dbg_declare, llvm::Intrinsic::dbg_label,
      llvm::Intrinsic::dbg_value,
      // The C++ programs in tests/programs have it.
      llvm::Intrinsic::eh_typeid_for,
      // LLVM generates no code for it at -O0. At -O2 its first pass takes it out.
      llvm::Intrinsic::expect_with_probability};
  for (const llvm::Intrinsic::ID intrinsic : ComparedIntrinsics()) {
    EXPECT_NE(found.intrinsics.count(intrinsic), left_out.count(intrinsic))
        << llvm::Intrinsic::getBaseName(intrinsic).str();
  }
  // Also others, but not mostly.
  EXPECT_GT(compared, functions / 2);
  EXPECT_LT(compared, functions);
}

std::string Print(uint32_t seed) {
  llvm::LLVMContext context;
  const absl::StatusOr<std::unique_ptr<llvm::Module>> program = MakeAttributeProgram(seed, context);
  EXPECT_THAT(program, IsOk());
  return program.ok() ? PrintModule(**program) : "";
}

TEST(AttributeProgramTest, IsTheSameForTheSameSeed) {
  EXPECT_EQ(Print(1), Print(1));
  EXPECT_NE(Print(1), Print(2));
}

}  // namespace
}  // namespace firstcall::testing
