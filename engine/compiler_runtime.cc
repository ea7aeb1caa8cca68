#include "engine/compiler_runtime.h"

#if defined(__x86_64__)
// Of libgcc or compiler-rt, which declare them nowhere.
extern "C" {
extern unsigned __cpu_model[];
extern unsigned __cpu_features2[];
int __cpu_indicator_init();
}
#endif

namespace firstcall {

ExecutorAddress FindInCompilerRuntime([[maybe_unused]] absl::string_view name) {
#if defined(__x86_64__)
  if (name == "__cpu_model") return ExecutorAddress::Of(__cpu_model);
  if (name == "__cpu_features2") return ExecutorAddress::Of(__cpu_features2);
  if (name == "__cpu_indicator_init") {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&__cpu_indicator_init));
  }
#endif
  return ExecutorAddress();
}

}  // namespace firstcall
