#include "bitcode/metadata_texts.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bitcode/bit_reader.h"
#include "bitcode/module.h"
#include "bitcode/records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/bitcode/bit_writer.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::bitcode {
namespace {

using Kind = MetadataTexts::Kind;

// Where BitReader is when it has read the id of a block's beginning: behind the id of the entry, in
// a block of the given width, and that of the block.
uint64_t PositionOfBlock(const BitWriter& writer, uint32_t id_width) {
  constexpr uint32_t kBlockIdWidth = 8;
  return writer.bit_position() + id_width + kBlockIdWidth;
}

// Writes a module whose function "a" has two blocks of metadata. Tests write the module's.
class MetadataTextsTest : public ::testing::Test {
 protected:
  MetadataTextsTest() {
    writer_.Magic().EnterBlock(kIdentificationBlock);
    writer_.TextRecord(kIdentificationString, "LLVM19.1").Record(kIdentificationEpoch, {0});
    writer_.EndBlock().EnterBlock(kModuleBlock).Record(kModuleVersion, {2});
    writer_.EnterBlock(kTypeBlock).Record(kTypeCount, {2}).Record(kTypeVoid);
    writer_.Record(kTypeFunction, {0, 0}).EndBlock();
    writer_.Record(kModuleFunction, {0, 1, 1, 0, 0, 0, 0, 0, 0, 0});
  }

  // The strings, in the block that the writer has begun. `lengths`: what the record says.
  void Strings(absl::string_view characters, const std::vector<uint64_t>& lengths) {
    writer_.Define(4).Literal(kMetadataStrings);
    writer_.FieldWithWidth(kEncodingVbr, 6).FieldWithWidth(kEncodingVbr, 6).Field(kEncodingBlob);
    BitWriter coded;
    for (uint64_t length : lengths) coded.Vbr(length, 6);
    coded.Align();
    const std::string bytes(coded.bytes().begin(), coded.bytes().end());
    writer_.Id(kFirstAbbreviationId).Vbr(lengths.size(), 6).Vbr(bytes.size(), 6);
    writer_.Blob(bytes + std::string(characters));
  }
  // Of the module: the strings "shared" and "both", and a node.
  void ModuleMetadata() {
    writer_.EnterBlock(kMetadataBlock);
    Strings("sharedboth", {6, 4});
    writer_.Record(kMetadataNode, {1}).EndBlock();
  }
  // Of a function: the string "own" and a node, and then a block without strings.
  void Finish(const std::vector<uint64_t>& lengths = {3}) {
    writer_.EnterBlock(kFunctionBlock).Record(kFunctionDeclareBlocks, {1});
    own_ = PositionOfBlock(writer_, 4);
    writer_.EnterBlock(kMetadataBlock);
    Strings("own", lengths);
    writer_.Record(kMetadataNode, {1}).EndBlock();
    without_strings_ = PositionOfBlock(writer_, 4);
    writer_.EnterBlock(kMetadataBlock).Record(kMetadataNode, {1}).EndBlock();
    writer_.Record(kFunctionRet).EndBlock().EndBlock();
    writer_.EnterBlock(kStringTableBlock).Define(2).Literal(kStringTableBlob);
    writer_.Field(kEncodingBlob).Id(kFirstAbbreviationId).Blob("a").EndBlock();
    absl::StatusOr<std::unique_ptr<BitcodeModule>> module = BitcodeModule::Read(writer_.bytes());
    ASSERT_THAT(module, IsOk());
    module_ = *std::move(module);
    texts_ = std::make_unique<MetadataTexts>(*module_);
    texts_->Begin();
  }

  Kind Find(uint32_t number) { return texts_->Find(number, text_); }
  void ExpectText(uint32_t number, absl::string_view expected) {
    ASSERT_EQ(Find(number), Kind::kText);
    EXPECT_EQ(text_, expected);
  }

  BitWriter writer_;
  uint64_t own_ = 0, without_strings_ = 0;
  std::unique_ptr<BitcodeModule> module_;
  std::unique_ptr<MetadataTexts> texts_;
  absl::string_view text_;
};

TEST_F(MetadataTextsTest, FindsThoseOfTheModuleAndOfTheBody) {
  ModuleMetadata();
  ASSERT_NO_FATAL_FAILURE(Finish());
  texts_->AddBlock(own_);
  for (int repeated = 0; repeated < 2; ++repeated) {
    ExpectText(3, "own");
    ExpectText(1, "both");
    ExpectText(0, "shared");
    EXPECT_EQ(Find(2), Kind::kOther);
    EXPECT_EQ(Find(4), Kind::kOther);
    EXPECT_EQ(Find(UINT32_MAX), Kind::kOther);
  }
  // Another body.
  texts_->Begin();
  ExpectText(0, "shared");
  EXPECT_EQ(Find(3), Kind::kUnknown);
}

TEST_F(MetadataTextsTest, TheModuleMayHaveNone) {
  ASSERT_NO_FATAL_FAILURE(Finish());
  EXPECT_EQ(Find(0), Kind::kUnknown);
  texts_->AddBlock(own_);
  ExpectText(0, "own");
}

TEST_F(MetadataTextsTest, DoesNotKnowWhatLlvmDoesNotWrite) {
  ModuleMetadata();
  ASSERT_NO_FATAL_FAILURE(Finish());
  texts_->AddBlock(without_strings_);
  EXPECT_EQ(Find(3), Kind::kUnknown);
  texts_->Begin();
  texts_->AddBlock(own_);
  texts_->AddBlock(without_strings_);
  EXPECT_EQ(Find(3), Kind::kUnknown);
  ExpectText(0, "shared");
}

TEST_F(MetadataTextsTest, DoesNotKnowSeveralBlocksOfAModule) {
  ModuleMetadata();
  ModuleMetadata();
  ASSERT_NO_FATAL_FAILURE(Finish());
  texts_->AddBlock(own_);
  EXPECT_EQ(Find(0), Kind::kUnknown);
  EXPECT_EQ(Find(3), Kind::kUnknown);
}

TEST_F(MetadataTextsTest, FindsDamage) {
  ModuleMetadata();
  ASSERT_NO_FATAL_FAILURE(Finish({2, 5}));
  texts_->AddBlock(own_);
  ExpectText(3, "ow");
  EXPECT_EQ(Find(4), Kind::kDamaged);
  texts_->Begin();
  texts_->AddBlock(uint64_t{1} << 60);
  EXPECT_EQ(Find(3), Kind::kDamaged);
}

TEST_F(MetadataTextsTest, FindsDamageOfTheModule) {
  writer_.EnterBlock(kMetadataBlock);
  Strings("ab", {1, 9});
  writer_.EndBlock();
  ASSERT_NO_FATAL_FAILURE(Finish());
  ExpectText(0, "a");
  EXPECT_EQ(Find(1), Kind::kDamaged);
}

}  // namespace
}  // namespace firstcall::bitcode
