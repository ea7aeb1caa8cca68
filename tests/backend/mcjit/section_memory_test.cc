// That MCJIT can link with it is shown by the linker's tests; here it is asked directly.

#include "backend/mcjit/section_memory.h"

#include <cstring>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/unwind_registry.h"
#include "tests/testing/forwarding_mapper.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

class SectionMemoryTest : public testing::Test {
 protected:
  void Begin() { memory_.BeginObject({}, {&owner_, arenas_->near_first(), {}, false}); }
  SegmentSizes used() const { return arenas_->usage().used; }

  const std::shared_ptr<ArenaMemory> arenas_ =
      ArenaMemory::Create(std::make_shared<SingleSlabMapper>(), {{64 << 10, 64 << 10, 64 << 10}})
          .value();
  const std::shared_ptr<UnwindRegistry> unwind_registry_ = std::make_shared<UnwindRegistry>();
  OwnedCode owner_{arenas_, unwind_registry_};
  SectionMemory memory_;
};

TEST_F(SectionMemoryTest, EachKindOfSectionGoesToItsSegment) {
  Begin();
  ASSERT_NE(memory_.allocateCodeSection(100, 16, 1, ".text"), nullptr);
  EXPECT_EQ(used().code, 100u);
  ASSERT_NE(memory_.allocateDataSection(200, 16, 2, ".rodata", /*is_read_only=*/true), nullptr);
  EXPECT_EQ(used().read_only, 200u);
  ASSERT_NE(memory_.allocateDataSection(300, 16, 3, ".data", /*is_read_only=*/false), nullptr);
  EXPECT_EQ(used().data, 300u);
  EXPECT_THAT(memory_.status(), IsOk());
}

TEST_F(SectionMemoryTest, CountsTheCodeOfTheCurrentObject) {
  Begin();
  memory_.allocateCodeSection(100, 16, 1, ".text");
  memory_.allocateCodeSection(50, 1, 2, ".text.other");
  memory_.allocateDataSection(200, 16, 3, ".data", /*is_read_only=*/false);
  EXPECT_EQ(memory_.code_bytes(), 150u);
  Begin();
  EXPECT_EQ(memory_.code_bytes(), 0u);
}

TEST_F(SectionMemoryTest, AlignsAndTakesZeroForOne) {
  Begin();
  memory_.allocateDataSection(1, 1, 1, ".data", /*is_read_only=*/false);
  const uint8_t* aligned = memory_.allocateDataSection(8, 64, 2, ".data", /*is_read_only=*/false);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % 64, 0u);
  EXPECT_NE(memory_.allocateDataSection(1, 0, 3, ".data", /*is_read_only=*/false), nullptr);
}

TEST_F(SectionMemoryTest, SectionsAreWritable) {
  Begin();
  for (uint8_t* section :
       {memory_.allocateCodeSection(100, 16, 1, ".text"),
        memory_.allocateDataSection(100, 16, 2, ".rodata", /*is_read_only=*/true),
        memory_.allocateDataSection(100, 16, 3, ".data", /*is_read_only=*/false)}) {
    std::memset(section, 0xc3, 100);
  }
  EXPECT_THAT(memory_.Finalize(), IsOk());
}

TEST_F(SectionMemoryTest, KeepsWhyMemoryWasRefusedUntilTheNextObject) {
  Begin();
  EXPECT_EQ(memory_.allocateCodeSection(100 << 10, 16, 1, ".text"), nullptr);
  EXPECT_THAT(memory_.status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("no more slabs")));
  Begin();
  EXPECT_THAT(memory_.status(), IsOk());
  EXPECT_NE(memory_.allocateCodeSection(100, 16, 1, ".text"), nullptr);
}

TEST_F(SectionMemoryTest, SeveralCodeSectionsLieInOnePiece) {
  SegmentSizes sizes;
  sizes.code = 1000;
  memory_.BeginObject({}, {&owner_, arenas_->near_first(), sizes, true});
  uint8_t* first = memory_.allocateCodeSection(100, 16, 1, ".text.a");
  ASSERT_THAT(arenas_->Allocate({Segment::kCode, 16, 1, "", arenas_->near_first(), {}}), IsOk());
  uint8_t* second = memory_.allocateCodeSection(100, 64, 2, ".text.b");
  EXPECT_EQ(second - first, 128);
  EXPECT_EQ(memory_.code_bytes(), 200u);
  EXPECT_EQ(memory_.allocateCodeSection(900, 1, 3, ".text.c"), nullptr);
  EXPECT_THAT(memory_.status(), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_F(SectionMemoryTest, WhatIsDroppedIsGivenBack) {
  Begin();
  memory_.allocateCodeSection(100, 16, 1, ".text");
  memory_.Drop();
  EXPECT_EQ(used().code, 0u);
  Begin();
  memory_.allocateCodeSection(100, 16, 1, ".text");
  Begin();
  EXPECT_EQ(used().code, 0u);
}

TEST_F(SectionMemoryTest, WhatIsKeptLastsAsLongAsItsOwner) {
  {
    OwnedCode owner(arenas_, unwind_registry_);
    memory_.BeginObject({}, {&owner, arenas_->near_first(), {}, false});
    memory_.allocateCodeSection(100, 16, 1, ".text");
    memory_.Keep();
    Begin();
    EXPECT_EQ(used().code, 100u);
    EXPECT_EQ(owner.code_bytes(), 100u);
  }
  EXPECT_EQ(used().code, 0u);
}

// A client's memory that hands out what it was given, one block after the other.
class ListedMemory final : public MemoryManager {
 public:
  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override {
    const ExecutorAddress run(addresses.at(allocated++));
    return MemoryBlock{bytes, run, request.size, request.segment};
  }
  absl::Status Finalize(absl::Span<const MemoryBlock>) override { return absl::OkStatus(); }
  void Free(absl::Span<const MemoryBlock> blocks) override {
    for (const MemoryBlock& block : blocks) freed.push_back(block.run.value());
  }

  std::vector<uint64_t> addresses;
  size_t allocated = 0;
  std::vector<uint64_t> freed;
  uint8_t bytes[256] = {};
};

constexpr uint64_t kNull = uint64_t{3} << 32;  // Where the unwinder finds no code.

TEST(ClientsSectionMemoryTest, AsksAgainForCodeWhereTheUnwinderFindsNone) {
  auto listed = std::make_shared<ListedMemory>();
  listed->addresses = {kNull - 16, kNull + 112};
  OwnedCode owner(listed, std::make_shared<UnwindRegistry>());
  SectionMemory memory;
  memory.BeginObject({}, {&owner, ExecutorAddress(), {}, false});
  EXPECT_NE(memory.allocateCodeSection(100, 16, 1, ".text"), nullptr);
  EXPECT_THAT(listed->freed, testing::ElementsAre(kNull - 16));
  memory.Drop();
  EXPECT_THAT(listed->freed, testing::ElementsAre(kNull - 16, kNull + 112));
}

TEST(ClientsSectionMemoryTest, RefusesASecondBlockWhereTheUnwinderFindsNoCode) {
  auto listed = std::make_shared<ListedMemory>();
  listed->addresses = {kNull, 2 * kNull};
  OwnedCode owner(listed, std::make_shared<UnwindRegistry>());
  SectionMemory memory;
  memory.BeginObject({}, {&owner, ExecutorAddress(), {}, false});
  EXPECT_EQ(memory.allocateCodeSection(100, 16, 1, ".text"), nullptr);
  EXPECT_THAT(memory.status(), StatusIs(absl::StatusCode::kResourceExhausted,
                                        HasSubstr("'.text' lies around a multiple of 4 GiB")));
  EXPECT_THAT(listed->freed, testing::ElementsAre(kNull, 2 * kNull));
}

TEST(ClientsSectionMemoryTest, DataMayLieAnywhere) {
  auto listed = std::make_shared<ListedMemory>();
  listed->addresses = {kNull};
  OwnedCode owner(listed, std::make_shared<UnwindRegistry>());
  SectionMemory memory;
  memory.BeginObject({}, {&owner, ExecutorAddress(), {}, false});
  EXPECT_NE(memory.allocateDataSection(100, 16, 1, ".rodata", /*is_read_only=*/true), nullptr);
  EXPECT_EQ(listed->allocated, 1u);
}

}  // namespace
}  // namespace firstcall
