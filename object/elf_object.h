// A relocatable ELF object in memory: the facts that the linker needs before it loads the object,
// and changes that prepare the object for loading. ElfTables, the base class, reads and writes the
// object's records.
//
// Thread-compatible. Tested in tests/object/elf_object_test.cc.

#ifndef FIRSTCALL_OBJECT_ELF_OBJECT_H_
#define FIRSTCALL_OBJECT_ELF_OBJECT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/memory_manager.h"
#include "object/elf_tables.h"
#include "object/lifecycle.h"

namespace firstcall {

class ElfObject final : public ElfTables {
 public:
  struct Undefined {
    absl::string_view name;
    bool is_weak = false;
    bool is_thread_local = false;
  };

  // Whether an undefined symbol is wanted although only debug information, or nothing, refers to
  // it: an object of others may name a symbol to have a member of an archive linked.
  using IsWanted = absl::FunctionRef<bool(absl::string_view name)>;
  static bool NoneIsWanted(absl::string_view /*name*/) { return false; }

  // `bytes` must outlive the object, which changes them. Views that methods return point into them.
  // InvalidArgument if they are not a 64-bit little-endian relocatable ELF object.
  static absl::StatusOr<std::unique_ptr<ElfObject>> Parse(absl::Span<char> bytes,
                                                          absl::string_view name,
                                                          IsWanted is_wanted = NoneIsWanted);

  // The undefined symbols, and the global symbols that the object defines. If there is debug
  // information, undefined() leaves out symbols that nothing else refers to and that are not
  // wanted.
  const std::vector<Undefined>& undefined() const { return undefined_; }
  const std::vector<absl::string_view>& defined() const { return defined_; }

  bool Defines(absl::string_view name) const;

  // Removes from undefined() the symbols that no relocation of a section to be loaded names and
  // that are not wanted: objects of others may have such symbols. (Parse does so if there is debug
  // information.) InvalidArgument if a relocation is damaged. Looks at every relocation.
  absl::Status DropUnneededSymbols(IsWanted is_wanted = NoneIsWanted);

  // The definitions that refer to symbol `name`. For messages: looks at every relocation.
  std::vector<absl::string_view> ReferrersTo(absl::string_view name) const;

  // A global definition, as other objects see it.
  struct Definition {
    absl::string_view name;
    bool is_weak = false;    // Gives way to another definition.
    bool is_hidden = false;  // Invisible to other libraries.
    bool is_thread_local = false;
  };
  std::vector<Definition> DescribeDefinitions() const;

  // The sections to be loaded whose name is a C identifier and unique in the object.
  struct NamedSection {
    absl::string_view name;
    uint32_t section;  // Its number.
    uint64_t size;
  };
  std::vector<NamedSection> NamedSections() const;

  // The functions that the sections .init_array, .fini_array and similar ones point to, in the
  // order of the file. InvalidArgument if a pointer is damaged; Unimplemented if one points to
  // another object's function.
  struct LifecyclePointer {
    LifecyclePhase phase;
    int64_t priority;
    uint32_t section;  // The number of the function's section.
    uint64_t offset;   // The offset of the function in that section.
  };
  absl::StatusOr<std::vector<LifecyclePointer>> LifecyclePointers() const;

  // The undefined symbols that the object's relocations reach only within an arena, such as those
  // of 32-bit distances. Unimplemented if a relocation does not reach even that far, such as an
  // absolute 32-bit address.
  absl::StatusOr<std::vector<absl::string_view>> NearSymbols() const;

  // Upper bounds of the memory that loading takes, including a linker's own tables and jumps.
  SegmentSizes MemorySizes() const;

  // Turns a definition into a reference to a definition elsewhere. UndefineAll does that for all of
  // `names`, each of which is there once, in one pass.
  void Undefine(absl::string_view name);
  void UndefineAll(absl::Span<const absl::string_view> names);

  // Makes the calls of functions that the object defines go to definitions elsewhere. The functions
  // stay in the object, without names. Has no effect on a function that is not called, or if the
  // object defines nothing but such functions in the function's section.
  void CallElsewhere(absl::Span<const absl::string_view> names);

  // Makes local definitions of `names` global and visible.
  void MakeGlobal(absl::Span<const absl::string_view> names);

  // Makes every definition strong. The engine has already chosen among several weak definitions.
  void MakeDefinitionsStrong();

  // Defines an undefined symbol, or each of `names`, as the address zero, the address of a weak
  // symbol that nothing defines.
  void DefineAsZero(absl::string_view name);
  void DefineAsZero(absl::Span<const absl::string_view> names);

  // Defines undefined symbols that name bounds of the object's sections to be loaded
  // (`__start_SECTION`, `__stop_SECTION`), if `is_own` holds for the name. If several sections have
  // one name, joins_sections() holds from now on.
  void DefineSectionBounds(absl::FunctionRef<bool(absl::string_view name)> is_own);

  // Whether sections of one name, which is a C identifier, have to be loaded one behind the other.
  bool joins_sections() const { return joins_sections_; }

  // Makes calls of undefined symbols direct if `is_near` holds for the symbol. On x86-64 the
  // relocations of these calls change. On AArch64, where direct calls have the same relocations as
  // others, only calls_are_direct() changes. InvalidArgument if a relocation is damaged.
  absl::Status BindCallsDirectly(absl::FunctionRef<bool(absl::string_view)> is_near);

  // Whether it is known that no call of the object needs a jump to reach its target.
  bool calls_are_direct() const { return calls_are_direct_; }

 private:
  ElfObject() = default;

  absl::Status ReadSymbols(IsWanted is_wanted);

  std::vector<Undefined> undefined_;
  std::vector<absl::string_view> defined_;
  bool joins_sections_ = false;
  bool calls_are_direct_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_ELF_OBJECT_H_
