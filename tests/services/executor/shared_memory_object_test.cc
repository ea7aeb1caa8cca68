#include "services/executor/shared_memory_object.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/limits.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

TEST(SharedMemoryObjectTest, SecondOneToOpenItSeesTheSamePages) {
  ASSERT_OK_AND_ASSIGN(const SharedMemoryObject created, SharedMemoryObject::Create(4096));
  ASSERT_OK_AND_ASSIGN(const SharedMemoryObject opened,
                       SharedMemoryObject::Open(created.name(), 4096));
  ASSERT_EQ(pwrite(created.file(), "text", 4, 100), 4);
  char seen[4];
  ASSERT_EQ(pread(opened.file(), seen, 4, 100), 4);
  EXPECT_EQ(std::string(seen, 4), "text");
}

TEST(SharedMemoryObjectTest, NameIsGoneOnceItIsOpen) {
  ASSERT_OK_AND_ASSIGN(const SharedMemoryObject created, SharedMemoryObject::Create(4096));
  ASSERT_THAT(SharedMemoryObject::Open(created.name(), 4096), IsOk());
  EXPECT_THAT(SharedMemoryObject::Open(created.name(), 4096),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "code memory: shm_open: No such file or directory"));
}

TEST(SharedMemoryObjectTest, NameIsGoneWithWhoMadeIt) {
  std::string name;
  {
    ASSERT_OK_AND_ASSIGN(const SharedMemoryObject created, SharedMemoryObject::Create(4096));
    name = created.name();
  }
  EXPECT_THAT(SharedMemoryObject::Open(name, 4096), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(SharedMemoryObjectTest, IsForTheSameUserWhateverTheUmask) {
  const mode_t before = umask(0777);
  absl::StatusOr<SharedMemoryObject> created = SharedMemoryObject::Create(4096);
  umask(before);
  ASSERT_THAT(created, IsOk());
  struct stat properties;
  ASSERT_EQ(fstat(created->file(), &properties), 0);
  EXPECT_EQ(properties.st_mode & 0777, 0600u);
}

TEST(SharedMemoryObjectTest, RefusesOtherNamesAndLeavesThem) {
  const std::string name = "/other-" + std::to_string(getpid());
  const int other = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ASSERT_GE(other, 0);
  for (const std::string& refused : {name, std::string(), std::string("/firstcall-\0", 12)}) {
    EXPECT_THAT(
        SharedMemoryObject::Open(refused, 0),
        StatusIs(absl::StatusCode::kInvalidArgument, "code memory: not a name of shared pages"));
  }
  EXPECT_EQ(shm_unlink(name.c_str()), 0);
  close(other);
}

TEST(SharedMemoryObjectTest, LargerThanFilesMayBeIsAnErrorAndNoSignal) {
  const testing::FileSizeLimit limit(4096);
  EXPECT_THAT(SharedMemoryObject::Create(4096), IsOk());
  EXPECT_THAT(SharedMemoryObject::Create(8192),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "code memory: 8192 bytes of shared memory are more than a file may have "
                       "(RLIMIT_FSIZE)"));
}

TEST(SharedMemoryObjectTest, RefusesFewerPagesThanWanted) {
  ASSERT_OK_AND_ASSIGN(const SharedMemoryObject created, SharedMemoryObject::Create(4096));
  EXPECT_THAT(SharedMemoryObject::Open(created.name(), 8192),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "code memory: fewer shared pages than are to be mapped"));
}

}  // namespace
}  // namespace firstcall
