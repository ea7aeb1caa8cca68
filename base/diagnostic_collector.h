// Collects what LLVM reports about the IR of an LLVMContext (inline assembly that cannot be
// assembled, a construct the code generator refuses). By default LLVM would print it and exit.
//
// Thread-compatible: to be used by the thread that uses the context.

#ifndef FIRSTCALL_BASE_DIAGNOSTIC_COLLECTOR_H_
#define FIRSTCALL_BASE_DIAGNOSTIC_COLLECTOR_H_

#include <string>

namespace llvm {
class LLVMContext;
}  // namespace llvm

namespace firstcall {

// Makes `context` keep its errors for TakeDiagnostics; warnings and remarks are dropped.
void CollectDiagnostics(llvm::LLVMContext& context);

// The errors since the last call, separated by "; "; empty if there were none. `context` must have
// been given to CollectDiagnostics.
std::string TakeDiagnostics(llvm::LLVMContext& context);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_DIAGNOSTIC_COLLECTOR_H_
