#include "backend/baseline/cleared_registers.h"

#include "backend/baseline/argument_places.h"
#include "backend/baseline/value_parts.h"
#include "ir/attributes.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

// The registers that hold something when the function returns.
RegisterSet ResultsOf(const ir::Function& function, const Architecture& architecture) {
  const CallingConvention& convention = architecture.ConventionOf(function.global().convention());
  const ir::Type* type = function.result_type();
  if (type->IsVoid()) {
    const bool has_address = convention.returns_result_address &&
                             function.attributes().HasAnywhere(ir::Attribute::kStructRet);
    return has_address ? SetOf(convention.general_results[0]) : 0;
  }
  RegisterSet registers = 0;
  ResultPlaces places(convention);
  const PartList list = PartsOf(type);
  for (unsigned i = 0; i < list.count; ++i) {
    registers |= SetOf(places.Next(list.parts[i].is_vector, list.parts[i].bytes));
  }
  return registers;
}

}  // namespace

Refusal FindClearedRegisters(const ir::Function& function, absl::string_view kind,
                             const Architecture& architecture, RegisterSet& registers) {
  const bool has_vectors = kind == "used" || kind == "used-arg";
  // "all" and "all-arg" have registers that this code generator does not know.
  const bool is_general = kind == "used-gpr" || kind == "used-gpr-arg" || kind == "all-gpr-arg" ||
                          (kind == "all-gpr" && architecture.registers.clears_all_general);
  if (!has_vectors && !is_general) return Refusal::kFunctionAttribute;
  registers = architecture.registers.cleared;
  if (!has_vectors) registers &= kGeneralRegisters;
  registers &= ~ResultsOf(function, architecture);
  return Refusal::kNone;
}

}  // namespace firstcall::baseline
