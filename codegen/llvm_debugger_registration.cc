// LLVM has one listener for the process, whose keys must be unique in the process.

#include "codegen/llvm_debugger_registration.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "code/debugger_registration.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace firstcall {
namespace {

using LoadedObjectInfo = llvm::RuntimeDyld::LoadedObjectInfo;

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

std::function<void()> Register(const llvm::object::ObjectFile& object,
                               const LoadedObjectInfo& info) {
  llvm::JITEventListener* listener = llvm::JITEventListener::createGDBRegistrationListener();
  // Not MCJIT's key: MCJIT may give it to another object after it has freed this one.
  const llvm::JITEventListener::ObjectKey key = ++last_key;
  listener->notifyObjectLoaded(key, object, info);
  return [listener, key] { listener->notifyFreeingObject(key); };
}

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
  return Register(**file, ImageInfo());
}

}  // namespace

std::function<void()> RegisterWithLlvmsListener(const llvm::object::ObjectFile& object,
                                                const LoadedObjectInfo& info) {
  return HasDebugInformation(object) ? Register(object, info) : nullptr;
}

void UseLlvmsListener() {
  static const bool is_done = [] {
    SetDebuggerRegistrar(RegisterImage);
    return true;
  }();
  (void)is_done;
}

}  // namespace firstcall
