// LLVM's own listener does the work. There is one for the process, and its keys must be unique in
// the process.

#include "engine/debugger_registration.h"

#include <atomic>

#include "llvm/Object/ObjectFile.h"

namespace firstcall {
namespace {

std::atomic<llvm::JITEventListener::ObjectKey> last_key{0};

bool HasDebugInformation(const llvm::object::ObjectFile& object) {
  for (const llvm::object::SectionRef& section : object.sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
    } else if (*name == ".debug_info" || *name == "__debug_info") {
      return true;
    }
  }
  return false;
}

}  // namespace

std::function<void()> RegisterWithDebugger(const llvm::object::ObjectFile& object,
                                           const llvm::RuntimeDyld::LoadedObjectInfo& info) {
  if (!HasDebugInformation(object)) return {};
  llvm::JITEventListener* listener = llvm::JITEventListener::createGDBRegistrationListener();
  // Not MCJIT's key: MCJIT may give it to another object after it has freed this one.
  const llvm::JITEventListener::ObjectKey key = ++last_key;
  listener->notifyObjectLoaded(key, object, info);
  return [listener, key] { listener->notifyFreeingObject(key); };
}

}  // namespace firstcall
