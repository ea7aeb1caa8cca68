// The list of compiled code that debuggers read, as they know it (GDB manual, "JIT Compilation
// Interface"). For tests that look at the list as a debugger would.

#ifndef FIRSTCALL_TESTS_TESTING_JIT_DESCRIPTOR_H_
#define FIRSTCALL_TESTS_TESTING_JIT_DESCRIPTOR_H_

#include <cstdint>

extern "C" {
struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};
// Of the file that the test is linked into: LLVM's own if LLVM is linked statically.
__attribute__((visibility("hidden"))) extern jit_descriptor __jit_debug_descriptor;
}

#endif  // FIRSTCALL_TESTS_TESTING_JIT_DESCRIPTOR_H_
