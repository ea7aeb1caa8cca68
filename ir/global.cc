#include "ir/global.h"

namespace firstcall::ir {
namespace {

bool HasSameSymbol(const GlobalTraits& a, const GlobalTraits& b) {
  return a.kind == b.kind && a.linkage == b.linkage && a.visibility == b.visibility &&
         a.thread_local_mode == b.thread_local_mode && a.unnamed_address == b.unnamed_address &&
         a.is_dso_local == b.is_dso_local && a.is_declaration == b.is_declaration &&
         a.is_constant == b.is_constant &&
         a.is_externally_initialized == b.is_externally_initialized &&
         a.has_debug_information == b.has_debug_information &&
         a.has_large_code_model == b.has_large_code_model && a.has_unknown == b.has_unknown;
}

// The same lists, not equal ones.
bool HasSameAttributes(const AttributeSet& a, const AttributeSet& b) {
  return a.kinds == b.kinds && a.alignment == b.alignment &&
         a.stack_alignment == b.stack_alignment && a.type == b.type &&
         a.strings.data() == b.strings.data() && a.strings.size() == b.strings.size();
}

}  // namespace

bool operator==(const GlobalTraits& a, const GlobalTraits& b) {
  return HasSameSymbol(a, b) && a.convention == b.convention && a.intrinsic == b.intrinsic &&
         a.address_space == b.address_space && a.alignment == b.alignment &&
         a.section == b.section && a.collector == b.collector && a.type == b.type &&
         a.value_type == b.value_type && a.attributes == b.attributes &&
         HasSameAttributes(a.variable_attributes, b.variable_attributes) &&
         a.personality == b.personality && a.prefix_data == b.prefix_data &&
         a.prologue_data == b.prologue_data;
}

}  // namespace firstcall::ir
