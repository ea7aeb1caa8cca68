#include "backend/llvm/macho_module.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "object/elf_object.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Pair;

constexpr char kModule[] = R"(
  $f = comdat any
  @constant = constant i32 1, section "mine"
  @writable = global i32 2, section "mine"
  @more = global i32 3, section "mine"
  @long = global i32 4, section ".a.name.of.more.than.16.characters"
  @own = global i32 5, section "__DATA,own"
  @llvm.compiler.used = appending global [1 x ptr] [ptr @more], section "llvm.metadata"
  define linkonce_odr i32 @f() section "code" comdat {
    %v = load i32, ptr @writable
    ret i32 %v
  }
  declare i32 @_Unwind_Resume(ptr)
  !llvm.ident = !{!0, !1}
  !0 = !{!"first"}
  !1 = !{!"second"}
)";

EngineOptions Macho() {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  triple.setObjectFormat(llvm::Triple::MachO);
  EngineOptions options;
  options.triple = triple.str();
  return options;
}

TEST(MachoModuleTest, ModuleIsAsItWasAfterwards) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(kModule, context);
  {
    const MachoModule prepared(*module);
    const llvm::StringRef constant = module->getNamedGlobal("constant")->getSection();
    const llvm::StringRef writable = module->getNamedGlobal("writable")->getSection();
    EXPECT_TRUE(constant.starts_with("__DATA_CONST,fc."));
    EXPECT_TRUE(writable.starts_with("__DATA,fc."));
    EXPECT_EQ(writable, module->getNamedGlobal("more")->getSection());
    EXPECT_EQ(module->getNamedGlobal("own")->getSection(), "__DATA,own");
    EXPECT_TRUE(module->getFunction("f")->getSection().ends_with(",regular,pure_instructions"));
    EXPECT_FALSE(module->getFunction("f")->hasComdat());
    EXPECT_EQ(module->getNamedGlobal("llvm.compiler.used")->getSection(), "llvm.metadata");
    const MachoToElfOptions options = prepared.TranslationOptions();
    EXPECT_THAT(options.section_names, Contains(Pair(testing::_, "mine")).Times(2));
    EXPECT_EQ(options.comment, absl::string_view("first\0second", 12));
  }
  EXPECT_EQ(module->getNamedGlobal("constant")->getSection(), "mine");
  EXPECT_EQ(module->getFunction("f")->getSection(), "code");
}

// What the emitter makes of the module has the sections, and the names, that ELF would have.
TEST(MachoModuleTest, ObjectHasTheSectionsThatTheProgramNames) {
  ObjectBytes bytes = CompileToObject(kModule, Macho());
  absl::StatusOr<std::unique_ptr<ElfObject>> object =
      ElfObject::Parse(absl::MakeSpan(bytes), "test.o");
  ASSERT_THAT(object, IsOk());
  std::vector<std::string> names;
  for (const ElfObject::Section& section : (*object)->sections()) {
    names.push_back(std::string(section.name));
  }
  EXPECT_THAT(names,
              IsSupersetOf({"mine", "mine", ".a.name.of.more.than.16.characters", "own", "code"}));
  EXPECT_TRUE((*object)->Defines("f"));
  EXPECT_TRUE((*object)->Defines("long"));
  EXPECT_THAT(bytes, HasSubstr("second"));
}

// LLVM for x86-64 calls the function by another name: see Target::CreateMachine.
TEST(MachoModuleTest, UnwindingGoesOnByItsUsualName) {
  ObjectBytes bytes = CompileToObject(R"(
    declare void @g()
    declare i32 @__gxx_personality_v0(...)
    define void @f() personality ptr @__gxx_personality_v0 {
      invoke void @g() to label %fine unwind label %caught
    fine:
      ret void
    caught:
      %x = landingpad { ptr, i32 } cleanup
      resume { ptr, i32 } %x
    })",
                                      Macho());
  absl::StatusOr<std::unique_ptr<ElfObject>> object =
      ElfObject::Parse(absl::MakeSpan(bytes), "test.o");
  ASSERT_THAT(object, IsOk());
  std::vector<std::string> names;
  for (const ElfObject::Undefined& symbol : (*object)->undefined()) {
    names.push_back(std::string(symbol.name));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("g", "__gxx_personality_v0", "_Unwind_Resume"));
}

}  // namespace
}  // namespace firstcall
