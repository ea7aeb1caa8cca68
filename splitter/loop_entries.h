// Where a function that runs can go on in another body: the beginnings of its loops' iterations,
// and what lives there.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_
#define FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_

#include <cstddef>
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

struct LoopEntries {
  std::vector<LoopEntry> entries;
  size_t variables = 0;   // How many of what lives at each.
  size_t impossible = 0;  // Loops that have none.
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

// Whether `function`, which must be materialized, has a loop: cheaper than finding its entries.
bool HasLoop(const llvm::Function& function);

// The entries of `function`'s loops: a block that a back edge of a depth-first search leads to, or
// in place of one that only branches indirectly, the blocks it branches to. The same IR gives the
// same entries. None of a function in which a call returns twice, must be a tail call, or asks for
// the frame it is in, or whose stack shrinks or is scanned; none where an address of a block
// lives, or more than is in proportion to the function.
LoopEntries FindLoopEntries(llvm::Function& function, const Labels& labels);

// The variables of constant size in the first block of `function`: those that live in its frame.
std::vector<llvm::AllocaInst*> FrameVariables(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LOOP_ENTRIES_H_
