// Digests of the parts of a source module's bitcode, those of splitter/bitcode_digests, without
// LLVM's reader.
//
// Thread-safe: a pure function. Tested in tests/direct/body_digests_test.cc.

#ifndef FIRSTCALL_DIRECT_BODY_DIGESTS_H_
#define FIRSTCALL_DIRECT_BODY_DIGESTS_H_

#include "absl/status/statusor.h"
#include "direct/source_module.h"
#include "seam/body_digests.h"

namespace firstcall::direct {

// InvalidArgument if the bitcode is damaged.
absl::StatusOr<BodyDigests> ReadBodyDigests(const ReadModule& module);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_BODY_DIGESTS_H_
