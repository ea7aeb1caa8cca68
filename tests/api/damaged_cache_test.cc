// Starts from a cache of which some byte is damaged: each gives the result of a sound cache, and
// nothing else than what was stored is ever read from a pack.
//
//   damaged_cache_test [--starts=N] [--flips=N] [--pack=FILE]
//
// As many starts have one damaged byte each; 0 damages every byte in turn. As many bytes are
// changed, one after the other, while a pack's entries are read; FILE is another pack than that of
// the starts, and is left as it was.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cache/disk_cache.h"
#include "cache/pack.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

// Some hundred by default, so that the test is quick.
size_t starts = 300;
size_t flips = 2000;
std::string other_pack;

constexpr int kFunctions = 10;
constexpr int64_t kArgument = 5;

// f0 calls f1, and so on, under a condition, so that each has an object of its own. The last one
// has a loop that gets hot, in which `work` is called.
std::string Program() {
  std::string text = R"(
    @base = internal global i64 1000
    define internal i64 @work(i64 %x) noinline { %r = mul i64 %x, 3 ret i64 %r })";
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "\ndefine i64 @f", i, "(i64 %x) noinline {\n  %c = icmp eq i64 %x, 77\n",
                    "  br i1 %c, label %end, label %call\ncall:\n  %z = call i64 @",
                    i + 1 < kFunctions ? absl::StrCat("f", i + 1) : "loop",
                    "(i64 %x)\n  br label %end\nend:\n  %y = phi i64 [ 7, %0 ], [ %z, %call ]\n",
                    "  %r = add i64 %y, ", i, "\n  ret i64 %r\n}");
  }
  return text + R"(
    define i64 @loop(i64 %x) noinline {
      %b = load i64, ptr @base
      br label %loop
    loop:
      %i = phi i64 [ 0, %0 ], [ %next, %loop ]
      %sum = phi i64 [ %b, %0 ], [ %more, %loop ]
      %w = call i64 @work(i64 %i)
      %more = add i64 %sum, %w
      %next = add i64 %i, %x
      %on = icmp ult i64 %next, 5000
      br i1 %on, label %loop, label %end
    end:
      ret i64 %sum
    })";
}

int64_t Result() {
  int64_t result = 1000 + kFunctions * (kFunctions - 1) / 2;
  for (int64_t i = 0; i + kArgument < 5000; i += kArgument) result += 3 * i;
  return result;
}

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class DamagedCacheTest : public ::testing::Test {
 protected:
  DamagedCacheTest()
      : directory_(absl::StrCat(::testing::TempDir(), "/",
                                ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
  }

  struct Start {
    int64_t result;
    size_t compiled;
    std::vector<std::string> warnings;
  };

  Start Run() {
    Start start = {};
    DiskCache::Options cache;
    cache.warn = [&](absl::string_view message) { start.warnings.emplace_back(message); };
    EngineOptions options;
    options.promotion.threads = 0;
    options.promotion.threshold = 100;
    options.object_cache = DiskCache::Open(directory_, std::move(cache)).value();
    std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
    EXPECT_THAT(engine->AddBitcode(bitcode_, "program").status(), IsOk());
    start.result = engine->Lookup<int64_t(int64_t)>("f0").value()(kArgument);
    start.compiled = engine->stats().functions_compiled;
    engine = nullptr;
    return start;
  }

  // Fills the cache; afterwards a start compiles nothing.
  void Fill() {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Run().result, Result());
    const Start start = Run();
    EXPECT_EQ(start.compiled, 0u);
    EXPECT_THAT(start.warnings, IsEmpty());
  }

  std::vector<std::string> Packs() const {
    std::vector<std::string> packs;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      if (entry.path().extension() == ".pack") packs.push_back(entry.path().string());
    }
    std::sort(packs.begin(), packs.end());
    return packs;
  }

  const std::string directory_;
  const std::string bitcode_ = ParseToBitcode(Program());
};

TEST_F(DamagedCacheTest, StartsWithADamagedByteGiveTheSameResult) {
  Fill();
  std::vector<std::pair<std::string, std::string>> packs;
  size_t size = 0;
  for (const std::string& path : Packs()) {
    packs.emplace_back(path, Read(path));
    size += packs.back().second.size();
  }
  EXPECT_EQ(packs.size(), 2u) << "the module's, and what finds its later versions";
  const size_t step = starts == 0 ? 1 : std::max<size_t>(size / starts, 1);
  std::minstd_rand random(static_cast<unsigned>(step));
  size_t damaged = 0;
  for (const auto& [path, good] : packs) {
    for (size_t at = random() % step; at < good.size(); at += step) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 + random() % 255));
      for (const auto& [other, bytes] : packs) Write(other, other == path ? bad : bytes);
      const Start start = Run();
      ASSERT_EQ(start.result, Result()) << path << " at " << at;
      EXPECT_LE(start.warnings.size(), 1u) << path << " at " << at;
      if (start.compiled != 0) {
        EXPECT_THAT(start.warnings, Not(IsEmpty())) << path << " at " << at;
      }
      damaged += !start.warnings.empty();
    }
  }
  EXPECT_GT(damaged, 0u);
  std::printf("%zu bytes, every %zu. of them damaged: %zu starts with a warning\n", size, step,
              damaged);
}

// What a pack has, by part; parts that cannot be read are left out.
std::vector<std::pair<ModulePart, std::string>> EntriesOf(const std::string& path,
                                                          std::string& signature) {
  std::vector<std::pair<ModulePart, std::string>> entries;
  const absl::StatusOr<std::unique_ptr<Pack>> pack = Pack::Open(AT_FDCWD, path);
  if (!pack.ok()) return entries;
  signature = std::string((*pack)->signature());
  for (const Pack::Entry& entry : (*pack)->entries()) {
    absl::StatusOr<ObjectCache::Bytes> bytes = (*pack)->Read(entry);
    if (bytes.ok()) entries.emplace_back(entry.part, std::string(*bytes));
  }
  return entries;
}

TEST_F(DamagedCacheTest, NothingElseThanWhatWasStoredIsReadFromAPack) {
  if (other_pack.empty()) {
    Fill();
  } else {
    std::filesystem::create_directories(directory_);
    std::filesystem::copy(other_pack, directory_ + "/copy.pack");
  }
  const std::vector<std::string> packs = Packs();
  const std::string path =
      *std::max_element(packs.begin(), packs.end(), [](const auto& a, const auto& b) {
        return std::filesystem::file_size(a) < std::filesystem::file_size(b);
      });
  std::string signature;
  const auto good = EntriesOf(path, signature);
  ASSERT_FALSE(good.empty());
  const std::string good_signature = signature;
  const std::string bytes = Read(path);
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  std::minstd_rand random(1);
  size_t misses = 0;
  for (size_t i = 0; i < flips; ++i) {
    const size_t at = (uint64_t{random()} << 31 | random()) % bytes.size();
    const char bad = static_cast<char>(bytes[at] ^ (1 + random() % 255));
    ASSERT_EQ(pwrite(file, &bad, 1, static_cast<off_t>(at)), 1);
    signature = good_signature;
    const auto read = EntriesOf(path, signature);
    EXPECT_EQ(signature, good_signature) << at;
    EXPECT_TRUE(std::includes(good.begin(), good.end(), read.begin(), read.end())) << at;
    misses += read.size() < good.size();
    ASSERT_EQ(pwrite(file, &bytes[at], 1, static_cast<off_t>(at)), 1);
  }
  close(file);
  EXPECT_GT(misses, 0u);
  EXPECT_EQ(EntriesOf(path, signature), good);
  std::printf("%zu bytes, %zu of them changed: %zu misses\n", bytes.size(), flips, misses);
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--pack=")) {
      firstcall::other_pack = std::string(argument);
      continue;
    }
    if (absl::ConsumePrefix(&argument, "--starts=") &&
        absl::SimpleAtoi(argument, &firstcall::starts)) {
      continue;
    }
    if (absl::ConsumePrefix(&argument, "--flips=") &&
        absl::SimpleAtoi(argument, &firstcall::flips)) {
      continue;
    }
    std::fprintf(stderr, "unknown argument '%s'\n", argv[i]);
    return 2;
  }
  return RUN_ALL_TESTS();
}
