#include "clients/mcjit/object_notifier.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace firstcall {
namespace {

// Of all engines of the process: a listener may listen to several.
std::atomic<uint64_t> last_key{0};

using SectionAddresses = std::map<uint64_t, uint64_t>;  // By the section's number.

// LLVM's type wants to refer to MCJIT's linker, which has no part in this. The functions that would
// use it are replaced.
llvm::RuntimeDyldImpl& NoLinker() {
  alignas(16) static char none[1];
  return reinterpret_cast<llvm::RuntimeDyldImpl&>(none);
}

// Where the sections of a published object are.
class LoadedObject final
    : public llvm::LoadedObjectInfoHelper<LoadedObject, llvm::RuntimeDyld::LoadedObjectInfo> {
 public:
  explicit LoadedObject(SectionAddresses addresses)
      : LoadedObjectInfoHelper(NoLinker(), ObjSectionToIDMap()), addresses_(std::move(addresses)) {}

  uint64_t getSectionLoadAddress(const llvm::object::SectionRef& section) const override {
    const auto found = addresses_.find(section.getIndex());
    return found == addresses_.end() ? 0 : found->second;
  }

  // A copy whose section headers have the addresses.
  llvm::object::OwningBinary<llvm::object::ObjectFile> getObjectForDebug(
      const llvm::object::ObjectFile& object) const override {
    std::unique_ptr<llvm::WritableMemoryBuffer> copy =
        llvm::WritableMemoryBuffer::getNewUninitMemBuffer(object.getData().size(),
                                                          object.getFileName());
    std::copy(object.getData().begin(), object.getData().end(), copy->getBufferStart());
    if (const auto* elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(&object)) {
      for (const llvm::object::SectionRef& section : object.sections()) {
        const uint64_t address = getSectionLoadAddress(section);
        if (address == 0) continue;
        const auto* header = elf->getSection(section.getRawDataRefImpl());
        const size_t offset = reinterpret_cast<const char*>(header) - object.getData().data();
        reinterpret_cast<llvm::object::ELF64LE::Shdr*>(copy->getBufferStart() + offset)->sh_addr =
            address;
      }
    }
    std::unique_ptr<llvm::MemoryBuffer> bytes = std::move(copy);
    llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> result =
        llvm::object::ObjectFile::createObjectFile(bytes->getMemBufferRef());
    if (!result) {
      llvm::consumeError(result.takeError());
      return {};
    }
    return {std::move(*result), std::move(bytes)};
  }

 private:
  const SectionAddresses addresses_;
};

llvm::StringRef ToRef(absl::string_view text) { return {text.data(), text.size()}; }

// The sections that the functions of the object are in.
SectionAddresses AddressesIn(const llvm::object::ObjectFile& object,
                             absl::Span<const PublishedFunction> functions) {
  SectionAddresses addresses;
  for (const llvm::object::SymbolRef& symbol : object.symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    llvm::Expected<llvm::object::section_iterator> section = symbol.getSection();
    llvm::Expected<uint64_t> value = symbol.getValue();
    const bool is_known = name && section && value && *section != object.section_end();
    for (const PublishedFunction& function : functions) {
      if (!is_known) break;
      if (*name != ToRef(function.symbol.empty() ? function.name : function.symbol)) continue;
      addresses[(*section)->getIndex()] = function.body.value() - *value;
    }
    llvm::consumeError(name.takeError());
    llvm::consumeError(section.takeError());
    llvm::consumeError(value.takeError());
  }
  return addresses;
}

}  // namespace

void ObjectNotifier::Add(llvm::JITEventListener* listener) {
  absl::MutexLock lock(&mutex_);
  listeners_.push_back(listener);
}

void ObjectNotifier::Remove(llvm::JITEventListener* listener) {
  absl::MutexLock lock(&mutex_);
  listeners_.erase(std::remove(listeners_.begin(), listeners_.end(), listener), listeners_.end());
  told_.erase(std::remove_if(told_.begin(), told_.end(),
                             [&](const auto& told) { return told.second == listener; }),
              told_.end());
}

void ObjectNotifier::NotifyFreeing() {
  absl::MutexLock lock(&mutex_);
  listeners_.clear();
  for (const auto& [key, listener] : told_) listener->notifyFreeingObject(key);
  told_.clear();
}

void ObjectNotifier::OnPublished(const PublishedObject& published) {
  absl::MutexLock lock(&mutex_);
  if (listeners_.empty() || published.functions.empty()) return;
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(
          llvm::MemoryBufferRef(ToRef(published.object), "firstcall"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return;
  }
  const LoadedObject loaded(AddressesIn(**object, published.functions));
  const uint64_t key = ++last_key;
  for (llvm::JITEventListener* listener : listeners_) {
    listener->notifyObjectLoaded(key, **object, loaded);
    told_.push_back({key, listener});
  }
}

}  // namespace firstcall
