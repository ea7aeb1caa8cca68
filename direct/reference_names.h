// What the references of a source module become in a function-module or a data-module: under which
// names the linker resolves them, and which variables are copied instead. The same decisions as
// those of splitter/reference_mapper and splitter/table_entries.
//
// Thread-compatible. Tested in tests/direct/reference_names_test.cc.

#ifndef FIRSTCALL_DIRECT_REFERENCE_NAMES_H_
#define FIRSTCALL_DIRECT_REFERENCE_NAMES_H_

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "direct/global_mapper.h"
#include "direct/shared_constants.h"
#include "direct/symbol_numbers.h"
#include "ir/module.h"
#include "seam/compile_questions.h"
#include "seam/symbol_index.h"

namespace firstcall::direct {

// Whether a variable that `module` defines is copied into the functions that merely read it.
// `index` is the module's.
bool IsCopied(const ir::Module& module, const SymbolIndex& index, const SymbolNumbers& numbers,
              uint32_t variable);

// Numbers of globals are those of the source module.
class SymbolReferences final : public ReferenceNames {
 public:
  // All must outlive this object; `index` is that of `module`. With `is_far`, nothing outside of
  // the small module is assumed to be within its reach.
  SymbolReferences(const ir::Module& module, const SymbolIndex& index, IsReplaced is_replaced,
                   bool is_far)
      : module_(module),
        index_(index),
        numbers_(module),
        is_replaced_(is_replaced),
        is_far_(is_far) {}

  // From now on these constants are declared, not copied. `constants` must outlive this object.
  void Share(const Variables& constants) { shared_ = &constants; }

  Reference OfAddress(uint32_t global) override;
  Reference OfCall(uint32_t global) override;
  // The base is also ir::kNone if the entry is no function.
  Reference OfTableEntry(uint32_t global) override;

 private:
  // What `global` stands for if it is an alias; otherwise nothing.
  std::optional<uint32_t> AliasedBy(uint32_t global) const;
  Reference Declare(uint32_t global) const;
  Reference Declare(uint32_t global, absl::string_view suffix) const;
  bool IsWithinReach(const Symbol& symbol) const;
  bool IsDeclaredLarge(uint32_t global) const;
  Symbol SymbolOf(uint32_t global) const { return index_.at(numbers_.OrdinalOf(global)); }

  const ir::Module& module_;
  const SymbolIndex& index_;
  const SymbolNumbers numbers_;
  const IsReplaced is_replaced_;
  const bool is_far_;
  const Variables* shared_ = nullptr;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_REFERENCE_NAMES_H_
