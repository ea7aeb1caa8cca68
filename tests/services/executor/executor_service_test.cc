// Requests that nobody would send, and answers.

#include "services/executor/executor_service.h"

#include <string>
#include <utility>

#include "base/coding.h"
#include "foreign/value_coding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seam/entry_point.h"
#include "services/executor/executor_messages.h"
#include "services/executor/shared_memory_executor.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

absl::StatusOr<std::string> Answer(SharedMemoryExecutor& executor, absl::string_view request) {
  return DecodeAnswer(AnswerExecutorRequest(executor, request));
}

// What requests call and change.
void DoNothing() {}
int Twice(int number) { return 2 * number; }
char memory[16];

template <typename Function>
ExecutorAddress AddressOf(Function* function) {
  return ExecutorAddress::Of(reinterpret_cast<const void*>(function));
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
    case ExecutorOperation::kRegisterUnwindTables:
    case ExecutorOperation::kWithdrawUnwindTables:
      EncodeTables({{ExecutorAddress(4096), ExecutorAddress(8192)}}, request);
      break;
    case ExecutorOperation::kLookUp:
      EncodeTexts({"getpid", ""}, request);
      break;
    case ExecutorOperation::kInitialize:
      EncodeAddress(AddressOf(&DoNothing), request);
      break;
    case ExecutorOperation::kConstruct:
      EncodeAddress(AddressOf(&DoNothing), request);
      EncodeTexts({"argument"}, request);
      break;
    case ExecutorOperation::kCall: {
      int number = 3;
      EncodeAddress(AddressOf(&Twice), request);
      EncodeType(ForeignKind::kInt32, request);
      request.U32(1);
      EncodeType(ForeignKind::kInt32, request);
      EncodeBytes({{ForeignKind::kInt32, &number}}, request);
      break;
    }
    case ExecutorOperation::kRunMain:
      EncodeAddress(AddressOf(&Twice), request);
      request.String(EntryPoint(/*returns_value=*/true).Encode());
      EncodeTexts({"program"}, request);
      break;
    case ExecutorOperation::kAllocate:
      request.U64(0);
      break;
    case ExecutorOperation::kFree:
      EncodeAddress(ExecutorAddress(), request);
      break;
    case ExecutorOperation::kRead:
      EncodeAddress(ExecutorAddress::Of(memory), request);
      request.U64(sizeof(memory));
      break;
    case ExecutorOperation::kWrite:
      EncodeAddress(ExecutorAddress::Of(memory), request);
      break;
  }
  return std::move(request).Take();
}

constexpr auto kLast = static_cast<uint8_t>(kLastExecutorOperation);

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
    // Bytes to write may be any number.
    if (static_cast<ExecutorOperation>(i) == ExecutorOperation::kWrite) continue;
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

TEST(ExecutorServiceTest, AnswersCarryBytesNumbersAndErrors) {
  EXPECT_EQ(*DecodeAnswer(EncodeAnswer(std::string("bytes"))), "bytes");
  EXPECT_EQ(*DecodeNumber(DecodeAnswer(EncodeAnswer(NumberAnswer(42)))), 42u);
  EXPECT_THAT(DecodeAnswer(EncodeAnswer(absl::NotFoundError("what is sought"))),
              StatusIs(absl::StatusCode::kNotFound, "what is sought"));
  EXPECT_THAT(DecodeAnswer(EncodeAnswer(absl::AbortedError(""))),
              StatusIs(absl::StatusCode::kAborted, ""));
}

TEST(ExecutorServiceTest, WhatIsNoAnswerIsAnError) {
  const std::string answer = EncodeAnswer(NumberAnswer(42));
  for (size_t size = 0; size < answer.size(); ++size) {
    EXPECT_THAT(DecodeNumber(DecodeAnswer(answer.substr(0, size))),
                StatusIs(absl::StatusCode::kInternal));
  }
  EXPECT_THAT(DecodeNumber(DecodeAnswer(answer + "x")), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(DecodeAnswer("\xff"), StatusIs(absl::StatusCode::kInternal));  // No status's code.
}

}  // namespace
}  // namespace firstcall
