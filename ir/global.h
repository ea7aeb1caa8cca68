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

// A plain value that a Module owns.
struct Global {
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
  uint64_t alignment = 0;  // In bytes; 0: none is given.
  // As in IR: with the mark \1 of names that mangling must not change. May be empty, but for names
  // that another module can refer to.
  absl::string_view name;
  absl::string_view section;                  // Empty: none.
  absl::string_view collector;                // Of a function; empty: none.
  uint32_t comdat = kNone;                    // The number in Module::comdats().
  const Type* type = nullptr;                 // Of the address: a pointer.
  const Type* value_type = nullptr;           // Of a function: its function type.
  const AttributeList* attributes = nullptr;  // Of a function; never null there.
  AttributeSet variable_attributes;           // Of a variable.
  // Constants of the module, or nothing.
  Operand initializer;  // Of a variable; of an alias its aliasee, of an ifunc its resolver.
  Operand personality, prefix_data, prologue_data;  // Of a function.

  bool IsFunction() const { return kind == GlobalKind::kFunction; }
  bool IsVariable() const { return kind == GlobalKind::kVariable; }
  bool HasLocalLinkage() const {
    return linkage == Linkage::kInternal || linkage == Linkage::kPrivate;
  }
  // Whether a linker may choose another definition than this one.
  bool IsWeakForLinker() const {
    switch (linkage) {
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
  bool IsThreadLocal() const { return thread_local_mode != ThreadLocalMode::kNotThreadLocal; }
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_GLOBAL_H_
