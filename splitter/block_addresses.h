// Finds functions that share addresses of basic blocks. The address of a block is meaningful only
// in the module that contains the block, so such functions cannot be separated.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_BLOCK_ADDRESSES_H_
#define FIRSTCALL_SPLITTER_BLOCK_ADDRESSES_H_

#include <vector>

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// Returns the other functions that use the address of a block of `function`, and those whose block
// addresses `function` uses; a function may be listed more than once. `function` must be
// materialized: LLVM's reader materializes the others together with it, whichever of them is asked
// for. (In bitcode written by LLVM before 15, the reader does not know the users of a block's
// address.)
std::vector<llvm::Function*> BlockAddressPartners(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BLOCK_ADDRESSES_H_
