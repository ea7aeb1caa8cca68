// Reads from a continuation's object how the first body is left for the continuation.
//
// Thread-safe: a function of its arguments. Tested in tests/runtime/loop_exit_reader_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_LOOP_EXIT_READER_H_
#define FIRSTCALL_RUNTIME_PROMOTION_LOOP_EXIT_READER_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "object/elf_object.h"
#include "seam/loop_exit.h"

namespace firstcall {

// Whether the object, that of a continuation, says how a first body is left.
bool HasLoopExit(const ElfObject& object);

// How the code at `first_body`, in this process, which is the first body of `function`, is left for
// the continuation in `object`. LoopExit::continuation is still null: the object is not linked yet.
// Null if the object does not say it, if what it says is damaged, or if the code is another one
// than the one for which it is said.
std::shared_ptr<LoopExit> ReadLoopExit(const ElfObject& object, absl::string_view function,
                                       const char* first_body);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_LOOP_EXIT_READER_H_
