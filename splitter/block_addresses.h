// Functions that share the addresses of basic blocks. A block's address means something only in the
// module that has the block, so such functions cannot be separated.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_BLOCK_ADDRESSES_H_
#define FIRSTCALL_SPLITTER_BLOCK_ADDRESSES_H_

#include <vector>

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// The other functions that use the address of a block of `function`, and those of whose blocks
// `function` uses an address; perhaps more than once. `function` must be materialized: LLVM's
// reader materializes the others together with it, whichever of them is asked for. (Bitcode that
// LLVM before 15 wrote does not tell the reader about the former.)
std::vector<llvm::Function*> BlockAddressPartners(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BLOCK_ADDRESSES_H_
