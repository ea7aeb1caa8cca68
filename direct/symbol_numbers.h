// The two numbers of a global: its place in ir::Module::globals(), and its ordinal, by which the
// engine knows the symbol.
//
// Bitcode lists variables, functions, aliases and ifuncs. Ordinals number the variables first, then
// the aliases, the ifuncs and the functions (splitter/module_view).
//
// A plain value: immutable, therefore thread-safe.

#ifndef FIRSTCALL_DIRECT_SYMBOL_NUMBERS_H_
#define FIRSTCALL_DIRECT_SYMBOL_NUMBERS_H_

#include <algorithm>
#include <cstdint>

#include "base/ids.h"
#include "ir/global.h"
#include "ir/module.h"

namespace firstcall::direct {

class SymbolNumbers {
 public:
  // Takes time proportional to the logarithm of the number of globals. The numbers mean something
  // only if the globals of `module` have the order of LLVM's writer, which ReadSymbolIndex checks.
  explicit SymbolNumbers(const ir::Module& module) {
    const auto globals = module.globals();
    const auto end_of = [&](ir::GlobalKind kind) {
      const auto end = std::partition_point(
          globals.begin(), globals.end(),
          [&](const ir::Global& global) { return PlaceOf(global.kind()) <= PlaceOf(kind); });
      return static_cast<uint32_t>(end - globals.begin());
    };
    variables_ = end_of(ir::GlobalKind::kVariable);
    functions_ = end_of(ir::GlobalKind::kFunction) - variables_;
    count_ = static_cast<uint32_t>(globals.size());
  }

  uint32_t count() const { return count_; }
  uint32_t variable_count() const { return variables_; }
  uint32_t function_count() const { return functions_; }

  SymbolOrdinal OrdinalOf(uint32_t global) const {
    if (global < variables_) return SymbolOrdinal{global};
    if (global < variables_ + functions_) {
      return SymbolOrdinal{global + (count_ - variables_ - functions_)};
    }
    return SymbolOrdinal{global - functions_};
  }
  uint32_t GlobalOf(SymbolOrdinal ordinal) const {
    const uint32_t number = ordinal.value;
    if (number < variables_) return number;
    return number < count_ - functions_ ? number + functions_
                                        : number - (count_ - variables_ - functions_);
  }

  // Whether a global of kind `kind` may have the number `global`.
  bool IsInOrder(uint32_t global, ir::GlobalKind kind) const {
    if (global < variables_) return kind == ir::GlobalKind::kVariable;
    if (global < variables_ + functions_) return kind == ir::GlobalKind::kFunction;
    return kind == ir::GlobalKind::kAlias || kind == ir::GlobalKind::kIfunc;
  }

 private:
  static int PlaceOf(ir::GlobalKind kind) {
    switch (kind) {
      case ir::GlobalKind::kVariable:
        return 0;
      case ir::GlobalKind::kFunction:
        return 1;
      default:
        return 2;
    }
  }

  uint32_t variables_ = 0, functions_ = 0, count_ = 0;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_SYMBOL_NUMBERS_H_
