// How a function of a source module is called: which registers and stack slots its IR signature
// uses for arguments, and whether given values fit it.
//
// C passes a struct of at most 16 bytes in one or two registers, and front ends write that into the
// IR: `struct { int a, b; double c; }` becomes an i64 and a double. So a struct is compared with
// the types it becomes by the rules of the architecture (foreign/argument_registers). A larger
// struct is a copy on the stack, which the IR marks (byval), or a plain pointer (AArch64).
//
// Immutable after construction, therefore thread-safe. Tested in
// tests/foreign/foreign_call_test.cc.

#ifndef FIRSTCALL_FOREIGN_FUNCTION_SHAPE_H_
#define FIRSTCALL_FOREIGN_FUNCTION_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "foreign/argument_registers.h"
#include "foreign/foreign_value.h"

namespace firstcall {

enum class Extension : uint8_t { kAsTheValue, kSign, kZero };

// How an integer is passed in its register.
struct IntegerPassing {
  unsigned bits = 64;
  Extension extension = Extension::kAsTheValue;
};

// What a call needs to know besides the types of its values.
struct CallPlan {
  std::vector<IntegerPassing> arguments;  // One per argument; used for integers of at most 64 bits.
  IntegerPassing result;
  // If not 0, the first argument is the address for a result of this many bytes.
  size_t hidden_result = 0;
  bool is_variadic = false;
  size_t fixed_arguments = 0;  // Those before the variable ones.
};

class FunctionShape {
 public:
  // A parameter, or a part of one that is passed separately.
  struct Slot {
    enum class Kind : uint8_t { kInteger, kFloat, kDouble, kPointer, kVector, kMemory, kOther };
    Kind kind = Kind::kOther;
    IntegerPassing integer;
    uint64_t bytes = 0;             // Of a parameter in memory.
    uint64_t alignment = 1;         // Of a parameter in memory.
    size_t array = 0;               // Slots of its array, which stay together; 0 if none.
    bool begins_parameter = false;  // The first slot of a parameter in IR.
    std::string name;               // As in IR.
  };

  struct Signature {
    std::vector<Slot> parameters;
    std::vector<Slot> results;
    // The first parameter in IR is the address for a returned struct.
    bool has_hidden_result = false;
    bool is_variadic = false;
  };

  explicit FunctionShape(Signature signature) : signature_(std::move(signature)) {}

  const Signature& signature() const { return signature_; }

  // InvalidArgument, with the argument and both types, if the function does not take these values;
  // Unimplemented if it takes them, but not in the way C passes them.
  absl::StatusOr<CallPlan> Plan(const ForeignType& result,
                                absl::Span<const ForeignValue> arguments) const;

 private:
  struct Cursor;
  static bool Matches(const ForeignType& type, const Slot& slot);
  static bool IsInParts(const ForeignType& type, absl::Span<const Slot> slots);
  static bool Matches(const RegisterParts& parts, absl::Span<const Slot> slots);
  static absl::Status Mismatch(const ForeignType& type, const Slot& slot);
  static absl::Status CheckVariable(const ForeignType& type);
  absl::Status PlanResult(const ForeignType& type, CallPlan& plan) const;
  // Their messages continue "argument 1".
  absl::Status PlanParameter(const ForeignType& type, Cursor& cursor) const;
  absl::Status PlanParts(const ForeignType& type, const RegisterParts& parts, Cursor& cursor) const;
  absl::Status PlanLarge(const ForeignType& type, Cursor& cursor) const;

  Signature signature_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_FOREIGN_FUNCTION_SHAPE_H_
