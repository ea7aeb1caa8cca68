// OSR entries: the beginnings of a function's loop iterations, where a running call can continue in
// another body, and the live-ins there.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_OSR_LOOP_ENTRIES_H_
#define FIRSTCALL_SPLITTER_OSR_LOOP_ENTRIES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "splitter/osr/block_graph.h"
#include "splitter/osr/block_search.h"
#include "splitter/osr/labels.h"

namespace llvm {
class AllocaInst;
class BasicBlock;
class Function;
class Value;
}  // namespace llvm

namespace firstcall {

// An OSR entry: the beginning of `block`, after its phis. The live-ins, which are all that the code
// from there on may use, are passed in memory.
struct LoopEntry {
  struct Variable {
    llvm::AllocaInst* variable;
    size_t place;   // Its index among the FrameVariables.
    bool is_named;  // Live values may contain its address.
  };
  struct Value {
    llvm::Value* value;
    bool is_label;  // If so, its index among the IndirectTargets is passed.
  };

  llvm::BasicBlock* block = nullptr;
  size_t variable_places = 0;       // The number of FrameVariables.
  std::vector<Variable> variables;  // Passed by address; in the order of the function.
  std::vector<Value> values;        // Arguments, results, and the block's phis, in that order.
};

// The number of instructions of `function`, except those for debug information.
size_t CountInstructions(const llvm::Function& function);

// The variables of constant size in the first block of `function`, which live in its frame.
std::vector<llvm::AllocaInst*> FrameVariables(llvm::Function& function);

// Removes the lifetime markers of `variable`, so that it lives as long as its frame.
void EraseLifetimeMarks(llvm::AllocaInst& variable);

// The OSR entries of a function's loops: the loop headers of a BlockSearch. The same IR has the
// same entries in the same order. An entry's live-ins are computed when the entry is asked for, in
// time proportional to the function's blocks.
class LoopEntries {
 public:
  // What entries are asked for. Polls in IR are written before the first call, and store all
  // live-ins; a continuation is made for a loop that is hot.
  enum class Purpose { kPolls, kContinuation };

  // `function` must be materialized, and must not change while entries are asked for. `labels` are
  // the function's labels, and must outlive the entries.
  LoopEntries(llvm::Function& function, const Labels& labels, Purpose purpose);
  ~LoopEntries();
  LoopEntries(const LoopEntries&) = delete;
  LoopEntries& operator=(const LoopEntries&) = delete;

  // The number of loops, including those without a possible entry.
  size_t size() const { return entries_.size(); }
  llvm::BasicBlock& block(size_t loop) const { return *entries_[loop].entry.block; }

  // Null if the entry is impossible. No entry is possible in a function
  //  - whose labels may get outside it, whose stack shrinks or is scanned, or which is a coroutine;
  //  - with a call that returns twice, must be a tail call, or uses the frame (va_start, for one);
  //  - with a lifetime marker of anything but a variable;
  //  - with another feature that needs the function's own frame: callbr, swifterror, inalloca,
  //    preallocated, scoped exception handling.
  // An entry is also impossible
  //  - in an exception handling pad;
  //  - if a variable that holds a label is live, or a value that cannot be passed;
  //  - if too many values and variables are live, or finding them takes too long, for this entry or
  //    with those found before: only for polls in IR.
  const LoopEntry* Find(size_t loop);

 private:
  class Liveness;
  enum class State { kUnknown, kPossible, kImpossible };
  struct Entry {
    State state = State::kUnknown;
    LoopEntry entry;
  };
  bool CanBeNumbered(const llvm::Value& label) const;
  bool FillIn(size_t loop);

  llvm::Function& function_;
  const Labels& labels_;
  const Purpose purpose_;
  const BlockGraph graph_;
  BlockSearch search_;
  std::vector<Entry> entries_;
  // Computed when an entry is first asked for, because most never are:
  std::optional<bool> is_any_possible_;
  std::vector<llvm::AllocaInst*> variables_;
  std::unique_ptr<Liveness> liveness_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OSR_LOOP_ENTRIES_H_
