// JITs that link by RuntimeDyld.

#ifndef FIRSTCALL_TESTS_CLIENTS_ORC_RUNTIME_DYLD_H_
#define FIRSTCALL_TESTS_CLIENTS_ORC_RUNTIME_DYLD_H_

#include <memory>

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"

namespace firstcall {

// Makes `builder` link by RuntimeDyld, with LLVM's memory manager. What LLVM passes besides the
// session depends on its version.
inline void LinkByRuntimeDyld(llvm::orc::LLJITBuilder& builder) {
  builder.setObjectLinkingLayerCreator(
      [](llvm::orc::ExecutionSession& session,
         auto&&...) -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
        return std::make_unique<llvm::orc::RTDyldObjectLinkingLayer>(
            session, [](auto&&...) { return std::make_unique<llvm::SectionMemoryManager>(); });
      });
}

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_CLIENTS_ORC_RUNTIME_DYLD_H_
