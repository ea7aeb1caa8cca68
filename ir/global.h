// The functions, variables, aliases and ifuncs of a module.

#ifndef FIRSTCALL_IR_GLOBAL_H_
#define FIRSTCALL_IR_GLOBAL_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "ir/attributes.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::ir {

enum class GlobalKind : uint8_t { kFunction, kVariable, kAlias, kIfunc };

enum class Linkage : uint8_t {
  kExternal,
  kAvailableExternally,
  kLinkOnceAny,
  kLinkOnceOdr,
  kWeakAny,
  kWeakOdr,
  kAppending,
  kInternal,
  kPrivate,
  kExternalWeak,
  kCommon,
};

enum class Visibility : uint8_t { kDefault, kHidden, kProtected };

enum class ThreadLocalMode : uint8_t {
  kNotThreadLocal,
  kGeneralDynamic,
  kLocalDynamic,
  kInitialExec,
  kLocalExec,
};

enum class UnnamedAddress : uint8_t { kNone, kLocal, kGlobal };

// What many globals of a module have in common: all but their names, comdats and initializers. A
// plain value that a Module owns.
struct GlobalTraits {
  GlobalKind kind = GlobalKind::kVariable;
  Linkage linkage = Linkage::kExternal;
  Visibility visibility = Visibility::kDefault;
  ThreadLocalMode thread_local_mode = ThreadLocalMode::kNotThreadLocal;
  UnnamedAddress unnamed_address = UnnamedAddress::kNone;
  bool is_dso_local = false;
  // A function without a body, a variable without an initializer.
  bool is_declaration = true;
  bool is_constant = false;  // Of a variable.
  bool is_externally_initialized = false;
  bool has_debug_information = false;  // A DISubprogram, or a DIGlobalVariableExpression.
  // A variable's code model is the large one: it may lie out of reach of code.
  bool has_large_code_model = false;
  // Has something that code generation has to heed and this description lacks: a partition,
  // metadata other than debug information, sanitizers' metadata, a code model of its own, a DLL
  // storage class.
  bool has_unknown = false;
  CallingConvention convention = kConventionC;
  IntrinsicId intrinsic = IntrinsicId::kNone;
  uint32_t address_space = 0;
  uint64_t alignment = 0;                     // In bytes; 0: none is given.
  absl::string_view section;                  // Empty: none.
  absl::string_view collector;                // Of a function; empty: none.
  const Type* type = nullptr;                 // Of the address: a pointer.
  const Type* value_type = nullptr;           // Of a function: its function type.
  const AttributeList* attributes = nullptr;  // Of a function; never null there.
  AttributeSet variable_attributes;           // Of a variable.
  // Constants of the module, or nothing. Of a function.
  Operand personality, prefix_data, prologue_data;

  bool HasLocalLinkage() const {
    return linkage == Linkage::kInternal || linkage == Linkage::kPrivate;
  }

  friend bool operator==(const GlobalTraits& a, const GlobalTraits& b);
};

inline constexpr GlobalTraits kDefaultTraits;

// A plain value of 32 bytes that a Module owns. A module may have very many globals, of which a run
// of the program needs few.
struct Global {
  // As in IR: with the mark \1 of names that mangling must not change. May be empty, but for names
  // that another module can refer to.
  absl::string_view name;
  const GlobalTraits* traits = &kDefaultTraits;  // Never null. Other globals may have the same.
  uint32_t comdat = kNone;                       // The number in Module::comdats().
  // A constant of the module, or nothing: of a variable its initializer, of an alias its aliasee,
  // of an ifunc its resolver.
  Operand initializer;

  GlobalKind kind() const { return traits->kind; }
  Linkage linkage() const { return traits->linkage; }
  Visibility visibility() const { return traits->visibility; }
  ThreadLocalMode thread_local_mode() const { return traits->thread_local_mode; }
  UnnamedAddress unnamed_address() const { return traits->unnamed_address; }
  bool is_dso_local() const { return traits->is_dso_local; }
  bool is_declaration() const { return traits->is_declaration; }
  bool is_constant() const { return traits->is_constant; }
  bool is_externally_initialized() const { return traits->is_externally_initialized; }
  bool has_debug_information() const { return traits->has_debug_information; }
  bool has_large_code_model() const { return traits->has_large_code_model; }
  bool has_unknown() const { return traits->has_unknown; }
  CallingConvention convention() const { return traits->convention; }
  IntrinsicId intrinsic() const { return traits->intrinsic; }
  uint32_t address_space() const { return traits->address_space; }
  uint64_t alignment() const { return traits->alignment; }
  absl::string_view section() const { return traits->section; }
  absl::string_view collector() const { return traits->collector; }
  const Type* type() const { return traits->type; }
  const Type* value_type() const { return traits->value_type; }
  const AttributeList* attributes() const { return traits->attributes; }
  const AttributeSet& variable_attributes() const { return traits->variable_attributes; }
  Operand personality() const { return traits->personality; }
  Operand prefix_data() const { return traits->prefix_data; }
  Operand prologue_data() const { return traits->prologue_data; }

  bool IsFunction() const { return kind() == GlobalKind::kFunction; }
  bool IsVariable() const { return kind() == GlobalKind::kVariable; }
  bool HasLocalLinkage() const { return traits->HasLocalLinkage(); }
  // Whether a linker may choose another definition than this one.
  bool IsWeakForLinker() const {
    switch (linkage()) {
      case Linkage::kLinkOnceAny:
      case Linkage::kLinkOnceOdr:
      case Linkage::kWeakAny:
      case Linkage::kWeakOdr:
      case Linkage::kCommon:
      case Linkage::kExternalWeak:
        return true;
      default:
        return false;
    }
  }
  bool IsThreadLocal() const { return thread_local_mode() != ThreadLocalMode::kNotThreadLocal; }
};
static_assert(sizeof(Global) == 32);

// A global that is yet to be added to a module (Module::AddGlobal), with traits of its own.
struct NewGlobal {
  absl::string_view name;
  uint32_t comdat = kNone;
  Operand initializer;
  GlobalTraits traits;

  NewGlobal() = default;
  // A copy of another module's global.
  explicit NewGlobal(const Global& global)
      : name(global.name),
        comdat(global.comdat),
        initializer(global.initializer),
        traits(*global.traits) {}

  // Valid as long as this object.
  Global AsGlobal() const { return {name, &traits, comdat, initializer}; }
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_GLOBAL_H_
