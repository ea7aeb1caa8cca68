// The processor architectures that objects are linked for. Tested in
// tests/object/elf_linker_references_test.cc.

#ifndef FIRSTCALL_OBJECT_MACHINE_H_
#define FIRSTCALL_OBJECT_MACHINE_H_

namespace firstcall {

enum class Machine { kX86_64, kAArch64, kOther };

// The architecture of this process.
constexpr Machine HostMachine() {
#if defined(__x86_64__)
  return Machine::kX86_64;
#elif defined(__aarch64__)
  return Machine::kAArch64;
#else
  return Machine::kOther;
#endif
}

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_MACHINE_H_
