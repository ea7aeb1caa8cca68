#include "direct/library_functions.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "tests/direct/read_both_ways.h"
#include "third_party/llvm/version/captures.h"

namespace firstcall::direct {
namespace {

// Declares the functions that LLVM knows by their names, each with the first of many types that
// LLVM accepts for the name.
class Library {
 public:
  Library() : known_(llvm::Triple(llvm::sys::getProcessTriple())), info_(known_) {
    types_ = {llvm::Type::getVoidTy(context_),     llvm::PointerType::get(context_, 0),
              llvm::Type::getInt32Ty(context_),    llvm::Type::getInt64Ty(context_),
              llvm::Type::getFloatTy(context_),    llvm::Type::getDoubleTy(context_),
              llvm::Type::getX86_FP80Ty(context_), llvm::Type::getFP128Ty(context_)};
    for (unsigned number = 0; number < llvm::NumLibFuncs; ++number) {
      const auto function = static_cast<llvm::LibFunc>(number);
      if (info_.has(function)) Declare(function);
    }
  }

  // The parameters that LLVM finds to be forgotten, a bit for each, by the functions' names.
  const std::map<std::string, uint32_t>& forgotten() const { return forgotten_; }

  std::string Text() const {
    std::string text;
    llvm::raw_string_ostream(text) << module_;
    return text;
  }

 private:
  void Declare(llvm::LibFunc function) {
    constexpr unsigned kMostParameters = 5;
    for (unsigned count = 0; count <= kMostParameters; ++count) {
      for (const bool is_variadic : {false, true}) {
        std::vector<unsigned> choice(count + 1, 1);
        choice[0] = 0;  // Of the result; parameters are not void.
        do {
          if (DeclareAs(function, choice, is_variadic)) return;
        } while (Next(choice));
      }
    }
  }

  // The next choice of types. False if all have had their turn.
  bool Next(std::vector<unsigned>& choice) const {
    for (size_t i = 0; i < choice.size(); ++i) {
      if (++choice[i] < types_.size()) return true;
      choice[i] = i == 0 ? 0 : 1;
    }
    return false;
  }

  bool DeclareAs(llvm::LibFunc function, const std::vector<unsigned>& choice, bool is_variadic) {
    llvm::SmallVector<llvm::Type*, 8> parameters;
    for (size_t i = 1; i < choice.size(); ++i) parameters.push_back(types_[choice[i]]);
    auto* const type = llvm::FunctionType::get(types_[choice[0]], parameters, is_variadic);
    llvm::Function* const declared = llvm::Function::Create(
        type, llvm::GlobalValue::ExternalLinkage, info_.getName(function), module_);
    llvm::LibFunc found;
    if (!info_.getLibFunc(*declared, found) || found != function) {
      declared->eraseFromParent();
      return false;
    }
    llvm::inferNonMandatoryLibFuncAttrs(*declared, info_);
    uint32_t forgotten = 0;
    for (const llvm::Argument& parameter : declared->args()) {
      const llvm::Attribute attribute =
          declared->getParamAttribute(parameter.getArgNo(), llvm_version::kCaptureAttribute);
      if (attribute.isValid() && llvm_version::SaysNotCaptured(attribute)) {
        forgotten |= uint32_t{1} << parameter.getArgNo();
      }
    }
    forgotten_[declared->getName().str()] = forgotten;
    return true;
  }

  llvm::LLVMContext context_;
  llvm::Module module_{"library", context_};
  const llvm::TargetLibraryInfoImpl known_;
  const llvm::TargetLibraryInfo info_;
  std::vector<llvm::Type*> types_;
  std::map<std::string, uint32_t> forgotten_;
};

TEST(LibraryFunctionsTest, ForgetWhatLlvmSays) {
  const Library library;
  ASSERT_GT(library.forgotten().size(), 300);
  const ReadBothWays read(library.Text());
  ASSERT_TRUE(read.ok());
  std::vector<std::string> only_llvm;
  for (const auto& [name, forgotten] : library.forgotten()) {
    const uint32_t actual = ForgottenParameters(read.module().globals()[read.NumberOf(name)]);
    if (actual == 0 && forgotten != 0) {
      only_llvm.push_back(name);
    } else {
      EXPECT_EQ(actual, forgotten) << name;
    }
  }
  // What LLVM 22 knows and LLVM 19 does not.
  EXPECT_THAT(only_llvm, ::testing::IsSubsetOf({"nan", "nanf", "nanl", "reallocarray", "sincos",
                                                "sincosf", "sincosl"}));
}

}  // namespace
}  // namespace firstcall::direct
