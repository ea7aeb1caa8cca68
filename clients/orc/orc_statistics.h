// What the compile functions of this process have done for ORC.

#ifndef FIRSTCALL_CLIENTS_ORC_ORC_STATISTICS_H_
#define FIRSTCALL_CLIENTS_ORC_ORC_STATISTICS_H_

#include <cstdint>
#include <map>
#include <string>

namespace firstcall {

// A plain value.
struct OrcStatistics {
  uint64_t modules = 0;         // Modules that were compiled.
  uint64_t whole_modules = 0;   // Those of them that LLVM compiled whole.
  uint64_t cached_modules = 0;  // Objects that came from an object cache; not among `modules`.
  uint64_t baseline_functions = 0;
  uint64_t llvm_functions = 0;
  double baseline_seconds = 0;
  double llvm_seconds = 0;
  // How many modules LLVM compiled whole, by the reason.
  std::map<std::string, uint64_t> whole_by_reason;
  // How many definitions of other modules LLVM compiled, by the reason.
  std::map<std::string, uint64_t> refused_by_reason;
};

// The sum over this process. Thread-safe; does not wait for a compile.
OrcStatistics GetOrcStatistics();

// The same as text, in lines.
std::string OrcStatisticsText();

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ORC_STATISTICS_H_
