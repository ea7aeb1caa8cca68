// Attributes of functions, calls, parameters and results, as far as code generation asks for them.
// Others (such as `nonnull`) are not kept.
//
// Plain values that a Module owns. Thread-safe once the module is complete.

#ifndef FIRSTCALL_IR_ATTRIBUTES_H_
#define FIRSTCALL_IR_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/type.h"

namespace firstcall::ir {

// In the order of this enumeration, an attribute has a bit in AttributeSet::kinds.
enum class Attribute : uint8_t {
  // Of parameters, arguments and results.
  kByVal,
  kByRef,
  kStructRet,
  kInAlloca,
  kPreallocated,
  kElementType,
  kNest,
  kInReg,
  kSExt,
  kZExt,
  kSwiftSelf,
  kSwiftError,
  kSwiftAsync,
  kReturned,
  kImmArg,
  kNoCapture,  // Of LLVM 21 on: captures(none).
  kAlign,
  kStackAlignment,  // Also of functions.
  // Of functions and calls.
  kNaked,
  kNoInline,
  kAlwaysInline,
  kOptimizeNone,
  kCold,
  kNoReturn,
  kNoUnwind,
  kNoRedZone,
  kReturnsTwice,
  kUWTable,
  kStackProtect,
  kStackProtectReq,
  kStackProtectStrong,
  kSafeStack,
  kShadowCallStack,
  kStrictFP,
  kSanitizeAddress,
  kSanitizeHWAddress,
  kSanitizeThread,
  kSanitizeMemory,
  kSanitizeMemTag,
  kPresplitCoroutine,
  kSpeculativeLoadHardening,
  kFnRetThunkExtern,
  kNoBuiltin,
  kNoCfCheck,
  kNonLazyBind,
  kJumpTable,
  kNoMerge,
  kNoDuplicate,
  kConvergent,
  kNullPointerIsValid,
  // An attribute that the reader does not know: what it means is LLVM's to say.
  kUnknown,
  // Of functions and calls: they access only some of the memory, or do so only in some ways.
  kMemory,
};
static_assert(static_cast<int>(Attribute::kMemory) < 64);

struct StringAttribute {
  absl::string_view name, value;
};

// The attributes of a function, of a result, or of one parameter.
struct AttributeSet {
  uint64_t kinds = 0;
  uint32_t alignment = 0;        // In bytes; 0: none.
  uint32_t stack_alignment = 0;  // In bytes; 0: none.
  // The type of byval, byref, sret, inalloca, preallocated or elementtype; a parameter has at most
  // one of the first five, and then no elementtype. Null: none.
  const Type* type = nullptr;
  absl::Span<const StringAttribute> strings;

  bool Has(Attribute attribute) const { return (kinds >> static_cast<int>(attribute) & 1) != 0; }
  bool HasString(absl::string_view name) const {
    for (const StringAttribute& attribute : strings) {
      if (attribute.name == name) return true;
    }
    return false;
  }
  // Empty if there is none.
  absl::string_view ValueOf(absl::string_view name) const {
    for (const StringAttribute& attribute : strings) {
      if (attribute.name == name) return attribute.value;
    }
    return {};
  }
  // The value as a decimal number; `otherwise` if there is none. Nothing for any other text, which
  // LLVM may read as another number.
  std::optional<uint64_t> NumberOf(absl::string_view name, uint64_t otherwise) const;
};

// The attributes of a function or a call, with its result and parameters. Default: none at all.
class AttributeList {
 public:
  AttributeSet function, result;
  std::vector<AttributeSet> parameters;  // May be shorter than the list of parameters.
  uint64_t anywhere = 0;                 // Those that any of the sets has.

  const AttributeSet& OfParameter(uint32_t index) const {
    static const AttributeSet* const none = new AttributeSet;
    return index < parameters.size() ? parameters[index] : *none;
  }
  // Whether the function, the result or a parameter has the attribute.
  bool HasAnywhere(Attribute attribute) const {
    return (anywhere >> static_cast<int>(attribute) & 1) != 0;
  }
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_ATTRIBUTES_H_
