#include "cache/shared_packs.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/stored_objects.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

using Kind = ModulePart::Kind;

constexpr char kSignature[] = "signature";
constexpr ModulePart kStart{Kind::kStart, SymbolOrdinal()};
constexpr ModulePart kIndex{Kind::kIndex, SymbolOrdinal()};

EntryServer::NewEntry New(const Seal& seal, ModulePart part, absl::string_view object) {
  return {part, seal.Close(kSignature, part.ToString(), object)};
}

// What `packs` have of each part, in the given pack, once they have been written and read.
std::vector<std::pair<std::string, std::string>> Read(const Seal& seal, const PackContents& packs,
                                                      absl::string_view rest, uint32_t pack) {
  const PackList list =
      PackList::Decode(seal, kSignature, packs.list.Encode(seal, kSignature)).value();
  EXPECT_EQ(list.packs[0].path, PackPath(packs.start));
  EXPECT_EQ(list.packs[0].size, packs.start.size());
  const PackTable table = PackTable::Decode(seal, kSignature, list, packs.start).value();
  std::vector<std::pair<std::string, std::string>> found;
  for (const PackTable::Entry& entry : table.entries) {
    if (entry.pack != pack) continue;
    const absl::string_view sealed = entry.In(pack == 0 ? absl::string_view(packs.start) : rest);
    const std::string name = entry.part.ToString();
    found.emplace_back(name, std::string(seal.Open(kSignature, name, sealed).value_or("(none)")));
  }
  return found;
}

class SharedPacksTest : public ::testing::TestWithParam<const char*> {
 protected:
  SharedPacksTest() { limits_.most_few_bytes = 0; }

  PackContents Add(const PackContents& old, const std::vector<EntryServer::NewEntry>& added) {
    return Add(old, added, limits_);
  }
  PackContents Add(const PackContents& old, const std::vector<EntryServer::NewEntry>& added,
                   PackLimits limits) {
    return Merge(seal_, kSignature, old, added, used_, limits).value();
  }

  const Seal seal_{GetParam()};
  PackLimits limits_;
  absl::flat_hash_set<ModulePart> used_;
};

INSTANTIATE_TEST_SUITE_P(Keys, SharedPacksTest, ::testing::Values("", "the key"));

TEST_P(SharedPacksTest, NamesArePartOfTheDocumentedLayout) {
  EXPECT_EQ(PackPath("abc"),
            "cas/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // echo -n 'firstcall cache 1
  // signature' | sha256sum
  EXPECT_EQ(ListPath("signature"),
            "ac/648ec5a9ff42a27f6a50d9230c3d7e92a32bd8af00f44d5636f550dd399fc5f8");
}

TEST_P(SharedPacksTest, WithoutAStartObjectAllIsInOnePack) {
  const PackContents packs = Add({}, {New(seal_, Function(2), "two"), New(seal_, kIndex, "index"),
                                      New(seal_, Function(1), "")});
  EXPECT_THAT(packs.list.packs, SizeIs(1));
  EXPECT_EQ(packs.rest, std::nullopt);
  EXPECT_THAT(Read(seal_, packs, "", 0), ElementsAre(Pair("index", "index"), Pair("function 1", ""),
                                                     Pair("function 2", "two")));
}

TEST_P(SharedPacksTest, FunctionsOfAStartObjectAreInTheSecondPack) {
  const PackContents packs = Add({}, {New(seal_, Function(1), "one"), New(seal_, kStart, "start"),
                                      New(seal_, OptimizedBody(1), "optimized")});
  ASSERT_TRUE(packs.rest.has_value());
  EXPECT_EQ(packs.list.packs[1].path, PackPath(*packs.rest));
  EXPECT_THAT(Read(seal_, packs, *packs.rest, 0),
              ElementsAre(Pair("optimized body 1", "optimized"), Pair("start", "start")));
  EXPECT_THAT(Read(seal_, packs, *packs.rest, 1), ElementsAre(Pair("function 1", "one")));
}

TEST_P(SharedPacksTest, FewFunctionsAreInTheStartPack) {
  const std::vector<EntryServer::NewEntry> added = {New(seal_, Function(1), "one"),
                                                    New(seal_, kStart, "start")};
  PackLimits limits;
  limits.most_few_bytes = added[0].sealed.size();
  EXPECT_EQ(Add({}, added, limits).rest, std::nullopt);
  --limits.most_few_bytes;
  EXPECT_NE(Add({}, added, limits).rest, std::nullopt);
}

TEST_P(SharedPacksTest, FunctionsThatStartsHaveAskedForMoveToTheStartPackForGood) {
  PackContents packs = Add({}, {New(seal_, Function(1), "one"), New(seal_, Function(2), "two"),
                                New(seal_, kStart, "start")});
  const std::string rest = *std::exchange(packs.rest, std::nullopt);
  EntryServer::NewEntry learned = New(seal_, Function(1), "one");
  learned.is_for_start = true;
  packs = Add(packs, {learned});
  EXPECT_EQ(packs.rest, std::nullopt);
  packs = Add(packs, {New(seal_, Function(1), "other"), New(seal_, kIndex, "index")});
  EXPECT_THAT(
      Read(seal_, packs, rest, 0),
      ElementsAre(Pair("index", "index"), Pair("function 1", "other"), Pair("start", "start")));
  EXPECT_THAT(Read(seal_, packs, rest, 1), ElementsAre(Pair("function 2", "two")));
}

TEST_P(SharedPacksTest, SecondPackIsNotNeededToReplaceTheFirst) {
  PackContents first = Add({}, {New(seal_, Function(1), "one"), New(seal_, kStart, "start")});
  const std::string rest = *std::exchange(first.rest, std::nullopt);
  const PackContents second = Add(first, {New(seal_, kStart, "another")});
  EXPECT_EQ(second.rest, std::nullopt);
  EXPECT_EQ(second.list.packs[1].path, first.list.packs[1].path);
  EXPECT_THAT(Read(seal_, second, rest, 0), ElementsAre(Pair("start", "another")));
  EXPECT_THAT(Read(seal_, second, rest, 1), ElementsAre(Pair("function 1", "one")));
}

TEST_P(SharedPacksTest, SecondPackIsNeededToAddToIt) {
  PackContents first = Add({}, {New(seal_, Function(1), "one"), New(seal_, kStart, "start")});
  const std::string rest = *std::exchange(first.rest, std::nullopt);
  const std::vector<EntryServer::NewEntry> added = {New(seal_, Function(2), "two")};
  EXPECT_THAT(Merge(seal_, kSignature, first, added, used_, limits_),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  first.rest = rest;
  const PackContents second = Add(first, added);
  ASSERT_TRUE(second.rest.has_value());
  EXPECT_THAT(Read(seal_, second, *second.rest, 1),
              ElementsAre(Pair("function 1", "one"), Pair("function 2", "two")));
}

TEST_P(SharedPacksTest, WhatWouldMakeAStartLongIsInTheSecondPack) {
  PackLimits limits = limits_;
  limits.most_start_bytes = 900;
  std::vector<EntryServer::NewEntry> added = {New(seal_, kIndex, std::string(300, 'i'))};
  for (uint32_t i = 0; i < 10; ++i) {
    added.push_back(New(seal_, OptimizedBody(i), std::string(200, 'o')));
  }
  const PackContents packs = Add({}, added, limits);
  EXPECT_LE(packs.start.size(), 900u);
  EXPECT_THAT(Read(seal_, packs, *packs.rest, 0),
              ElementsAre(Pair("index", std::string(300, 'i'))));
  EXPECT_THAT(Read(seal_, packs, *packs.rest, 1), SizeIs(10));
}

TEST_P(SharedPacksTest, WhatNoPackHasRoomForIsLeftOut) {
  PackLimits limits = limits_;
  limits.most_start_bytes = 200;
  limits.most_pack_bytes = 300;
  std::vector<EntryServer::NewEntry> added;
  for (uint32_t i = 0; i < 3; ++i) added.push_back(New(seal_, Function(i), std::string(200, 'f')));
  const PackContents packs = Add({}, added, limits);
  EXPECT_LE(packs.rest->size(), 300u);
  EXPECT_THAT(Read(seal_, packs, *packs.rest, 1), SizeIs(1));
}

TEST_P(SharedPacksTest, OptimizedBodiesThatNobodyUsesAreDropped) {
  PackLimits limits = limits_;
  limits.most_unused_writes = 3;
  used_ = {OptimizedBody(1), OptimizedBody(2)};
  PackContents packs =
      Add({}, {New(seal_, OptimizedBody(1), "1"), New(seal_, OptimizedBody(2), "2")});
  used_ = {OptimizedBody(2)};
  for (int i = 0; i < 2; ++i) packs = Add(packs, {New(seal_, kIndex, "index")}, limits);
  EXPECT_THAT(packs.table.entries, SizeIs(3));
  packs = Add(packs, {New(seal_, kIndex, "index")}, limits);
  EXPECT_THAT(Read(seal_, packs, "", 0),
              ElementsAre(Pair("index", "index"), Pair("optimized body 2", "2")));
}

TEST_P(SharedPacksTest, DamagedListsAndTablesAreRefused) {
  const PackContents packs = Add({}, {New(seal_, Function(1), "one"), New(seal_, kStart, "start")});
  const std::string list = packs.list.Encode(seal_, kSignature);
  for (size_t at = 0; at < list.size(); ++at) {
    std::string bad = list;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_THAT(PackList::Decode(seal_, kSignature, bad), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_THAT(PackList::Decode(seal_, kSignature, list.substr(0, at)),
                StatusIs(absl::StatusCode::kDataLoss));
  }
  EXPECT_THAT(PackList::Decode(seal_, "other", list), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(PackList::Decode(seal_, kSignature, list + "\n"),
              StatusIs(absl::StatusCode::kDataLoss));
  const size_t table_size = packs.start.size() - packs.table.entries.back().size;
  for (size_t at = 0; at < table_size; ++at) {
    std::string bad = packs.start;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_THAT(PackTable::Decode(seal_, kSignature, packs.list, bad),
                StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_THAT(PackTable::Decode(seal_, kSignature, packs.list, packs.start.substr(0, at)),
                StatusIs(absl::StatusCode::kDataLoss));
  }
  EXPECT_THAT(PackTable::Decode(seal_, "other", packs.list, packs.start),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_P(SharedPacksTest, TableThatNamesBytesBeyondItsPacksIsRefused) {
  PackContents packs = Add({}, {New(seal_, Function(1), "one"), New(seal_, kStart, "start")});
  --packs.list.packs[1].size;
  EXPECT_THAT(PackTable::Decode(seal_, kSignature, packs.list, packs.start),
              StatusIs(absl::StatusCode::kDataLoss));
  packs.list.packs.pop_back();
  EXPECT_THAT(PackTable::Decode(seal_, kSignature, packs.list, packs.start),
              StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace firstcall
