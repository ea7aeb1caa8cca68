// A line of text that says from what and how an object was compiled. Objects with the same
// signature are the same code.
//
// Thread-safe: pure functions. Tested in tests/api/cache_test.cc.

#ifndef FIRSTCALL_ENGINE_SIGNATURE_H_
#define FIRSTCALL_ENGINE_SIGNATURE_H_

#include <string>

#include "codegen/target.h"
#include "engine/options.h"
#include "splitter/module_source.h"

namespace firstcall {

// The signature of the objects of `source`: firstcall's format and build, LLVM's version and build,
// a digest of the source, the target with its settings, the mode, whether the code is far, whether
// functions check their own counters (Tier::kAuto), and the client's additions. Takes time in
// proportion to the source. The caller must not hold the mutex of one of the source's views.
std::string SignatureOf(ModuleSource& source, const Target& target, const EngineOptions& options,
                        bool is_far);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_SIGNATURE_H_
