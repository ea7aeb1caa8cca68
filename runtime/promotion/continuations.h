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

  // Returns the continuation for `loop`, and counts the entry; null if there is none.
  void* Enter(uint32_t loop);
  // How often a continuation was entered.
  uint64_t entered() const;

  // Gives `loop` the continuation `code`. Null: there can be none. `loop` has no answer yet.
  void Give(uint32_t loop, void* code);

 private:
  struct Answer;

  Answer* Find(uint32_t loop) const;

  std::atomic<Answer*> latest_{nullptr};  // The head of a list.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_CONTINUATIONS_H_
