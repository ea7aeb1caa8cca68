// For tests of engines that replace hot functions by better bodies.

#ifndef FIRSTCALL_TESTS_API_PROMOTION_H_
#define FIRSTCALL_TESTS_API_PROMOTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "gtest/gtest.h"
#include "seam/listener.h"

namespace firstcall {

// Knows where better bodies and continuations lie. Thread-safe.
class BetterBodies final : public Listener {
 public:
  void OnPublished(const PublishedObject& object) override {
    if (!object.is_optimized) return;
    const auto begin = reinterpret_cast<uintptr_t>(object.functions[0].body.InThisProcess<void*>());
    absl::MutexLock lock(&mutex_);
    ranges_.push_back({std::string(object.functions[0].name), begin, begin + object.code_bytes});
  }

  // Whether `address` lies in one of them; with `function`, in one of that function's.
  bool Contains(void* address, std::optional<absl::string_view> function = std::nullopt) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    absl::MutexLock lock(&mutex_);
    for (const Range& range : ranges_) {
      if (function && range.function != *function) continue;
      if (range.begin <= at && at < range.end) return true;
    }
    return false;
  }

  size_t size() const {
    absl::MutexLock lock(&mutex_);
    return ranges_.size();
  }

 private:
  struct Range {
    std::string function;
    uintptr_t begin;
    uintptr_t end;
  };
  mutable absl::Mutex mutex_;
  std::vector<Range> ranges_ ABSL_GUARDED_BY(mutex_);
};

// Who finds out that a function is hot, and who makes the better body.
enum class PromotionWay { kCallerDoesIt, kCallerAsks, kThreadLooks };

inline constexpr PromotionWay kPromotionWays[] = {
    PromotionWay::kCallerDoesIt, PromotionWay::kCallerAsks, PromotionWay::kThreadLooks};

inline void SetWay(PromotionWay way, PromotionOptions& options) {
  options.threads = way == PromotionWay::kCallerDoesIt ? 0 : 1;
  options.asks_when_called = way == PromotionWay::kCallerAsks;
}

inline std::string NameOfWay(const ::testing::TestParamInfo<PromotionWay>& way) {
  switch (way.param) {
    case PromotionWay::kCallerDoesIt:
      return "CallerDoesIt";
    case PromotionWay::kCallerAsks:
      return "CallerAsks";
    case PromotionWay::kThreadLooks:
      return "ThreadLooks";
  }
  return "";
}

// The text of a function that executes `instructions`, which compute i64 %y, for each i64 %x from 0
// to its argument i64 %n, and returns the sum; `head` is the rest of its definition.
inline std::string TextOfSum(absl::string_view head, absl::string_view instructions) {
  return absl::StrCat("define i64 ", head, R"( {
  entry:
    br label %loop
  loop:
    %x = phi i64 [ 0, %entry ], [ %next, %loop ]
    %sum = phi i64 [ 0, %entry ], [ %sum2, %loop ]
    )",
                      instructions, R"(
    %sum2 = add i64 %sum, %y
    %next = add i64 %x, 1
    %more = icmp slt i64 %next, %n
    br i1 %more, label %loop, label %end
  end:
    ret i64 %sum2
  }
  )");
}

// What `engine` knows of the hotness of `function`; nothing if it does not count it.
inline FunctionHotness HotnessOf(const Engine& engine, absl::string_view function) {
  for (const FunctionHotness& hotness : engine.stats().promotions.functions) {
    if (hotness.function == function) return hotness;
  }
  return {};
}

// Does `what` until `done`; gives up after a time in which it must have come true, and returns
// whether it has.
inline bool DoUntil(const std::function<bool()>& done, const std::function<void()>& what) {
  const absl::Time end = absl::Now() + absl::Seconds(60);
  do {
    what();
    if (done()) return true;
  } while (absl::Now() < end);
  return false;
}

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_API_PROMOTION_H_
