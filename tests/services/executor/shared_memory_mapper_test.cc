// With the executor in this process: what fails, and what is left then. What works is in
// page_mapper_test, and with another process in remote_executor_test.

#include "services/executor/shared_memory_mapper.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/executor/executor_messages.h"
#include "tests/memory/memory_maps.h"
#include "tests/services/executor/local_connection.h"
#include "tests/testing/host.h"
#include "tests/testing/limits.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::StartsWith;

// Fails one call, before or after it is carried out, and remembers the names of objects.
class FailingConnection final : public LocalConnection {
 public:
  absl::StatusOr<std::string> Call(absl::string_view request) override {
    Decoder decoder(request);
    if (DecodeOperation(decoder) == ExecutorOperation::kMap) {
      (void)DecodeAddress(decoder);
      names.emplace_back(decoder.String());
    }
    const bool fails = ++calls == failing_call;
    if (fails && is_lost_before) return absl::AbortedError("injected");
    absl::StatusOr<std::string> answer = LocalConnection::Call(request);
    if (fails) return absl::AbortedError("injected");
    return answer;
  }

  int calls = 0;
  int failing_call = 0;
  bool is_lost_before = true;
  std::vector<std::string> names;
};

bool Exists(const std::string& name) {
  const int file = shm_open(name.c_str(), O_RDONLY, 0);
  if (file >= 0) close(file);
  return file >= 0 || errno != ENOENT;
}

uint64_t AddressSpaceInUse() {
  uint64_t size = 0;
  for (const MemoryMap& map : MemoryMapsOf(getpid())) size += map.end - map.begin;
  return size;
}

class SharedMemoryMapperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(mapper_, SharedMemoryMapper::Create(connection_));
    page_ = mapper_->page_size();
  }

  std::vector<SlabSegment> Pages() const {
    return {{{0, page_}, Protection::kReadExecute},
            {{page_, page_}, Protection::kRead},
            {{2 * page_, page_}, Protection::kReadWrite}};
  }

  // Everything a mapper can do, in a slab of its own, which is released if something fails.
  absl::Status UseEverything() {
    FIRSTCALL_ASSIGN_OR_RETURN(const Slab slab, mapper_->Reserve(3 * page_, ExecutorAddress()));
    const absl::Status status = [&]() -> absl::Status {
      FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<uint8_t*> written,
                                 mapper_->Initialize(slab, Pages()));
      std::memcpy(written[0], "text", 4);
      FIRSTCALL_ASSIGN_OR_RETURN(const PageMapper::AllocationId id,
                                 mapper_->Finalize(slab, {Pages(), {}, {}}));
      EXPECT_EQ(std::string(slab.run.InThisProcess<const char*>(), 4), "text");
      FIRSTCALL_RETURN_IF_ERROR(mapper_->SynchronizeInstructions());
      FIRSTCALL_RETURN_IF_ERROR(mapper_->Deallocate({id}));
      FIRSTCALL_RETURN_IF_ERROR(mapper_->Discard(slab, Pages()[0]));
      // The emulator does not carry out MADV_REMOVE.
      EXPECT_TRUE(IsEmulated() || *slab.run.InThisProcess<const char*>() == '\0');
      return mapper_->Release(slab);
    }();
    if (!status.ok()) (void)mapper_->Release(slab);
    return status;
  }

  const std::shared_ptr<FailingConnection> connection_ = std::make_shared<FailingConnection>();
  std::unique_ptr<SharedMemoryMapper> mapper_;
  size_t page_ = 0;
};

TEST_F(SharedMemoryMapperTest, CannotBeAccessedWhereItRunsBeforeItIsFinalized) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(3 * page_, ExecutorAddress()));
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper_->Initialize(slab, Pages()));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NE(ExecutorAddress::Of(written[i]), slab.run + i * page_);
    EXPECT_EQ(PermissionsAt(getpid(), slab.run + i * page_), "---");
    ASSERT_THAT(mapper_->Finalize(slab, {{Pages()[i]}, {}, {}}), IsOk());
    EXPECT_NE(PermissionsAt(getpid(), slab.run + i * page_), "---");
  }
  // And again, when there are new pages.
  ASSERT_THAT(mapper_->Initialize(slab, {Pages()[0]}), IsOk());
  EXPECT_EQ(PermissionsAt(getpid(), slab.run), "---");
  EXPECT_EQ(PermissionsAt(getpid(), slab.run + page_), "r--");
}

TEST_F(SharedMemoryMapperTest, NamesAreGoneWhenPagesAreThere) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(3 * page_, ExecutorAddress()));
  ASSERT_THAT(mapper_->Initialize(slab, Pages()), IsOk());
  ASSERT_THAT(mapper_->Initialize(slab, {Pages()[0]}), IsOk());
  ASSERT_EQ(connection_->names.size(), 2u);
  EXPECT_NE(connection_->names[0], connection_->names[1]);
  for (const std::string& name : connection_->names) EXPECT_FALSE(Exists(name));
}

TEST_F(SharedMemoryMapperTest, IsUsableAfterAnyCallThatFailed) {
  constexpr int kRepetitions = 8;
  for (bool is_lost_before : {true, false}) {
    connection_->is_lost_before = is_lost_before;
    connection_->calls = 0;
    connection_->failing_call = 0;
    ASSERT_THAT(UseEverything(), IsOk());
    const int calls = connection_->calls;
    ASSERT_EQ(calls, 6);
    const auto fail_and_succeed = [&](int failing) {
      connection_->calls = 0;
      connection_->failing_call = failing;
      EXPECT_THAT(UseEverything(), StatusIs(absl::StatusCode::kAborted, "injected")) << failing;
      EXPECT_THAT(UseEverything(), IsOk()) << failing;
    };
    for (int failing = 1; failing <= calls; ++failing) {
      // The first time may leave mappings of a sanitizer's own; a leak would leave some each time.
      fail_and_succeed(failing);
      const size_t mappings = MemoryMapsOf(getpid()).size();
      for (int i = 0; i < kRepetitions; ++i) fail_and_succeed(failing);
      // Of a slab whose address was lost on the way nobody knows.
      const size_t lost = is_lost_before ? 0 : kRepetitions;
      EXPECT_LT(MemoryMapsOf(getpid()).size(), mappings + lost + kRepetitions) << failing;
    }
  }
  for (const std::string& name : connection_->names) EXPECT_FALSE(Exists(name));
}

TEST_F(SharedMemoryMapperTest, CannotBeMadeWithoutAnAnswer) {
  const auto connection = std::make_shared<FailingConnection>();
  connection->failing_call = 1;
  EXPECT_THAT(SharedMemoryMapper::Create(connection),
              StatusIs(absl::StatusCode::kAborted, "injected"));
}

TEST_F(SharedMemoryMapperTest, TooManyOpenFilesIsAnErrorThatPasses) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(3 * page_, ExecutorAddress()));
  absl::Status status;
  {
    // A sanitizer needs files of its own for its checks, so nothing else is done meanwhile.
    const testing::LimitTo none(RLIMIT_NOFILE, 0);
    status = mapper_->Initialize(slab, Pages()).status();
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                               "code memory: shm_open: Too many open files"));
  EXPECT_THAT(mapper_->Initialize(slab, Pages()), IsOk());
}

TEST_F(SharedMemoryMapperTest, TooLittleAddressSpaceIsAnErrorThatPasses) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not carry out limits of address space";
  constexpr size_t kMuch = size_t{1} << 30;
  {
    // Enough for one of the two mappings.
    const testing::LimitTo little(RLIMIT_AS, AddressSpaceInUse() + kMuch + kMuch / 2);
    EXPECT_THAT(mapper_->Reserve(kMuch, ExecutorAddress()),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         "code memory: reserving address space: Cannot allocate memory"));
    EXPECT_THAT(UseEverything(), IsOk());
  }
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(kMuch, ExecutorAddress()));
  EXPECT_THAT(mapper_->Release(slab), IsOk());
}

TEST_F(SharedMemoryMapperTest, MoreThanSharedMemoryHasIsAnError) {
  struct statvfs system;
  ASSERT_EQ(statvfs("/dev/shm", &system), 0);
  ASSERT_GT(system.f_blocks, 0u) << "has no limit";
  const size_t too_much = (system.f_blocks * system.f_frsize / page_ + 1) * page_;
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(too_much, ExecutorAddress()));
  EXPECT_THAT(mapper_->Initialize(slab, {{{0, too_much}, Protection::kReadWrite}}),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       StartsWith(absl::StrCat("code memory: ", too_much,
                                               " bytes of shared memory are more than the "))));
  EXPECT_THAT(mapper_->Initialize(slab, Pages()), IsOk());
}

TEST_F(SharedMemoryMapperTest, RefusesWhatIsNotInTheSlab) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(3 * page_, ExecutorAddress()));
  const SlabRange wrong[] = {{0, 4 * page_}, {4 * page_, 0}, {page_, SIZE_MAX - page_ + 1}};
  for (const SlabRange& range : wrong) {
    const SlabSegment segment{range, Protection::kRead};
    EXPECT_THAT(mapper_->Initialize(slab, {segment}), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(mapper_->Finalize(slab, {{segment}, {}, {}}),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(mapper_->Discard(slab, segment), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(mapper_->Initialize(slab, {{{1, page_}, Protection::kRead}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  const Slab none{slab.run + page_, page_};
  EXPECT_THAT(mapper_->Initialize(none, Pages()), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(mapper_->Finalize(none, {}), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(mapper_->Release(none), StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace firstcall
