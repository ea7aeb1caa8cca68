// A pack that is written and read; damage is disk_cache_test's.

#include "cache/pack.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "cache/pack_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ModulePart kIndex{ModulePart::Kind::kIndex, SymbolOrdinal()};

ModulePart Function(uint32_t ordinal) {
  return {ModulePart::Kind::kFunction, SymbolOrdinal{ordinal}};
}

class PackTest : public ::testing::Test {
 protected:
  PackTest() : path_(::testing::TempDir() + "/test.pack") {
    unlink(path_.c_str());
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  }
  ~PackTest() override { close(file_); }

  std::string Read(const Pack& pack, ModulePart part) {
    const Pack::Entry* entry = pack.Find(part);
    if (entry == nullptr) return "(none)";
    ObjectCache::Bytes bytes = pack.Read(*entry).value();
    return std::string(bytes.begin(), bytes.end());
  }

  const std::string path_;
  int file_ = -1;
};

TEST_F(PackTest, IsFoundByPartAndLiesInOrder) {
  PackWriter writer(file_, "label", "signature", /*most_entries=*/10);
  const std::string large(1 << 20, 'x');
  ASSERT_THAT(writer.Take(Function(9), "nine"), IsOk());
  ASSERT_THAT(writer.Add(Function(2), large), IsOk());
  ASSERT_THAT(writer.Add(kIndex, ""), IsOk());
  ASSERT_THAT(writer.Finish(), IsOk());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Pack> pack, Pack::Open(AT_FDCWD, path_));
  EXPECT_EQ(pack->label(), "label");
  EXPECT_EQ(pack->signature(), "signature");
  EXPECT_EQ(Read(*pack, Function(9)), "nine");
  EXPECT_EQ(Read(*pack, Function(2)), large);
  EXPECT_EQ(Read(*pack, kIndex), "");
  EXPECT_EQ(Read(*pack, Function(3)), "(none)");
  std::vector<std::string> order;
  for (const Pack::Entry& entry : pack->EntriesInOrder()) order.push_back(entry.part.ToString());
  EXPECT_THAT(order, ElementsAre("function 9", "function 2", "index"));
}

TEST_F(PackTest, KnowsLoopsAndAges) {
  const auto continuation = [](uint32_t loop) {
    return ModulePart{ModulePart::Kind::kContinuation, SymbolOrdinal{4}, loop};
  };
  PackWriter writer(file_, "label", "signature", /*most_entries=*/3);
  ASSERT_THAT(writer.Add(continuation(2), "two", /*age=*/7), IsOk());
  ASSERT_THAT(writer.Add(continuation(1), "one"), IsOk());
  ASSERT_THAT(writer.Add({ModulePart::Kind::kOptimizedBody, SymbolOrdinal{4}}, "all"), IsOk());
  ASSERT_THAT(writer.Finish(), IsOk());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Pack> pack, Pack::Open(AT_FDCWD, path_));
  EXPECT_EQ(Read(*pack, continuation(1)), "one");
  EXPECT_EQ(Read(*pack, continuation(2)), "two");
  EXPECT_EQ(Read(*pack, continuation(3)), "(none)");
  EXPECT_EQ(pack->Find(continuation(1))->age, 0u);
  EXPECT_EQ(pack->Find(continuation(2))->age, 7u);
  std::vector<std::string> order;
  for (const Pack::Entry& entry : pack->EntriesInOrder()) order.push_back(entry.part.ToString());
  EXPECT_THAT(order, ElementsAre("continuation 4 at loop 2", "continuation 4 at loop 1",
                                 "optimized body 4"));
}

// Where the system notes no access.
TEST_F(PackTest, UseIsNotedOnceADay) {
  const std::string directory = ::testing::TempDir() + "/noatime";
  mkdir(directory.c_str(), 0700);
  const bool is_mounted = unshare(CLONE_NEWNS) == 0 &&
                          mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                          mount("none", directory.c_str(), "tmpfs", MS_NOATIME, nullptr) == 0;
  if (!is_mounted) GTEST_SKIP() << "no file system can be mounted";
  const std::string path = directory + "/test.pack";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  PackWriter writer(file, "label", "signature", /*most_entries=*/1);
  ASSERT_THAT(writer.Add(kIndex, "index"), IsOk());
  ASSERT_THAT(writer.Finish(), IsOk());
  const auto last_use_after_opening = [&](time_t before) {
    const struct timespec times[2] = {{before, 0}, {1000000000, 0}};
    EXPECT_EQ(futimens(file, times), 0);
    EXPECT_THAT(Pack::Open(AT_FDCWD, path), IsOk());
    struct stat status = {};
    EXPECT_EQ(fstat(file, &status), 0);
    EXPECT_EQ(status.st_mtime, 1000000000);
    return status.st_atime;
  };
  const time_t now = time(nullptr);
  EXPECT_GE(last_use_after_opening(now - 25 * 3600), now);
  EXPECT_EQ(last_use_after_opening(now - 23 * 3600), now - 23 * 3600);
  close(file);
  umount2(directory.c_str(), MNT_DETACH);
}

TEST_F(PackTest, IsNoneBeforeItIsFinished) {
  PackWriter writer(file_, "label", "signature", /*most_entries=*/1);
  ASSERT_THAT(writer.Take(Function(1), std::string(1 << 20, 'x')), IsOk());
  EXPECT_THAT(Pack::Open(AT_FDCWD, path_), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(PackTest, FailureToWriteHasTheSystemsReason) {
  const int read_only = open("/dev/null", O_RDONLY | O_CLOEXEC);
  PackWriter writer(read_only, "label", "signature", /*most_entries=*/1);
  EXPECT_THAT(writer.Take(Function(1), std::string(1 << 20, 'x')),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Bad file descriptor")));
  close(read_only);
}

TEST_F(PackTest, FilesThatAreNoneAreToldApart) {
  EXPECT_THAT(Pack::Open(AT_FDCWD, "/no/such"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Pack::Open(AT_FDCWD, "/dev/null"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not a file")));
}

}  // namespace
}  // namespace firstcall
