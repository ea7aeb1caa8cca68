#include "splitter/assembly_labels.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AssemblyLabelsTest : public ::testing::Test {
 protected:
  AssemblyLabelsTest() {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmParsers();
  }

  // A function with inline assembly, as LLVM's text has it.
  llvm::Function& FunctionWith(absl::string_view assembly,
                               absl::string_view triple = "x86_64-pc-linux-gnu") {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString(
        absl::StrCat("target triple = \"", triple, "\"\n",
                     "define i64 @f(i64 %x) {\n  %y = call i64 asm sideeffect \"", assembly,
                     "\", \"=r,0\"(i64 %x)\n  ret i64 %y\n}"),
        diagnostic, context_);
    EXPECT_NE(module_, nullptr) << diagnostic.getMessage().str();
    return *module_->getFunction("f");
  }

  std::vector<std::string> LabelsOf(absl::string_view assembly,
                                    absl::string_view triple = "x86_64-pc-linux-gnu") {
    return LabelsDefinedIn(FunctionWith(assembly, triple));
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(AssemblyLabelsTest, FindsGlobalAndLocalLabelsBetweenStatementsWithOperands) {
  EXPECT_THAT(LabelsOf("leaq 3($0,$0,2), $0\\0A.globl one\\0Aone: incq $0; two: addq $$1, $0"),
              ElementsAre("one", "two"));
}

TEST_F(AssemblyLabelsTest, FindsWhatDirectivesDefine) {
  EXPECT_THAT(LabelsOf(".set here, .\\0Athere = .\\0A.lcomm place,8\\0A"
                       ".macro label name\\0A\\5Cname: nop\\0A.endm\\0Alabel made"),
              ElementsAre("here", "there", "place", "made"));
}

TEST_F(AssemblyLabelsTest, IgnoresWhatNothingElseCanName) {
  EXPECT_THAT(LabelsOf("1: nop\\0Ajmp 1b\\0A.Ltemporary: nop\\0Aeach_${:uid}: movb ${0:b}, %al"),
              IsEmpty());
  EXPECT_THAT(LabelsOf(".set other, elsewhere"), IsEmpty());
  EXPECT_THAT(LabelsOf("# no: label"), IsEmpty());
}

TEST_F(AssemblyLabelsTest, ReadsTheAssemblyOfItsTarget) {
  EXPECT_THAT(LabelsOf("add $0, $0, #1 // no: label\\0Ahere: nop", "aarch64-linux-gnu"),
              ElementsAre("here"));
}

TEST_F(AssemblyLabelsTest, OnlyAssemblyWithLabelsIsKeptUnique) {
  const auto is_unique = [&](absl::string_view assembly) {
    llvm::Function& function = FunctionWith(assembly);
    KeepLabelsUnique(function);
    return llvm::cast<llvm::CallBase>(*llvm::inst_begin(function)).cannotDuplicate();
  };
  EXPECT_TRUE(is_unique("here: nop"));
  EXPECT_FALSE(is_unique("1: nop"));
}

}  // namespace
}  // namespace firstcall
