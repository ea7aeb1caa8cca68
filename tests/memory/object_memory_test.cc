#include "memory/object_memory.h"

#include <cstring>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

class ObjectMemoryTest : public testing::Test {
 protected:
  void Begin() { memory_.Begin({&owner_, arenas_->near_first(), {}, false}); }
  SegmentSizes used() const { return arenas_->usage().used; }

  const std::shared_ptr<ArenaMemory> arenas_ =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), {{64 << 10, 64 << 10, 64 << 10}})
          .value();
  const std::shared_ptr<UnwindRegistry> unwind_registry_ = std::make_shared<UnwindRegistry>();
  OwnedCode owner_{arenas_, unwind_registry_};
  ObjectMemory memory_;
};

TEST_F(ObjectMemoryTest, EachKindOfSectionGoesToItsSegment) {
  Begin();
  ASSERT_THAT(memory_.Allocate(Segment::kCode, 100, 16, ".text"), IsOk());
  EXPECT_EQ(used().code, 100u);
  ASSERT_THAT(memory_.Allocate(Segment::kReadOnly, 200, 16, ".rodata"), IsOk());
  EXPECT_EQ(used().read_only, 200u);
  ASSERT_THAT(memory_.Allocate(Segment::kData, 300, 16, ".data"), IsOk());
  EXPECT_EQ(used().data, 300u);
}

TEST_F(ObjectMemoryTest, CountsTheCodeOfTheCurrentObject) {
  Begin();
  ASSERT_THAT(memory_.Allocate(Segment::kCode, 100, 16, ".text"), IsOk());
  ASSERT_THAT(memory_.Allocate(Segment::kCode, 50, 1, ".text.other"), IsOk());
  ASSERT_THAT(memory_.Allocate(Segment::kData, 200, 16, ".data"), IsOk());
  EXPECT_EQ(memory_.code_bytes(), 150u);
  Begin();
  EXPECT_EQ(memory_.code_bytes(), 0u);
}

TEST_F(ObjectMemoryTest, AlignsAndTakesZeroForOne) {
  Begin();
  ASSERT_THAT(memory_.Allocate(Segment::kData, 1, 1, ".data"), IsOk());
  const uint8_t* aligned = memory_.Allocate(Segment::kData, 8, 64, ".data")->write;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % 64, 0u);
  EXPECT_THAT(memory_.Allocate(Segment::kData, 1, 0, ".data"), IsOk());
}

TEST_F(ObjectMemoryTest, SectionsAreWritable) {
  Begin();
  for (uint8_t* section : {memory_.Allocate(Segment::kCode, 100, 16, ".text")->write,
                           memory_.Allocate(Segment::kReadOnly, 100, 16, ".rodata")->write,
                           memory_.Allocate(Segment::kData, 100, 16, ".data")->write}) {
    std::memset(section, 0xc3, 100);
  }
  EXPECT_THAT(memory_.Finalize(), IsOk());
}

TEST_F(ObjectMemoryTest, SaysWhyMemoryWasRefusedAndServesTheNextObject) {
  Begin();
  EXPECT_THAT(memory_.Allocate(Segment::kCode, size_t{2100} << 20, 16, ".text"),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("no addresses are free within reach of ")));
  Begin();
  EXPECT_THAT(memory_.Allocate(Segment::kCode, 100, 16, ".text"), IsOk());
}

TEST_F(ObjectMemoryTest, LargeVariablesMayBeOutOfReach) {
  Begin();
  ASSERT_THAT(memory_.Allocate(Segment::kCode, 100, 16, ".text"), IsOk());
  constexpr size_t kLarge = size_t{5000} << 20;
  absl::StatusOr<MemoryBlock> large = memory_.AllocateAnywhere(Segment::kData, kLarge, 16, ".lbss");
  ASSERT_THAT(large, IsOk());
  large->write[0] = large->write[kLarge - 1] = 1;
  ASSERT_THAT(memory_.Allocate(Segment::kData, 100, 16, ".data"), IsOk());
  EXPECT_THAT(memory_.Finalize(), IsOk());
  EXPECT_EQ(used().data, kLarge + 100);
  memory_.Drop();
  EXPECT_EQ(used().data, 0u);
}

TEST_F(ObjectMemoryTest, SeveralCodeSectionsLieInOnePiece) {
  SegmentSizes sizes;
  sizes.code = 1000;
  memory_.Begin({&owner_, arenas_->near_first(), sizes, true});
  uint8_t* first = memory_.Allocate(Segment::kCode, 100, 16, ".text.a")->write;
  ASSERT_THAT(arenas_->Allocate({Segment::kCode, 16, 1, "", arenas_->near_first(), {}}), IsOk());
  uint8_t* second = memory_.Allocate(Segment::kCode, 100, 64, ".text.b")->write;
  EXPECT_EQ(second - first, 128);
  EXPECT_EQ(memory_.code_bytes(), 200u);
  EXPECT_THAT(memory_.Allocate(Segment::kCode, 900, 1, ".text.c"),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_F(ObjectMemoryTest, WhatIsDroppedIsGivenBack) {
  Begin();
  ASSERT_THAT(memory_.Allocate(Segment::kCode, 100, 16, ".text"), IsOk());
  memory_.Drop();
  EXPECT_EQ(used().code, 0u);
  Begin();
  ASSERT_THAT(memory_.Allocate(Segment::kCode, 100, 16, ".text"), IsOk());
  Begin();
  EXPECT_EQ(used().code, 0u);
}

TEST_F(ObjectMemoryTest, WhatIsKeptLastsAsLongAsItsOwner) {
  {
    OwnedCode owner(arenas_, unwind_registry_);
    memory_.Begin({&owner, arenas_->near_first(), {}, false});
    ASSERT_THAT(memory_.Allocate(Segment::kCode, 100, 16, ".text"), IsOk());
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

TEST(ClientsObjectMemoryTest, AsksAgainForCodeWhereTheUnwinderFindsNone) {
  auto listed = std::make_shared<ListedMemory>();
  listed->addresses = {kNull - 16, kNull + 112};
  OwnedCode owner(listed, std::make_shared<UnwindRegistry>());
  ObjectMemory memory;
  memory.Begin({&owner, ExecutorAddress(), {}, false});
  EXPECT_THAT(memory.Allocate(Segment::kCode, 100, 16, ".text"), IsOk());
  EXPECT_THAT(listed->freed, testing::ElementsAre(kNull - 16));
  memory.Drop();
  EXPECT_THAT(listed->freed, testing::ElementsAre(kNull - 16, kNull + 112));
}

TEST(ClientsObjectMemoryTest, RefusesASecondBlockWhereTheUnwinderFindsNoCode) {
  auto listed = std::make_shared<ListedMemory>();
  listed->addresses = {kNull, 2 * kNull};
  OwnedCode owner(listed, std::make_shared<UnwindRegistry>());
  ObjectMemory memory;
  memory.Begin({&owner, ExecutorAddress(), {}, false});
  EXPECT_THAT(memory.Allocate(Segment::kCode, 100, 16, ".text"),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("'.text' lies around a multiple of 4 GiB")));
  EXPECT_THAT(listed->freed, testing::ElementsAre(kNull, 2 * kNull));
}

TEST(ClientsObjectMemoryTest, DataMayLieAnywhere) {
  auto listed = std::make_shared<ListedMemory>();
  listed->addresses = {kNull};
  OwnedCode owner(listed, std::make_shared<UnwindRegistry>());
  ObjectMemory memory;
  memory.Begin({&owner, ExecutorAddress(), {}, false});
  EXPECT_THAT(memory.Allocate(Segment::kReadOnly, 100, 16, ".rodata"), IsOk());
  EXPECT_EQ(listed->allocated, 1u);
}

}  // namespace
}  // namespace firstcall
