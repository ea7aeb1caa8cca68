#include "backend/mcjit/mcjit_generator.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/llvm/llvm_generator.h"
#include "backend/llvm/object_emitter.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

// Makes an object of which nothing is left to load: it has a header only.
void RemoveSections(char* bytes, size_t size) {
  llvm::ELF::Elf64_Ehdr elf;
  llvm::MachO::mach_header_64 macho;
  if (size >= sizeof(elf) && std::memcmp(bytes, llvm::ELF::ElfMagic, 4) == 0) {
    std::memcpy(&elf, bytes, sizeof(elf));
    elf.e_shoff = 0;
    elf.e_shnum = 0;
    elf.e_shstrndx = 0;
    std::memcpy(bytes, &elf, sizeof(elf));
  } else if (size >= sizeof(macho)) {
    std::memcpy(&macho, bytes, sizeof(macho));
    if (macho.magic != llvm::MachO::MH_MAGIC_64) return;
    macho.ncmds = 0;
    macho.sizeofcmds = 0;
    std::memcpy(bytes, &macho, sizeof(macho));
  }
}

// Takes the object that an engine has compiled. MCJIT loads it right afterwards, at addresses where
// it will never run, so the engine gets an object without sections.
class ObjectTaker final : public llvm::ObjectCache {
 public:
  explicit ObjectTaker(llvm::SmallVectorImpl<char>& object) : object_(object) {}

  void notifyObjectCompiled(const llvm::Module*, llvm::MemoryBufferRef compiled) override {
    object_.assign(compiled.getBufferStart(), compiled.getBufferEnd());
    // The bytes are MCJIT's, which has just written them.
    RemoveSections(const_cast<char*>(compiled.getBufferStart()), compiled.getBufferSize());
  }
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module*) override { return nullptr; }

 private:
  llvm::SmallVectorImpl<char>& object_;
};

// For objects without sections. (Without a memory manager, a program in which firstcall stands in
// MCJIT's place would take the engine for one of its own.)
class NoMemory final : public llvm::RTDyldMemoryManager {
 public:
  uint8_t* allocateCodeSection(uintptr_t, unsigned, unsigned, llvm::StringRef) override {
    return nullptr;
  }
  uint8_t* allocateDataSection(uintptr_t, unsigned, unsigned, llvm::StringRef, bool) override {
    return nullptr;
  }
  bool finalizeMemory(std::string*) override { return false; }
};

// An ObjectEmitter::Compile.
absl::Status CompileByMcjit(llvm::Module& module, std::unique_ptr<llvm::TargetMachine> machine,
                            llvm::SmallVectorImpl<char>& object) {
  object.clear();
  ObjectTaker taker(object);
  std::string error;
  // An engine is made with a module, which is lost if that fails.
  llvm::EngineBuilder builder(std::make_unique<llvm::Module>("none", module.getContext()));
  builder.setEngineKind(llvm::EngineKind::JIT)
      .setErrorStr(&error)
      .setMCJITMemoryManager(std::make_unique<NoMemory>());
  // If LLVM gives up or throws, the engine is left as it is, because the module is its own and the
  // caller's.
  llvm::ExecutionEngine* const engine = builder.create(machine.release());
  if (engine == nullptr) return absl::InvalidArgumentError(absl::StrCat("creating MCJIT: ", error));
  engine->UnregisterJITEventListener(llvm::JITEventListener::createGDBRegistrationListener());
  engine->setObjectCache(&taker);
  // The engine owns the module until it is removed from the engine.
  engine->addModule(std::unique_ptr<llvm::Module>(&module));
  absl::Status status = RunGuarded([&] { engine->generateCodeForModule(&module); });
  if (!status.ok()) return status;
  engine->removeModule(&module);
  delete engine;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<CodeGenerator>> CreateMcjitGenerator(const Target& target) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ObjectEmitter> emitter,
                             ObjectEmitter::Create(target, &CompileByMcjit));
  return std::make_unique<LlvmGenerator>(std::move(emitter), Generator::kMcjit);
}

}  // namespace firstcall
