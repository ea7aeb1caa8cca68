// Every object gets an MCJIT instance of its own: an instance binds a reference to its own
// definition of a name before it asks the resolver, also if another object defines it, and it
// remembers the addresses of sections whose memory may have been freed since.

#include "backend/mcjit/mcjit_linker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/call_once_state.h"
#include "base/fatal_error_guard.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "object/debugger_registration.h"

namespace firstcall {
namespace {

bool HasSeveralCodeSections(const ElfObject& object) {
  return std::count_if(object.sections().begin(), object.sections().end(),
                       [](const ElfObject::Section& section) {
                         return (section.flags & llvm::ELF::SHF_EXECINSTR) != 0 &&
                                section.size != 0;
                       }) > 1;
}

}  // namespace

// Answers MCJIT's look-ups while it binds references.
class McjitLinker::Resolver final : public llvm::LegacyJITSymbolResolver {
 public:
  // `needed` are the symbols that the object's loaded sections need. Must outlive the resolver.
  explicit Resolver(const std::vector<ElfObject::Undefined>& needed) : needed_(needed) {}

  void set_resolution(const SymbolResolution* resolution) { resolution_ = resolution; }

  llvm::JITSymbol findSymbol(const std::string& name) override {
    if (resolution_ == nullptr) return nullptr;
    auto found = resolution_->find(name);
    if (found != resolution_->end()) return Exported(found->second.value());
    return IsNeeded(name) ? llvm::JITSymbol(nullptr) : Exported(kNowhere);
  }

  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }

 private:
  // MCJIT also looks up what only debug information names, which is not loaded, and takes the
  // address zero for a missing symbol.
  static constexpr uint64_t kNowhere = 1;

  static llvm::JITSymbol Exported(uint64_t address) {
    return llvm::JITSymbol(address, llvm::JITSymbolFlags::Exported);
  }
  bool IsNeeded(absl::string_view name) const {
    return std::any_of(needed_.begin(), needed_.end(),
                       [&](const ElfObject::Undefined& symbol) { return symbol.name == name; });
  }

  const std::vector<ElfObject::Undefined>& needed_;
  const SymbolResolution* resolution_ = nullptr;
};

// Keeps what MCJIT tells of the object that was loaded last.
class McjitLinker::SectionRecorder final : public llvm::JITEventListener {
 public:
  explicit SectionRecorder(McjitLinker& linker) : linker_(linker) {}

  void notifyObjectLoaded(ObjectKey, const llvm::object::ObjectFile& object,
                          const llvm::RuntimeDyld::LoadedObjectInfo& info) override {
    if (!linker_.relocations_.empty()) {
      linker_.relocations_.Locate(object, [&](llvm::object::SectionRef section) {
        const ExecutorAddress run(info.getSectionLoadAddress(section));
        return PlainRelocations::Place{linker_.memory_->WriteAddressOf(run), run};
      });
    }
    addresses_.clear();
    for (const llvm::object::SectionRef& section : object.sections()) {
      addresses_.resize(std::max<size_t>(addresses_.size(), section.getIndex() + 1));
      addresses_[section.getIndex()] = ExecutorAddress(info.getSectionLoadAddress(section));
    }
  }

  ExecutorAddress AddressOf(uint32_t section) const {
    return section < addresses_.size() ? addresses_[section] : ExecutorAddress();
  }

 private:
  McjitLinker& linker_;
  std::vector<ExecutorAddress> addresses_;  // By the sections' numbers.
};

McjitLinker::McjitLinker(const Target& target)
    : target_(target), sections_(std::make_unique<SectionRecorder>(*this)) {}

McjitLinker::~McjitLinker() { Drop(); }

void McjitLinker::Drop() {
  if (owner_ == nullptr) return;
  owner_ = nullptr;
  relocations_.PutBack();
  memory_->Drop();
  Discard();
}

void McjitLinker::Keep() {
  if (owner_ == nullptr) return;
  HandOver();
  Discard();
}

void McjitLinker::HandOver() {
  memory_->Keep();
  owner_ = nullptr;
}

// An instance that LLVM has left inconsistent cannot be destroyed.
void McjitLinker::Discard() {
  const CallOnceState call_once;
  if (is_broken_) (void)mcjit_.release();
  is_broken_ = false;
  mcjit_ = nullptr;
}

absl::Status McjitLinker::MakeInstance(const ElfObject& object) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                             target_.CreateMachineForLinking());
  auto placeholder = std::make_unique<llvm::Module>("firstcall", context_);
  placeholder->setDataLayout(machine->createDataLayout());
  llvm::Module* module = placeholder.get();
  auto memory = std::make_unique<SectionMemory>();
  auto resolver = std::make_unique<Resolver>(object.undefined());
  memory_ = memory.get();
  resolver_ = resolver.get();
  std::string error;
  llvm::EngineBuilder builder(std::move(placeholder));
  builder.setEngineKind(llvm::EngineKind::JIT)
      .setErrorStr(&error)
      .setMCJITMemoryManager(std::move(memory))
      .setSymbolResolver(std::move(resolver));
  mcjit_.reset(builder.create(machine.release()));
  if (mcjit_ == nullptr) return absl::InternalError(absl::StrCat("creating MCJIT: ", error));
  // MCJIT's own registration would end with the instance, and would include objects without debug
  // information.
  mcjit_->UnregisterJITEventListener(llvm::JITEventListener::createGDBRegistrationListener());
  mcjit_->RegisterJITEventListener(sections_.get());
  // Without the module, finalizeObject compiles nothing and only finishes loaded objects.
  mcjit_->removeModule(module);
  delete module;
  return absl::OkStatus();
}

absl::StatusOr<SymbolAddresses> McjitLinker::Load(ElfObject& object, OwnedCode& owner,
                                                  ExecutorAddress near) {
  const CallOnceState call_once;
  Drop();
  FIRSTCALL_RETURN_IF_ERROR(MakeInstance(object));
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::unique_ptr<llvm::object::ObjectFile> file,
      FromLlvm(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(
                   llvm::StringRef(object.bytes().data(), object.bytes().size()), "object")),
               absl::StatusCode::kInvalidArgument, "loading an object"));
  SectionMemory::Placement placement;
  placement.owner = &owner;
  placement.near = near;
  placement.has_several_code_sections = HasSeveralCodeSections(object);
  if (near.is_null() || placement.has_several_code_sections) placement.sizes = object.MemorySizes();
  placement.needs_jumps = !object.calls_are_direct();
  memory_->BeginObject(object.defined(), placement);
  owner_ = &owner;
  relocations_ = PlainRelocations::TakeFrom(*file);
  absl::Status status = RunGuarded([&] { mcjit_->addObjectFile(std::move(file)); });
  if (!status.ok()) {
    absl::Status cause = memory_->status().ok() ? status : memory_->status();
    is_broken_ = true;
    Drop();
    return Annotate(cause, "loading an object");
  }
  object_ = &object;
  SymbolAddresses addresses;
  for (size_t i = 0; i < object.defined().size(); ++i) {
    addresses.emplace(object.defined()[i], memory_->addresses()[i]);
  }
  return addresses;
}

absl::Status McjitLinker::ApplyRelocations(const SymbolResolution& resolution) {
  absl::Status unknown;
  absl::Status applied = relocations_.Apply([&](absl::string_view name) {
    auto found = resolution.find(name);
    if (found != resolution.end()) return found->second;
    unknown = absl::InternalError(absl::StrCat("symbol '", name, "' was not resolved"));
    return ExecutorAddress();
  });
  return unknown.ok() ? applied : unknown;
}

absl::Status McjitLinker::Bind(const SymbolResolution& resolution) {
  const CallOnceState call_once;
  absl::Status status = ApplyRelocations(resolution);
  if (status.ok()) {
    resolver_->set_resolution(&resolution);
    status = RunGuarded([&] { mcjit_->finalizeObject(); });
    resolver_->set_resolution(nullptr);
    is_broken_ = !status.ok();
  }
  if (status.ok() && mcjit_->hasError()) status = absl::InternalError(mcjit_->getErrorMessage());
  return Annotate(status, "binding an object's references");
}

absl::Status McjitLinker::Finalize() {
  const CallOnceState call_once;
  FIRSTCALL_RETURN_IF_ERROR(memory_->Finalize());
  std::function<void()> withdraw = RegisterWithDebugger(
      *object_, [this](uint32_t section) { return sections_->AddressOf(section); });
  if (withdraw) owner_->OnFree(std::move(withdraw));
  HandOver();
  return absl::OkStatus();
}

ExecutorAddress McjitLinker::AddressOf(uint32_t section) const {
  return sections_->AddressOf(section);
}

size_t McjitLinker::code_bytes() const { return memory_->code_bytes(); }

}  // namespace firstcall
