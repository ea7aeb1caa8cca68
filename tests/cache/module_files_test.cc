#include "cache/module_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ModuleFilesTest : public testing::Test {
 protected:
  ModuleFilesTest()
      : directory_(absl::StrCat(testing::TempDir(), "/",
                                testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
  }

  std::unique_ptr<ModuleFiles> Open() {
    return ModuleFiles::Open(directory_,
                             [this](absl::string_view message) { warnings_.emplace_back(message); })
        .value();
  }

  static std::string Find(ObjectCache& cache, absl::string_view module,
                          absl::string_view signature) {
    std::optional<ObjectCache::Bytes> found = cache.Find({module, signature});
    return found ? std::string(found->begin(), found->end()) : "(none)";
  }

  std::string Read(const std::string& file) const {
    std::ifstream stream(absl::StrCat(directory_, file), std::ios::binary);
    std::ostringstream contents;
    contents << stream.rdbuf();
    return contents.str();
  }

  void Write(const std::string& file, const std::string& contents) const {
    std::ofstream(absl::StrCat(directory_, file), std::ios::binary) << contents;
  }

  const std::string directory_;
  std::vector<std::string> warnings_;
};

TEST_F(ModuleFilesTest, FindsWhatWasStored) {
  std::unique_ptr<ModuleFiles> cache = Open();
  EXPECT_EQ(Find(*cache, "/some/where/a.bc", "signature"), "(none)");
  cache->Store({"/some/where/a.bc", "signature"}, "object");
  EXPECT_EQ(Find(*cache, "/some/where/a.bc", "signature"), "object");
  EXPECT_EQ(Find(*Open(), "/some/where/a.bc", "signature"), "object");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ModuleFilesTest, FilesAreNamedAfterModulesAndStartWithTheObject) {
  Open()->Store({"/some/where/a.bc", "signature"}, "object");
  EXPECT_EQ(Read("/some/where/a.o").substr(0, 6), "object");
}

TEST_F(ModuleFilesTest, ModulesStayInTheDirectory) {
  Open()->Store({"/../../../a.bc", "signature"}, "object");
  EXPECT_EQ(Read("/a.o").substr(0, 6), "object");
}

TEST_F(ModuleFilesTest, WithoutDirectoryObjectsLieNextToTheirModules) {
  ASSERT_TRUE(std::filesystem::create_directories(directory_));
  std::unique_ptr<ModuleFiles> cache = ModuleFiles::Open("", nullptr).value();
  cache->Store({absl::StrCat(directory_, "/a.ll"), "signature"}, "object");
  EXPECT_EQ(Read("/a.o").substr(0, 6), "object");
}

TEST_F(ModuleFilesTest, ModuleMayBeARelativePath) {
  const std::filesystem::path before = std::filesystem::current_path();
  ASSERT_TRUE(std::filesystem::create_directories(directory_));
  std::filesystem::current_path(directory_);
  std::unique_ptr<ModuleFiles> cache = ModuleFiles::Open("", [this](absl::string_view message) {
                                         warnings_.emplace_back(message);
                                       }).value();
  cache->Store({"a.bc", "signature"}, "object");
  EXPECT_EQ(Find(*cache, "a.bc", "signature"), "object");
  cache = Open();
  cache->Store({"b.bc", "signature"}, "another object");
  std::filesystem::current_path(before);
  EXPECT_EQ(Find(*cache, absl::StrCat(directory_, "/b.bc"), "signature"), "another object");
  EXPECT_EQ(Read("/a.o").substr(0, 6), "object");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ModuleFilesTest, FilesAreForThisUserOnlyAndNothingElseIsLeft) {
  std::unique_ptr<ModuleFiles> cache = Open();
  cache->Store({"/a.bc", "signature"}, "object");
  cache->Store({"/a.bc", "signature"}, "object");
  ASSERT_TRUE(std::filesystem::create_directories(directory_ + "/b.o/in_the_way"));
  cache->Store({"/b.bc", "signature"}, "object");
  struct stat status = {};
  ASSERT_EQ(stat(absl::StrCat(directory_, "/a.o").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, UnorderedElementsAre("a.o", "b.o"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is not kept: ")));
}

TEST_F(ModuleFilesTest, HugeForeignFileIsNotRead) {
  std::unique_ptr<ModuleFiles> cache = Open();
  Write("/a.o", "");
  ASSERT_EQ(truncate(absl::StrCat(directory_, "/a.o").c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(Find(*cache, "/a.bc", "signature"), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("it was not written by firstcall")));
}

TEST_F(ModuleFilesTest, PipeInPlaceOfAFileIsNotWaitedFor) {
  std::unique_ptr<ModuleFiles> cache = Open();
  ASSERT_EQ(mkfifo(absl::StrCat(directory_, "/a.o").c_str(), 0600), 0);
  EXPECT_EQ(Find(*cache, "/a.bc", "signature"), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("it cannot be read")));
}

TEST_F(ModuleFilesTest, FilesOfOthersAreNotReplaced) {
  std::unique_ptr<ModuleFiles> cache = Open();
  for (const std::string& contents : {std::string("short"), std::string(1000, 'x')}) {
    Write("/a.o", contents);
    cache->Store({"/a.bc", "signature"}, "object");
    EXPECT_EQ(Read("/a.o"), contents);
    EXPECT_THAT(
        warnings_,
        ElementsAre(HasSubstr("a.o' is not kept: there is a file that firstcall did not write")));
    warnings_.clear();
  }
}

TEST_F(ModuleFilesTest, ModuleThatHasTheNameOfItsObjectIsNotReplaced) {
  ASSERT_TRUE(std::filesystem::create_directories(directory_));
  Write("/a.o", "bitcode");
  std::unique_ptr<ModuleFiles> cache = ModuleFiles::Open("", [this](absl::string_view message) {
                                         warnings_.emplace_back(message);
                                       }).value();
  cache->Store({absl::StrCat(directory_, "/a.o"), "signature"}, "object");
  EXPECT_EQ(Read("/a.o"), "bitcode");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a.o' is not kept: ")));
  // Even one that is not a file.
  cache->Store({absl::StrCat(directory_, "/none.o"), "signature"}, "object");
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/none.o"));
}

TEST_F(ModuleFilesTest, OtherSignaturesAreMissesAndReplaceTheObject) {
  std::unique_ptr<ModuleFiles> cache = Open();
  cache->Store({"/a.bc", "one"}, "first");
  EXPECT_EQ(Find(*cache, "/a.bc", "two"), "(none)");
  cache->Store({"/a.bc", "two"}, "second");
  EXPECT_EQ(Find(*cache, "/a.bc", "two"), "second");
  EXPECT_EQ(Find(*cache, "/a.bc", "one"), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ModuleFilesTest, NoDamagedByteIsUsed) {
  std::unique_ptr<ModuleFiles> cache = Open();
  cache->Store({"/a.bc", "signature"}, "object");
  const std::string intact = Read("/a.o");
  for (size_t i = 0; i < intact.size(); ++i) {
    std::string damaged = intact;
    damaged[i] ^= 1;
    Write("/a.o", damaged);
    EXPECT_EQ(Find(*cache, "/a.bc", "signature"), "(none)") << i;
  }
  for (size_t length = 0; length < intact.size(); ++length) {
    Write("/a.o", intact.substr(0, length));
    EXPECT_EQ(Find(*cache, "/a.bc", "signature"), "(none)") << length;
  }
}

TEST_F(ModuleFilesTest, UnusableFilesAreReported) {
  std::unique_ptr<ModuleFiles> cache = Open();
  cache->Store({"/a.bc", "signature"}, "object");
  const std::string intact = Read("/a.o");
  Write("/a.o", "X" + intact.substr(1));
  Find(*cache, "/a.bc", "signature");
  Write("/a.o", "short");
  Find(*cache, "/a.bc", "signature");
  Write("/a.o", intact);
  ASSERT_EQ(chmod(absl::StrCat(directory_, "/a.o").c_str(), 0666), 0);
  Find(*cache, "/a.bc", "signature");
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("it is damaged"), HasSubstr("it was not written by firstcall"),
                          HasSubstr("others may write to it")));
}

TEST_F(ModuleFilesTest, FileThatIsNoDirectoryIsUnavailable) {
  std::ofstream(directory_.c_str()) << "file";
  EXPECT_THAT(ModuleFiles::Open(directory_, nullptr), StatusIs(absl::StatusCode::kUnavailable));
  std::filesystem::remove(directory_);
}

TEST_F(ModuleFilesTest, DirectoriesOthersMayWriteToAreRefused) {
  ASSERT_TRUE(std::filesystem::create_directories(directory_));
  ASSERT_EQ(chmod(directory_.c_str(), 0777), 0);
  EXPECT_THAT(ModuleFiles::Open(directory_, nullptr),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       absl::StrCat("object cache '", directory_,
                                    "': not used, because its contents would run and others may "
                                    "write to it")));
}

TEST_F(ModuleFilesTest, FailureToWriteIsReported) {
  std::unique_ptr<ModuleFiles> cache = Open();
  Write("/in_the_way", "");
  cache->Store({"/in_the_way/a.bc", "signature"}, "object");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is not kept: ")));
}

}  // namespace
}  // namespace firstcall
