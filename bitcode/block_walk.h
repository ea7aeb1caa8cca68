// Walks over what is in a block of bitcode.
//
// Thread-compatible: functions of the reader. Tested by the tests of the readers of blocks, and in
// tests/bitcode/damage_test.cc.

#ifndef FIRSTCALL_BITCODE_BLOCK_WALK_H_
#define FIRSTCALL_BITCODE_BLOCK_WALK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/status.h"
#include "bitcode/bit_reader.h"

namespace firstcall::bitcode {

// Walks over the block that `reader` has entered, and leaves the block. on_block(id), in front of a
// block within, has to read or to skip that block; on_record(), in front of a record, has to read
// or to skip the record. Both return an absl::Status. The walk ends with the first that is not OK,
// or with the reader's failure.
template <typename OnBlock, typename OnRecord>
absl::Status WalkBlock(BitReader& reader, OnBlock on_block, OnRecord on_record) {
  for (;;) {
    const Entry entry = reader.Next();
    switch (entry.kind) {
      case EntryKind::kRecord:
        FIRSTCALL_RETURN_IF_ERROR(on_record());
        break;
      case EntryKind::kSubBlock:
        FIRSTCALL_RETURN_IF_ERROR(on_block(entry.id));
        break;
      case EntryKind::kEndBlock:
        return absl::OkStatus();
      case EntryKind::kFailure:
        return reader.status();
    }
  }
}

// Skips the block in front of which `reader` is.
inline absl::Status SkipBlock(BitReader& reader) {
  return reader.SkipBlock() ? absl::OkStatus() : reader.status();
}

// The same for a block whose inner blocks mean nothing. on_record(record) gets each record when it
// has been read.
template <typename OnRecord>
absl::Status WalkRecords(BitReader& reader, OnRecord on_record) {
  return WalkBlock(
      reader, [&](uint32_t) { return SkipBlock(reader); },
      [&] {
        const Record& record = reader.ReadRecord();
        return reader.failed() ? reader.status() : on_record(record);
      });
}

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_BLOCK_WALK_H_
