// Writes statuses into records (base/coding.h), and reads them.
//
// Pure functions. Tested in tests/base/status_coding_test.cc.

#ifndef FIRSTCALL_BASE_STATUS_CODING_H_
#define FIRSTCALL_BASE_STATUS_CODING_H_

#include "absl/status/status.h"
#include "base/coding.h"

namespace firstcall {

// Writes the code and the message.
void EncodeStatus(const absl::Status& status, Encoder& encoder);

// Returns the status that was encoded; InvalidArgument if the bytes are damaged: then `decoder` is
// not ok.
absl::Status DecodeStatus(Decoder& decoder);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_STATUS_CODING_H_
