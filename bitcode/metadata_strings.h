// The strings of a module's metadata, by number: a record METADATA_STRINGS of bitcode.
//
// Thread-compatible.

#ifndef FIRSTCALL_BITCODE_METADATA_STRINGS_H_
#define FIRSTCALL_BITCODE_METADATA_STRINGS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "bitcode/bit_cursor.h"
#include "bitcode/bit_reader.h"

namespace firstcall::bitcode {

class MetadataStrings {
 public:
  // Reads the record: [count, offset of the characters] and a blob, the lengths and the characters.
  absl::Status Read(const Record& record);

  uint64_t count() const { return count_; }
  // `number` must be less than count(). Reads the lengths only as far as needed. InvalidArgument if
  // the string is not in the blob.
  absl::Status Find(uint64_t number, absl::string_view& string);

 private:
  uint64_t count_ = 0;
  BitCursor lengths_;
  absl::string_view characters_;
  std::vector<uint64_t> ends_;  // Of the first strings, in characters_.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_METADATA_STRINGS_H_
