// What code generation needs of a module's metadata (the block METADATA of bitcode): the flags of
// the module, whether it has debug information, and which globals have any, or metadata that code
// depends on.
//
// A part of ModuleReader. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_METADATA_READER_H_
#define FIRSTCALL_BITCODE_METADATA_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "bitcode/bit_reader.h"
#include "bitcode/metadata_strings.h"
#include "bitcode/module.h"
#include "ir/constant.h"
#include "ir/module.h"

namespace firstcall::bitcode {

class MetadataReader {
 public:
  // `kinds`: MetadataKind by number. `module` has its globals and constants; it gets flags, whose
  // names stay in the bytes of `reader`. All must outlive the object.
  MetadataReader(BitReader& reader, const std::vector<MetadataKind>& kinds, ir::Module& module)
      : reader_(reader), kinds_(kinds), module_(module) {}

  // Reads the block that the reader has entered, and leaves the block.
  absl::Status Read();

  // What the block has defined: how much metadata, and the strings, which stay in the bytes of
  // `reader`.
  uint64_t count() const { return strings_.count() + positions_.size(); }
  const MetadataStrings& strings() const { return unread_strings_; }

  // Appends the parts of the reader's bytes that Read has jumped over. To be called once, after
  // Read.
  void AppendUnreadParts(std::vector<absl::Span<const uint8_t>>& parts);

 private:
  // A part of the stream, in bits.
  struct Part {
    uint64_t begin = 0, end = 0;
  };

  absl::Status ReadRecord();
  // Jumps behind the nodes, and notes where they are.
  absl::Status ReadIndex();
  absl::Status ReadFlags(absl::Span<const uint64_t> nodes);
  absl::Status ReadFlag(uint64_t node);
  absl::Status ReadAttachments(absl::Span<const uint64_t> operands);
  // Reads the record that defines metadata number `number`. Null if none is known.
  const Record* ReadDefinition(uint64_t number);
  // The integer that metadata number `number` is; null if it is something else.
  const ir::Constant* ReadInteger(uint64_t number);

  BitReader& reader_;
  const std::vector<MetadataKind>& kinds_;
  ir::Module& module_;
  // Metadata is numbered: first the strings, then what has a record of its own, in this order.
  MetadataStrings strings_;
  MetadataStrings unread_strings_;   // A copy without what was noted to find strings.
  std::vector<uint64_t> positions_;  // Of the records, in bits.
  Part nodes_;                       // The definitions that the reader has jumped over.
  std::vector<Part> definitions_;    // Those that have been read.
  std::string name_;                 // Of the list of nodes that follows.
  uint32_t flag_count_ = 0;
  const ir::GlobalTraits* last_traits_ = nullptr;  // Of the last global that has metadata.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_METADATA_READER_H_
