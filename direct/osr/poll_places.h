// Where the polls of a function are, and the numbers of the blocks that they add.
//
// Behind the function's blocks come the parts that are split off, then for each loop the block that
// asks and those that store, then the block that leaves, then the one that asks at the beginning.
//
// Thread-compatible. Reuse the object, because it keeps its memory from function to function.
// Tested in tests/direct/osr/polls_test.cc.

#ifndef FIRSTCALL_DIRECT_OSR_POLL_PLACES_H_
#define FIRSTCALL_DIRECT_OSR_POLL_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "direct/osr/loop_entries.h"
#include "ir/function.h"
#include "ir/operand.h"

namespace firstcall::direct {

// A poll, in front of old instruction number `place` of old block number `block`.
struct Poll {
  uint32_t loop;  // kNoLoop: the poll is at the function's beginning.
  uint32_t block;
  uint32_t place;
  uint32_t body;  // The number of the new block that has the rest of the old one.
  uint32_t ask;   // That of the block that calls the handler. Behind it come those that store.
  ir::Operand answer = {};  // What the handler returns.
  uint32_t end = 0;         // The last one of the blocks that store.
};

class PollPlaces {
 public:
  // Finds the places for polls at these `loops` of `function`, whose `entries` these are, and at
  // its beginning, if `asks_when_called`.
  void Find(const ir::Function& function, const LoopEntries& entries,
            absl::Span<const uint32_t> loops, bool asks_when_called);

  // Those at loops in their order, then the one at the beginning, if there is one.
  absl::Span<Poll> polls() { return absl::MakeSpan(polls_); }
  absl::Span<Poll> at_loops() { return absl::MakeSpan(polls_).first(loops_); }
  // The poll at the function's beginning; null if there is none.
  Poll* at_beginning() { return loops_ < polls_.size() ? &polls_.back() : nullptr; }
  // The poll in old block number `block`; null if there is none.
  const Poll* In(uint32_t block) const {
    return poll_of_[block] == 0 ? nullptr : &polls_[poll_of_[block] - 1];
  }
  // The number of the block that leaves, if there are polls at loops.
  uint32_t leave() const { return leave_; }

 private:
  std::vector<Poll> polls_;
  size_t loops_ = 0;               // How many polls are at loops.
  std::vector<uint32_t> poll_of_;  // By old block: 1 + the index of the poll in it; 0: none.
  uint32_t leave_ = 0;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_POLL_PLACES_H_
