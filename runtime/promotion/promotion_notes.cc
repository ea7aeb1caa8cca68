#include "runtime/promotion/promotion_notes.h"

#include <utility>

namespace firstcall {

FunctionHotness& PromotionNotes::hotness() {
  if (hotness_ == nullptr) hotness_ = std::make_unique<FunctionHotness>();
  return *hotness_;
}

void PromotionNotes::NoteBody(size_t code_bytes, absl::Duration time, bool is_cached,
                              uint64_t polls) {
  hotness().tier = 1;
  hotness().is_cached = is_cached;
  hotness().optimized_bytes = code_bytes;
  hotness().optimized_time = time;
  hotness().polls_promoted = polls;
}

void PromotionNotes::NoteContinuation(size_t code_bytes, absl::Duration time) {
  ++hotness().continuations;
  hotness().continuation_bytes += code_bytes;
  hotness().continuation_time += time;
}

void PromotionNotes::NoteFailure(std::string reason) {
  ++hotness().failures;
  hotness().last_failure = std::move(reason);
}

void PromotionNotes::NoteKeptLoop(std::string reason) {
  ++hotness().loops_kept;
  hotness().last_kept = std::move(reason);
}

void PromotionNotes::NoteStep(PromotionStep step) { hotness().steps.push_back(std::move(step)); }

}  // namespace firstcall
