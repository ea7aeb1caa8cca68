// Archives that LLVM's archiver has written, in each of its formats, and damaged ones.

#include "object/archive.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string archiver;

using Members = std::vector<std::pair<std::string, std::string>>;

// Names that fit into a header and that do not, sizes that are odd and even, and none.
const Members& Expected() {
  static const auto* const members = new Members{
      {"a.o", "odd"},
      {"a_name_that_is_longer_than_the_field_of_a_header.o", "even"},
      {"empty.o", ""},
      {"sixteen_letters.", std::string(5001, 'x')},
      {"last_name_that_is_longer_than_a_header's_field.o", "\n!<arch>\n`\n"},
  };
  return *members;
}

std::string WriteArchive(const std::string& options) {
  const std::string directory = ::testing::TempDir() + "/archive" + options;
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  std::vector<std::string> command = {archiver};
  if (options.find("--") == 0) command.push_back(options);
  command.push_back(options == "--thin" ? "rcsS" : "rc");
  command.push_back(directory + "/lib.a");
  for (const auto& [name, contents] : Expected()) {
    std::ofstream(directory + "/" + name, std::ios::binary) << contents;
    command.push_back(directory + "/" + name);
  }
  const testing::ProcessResult result = testing::RunProcess(command);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return directory + "/lib.a";
}

absl::Status Read(const std::string& path, Members& members) {
  return ForEachMember(path, [&](std::string name, ObjectBytes contents) {
    members.emplace_back(std::move(name), std::string(contents.begin(), contents.end()));
    return absl::OkStatus();
  });
}

TEST(ArchiveTest, HasTheMembersOfEveryFormat) {
  for (const std::string format : {"--format=gnu", "--format=bsd", "--format=darwin", "--thin"}) {
    const std::string path = WriteArchive(format);
    Members members;
    ASSERT_THAT(Read(path, members), IsOk()) << format;
    ASSERT_EQ(members.size(), Expected().size()) << format;
    for (size_t i = 0; i < members.size(); ++i) {
      const auto& [name, contents] = Expected()[i];
      EXPECT_THAT(members[i].first, AllOf(StartsWith(path + "("), EndsWith(name + ")"))) << format;
      // This format pads the contents.
      if (format == "--format=darwin") members[i].second.resize(contents.size());
      EXPECT_TRUE(members[i].second == contents) << format << ": " << name;
    }
  }
}

TEST(ArchiveTest, StopsAtAnError) {
  int calls = 0;
  EXPECT_THAT(ForEachMember(WriteArchive("--format=gnu"),
                            [&](std::string, ObjectBytes) {
                              ++calls;
                              return absl::AbortedError("enough");
                            }),
              StatusIs(absl::StatusCode::kAborted, "enough"));
  EXPECT_EQ(calls, 1);
}

TEST(ArchiveTest, MissingAndOtherFilesAreErrors) {
  Members members;
  EXPECT_THAT(Read("/no/such/lib.a", members), StatusIs(absl::StatusCode::kNotFound));
  const std::string path = ::testing::TempDir() + "/no_archive";
  std::ofstream(path) << "!<arch>";
  EXPECT_THAT(Read(path, members), StatusIs(absl::StatusCode::kInvalidArgument,
                                            "reading archive '" + path + "': it is no archive"));
  const std::string thin = WriteArchive("--thin");
  std::filesystem::remove(std::filesystem::path(thin).parent_path() / "empty.o");
  EXPECT_THAT(Read(thin, members), StatusIs(absl::StatusCode::kNotFound, HasSubstr("empty.o")));
}

// A damaged archive is an error, or has other members; nothing is read beyond its end (asan).
TEST(ArchiveTest, EveryDamagedByteAndEveryLengthIsSafe) {
  for (const std::string format : {"--format=gnu", "--format=bsd"}) {
    std::ifstream in(WriteArchive(format), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string path = ::testing::TempDir() + "/damaged.a";
    Members members;
    const auto read = [&](const std::string& damaged) {
      std::ofstream(path, std::ios::binary) << damaged;
      members.clear();
      (void)Read(path, members);
    };
    const size_t end = bytes.find("xxxx");
    for (size_t i = 0; i < end; ++i) {
      for (char c : {'/', '9'}) {
        std::string damaged = bytes;
        damaged[i] = c;
        read(damaged);
      }
      if (i % 7 == 0) read(bytes.substr(0, i));
    }
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (argc < 2) return EXIT_FAILURE;
  firstcall::archiver = argv[1];
  return RUN_ALL_TESTS();
}
