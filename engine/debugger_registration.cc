// LLVM's own listener does the work. It is one for the process, and wants keys that are unique in
// it.

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

void DebuggerRegistration::notifyObjectLoaded(ObjectKey, const llvm::object::ObjectFile& object,
                                              const llvm::RuntimeDyld::LoadedObjectInfo& info) {
  if (!HasDebugInformation(object)) return;
  const ObjectKey key = ++last_key;
  createGDBRegistrationListener()->notifyObjectLoaded(key, object, info);
  absl::MutexLock lock(&mutex_);
  keys_.push_back(key);
}

DebuggerRegistration::~DebuggerRegistration() {
  absl::MutexLock lock(&mutex_);
  for (ObjectKey key : keys_) createGDBRegistrationListener()->notifyFreeingObject(key);
}

}  // namespace firstcall
