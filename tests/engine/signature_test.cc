#include "engine/signature.h"

#include <string>

#include "base/content_digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

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

}  // namespace
}  // namespace firstcall
