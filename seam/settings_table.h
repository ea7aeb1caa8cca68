// The table of TargetSettings: whatever has to know every setting, such as the signature of a
// cache's entries or the coding for a compile server, goes through the table. A setting that the
// table lacks does not compile.
//
// Thread-compatible. Tested in tests/engine/signature_test.cc and
// tests/services/server/seam_coding_test.cc.

#ifndef FIRSTCALL_SEAM_SETTINGS_TABLE_H_
#define FIRSTCALL_SEAM_SETTINGS_TABLE_H_

#include "seam/target_settings.h"

namespace firstcall {

// Calls `visit(name, value)` for each setting of `settings`, which is a TargetSettings, in a fixed
// order. `value` is a reference to the field; `name` is a short word for people.
template <typename Settings, typename Visit>
void ForEachSetting(Settings& settings, Visit visit) {
  auto& [codegen_level, backend, baseline, few_registers, optnone, triple, architecture, cpu,
         features, relocation_model, code_model, llvm_arguments, target_options] = settings;
  visit("level", codegen_level);
  visit("backend", backend);
  visit("baseline", baseline);
  visit("few", few_registers);
  visit("optnone", optnone);
  visit("triple", triple);
  visit("arch", architecture);
  visit("cpu", cpu);
  visit("features", features);
  visit("relocation", relocation_model);
  visit("code", code_model);
  visit("option", llvm_arguments);
  visit("options", target_options);
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
inline constexpr RelocationModel kLastOf<RelocationModel> = RelocationModel::kRopiRwpi;
template <>
inline constexpr CodeModel kLastOf<CodeModel> = CodeModel::kLarge;

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_SETTINGS_TABLE_H_
