// Reads what the linker needs to know about a relocatable ELF object before it is loaded, and
// prepares the object's bytes for loading.
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
#include "absl/types/span.h"
#include "code/lifecycle.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/TargetParser/Triple.h"
#include "memory/memory_manager.h"

namespace firstcall {

class ObjectImage {
 public:
  struct Undefined {
    absl::string_view name;
    bool is_weak = false;
  };

  // `bytes` must outlive the image, which changes them. InvalidArgument if they are not a 64-bit
  // little-endian relocatable ELF object.
  static absl::StatusOr<std::unique_ptr<ObjectImage>> Parse(absl::Span<char> bytes,
                                                            absl::string_view name);

  llvm::Triple::ArchType architecture() const { return architecture_; }

  // The symbols that the sections to be loaded need (debug information may name others), and the
  // global symbols that the object defines. Views into the bytes.
  const std::vector<Undefined>& undefined() const { return undefined_; }
  const std::vector<absl::string_view>& defined() const { return defined_; }

  bool Defines(absl::string_view name) const;

  // The definitions that refer to symbol `name`; may be called after TakeObject. For messages:
  // looks at every relocation.
  std::vector<absl::string_view> ReferrersTo(absl::string_view name) const;

  // A global definition, as other objects see it.
  struct Definition {
    absl::string_view name;
    bool is_weak = false;    // Gives way to another definition.
    bool is_hidden = false;  // Invisible to other libraries.
  };
  std::vector<Definition> DescribeDefinitions() const;

  // The sections to be loaded whose name is a C identifier and unique in the object. `section` is
  // valid while the object exists.
  struct NamedSection {
    absl::string_view name;
    llvm::object::SectionRef section;
  };
  std::vector<NamedSection> NamedSections() const;

  // The functions that the sections .init_array, .fini_array and similar ones point to, in the
  // order of the file. InvalidArgument if a section cannot be read; Unimplemented if one points to
  // another object's function.
  struct LifecyclePointer {
    LifecyclePhase phase;
    int64_t priority;
    llvm::object::SectionRef section;  // Valid while the object exists.
    uint64_t offset;                   // Of the function in `section`.
  };
  absl::StatusOr<std::vector<LifecyclePointer>> LifecyclePointers() const;

  // The undefined symbols that the object's relocations reach only within an arena, such as those
  // of 32-bit distances. Unimplemented if a relocation does not reach even that far, such as an
  // absolute 32-bit address.
  absl::StatusOr<std::vector<absl::string_view>> NearSymbols() const;

  // Upper bounds of the memory that loading takes, including the linker's own tables and jumps.
  SegmentSizes MemorySizes() const;
  bool HasSeveralCodeSections() const;

  // Turns a definition into a reference to a definition elsewhere.
  void Undefine(absl::string_view name);

  // Makes every definition strong, because which of several weak ones counts is decided before.
  void MakeDefinitionsStrong();

  // Defines an undefined symbol as the address zero, as a weak reference without definition is.
  void DefineAsZero(absl::string_view name);

  // The symbols that DefineAsZero was called for.
  const std::vector<absl::string_view>& zeros() const { return zeros_; }

  // Makes calls of undefined symbols direct if `is_near` holds for the symbol. Otherwise the linker
  // puts a jump in between, however near the symbol is. On AArch64 either all calls of an object
  // are direct or none, so all symbols must be near.
  absl::Status BindCallsDirectly(absl::FunctionRef<bool(absl::string_view)> is_near);

  // Whether no call of the object needs a jump in between. May be false although none does.
  bool calls_are_direct() const { return calls_are_direct_; }

  // Hands the object out for loading. The image keeps the bytes.
  std::unique_ptr<llvm::object::ObjectFile> TakeObject() { return std::move(object_); }

 private:
  ObjectImage() = default;
  absl::Status ReadSymbols();
  absl::Status DropUndefinedOfUnloadedSections();

  // The extent before the linker shortens the table (see PlainRelocations).
  struct RelocationTable {
    uint32_t section;  // Number of the section that is relocated.
    uint64_t offset;
    uint64_t size;
  };

  absl::Span<char> bytes_;
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
