// Static probes (USDT) for perf, bpftrace and SystemTap: provider "firstcall". A probe that nobody
// has attached to is a no-operation instruction.
//
//   first_call(function, module)          a function without code is called
//   compile_begin(function, module, tier)
//   compile_end(function, module, tier)   also if it failed
//   promote(function, module, address)    an optimized body or a continuation is linked
//
// Names are addresses of zero-terminated strings. tests/command/observation_test.cc checks that the
// probes are there.

#ifndef FIRSTCALL_RUNTIME_PROBES_H_
#define FIRSTCALL_RUNTIME_PROBES_H_

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define FIRSTCALL_PROBE2(name, a, b) DTRACE_PROBE2(firstcall, name, a, b)
#define FIRSTCALL_PROBE3(name, a, b, c) DTRACE_PROBE3(firstcall, name, a, b, c)
#else
#define FIRSTCALL_PROBE2(name, a, b) ((void)(a), (void)(b))
#define FIRSTCALL_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif  // FIRSTCALL_RUNTIME_PROBES_H_
