// Compiles functions of LLVM IR in one pass, about as fast as they can be read, to code of about
// the quality of LLVM's -O0. What it does not cover it refuses, before it emits anything, and
// leaves the function as it was: then LLVM compiles it. See
// docs/adr/0019-a-baseline-code-generator.md.
//
// Thread-compatible: one for each thread that compiles, to be used again and again, because its
// memory is kept from function to function.

#ifndef FIRSTCALL_BASELINE_BASELINE_COMPILER_H_
#define FIRSTCALL_BASELINE_BASELINE_COMPILER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "baseline/refusal.h"
#include "code/compiled_code.h"

namespace llvm {
class DataLayout;
class Function;
}  // namespace llvm

namespace firstcall::baseline {

struct BaselineOptions {
  std::vector<std::string> features;  // Those of BaselineCompiler::Features that the processor has.
  // For tests: three registers for values of each kind.
  bool has_few_registers = false;
};

class BaselineCompiler {
 public:
  // The features of the CPU that make a difference.
  static absl::Span<const char* const> Features(absl::string_view triple);

  // InvalidArgument if there is no baseline code generator for the architecture of `triple`.
  static absl::StatusOr<std::unique_ptr<BaselineCompiler>> Create(absl::string_view triple,
                                                                  const BaselineOptions& options);

  ~BaselineCompiler();
  BaselineCompiler(const BaselineCompiler&) = delete;
  BaselineCompiler& operator=(const BaselineCompiler&) = delete;

  // Compiles `function`, a verified definition in a module of the target's data layout, into
  // `code`, whose contents are replaced; they are unspecified if the function is refused. The first
  // symbol is the function's. `is_near`: symbols that are dso_local lie within reach of a distance
  // of 32 bits of the code.
  //
  // `layout` must equal the module's data layout; null: that one. A layout knows how structures are
  // laid out that it was asked for before, so one that is kept from function to function is faster.
  Refusal Compile(const llvm::Function& function, bool is_near, CompiledCode& code,
                  const llvm::DataLayout* layout = nullptr);

 private:
  struct Parts;
  explicit BaselineCompiler(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_BASELINE_COMPILER_H_
