#include "engine/build_id.h"

#include <dlfcn.h>

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm-c/Core.h"

namespace firstcall {
namespace {

// Debian's build of LLVM has one, of 20 bytes. What `file` says of the library is the same.
TEST(BuildIdTest, TellsWhichLlvmIsRunning) {
  const std::string id = BuildIdOf(reinterpret_cast<const void*>(&LLVMGetVersion));
  EXPECT_EQ(id.size(), 40u);
  EXPECT_TRUE(std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return absl::ascii_isxdigit(c);
  })) << id;
}

TEST(BuildIdTest, AFileHasTheSameAsWhatIsLoadedFromIt) {
  Dl_info library;
  const void* const address = reinterpret_cast<const void*>(&LLVMGetVersion);
  ASSERT_NE(dladdr(address, &library), 0);
  EXPECT_EQ(BuildIdOfFile(library.dli_fname), BuildIdOf(address));
}

TEST(BuildIdTest, AddressOutsideOfEveryLibraryHasNone) {
  int local = 0;
  EXPECT_EQ(BuildIdOf(&local), "");
  EXPECT_EQ(BuildIdOfFile("/no/such/file"), "");
  EXPECT_EQ(BuildIdOfFile("/dev/null"), "");
  EXPECT_EQ(BuildIdOf(nullptr), "");
}

}  // namespace
}  // namespace firstcall
