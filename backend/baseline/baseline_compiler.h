// Compiles functions of LLVM IR in one pass, about as fast as they can be read, to code of about
// the quality of LLVM's -O0. A function that the compiler does not cover is refused; then LLVM
// compiles it. See docs/adr/0019-a-baseline-code-generator.md.
//
// Thread-compatible: use one compiler for each compiling thread. Reuse it, because it keeps its
// memory from function to function.

#ifndef FIRSTCALL_BACKEND_BASELINE_BASELINE_COMPILER_H_
#define FIRSTCALL_BACKEND_BASELINE_BASELINE_COMPILER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backend/baseline/code_map.h"
#include "backend/baseline/refusal.h"
#include "backend/text_assembler.h"
#include "ir/function.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

struct BaselineOptions {
  std::vector<std::string> features;  // The processor's features, of BaselineCompiler::Features.
  // For tests: uses only three general and three vector registers for values.
  bool has_few_registers = false;
  // Thread-local variables are emulated (__emutls_get_address); otherwise code reaches them by
  // descriptors (memory/thread_local_blocks.h), for which this project's linker is needed.
  bool emulates_thread_locals = false;
  // Objects are for any linker, and hold what the module says of them: symbols have their
  // binding and visibility, constants are not copied, only what the module itself defines is taken
  // to be near, and thread-local variables that are not emulated are refused.
  bool is_for_any_linker = false;
  // Functions and variables with debug information are not refused; their code has none.
  bool ignores_debug_information = false;
  // Assembles inline assembly; must outlive the compiler. Null: functions with a text are refused.
  TextAssembler* text_assembler = nullptr;
};

class BaselineCompiler {
 public:
  // The CPU features that change the emitted code or the coverage. Empty if there is no baseline
  // code generator for the architecture of `triple`.
  static absl::Span<const char* const> Features(absl::string_view triple);

  // InvalidArgument if there is no baseline code generator for the architecture of `triple`.
  static absl::StatusOr<std::unique_ptr<BaselineCompiler>> Create(absl::string_view triple,
                                                                  const BaselineOptions& options);

  ~BaselineCompiler();
  BaselineCompiler(const BaselineCompiler&) = delete;
  BaselineCompiler& operator=(const BaselineCompiler&) = delete;

  // Compiles `function`, a checked body of a module with the target's data layout, and
  // replaces the contents of `code`. The first symbol of `code` is the function's. Returns kNone,
  // or why the function is refused; then the contents of `code` are unspecified. `is_near`:
  // dso_local symbols are within reach of a 32-bit distance from the code. May put instructions in
  // the place of constant expressions of `function` (constant_expansion.h). Fills in `map`, unless
  // it is null; the code is the same with a map as without one.
  Refusal Compile(ir::Function& function, bool is_near, CompiledCode& code, CodeMap* map = nullptr);

 private:
  struct Parts;
  explicit BaselineCompiler(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_BASELINE_COMPILER_H_
