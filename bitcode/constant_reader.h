// The constants of a module, or of one of its functions: blocks CONSTANTS of bitcode.
//
// Thread-compatible. Reused from function to function.

#ifndef FIRSTCALL_BITCODE_CONSTANT_READER_H_
#define FIRSTCALL_BITCODE_CONSTANT_READER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/bit_reader.h"
#include "bitcode/constant_scope.h"
#include "bitcode/module.h"
#include "bitcode/type_table.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/module.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::bitcode {

class ConstantReader {
 public:
  // Types are looked up in `types`, which must outlive the reader.
  explicit ConstantReader(const TypeTable& types) : types_(types) {}

  // Reads a block that `reader` has entered, and leaves the block. Appends one constant to `module`
  // for each value of the block, in order, so constants have the numbers of values. The module's
  // globals and their addresses must be complete. A constant may refer to later ones, even of other
  // blocks: when the last block has been read, the caller looks whether highest_reference() is a
  // constant, and whether functions have the blocks of which constants are addresses.
  absl::Status ReadOfModule(BitReader& reader, ir::Module& module);
  // The highest number of a constant that a constant of the module refers to.
  uint32_t highest_reference() const { return highest_reference_; }

  // The same for a block of a function: the block's first constant is the value number
  // `first_value`. Constants are appended to `function`. All that they refer to is there
  // afterwards: constants of the module, constants of the same block, blocks of functions.
  absl::Status ReadOfFunction(BitReader& reader, const BitcodeModule& module, uint32_t first_value,
                              ir::Function& function);

 private:
  using Operands = absl::Span<const uint64_t>;

  absl::Status ReadBlock(BitReader& reader);
  absl::Status ReadRecord(const Record& record);
  // Each appends one constant of type_.
  absl::Status AddPlain(uint32_t code);
  absl::Status AddNumber(const Record& record);
  absl::Status AddData(const Record& record);
  absl::Status AddAggregate(Operands operands);
  absl::Status AddReference(const Record& record);
  absl::Status AddAssembly(Operands operands);
  absl::Status AddBinary(Operands operands);
  absl::Status AddCast(Operands operands);
  absl::Status AddGep(const Record& record);
  absl::Status AddElementOperation(const Record& record);
  absl::Status AddUnsupported(const Record& record);
  // Appends an expression, or what only LLVM knows.
  absl::Status AddWith(ir::ConstantKind kind, ir::Opcode opcode, Operands values);

  // Appends a constant of type_, whose kind is still kOther.
  ir::Constant& Append() {
    ir::Constant& constant = scope_.Append();
    constant.type = type_;
    return constant;
  }
  absl::Status CheckBlocks(const BitcodeModule& module, size_t first,
                           const ir::Function& function) const;
  absl::Status Wrong(absl::string_view cause) const;
  absl::Status Unknown(absl::string_view cause) const;

  const TypeTable& types_;
  const ir::Module* module_ = nullptr;
  ConstantScope scope_;
  uint32_t highest_reference_ = 0;
  const ir::Type* type_ = nullptr;  // Of the constants that follow. Null: none has been named.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_CONSTANT_READER_H_
