// What has larger numbers than the reader keeps is left to LLVM: bodies that are far from the
// beginning of the file, and bodies of very many blocks or operands. Most of the memory is never
// written.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bitcode/body_place.h"
#include "bitcode/function_reader.h"
#include "bitcode/module.h"
#include "bitcode/records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/function.h"
#include "tests/bitcode/bit_writer.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::bitcode {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kGibibyte = uint64_t{1} << 30;
// A block's length is a number of words that has 32 bits.
constexpr uint64_t kLongestBlock = 16 * kGibibyte - 4;
// A block that no reader knows.
constexpr uint32_t kOtherBlock = 99;

// Zeros that take memory only where they are overwritten.
class SparseFile {
 public:
  explicit SparseFile(size_t size)
      : size_(size),
        memory_(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  SparseFile(const SparseFile&) = delete;
  SparseFile& operator=(const SparseFile&) = delete;
  ~SparseFile() {
    if (exists()) munmap(memory_, size_);
  }

  // False if the operating system does not give as much.
  bool exists() const { return memory_ != MAP_FAILED; }

  // Adds `bytes` and then zeros, `size` bytes in all.
  void Append(const std::vector<uint8_t>& bytes, uint64_t size) {
    std::memcpy(static_cast<uint8_t*>(memory_) + end_, bytes.data(), bytes.size());
    end_ += size;
  }
  void Append(const std::vector<uint8_t>& bytes) { Append(bytes, bytes.size()); }

  absl::Span<const uint8_t> contents() const {
    return {static_cast<const uint8_t*>(memory_), end_};
  }

 private:
  const size_t size_;
  void* const memory_;
  size_t end_ = 0;
};

// The header of a block outside of all others, which has `size` bytes besides.
std::vector<uint8_t> HeaderOf(uint32_t block, uint64_t size) {
  BitWriter writer;
  writer.Fixed(kEnterSubBlockId, 2).Vbr(block, 8).Vbr(4, 4).Align().Fixed(size / 4, 32);
  return writer.bytes();
}

// Begins a module of one function, and the function's body.
void BeginBody(BitWriter& writer, uint64_t blocks) {
  writer.EnterBlock(kModuleBlock).Record(kModuleVersion, {2});
  writer.EnterBlock(kTypeBlock).Record(kTypeCount, {2}).Record(kTypeVoid);
  writer.Record(kTypeFunction, {0, 0}).EndBlock();
  writer.Record(kModuleFunction, {0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  writer.EnterBlock(kFunctionBlock).Record(kFunctionDeclareBlocks, {blocks});
}

// Ends what BeginBody has begun, and adds the table with the function's name.
void EndModule(BitWriter& writer) {
  writer.EndBlock().EndBlock();
  writer.EnterBlock(kStringTableBlock, 3).Define(2).Literal(kStringTableBlob);
  writer.Field(kEncodingBlob).Id(kFirstAbbreviationId).Blob("f").EndBlock();
}

// A module without anything around it, and without the magic number in front.
std::vector<uint8_t> ModuleOf(uint64_t blocks) {
  BitWriter writer;
  BeginBody(writer, blocks);
  writer.Record(kFunctionRet);
  EndModule(writer);
  return writer.bytes();
}

absl::Status ReadModule(absl::Span<const uint8_t> bytes) {
  return BitcodeModule::Read(bytes).status();
}

// Reads a file with a module behind `front` bytes.
absl::Status ReadModuleBehind(uint64_t front, SparseFile& file) {
  file.Append(BitWriter().Magic().bytes());
  for (uint64_t left = front; left != 0;) {
    const uint64_t size = std::min(left, kLongestBlock);
    const std::vector<uint8_t> header = HeaderOf(kOtherBlock, size - 8);
    file.Append(header, size);
    left -= size;
  }
  file.Append(ModuleOf(1));
  return ReadModule(file.contents());
}

TEST(LargeFilesTest, BodiesMayBeFarFromTheBeginning) {
  SparseFile file(128 * kGibibyte);
  if (!file.exists()) GTEST_SKIP() << "there is not as much address space";
  EXPECT_THAT(ReadModuleBehind(127 * kGibibyte, file), IsOk());
}

TEST(LargeFilesTest, BodiesThatAreTooFarAwayAreLlvms) {
  static_assert(BodyPlace::kMostBits == 8 * 128 * kGibibyte, "");
  SparseFile file(129 * kGibibyte);
  if (!file.exists()) GTEST_SKIP() << "there is not as much address space";
  EXPECT_THAT(ReadModuleBehind(128 * kGibibyte, file),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("function 0 is too large")));
}

// The number of blocks of a body says nothing that the size of the file could not be.
TEST(LargeFilesTest, BodiesOfTooManyBlocksAreLlvms) {
  constexpr uint64_t kBlocks = BodyPlace::kMostBlocks + 1, kPadding = 32 << 20;
  SparseFile file(2 * kPadding);
  ASSERT_TRUE(file.exists());
  file.Append(BitWriter().Magic().bytes());
  file.Append(ModuleOf(kBlocks));
  EXPECT_THAT(ReadModule(file.contents()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("function 0 has no valid number of blocks")));
  file.Append(HeaderOf(kOtherBlock, kPadding - 8), kPadding);
  EXPECT_THAT(ReadModule(file.contents()),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("function 0 is too large")));
}

// Abbreviations of nothing but literals, by which four bits stand for seven operands.
absl::Status ReadBodyOfLists(int count) {
  constexpr int kOperands = 7;
  BitWriter writer;
  writer.Magic();
  BeginBody(writer, 1);
  writer.Define(1 + kOperands).Literal(kFunctionBlockAddressUsers);
  for (int i = 0; i < kOperands; ++i) writer.Literal(0);
  for (int i = 0; i < count; ++i) writer.Id(kFirstAbbreviationId);
  writer.Record(kFunctionRet);
  EndModule(writer);
  const absl::StatusOr<std::unique_ptr<BitcodeModule>> module = BitcodeModule::Read(writer.bytes());
  if (!module.ok()) return module.status();
  FunctionReader reader(**module);
  ir::Function body;
  return reader.Read(0, body);
}

TEST(LargeFilesTest, BodiesOfMoreOperandsThanBitsAreLlvms) {
  EXPECT_THAT(ReadBodyOfLists(1), IsOk());
  EXPECT_THAT(ReadBodyOfLists(1000),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("the body is too large")));
}

}  // namespace
}  // namespace firstcall::bitcode
