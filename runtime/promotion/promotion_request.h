// What a function asks for: an optimized body, or an OSR continuation for one of its loops.
//
// A function asks for one thing at a time. From then on the function belongs to the thread that
// serves it, until this thread withdraws the request, with an answer or without one.
//
// Thread-safe. Takes no lock and no memory, so it is async-signal-safe. Tested in
// tests/runtime/promotion_request_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_REQUEST_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_REQUEST_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "seam/hotness_counter.h"

namespace firstcall {

class PromotionRequest {
 public:
  // Asks for an optimized body if `wanted` is kNoLoop, or else for a continuation of the loop
  // `wanted`. False if the function asks for something already.
  bool Ask(uint32_t wanted) {
    uint32_t nothing = kNothing;
    if (!wanted_.compare_exchange_strong(nothing, wanted, std::memory_order_acq_rel)) return false;
    asked_at_.store(absl::ToInt64Nanoseconds(SteadyNow()), std::memory_order_relaxed);
    return true;
  }

  bool is_open() const { return wanted_ != kNothing; }
  // What the function asks for, as in Ask. The request must be open.
  uint32_t wanted() const { return wanted_.load(std::memory_order_acquire); }
  // When the function has asked last, as SteadyNow.
  absl::Duration asked_at() const {
    return absl::Nanoseconds(asked_at_.load(std::memory_order_relaxed));
  }

  // The function no longer asks. To be called by the thread that serves the function.
  void Withdraw() { wanted_.store(kNothing, std::memory_order_release); }

 private:
  static constexpr uint32_t kNothing = kNoLoop - 1;

  std::atomic<uint32_t> wanted_{kNothing};
  std::atomic<int64_t> asked_at_{0};  // In nanoseconds.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_REQUEST_H_
