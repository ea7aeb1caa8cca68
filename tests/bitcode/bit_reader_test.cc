// Also tests abbreviations (bitcode/abbreviation), BLOCKINFO (bitcode/block_info) and the reading
// of records (bitcode/record_fields.cc).

#include "bitcode/bit_reader.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "bitcode/records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/bitcode/bit_writer.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::bitcode {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint32_t kBlock = 20, kFirst = kFirstAbbreviationId;

class BitReaderTest : public ::testing::Test {
 protected:
  // Ends the block kBlock of `writer_`, and enters it.
  BitReader& EnterBlock() {
    writer_.EndBlock();
    reader_.emplace(writer_.bytes(), &info_);
    EXPECT_EQ(reader_->Next().kind, EntryKind::kSubBlock);
    EXPECT_TRUE(reader_->EnterBlock(kBlock));
    return *reader_;
  }
  // What the record has that comes next.
  std::vector<uint64_t> ReadNext(uint32_t code) {
    EXPECT_EQ(reader_->Next().kind, EntryKind::kRecord);
    const Record& record = reader_->ReadRecord();
    EXPECT_EQ(record.code, code);
    return {record.operands.begin(), record.operands.end()};
  }
  void ExpectFailure(const char* reason) {
    EXPECT_EQ(reader_->Next().kind, EntryKind::kFailure);
    EXPECT_THAT(reader_->status(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(reason)));
  }

  BitWriter writer_;
  BlockInfo info_;
  std::optional<BitReader> reader_;
};

TEST_F(BitReaderTest, ReadsRecordsWithoutAbbreviations) {
  std::vector<uint64_t> many;
  for (uint64_t i = 0; i < 64; ++i) many.push_back(uint64_t{1} << i);
  for (uint64_t i = 0; i < 100; ++i) many.push_back(i * i * i);
  writer_.EnterBlock(kBlock).Record(1).Record(70, {31, 32, 1023, 1024, 1048575, 1048576});
  writer_.Record(5000, many).Record(2, {UINT64_MAX});
  EnterBlock();
  EXPECT_THAT(ReadNext(1), IsEmpty());
  EXPECT_THAT(ReadNext(70), ElementsAre(31, 32, 1023, 1024, 1048575, 1048576));
  EXPECT_THAT(ReadNext(5000), ElementsAreArray(many));
  EXPECT_THAT(ReadNext(2), ElementsAre(UINT64_MAX));
  EXPECT_EQ(reader_->Next().kind, EntryKind::kEndBlock);
  EXPECT_TRUE(reader_->IsAtEnd());
}

TEST_F(BitReaderTest, ReadsEveryKindOfField) {
  writer_.EnterBlock(kBlock);
  writer_.Define(5).Literal(7).Literal(1000).FieldWithWidth(kEncodingFixed, 3);
  writer_.FieldWithWidth(kEncodingVbr, 4).Field(kEncodingChar6);
  writer_.Id(kFirst).Fixed(5, 3).Vbr(99, 4).Fixed(63, 6);
  EnterBlock();
  EXPECT_THAT(ReadNext(7), ElementsAre(1000, 5, 99, '_'));
}

TEST_F(BitReaderTest, ReadsArrays) {
  writer_.EnterBlock(kBlock);
  writer_.Define(4).Literal(1).FieldWithWidth(kEncodingVbr, 6).Field(kEncodingArray);
  writer_.FieldWithWidth(kEncodingFixed, 7);
  writer_.Define(3).Literal(2).Field(kEncodingArray).FieldWithWidth(kEncodingVbr, 6);
  writer_.Define(3).Literal(3).Field(kEncodingArray).Field(kEncodingChar6);
  writer_.Define(3).Literal(4).Field(kEncodingArray).FieldWithWidth(kEncodingVbr, 8);
  std::vector<uint64_t> first = {8};
  writer_.Id(kFirst).Vbr(8, 6).Vbr(100, 6);
  for (uint64_t i = 0; i < 100; ++i) writer_.Fixed(i, 7);
  for (uint64_t i = 0; i < 100; ++i) first.push_back(i);
  writer_.Id(kFirst + 1).Vbr(2, 6).Vbr(5, 6).Vbr(1 << 20, 6);
  writer_.Id(kFirst + 2).Vbr(3, 6).Fixed(0, 6).Fixed(26, 6).Fixed(62, 6);
  writer_.Id(kFirst + 3).Vbr(1, 6).Vbr(1000, 8);
  EnterBlock();
  EXPECT_THAT(ReadNext(1), ElementsAreArray(first));
  EXPECT_THAT(ReadNext(2), ElementsAre(5, 1 << 20));
  EXPECT_THAT(ReadNext(3), ElementsAre('a', 'A', '.'));
  EXPECT_THAT(ReadNext(4), ElementsAre(1000));
}

TEST_F(BitReaderTest, ReadsBlobsWithoutCopyingThem) {
  writer_.EnterBlock(kBlock);
  writer_.Define(3).Literal(9).FieldWithWidth(kEncodingVbr, 6).Field(kEncodingBlob);
  writer_.Id(kFirst).Vbr(3, 6).Blob("hello");
  EnterBlock();
  EXPECT_THAT(ReadNext(9), ElementsAre(3));
  reader_->Restart(0);
  reader_->Next();
  reader_->EnterBlock(kBlock);
  reader_->Next();
  const Record& record = reader_->ReadRecord();
  EXPECT_EQ(record.blob, "hello");
  EXPECT_GE(record.blob.data(), reinterpret_cast<const char*>(writer_.bytes().data()));
}

TEST_F(BitReaderTest, SkippingARecordLeadsToTheNextOne) {
  writer_.EnterBlock(kBlock);
  writer_.Define(3).Literal(1).Field(kEncodingArray).FieldWithWidth(kEncodingVbr, 6);
  writer_.Define(2).Literal(1).Field(kEncodingBlob);
  writer_.Define(3).FieldWithWidth(kEncodingVbr, 6).FieldWithWidth(kEncodingFixed, 9);
  writer_.Field(kEncodingChar6);
  for (uint64_t count = 0; count < 40; ++count) {
    std::vector<uint64_t> operands;
    for (uint64_t i = 0; i < count; ++i) operands.push_back(uint64_t{1} << i);
    writer_.Record(1, operands);
    writer_.Id(kFirst).Vbr(count, 6);
    for (uint64_t operand : operands) writer_.Vbr(operand, 6);
  }
  writer_.Id(kFirst + 1).Blob("blob").Id(kFirst + 2).Vbr(99, 6).Fixed(1, 9).Fixed(1, 6);
  writer_.Record(2, {42});
  EnterBlock();
  for (int i = 0; i < 82; ++i) {
    ASSERT_EQ(reader_->Next().kind, EntryKind::kRecord);
    reader_->SkipRecord();
  }
  EXPECT_THAT(ReadNext(2), ElementsAre(42));
}

TEST_F(BitReaderTest, SkipsRecordsOfTwoCodes) {
  writer_.EnterBlock(kBlock);
  for (uint64_t count = 0; count < 32; ++count) {
    std::vector<uint64_t> operands;
    for (uint64_t i = 0; i < count; ++i) operands.push_back(uint64_t{1} << (2 * i));
    writer_.Record(33, operands).Record(35, {operands.rbegin(), operands.rend()});
  }
  writer_.Record(37, {42}).Record(33, {}).Record(1, {43}).Record(35, {1});
  EnterBlock();
  reader_->SkipUnabbreviated(35, 33);
  EXPECT_THAT(ReadNext(37), ElementsAre(42));
  reader_->SkipUnabbreviated(35, 33);
  EXPECT_THAT(ReadNext(1), ElementsAre(43));
  reader_->SkipUnabbreviated(33, 1023);
  EXPECT_THAT(ReadNext(35), ElementsAre(1));
  reader_->SkipUnabbreviated(35, 33);
  EXPECT_EQ(reader_->Next().kind, EntryKind::kEndBlock);
}

TEST_F(BitReaderTest, LeavesOtherRecordsToNext) {
  writer_.EnterBlock(kBlock).Define(2).Literal(35).FieldWithWidth(kEncodingFixed, 9);
  writer_.Id(kFirst).Fixed(7, 9).Record(35, std::vector<uint64_t>(32, 1));
  EnterBlock();
  reader_->SkipUnabbreviated(35, 33);
  EXPECT_THAT(ReadNext(35), ElementsAre(7));
  reader_->SkipUnabbreviated(35, 33);
  EXPECT_THAT(ReadNext(35), SizeIs(32));
}

TEST_F(BitReaderTest, LeavesRecordsThatTheStreamsEndCutsToNext) {
  writer_.EnterBlock(kBlock).Record(35, {1, uint64_t{1} << 60, uint64_t{1} << 60});
  const size_t whole = writer_.bytes().size();
  EnterBlock();
  std::vector<uint8_t> bytes(writer_.bytes().begin(), writer_.bytes().end());
  bytes.resize(whole - 8);
  // The block's length, behind its first word.
  bytes[4] = static_cast<uint8_t>(bytes.size() / 4 - 2);
  reader_.emplace(bytes, &info_);
  reader_->Next();
  ASSERT_TRUE(reader_->EnterBlock(kBlock));
  reader_->SkipUnabbreviated(35, 33);
  reader_->Next();
  reader_->SkipRecord();
  ExpectFailure("the stream ends within a record");
}

TEST_F(BitReaderTest, ReadsACodeBeforeTheOperands) {
  writer_.EnterBlock(kBlock).Record(35, {1, 2, 3}).Record(3, {4});
  EnterBlock();
  reader_->Next();
  EXPECT_EQ(reader_->ReadCode(), 35u);
  EXPECT_THAT(reader_->ReadOperands().operands, ElementsAre(1, 2, 3));
  EXPECT_THAT(ReadNext(3), ElementsAre(4));
}

TEST_F(BitReaderTest, SkipsAndLeavesBlocks) {
  writer_.EnterBlock(kBlock);
  writer_.EnterBlock(21, 9).Record(1, {1}).EndBlock();
  writer_.EnterBlock(22, 3).Record(1, {1}).Record(1, {2}).EndBlock();
  writer_.Record(2, {5});
  EnterBlock();
  EXPECT_EQ(reader_->Next().id, 21u);
  EXPECT_TRUE(reader_->SkipBlock());
  EXPECT_EQ(reader_->Next().id, 22u);
  EXPECT_TRUE(reader_->EnterBlock(22));
  EXPECT_THAT(ReadNext(1), ElementsAre(1));
  EXPECT_TRUE(reader_->LeaveEarly());
  EXPECT_THAT(ReadNext(2), ElementsAre(5));
}

TEST_F(BitReaderTest, GivesBlocksTheAbbreviationsOfBlockInfo) {
  writer_.EnterBlock(kBlockInfoBlock, 2).Record(kBlockInfoSetBlock, {kBlock});
  writer_.Define(2).Literal(6).FieldWithWidth(kEncodingFixed, 8).EndBlock();
  writer_.EnterBlock(kBlock).Define(2).Literal(7).FieldWithWidth(kEncodingFixed, 4);
  writer_.Id(kFirst).Fixed(200, 8).Id(kFirst + 1).Fixed(9, 4).EndBlock();
  reader_.emplace(writer_.bytes(), &info_);
  ASSERT_EQ(reader_->Next().id, kBlockInfoBlock);
  ASSERT_TRUE(reader_->ReadBlockInfo(info_));
  ASSERT_EQ(reader_->Next().id, kBlock);
  ASSERT_TRUE(reader_->EnterBlock(kBlock));
  EXPECT_THAT(ReadNext(6), ElementsAre(200));
  EXPECT_THAT(ReadNext(7), ElementsAre(9));
}

TEST_F(BitReaderTest, GoesOnAtAPosition) {
  writer_.EnterBlock(kBlock).Record(1, {1}).Record(2, {2});
  EnterBlock();
  reader_->Next();
  const uint64_t position = reader_->entry_position();
  reader_->ReadRecord();
  EXPECT_THAT(ReadNext(2), ElementsAre(2));
  EXPECT_TRUE(reader_->Jump(position));
  EXPECT_THAT(ReadNext(1), ElementsAre(1));
  EXPECT_FALSE(reader_->Jump(UINT64_MAX));
  ExpectFailure("a position lies behind the end");
}

TEST_F(BitReaderTest, RefusesAbbreviationsThatAreNotDefined) {
  writer_.EnterBlock(kBlock).Id(kFirst);
  EnterBlock();
  EXPECT_EQ(reader_->Next().kind, EntryKind::kRecord);
  EXPECT_EQ(reader_->ReadRecord().code, Record::kNoCode);
  ExpectFailure("a record's abbreviation is not defined");
}

TEST_F(BitReaderTest, RefusesRecordsThatAreLongerThanTheStream) {
  writer_.EnterBlock(kBlock).Id(kUnabbreviatedId).Vbr(1, 6).Vbr(1000000, 6);
  EnterBlock();
  reader_->Next();
  EXPECT_EQ(reader_->ReadRecord().code, Record::kNoCode);
  ExpectFailure("a record is longer than the stream");
}

TEST_F(BitReaderTest, RefusesArraysWhoseElementsTakeNoBits) {
  writer_.EnterBlock(kBlock).Define(3).Literal(1).Field(kEncodingArray);
  writer_.FieldWithWidth(kEncodingFixed, 0);
  EnterBlock();
  ExpectFailure("a definition of an abbreviation is wrong");
}

TEST_F(BitReaderTest, RefusesAbbreviationsOfManyLiterals) {
  writer_.EnterBlock(kBlock).Define(20);
  for (int i = 0; i < 20; ++i) writer_.Literal(1);
  EnterBlock();
  ExpectFailure("a definition of an abbreviation is wrong");
}

TEST_F(BitReaderTest, RefusesBlocksThatEndElsewhereThanTheyShould) {
  writer_.EnterBlock(kBlock).Id(kEndBlockId).Align().Fixed(0, 32);
  EnterBlock();
  ExpectFailure("a block does not end where its length says");
}

TEST_F(BitReaderTest, RefusesBlocksThatAreLongerThanWhatContainsThem) {
  writer_.EnterBlock(kBlock).Id(kEnterSubBlockId).Vbr(9, 8).Vbr(4, 4).Align().Fixed(1000, 32);
  EnterBlock();
  EXPECT_EQ(reader_->Next().kind, EntryKind::kSubBlock);
  EXPECT_FALSE(reader_->EnterBlock(9));
  ExpectFailure("a block is longer than what contains it");
}

TEST_F(BitReaderTest, RefusesBlocksThatAreNestedTooDeep) {
  for (int i = 0; i < 12; ++i) writer_.EnterBlock(kBlock);
  for (int i = 0; i < 12; ++i) writer_.EndBlock();
  reader_.emplace(writer_.bytes(), &info_);
  int depth = 0;
  while (reader_->Next().kind == EntryKind::kSubBlock && reader_->EnterBlock(kBlock)) ++depth;
  EXPECT_EQ(depth, static_cast<int>(BitReader::kDeepest));
  ExpectFailure("blocks are nested too deep");
}

TEST_F(BitReaderTest, RefusesAStreamThatEnds) {
  writer_.EnterBlock(kBlock).Record(1, {1, 2, 3});
  reader_.emplace(writer_.bytes(), &info_);
  EXPECT_EQ(reader_->Next().kind, EntryKind::kSubBlock);
  EXPECT_TRUE(reader_->EnterBlock(kBlock));
  EXPECT_THAT(ReadNext(1), ElementsAre(1, 2, 3));
  EXPECT_EQ(reader_->Next().kind, EntryKind::kFailure);
  EXPECT_THAT(reader_->status(), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(RecordTest, HasText) {
  const std::vector<uint64_t> operands = {1, 'a', 'b' + 256};
  Record record;
  record.operands = operands;
  EXPECT_EQ(record.Text(1), "ab");
  EXPECT_EQ(record.Text(4), "");
}

}  // namespace
}  // namespace firstcall::bitcode
