// Reads the records of calls, and of the operand bundles that precede a call's record.
//
// Thread-compatible. Used for all bodies of a module.

#ifndef FIRSTCALL_BITCODE_CALL_READER_H_
#define FIRSTCALL_BITCODE_CALL_READER_H_

#include <cstdint>
#include <vector>

#include "bitcode/body_builder.h"
#include "bitcode/record_cursor.h"
#include "ir/attributes.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::bitcode {

class CallReader {
 public:
  // `body` must outlive the reader.
  explicit CallReader(BodyBuilder& body);

  // Called for each body, before its first record.
  void Begin();
  // Called for each body, behind its last record.
  void Finish();

  void ReadCall(RecordOperands operands);
  void ReadInvoke(RecordOperands operands);
  void ReadCallBr(RecordOperands operands);
  // The bundle belongs to the next call. Its operands are not read: the arrays lack them.
  void ReadOperandBundle(RecordOperands operands);
  // Whether a bundle has been read whose call has not.
  bool has_bundle() const { return has_bundle_; }

  // How many calls of intrinsics the body has that the arrays leave out, before the instruction
  // that has the number `number` when they are counted, too. Sets `is_left_out` if that is one of
  // them.
  uint32_t LeftOutBefore(uint64_t number, bool& is_left_out) const;

 private:
  // What is special about calling a function.
  enum class Callee : uint8_t {
    kNotKnownYet,
    kPlain,
    // LLVM turns calls into records of debug information, which are no instructions.
    kLeftOut,
    kUpgraded,     // LLVM replaces calls by something else.
    kConstrained,  // An intrinsic that all functions may call strictly.
    kStrict,       // With the attribute "strictfp".
  };

  // What all records of calls say first.
  struct Start {
    const ir::AttributeList* attributes;  // Null if the body's builder has failed.
    uint64_t flags;
  };

  Start ReadStart(RecordCursor& record);
  const ir::Type* ReadFunctionType(RecordCursor& record);
  Callee CalleeOf(ir::Operand callee, const ir::Type* function_type);
  Callee Classify(const ir::Global& global) const;
  // Refuses calls that LLVM would change.
  void CheckCallee(Callee callee, const ir::AttributeList& attributes);
  void LeaveOut();
  // The arguments, and then `callee`.
  void ReadArguments(ir::Instruction& instruction, ir::Call& call, ir::Operand callee,
                     RecordCursor& record);
  // `callee` has the type `function_type` for the call.
  ir::Operand ReadArgument(const ir::Type* type, ir::Operand callee, const ir::Type* function_type,
                           RecordCursor& record);
  ir::Call& AddCall(ir::Instruction& instruction, const Start& start, const ir::Type* type,
                    uint64_t convention);

  BodyBuilder& body_;
  std::vector<Callee> callees_;  // By global.
  bool is_strict_ = false;       // The body's function has the attribute "strictfp".
  bool has_bundle_ = false;
  // The numbers, when they are counted, of the calls that are left out.
  std::vector<uint64_t> left_out_;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_CALL_READER_H_
