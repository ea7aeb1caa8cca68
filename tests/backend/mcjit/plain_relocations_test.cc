// What is taken and what is left, by object. That linked code works is mcjit_linker_test's.

#include "backend/mcjit/plain_relocations.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

// An object of its own in memory.
class PlainRelocationsTest : public ::testing::Test {
 protected:
  void Read(absl::string_view text) {
    bytes_ = CompileToObject(text);
    object_ = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(llvm::StringRef(bytes_.data(), bytes_.size()), "test.o")));
  }

  // How many relocations each section has in the object.
  std::map<std::string, size_t> Count() const {
    std::map<std::string, size_t> count;
    for (const llvm::object::SectionRef section : object_->sections()) {
      auto relocated = llvm::cantFail(section.getRelocatedSection());
      if (relocated == object_->section_end()) continue;
      size_t& n = count[llvm::cantFail(relocated->getName()).str()];
      for (auto it = section.relocation_begin(); it != section.relocation_end(); ++it) ++n;
    }
    return count;
  }

  ObjectBytes bytes_;
  std::unique_ptr<llvm::object::ObjectFile> object_;
};

TEST_F(PlainRelocationsTest, WritesAddresses) {
  Read(R"(
    @elsewhere = external global [4 x i32]
    @pointers = global [3 x ptr] [ptr getelementptr (i32, ptr @elsewhere, i64 2), ptr null,
                                  ptr getelementptr (ptr, ptr @pointers, i64 1)])");
  ASSERT_EQ(Count()[".data"], 2u);
  PlainRelocations taken = PlainRelocations::TakeFrom(*object_);
  EXPECT_EQ(Count()[".data"], 0u);
  uint64_t data[3] = {1, 2, 3};
  taken.Locate(*object_, [&](llvm::object::SectionRef) {
    return PlainRelocations::Place{reinterpret_cast<uint8_t*>(data), ExecutorAddress(0x1000)};
  });
  EXPECT_THAT(taken.Apply([](absl::string_view name) {
    EXPECT_EQ(name, "elsewhere");
    return ExecutorAddress(0x123456789abcd0);
  }),
              IsOk());
  EXPECT_THAT(data, ::testing::ElementsAre(0x123456789abcd8, 2, 0x1008));
}

constexpr char kDistance[] = R"(
  @elsewhere = external global i32
  @distances = global [2 x i32] [i32 7, i32 trunc (i64 sub (i64 ptrtoint (ptr @elsewhere to i64),
      i64 ptrtoint (ptr getelementptr (i32, ptr @distances, i64 1) to i64)) to i32)])";

TEST_F(PlainRelocationsTest, WritesDistancesInData) {
  Read(kDistance);
  ASSERT_EQ(Count()[".data"], 1u);
  PlainRelocations taken = PlainRelocations::TakeFrom(*object_);
  EXPECT_EQ(Count()[".data"], 0u);
  int32_t data[2] = {7, 1};
  taken.Locate(*object_, [&](llvm::object::SectionRef) {
    return PlainRelocations::Place{reinterpret_cast<uint8_t*>(data), ExecutorAddress(0x10000)};
  });
  EXPECT_THAT(taken.Apply([](absl::string_view) { return ExecutorAddress(0x1234); }), IsOk());
  EXPECT_THAT(data, ::testing::ElementsAre(7, 0x1234 - 0x10004));
  EXPECT_THAT(taken.Apply([](absl::string_view) { return ExecutorAddress(0x100010004); }),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("'elsewhere' is out of reach")));
}

#if defined(__x86_64__)

constexpr char kTwoConstants[] = R"(
  @near = external dso_local global i32
  define double @f(double %x) {
    %n = load i32, ptr @near
    store i32 7, ptr @near
    %d = sitofp i32 %n to double
    %a = fadd double %x, 1.25
    %b = fmul double %a, 2.5
    %c = fadd double %b, %d
    ret double %c
  })";

// An object has symbols of its own for constants that may be merged, and none for the table.
TEST_F(PlainRelocationsTest, WhatWasTakenCanBePutBack) {
  Read(kTwoConstants);
  const auto before = Count();
  PlainRelocations taken = PlainRelocations::TakeFrom(*object_);
  ASSERT_NE(Count(), before);
  taken.PutBack();
  EXPECT_EQ(Count(), before);
  EXPECT_TRUE(taken.empty());
  EXPECT_FALSE(PlainRelocations::TakeFrom(*object_).empty());
}

TEST_F(PlainRelocationsTest, LeavesTheFirstThatNamesASectionAndUnwindTables) {
  Read(R"(
    @table = private constant [3 x i32] [i32 1, i32 2, i32 3]
    define ptr @f() { ret ptr @table }
    define ptr @g() { ret ptr @table })");
  ASSERT_EQ(Count()[".text"], 2u);
  ASSERT_EQ(Count()[".eh_frame"], 2u);
  EXPECT_FALSE(PlainRelocations::TakeFrom(*object_).empty());
  EXPECT_EQ(Count()[".text"], 1u);
  EXPECT_EQ(Count()[".eh_frame"], 2u);
  Read(kTwoConstants);
  ASSERT_EQ(Count()[".text"], 4u);
  PlainRelocations::TakeFrom(*object_);
  EXPECT_EQ(Count()[".text"], 0u);
}

TEST_F(PlainRelocationsTest, LeavesWhatNeedsAnEntryOfTheLinkers) {
  Read(R"(
    @elsewhere = external global i32
    define ptr @f() { ret ptr @elsewhere })");
  ASSERT_EQ(Count()[".text"], 1u);
  EXPECT_TRUE(PlainRelocations::TakeFrom(*object_).empty());
  EXPECT_EQ(Count()[".text"], 1u);
}

TEST_F(PlainRelocationsTest, WritesDistances) {
  Read(kTwoConstants);
  PlainRelocations taken = PlainRelocations::TakeFrom(*object_);
  std::vector<uint8_t> text(256), constants(256);
  const ExecutorAddress text_run(0x40000000), constants_run(0x40001000), variable(0x40002345);
  taken.Locate(*object_, [&](llvm::object::SectionRef section) {
    return section.isText() ? PlainRelocations::Place{text.data(), text_run}
                            : PlainRelocations::Place{constants.data(), constants_run};
  });
  std::vector<std::string> asked;
  EXPECT_THAT(taken.Apply([&](absl::string_view name) {
    asked.emplace_back(name);
    return variable;
  }),
              IsOk());
  EXPECT_THAT(asked, ::testing::ElementsAre("near"));
  // Each distance counts from behind itself, or, where the store's immediate operand follows, from
  // 4 bytes later.
  size_t distances = 0;
  for (size_t at = 0; at + 4 <= text.size(); ++at) {
    int32_t distance;
    std::memcpy(&distance, text.data() + at, 4);
    const uint64_t target = text_run.value() + at + 4 + static_cast<uint64_t>(distance);
    if (target == variable.value() || target + 4 == variable.value()) ++distances;
  }
  EXPECT_EQ(distances, 2u);
}

TEST_F(PlainRelocationsTest, DistanceBeyondThirtyTwoBitsIsAnError) {
  Read(kTwoConstants);
  PlainRelocations taken = PlainRelocations::TakeFrom(*object_);
  std::vector<uint8_t> bytes(256);
  taken.Locate(*object_, [&](llvm::object::SectionRef) {
    return PlainRelocations::Place{bytes.data(), ExecutorAddress(0x40000000)};
  });
  for (uint64_t far : {uint64_t{0x140000000}, uint64_t{0xc0000010}}) {
    EXPECT_THAT(taken.Apply([&](absl::string_view) { return ExecutorAddress(far); }),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("'near' is out of reach")));
  }
}

TEST_F(PlainRelocationsTest, SectionThatWasNotLoadedIsAnError) {
  Read(kTwoConstants);
  PlainRelocations taken = PlainRelocations::TakeFrom(*object_);
  taken.Locate(*object_, [](llvm::object::SectionRef) { return PlainRelocations::Place{}; });
  EXPECT_THAT(taken.Apply([](absl::string_view) { return ExecutorAddress(1); }),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("not loaded")));
}

// Nothing is taken from what is damaged, and nothing beyond the object is touched.
TEST_F(PlainRelocationsTest, DamagedObjectsAreLeftAlone) {
  Read(kTwoConstants);
  const ObjectBytes good = bytes_;
  for (size_t at = 0; at < good.size(); ++at) {
    ObjectBytes bad = good;
    bad.data()[at] = static_cast<char>(bad.data()[at] ^ 0xff);
    auto object = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(llvm::StringRef(bad.data(), bad.size()), "bad.o"));
    if (!object) {
      llvm::consumeError(object.takeError());
      continue;
    }
    PlainRelocations::TakeFrom(**object);
  }
}

#endif

}  // namespace
}  // namespace firstcall
