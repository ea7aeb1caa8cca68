// What has been made for one function, or could not be made: its part of the statistics.
//
// Takes memory once there is something to note, because most functions never become hot.
// Thread-compatible. Tested in tests/runtime/promotion_notes_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_NOTES_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_NOTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "seam/promotion_stats.h"

namespace firstcall {

class PromotionNotes {
 public:
  // Notes that an optimized body was published, when the first body had counted `polls` calls and
  // iterations.
  void NoteBody(size_t code_bytes, absl::Duration time, bool is_cached, uint64_t polls);
  void NoteContinuation(size_t code_bytes, absl::Duration time);
  void NoteFailure(std::string reason);
  // Notes that the first body cannot be left at one of its loops.
  void NoteKeptLoop(std::string reason);
  void NoteStep(PromotionStep step);

  // Returns what was noted. The other fields have their initial values.
  FunctionHotness Collect() const { return hotness_ != nullptr ? *hotness_ : FunctionHotness(); }

 private:
  FunctionHotness& hotness();

  std::unique_ptr<FunctionHotness> hotness_;  // Null until there is something to note.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_NOTES_H_
