// Lazy layers that belong to LLJITs of a client that knows nothing of them.
//
// Thread-safe.

#ifndef FIRSTCALL_CLIENTS_ORC_ATTACHED_LAYERS_H_
#define FIRSTCALL_CLIENTS_ORC_ATTACHED_LAYERS_H_

#include <functional>

#include "clients/orc/orc_lazy_layer.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"

namespace firstcall {

// Makes a layer for `jit`, which exists until the JIT is destroyed. Errors are those of
// OrcLazyLayer::Create. `when_it_ends` is called before the layer is destroyed.
llvm::Error AttachLazyLayer(llvm::orc::LLJIT& jit, const llvm::orc::JITTargetMachineBuilder& target,
                            OrcLazyLayerOptions options,
                            std::function<void(OrcLazyLayer&)> when_it_ends);

// The layer of `jit`; null if none was attached.
OrcLazyLayer* LazyLayerOf(const llvm::orc::LLJIT& jit);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ATTACHED_LAYERS_H_
