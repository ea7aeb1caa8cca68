// What libfirstcall_orc_engine.so offers to libfirstcall_orc.so, which loads it when the process
// creates its first LLJIT.

#ifndef FIRSTCALL_CLIENTS_ORC_ENGINE_LIBRARY_H_
#define FIRSTCALL_CLIENTS_ORC_ENGINE_LIBRARY_H_

namespace firstcall {

inline constexpr char kOrcEngineLibraryName[] = "libfirstcall_orc_engine.so";

// The names and types of the library's functions, as the linker sees them.

// In the place of a state's prepareForConstruction: calls `original`, which is LLVM's own, for the
// llvm::orc::LLJITBuilderState, and gives the state a compile function. `error`, uninitialized
// memory, becomes an llvm::Error.
inline constexpr char kOrcPrepareSymbol[] = "firstcall_orc_prepare";
using OrcPrepare = void(void* error, void* state, void* original);

// In the place of LLVMOrcCreateLLJIT.
inline constexpr char kOrcCreateSymbol[] = "firstcall_orc_create";
using OrcCreate = void*(void* result, void* builder);

// In the place of LLJIT::addIRModule and LLLazyJIT::addLazyIRModule: adds an
// llvm::orc::ThreadSafeModule to a dylib, or by a resource tracker if `tracker` is not null, by the
// lazy layer of `jit`. `error`, uninitialized memory, becomes an llvm::Error. Returns false, and
// has done nothing, if `jit` has no lazy layer.
inline constexpr char kOrcAddSymbol[] = "firstcall_orc_add";
using OrcAdd = bool(void* error, void* jit, void* tracker, void* dylib, void* module);

// In the place of LLVMOrcLLJITAddLLVMIRModule and LLVMOrcLLJITAddLLVMIRModuleWithRT: the same for
// the C API's references, of which it takes over the module's. `error` becomes an LLVMErrorRef.
inline constexpr char kOrcAddReferenceSymbol[] = "firstcall_orc_add_reference";
using OrcAddReference = bool(void** error, void* jit, void* tracker, void* dylib, void* module);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ENGINE_LIBRARY_H_
