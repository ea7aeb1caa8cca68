// What libfirstcall_mcjit_engine.so offers to libfirstcall_mcjit.so, which loads it when the
// process creates its first MCJIT engine.

#ifndef FIRSTCALL_CLIENTS_MCJIT_ENGINE_LIBRARY_H_
#define FIRSTCALL_CLIENTS_MCJIT_ENGINE_LIBRARY_H_

namespace firstcall {

inline constexpr char kEngineLibraryName[] = "libfirstcall_mcjit_engine.so";

// A function, as the linker sees it: the types of its arguments are LLVM's.
using ErasedConstructor = void (*)();

// The name of the library's only function, and its type: it gets MCJIT's constructor and returns
// the one that is to be called in its place.
inline constexpr char kEngineLibrarySymbol[] = "firstcall_mcjit_engine";
using ReplaceConstructor = ErasedConstructor(ErasedConstructor mcjits_own);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_ENGINE_LIBRARY_H_
