#include "direct/lifecycle_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "direct/constant_address.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/type.h"
#include "seam/lifecycle_list.h"

namespace firstcall::direct {
namespace {

// Arrays in arrays are followed so far.
constexpr int kMostNested = 100;
// So many pointers, and arrays of pointers, are looked at: an array may have the same one as each
// of its elements.
constexpr size_t kMostPointers = size_t{1} << 20;

class Reader {
 public:
  Reader(const ir::Module& module, const SymbolNumbers& numbers, LifecyclePhase phase)
      : module_(module), numbers_(numbers), list_(phase) {}

  absl::Status ReadSections(absl::Span<const uint32_t> used) {
    for (uint32_t number = 0; number < numbers_.variable_count(); ++number) {
      const ir::Global& variable = module_.globals()[number];
      if (variable.section().empty() || variable.initializer.IsNothing()) continue;
      std::optional<SymbolOrdinal> own;
      if (std::binary_search(used.begin(), used.end(), number)) own = numbers_.OrdinalOf(number);
      std::vector<SymbolOrdinal>* const functions = list_.FunctionsOf(variable.section(), own);
      if (functions == nullptr) continue;
      if (!ReadPointers(variable.initializer, *functions, 0)) {
        return absl::UnimplementedError(absl::StrCat(
            "variable '", variable.name, "': something other than functions in section '",
            variable.section(), "'"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadList(uint32_t number) {
    if (number == ir::kNone) return absl::OkStatus();
    const ir::Global& variable = module_.globals()[number];
    if (variable.initializer.IsNothing()) return absl::OkStatus();
    const ir::Constant& entries = module_.constant(variable.initializer);
    if (!entries.type->IsArray() || !entries.type->element()->IsStruct() ||
        entries.type->element()->members().size() == 2) {
      return absl::UnimplementedError(
          absl::StrCat("variable '", variable.name, "': a list of an older version of LLVM"));
    }
    for (ir::Operand part : entries.operands()) {
      const ir::Constant& entry = module_.constant(part);
      if (entry.kind != ir::ConstantKind::kAggregate) continue;
      if (!AddEntry(entry.operands())) {
        return absl::InvalidArgumentError(
            absl::StrCat("variable '", variable.name,
                         "' is not valid IR: not a list of priorities and functions"));
      }
    }
    return absl::OkStatus();
  }

  std::vector<LifecycleFunction> Take() { return std::move(list_).Take(); }

 private:
  bool AddEntry(absl::Span<const ir::Operand> members) {
    if (members.size() < 2) return false;
    const ir::Constant& priority = module_.constant(members[0]);
    if (!priority.IsInteger()) return false;
    const uint32_t function = GlobalWithoutCasts(module_, members[1]);
    if (function == ir::kNone) return true;  // A null entry ends a list.
    list_.Add(static_cast<int64_t>(priority.LimitedTo(INT64_MAX)), numbers_.OrdinalOf(function));
    return true;
  }

  // False if `pointers` contains anything but functions and zeros.
  bool ReadPointers(ir::Operand pointers, std::vector<SymbolOrdinal>& functions, int depth) {
    const ir::Constant& constant = module_.constant(pointers);
    if (constant.IsZero()) return true;
    if (constant.kind == ir::ConstantKind::kAggregate) {
      if (depth == kMostNested) return false;
      for (ir::Operand element : constant.operands()) {
        if (++pointers_ > kMostPointers || !ReadPointers(element, functions, depth + 1))
          return false;
      }
      return true;
    }
    const uint32_t function = GlobalWithoutCasts(module_, pointers);
    if (function == ir::kNone || !module_.globals()[function].value_type()->IsFunction()) {
      return false;
    }
    functions.push_back(numbers_.OrdinalOf(function));
    return true;
  }

  const ir::Module& module_;
  const SymbolNumbers& numbers_;
  LifecycleList list_;
  size_t pointers_ = 0;
};

}  // namespace

absl::Status AppendUsed(const ir::Module& module, uint32_t list, std::vector<uint32_t>& used) {
  if (list == ir::kNone) return absl::OkStatus();
  const ir::Global& variable = module.globals()[list];
  if (variable.initializer.IsNothing()) return absl::OkStatus();
  const ir::Constant& entries = module.constant(variable.initializer);
  const bool is_list = entries.kind == ir::ConstantKind::kAggregate ||
                       (entries.kind == ir::ConstantKind::kNull && entries.type->IsArray() &&
                        entries.type->count == 0);
  bool names_globals = is_list;
  for (ir::Operand entry : entries.operands()) {
    const uint32_t global = GlobalWithoutCasts(module, entry);
    names_globals = names_globals && global != ir::kNone;
    if (names_globals) used.push_back(global);
  }
  if (names_globals) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("variable '", variable.name, "': something other than a list of globals"));
}

absl::StatusOr<std::vector<LifecycleFunction>> ReadLifecycle(const ir::Module& module,
                                                             const SymbolNumbers& numbers,
                                                             LifecyclePhase phase, uint32_t list,
                                                             absl::Span<const uint32_t> used) {
  Reader reader(module, numbers, phase);
  FIRSTCALL_RETURN_IF_ERROR(reader.ReadSections(used));
  FIRSTCALL_RETURN_IF_ERROR(reader.ReadList(list));
  return reader.Take();
}

}  // namespace firstcall::direct
