// Writes the kinds of instructions of which polls consist, by a BodyRewriter.
//
// Thread-compatible.

#ifndef FIRSTCALL_DIRECT_OSR_INSTRUCTION_WRITER_H_
#define FIRSTCALL_DIRECT_OSR_INSTRUCTION_WRITER_H_

#include <cstdint>

#include "direct/osr/poll_types.h"
#include "ir/body_rewriter.h"
#include "ir/function.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::direct {

class InstructionWriter {
 public:
  // Both must outlive the writer.
  InstructionWriter(ir::BodyRewriter& rewriter, const PollTypes& types)
      : rewriter_(rewriter), types_(types) {}

  // Begins with a function with which the rewriter has begun.
  void Begin(const ir::Function& function);

  ir::BodyRewriter& rewriter() { return rewriter_; }
  const PollTypes& types() const { return types_; }
  // Of i32.
  ir::Operand zero() const { return zero_; }
  ir::Operand one() const { return one_; }

  // Begins a block that the function did not have.
  void BeginBlock();

  void Jump(uint32_t target);
  void Branch(ir::Operand condition, uint32_t if_true, uint32_t if_false);
  ir::Operand Compare(ir::Predicate predicate, ir::Operand left, ir::Operand right);
  ir::Operand Load(const ir::Type* type, ir::Operand place);
  void Store(ir::Operand place, ir::Operand value, const ir::Type* type);
  // The address of a variable of the frame.
  ir::Operand Variable(const ir::Type* type, uint32_t alignment);
  // Of i32.
  ir::Operand Binary(ir::Opcode opcode, ir::Operand left, ir::Operand right);
  // The address `offset` bytes behind `base`, in the same object.
  ir::Operand AddressAt(ir::Operand base, uint64_t offset);

 private:
  ir::BodyRewriter& rewriter_;
  const PollTypes& types_;
  bool has_shared_blocks_ = false;
  ir::Operand zero_, one_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_INSTRUCTION_WRITER_H_
