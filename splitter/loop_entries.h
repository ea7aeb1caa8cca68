// Where a function that runs can go on in another body: the beginnings of its loops' iterations,
// and what lives there.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_
#define FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class AllocaInst;
class BasicBlock;
class Function;
class Value;
}  // namespace llvm

namespace firstcall {

// One is the beginning of `block`, after its phis.
struct LoopEntry {
  llvm::BasicBlock* block = nullptr;
  // What the code from there on may use: first all of the function's variables on the stack, by
  // address; then arguments, results, and the block's phis, in the order of the function.
  std::vector<llvm::Value*> live;
};

// The addresses of a function's own blocks, where they are.
struct Labels {
  bool stay_inside = true;  // Nothing but the function's own indirect branches can meet them.
  llvm::SmallPtrSet<const llvm::Value*, 8> values;  // What holds one.
};

// Follows the addresses of the blocks of `function`, which must be materialized, through the
// constant tables and the values that hold them.
Labels FindLabels(llvm::Function& function);

// The instructions of `function`, without those that are about debug information.
size_t CountInstructions(const llvm::Function& function);

// The variables of constant size in the first block of `function`: those that live in its frame.
std::vector<llvm::AllocaInst*> FrameVariables(llvm::Function& function);

// The entries of a function's loops: each a block that a back edge of a depth-first search leads
// to, or in place of one that only branches indirectly, the blocks it branches to. The same IR
// gives the same entries, in the same order. What lives at one is found when it is asked for, in
// time in proportion to the function's blocks.
class LoopEntries {
 public:
  // `function` must be materialized, and stay as it is while entries are asked for; `labels`, which
  // are its own, must outlive them.
  LoopEntries(llvm::Function& function, const Labels& labels);
  ~LoopEntries();
  LoopEntries(const LoopEntries&) = delete;
  LoopEntries& operator=(const LoopEntries&) = delete;

  bool has_loop() const { return has_loop_; }

  // How many entries there would be if all were possible.
  size_t size() const { return entries_.size(); }
  llvm::BasicBlock& block(size_t loop) const { return *entries_[loop].entry.block; }

  // Null if it is impossible: in a function in which a call returns twice, must be a tail call, or
  // asks for the frame it is in, or whose stack shrinks or is scanned; and where an address of a
  // block lives, or very much, or where finding that out would take too long.
  const LoopEntry* Find(size_t loop);

  // How many are, and loops that cannot have any. Finds all.
  size_t CountImpossible();

  // What lives at each of them first.
  const std::vector<llvm::AllocaInst*>& variables() const { return variables_; }

 private:
  class Liveness;
  enum class State { kUnknown, kPossible, kImpossible };
  struct Entry {
    State state = State::kUnknown;
    LoopEntry entry;
  };
  bool FillIn(LoopEntry& entry);

  llvm::Function& function_;
  const Labels& labels_;
  std::vector<Entry> entries_;
  std::vector<llvm::AllocaInst*> variables_;
  std::unique_ptr<Liveness> liveness_;  // Made when it is needed.
  bool has_loop_ = false;
  size_t without_entry_ = 0;  // Loops.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_
