// LLVM has one listener for the process, whose keys must be unique in the process.

#include "backend/llvm/llvm_debugger_registration.h"

#include <dlfcn.h>

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "object/debugger_registration.h"

namespace firstcall {
namespace {

using LoadedObjectInfo = llvm::RuntimeDyld::LoadedObjectInfo;

std::atomic<llvm::JITEventListener::ObjectKey> last_key{0};
std::atomic<bool> is_left_out{false};

// What the listener asks about an object that RuntimeDyld has not loaded: the image to register.
class ImageInfo final : public llvm::LoadedObjectInfoHelper<ImageInfo, LoadedObjectInfo> {
 public:
  ImageInfo() : LoadedObjectInfoHelper(Nobody(), LoadedObjectInfo::ObjSectionToIDMap()) {}

  llvm::object::OwningBinary<llvm::object::ObjectFile> getObjectForDebug(
      const llvm::object::ObjectFile& object) const override {
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(object.getData(), "");
    auto file = llvm::object::ObjectFile::createObjectFile(copy->getMemBufferRef());
    if (!file) {
      llvm::consumeError(file.takeError());
      return {};
    }
    return {std::move(*file), std::move(copy)};
  }

 private:
  // The base class needs a linker to refer to, and uses it only to find sections' addresses, which
  // nobody asks for.
  static llvm::RuntimeDyldImpl& Nobody() {
    alignas(16) static char nobody[16];
    return reinterpret_cast<llvm::RuntimeDyldImpl&>(nobody);
  }
};

std::function<void()> RegisterImage(std::vector<char> image) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(image.data(), image.size()), ""));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  llvm::JITEventListener* listener = llvm::JITEventListener::createGDBRegistrationListener();
  const llvm::JITEventListener::ObjectKey key = ++last_key;
  listener->notifyObjectLoaded(key, **file, ImageInfo());
  return [listener, key] { listener->notifyFreeingObject(key); };
}

}  // namespace

void LeaveOutLlvmsListener() { is_left_out = true; }

void UseLlvmsListener() {
  if (is_left_out) return;
  static const bool is_done = [] {
    // Linked statically, LLVM's function is the one of object/debugger_registration.
    SetDebuggerRegistrar(RegisterImage, dlsym(RTLD_DEFAULT, "__jit_debug_register_code"));
    return true;
  }();
  (void)is_done;
}

}  // namespace firstcall
