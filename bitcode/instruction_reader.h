// Reads the records of a function's block, but for debug information: all instructions, and what
// stands between them.
//
// Thread-compatible. Used for all bodies of a module.

#ifndef FIRSTCALL_BITCODE_INSTRUCTION_READER_H_
#define FIRSTCALL_BITCODE_INSTRUCTION_READER_H_

#include <cstdint>

#include "bitcode/bit_reader.h"
#include "bitcode/body_builder.h"
#include "bitcode/call_reader.h"

namespace firstcall::bitcode {

class InstructionReader {
 public:
  // `body` must outlive the reader.
  explicit InstructionReader(BodyBuilder& body) : body_(body), calls_(body) {}

  // Called for each body, before its first record.
  void Begin();
  // Called for each body, behind its last record.
  void Finish();

  // Appends to the body what the record means, or makes the body's builder fail. The record is none
  // of debug information.
  void Read(const Record& record);

  const CallReader& calls() const { return calls_; }
  // Whether instructions of other functions use addresses of this function's blocks.
  bool has_shared_blocks() const { return has_shared_blocks_; }

 private:
  void ReadDeclareBlocks(RecordOperands operands);
  // Neither a call nor what may stand before one.
  void ReadOther(uint32_t code, RecordOperands operands);

  BodyBuilder& body_;
  CallReader calls_;
  bool has_declared_blocks_ = false;
  bool has_shared_blocks_ = false;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_INSTRUCTION_READER_H_
