// Where LLVM is linked, a debugger finds objects in LLVM's list. That GDB reads it is not tested.

#include "backend/llvm/llvm_debugger_registration.h"

#include <dlfcn.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "object/debugger_registration.h"
#include "object/elf_object.h"
#include "tests/testing/jit_descriptor.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const jit_descriptor& DescriptorOfLlvm() {
  auto* const of_shared_library =
      static_cast<const jit_descriptor*>(dlsym(RTLD_DEFAULT, "__jit_debug_descriptor"));
  return of_shared_library != nullptr ? *of_shared_library : __jit_debug_descriptor;
}

// The images in LLVM's list, the newest first.
std::vector<std::string> List() {
  std::vector<std::string> images;
  for (const jit_code_entry* entry = DescriptorOfLlvm().first_entry; entry != nullptr;
       entry = entry->next_entry) {
    images.emplace_back(entry->symfile_addr, entry->symfile_size);
  }
  return images;
}

constexpr char kDescribed[] = R"(
  define i32 @f() !dbg !4 { ret i32 7, !dbg !7 }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2, !3}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
  !1 = !DIFile(filename: "a.c", directory: "/")
  !2 = !{i32 2, !"Dwarf Version", i32 4}
  !3 = !{i32 2, !"Debug Info Version", i32 3}
  !4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0,
                              spFlags: DISPFlagDefinition)
  !5 = !DISubroutineType(types: !6)
  !6 = !{null}
  !7 = !DILocation(line: 2, scope: !4)
)";

TEST(LlvmDebuggerRegistrationTest, ObjectsAreInLlvmsListUntilTheyAreWithdrawn) {
  UseLlvmsListener();
  UseLlvmsListener();
  std::string bytes(CompileToObject(kDescribed));
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<ElfObject> object,
                       ElfObject::Parse(absl::MakeSpan(bytes), "object"));
  const auto address_of = [](uint32_t) { return ExecutorAddress(); };
  EXPECT_THAT(List(), IsEmpty());
  const std::function<void()> withdraw_first = RegisterWithDebugger(*object, address_of);
  const std::function<void()> withdraw_second = RegisterWithDebugger(*object, address_of);
  EXPECT_THAT(List(), ElementsAre(bytes, bytes));
  withdraw_first();
  EXPECT_THAT(List(), ElementsAre(bytes));
  withdraw_second();
  EXPECT_THAT(List(), IsEmpty());
}

}  // namespace
}  // namespace firstcall
