// The graph of a function's blocks: predecessors, which blocks can be reached, dominators. Each is
// computed when it is first asked for.
//
// The targets of the function's terminators must be numbers of blocks. Nothing else of the function
// is relied on, but that each block ends with a terminator.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_IR_CONTROL_FLOW_H_
#define FIRSTCALL_IR_CONTROL_FLOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/function.h"

namespace firstcall::ir {

class ControlFlow {
 public:
  // Forgets the former function. `function` must not change while this object is asked about it.
  void Begin(const Function& function) {
    function_ = &function;
    has_predecessors_ = has_tree_ = false;
  }

  // The blocks from which an edge leads to `block`, each once for each edge.
  absl::Span<const uint32_t> PredecessorsOf(uint32_t block) {
    if (!has_predecessors_) FindPredecessors();
    const uint32_t first = first_predecessor_[block];
    return {predecessors_.data() + first, first_predecessor_[block + 1] - first};
  }

  bool IsReachable(uint32_t block) {
    if (!has_tree_) BuildTree();
    return places_[block].end != 0;
  }

  // Whether every way from the entry to `block`, which can be reached, leads through `dominator`.
  // A block dominates itself.
  bool Dominates(uint32_t dominator, uint32_t block) {
    if (!has_tree_) BuildTree();
    const Place& above = places_[dominator];
    const uint32_t below = places_[block].begin;
    return above.begin <= below && below < above.end;
  }

  // Whether every way from the entry to `block`, which can be reached, leads through the edge from
  // `source` to `target`. There must be such an edge.
  bool EdgeDominates(uint32_t source, uint32_t target, uint32_t block) {
    return Dominates(target, block) && OnlyEntryTo(target) == source;
  }

 private:
  // A block that can be reached, by the number in which the depth-first search meets the block.
  struct Node {
    uint32_t block;
    uint32_t parent;    // In the tree of the search.
    uint32_t semi;      // The semidominator.
    uint32_t label;     // The node of least `semi` on the way to the node from the forest's root.
    uint32_t ancestor;  // In the forest; kNone: a root.
    uint32_t dominator;
    uint32_t bucket;  // The first node whose semidominator this is.
    uint32_t next_in_bucket;
  };
  // In a pre-order of the dominators' tree: the places of the block and all that it dominates.
  struct Place {
    uint32_t begin = 1, end = 0;  // Of a block that cannot be reached: none.
  };
  struct Successors {
    const uint32_t *begin, *end;
  };
  struct Visit {
    uint32_t node;
    Successors left;  // To visit.
  };

  void FindPredecessors();
  void BuildTree();
  void Search();
  void AddNode(uint32_t block, uint32_t parent);
  void FindDominators();
  void FindSemidominator(uint32_t node);
  // The node of least `semi` between `node` and the root of its tree in the forest.
  uint32_t Evaluate(uint32_t node);
  void Compress(uint32_t node);
  void EmptyBucket(uint32_t node);
  void PlaceAll();
  // The block from which the only edge leads to `block` that does not come from blocks that
  // `block` dominates; kNone if there are several such edges.
  uint32_t OnlyEntryTo(uint32_t block);

  const Function* function_ = nullptr;
  bool has_predecessors_ = false, has_tree_ = false;
  std::vector<Successors> successors_;       // By block.
  std::vector<uint32_t> first_predecessor_;  // For each block, and one more: where its part begins.
  std::vector<uint32_t> predecessors_;
  std::vector<uint32_t> node_of_;  // By block; kNone: cannot be reached.
  // These two are as large as the largest function has needed. The rest is not used.
  std::vector<Node> nodes_;
  std::vector<Visit> path_;
  uint32_t node_count_ = 0, path_length_ = 0;
  std::vector<uint32_t> way_;         // What Compress and PlaceAll work in.
  std::vector<Place> places_;         // By block.
  std::vector<uint32_t> only_entry_;  // By block; kNotFound: not asked for yet.
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CONTROL_FLOW_H_
