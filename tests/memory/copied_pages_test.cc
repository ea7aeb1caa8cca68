// The debugger is this process itself, which writes to its memory as a debugger does.

#include "memory/copied_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "memory/in_process_mapper.h"
#include "tests/memory/machine_code.h"
#include "tests/memory/memory_maps.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

class CopiedPagesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(slab_, mapper_.Reserve(page_, ExecutorAddress()));
    ASSERT_OK_AND_ASSIGN(const std::vector<uint8_t*> written,
                         mapper_.Initialize(slab_, {{{0, page_}, Protection::kReadExecute}}));
    written_ = written.front();
  }

  // Writes one byte of the page where it runs; false if the system refuses that.
  bool WriteAsADebugger(size_t offset, char byte) {
    const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    const bool is_written =
        pwrite(memory, &byte, 1, static_cast<off_t>((slab_.run + offset).value())) == 1;
    close(memory);
    return is_written;
  }

  absl::Status AddCode(size_t offset, const std::string& code) {
    std::memcpy(written_ + offset, code.data(), code.size());
    return mapper_.Finalize(slab_, {{{{offset, code.size()}, Protection::kReadExecute}}, {}, {}})
        .status();
  }

  int Call(size_t offset) { return (slab_.run + offset).InThisProcess<int (*)()>()(); }
  char ByteAt(size_t offset) { return *(slab_.run + offset).InThisProcess<const char*>(); }

  InProcessMapper mapper_;
  const size_t page_ = mapper_.page_size();
  Slab slab_;
  uint8_t* written_ = nullptr;
};

TEST_F(CopiedPagesTest, DebuggerCanWriteToCodeThatTheProcessCannotWrite) {
  ASSERT_THAT(AddCode(0, kReturns42), IsOk());
  ASSERT_EQ(PermissionsAt(getpid(), slab_.run), "r-x");
  if (!WriteAsADebugger(512, '!')) GTEST_SKIP() << "the system lets nobody write to code";
  EXPECT_EQ(ByteAt(512), '!');
  EXPECT_EQ(written_[512], 0);
  EXPECT_EQ(Call(0), 42);
}

TEST_F(CopiedPagesTest, CodeThatIsAddedToACopiedPageIsSeenAndBreakpointsStay) {
  ASSERT_THAT(AddCode(0, kReturns42), IsOk());
  if (!WriteAsADebugger(512, '!')) GTEST_SKIP() << "the system lets nobody write to code";
  ASSERT_THAT(AddCode(64, kReturns43), IsOk());
  EXPECT_EQ(Call(0), 42);
  EXPECT_EQ(Call(64), 43);
  EXPECT_EQ(ByteAt(512), '!');
}

TEST_F(CopiedPagesTest, CodeThatReplacesOtherCodeInACopiedPageIsSeen) {
  ASSERT_THAT(AddCode(0, kReturns42), IsOk());
  if (!WriteAsADebugger(0, '!')) GTEST_SKIP() << "the system lets nobody write to code";
  ASSERT_THAT(mapper_.Discard(slab_, {{0, page_}, Protection::kReadExecute}), IsOk());
  ASSERT_THAT(AddCode(0, kReturns43), IsOk());
  EXPECT_EQ(Call(0), 43);
}

TEST_F(CopiedPagesTest, PagesThatNobodyCopiedAreOnlyCompared) {
  ASSERT_THAT(AddCode(0, kReturns42), IsOk());
  EXPECT_THAT(WriteToCopiedPages(written_, slab_.run, page_), IsOk());
  EXPECT_THAT(WriteToCopiedPages(written_, slab_.run, 0), IsOk());
}

}  // namespace
}  // namespace firstcall
