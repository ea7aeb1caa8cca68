// Calls resolvers as compiled code does, and looks at all registers behind the call.

#include "stubs/thread_local_resolver.h"

#include <cstdint>
#include <memory>
#include <thread>

#include "gtest/gtest.h"
#include "memory/thread_local_blocks.h"
#include "tests/stubs/registers.h"

extern "C" {
__attribute__((visibility("hidden"))) firstcall::ThreadLocalDescriptor firstcall_test_descriptor;
__attribute__((visibility("hidden"))) uint64_t firstcall_test_distance;
// Calls the resolver of firstcall_test_descriptor; the result goes to firstcall_test_distance. Then
// jumps to firstcall_test_find_registers with what the result's register had before.
void firstcall_test_resolve();
}

#if defined(__x86_64__)
asm(R"(
        .text
        .type   firstcall_test_resolve, @function
firstcall_test_resolve:
        leaq    firstcall_test_descriptor(%rip), %rax
        call    *(%rax)
        movq    %rax, firstcall_test_distance(%rip)
        movq    firstcall_test_given@GOTPCREL(%rip), %rax
        movq    (%rax), %rax
        jmp     firstcall_test_find_registers@PLT
)");
#elif defined(__aarch64__)
asm(R"(
        .text
        .type   firstcall_test_resolve, %function
firstcall_test_resolve:
        mov     x17, x30
        adrp    x0, firstcall_test_descriptor
        add     x0, x0, :lo12:firstcall_test_descriptor
        ldr     x16, [x0]
        blr     x16
        mov     x30, x17
        adrp    x16, firstcall_test_distance
        str     x0, [x16, :lo12:firstcall_test_distance]
        adrp    x16, :got:firstcall_test_given
        ldr     x16, [x16, :got_lo12:firstcall_test_given]
        ldr     x0, [x16]
        b       firstcall_test_find_registers
)");
#endif

namespace firstcall {
namespace {

using ::firstcall::testing::ExpectAllRegistersAreFound;
using ::firstcall::testing::NamedLevel;
using ::firstcall::testing::SelectedLevel;
using ::firstcall::testing::SetUpRegisters;
using ::firstcall::testing::VectorLevels;

constexpr uint8_t kImage[] = {11, 22, 33, 44};

class ThreadLocalResolverTest : public ::testing::TestWithParam<NamedLevel> {
 protected:
  void SetUp() override {
    if (!selected_.is_available()) GTEST_SKIP() << "this CPU has no such registers";
    InstallThreadLocalResolvers();
    SetUpRegisters(GetParam().level);
    ThreadLocalModule::Image image;
    image.bytes = kImage;
    image.byte_count = sizeof(kImage);
    image.size = 64;
    image.alignment = 8;
    module_ = ThreadLocalModule::Create(image).value();
  }

  static uint8_t* Resolve(const ThreadLocalDescriptor& descriptor) {
    firstcall_test_descriptor = descriptor;
    firstcall_test_callee = reinterpret_cast<const void*>(&firstcall_test_resolve);
    firstcall_test_call_with_registers();
    ExpectAllRegistersAreFound(GetParam().level);
    const auto pointer = reinterpret_cast<uint64_t>(AddressOfThreadLocal(descriptor)) -
                         ResolveThreadLocal(descriptor);
    return reinterpret_cast<uint8_t*>(pointer + firstcall_test_distance);
  }

  std::unique_ptr<ThreadLocalModule> module_;

 private:
  const SelectedLevel selected_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Levels, ThreadLocalResolverTest, ::testing::ValuesIn(VectorLevels()),
                         [](const auto& info) { return info.param.name; });

TEST_P(ThreadLocalResolverTest, FirstAccessKeepsAllRegisters) {
  std::thread([&] { EXPECT_EQ(*Resolve(module_->DescriptorAt(2)), 33); }).join();
}

TEST_P(ThreadLocalResolverTest, LaterAccessKeepsAllRegisters) {
  uint8_t* const variable = Resolve(module_->DescriptorAt(1));
  *variable = 5;
  EXPECT_EQ(Resolve(module_->DescriptorAt(1)), variable);
  EXPECT_EQ(Resolve(module_->DescriptorAt(3)), variable + 2);
  EXPECT_EQ(AddressOfThreadLocal(module_->DescriptorAt(1)), variable);
}

TEST_P(ThreadLocalResolverTest, FunctionThatChangesRegistersMayComputeTheAddress) {
  static uint8_t variable = 0;
  const auto descriptor = ComputedThreadLocal(
      [](void* argument) {
        firstcall_test_clobber_registers();
        return argument;
      },
      &variable);
  EXPECT_EQ(Resolve(descriptor), &variable);
}

TEST_P(ThreadLocalResolverTest, NullHasNoAddress) {
  EXPECT_EQ(Resolve(NullThreadLocal()), nullptr);
}

}  // namespace
}  // namespace firstcall
