// A module of which the baseline code generator compiles what it covers, and LLVM at -O0 the rest,
// bound together in this process: to compare with the same module compiled by LLVM alone.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_BASELINE_HYBRID_PROGRAM_H_
#define FIRSTCALL_TESTS_BASELINE_HYBRID_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "baseline/baseline_compiler.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/IR/Module.h"

namespace firstcall::testing {

struct HybridOptions {
  bool is_near = true;
  // Of the functions that are defined, by number, those that the baseline compiler gets.
  size_t first_function = 0;
  size_t last_function = SIZE_MAX;
};

struct HybridStats {
  size_t functions = 0, instructions = 0;
  size_t compiled_functions = 0, compiled_instructions = 0;
  size_t code_bytes = 0;
  // By reason: how many functions, and of how many instructions.
  std::map<baseline::Refusal, std::pair<size_t, size_t>> refused;
  std::vector<std::string> names;  // Of those that were compiled.
};

class HybridProgram {
 public:
  // Takes a module without debug information. Errors: what LLVM or the binder say.
  static absl::StatusOr<std::unique_ptr<HybridProgram>> Create(std::unique_ptr<llvm::Module> module,
                                                               const HybridOptions& options);
  ~HybridProgram();

  // Of a function or a variable of the module; null if there is none.
  template <typename T>
  T* Address(const std::string& name) {
    return reinterpret_cast<T*>(Find(name));
  }
  void RunConstructors();
  const HybridStats& stats() const { return stats_; }

 private:
  class Memory;
  struct Compiled {
    CompiledCode code;
    uint8_t* text = nullptr;
    uint8_t* unwind = nullptr;
    bool is_registered = false;  // With the unwinder.
  };

  HybridProgram() = default;
  void Publish(llvm::Module& module);
  void CompileCovered(llvm::Module& module, const HybridOptions& options);
  absl::Status Bind();
  uint64_t Find(const std::string& name);

  Memory* memory_ = nullptr;  // The engine owns it.
  std::unique_ptr<llvm::ExecutionEngine> engine_;
  std::map<std::string, Compiled> compiled_;
  std::vector<std::pair<uint64_t, std::string>> constructors_;  // Priorities and names.
  HybridStats stats_;
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BASELINE_HYBRID_PROGRAM_H_
