// The template of inline assembly: a text in which `$0`, or `${0:w}` with a modifier, stands for an
// operand.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/assembly_template_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_TEMPLATE_H_
#define FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_TEMPLATE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backend/baseline/assembly_syntax.h"

namespace firstcall::baseline {

// The text with the operands put in, for an assembler. Of alternatives for different dialects, the
// text has the first one. Nothing if the template is not valid, or asks for a form of an operand
// that is not covered.
std::optional<std::string> ExpandTemplate(absl::string_view text,
                                          absl::Span<const AssemblyOperand> operands,
                                          const AssemblySyntax& syntax);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_TEMPLATE_H_
