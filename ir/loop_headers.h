// The headers of a function's loops, by a depth-first search of its blocks. Edges that a constant
// condition rules out are omitted (unoptimized code has many).
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/ir/loop_headers_test.cc.

#ifndef FIRSTCALL_IR_LOOP_HEADERS_H_
#define FIRSTCALL_IR_LOOP_HEADERS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/function.h"

namespace firstcall::ir {

class LoopHeaders {
 public:
  // Returns the targets of the search's back edges, each once, in the order in which they were
  // found. A loop's number is its header's index among these; splitter/osr/block_search finds the
  // headers of the same function of LLVM in the same order. Valid until the next call. Takes time
  // in proportion to the blocks; hardly any if no edge leads back.
  absl::Span<const uint32_t> Find(const Function& function);

 private:
  enum class State : uint8_t { kNew, kOnPath, kHeader, kDone };
  struct Visit {
    uint32_t block;
    const uint32_t* next;  // The first successor that has not been looked at.
    const uint32_t* end;
  };

  // Fills in `successors_`. Returns whether a block has an edge to itself or to one with a lower
  // number. Without such an edge, there is no loop.
  bool FindEdges(const Function& function);
  void Enter(uint32_t block);

  std::vector<absl::Span<const uint32_t>> successors_;  // By block.
  std::vector<State> states_;                           // By block.
  std::vector<Visit> path_;
  std::vector<uint32_t> headers_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_LOOP_HEADERS_H_
