// What a compiled object was made from and how, in a line of text: objects of one signature are the
// same code.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_ENGINE_SIGNATURE_H_
#define FIRSTCALL_ENGINE_SIGNATURE_H_

#include <string>

#include "engine/source_module.h"
#include "engine/target.h"
#include "splitter/symbol_index.h"

namespace firstcall {

// Of the object of the whole `module`: firstcall's format, LLVM's version, a digest of the source,
// the target with its settings, and which definitions give way to others. Takes time in proportion
// to the source; do not hold the mutex of one of its views.
std::string SignatureOf(const SourceModule& module, const Target& target, IsReplaced is_replaced);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_SIGNATURE_H_
