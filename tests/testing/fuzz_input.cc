#include "tests/testing/fuzz_input.h"

#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace firstcall {

std::string FuzzInput::Bytes(uint32_t limit) {
  std::string bytes(Below(limit), '\0');
  for (char& byte : bytes) byte = static_cast<char>(Below(256));
  return bytes;
}

std::string FuzzInput::Damaged(std::string bytes) {
  const auto size = static_cast<uint32_t>(bytes.size());
  switch (Below(4)) {
    case 0:
      return Bytes();
    case 1:
      bytes.resize(Below(size + 1));
      return bytes;
    case 2:
      for (uint32_t i = Below(4); i > 0 && size > 0; --i) {
        bytes[Below(size)] ^= static_cast<char>(1 << Below(8));
      }
      return bytes;
    default:
      return bytes;
  }
}

int RunFuzzTests(int argc, char** argv, int& messages) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view count = argv[i];
    if (!absl::ConsumePrefix(&count, "--messages=") || !absl::SimpleAtoi(count, &messages)) {
      std::fprintf(stderr, "unknown argument '%s'\n", argv[i]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}

}  // namespace firstcall
