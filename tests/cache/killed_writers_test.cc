// Writers of a cache are killed at random instants while others read and write: nobody ever finds
// anything but what was stored, and there is never a pack that cannot be read.
//
//   killed_writers_test [--kills=N]    60 by default; a long run is a matter of minutes

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/disk_cache.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

int kills = 60;

constexpr int kReaders = 2;
constexpr uint32_t kParts = 64;
constexpr absl::string_view kSignatures[] = {"one", "two"};

ObjectKey KeyOf(absl::string_view signature, uint32_t i) {
  return {"module", signature, {ModulePart::Kind::kFunction, SymbolOrdinal{i}}};
}

// What everybody stores under a key, 1 to 60,000 bytes.
std::string ObjectOf(absl::string_view signature, uint32_t i) {
  std::minstd_rand random(i * 7 + static_cast<uint32_t>(signature.size()) + signature[0]);
  std::string object = absl::StrCat(signature, " ", i, " ");
  object.resize(1 + random() % 60000);
  for (char& byte : object) byte = static_cast<char>(random());
  return object;
}

DiskCache::Options FailOnWarning() {
  DiskCache::Options options;
  options.warn = [](absl::string_view message) {
    // A writer may find the lock taken for long on a loaded machine; nothing else may happen.
    if (absl::StrContains(message, "its lock")) return;
    std::fprintf(stderr, "warning: %s\n", std::string(message).c_str());
    _exit(1);
  };
  return options;
}

void WriteThree(DiskCache& cache, std::minstd_rand& random) {
  for (int n = 0; n < 3; ++n) {
    const absl::string_view signature = kSignatures[random() % 2];
    const uint32_t i = static_cast<uint32_t>(random()) % kParts;
    cache.Store(KeyOf(signature, i), ObjectOf(signature, i));
  }
  cache.Flush();
}

[[noreturn]] void Write(const std::string& directory, unsigned seed) {
  std::minstd_rand random(seed);
  auto cache = DiskCache::Open(directory, FailOnWarning()).value();
  while (true) WriteThree(*cache, random);
}

// How long a writer takes to open the cache and to write once, on this machine as loaded as it is.
absl::Duration TimeToWrite(const std::string& directory) {
  std::minstd_rand random(1);
  const absl::Time start = absl::Now();
  auto cache = DiskCache::Open(directory, FailOnWarning()).value();
  WriteThree(*cache, random);
  return absl::Now() - start;
}

// Exits with 1 if something is found that was not stored, with 2 if nothing ever is.
[[noreturn]] void Read(const std::string& directory, const volatile sig_atomic_t& stop) {
  size_t found = 0;
  while (!stop) {
    auto cache = DiskCache::Open(directory, FailOnWarning()).value();
    for (absl::string_view signature : kSignatures) {
      for (uint32_t i = 0; i < kParts; ++i) {
        std::optional<ObjectCache::Bytes> bytes = cache->Find(KeyOf(signature, i));
        if (!bytes) continue;
        ++found;
        if (std::string(bytes->begin(), bytes->end()) != ObjectOf(signature, i)) _exit(1);
      }
    }
  }
  _exit(found == 0 ? 2 : 0);
}

volatile sig_atomic_t stop_reading = 0;

pid_t Start(void (*work)(const std::string&, unsigned), const std::string& directory,
            unsigned seed) {
  const pid_t child = fork();
  if (child == 0) work(directory, seed);
  return child;
}

TEST(KilledWritersTest, LeaveNothingThatAReaderCanTripOver) {
  const std::string directory = absl::StrCat(::testing::TempDir(), "/killed_writers");
  std::filesystem::remove_all(directory);
  std::filesystem::remove_all(directory + "_elsewhere");
  // So that a writer is killed before, during and after its first writing, and during later ones.
  const int64_t longest_life = absl::ToInt64Microseconds(
      std::max(absl::Milliseconds(12), 4 * TimeToWrite(directory + "_elsewhere")));
  signal(SIGTERM, [](int) { stop_reading = 1; });
  std::vector<pid_t> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.push_back(
        Start([](const std::string& where, unsigned) { Read(where, stop_reading); }, directory, 0));
  }
  std::minstd_rand random(42);
  for (int i = 0; i < kills; i += 2) {
    const pid_t writers[] = {Start(Write, directory, static_cast<unsigned>(i)),
                             Start(Write, directory, static_cast<unsigned>(i) + 1)};
    for (pid_t writer : writers) {
      absl::SleepFor(absl::Microseconds(random() % longest_life));
      ASSERT_EQ(kill(writer, SIGKILL), 0);
      int status = 0;
      ASSERT_EQ(waitpid(writer, &status, 0), writer);
      EXPECT_TRUE(WIFSIGNALED(status)) << "a writer had a reason to complain";
    }
  }
  for (pid_t reader : readers) {
    ASSERT_EQ(kill(reader, SIGTERM), 0);
    int status = 0;
    ASSERT_EQ(waitpid(reader, &status, 0), reader);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  // Whoever comes later can write, and nothing of the killed ones is left but packs.
  {
    auto cache = DiskCache::Open(directory, FailOnWarning()).value();
    cache->Store(KeyOf("one", 0), ObjectOf("one", 0));
  }
  auto cache = DiskCache::Open(directory, FailOnWarning()).value();
  EXPECT_TRUE(cache->Find(KeyOf("one", 0)).has_value());
  EXPECT_FALSE(std::filesystem::exists(directory + "/llvmcache-new"));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--kills=") &&
        absl::SimpleAtoi(argument, &firstcall::kills)) {
      continue;
    }
    std::fprintf(stderr, "unknown argument '%s'\n", argv[i]);
    return 2;
  }
  return RUN_ALL_TESTS();
}
