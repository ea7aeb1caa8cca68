// Makes LLVM IR of programs in Pebble. A function of the language becomes a function of IR with the
// same name, whose parameters and result are doubles.

#ifndef FIRSTCALL_DOCS_TUTORIAL_CC_GENERATOR_H_
#define FIRSTCALL_DOCS_TUTORIAL_CC_GENERATOR_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "docs/tutorial/cc/program.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace pebble {

// The module lives in `context`. With `file`, the path of the source, it has debug information.
// InvalidArgument, with the line, if the program uses a name that it does not define, defines one
// twice, or calls a function with another number of arguments.
absl::StatusOr<std::unique_ptr<llvm::Module>> Generate(const Program& program,
                                                       llvm::LLVMContext& context,
                                                       const std::string& file = "");

}  // namespace pebble

#endif  // FIRSTCALL_DOCS_TUTORIAL_CC_GENERATOR_H_
