#include "services/server/object_pack.h"

#include <fcntl.h>
#include <unistd.h>

#include <random>

#include "absl/strings/escaping.h"
#include "base/content_digest.h"
#include "gtest/gtest.h"
#include "services/server/sealed_bytes.h"

namespace firstcall {
namespace {

using Kind = ModulePart::Kind;

std::map<ModulePart, absl::string_view> SomeEntries() {
  return {{{Kind::kIndex, SymbolOrdinal{0}}, "index"},
          {{Kind::kFunction, SymbolOrdinal{7}}, "function"},
          {{Kind::kContinuation, SymbolOrdinal{7}, 2}, ""}};
}

TEST(ObjectPackTest, HasItsEntries) {
  const auto pack = ObjectPack::Read(*SealBytes(ObjectPack::Encode(SomeEntries())));
  ASSERT_TRUE(pack.ok()) << pack.status();
  EXPECT_EQ(*pack->Find({Kind::kIndex, SymbolOrdinal{0}}), "index");
  EXPECT_EQ(*pack->Find({Kind::kFunction, SymbolOrdinal{7}}), "function");
  EXPECT_EQ(*pack->Find({Kind::kContinuation, SymbolOrdinal{7}, 2}), "");
  EXPECT_FALSE(pack->Find({Kind::kContinuation, SymbolOrdinal{7}, 1}).has_value());
}

// The program's files have the numbers that they would have, and it may close all.
TEST(ObjectPackTest, KeepsNoFileOpen) {
  const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(lowest);
  const auto pack = ObjectPack::Read(*SealBytes(ObjectPack::Encode(SomeEntries())));
  ASSERT_TRUE(pack.ok()) << pack.status();
  const int own = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(own, lowest);
  close(own);
  for (const auto& [part, bytes] : SomeEntries()) {
    EXPECT_EQ(absl::string_view(pack->Find(part).value()), bytes);
  }
}

TEST(ObjectPackTest, DamagedBytesAreRefusedOrRead) {
  std::mt19937 random(1);
  const std::string valid = ObjectPack::Encode(SomeEntries());
  for (int i = 0; i < 5000; ++i) {
    std::string bytes = valid;
    for (int change = 0; change < 2; ++change) bytes[random() % bytes.size()] ^= random() % 256;
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    const auto pack = ObjectPack::Read(*SealBytes(bytes));
    if (!pack.ok()) continue;
    size_t size = 0;
    for (const auto& [part, place] : pack->entries()) {
      const auto entry = pack->Find(part);
      ASSERT_TRUE(entry.has_value());
      size += entry->size();
    }
    EXPECT_LE(size, bytes.size());
  }
}

TEST(ObjectPackTest, AKeyIsOfSettingsAndSignature) {
  EXPECT_EQ(PackKey("a", "b").size(), 32u);
  EXPECT_EQ(PackKey("a", "b"), PackKey("a", "b"));
  EXPECT_NE(PackKey("a", "b"), PackKey("ab", ""));
}

TEST(ObjectPackTest, ASignatureHasTheDigestOfItsSource) {
  const std::string digest = ContentDigest("contents");
  const std::string hex = absl::BytesToHexString(digest);
  EXPECT_EQ(SourceDigestOf("firstcall=8 source=" + hex + " triple="), digest);
  // What comes later is the client's own.
  EXPECT_EQ(SourceDigestOf("firstcall=8 source=" + hex + " 'key'=' source=00 '"), digest);
  const std::string other = " source=" + absl::BytesToHexString(ContentDigest("other")) + " ";
  for (const std::string& wrong :
       {std::string(), std::string(" source="), " source=" + hex, "source=" + hex + " ",
        " source=00" + other, " source=" + hex + "0 ", " source=" + std::string(64, 'x') + " "}) {
    EXPECT_EQ(SourceDigestOf(wrong), "") << wrong;
  }
}

}  // namespace
}  // namespace firstcall
