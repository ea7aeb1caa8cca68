// What the baseline code generator needs of an assembler: machine code for the text of inline
// assembly.

#ifndef FIRSTCALL_BACKEND_TEXT_ASSEMBLER_H_
#define FIRSTCALL_BACKEND_TEXT_ASSEMBLER_H_

#include <string>

#include "absl/status/statusor.h"

namespace firstcall {

class TextAssembler {
 public:
  virtual ~TextAssembler() = default;

  // The machine code of `text`, which may lie at any address and has no alignment of its own.
  // Fails if the text is not valid, or needs more than such bytes: if it names a symbol, defines
  // one, or has other sections. The same text always has the same code.
  virtual absl::StatusOr<std::string> Assemble(const std::string& text) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_TEXT_ASSEMBLER_H_
