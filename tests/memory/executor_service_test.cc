// Requests that nobody would send, and answers.

#include "memory/executor_service.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/executor_messages.h"
#include "memory/shared_memory_executor.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

absl::StatusOr<uint64_t> Answer(SharedMemoryExecutor& executor, absl::string_view request) {
  return DecodeAnswer(AnswerExecutorRequest(executor, request));
}

std::string RequestOf(ExecutorOperation operation) {
  MessageWriter writer(operation);
  const SlabRange range{0, 4096};
  switch (operation) {
    case ExecutorOperation::kGreet:
      writer.Add(kExecutorProtocol);
      break;
    case ExecutorOperation::kReserve:
      writer.Add(4096);
      writer.Add(ExecutorAddress());
      break;
    case ExecutorOperation::kMap:
      writer.Add(ExecutorAddress(4096));
      writer.AddText("/firstcall-none");
      writer.Add(absl::MakeSpan(&range, 1));
      break;
    case ExecutorOperation::kFinalize: {
      const SlabSegment segment{range, Protection::kRead};
      const ExecutorAction action{ExecutorAddress(1), ExecutorAddress(2)};
      writer.Add(ExecutorAddress(4096));
      writer.Add(absl::MakeSpan(&segment, 1));
      writer.Add(absl::MakeSpan(&action, 1));
      writer.Add(absl::MakeSpan(&action, 1));
      break;
    }
    case ExecutorOperation::kDeallocate: {
      const PageMapper::AllocationId ids[] = {1, 2};
      writer.Add(absl::MakeSpan(ids));
      break;
    }
    case ExecutorOperation::kSynchronizeInstructions:
      break;
    case ExecutorOperation::kRelease:
      writer.Add(ExecutorAddress(4096));
      break;
  }
  return writer.message();
}

constexpr auto kLast = static_cast<uint64_t>(ExecutorOperation::kRelease);

TEST(ExecutorServiceTest, RefusesRequestsThatEndTooEarlyOrTooLate) {
  SharedMemoryExecutor executor;
  for (uint64_t i = 0; i <= kLast; ++i) {
    const std::string request = RequestOf(static_cast<ExecutorOperation>(i));
    EXPECT_NE(Answer(executor, request).status().code(), absl::StatusCode::kInvalidArgument) << i;
    for (size_t size = 0; size < request.size(); ++size) {
      // Without its operation it may be another.
      if (size < sizeof(uint64_t) && i == 0) continue;
      EXPECT_THAT(Answer(executor, request.substr(0, size)),
                  StatusIs(absl::StatusCode::kInvalidArgument))
          << i << ", " << size;
      (void)MayRunActions(request.substr(0, size));
    }
    EXPECT_THAT(Answer(executor, request + "x"), StatusIs(absl::StatusCode::kInvalidArgument)) << i;
  }
}

TEST(ExecutorServiceTest, RefusesWhatIsNoOperationAndNoProtection) {
  SharedMemoryExecutor executor;
  EXPECT_THAT(Answer(executor, MessageWriter(static_cast<ExecutorOperation>(kLast + 1)).message()),
              StatusIs(absl::StatusCode::kInvalidArgument));
  MessageWriter writer(ExecutorOperation::kFinalize);
  const SlabSegment segment{{0, 4096}, static_cast<Protection>(3)};
  writer.Add(ExecutorAddress(4096));
  writer.Add(absl::MakeSpan(&segment, 1));
  writer.Add(absl::Span<const ExecutorAction>());
  writer.Add(absl::Span<const ExecutorAction>());
  EXPECT_THAT(Answer(executor, writer.message()), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ExecutorServiceTest, RefusesAListThatIsLongerThanItsMessage) {
  SharedMemoryExecutor executor;
  MessageWriter writer(ExecutorOperation::kDeallocate);
  writer.Add(uint64_t{1} << 61);
  writer.Add(uint64_t{1});
  EXPECT_THAT(Answer(executor, writer.message()), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ExecutorServiceTest, RefusesAnotherVersion) {
  SharedMemoryExecutor executor;
  MessageWriter writer(ExecutorOperation::kGreet);
  writer.Add(kExecutorProtocol + 1);
  EXPECT_THAT(Answer(executor, writer.message()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "code memory: the executing process is of another version"));
}

TEST(ExecutorServiceTest, TellsWhatMayRunActions) {
  EXPECT_TRUE(MayRunActions(RequestOf(ExecutorOperation::kFinalize)));
  EXPECT_TRUE(MayRunActions(RequestOf(ExecutorOperation::kRelease)));
  EXPECT_TRUE(MayRunActions(RequestOf(ExecutorOperation::kDeallocate)));
  EXPECT_FALSE(MayRunActions(RequestOf(ExecutorOperation::kReserve)));
  EXPECT_FALSE(MayRunActions(RequestOf(ExecutorOperation::kMap)));
}

TEST(ExecutorServiceTest, AnswersCarryValuesAndErrors) {
  EXPECT_EQ(*DecodeAnswer(EncodeAnswer(uint64_t{42})), 42u);
  EXPECT_THAT(DecodeAnswer(EncodeAnswer(absl::NotFoundError("what is sought"))),
              StatusIs(absl::StatusCode::kNotFound, "what is sought"));
  EXPECT_THAT(DecodeAnswer(EncodeAnswer(absl::AbortedError(""))),
              StatusIs(absl::StatusCode::kAborted, ""));
}

TEST(ExecutorServiceTest, WhatIsNoAnswerIsAnError) {
  const std::string answer = EncodeAnswer(uint64_t{42});
  for (size_t size = 0; size < answer.size(); ++size) {
    EXPECT_THAT(DecodeAnswer(answer.substr(0, size)), StatusIs(absl::StatusCode::kInternal));
  }
  // A code that is OK in 32 bits.
  std::string strange = answer;
  strange[5] = 1;
  EXPECT_THAT(DecodeAnswer(strange), StatusIs(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace firstcall
