// For functions that compiled code calls and whose caller may be somebody's assembly, or have been
// called by it. On x86-64 such code may have misaligned the stack, which nobody notices who uses no
// aligned vector instructions: the C library's functions do not where this matters. AArch64 itself
// wants an aligned stack.

#ifndef FIRSTCALL_BASE_ANY_STACK_H_
#define FIRSTCALL_BASE_ANY_STACK_H_

// The function aligns the stack for itself and for what it calls.
#if defined(__x86_64__)
#define FIRSTCALL_ON_ANY_STACK __attribute__((force_align_arg_pointer))
#else
#define FIRSTCALL_ON_ANY_STACK
#endif

#endif  // FIRSTCALL_BASE_ANY_STACK_H_
