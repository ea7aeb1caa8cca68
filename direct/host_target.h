// What the code of first bodies depends on, for the target that an engine has without any settings:
// this process. What LLVM would say (backend/llvm/target.h), without LLVM.
//
// Thread-safe. Tested in tests/direct/host_target_test.cc.

#ifndef FIRSTCALL_DIRECT_HOST_TARGET_H_
#define FIRSTCALL_DIRECT_HOST_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/module.h"
#include "seam/target_settings.h"

namespace firstcall::direct {

// Whether `settings` leave everything to this process's target and to the baseline code generator,
// as far as it covers the code.
bool IsHostTarget(const TargetSettings& settings);

// The triple of this process, as far as code depends on it, and its data layout. Both are empty if
// there is no baseline code generator for the processor.
bitcode::DefaultTarget HostTarget();

// BaselineCompiler::Features for this process.
absl::Span<const char* const> FeatureNames();

// Those of FeatureNames that this machine's CPU has.
std::vector<std::string> HostFeatures();

// Whether a module of this triple and this data layout is made for this process. InvalidArgument
// for another target.
absl::Status CheckTarget(absl::string_view triple, absl::string_view layout);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_HOST_TARGET_H_
