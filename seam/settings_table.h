// The table of TargetSettings: whatever has to know every setting, such as the signature of a
// cache's entries or the coding for a compile server, goes through the table. A setting that the
// table lacks does not compile.
//
// Thread-compatible. Tested in tests/engine/signature_test.cc,
// tests/services/server/seam_coding_test.cc, and tests/command/settings_test.cc, where each setting
// has its setter in C and its option of the command.

#ifndef FIRSTCALL_SEAM_SETTINGS_TABLE_H_
#define FIRSTCALL_SEAM_SETTINGS_TABLE_H_

#include "seam/target_settings.h"

namespace firstcall {

// Calls `visit(name, value)` for each setting of `settings`, which is a TargetSettings, in a fixed
// order. `value` is a reference to the field, and `name` is the field's name.
template <typename Settings, typename Visit>
void ForEachSetting(Settings& settings, Visit visit) {
  auto& [codegen_level, backend, baseline, baseline_has_few_registers, optnone, debug_info, triple,
         architecture, cpu, features, relocation_model, code_model, llvm_arguments,
         target_options] = settings;
  visit("codegen_level", codegen_level);
  visit("backend", backend);
  visit("baseline", baseline);
  visit("baseline_has_few_registers", baseline_has_few_registers);
  visit("optnone", optnone);
  visit("debug_info", debug_info);
  visit("triple", triple);
  visit("architecture", architecture);
  visit("cpu", cpu);
  visit("features", features);
  visit("relocation_model", relocation_model);
  visit("code_model", code_model);
  visit("llvm_arguments", llvm_arguments);
  visit("target_options", target_options);
}

// The last value of an enumeration of the settings; the values before it are valid, too. An
// enumeration without one cannot be read from a message.
template <typename Enum>
inline constexpr Enum kLastOf = Enum::kNoLastValueIsKnown;
template <>
inline constexpr CodegenLevel kLastOf<CodegenLevel> = CodegenLevel::kO3;
template <>
inline constexpr Backend kLastOf<Backend> = Backend::kMcjit;
template <>
inline constexpr Baseline kLastOf<Baseline> = Baseline::kStrict;
template <>
inline constexpr OptNone kLastOf<OptNone> = OptNone::kIgnore;
template <>
inline constexpr DebugInfo kLastOf<DebugInfo> = DebugInfo::kLines;
template <>
inline constexpr RelocationModel kLastOf<RelocationModel> = RelocationModel::kRopiRwpi;
template <>
inline constexpr CodeModel kLastOf<CodeModel> = CodeModel::kLarge;

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_SETTINGS_TABLE_H_
