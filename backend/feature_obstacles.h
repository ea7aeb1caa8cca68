// The features of processors with which the code of the baseline code generator would be wrong, or
// would lack what they promise.
//
// Thread-safe: pure functions. Tested in tests/backend/llvm/target_test.cc.

#ifndef FIRSTCALL_BACKEND_FEATURE_OBSTACLES_H_
#define FIRSTCALL_BACKEND_FEATURE_OBSTACLES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "object/machine.h"

namespace firstcall {

// As in the attribute "target-features": a sign and a name. Empty for kOther.
const std::vector<std::string>& FeatureObstacles(Machine machine);

// Whether a function with the value `features` of the attribute "target-features" names one of
// them.
bool HasFeatureObstacle(absl::string_view features, Machine machine);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_FEATURE_OBSTACLES_H_
