// Reads the bodies of functions into a view, as -O0 compiles them: entry and exit hooks are called,
// and calls that must always be inlined are inlined.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_BODY_READER_H_
#define FIRSTCALL_SPLITTER_BODY_READER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "llvm/ADT/ArrayRef.h"
#include "seam/symbol_index.h"
#include "splitter/extract_options.h"
#include "splitter/module_view.h"

namespace llvm {
class DICompileUnit;
class Function;
}  // namespace llvm

namespace firstcall {

class BodyReader {
 public:
  // All must outlive the reader.
  BodyReader(ModuleView& view, const SymbolIndex& index, const ExtractOptions& options)
      : view_(view), index_(index), options_(options) {}

  // Reads the body of `function`, whose ordinal is `ordinal`. May be called more than once for a
  // function. Errors: InvalidArgument, with the function's name, if its bitcode is damaged or not
  // valid IR; Unimplemented if it cannot be compiled apart from its data; FailedPrecondition if its
  // body was moved out of the view. On some damaged bitcode, LLVM reports a fatal error (see
  // base/fatal_error_guard.h).
  absl::Status Read(llvm::Function& function, SymbolOrdinal ordinal);

  // Whether simplifying `function`, which inlining does, too, could fold a constant that belongs to
  // a group (such as the address of a block) into the function.
  bool ReadsGroup(llvm::Function& function) const;

 private:
  absl::Status ReadWithoutInlining(llvm::Function& function, SymbolOrdinal ordinal);
  // `units` are those to which the debug information of `function` leads.
  absl::Status Verify(const llvm::Function& function, absl::string_view name,
                      llvm::ArrayRef<llvm::DICompileUnit*> units);

  ModuleView& view_;
  const SymbolIndex& index_;
  const ExtractOptions& options_;
};

// Does what ExtractOptions::drop_alias_metadata says.
void DropAliasMetadata(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BODY_READER_H_
