// What a debugger would find. That GDB reads it is not tested here.

#include "object/debugger_registration.h"

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/debugger_presence.h"
#include "object/elf_linker.h"
#include "tests/object/linking.h"
#include "tests/testing/jit_descriptor.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kDescribed[] = R"(
  @variable = global i32 7
  define i32 @f() !dbg !4 { %v = load i32, ptr @variable, !dbg !7  ret i32 %v, !dbg !7 }
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

class DebuggerRegistrationTest : public ElfLinking {
 protected:
  // The images in the list, first to last; checks the list's links.
  static std::vector<const char*> List() {
    std::vector<const char*> images;
    const jit_code_entry* previous = nullptr;
    for (const jit_code_entry* entry = __jit_debug_descriptor.first_entry; entry != nullptr;
         entry = entry->next_entry) {
      EXPECT_EQ(entry->prev_entry, previous);
      images.push_back(entry->symfile_addr);
      previous = entry;
    }
    return images;
  }

  std::function<void()> Register(ElfObject& object) {
    return RegisterWithDebugger(
        object, [](uint32_t section) { return ExecutorAddress(section == 1 ? 0 : section << 12); });
  }
};

TEST_F(DebuggerRegistrationTest, ListIsEmptyAtFirst) {
  EXPECT_EQ(__jit_debug_descriptor.version, 1u);
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(DebuggerRegistrationTest, ObjectWithoutDebugInformationIsNotRegistered) {
  EXPECT_FALSE(Register(Parse("define void @f() { ret void }")));
  EXPECT_THAT(List(), IsEmpty());
}

// Pretends to be a debugger that stops at a function of its own.
class ListeningDebugger {
 public:
  ListeningDebugger() {
    const DebuggerRegistrar count = [this](std::vector<char>) {
      ++registered_;
      return [] {};
    };
    SetDebuggerRegistrar(count, breakpoint_);
  }
  ~ListeningDebugger() { SetDebuggerRegistrar(nullptr); }

  void Detach() { std::memset(breakpoint_, 0, sizeof(breakpoint_)); }
  int registered() const { return registered_; }

 private:
#if defined(__x86_64__)
  alignas(4) unsigned char breakpoint_[4] = {0xcc};
#else
  alignas(4) unsigned char breakpoint_[4] = {0, 0, 0x20, 0xd4};
#endif
  int registered_ = 0;
};

TEST_F(DebuggerRegistrationTest, ObjectWithoutDebugInformationIsRegisteredWhileADebuggerListens) {
  ElfObject& object = Parse("define void @f() { ret void }");
  EXPECT_FALSE(IsDebuggerListening());
  ListeningDebugger debugger;
  EXPECT_TRUE(IsDebuggerListening());
  EXPECT_TRUE(Register(object));
  EXPECT_EQ(debugger.registered(), 1);
  debugger.Detach();
  EXPECT_FALSE(IsDebuggerListening());
  EXPECT_FALSE(Register(object));
}

// With one registration for each, a debugger that takes time for each registration that there is
// would take time in proportion to the square of the number of functions.
TEST_F(DebuggerRegistrationTest, ManyFunctionsAreRegisteredByTheSquareRootOfTheirNumber) {
  ElfObject& object = Parse("define void @f() { ret void }");
  EXPECT_EQ(FunctionsToRegisterTogether().callees, 0u);
  EXPECT_EQ(FunctionsToRegisterTogether().others, 0u);
  ListeningDebugger debugger;
  const auto register_functions = [&](size_t count) {
    const int before = debugger.registered();
    for (size_t functions = 0; functions < count;) {
      functions += 1 + FunctionsToRegisterTogether().others;
      Register(object);
    }
    return debugger.registered() - before;
  };
  // Some hundreds have to come one by one, which costs less than what is compiled in vain.
  register_functions(512);
  EXPECT_EQ(FunctionsToRegisterTogether().others, 0u);
  EXPECT_GT(FunctionsToRegisterTogether().callees, 60u);
  EXPECT_LT(register_functions(10000), 300);
}

TEST_F(DebuggerRegistrationTest, RegistersACopyWithTheAddressesOfSections) {
  ElfObject& object = Parse(kDescribed);
  const std::string before(object.bytes().begin(), object.bytes().end());
  const std::function<void()> unregister = Register(object);
  ASSERT_TRUE(unregister);
  EXPECT_EQ(std::string(object.bytes().begin(), object.bytes().end()), before);
  const jit_code_entry* entry = __jit_debug_descriptor.first_entry;
  ASSERT_NE(entry, nullptr);
  std::string image(entry->symfile_addr, entry->symfile_size);
  ASSERT_EQ(image.size(), before.size());
  constexpr size_t kAddress = 16;  // The offset of sh_addr in a section header.
  for (size_t i = 0; i < object.sections().size(); ++i) {
    uint64_t address;
    char* const field = image.data() + object.sections()[i].header + kAddress;
    std::memcpy(&address, field, sizeof(address));
    EXPECT_EQ(address, i == 1 ? 0 : i << 12);
    std::memset(field, 0, sizeof(address));
  }
  EXPECT_EQ(image, before);
  unregister();
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(DebuggerRegistrationTest, ObjectsAreWithdrawnInAnyOrder) {
  ElfObject& object = Parse(kDescribed);
  std::vector<std::function<void()>> unregister;
  std::vector<const char*> images;
  for (int i = 0; i < 4; ++i) {
    unregister.push_back(Register(object));
    images.push_back(__jit_debug_descriptor.first_entry->symfile_addr);
  }
  EXPECT_THAT(List(), ElementsAre(images[3], images[2], images[1], images[0]));
  unregister[1]();
  EXPECT_THAT(List(), ElementsAre(images[3], images[2], images[0]));
  unregister[3]();
  EXPECT_THAT(List(), ElementsAre(images[2], images[0]));
  unregister[0]();
  unregister[2]();
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_EQ(__jit_debug_descriptor.action_flag, 0u);
  EXPECT_EQ(__jit_debug_descriptor.relevant_entry, nullptr);
}

TEST_F(DebuggerRegistrationTest, ThreadsMayRegisterAtOnce) {
  ElfObject& object = Parse(kDescribed);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 100; ++n) Register(object)();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(DebuggerRegistrationTest, LinkedObjectIsRegisteredAsLongAsItsMemoryExists) {
  const SymbolAddresses defined = Link(kDescribed);
  EXPECT_EQ(Call(defined, "f"), 7);
  EXPECT_EQ(List().size(), 1u);
  ASSERT_THAT(Load(kDescribed), IsOk());
  EXPECT_EQ(List().size(), 1u) << "an object that is not bound yet has no code to stop in";
  linker_.Drop();
  EXPECT_EQ(List().size(), 1u);
  owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(DebuggerRegistrationTest, AnotherRegistrarTakesThePlaceOfTheList) {
  std::vector<char> registered;
  bool is_withdrawn = false;
  SetDebuggerRegistrar([&](std::vector<char> image) {
    registered = std::move(image);
    return [&] { is_withdrawn = true; };
  });
  ElfObject& object = Parse(kDescribed);
  std::function<void()> unregister = Register(object);
  EXPECT_EQ(registered.size(), object.bytes().size());
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_FALSE(is_withdrawn);
  unregister();
  EXPECT_TRUE(is_withdrawn);
  SetDebuggerRegistrar(nullptr);
  unregister = Register(object);
  EXPECT_EQ(List().size(), 1u);
  unregister();
}

}  // namespace
}  // namespace firstcall
