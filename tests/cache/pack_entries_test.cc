// How often the server is asked, and what errors do to other modules, with a server that is a map.
// What comes over real connections is in tests/cache/shared_cache_test.cc.

#include "cache/pack_entries.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "cache/shared_cache.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/stored_objects.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The files of a server, with what it was asked for and what is wrong with it.
struct Files {
  bool sends_start = false;  // With the list.
  std::map<std::string, std::string> lists;
  std::map<std::string, std::string> packs;
  std::map<std::string, absl::Status> errors;  // For lists, by signature.
  std::vector<std::string> asked;              // One for each call.
};

class MapServer final : public PackServer {
 public:
  explicit MapServer(Files& files) : files_(files) {}

  std::string ToString() const override { return "map"; }

  std::vector<absl::StatusOr<std::optional<Found>>> FetchLists(
      absl::Span<const std::string> signatures, absl::Duration /*timeout*/) override {
    files_.asked.push_back(absl::StrCat("lists ", absl::StrJoin(signatures, " ")));
    std::vector<absl::StatusOr<std::optional<Found>>> lists;
    for (const std::string& signature : signatures) {
      if (const absl::Status& error = files_.errors[signature]; !error.ok()) {
        lists.emplace_back(error);
      } else if (files_.lists.count(signature) == 0) {
        lists.emplace_back(std::nullopt);
      } else {
        Found found = {files_.lists[signature], "version", std::nullopt};
        if (files_.sends_start) found.start = files_.packs[signature];
        lists.emplace_back(std::move(found));
      }
    }
    return lists;
  }

  std::vector<absl::StatusOr<std::optional<std::string>>> FetchPacks(
      absl::Span<const Listed> packs, absl::Duration /*timeout*/) override {
    std::string call = "packs";
    std::vector<absl::StatusOr<std::optional<std::string>>> all;
    for (const Listed& listed : packs) {
      absl::StrAppend(&call, " ", listed.signature);
      const auto found = files_.packs.find(listed.signature);
      if (found == files_.packs.end()) {
        all.emplace_back(std::nullopt);
      } else {
        all.emplace_back(found->second);
      }
    }
    files_.asked.push_back(call);
    return all;
  }

  absl::StatusOr<std::optional<std::string>> FetchRange(const Listed& /*listed*/,
                                                        uint64_t /*offset*/, uint64_t /*size*/,
                                                        absl::Duration /*timeout*/) override {
    return absl::UnavailableError("there are no second packs here");
  }

  absl::Status Replace(absl::string_view signature, Replacement replacement,
                       absl::Duration /*timeout*/) override {
    files_.lists[std::string(signature)] = replacement.list;
    files_.packs[std::string(signature)] = replacement.start.bytes;
    return absl::OkStatus();
  }

 private:
  Files& files_;
};

class PackEntriesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::unique_ptr<SharedCache> cache = Connect();
    for (const std::string& signature : signatures_) {
      Store(*cache, Function(1), absl::StrCat("object of ", signature), signature);
    }
    cache = nullptr;
    files_.asked.clear();
  }

  std::unique_ptr<SharedCache> Connect(std::shared_ptr<ObjectCache> front = nullptr) {
    SharedCacheOptions options;
    options.budget = absl::Hours(1);
    options.front = std::move(front);
    options.warn = [this](absl::string_view message) { warnings_.emplace_back(message); };
    return std::make_unique<SharedCache>(
        options, std::make_unique<PackEntries>(std::make_unique<MapServer>(files_), "", 1 << 20));
  }

  // Of all signatures.
  std::vector<std::string> FindAll(SharedCache& cache) const {
    std::vector<std::string> found;
    for (const std::string& signature : signatures_) {
      found.push_back(Find(cache, Function(1), signature));
    }
    return found;
  }

  const std::vector<std::string> signatures_ = {"a", "b", "c", "d"};
  Files files_;
  std::vector<std::string> warnings_;
};

TEST_F(PackEntriesTest, ExpectedModulesAreTwoCalls) {
  std::unique_ptr<SharedCache> cache = Connect();
  Expect(*cache, signatures_);
  EXPECT_THAT(FindAll(*cache),
              ElementsAre("object of a", "object of b", "object of c", "object of d"));
  // What nobody expected is asked for alone; what is known, not again.
  Expect(*cache, {"a", "e"});
  EXPECT_EQ(Find(*cache, Function(1), "f"), "(none)");
  EXPECT_THAT(files_.asked, ElementsAre("lists a b c d", "packs a b c d", "lists e", "lists f"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(PackEntriesTest, PacksThatComeWithTheListsAreNotAskedFor) {
  files_.sends_start = true;
  std::unique_ptr<SharedCache> cache = Connect();
  Expect(*cache, signatures_);
  EXPECT_THAT(FindAll(*cache),
              ElementsAre("object of a", "object of b", "object of c", "object of d"));
  EXPECT_THAT(files_.asked, ElementsAre("lists a b c d"));
}

TEST_F(PackEntriesTest, WhatIsMissingOrDamagedIsAMissOfThatModuleOnly) {
  for (const bool sends_start : {false, true}) {
    files_.sends_start = sends_start;
    const Files sound = files_;
    files_.lists.erase("a");
    files_.packs["b"].back() ^= 1;  // In the entry.
    files_.packs["c"][20] ^= 1;     // In the table.
    std::unique_ptr<SharedCache> cache = Connect();
    Expect(*cache, signatures_);
    EXPECT_THAT(FindAll(*cache), ElementsAre("(none)", "(none)", "(none)", "object of d"));
    EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is damaged")));
    warnings_.clear();
    files_ = sound;
    files_.lists["a"].front() ^= 1;
    files_.packs["b"].pop_back();
    if (!sends_start) files_.packs.erase("c");
    cache = Connect();
    Expect(*cache, signatures_);
    EXPECT_THAT(
        FindAll(*cache),
        ElementsAre("(none)", "(none)", sends_start ? "object of c" : "(none)", "object of d"));
    EXPECT_THAT(warnings_, SizeIs(1));
    warnings_.clear();
    files_ = sound;
  }
}

TEST_F(PackEntriesTest, WhatCameBeforeTheServerFailedIsUsed) {
  files_.errors["b"] = absl::DataLossError("damaged");
  files_.errors["c"] = absl::UnavailableError("gone");
  std::unique_ptr<SharedCache> cache = Connect();
  Expect(*cache, signatures_);
  EXPECT_THAT(FindAll(*cache), ElementsAre("object of a", "(none)", "(none)", "object of d"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is not used: gone")));
  files_.asked.clear();
  EXPECT_EQ(Find(*cache, Function(1), "e"), "(none)");
  EXPECT_THAT(files_.asked, IsEmpty());
}

TEST_F(PackEntriesTest, ServerIsNotAskedForWhatTheFrontHas) {
  std::shared_ptr<SharedCache> front = Connect();
  Expect(*front, {"b", "d"});
  files_.asked.clear();
  std::unique_ptr<SharedCache> cache = Connect(front);
  Expect(*cache, signatures_);
  EXPECT_THAT(files_.asked, ElementsAre("lists a c", "packs a c"));
  Expect(*cache, {"b"});
  EXPECT_THAT(files_.asked, SizeIs(2));
}

}  // namespace
}  // namespace firstcall
