// Matchers for absl::Status and absl::StatusOr, which Abseil of 2022 does not have. All of them
// take either kind.
//
//   EXPECT_THAT(status, IsOk());
//   EXPECT_THAT(arena.Allocate(...), StatusIs(absl::StatusCode::kResourceExhausted));
//   EXPECT_THAT(status, StatusIs(absl::StatusCode::kNotFound, HasSubstr("symbol 'f'")));
//   ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(sizes));

#ifndef FIRSTCALL_TESTS_TESTING_STATUS_MATCHERS_H_
#define FIRSTCALL_TESTS_TESTING_STATUS_MATCHERS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace testing_internal {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& value) {
  return value.status();
}

}  // namespace testing_internal

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  const absl::Status& status = testing_internal::StatusOf(arg);
  if (!status.ok()) *result_listener << "which is " << status.ToString();
  return status.ok();
}

MATCHER_P2(StatusIs, code, message,
           "has code " + absl::StatusCodeToString(code) + " and a message that " +
               ::testing::DescribeMatcher<std::string>(message, negation)) {
  const absl::Status& status = testing_internal::StatusOf(arg);
  *result_listener << "which is " << status.ToString();
  return status.code() == code &&
         ::testing::ExplainMatchResult(message, std::string(status.message()), result_listener);
}

// Any message.
inline auto StatusIs(absl::StatusCode code) { return StatusIs(code, ::testing::_); }

}  // namespace firstcall

// Assigns the value of a StatusOr to `lhs`, or fails the test and returns from the function.
#define ASSERT_OK_AND_ASSIGN(lhs, expression) \
  ASSERT_OK_AND_ASSIGN_NAMED_(FIRSTCALL_CONCAT_(firstcall_or_, __LINE__), lhs, expression)
#define ASSERT_OK_AND_ASSIGN_NAMED_(name, lhs, expression) \
  auto name = (expression);                                \
  ASSERT_THAT(name, ::firstcall::IsOk());                  \
  lhs = *std::move(name)

#endif  // FIRSTCALL_TESTS_TESTING_STATUS_MATCHERS_H_
