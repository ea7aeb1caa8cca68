#include "services/server/client_modules.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/content_digest.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

std::string SignatureOf(absl::string_view contents, absl::string_view more = "") {
  return absl::StrCat("firstcall=6 source=", absl::BytesToHexString(ContentDigest(contents)),
                      " triple='' ", more);
}

TEST(ClientModulesTest, OnlyModulesThatTheClientHasMayBePublished) {
  ClientModules modules;
  EXPECT_FALSE(modules.Has(SignatureOf("a")));
  EXPECT_FALSE(modules.Publish(SignatureOf("a")));
  modules.Add(ContentDigest("a"));
  EXPECT_TRUE(modules.Has(SignatureOf("a")));
  EXPECT_TRUE(modules.Publish(SignatureOf("a")));
  EXPECT_FALSE(modules.Has(SignatureOf("b")));
  EXPECT_FALSE(modules.Publish(SignatureOf("b")));
  EXPECT_FALSE(modules.Publish("no signature"));
}

TEST(ClientModulesTest, AModuleIsPublishedAsOftenAsItChanges) {
  ClientModules modules;
  modules.Add(ContentDigest("a"));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(modules.Publish(SignatureOf("a")));
  modules.Add(ContentDigest("a"));
  EXPECT_TRUE(modules.Publish(SignatureOf("a")));
}

// Others would drop what the server knows of other modules.
TEST(ClientModulesTest, AModuleIsPublishedUnderFewSignatures) {
  ClientModules modules;
  modules.Add(ContentDigest("a"));
  EXPECT_TRUE(modules.Publish(SignatureOf("a")));
  EXPECT_TRUE(modules.Publish(SignatureOf("a", "far")));
  EXPECT_FALSE(modules.Publish(SignatureOf("a", "made up")));
  EXPECT_TRUE(modules.Publish(SignatureOf("a")));
}

}  // namespace
}  // namespace firstcall
