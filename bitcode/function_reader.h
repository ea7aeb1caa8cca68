// Reads bodies of functions from a module of bitcode, without LLVM.
//
// Thread-compatible: use one reader for each compiling thread. Readers may share a module. Reuse
// the reader, because it keeps its memory from body to body.

#ifndef FIRSTCALL_BITCODE_FUNCTION_READER_H_
#define FIRSTCALL_BITCODE_FUNCTION_READER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "bitcode/addressed_blocks.h"
#include "bitcode/bit_reader.h"
#include "bitcode/body_builder.h"
#include "bitcode/constant_reader.h"
#include "bitcode/instruction_reader.h"
#include "bitcode/module.h"
#include "ir/body_reader.h"
#include "ir/check.h"
#include "ir/function.h"
#include "ir/module.h"

namespace firstcall::bitcode {

class FunctionReader : public ir::BodyReader {
 public:
  // `source` must outlive the reader.
  explicit FunctionReader(const BitcodeModule& source);
  FunctionReader(const FunctionReader&) = delete;
  FunctionReader& operator=(const FunctionReader&) = delete;

  const ir::Module& module() const override { return source_.module(); }

  // Replaces `function` by the body of global number `global`. What is returned has passed
  // ir::Checker. InvalidArgument if the number is that of no function with a body, and for damaged
  // bytes and wrong IR; Unimplemented for what LLVM may know and this reader does not, and for what
  // LLVM would not take as it is (intrinsics and other forms of older LLVMs). After an error,
  // `function` has no meaning.
  absl::Status Read(uint32_t global, ir::Function& function) override;

 private:
  absl::Status ReadBody(uint32_t global, ir::Function& function);
  absl::Status ReadEntries();
  absl::Status ReadSubBlock(uint32_t id);
  absl::Status ReadConstants();
  void ReadRecord();
  void MarkAddressedBlocks(ir::Function& function);

  const BitcodeModule& source_;
  const bool has_locations_;  // Bodies may have locations of debug information.
  const AddressedBlocks addressed_;
  BitReader reader_;
  BodyBuilder body_;
  ConstantReader constants_;
  InstructionReader instructions_;
  ir::Checker checker_;
  uint64_t first_bit_ = 0;      // Of the body.
  uint64_t operand_count_ = 0;  // Of all records of the body so far.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_FUNCTION_READER_H_
