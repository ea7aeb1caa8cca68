// The labels of a function's code. The blocks have the first labels, by their numbers in the order
// of blocks (block_order.h).
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LABELS_H_
#define FIRSTCALL_BACKEND_BASELINE_LABELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/baseline/assembler.h"
#include "backend/baseline/block_order.h"

namespace firstcall::baseline {

class Labels {
 public:
  // `assembler` writes the code.
  explicit Labels(const Assembler& assembler) : assembler_(assembler) {}

  // Begins a function whose order of blocks has `blocks` blocks.
  void Begin(size_t blocks) {
    offsets_.assign(blocks, kNone);
    address_labels_.clear();
    unbound_labels_.clear();
  }

  uint32_t New() {
    offsets_.push_back(kNone);
    return offsets_.size() - 1;
  }
  // Makes the label that of the next instruction.
  void Bind(uint32_t label) { offsets_[label] = assembler_.size(); }
  // Makes the label that of the instruction at `offset` in the assembler's buffer.
  void BindAt(uint32_t label, uint32_t offset) { offsets_[label] = offset; }
  bool IsBound(uint32_t label) const { return offsets_[label] != kNone; }
  // Each label's offset in the assembler's buffer; kNone if it is not bound.
  const std::vector<uint32_t>& offsets() const { return offsets_; }

  // The label that stands for block number `block` of the function where code takes its address,
  // because the moves for the block's phis may follow this label. `label`: the block's own label.
  uint32_t AddressLabelOf(uint32_t block, uint32_t label) {
    if (address_labels_.size() <= block) address_labels_.resize(block + 1, kNone);
    uint32_t& address_label = address_labels_[block];
    if (address_label == kNone) {
      address_label = New();
      unbound_labels_.push_back(address_label);
      unbound_labels_.push_back(label);
    }
    return address_label;
  }
  // Called behind the last block: binds each address label that is not bound as the block's own.
  void BindAddressLabels() {
    for (size_t i = 0; i < unbound_labels_.size(); i += 2) {
      uint32_t& offset = offsets_[unbound_labels_[i]];
      if (offset == kNone) offset = offsets_[unbound_labels_[i + 1]];
    }
  }

  // The offset of what code takes for the address of block number `block` of the function; kNone if
  // the block is not there. `label`: the block's own label. To be called behind BindAddressLabels.
  uint32_t AddressOf(uint32_t block, uint32_t label) const {
    const bool has_own = block < address_labels_.size() && address_labels_[block] != kNone;
    return offsets_[has_own ? address_labels_[block] : label];
  }

 private:
  const Assembler& assembler_;
  std::vector<uint32_t> offsets_;
  std::vector<uint32_t> address_labels_;  // For each block of the function; kNone: none.
  std::vector<uint32_t> unbound_labels_;  // Pairs: a label of address_labels_, its block's label.
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LABELS_H_
