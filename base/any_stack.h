// For functions that compiled code calls where the call may come, directly or not, from handwritten
// assembly. On x86-64 such assembly may have misaligned the stack, which goes unnoticed as long as
// no aligned vector instruction is executed: the C library's functions avoid them where this
// matters. On AArch64 the hardware itself requires an aligned stack. Tested in
// tests/api/engine_test.cc.

#ifndef FIRSTCALL_BASE_ANY_STACK_H_
#define FIRSTCALL_BASE_ANY_STACK_H_

// The function aligns the stack for itself and for what it calls.
#if defined(__x86_64__)
#define FIRSTCALL_ON_ANY_STACK __attribute__((force_align_arg_pointer))
#else
#define FIRSTCALL_ON_ANY_STACK
#endif

#endif  // FIRSTCALL_BASE_ANY_STACK_H_
