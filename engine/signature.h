// What a compiled object was made from and how, in a line of text: objects of one signature are the
// same code.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_ENGINE_SIGNATURE_H_
#define FIRSTCALL_ENGINE_SIGNATURE_H_

#include <string>

#include "engine/options.h"
#include "engine/source_module.h"
#include "engine/target.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Of the objects of `source`: firstcall's format and build, LLVM's version and build, a digest of
// the source, the target with its settings, the mode, whether the code is far, and what the client
// adds. Takes time in proportion to the source; do not hold the mutex of one of its views.
std::string SignatureOf(ModuleSource& source, const Target& target, const EngineOptions& options,
                        bool is_far);

// Of the object of the whole `module`, which has a cache: that of its source, and which definitions
// give way to others.
std::string SignatureOfWhole(const SourceModule& module, IsReplaced is_replaced);

// Lets the object that is made from `module` say what it is, in its .comment section.
void AddIdentification(llvm::Module& module, const std::string& text);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_SIGNATURE_H_
