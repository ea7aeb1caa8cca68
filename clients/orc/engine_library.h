// What libfirstcall_orc_engine.so offers to libfirstcall_orc.so, which loads it when the process
// creates its first LLJIT.

#ifndef FIRSTCALL_CLIENTS_ORC_ENGINE_LIBRARY_H_
#define FIRSTCALL_CLIENTS_ORC_ENGINE_LIBRARY_H_

namespace firstcall {

inline constexpr char kOrcEngineLibraryName[] = "libfirstcall_orc_engine.so";

// The names and types of the library's functions, as the linker sees them.

// Gets an llvm::orc::LLJITBuilderState that is prepared, and gives it a compile function.
inline constexpr char kOrcPrepareSymbol[] = "firstcall_orc_prepare";
using OrcPrepare = void(void* state);

// In the place of LLVMOrcCreateLLJIT.
inline constexpr char kOrcCreateSymbol[] = "firstcall_orc_create";
using OrcCreate = void*(void* result, void* builder);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ENGINE_LIBRARY_H_
