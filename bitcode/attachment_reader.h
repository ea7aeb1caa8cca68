// Reads which metadata a function and its instructions have, as far as code depends on metadata: a
// block METADATA_ATTACHMENT.
//
// Thread-safe: a function without state of its own.

#ifndef FIRSTCALL_BITCODE_ATTACHMENT_READER_H_
#define FIRSTCALL_BITCODE_ATTACHMENT_READER_H_

#include "absl/status/status.h"
#include "bitcode/bit_reader.h"
#include "bitcode/body_builder.h"
#include "bitcode/call_reader.h"

namespace firstcall::bitcode {

// Reads a block that `reader` has entered, and leaves the block. The instructions of `body` are
// there; `calls` says which ones the body lacks.
absl::Status ReadAttachments(BitReader& reader, const CallReader& calls, BodyBuilder& body);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ATTACHMENT_READER_H_
