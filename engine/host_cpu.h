// This machine's CPU, as far as it decides what code is made for it. Tested in
// tests/engine/host_cpu_test.cc.

#ifndef FIRSTCALL_ENGINE_HOST_CPU_H_
#define FIRSTCALL_ENGINE_HOST_CPU_H_

#include <string>

namespace firstcall {

// A short name of the CPU, a space, and everything that LLVM would look at to find out its name and
// its features. Two descriptions are equal only if LLVM sees no difference between the CPUs. The
// same on all processors of a machine, and does not change while the process runs. Thread-safe.
std::string DescribeHostCpu();

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_HOST_CPU_H_
