#include "direct/code_tables.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "backend/baseline/symbol_name.h"
#include "base/status.h"
#include "bitcode/function_reader.h"
#include "direct/section_names.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/module.h"
#include "object/symbol_name.h"

namespace firstcall::direct {
namespace {

constexpr absl::string_view kStackMaps = "__LLVM_StackMaps";
constexpr absl::string_view kFaultMaps = "__LLVM_FaultMaps";
constexpr absl::string_view kPatchableEntries = "__patchable_function_entries";
constexpr absl::string_view kXrayPrefix = "xray_";

struct Table {
  absl::string_view symbol;   // By which the module names the table.
  absl::string_view section;  // Empty: a map of LLVM's.
};

absl::Status Refuse(absl::string_view symbol) {
  return absl::UnimplementedError(
      absl::StrCat("symbol '", symbol, "': the bounds of a table of the code generator"));
}

// What the module defines itself is no such table's.
std::vector<Table> NamedTables(const ir::Module& module) {
  std::vector<Table> tables;
  for (const ir::Global& global : module.globals()) {
    // A mark of IR may stand in front of the name.
    if (!global.is_declaration() || !absl::StrContains(global.name.substr(0, 3), "__")) continue;
    const absl::string_view symbol = baseline::SymbolNameOf(global, module.layout());
    absl::string_view section = symbol;
    if (absl::ConsumePrefix(&section, kSectionStartPrefix) ||
        absl::ConsumePrefix(&section, kSectionStopPrefix)) {
      tables.push_back({symbol, section});
    } else if (symbol == kStackMaps || symbol == kFaultMaps) {
      tables.push_back({symbol, {}});
    }
  }
  return tables;
}

absl::flat_hash_set<absl::string_view> SectionsOfVariables(const ir::Module& module) {
  absl::flat_hash_set<absl::string_view> sections;
  for (const ir::Global& global : module.globals()) {
    if (!global.IsVariable() || global.is_declaration()) continue;
    for (absl::string_view name : SectionNames(module, global)) sections.insert(name);
  }
  return sections;
}

// Whether the attributes of some function ask for entries in `section`.
bool HasEntriesByAttributes(const ir::Module& module, absl::string_view section) {
  const bool is_patchable = section == kPatchableEntries;
  if (!is_patchable && !absl::StartsWith(section, kXrayPrefix)) return false;
  return std::any_of(module.globals().begin(), module.globals().end(),
                     [&](const ir::Global& global) {
                       if (!global.IsFunction()) return false;
                       const ir::AttributeSet& attributes = global.attributes()->function;
                       return is_patchable ? attributes.HasString("patchable-function-entry") ||
                                                 attributes.HasString("patchable-function-prefix")
                                           : attributes.HasString("function-instrument") ||
                                                 attributes.HasString("xray-instruction-threshold");
                     });
}

bool HasAssembly(absl::Span<const ir::Constant> constants) {
  return std::any_of(constants.begin(), constants.end(), [](const ir::Constant& constant) {
    return constant.kind == ir::ConstantKind::kInlineAssembly;
  });
}

// Whether the body's metadata or assembly may ask for entries in any section.
bool MayHaveEntries(const ir::Function& body) {
  return body.has_unknown || HasAssembly(body.constants) ||
         std::any_of(body.instructions.begin(), body.instructions.end(),
                     [](const ir::Instruction& instruction) { return instruction.has_unknown; });
}

absl::Status CheckBodies(const bitcode::BitcodeModule& source, absl::string_view symbol) {
  const ir::Module& module = source.module();
  if (HasAssembly(module.constants())) return Refuse(symbol);
  bitcode::FunctionReader reader(source);
  ir::Function body;
  for (uint32_t number = 0; number < module.globals().size(); ++number) {
    const ir::Global& global = module.globals()[number];
    if (!global.IsFunction() || global.is_declaration()) continue;
    FIRSTCALL_RETURN_IF_ERROR(reader.Read(number, body));
    if (MayHaveEntries(body)) return Refuse(symbol);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckCodeTables(const bitcode::BitcodeModule& source) {
  const ir::Module& module = source.module();
  const std::vector<Table> tables = NamedTables(module);
  if (tables.empty()) return absl::OkStatus();
  const absl::flat_hash_set<absl::string_view> of_variables = SectionsOfVariables(module);
  absl::string_view to_look_for;
  for (const Table& table : tables) {
    if (of_variables.contains(table.section)) continue;
    if (table.section.empty() || HasEntriesByAttributes(module, table.section)) {
      return Refuse(table.symbol);
    }
    to_look_for = table.symbol;
  }
  return to_look_for.empty() ? absl::OkStatus() : CheckBodies(source, to_look_for);
}

}  // namespace firstcall::direct
