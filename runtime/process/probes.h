// Static probes (USDT) for perf, bpftrace and SystemTap: provider "firstcall". A probe that nobody
// has attached to is a no-operation instruction.
//
//   first_call(function, module)          a function without code is called
//   compile_begin(function, module, tier)
//   compile_end(function, module, tier)   also if it failed; not if an optimization is given up
//   promote(function, module, address)    an optimized body or a continuation is linked
//
// Compiling a counting body triggers no probe. Names are addresses of zero-terminated strings.
// tests/command/observation_test.cc checks that the probes are there.
//
// perf compares the address of the section .stapsdt.base with what the probes' notes say, to find
// where a probe is in the file. Only notes refer to this section, so a linker that drops unused
// sections drops it. Then perf would write its breakpoints to wrong places. So the code of a probe
// refers to it, by a relocation that changes nothing.

#ifndef FIRSTCALL_RUNTIME_PROCESS_PROBES_H_
#define FIRSTCALL_RUNTIME_PROCESS_PROBES_H_

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#if defined(__x86_64__)
#define FIRSTCALL_KEEP_PROBE_BASE asm volatile(".reloc ., R_X86_64_NONE, _.stapsdt.base")
#else
#define FIRSTCALL_KEEP_PROBE_BASE asm volatile(".reloc ., R_AARCH64_NONE, _.stapsdt.base")
#endif
#define FIRSTCALL_PROBE2(name, a, b)      \
  do {                                    \
    FIRSTCALL_KEEP_PROBE_BASE;            \
    DTRACE_PROBE2(firstcall, name, a, b); \
  } while (false)
#define FIRSTCALL_PROBE3(name, a, b, c)      \
  do {                                       \
    FIRSTCALL_KEEP_PROBE_BASE;               \
    DTRACE_PROBE3(firstcall, name, a, b, c); \
  } while (false)
#else
#define FIRSTCALL_PROBE2(name, a, b) ((void)(a), (void)(b))
#define FIRSTCALL_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif  // FIRSTCALL_RUNTIME_PROCESS_PROBES_H_
