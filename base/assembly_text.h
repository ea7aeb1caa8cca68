// What the text of inline assembly does, as far as that matters to readers of IR.
//
// Thread-safe: pure functions. Tested in tests/base/assembly_text_test.cc.

#ifndef FIRSTCALL_BASE_ASSEMBLY_TEXT_H_
#define FIRSTCALL_BASE_ASSEMBLY_TEXT_H_

#include "absl/strings/string_view.h"

namespace firstcall {

// Whether the text has no effect on what the program computes: it is empty, or has only alignments
// of the code that follows (".p2align 5"), one in a line.
bool IsEmptyAssembly(absl::string_view text);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_ASSEMBLY_TEXT_H_
