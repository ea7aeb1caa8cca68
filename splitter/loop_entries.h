// Where a function that runs can go on in another body: the beginnings of its loops' iterations,
// and what lives there.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_
#define FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "splitter/labels.h"

namespace llvm {
class AllocaInst;
class BasicBlock;
class Function;
class Value;
}  // namespace llvm

namespace firstcall {

// One is the beginning of `block`, after its phis. What the code from there on may use has its
// place in memory that is passed.
struct LoopEntry {
  struct Variable {
    llvm::AllocaInst* variable;
    size_t place;   // Among the FrameVariables.
    bool is_named;  // Values may have its address.
  };
  struct Value {
    llvm::Value* value;
    bool is_label;  // Then what is passed is which of the IndirectTargets it is.
  };

  llvm::BasicBlock* block = nullptr;
  size_t variable_places = 0;       // All FrameVariables have one.
  std::vector<Variable> variables;  // By address, in the order of the function.
  std::vector<Value> values;        // Arguments, results, and the block's phis, in that order.
};

// The instructions of `function`, without those that are about debug information.
size_t CountInstructions(const llvm::Function& function);

// The variables of constant size in the first block of `function`: those that live in its frame.
std::vector<llvm::AllocaInst*> FrameVariables(llvm::Function& function);

// Leaves `variable` without the marks of its lifetime: it lives as long as its frame.
void EraseLifetimeMarks(llvm::AllocaInst& variable);

// The entries of a function's loops: the blocks that the back edges of a depth-first search lead
// to. The same IR gives the same entries, in the same order. What lives at one is found when it is
// asked for, in time in proportion to the function's blocks.
class LoopEntries {
 public:
  // `function` must be materialized, and stay as it is while entries are asked for; `labels`, which
  // are its own, must outlive them.
  LoopEntries(llvm::Function& function, const Labels& labels);
  ~LoopEntries();
  LoopEntries(const LoopEntries&) = delete;
  LoopEntries& operator=(const LoopEntries&) = delete;

  bool has_loop() const { return has_loop_; }

  // How many loops there are, possible entries or not.
  size_t size() const { return entries_.size(); }
  llvm::BasicBlock& block(size_t loop) const { return *entries_[loop].entry.block; }

  // Null if it is impossible: in a function in which a call returns twice, must be a tail call, or
  // asks for the frame it is in, whose stack shrinks or is scanned, or in which lifetimes are of
  // other than variables; and where a variable that holds an address of a block lives, or very
  // much, or where finding that out would take too long, for this entry or for all that were asked
  // for before.
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
  std::vector<Entry> entries_;
  std::vector<llvm::AllocaInst*> variables_;
  std::unique_ptr<Liveness> liveness_;  // Made when it is needed.
  bool has_loop_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_
