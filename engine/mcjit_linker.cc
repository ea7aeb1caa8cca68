// MCJIT binds a reference to its own definition of a name before it asks the resolver. But this
// engine decides which definition counts. So an instance that defines a name which an object leaves
// undefined is replaced first. MCJIT also finds a section by the address where it is written. So an
// instance that remembers an address whose memory was freed is replaced, too.

#include "engine/mcjit_linker.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "engine/debugger_registration.h"
#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/IR/Module.h"

namespace firstcall {
namespace {

// From 16 to 256 the cost per object does not change measurably.
constexpr size_t kObjectsPerInstance = 128;

}  // namespace

// Answers MCJIT's look-ups while it binds references.
class McjitLinker::Resolver final : public llvm::LegacyJITSymbolResolver {
 public:
  void set_resolution(const SymbolAddresses* resolution) { resolution_ = resolution; }

  llvm::JITSymbol findSymbol(const std::string& name) override {
    if (resolution_ != nullptr) {
      auto found = resolution_->find(name);
      if (found != resolution_->end()) {
        return llvm::JITSymbol(found->second.value(), llvm::JITSymbolFlags::Exported);
      }
    }
    return nullptr;
  }

  // No object of an instance may provide a symbol for another object (see above).
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }

 private:
  const SymbolAddresses* resolution_ = nullptr;
};

// Keeps MCJIT's information on the object that was loaded last, and registers the object with a
// debugger.
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
    if (is_recording_) info_ = info.clone();
    is_recording_ = false;
    unregister_ = RegisterWithDebugger(object, info);
  }

  std::function<void()> TakeUnregister() { return std::exchange(unregister_, {}); }

  void RecordNext() { is_recording_ = true; }

  ExecutorAddress AddressOf(llvm::object::SectionRef section) const {
    return ExecutorAddress(info_ == nullptr ? 0 : info_->getSectionLoadAddress(section));
  }

 private:
  McjitLinker& linker_;
  bool is_recording_ = false;
  std::unique_ptr<llvm::LoadedObjectInfo> info_;
  std::function<void()> unregister_;
};

McjitLinker::McjitLinker(const Target& target)
    : target_(target), sections_(std::make_unique<SectionRecorder>(*this)) {}

McjitLinker::~McjitLinker() { Drop(); }

void McjitLinker::Drop() {
  if (owner_ == nullptr) return;
  owner_ = nullptr;
  if (std::function<void()> unregister = sections_->TakeUnregister()) unregister();
  memory_->Drop();
  Discard();
}

void McjitLinker::Keep() {
  if (owner_ == nullptr) return;
  HandOver();
  Discard();
}

void McjitLinker::HandOver() {
  if (std::function<void()> unregister = sections_->TakeUnregister()) {
    owner_->OnFree(std::move(unregister));
  }
  memory_->Keep();
  owner_ = nullptr;
}

// An instance with an unbound object would bind it together with the next one. An instance that
// LLVM has left inconsistent cannot be destroyed.
void McjitLinker::Discard() {
  if (is_broken_) (void)mcjit_.release();
  is_broken_ = false;
  mcjit_ = nullptr;
}

bool McjitLinker::MustRenew(const ObjectImage& image) const {
  if (mcjit_ == nullptr || object_count_ >= kObjectsPerInstance ||
      free_count_ != OwnedCode::free_count()) {
    return true;
  }
  return std::any_of(
      image.undefined().begin(), image.undefined().end(),
      [this](const ObjectImage::Undefined& symbol) { return defined_.contains(symbol.name); });
}

absl::Status McjitLinker::Renew() {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                             target_.CreateMachineForLinking());
  auto placeholder = std::make_unique<llvm::Module>("firstcall", context_);
  placeholder->setDataLayout(machine->createDataLayout());
  llvm::Module* module = placeholder.get();
  auto memory = std::make_unique<SectionMemory>();
  auto resolver = std::make_unique<Resolver>();
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
  object_count_ = 0;
  free_count_ = OwnedCode::free_count();
  defined_.clear();
  return absl::OkStatus();
}

absl::StatusOr<SymbolAddresses> McjitLinker::Load(ObjectImage& image, OwnedCode& owner,
                                                  ExecutorAddress near) {
  Drop();
  if (MustRenew(image)) FIRSTCALL_RETURN_IF_ERROR(Renew());
  SectionMemory::Placement placement;
  placement.owner = &owner;
  placement.near = near;
  placement.has_several_code_sections = image.HasSeveralCodeSections();
  if (near.is_null() || placement.has_several_code_sections) placement.sizes = image.MemorySizes();
  placement.needs_jumps = !image.calls_are_direct();
  memory_->BeginObject(image.defined(), placement);
  owner_ = &owner;
  std::unique_ptr<llvm::object::ObjectFile> object = image.TakeObject();
  relocations_ = PlainRelocations::TakeFrom(*object);
  absl::Status status = RunGuarded([&] { mcjit_->addObjectFile(std::move(object)); });
  if (!status.ok()) {
    absl::Status cause = memory_->status().ok() ? status : memory_->status();
    relocations_.PutBack();
    is_broken_ = true;
    Drop();
    return Annotate(cause, "loading an object");
  }
  ++object_count_;
  for (absl::string_view name : image.zeros()) defined_.emplace(name);
  SymbolAddresses addresses;
  for (size_t i = 0; i < image.defined().size(); ++i) {
    addresses.emplace(image.defined()[i], memory_->addresses()[i]);
    defined_.emplace(image.defined()[i]);
  }
  return addresses;
}

absl::Status McjitLinker::ApplyRelocations(const SymbolAddresses& resolution) {
  absl::Status unknown;
  absl::Status applied = relocations_.Apply([&](absl::string_view name) {
    auto found = resolution.find(name);
    if (found != resolution.end()) return found->second;
    unknown = absl::InternalError(absl::StrCat("symbol '", name, "' was not resolved"));
    return ExecutorAddress();
  });
  return unknown.ok() ? applied : unknown;
}

absl::Status McjitLinker::Bind(const SymbolAddresses& resolution) {
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
  FIRSTCALL_RETURN_IF_ERROR(memory_->Finalize());
  HandOver();
  return absl::OkStatus();
}

absl::Status McjitLinker::Finish(const SymbolAddresses& resolution) {
  absl::Status status = Bind(resolution);
  if (status.ok()) status = Finalize();
  if (!status.ok()) {
    relocations_.PutBack();
    Drop();
  }
  return status;
}

void McjitLinker::RecordSections() { sections_->RecordNext(); }

ExecutorAddress McjitLinker::AddressOf(llvm::object::SectionRef section) const {
  return sections_->AddressOf(section);
}

size_t McjitLinker::code_bytes() const { return memory_->code_bytes(); }

}  // namespace firstcall
