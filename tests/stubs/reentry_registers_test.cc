// Every register of the host's architecture as the caller of a first call left it, or the caller of
// a function whose calls are counted.

#include "gtest/gtest.h"
#include "tests/stubs/first_call.h"
#include "tests/stubs/registers.h"

namespace firstcall {
namespace {

using ::firstcall::testing::AddressOf;
using ::firstcall::testing::ClobberAndFind;
using ::firstcall::testing::ExpectAllRegistersAreFound;
using ::firstcall::testing::FirstCall;
using ::firstcall::testing::NamedLevel;
using ::firstcall::testing::RunOut;
using ::firstcall::testing::SelectedLevel;
using ::firstcall::testing::SetUpRegisters;
using ::firstcall::testing::VectorLevels;

class ReentryRegistersTest : public ::testing::TestWithParam<NamedLevel> {
 protected:
  void SetUp() override {
    if (!selected_.is_available()) GTEST_SKIP() << "this CPU has no such registers";
    SetUpRegisters(GetParam().level);
  }

 private:
  const SelectedLevel selected_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Levels, ReentryRegistersTest, ::testing::ValuesIn(VectorLevels()),
                         [](const auto& info) { return info.param.name; });

// So that the test below shows something: the measuring instrument works.
TEST_P(ReentryRegistersTest, DirectCallFindsThemAll) {
  firstcall_test_callee = reinterpret_cast<const void*>(&firstcall_test_find_registers);
  firstcall_test_call_with_registers();
  ExpectAllRegistersAreFound(GetParam().level);
}

TEST_P(ReentryRegistersTest, FirstCallKeepsThemAll) {
  const FirstCall stub(&ClobberAndFind);
  firstcall_test_callee = stub.address();
  firstcall_test_call_with_registers();
  ExpectAllRegistersAreFound(GetParam().level);
}

TEST_P(ReentryRegistersTest, CountingKeepsThemAll) {
  const RunOut counted(AddressOf(&firstcall_test_find_registers), nullptr);
  counted.counter().left() = 1;
  firstcall_test_callee = counted.address();
  firstcall_test_call_with_registers();
  EXPECT_EQ(counted.counter().left(), 0);
  ExpectAllRegistersAreFound(GetParam().level);
}

TEST_P(ReentryRegistersTest, RunningOutKeepsThemAll) {
  bool is_called = false;
  const RunOut counted(AddressOf(&firstcall_test_find_registers), [&](const CallCounter&) {
    firstcall_test_clobber_registers();
    is_called = true;
  });
  firstcall_test_callee = counted.address();
  firstcall_test_call_with_registers();
  EXPECT_TRUE(is_called);
  ExpectAllRegistersAreFound(GetParam().level);
}

}  // namespace
}  // namespace firstcall
