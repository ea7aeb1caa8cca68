// Writes an .eh_frame table (DWARF 4, section 6.4, as changed by the Linux Standard Base) for code
// at known addresses; for the encoders.
//
// Thread-compatible. Tested in tests/stubs/reentry_test.cc.

#ifndef FIRSTCALL_STUBS_UNWIND_TABLE_WRITER_H_
#define FIRSTCALL_STUBS_UNWIND_TABLE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "memory/executor_address.h"
#include "stubs/byte_writer.h"

namespace firstcall {

// DW_CFA_... (DWARF 4, section 7.23). The last two carry an operand in their low bits.
enum CfaInstruction : uint8_t {
  kCfaNop = 0x00,
  kCfaAdvanceLoc4 = 0x04,
  kCfaDefCfa = 0x0c,
  kCfaDefCfaOffset = 0x0e,
  kCfaDefCfaExpression = 0x0f,
  kCfaAdvanceLoc = 0x40,
  kCfaOffset = 0x80,
};

class UnwindTableWriter {
 public:
  // `return_address` is the DWARF number of the register or column that holds the return address.
  // `initial` are the instructions that hold at the beginning of each piece of code. Advances in
  // code are in bytes; stack offsets are in units of -8 bytes.
  UnwindTableWriter(uint8_t return_address, std::initializer_list<uint8_t> initial) {
    out_.Number32(0);
    out_.Number32(0);  // A CIE.
    out_.Bytes({1, 'z', 'R', 0});
    out_.Bytes({1, /*-8=*/0x78, return_address});
    out_.Bytes({1, /*DW_EH_PE_absptr=*/0});
    out_.Bytes(initial);
    End();
  }

  // The following instructions describe the `size` bytes of code at `begin`, until the next call.
  void Describe(ExecutorAddress begin, size_t size) {
    if (begin_ != 0) End();
    begin_ = out_.size();
    out_.Number32(0);
    out_.Number32(out_.size());  // Distance from this field back to the CIE.
    out_.Number64(begin.value());
    out_.Number64(size);
    out_.Bytes({0});  // No augmentation data.
  }

  void Instruction(std::initializer_list<uint8_t> bytes) { out_.Bytes(bytes); }

  // The following instructions hold from `distance` bytes further on.
  void Advance(uint32_t distance) {
    out_.Bytes({kCfaAdvanceLoc4});
    out_.Number32(distance);
  }

  // Returns the terminated table.
  std::vector<uint8_t> Finish() {
    if (begin_ != 0) End();
    out_.Number32(0);
    return out_.Take();
  }

 private:
  // Completes an entry: pads it to a multiple of eight bytes and sets its length.
  void End() {
    out_.PadTo((out_.size() + 7) / 8 * 8, kCfaNop);
    out_.Patch32(begin_, static_cast<uint32_t>(out_.size() - begin_ - 4));
  }

  ByteWriter out_;
  size_t begin_ = 0;  // Where the entry that is being written begins.
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_UNWIND_TABLE_WRITER_H_
