#include "direct/section_names.h"

#include <algorithm>

#include "backend/baseline/constant_data.h"
#include "ir/constant.h"

namespace firstcall::direct {

bool HasSectionName(const ir::Global& variable) {
  return !variable.section().empty() || baseline::HasImplicitSection(variable);
}

absl::InlinedVector<absl::string_view, 2> SectionNames(const ir::Module& module,
                                                       const ir::Global& variable) {
  if (!variable.section().empty()) return {variable.section()};
  absl::InlinedVector<absl::string_view, 2> names;
  if (!baseline::HasImplicitSection(variable)) return names;
  const auto add = [&](absl::string_view attribute) {
    const absl::string_view name = variable.variable_attributes().ValueOf(attribute);
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
    names.push_back(name);
  };
  if (variable.is_constant()) {
    add("rodata-section");
    add("relro-section");
  } else {
    add(module.constant(variable.initializer).IsZero() ? "bss-section" : "data-section");
  }
  return names;
}

}  // namespace firstcall::direct
