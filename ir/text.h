// Modules and functions as text, for tests and for people. Two readers have read the same if the
// texts are equal: constants are written where they are used, and values by number, so the order in
// which a reader lists constants does not show.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_IR_TEXT_H_
#define FIRSTCALL_IR_TEXT_H_

#include <string>

#include "ir/function.h"
#include "ir/module.h"

namespace firstcall::ir {

// Globals with all their properties and initializers, flags, comdats.
std::string TextOf(const Module& module);
// Every block and every instruction, with all that the arrays hold; uses of values, too.
std::string TextOf(const Function& function);
std::string TextOf(const Type& type);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_TEXT_H_
