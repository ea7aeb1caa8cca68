// Requests that nobody would send, and answers.

#include "memory/executor_service.h"

#include <string>
#include <utility>

#include "base/coding.h"
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

std::string WholeRequest(ExecutorOperation operation) {
  Encoder request = RequestOf(operation);
  const SlabRange range{0, 4096};
  switch (operation) {
    case ExecutorOperation::kGreet:
      request.U64(kExecutorProtocol);
      break;
    case ExecutorOperation::kReserve:
      request.U64(4096);
      EncodeAddress(ExecutorAddress(), request);
      break;
    case ExecutorOperation::kMap:
      EncodeAddress(ExecutorAddress(4096), request);
      request.String("/firstcall-none");
      EncodeRanges({range}, request);
      break;
    case ExecutorOperation::kFinalize: {
      const ExecutorAction action{ExecutorAddress(1), ExecutorAddress(2)};
      EncodeAddress(ExecutorAddress(4096), request);
      EncodeSegments({{range, Protection::kRead}}, request);
      EncodeActions({action}, request);
      EncodeActions({action}, request);
      break;
    }
    case ExecutorOperation::kDeallocate:
      EncodeAllocations({1, 2}, request);
      break;
    case ExecutorOperation::kSynchronizeInstructions:
      break;
    case ExecutorOperation::kRelease:
      EncodeAddress(ExecutorAddress(4096), request);
      break;
  }
  return std::move(request).Take();
}

constexpr auto kLast = static_cast<uint8_t>(ExecutorOperation::kRelease);

TEST(ExecutorServiceTest, RefusesRequestsThatEndTooEarlyOrTooLate) {
  SharedMemoryExecutor executor;
  for (uint8_t i = 0; i <= kLast; ++i) {
    const std::string request = WholeRequest(static_cast<ExecutorOperation>(i));
    EXPECT_NE(Answer(executor, request).status().code(), absl::StatusCode::kInvalidArgument) << i;
    for (size_t size = 0; size < request.size(); ++size) {
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
  EXPECT_THAT(Answer(executor, RequestOf(static_cast<ExecutorOperation>(kLast + 1)).bytes()),
              StatusIs(absl::StatusCode::kInvalidArgument));
  Encoder request = RequestOf(ExecutorOperation::kFinalize);
  EncodeAddress(ExecutorAddress(4096), request);
  EncodeSegments({{{0, 4096}, static_cast<Protection>(3)}}, request);
  EncodeActions({}, request);
  EncodeActions({}, request);
  EXPECT_THAT(Answer(executor, request.bytes()), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ExecutorServiceTest, RefusesAListThatIsLongerThanItsMessage) {
  SharedMemoryExecutor executor;
  Encoder request = RequestOf(ExecutorOperation::kDeallocate);
  request.U32(uint32_t{1} << 30);
  request.U64(1);
  EXPECT_THAT(Answer(executor, request.bytes()), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ExecutorServiceTest, RefusesAnotherVersion) {
  SharedMemoryExecutor executor;
  Encoder request = RequestOf(ExecutorOperation::kGreet);
  request.U64(kExecutorProtocol + 1);
  EXPECT_THAT(Answer(executor, request.bytes()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "code memory: the executing process is of another version"));
}

TEST(ExecutorServiceTest, TellsWhatMayRunActions) {
  EXPECT_TRUE(MayRunActions(WholeRequest(ExecutorOperation::kFinalize)));
  EXPECT_TRUE(MayRunActions(WholeRequest(ExecutorOperation::kRelease)));
  EXPECT_TRUE(MayRunActions(WholeRequest(ExecutorOperation::kDeallocate)));
  EXPECT_FALSE(MayRunActions(WholeRequest(ExecutorOperation::kReserve)));
  EXPECT_FALSE(MayRunActions(WholeRequest(ExecutorOperation::kMap)));
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
  EXPECT_THAT(DecodeAnswer(answer + "x"), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(DecodeAnswer("\xff"), StatusIs(absl::StatusCode::kInternal));  // No status's code.
}

}  // namespace
}  // namespace firstcall
