// The attributes of a module: the blocks PARAMATTR_GROUP and PARAMATTR of bitcode. A group is a set
// of attributes of a function, of its result or of a parameter; a list has several groups.
//
// A part of ModuleReader. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_ATTRIBUTE_READER_H_
#define FIRSTCALL_BITCODE_ATTRIBUTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "bitcode/bit_reader.h"
#include "bitcode/type_table.h"
#include "ir/attributes.h"
#include "ir/module.h"

namespace firstcall::bitcode {

class AttributeReader {
 public:
  // Lists are added to `module`, and to `lists` by number: at first the list without attributes,
  // which has the number 0. All lists together have at most `parameter_limit` parameters' sets:
  // whoever damages a file must not use up the memory.
  AttributeReader(const TypeTable& types, size_t parameter_limit, ir::Module& module,
                  std::vector<const ir::AttributeList*>& lists);

  // Each reads a block that `reader` has entered, and leaves the block. Groups come first.
  absl::Status ReadGroups(BitReader& reader);
  absl::Status ReadLists(BitReader& reader);

 private:
  struct Group {
    uint64_t owner = 0;  // As bitcode says: 0 is the result, kFunction the function, parameters are
                         // counted from 1 on.
    ir::AttributeSet set;
  };

  absl::Status ReadGroup(absl::Span<const uint64_t> operands);
  absl::Status ReadList(absl::Span<const uint64_t> operands);
  absl::Status AddTo(ir::AttributeList& list, const Group& group);

  const TypeTable& types_;
  ir::Module& module_;
  std::vector<const ir::AttributeList*>& lists_;
  absl::flat_hash_map<uint64_t, Group> groups_;  // By number.
  size_t parameters_left_;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ATTRIBUTE_READER_H_
