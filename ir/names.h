// The words of LLVM assembly for the enumerations of IR, for errors and for text.
//
// Thread-safe: pure functions. A number that is no enumerator has the name "unknown".

#ifndef FIRSTCALL_IR_NAMES_H_
#define FIRSTCALL_IR_NAMES_H_

#include "absl/strings/string_view.h"
#include "ir/attributes.h"
#include "ir/global.h"
#include "ir/opcode.h"

namespace firstcall::ir {

// Such as "getelementptr".
absl::string_view NameOf(Opcode opcode);
// Such as "slt"; of floating-point comparisons as in "fcmp oeq".
absl::string_view NameOf(Predicate predicate);
absl::string_view NameOf(AtomicOperation operation);
// Such as "acq_rel"; "not_atomic" where assembly has no word.
absl::string_view NameOf(Ordering ordering);
// Such as "sret".
absl::string_view NameOf(Attribute attribute);
absl::string_view NameOf(GlobalKind kind);
absl::string_view NameOf(Linkage linkage);
absl::string_view NameOf(Visibility visibility);
absl::string_view NameOf(ThreadLocalMode mode);
absl::string_view NameOf(UnnamedAddress unnamed_address);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_NAMES_H_
