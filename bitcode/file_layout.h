// The outermost blocks of a file of bitcode.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_BITCODE_FILE_LAYOUT_H_
#define FIRSTCALL_BITCODE_FILE_LAYOUT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firstcall::bitcode {

// Refers to the file's bytes.
struct FileLayout {
  absl::Span<const uint8_t> stream;  // Without a wrapper's header.
  std::string producer;              // What the block IDENTIFICATION names; may be empty.
  uint64_t module_position = 0;      // Where BitReader::EnterBlock reads the block MODULE.
  absl::string_view names;           // All names of globals, as records refer to them.
};

// InvalidArgument if the bytes are not bitcode; Unimplemented if the file has several modules, or
// belongs to another epoch than LLVM 3.x to 22.
absl::StatusOr<FileLayout> FindBlocks(absl::Span<const uint8_t> bytes);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_FILE_LAYOUT_H_
