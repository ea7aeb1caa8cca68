// Reads the block MODULE of bitcode, all but the functions' bodies.
//
// A part of BitcodeModule. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_MODULE_READER_H_
#define FIRSTCALL_BITCODE_MODULE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bitcode/bit_reader.h"
#include "bitcode/constant_reader.h"
#include "bitcode/file_layout.h"
#include "bitcode/global_reader.h"
#include "bitcode/module.h"

namespace firstcall::bitcode {

class ModuleReader {
 public:
  // `target` is filled, and must outlive the reader, as must what `layout` refers to.
  ModuleReader(const FileLayout& layout, const DefaultTarget& default_target,
               BitcodeModule& target);

  // Called once. If the result is OK, `target` is complete but for ir::CheckModule.
  absl::Status Read();

 private:
  absl::Status ReadRecord(uint32_t abbreviation);
  absl::Status ReadBlock(uint32_t id);
  // Notes in `place` where a block is that is read later.
  absl::Status SkipUntilLater(uint64_t& place);
  // Reads the data layout, the types and the attributes, if that has not happened: types need the
  // data layout, which stands behind them in a file, but before all that needs types.
  absl::Status ReadTables();
  absl::Status ReadLayout();
  absl::Status ReadTypes(BitReader& reader);
  absl::Status ReadAttributes(BitReader& reader);
  absl::Status ReadMetadataKinds();
  absl::Status ReadNames(uint32_t block);
  absl::Status ReadConstants();
  absl::Status ReadMetadata();
  // Notes where the next function's body is.
  absl::Status FindBody();
  uint64_t ReadBlockCount();
  // Called at the end of the module.
  absl::Status Finish();
  absl::Status CheckBlockAddresses() const;

  BitcodeModule& target_;
  const DefaultTarget default_target_;
  const uint64_t position_;  // Of the module.
  BitReader reader_;
  GlobalReader globals_;
  ConstantReader constants_;
  bool has_version_ = false;
  bool has_tables_ = false;
  std::string triple_, layout_text_;
  // Where blocks are. 0: there is none.
  uint64_t types_ = 0, attribute_groups_ = 0, attribute_lists_ = 0;
  uint32_t next_body_ = 0;  // No global before this one will get a body.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_MODULE_READER_H_
