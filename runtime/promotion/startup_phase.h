// Tells whether most of the program's time goes into first bodies. Optimized bodies wait meanwhile,
// because the processor's caches and LLVM's memory are shared.
//
// Thread-safe, except that Update must be called by one thread at a time.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_STARTUP_PHASE_H_
#define FIRSTCALL_RUNTIME_PROMOTION_STARTUP_PHASE_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "base/steady_clock.h"

namespace firstcall {

class StartupPhase {
 public:
  // The phase ends after this time at the latest. A program that still compiles first bodies then
  // does so all the time.
  static constexpr absl::Duration kLongest = absl::Seconds(2);

  // `start` is when the program began, as SteadyNow.
  explicit StartupPhase(absl::Duration start) : start_(start) {}

  // While this exists, the calling thread makes a first body.
  class FirstBody {
   public:
    // If nobody asks for the phase, `phase` may be null.
    explicit FirstBody(StartupPhase* phase) : phase_(phase) {
      if (phase_ != nullptr) ++phase_->first_bodies_;
    }
    ~FirstBody() {
      if (phase_ == nullptr) return;
      phase_->first_bodies_time_ += absl::ToInt64Nanoseconds(SteadyNow() - start_);
      --phase_->first_bodies_;
    }
    FirstBody(const FirstBody&) = delete;
    FirstBody& operator=(const FirstBody&) = delete;

   private:
    StartupPhase* const phase_;
    const absl::Duration start_ = SteadyNow();
  };

  // Whether the phase is on, as the last Update has found; true before the first Update.
  bool is_on() const { return is_on_; }

  // Finds out anew whether the phase is on. The last call was `elapsed` ago; `now` is as SteadyNow.
  // Returns the time that threads have spent on first bodies since the last call.
  absl::Duration Update(absl::Duration now, absl::Duration elapsed) {
    const absl::Duration first_bodies = absl::Nanoseconds(first_bodies_time_.exchange(0));
    is_on_ = now - start_ < kLongest && (first_bodies_ > 0 || first_bodies > elapsed / 2);
    return first_bodies;
  }

 private:
  const absl::Duration start_;
  std::atomic<int> first_bodies_{0};           // Being made.
  std::atomic<int64_t> first_bodies_time_{0};  // Nanoseconds since the last Update.
  std::atomic<bool> is_on_{true};
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_STARTUP_PHASE_H_
