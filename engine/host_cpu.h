// This machine's CPU, as LLVM sees it. Tested in tests/engine/host_cpu_test.cc.

#ifndef FIRSTCALL_ENGINE_HOST_CPU_H_
#define FIRSTCALL_ENGINE_HOST_CPU_H_

#include <string>

namespace firstcall {

// The CPU's name and all features that LLVM knows of it, those that it lacks included: "name
// +avx2,-avx512f,...". Does not change while the process runs. Thread-safe.
std::string DescribeHostCpu();

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_HOST_CPU_H_
