// Reads what the linker has to know of a relocatable ELF object before it is loaded, and prepares
// its bytes for loading.
//
// Thread-compatible.

#ifndef FIRSTCALL_ENGINE_OBJECT_IMAGE_H_
#define FIRSTCALL_ENGINE_OBJECT_IMAGE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/TargetParser/Triple.h"
#include "memory/memory_manager.h"
#include "splitter/lifecycle.h"

namespace firstcall {

class ObjectImage {
 public:
  struct Undefined {
    absl::string_view name;
    bool is_weak = false;
  };

  // `bytes` must outlive the image, and is changed by the methods below. InvalidArgument if it is
  // not a 64-bit little-endian ELF object.
  static absl::StatusOr<std::unique_ptr<ObjectImage>> Parse(llvm::MutableArrayRef<char> bytes,
                                                            absl::string_view name);

  llvm::Triple::ArchType architecture() const { return architecture_; }

  // Symbols that what will be loaded of it needs (debug information may name others), and symbols
  // it gives to others; views into the bytes.
  const std::vector<Undefined>& undefined() const { return undefined_; }
  const std::vector<absl::string_view>& defined() const { return defined_; }

  bool Defines(absl::string_view name) const;

  // The definitions that refer to symbol `name`, also after the object was taken. For messages: it
  // looks at every relocation.
  std::vector<absl::string_view> ReferrersTo(absl::string_view name) const;

  // What else others have to know of a definition.
  struct Definition {
    absl::string_view name;
    bool is_weak = false;    // Yields to another one.
    bool is_hidden = false;  // Not for other libraries.
  };
  std::vector<Definition> DescribeDefinitions() const;

  // The sections to be loaded that have a C identifier for a name, if only one has it. `section` is
  // valid while the object is loaded.
  struct NamedSection {
    absl::string_view name;
    llvm::object::SectionRef section;
  };
  std::vector<NamedSection> NamedSections() const;

  // What the sections .init_array, .fini_array and their like point to, in the order of the file.
  // InvalidArgument if a section cannot be read.
  struct LifecyclePointer {
    LifecyclePhase phase;
    int64_t priority;
    llvm::object::SectionRef section;  // Valid while the object is loaded.
    uint64_t offset;                   // Into the section.
  };
  absl::StatusOr<std::vector<LifecyclePointer>> LifecyclePointers() const;

  // The undefined symbols that the object refers to by a distance of 32 bits, and needs within that
  // reach. Unimplemented if it refers to anything by an absolute address of 32 bits, which code
  // that may lie anywhere cannot.
  absl::StatusOr<std::vector<absl::string_view>> NearSymbols() const;

  // What loading it takes at most, the linker's own pieces included.
  SegmentSizes MemorySizes() const;
  bool HasSeveralCodeSections() const;

  // Makes a definition a reference to one that stands elsewhere.
  void Undefine(absl::string_view name);

  // Makes every definition strong: which of several weak ones counts was decided before.
  void MakeDefinitionsStrong();

  // Makes an undefined symbol the address zero: what a weak reference that nothing satisfies is.
  void DefineAsZero(absl::string_view name);

  // Symbols DefineAsZero was called for.
  const std::vector<absl::string_view>& zeros() const { return zeros_; }

  // Lets calls of undefined symbols that `is_near` go straight to them. Without it the linker puts
  // a jump in between, however near they are. On AArch64 it does so for all calls of an object or
  // for none, so there all of them have to be near.
  absl::Status BindCallsDirectly(absl::FunctionRef<bool(absl::string_view)> is_near);

  // Whether no call of the object needs a jump in between; may be false where none does.
  bool calls_are_direct() const { return calls_are_direct_; }

  // For loading: the image stays the owner of what it was parsed from.
  std::unique_ptr<llvm::object::ObjectFile> TakeObject() { return std::move(object_); }

 private:
  ObjectImage() = default;
  absl::Status ReadSymbols();
  absl::Status DropUndefinedOfUnloadedSections();

  // As the object has it before the linker shortens it (see PlainRelocations).
  struct RelocationTable {
    uint32_t section;  // The number of the one it is for.
    uint64_t offset;
    uint64_t size;
  };

  llvm::MutableArrayRef<char> bytes_;
  std::vector<RelocationTable> relocation_tables_;
  std::unique_ptr<llvm::object::ObjectFile> object_;
  llvm::Triple::ArchType architecture_ = llvm::Triple::UnknownArch;
  std::vector<Undefined> undefined_;
  std::vector<absl::string_view> defined_;
  std::vector<absl::string_view> zeros_;
  bool calls_are_direct_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OBJECT_IMAGE_H_
