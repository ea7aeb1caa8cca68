// That MCJIT can link with it is shown by the linker's tests; here it is asked directly.

#include "memory/section_memory.h"

#include <cstring>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/arena.h"
#include "memory/unwind_registry.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

class SectionMemoryTest : public testing::Test {
 protected:
  const std::unique_ptr<Arena> arena_ = Arena::Create({64 << 10, 64 << 10, 64 << 10}).value();
  UnwindRegistry unwind_registry_;
  SectionMemory memory_{*arena_, unwind_registry_};
};

TEST_F(SectionMemoryTest, EachKindOfSectionGoesToItsSegment) {
  memory_.BeginObject({});
  ASSERT_NE(memory_.allocateCodeSection(100, 16, 1, ".text"), nullptr);
  EXPECT_EQ(arena_->usage().code, 100u);
  ASSERT_NE(memory_.allocateDataSection(200, 16, 2, ".rodata", /*is_read_only=*/true), nullptr);
  EXPECT_EQ(arena_->usage().read_only, 200u);
  ASSERT_NE(memory_.allocateDataSection(300, 16, 3, ".data", /*is_read_only=*/false), nullptr);
  EXPECT_EQ(arena_->usage().data, 300u);
  EXPECT_THAT(memory_.status(), IsOk());
}

TEST_F(SectionMemoryTest, CountsTheCodeOfTheCurrentObject) {
  memory_.BeginObject({});
  memory_.allocateCodeSection(100, 16, 1, ".text");
  memory_.allocateCodeSection(50, 1, 2, ".text.other");
  memory_.allocateDataSection(200, 16, 3, ".data", /*is_read_only=*/false);
  EXPECT_EQ(memory_.code_bytes(), 150u);
  memory_.BeginObject({});
  EXPECT_EQ(memory_.code_bytes(), 0u);
}

TEST_F(SectionMemoryTest, AlignsAndTakesZeroForOne) {
  memory_.BeginObject({});
  memory_.allocateDataSection(1, 1, 1, ".data", /*is_read_only=*/false);
  const uint8_t* aligned = memory_.allocateDataSection(8, 64, 2, ".data", /*is_read_only=*/false);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % 64, 0u);
  EXPECT_NE(memory_.allocateDataSection(1, 0, 3, ".data", /*is_read_only=*/false), nullptr);
}

TEST_F(SectionMemoryTest, SectionsAreWritable) {
  memory_.BeginObject({});
  for (uint8_t* section :
       {memory_.allocateCodeSection(100, 16, 1, ".text"),
        memory_.allocateDataSection(100, 16, 2, ".rodata", /*is_read_only=*/true),
        memory_.allocateDataSection(100, 16, 3, ".data", /*is_read_only=*/false)}) {
    std::memset(section, 0xc3, 100);
  }
  std::string error;
  EXPECT_FALSE(memory_.finalizeMemory(&error)) << error;
}

TEST_F(SectionMemoryTest, KeepsWhyMemoryWasRefusedUntilTheNextObject) {
  memory_.BeginObject({});
  EXPECT_EQ(memory_.allocateCodeSection(100 << 10, 16, 1, ".text"), nullptr);
  EXPECT_THAT(memory_.status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("102400 bytes do not fit")));
  memory_.BeginObject({});
  EXPECT_THAT(memory_.status(), IsOk());
  EXPECT_NE(memory_.allocateCodeSection(100, 16, 1, ".text"), nullptr);
}

}  // namespace
}  // namespace firstcall
