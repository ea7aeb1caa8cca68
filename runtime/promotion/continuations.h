// The answers to the loops of one function that have asked for an OSR continuation: for each such
// loop, its continuation, or that there can be none.
//
// An answer stays as long as this object. Thread-safe, except that only one thread at a time may
// give answers. All other methods take no lock and no memory, so they are async-signal-safe. Tested
// in tests/runtime/continuations_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_CONTINUATIONS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_CONTINUATIONS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "seam/loop_exit.h"

namespace firstcall {

class Continuations {
 public:
  Continuations() = default;
  ~Continuations();
  Continuations(const Continuations&) = delete;
  Continuations& operator=(const Continuations&) = delete;

  // Whether `loop` has an answer, even if the answer is that there can be no continuation.
  bool HasAnswer(uint32_t loop) const { return Find(loop) != nullptr; }
  // Whether `loop` has a continuation.
  bool Has(uint32_t loop) const;

  struct Continuation {
    void* code = nullptr;
    // How the first body is left for it, if that polls in machine code and can be left; otherwise
    // null.
    std::shared_ptr<const LoopExit> exit;
  };

  // What a thread needs to enter a continuation.
  struct Entrance {
    void* code = nullptr;            // Null if there is no continuation.
    const LoopExit* exit = nullptr;  // See Continuation.
  };
  // Returns the continuation for `loop`, and counts the entry. The exit lives as long as this
  // object, or one of `exits`.
  Entrance Enter(uint32_t loop);
  // All exits. To be called when no answer can be given any more.
  std::vector<std::shared_ptr<const LoopExit>> exits() const;
  // How often a continuation was entered.
  uint64_t entered() const;

  // Gives `loop` its continuation. If its code is null, there can be none. `loop` has no answer
  // yet.
  void Give(uint32_t loop, Continuation continuation);

 private:
  struct Answer;

  Answer* Find(uint32_t loop) const;

  std::atomic<Answer*> latest_{nullptr};  // The head of a list.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_CONTINUATIONS_H_
