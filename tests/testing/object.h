// Relocatable objects for tests, made from IR text by the engine's own emitter.

#ifndef FIRSTCALL_TESTS_TESTING_OBJECT_H_
#define FIRSTCALL_TESTS_TESTING_OBJECT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "backend/llvm/object_emitter.h"
#include "backend/llvm/target.h"
#include "engine/options.h"

namespace firstcall {

// The target that `options` describe; the running test fails if there is none.
Target MakeTarget(const EngineOptions& options = {});

// The object of the module that `text` describes. Fails the running test and returns nothing if the
// text is wrong or cannot be compiled.
ObjectBytes CompileToObject(absl::string_view text, const EngineOptions& options = {});

// An archive with the object of each module, and a table of the names that the objects define.
// Fails the running test as CompileToObject does.
std::string MakeArchive(const std::vector<std::string>& texts);

// A file of the running test with the given contents; returns its path.
std::string WriteTestFile(absl::string_view name, absl::string_view contents);

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_OBJECT_H_
