// The sections that variables ask for.
//
// Thread-safe: pure functions. Tested in tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_SPLITTER_SECTION_NAMES_H_
#define FIRSTCALL_SPLITTER_SECTION_NAMES_H_

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class GlobalVariable;
}  // namespace llvm

namespace firstcall {

// Whether `variable` is to lie in a section of a certain name: its own, or one for all variables of
// its kind (clang's `#pragma clang section`).
bool HasSectionName(const llvm::GlobalVariable& variable);

// The section in which the definition `variable` will lie, if HasSectionName. Two sections, if the
// choice between them depends on the relocations that the initializer needs.
llvm::SmallVector<llvm::StringRef, 2> SectionNames(const llvm::GlobalVariable& variable);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_SECTION_NAMES_H_
