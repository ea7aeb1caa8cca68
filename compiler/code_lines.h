// The source lines of a function's code, in the form in which events tell them (seam/code_lines.h).
//
// Thread-compatible: hold the mutex of the view that the debug information belongs to. Tested in
// tests/compiler/code_lines_test.cc.

#ifndef FIRSTCALL_COMPILER_CODE_LINES_H_
#define FIRSTCALL_COMPILER_CODE_LINES_H_

#include "absl/types/span.h"
#include "backend/llvm/debug_object.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "seam/code_lines.h"

namespace firstcall {

// `lines`: of the code of `function`, sorted. The code in front of them, which sets up the frame,
// gets the line on which the function's body begins. What was inlined has the lines of the callee's
// file. Files have their directories unless their names are absolute.
CodeLines LinesOf(absl::Span<const DescribedCode::Line> lines, const llvm::DISubprogram& function);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_CODE_LINES_H_
