// --print-compilation: a line for each body, as it comes, on standard error.
//
// Thread-safe. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_COMPILATION_LOG_H_
#define FIRSTCALL_TOOLS_COMPILATION_LOG_H_

#include "absl/time/time.h"
#include "seam/event.h"

namespace firstcall {

class CompilationLog final : public EventListener {
 public:
  CompilationLog();

  void OnEvent(const Event& event) override;

 private:
  const absl::Duration begin_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_COMPILATION_LOG_H_
