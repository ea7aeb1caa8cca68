#include "base/floating_point_environment.h"

#include <cfenv>
#include <cstdint>
#include <thread>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

// What a thread can have set.
struct Environment {
  int rounding = std::fegetround();
  int raised = std::fetestexcept(FE_ALL_EXCEPT);
};

bool operator==(const Environment& a, const Environment& b) {
  return a.rounding == b.rounding && a.raised == b.raised;
}

class FloatingPointEnvironmentTest : public testing::Test {
 protected:
  ~FloatingPointEnvironmentTest() override { std::fesetenv(FE_DFL_ENV); }

  const Environment programs_ = [] {
    std::fesetround(FE_UPWARD);
    std::feraiseexcept(FE_DIVBYZERO);
    return Environment();
  }();
};

TEST_F(FloatingPointEnvironmentTest, CompilerHasTheDefaultAndTheProgramGetsItsOwnBack) {
  {
    CompilerFloatingPoint compiler;
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
    std::feraiseexcept(FE_INEXACT | FE_OVERFLOW);
    std::fesetround(FE_DOWNWARD);
  }
  EXPECT_TRUE(Environment() == programs_);
}

TEST_F(FloatingPointEnvironmentTest, InnerScopesOfTheCompilerChangeNothing) {
  CompilerFloatingPoint outer;
  std::feraiseexcept(FE_INEXACT);
  {
    CompilerFloatingPoint inner;
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_INEXACT);
  }
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_INEXACT);
}

TEST_F(FloatingPointEnvironmentTest, ProgramsCodeHasItsEnvironmentAndKeepsWhatItMakesOfIt) {
  {
    CompilerFloatingPoint compiler;
    std::feraiseexcept(FE_INEXACT);
    {
      ProgramFloatingPoint program;
      EXPECT_TRUE(Environment() == programs_);
      std::fesetround(FE_DOWNWARD);
      std::feraiseexcept(FE_INVALID);
      {
        CompilerFloatingPoint for_a_first_call;
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
        std::feraiseexcept(FE_OVERFLOW);
      }
      EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
    }
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
  }
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO | FE_INVALID);
}

TEST_F(FloatingPointEnvironmentTest, ProgramsCodeOutsideOfTheCompilerGoesOnAsItIs) {
  {
    ProgramFloatingPoint program;
    std::feraiseexcept(FE_INVALID);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
  }
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO | FE_INVALID);
}

TEST_F(FloatingPointEnvironmentTest, ALentEnvironmentIsThatOfTheWaitingThread) {
  {
    CompilerFloatingPoint compiler;
    std::fenv_t* const lent = LentFloatingPoint::OfThisThread();
    ASSERT_NE(lent, nullptr);
    std::thread([lent] {
      LentFloatingPoint borrowed(lent);
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      {
        ProgramFloatingPoint program;
        EXPECT_EQ(std::fegetround(), FE_UPWARD);
        std::feraiseexcept(FE_INVALID);
      }
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
    }).join();
  }
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO | FE_INVALID);
}

#if defined(__x86_64__)
// The x87 unit takes an unmasked exception at its next instruction, whoever has that.
TEST_F(FloatingPointEnvironmentTest, APendingExceptionIsNeitherTakenNorLost) {
  std::fesetenv(FE_DFL_ENV);
  const volatile long double three = 3;
  volatile long double third = 1 / three;
  (void)third;
  uint16_t control, status;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  const auto unmasked = static_cast<uint16_t>(control & ~0x20);
  __asm__ volatile("fldcw %0" : : "m"(unmasked));
  {
    CompilerFloatingPoint compiler;
    third = 2 / three;
    ProgramFloatingPoint program;
    __asm__ volatile("fnstsw %0" : "=m"(status));
    EXPECT_NE(status & 0x80, 0);  // The summary of what is pending.
  }
  __asm__ volatile("fnstsw %0" : "=m"(status));
  EXPECT_NE(status & 0x80, 0);
  __asm__ volatile("fnclex");
}

TEST_F(FloatingPointEnvironmentTest, TrapsAreOff) {
  std::fesetenv(FE_DFL_ENV);
  feenableexcept(FE_INEXACT | FE_DIVBYZERO);
  {
    CompilerFloatingPoint compiler;
    EXPECT_EQ(fegetexcept(), 0);
    const volatile double zero = 0;
    volatile double infinity = 1 / zero;
    (void)infinity;
  }
  EXPECT_EQ(fegetexcept(), FE_INEXACT | FE_DIVBYZERO);
  fedisableexcept(FE_ALL_EXCEPT);
}
#endif

}  // namespace
}  // namespace firstcall
