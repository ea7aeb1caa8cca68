// The sections that variables ask for.
//
// Thread-safe: pure functions. Tested in tests/direct/symbol_index_reader_test.cc.

#ifndef FIRSTCALL_DIRECT_SECTION_NAMES_H_
#define FIRSTCALL_DIRECT_SECTION_NAMES_H_

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "ir/global.h"
#include "ir/module.h"

namespace firstcall::direct {

// Whether `variable` is to lie in a section of a certain name: its own, or one for all variables of
// its kind (clang's `#pragma clang section`).
bool HasSectionName(const ir::Global& variable);

// The section in which the definition `variable` will lie, if HasSectionName. Two sections, if the
// choice between them depends on the relocations that the initializer needs.
absl::InlinedVector<absl::string_view, 2> SectionNames(const ir::Module& module,
                                                       const ir::Global& variable);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_SECTION_NAMES_H_
