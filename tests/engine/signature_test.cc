#include "engine/signature.h"

#include <string>

#include "base/content_digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/settings.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string SignatureFor(const std::string& cpu) {
  EngineOptions options;
  options.cpu = cpu;
  return SignatureOf(ContentDigest("a module"), "a compiler", options, /*is_far=*/false);
}

// Machines that share a cache must not run each other's code.
TEST(SignatureTest, HasThisMachinesCpuIfTheCodeIsForIt) {
  EXPECT_THAT(SignatureFor(""), HasSubstr(" host="));
  EXPECT_THAT(SignatureFor("native"), HasSubstr(" host="));
  EXPECT_THAT(SignatureFor("generic"), Not(HasSubstr(" host=")));
}

// Code that was made with other settings must not be taken from a cache.
TEST(SignatureTest, DependsOnEverySetting) {
  const EngineOptions options;
  const auto signature = [](const EngineOptions& of) {
    return SignatureOf(ContentDigest("a module"), "a compiler", of, /*is_far=*/false);
  };
  int changes = 0;
  firstcall::testing::ForEachChange(options, [&](const char* name, const TargetSettings& changed) {
    EngineOptions others;
    static_cast<TargetSettings&>(others) = changed;
    EXPECT_NE(signature(others), signature(options)) << name;
    ++changes;
  });
  EXPECT_GE(changes, 12);
}

// With a failure handler, optimized code knows less of what it calls.
TEST(SignatureTest, TellsWhetherThereIsAFailureHandler) {
  EngineOptions options;
  const auto signature = [&] {
    return SignatureOf(ContentDigest("a module"), "a compiler", options, /*is_far=*/false);
  };
  const std::string without = signature();
  options.failure_handler = [](const FailedCall&) -> void* { return nullptr; };
  EXPECT_NE(signature(), without);
}

}  // namespace
}  // namespace firstcall
