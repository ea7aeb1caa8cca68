#include "clients/orc/module_division.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class ModuleDivisionTest : public ::testing::Test {
 protected:
  void Divide(const std::string& text, bool emulates_thread_locals = true) {
    module_ = ParseModule(text, context_, "test");
    absl::StatusOr<DividedModule> divided = DivideModule(*module_, "p.", emulates_thread_locals);
    ASSERT_THAT(divided, IsOk());
    divided_ = *std::move(divided);
    functions_ = llvm::cantFail(
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(divided_.functions, "functions"), context_));
    EXPECT_FALSE(llvm::verifyModule(*functions_, &llvm::errs()));
    if (divided_.rest != nullptr) EXPECT_FALSE(llvm::verifyModule(*divided_.rest, &llvm::errs()));
  }

  absl::Status Obstacle(const std::string& text) {
    module_ = ParseModule(text, context_, "test");
    return DivideModule(*module_, "p.", /*emulates_thread_locals=*/true).status();
  }

  static std::vector<std::string> DefinedBy(const llvm::Module& module) {
    std::vector<std::string> names;
    for (const llvm::GlobalValue& value : module.global_values()) {
      if (!value.isDeclaration()) names.push_back(value.getName().str());
    }
    return names;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  DividedModule divided_;
  std::unique_ptr<llvm::Module> functions_;
};

TEST_F(ModuleDivisionTest, VariablesThatOthersCanSeeAreOfTheRest) {
  Divide(R"(
    @shared = global i32 1
    @weak = linkonce_odr global i32 2
    @common = common global i32 0
    @outside = external global i32
    define i32 @f() {
      %a = load i32, ptr @shared
      %b = load i32, ptr @weak
      %c = load i32, ptr @common
      %d = load i32, ptr @outside
      ret i32 %a
    })");
  EXPECT_THAT(DefinedBy(*functions_), ElementsAre("f"));
  EXPECT_THAT(DefinedBy(*divided_.rest), UnorderedElementsAre("shared", "weak", "common"));
  EXPECT_THAT(divided_.defined, ElementsAre("f"));
  EXPECT_THAT(divided_.needed, UnorderedElementsAre("shared", "weak", "common", "outside"));
  EXPECT_TRUE(divided_.rest->getGlobalVariable("weak")->hasLinkOnceODRLinkage());
}

TEST_F(ModuleDivisionTest, LocalVariablesStayWithTheFunctions) {
  Divide(R"(
    @count = internal global i32 1
    @table = internal constant [2 x ptr] [ptr @f, ptr @g]
    define internal i32 @g() {
      ret i32 1
    }
    define i32 @f() {
      %a = load i32, ptr @count
      %b = load ptr, ptr @table
      ret i32 %a
    })");
  EXPECT_EQ(divided_.rest, nullptr);
  EXPECT_THAT(DefinedBy(*functions_), UnorderedElementsAre("g", "f", "count", "table"));
  EXPECT_THAT(divided_.defined, ElementsAre("f"));
}

// Linking the data of an engine must not look up names that ORC has.
TEST_F(ModuleDivisionTest, LocalVariablesThatReferToOthersAreOfTheRest) {
  Divide(R"(
    @outside = external global i32
    @pointer = internal global ptr @outside
    @chain = internal global ptr @pointer
    define ptr @f() {
      %p = load ptr, ptr @chain
      ret ptr %p
    })");
  EXPECT_THAT(DefinedBy(*functions_), ElementsAre("f"));
  EXPECT_THAT(DefinedBy(*divided_.rest), UnorderedElementsAre("pointer", "p.chain"));
  EXPECT_THAT(divided_.shared_rest, ElementsAre("p.chain"));
  EXPECT_TRUE(divided_.rest->getGlobalVariable("p.chain")->hasHiddenVisibility());
}

TEST_F(ModuleDivisionTest, LocalFunctionsThatDataRefersToGetNames) {
  Divide(R"(
    @shared = global ptr @g
    define internal i32 @g() {
      ret i32 1
    }
    define internal i32 @unknown() {
      ret i32 2
    }
    define i32 @f() {
      %a = call i32 @g()
      %b = call i32 @unknown()
      ret i32 %a
    })");
  EXPECT_THAT(divided_.shared_functions, ElementsAre("p.g"));
  EXPECT_THAT(divided_.defined, UnorderedElementsAre("p.g", "f"));
  EXPECT_THAT(DefinedBy(*functions_), UnorderedElementsAre("p.g", "unknown", "f"));
}

TEST_F(ModuleDivisionTest, ConstantsWithoutAnAddressMayStandTwice) {
  Divide(R"(
    @text = private unnamed_addr constant [3 x i8] c"ab\00"
    @shared = global ptr @text
    define ptr @f() {
      ret ptr @text
    })");
  EXPECT_THAT(DefinedBy(*functions_), UnorderedElementsAre("text", "f"));
  EXPECT_THAT(DefinedBy(*divided_.rest), UnorderedElementsAre("text", "shared"));
}

TEST_F(ModuleDivisionTest, ConstantsWithAnAddressStandOnce) {
  Divide(R"(
    @number = internal constant i32 7
    @shared = global ptr @number
    define ptr @f() {
      ret ptr @number
    })");
  EXPECT_THAT(DefinedBy(*functions_), ElementsAre("f"));
  EXPECT_THAT(DefinedBy(*divided_.rest), UnorderedElementsAre("p.number", "shared"));
}

TEST_F(ModuleDivisionTest, ListsOfConstructorsAreOfTheRest) {
  Divide(R"(
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
        [{ i32, ptr, ptr } { i32 65535, ptr @start, ptr null }]
    @llvm.used = appending global [1 x ptr] [ptr @f], section "llvm.metadata"
    define internal void @start() {
      ret void
    }
    define void @f() {
      ret void
    })");
  EXPECT_THAT(DefinedBy(*divided_.rest), ElementsAre("llvm.global_ctors"));
  EXPECT_THAT(divided_.shared_functions, ElementsAre("p.start"));
}

TEST_F(ModuleDivisionTest, WeakFunctionsAreStrongForTheEngine) {
  Divide(R"(
    $g = comdat any
    define linkonce_odr i32 @g() comdat {
      ret i32 1
    }
    define available_externally i32 @h() {
      ret i32 2
    }
    define i32 @f() {
      %a = call i32 @g()
      %b = call i32 @h()
      ret i32 %a
    })");
  EXPECT_TRUE(functions_->getFunction("g")->hasExternalLinkage());
  EXPECT_FALSE(functions_->getFunction("g")->hasComdat());
  EXPECT_TRUE(functions_->getFunction("h")->isDeclarationForLinker());
  EXPECT_THAT(divided_.needed, ElementsAre("h"));
}

TEST_F(ModuleDivisionTest, WeakReferencesNeedNothing) {
  Divide(R"(
    @maybe = extern_weak global i8
    define ptr @f() {
      ret ptr @maybe
    })");
  EXPECT_THAT(divided_.needed, ElementsAre());
}

TEST_F(ModuleDivisionTest, AliasesBelongToWhatTheyStandFor) {
  Divide(R"(
    @v = internal global [2 x i32] [i32 1, i32 2]
    @second = alias i32, getelementptr inbounds ([2 x i32], ptr @v, i32 0, i32 1)
    @g = alias i32 (), ptr @f
    @local = internal alias i32 (), ptr @f
    @table = global ptr @local
    define i32 @f() {
      %a = load i32, ptr @second
      ret i32 %a
    })");
  EXPECT_THAT(DefinedBy(*functions_), UnorderedElementsAre("f", "g", "p.local"));
  EXPECT_THAT(DefinedBy(*divided_.rest), UnorderedElementsAre("v", "second", "table"));
  EXPECT_THAT(divided_.needed, ElementsAre("second"));
}

constexpr char kThreadLocal[] = R"(
  @t = internal thread_local global i32 1
  define internal i32 @g() {
    %a = load i32, ptr @t
    ret i32 %a
  }
  define i32 @f() {
    %a = call i32 @g()
    ret i32 %a
  })";

TEST_F(ModuleDivisionTest, EmulatedThreadLocalsAreOfTheRest) {
  Divide(kThreadLocal);
  EXPECT_THAT(DefinedBy(*functions_), UnorderedElementsAre("g", "f"));
  EXPECT_THAT(DefinedBy(*divided_.rest), ElementsAre("p.t"));
  EXPECT_THAT(divided_.needed, ElementsAre("__emutls_v.p.t"));
}

TEST_F(ModuleDivisionTest, UsersOfNativeThreadLocalsAreOfTheRest) {
  Divide(kThreadLocal, /*emulates_thread_locals=*/false);
  EXPECT_THAT(DefinedBy(*functions_), ElementsAre("f"));
  EXPECT_THAT(DefinedBy(*divided_.rest), UnorderedElementsAre("t", "p.g"));
  EXPECT_THAT(divided_.shared_rest, ElementsAre("p.g"));
}

TEST_F(ModuleDivisionTest, HandleOfTheDylibIsOrcs) {
  Divide(R"(
    @__dso_handle = external hidden global i8
    define ptr @f() {
      ret ptr @__dso_handle
    })");
  EXPECT_THAT(divided_.needed, ElementsAre(std::string(kDylibHandle)));
}

TEST_F(ModuleDivisionTest, AddressesOfBlocksInLocalTablesStayWithTheirFunction) {
  Divide(R"(
    @labels = internal constant [1 x ptr] [ptr blockaddress(@f, %next)]
    define i32 @f() {
      %p = load ptr, ptr @labels
      indirectbr ptr %p, [label %next]
    next:
      ret i32 1
    })");
  EXPECT_EQ(divided_.rest, nullptr);
  EXPECT_THAT(DefinedBy(*functions_), UnorderedElementsAre("labels", "f"));
}

TEST_F(ModuleDivisionTest, SomeModulesStayInOnePiece) {
  EXPECT_THAT(Obstacle("module asm \"nop\""),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("assembly of the module")));
  EXPECT_THAT(Obstacle("@i = ifunc i32 (), ptr @r\ndefine ptr @r() { ret ptr null }"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("ifuncs")));
  EXPECT_THAT(Obstacle("@__start_own = external global i8"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("bounds of sections")));
  EXPECT_THAT(Obstacle("@a = alias i8, inttoptr (i64 4096 to ptr)"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("an alias of no definition")));
  EXPECT_THAT(Obstacle(R"(
    @labels = constant [1 x ptr] [ptr blockaddress(@f, %next)]
    define void @f() {
      br label %next
    next:
      ret void
    })"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("addresses of blocks in data")));
  // Nothing was changed.
  EXPECT_NE(module_->getGlobalVariable("labels")->getInitializer(), nullptr);
}

}  // namespace
}  // namespace firstcall
