// Binds compiled code: applies its relocations.
//
// Thread-safe: pure functions of their arguments.

#ifndef FIRSTCALL_CODE_CODE_BINDER_H_
#define FIRSTCALL_CODE_CODE_BINDER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "code/compiled_code.h"
#include "memory/executor_address.h"

namespace firstcall {

// Where a section is written, and where it runs. These may be two mappings of the same bytes.
struct SectionPlacement {
  uint8_t* bytes = nullptr;
  ExecutorAddress address;
};

// Returns the address of a symbol that the code does not define, or an error that names it.
using SymbolLookup = absl::FunctionRef<absl::StatusOr<ExecutorAddress>(absl::string_view name)>;

// Applies the relocations of `code`. The bytes of its sections were copied to `placements`, one for
// each section. Looks up each undefined symbol once; if a weak one is NotFound, its address is
// null. Errors: those of `lookup`; ResourceExhausted if a target is out of reach of a 32-bit
// distance; InvalidArgument if a symbol is in no section, or if a relocation names no section, no
// symbol or no place in its section.
absl::Status BindCode(const CompiledCode& code, absl::Span<const SectionPlacement> placements,
                      SymbolLookup lookup);

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_CODE_BINDER_H_
