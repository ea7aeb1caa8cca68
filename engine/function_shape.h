// How a function of a source module is called: what its IR signature asks for, in the registers and
// stack slots that arguments take, and whether given values are that.
//
// C passes a struct of at most 16 bytes in one or two registers, and front ends write that into the
// IR: `struct { int a, b; double c; }` is an i64 and a double there. So a struct is compared with
// what it becomes, by the rules of the architecture (engine/argument_registers). A larger one is a
// copy on the stack, and says so there (byval), or is a pointer like any other (AArch64).
//
// Immutable after construction, therefore thread-safe.

#ifndef FIRSTCALL_ENGINE_FUNCTION_SHAPE_H_
#define FIRSTCALL_ENGINE_FUNCTION_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/argument_registers.h"
#include "engine/foreign_value.h"

namespace llvm {
class DataLayout;
class GlobalValue;
class Type;
}  // namespace llvm

namespace firstcall {

enum class Extension : uint8_t { kAsTheValue, kSign, kZero };

// How an integer travels in its register.
struct IntegerPassing {
  unsigned bits = 64;
  Extension extension = Extension::kAsTheValue;
};

// What a call needs to know beyond the types of its values.
struct CallPlan {
  std::vector<IntegerPassing> arguments;  // One for each; for integers of at most 64 bits.
  IntegerPassing result;
  // The first argument is an address for a result of so many bytes; 0 if it is like the others.
  size_t hidden_result = 0;
  bool is_variadic = false;
  size_t fixed_arguments = 0;  // Those before the variable ones.
};

class FunctionShape {
 public:
  // Of a function, or an alias or an ifunc that stands for one. InvalidArgument if it is none;
  // Unimplemented, with the reason, if it cannot be called from C at all.
  static absl::StatusOr<FunctionShape> Of(const llvm::GlobalValue& symbol);

  // InvalidArgument, with the argument and both types, if the function is not to be called with
  // these; Unimplemented if it is, but takes them in another way than C passes them.
  absl::StatusOr<CallPlan> Plan(const ForeignType& result,
                                absl::Span<const ForeignValue> arguments) const;

 private:
  // A parameter, or a part of one that travels by itself.
  struct Slot {
    enum class Kind : uint8_t { kInteger, kFloat, kDouble, kPointer, kVector, kMemory, kOther };
    Kind kind = Kind::kOther;
    IntegerPassing integer;
    uint64_t bytes = 0;             // Of what is passed in memory.
    uint64_t alignment = 1;         // Of that.
    size_t array = 0;               // How many slots the array has that this is kept together with.
    bool begins_parameter = false;  // The first slot of a parameter in IR.
    std::string name;               // As IR spells it.
  };
  struct Cursor;
  static void Flatten(llvm::Type* type, const llvm::DataLayout& layout, std::vector<Slot>& slots);
  static bool Matches(const ForeignType& type, const Slot& slot);
  static bool IsInParts(const ForeignType& type, absl::Span<const Slot> slots);
  static bool Matches(const RegisterParts& parts, absl::Span<const Slot> slots);
  static absl::Status Mismatch(const ForeignType& type, const Slot& slot);
  static absl::Status CheckVariable(const ForeignType& type);
  absl::Status PlanResult(const ForeignType& type, CallPlan& plan) const;
  // Messages of these go on from "argument 1".
  absl::Status PlanParameter(const ForeignType& type, Cursor& cursor) const;
  absl::Status PlanParts(const ForeignType& type, const RegisterParts& parts, Cursor& cursor) const;
  absl::Status PlanLarge(const ForeignType& type, Cursor& cursor) const;

  std::vector<Slot> parameters_;
  std::vector<Slot> results_;
  bool has_hidden_result_ = false;  // Its first parameter is where to write a struct.
  bool is_variadic_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_FUNCTION_SHAPE_H_
