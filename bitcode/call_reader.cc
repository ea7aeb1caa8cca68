#include "bitcode/call_reader.h"

#include <algorithm>

#include "absl/base/optimization.h"
#include "bitcode/arithmetic_records.h"
#include "bitcode/intrinsic_upgrade.h"
#include "ir/constrained.h"
#include "ir/intrinsic.h"
#include "ir/module.h"

namespace firstcall::bitcode {
namespace {

using ir::Attribute;
using ir::Call;
using ir::Instruction;
using ir::IntrinsicId;
using ir::Opcode;
using ir::Operand;
using ir::Type;

// The flags of a call's record. The convention is a number of ten bits; its place differs.
constexpr uint64_t kTail = 1, kMustTail = 1 << 14, kExplicitType = 1 << 15, kNoTail = 1 << 16,
                   kFastMath = 1 << 17;
constexpr uint64_t kConvention = 0x3ff;
constexpr int kConventionShift = 1;
constexpr uint64_t kCallFlags =
    kTail | kConvention << kConventionShift | kMustTail | kExplicitType | kNoTail | kFastMath;
constexpr uint64_t kCallBrFlags = kConvention << kConventionShift | kExplicitType;
// Of an invoke, whose convention has the lowest bits.
constexpr uint64_t kExplicitInvokeType = 1 << 13;
constexpr uint64_t kInvokeFlags = kConvention | kExplicitInvokeType;

bool IsLeftOut(IntrinsicId intrinsic) {
  switch (intrinsic) {
    case IntrinsicId::kDbgAssign:
    case IntrinsicId::kDbgDeclare:
    case IntrinsicId::kDbgLabel:
    case IntrinsicId::kDbgValue:
      return true;
    default:
      return false;
  }
}

}  // namespace

CallReader::CallReader(BodyBuilder& body)
    : body_(body), callees_(body.source().module().globals().size(), Callee::kNotKnownYet) {}

void CallReader::Begin() {
  is_strict_ = body_.function().attributes().function.Has(Attribute::kStrictFP);
  has_bundle_ = false;
  left_out_.clear();
}

void CallReader::Finish() {
  if (has_bundle_) body_.Fail("an operand bundle without a call");
}

uint32_t CallReader::LeftOutBefore(uint64_t number, bool& is_left_out) const {
  const auto found = std::lower_bound(left_out_.begin(), left_out_.end(), number);
  is_left_out = found != left_out_.end() && *found == number;
  return static_cast<uint32_t>(found - left_out_.begin());
}

CallReader::Start CallReader::ReadStart(RecordCursor& record) {
  const ir::AttributeList* attributes = body_.source().FindAttributes(record.Number());
  if (ABSL_PREDICT_FALSE(attributes == nullptr)) {
    body_.Fail("no list of attributes has this number");
  }
  return {attributes, record.Number()};
}

const Type* CallReader::ReadFunctionType(RecordCursor& record) {
  const Type* type = record.Type();
  if (ABSL_PREDICT_FALSE(!type->IsFunction())) body_.Fail("a call with a type of no function");
  return type;
}

CallReader::Callee CallReader::CalleeOf(Operand callee, const Type* function_type) {
  const uint32_t number = callee.number();
  // The first constants are the addresses of the globals.
  if (!callee.IsConstant() || number >= callees_.size()) return Callee::kPlain;
  const ir::Global& global = body_.source().module().globals()[number];
  if (ABSL_PREDICT_FALSE(callees_[number] == Callee::kNotKnownYet)) {
    callees_[number] = Classify(global);
  }
  if (callees_[number] != Callee::kLeftOut) return callees_[number];
  return global.value_type() == function_type ? Callee::kLeftOut : Callee::kPlain;
}

CallReader::Callee CallReader::Classify(const ir::Global& global) const {
  if (!global.IsFunction()) return Callee::kPlain;
  if (IsLeftOut(global.intrinsic())) return Callee::kLeftOut;
  if (global.intrinsic() != IntrinsicId::kNone) {
    if (IsUpgradedIntrinsic(global.name, *global.value_type())) return Callee::kUpgraded;
    if (ir::IsConstrainedName(global.name)) return Callee::kConstrained;
  }
  return global.attributes()->function.Has(Attribute::kStrictFP) ? Callee::kStrict : Callee::kPlain;
}

// LLVM changes calls that are strict in a function that is not.
void CallReader::CheckCallee(Callee callee, const ir::AttributeList& attributes) {
  if (callee == Callee::kUpgraded) {
    return body_.Refuse("a call of an intrinsic that LLVM replaces when it reads the file");
  }
  if (is_strict_ || callee == Callee::kConstrained) return;
  if (callee == Callee::kStrict || attributes.function.Has(Attribute::kStrictFP)) {
    body_.Refuse("a strictfp call in a function that is not strictfp");
  }
}

Call& CallReader::AddCall(Instruction& instruction, const Start& start, const Type* type,
                          uint64_t convention) {
  std::vector<Call>& calls = body_.function().calls;
  instruction.call = static_cast<uint32_t>(calls.size());
  Call& call = calls.emplace_back();
  call.function_type = type;
  call.attributes = start.attributes;
  call.convention = static_cast<ir::CallingConvention>(convention & kConvention);
  call.has_bundles = has_bundle_;
  has_bundle_ = false;
  return call;
}

Operand CallReader::ReadArgument(const Type* type, Operand callee, const Type* function_type,
                                 RecordCursor& record) {
  if (ABSL_PREDICT_FALSE(type->kind == ir::TypeKind::kMetadata)) {
    const uint32_t number = record.Metadata();
    // The arrays lack other metadata.
    return CalleeOf(callee, function_type) == Callee::kConstrained ? body_.Text(type, number)
                                                                   : body_.Metadata(type);
  }
  if (ABSL_PREDICT_FALSE(type->kind == ir::TypeKind::kLabel)) {
    body_.Refuse("a block as an argument");
  }
  return record.Value();
}

void CallReader::ReadArguments(Instruction& instruction, Call& call, Operand callee,
                               RecordCursor& record) {
  for (const Type* parameter : call.function_type->parameters()) {
    if (body_.failed()) return;
    body_.AddOperand(ReadArgument(parameter, callee, call.function_type, record));
  }
  if (call.function_type->is_variadic) {
    while (!record.IsAtEnd()) body_.AddOperand(record.ValueAndType().operand);
  }
  body_.AddOperand(callee);
  body_.Close(instruction);
  call.argument_count = instruction.operand_count - 1;
  record.ExpectEnd();
}

void CallReader::ReadCall(RecordOperands operands) {
  RecordCursor record(operands, body_);
  const Start start = ReadStart(record);
  if ((start.flags & kExplicitType) == 0) return body_.Refuse("a call of an older form");
  if ((start.flags & ~kCallFlags) != 0) return body_.Refuse("a call with an unknown flag");
  const uint64_t fast_math = (start.flags & kFastMath) != 0 ? record.Number() : 0;
  const Type* type = ReadFunctionType(record);
  const Operand callee = record.ValueAndType().operand;
  if (body_.failed()) return;
  const Callee kind = CalleeOf(callee, type);
  if (kind == Callee::kLeftOut) return LeaveOut();
  CheckCallee(kind, *start.attributes);
  Instruction& instruction = body_.Append(Opcode::kCall, type->result());
  Call& call = AddCall(instruction, start, type, start.flags >> kConventionShift);
  // A later kind prevails.
  call.is_no_tail = (start.flags & kNoTail) != 0;
  call.is_must_tail = (start.flags & kMustTail) != 0 && !call.is_no_tail;
  call.is_tail = (start.flags & kTail) != 0 && !call.is_must_tail && !call.is_no_tail;
  if (fast_math != 0) SetFastMath(fast_math, *type->result(), instruction, body_);
  ReadArguments(instruction, call, callee, record);
}

void CallReader::LeaveOut() {
  left_out_.push_back(body_.instruction_count() + left_out_.size());
  has_bundle_ = false;
}

void CallReader::ReadInvoke(RecordOperands operands) {
  RecordCursor record(operands, body_);
  const Start start = ReadStart(record);
  if ((start.flags & kExplicitInvokeType) == 0) return body_.Refuse("an invoke of an older form");
  if ((start.flags & ~kInvokeFlags) != 0) return body_.Refuse("an invoke with an unknown flag");
  const uint32_t normal = record.Block();
  const uint32_t landing_pad = record.Block();
  const Type* type = ReadFunctionType(record);
  const Operand callee = record.ValueAndType().operand;
  if (body_.failed()) return;
  CheckCallee(CalleeOf(callee, type), *start.attributes);
  Instruction& instruction = body_.Append(Opcode::kInvoke, type->result());
  body_.EndBlock();
  body_.AddTarget(normal);
  body_.AddTarget(landing_pad);
  Call& call = AddCall(instruction, start, type, start.flags);
  ReadArguments(instruction, call, callee, record);
}

void CallReader::ReadCallBr(RecordOperands operands) {
  RecordCursor record(operands, body_);
  const Start start = ReadStart(record);
  if ((start.flags & kExplicitType) == 0) return body_.Refuse("a callbr of an older form");
  if ((start.flags & ~kCallBrFlags) != 0) return body_.Refuse("a callbr with an unknown flag");
  const uint32_t first_target = body_.target_count();
  body_.AddTarget(record.Block());
  const uint64_t count = record.Number();
  for (uint64_t i = 0; i < count && !body_.failed(); ++i) body_.AddTarget(record.Block());
  const Type* type = ReadFunctionType(record);
  const Operand callee = record.ValueAndType().operand;
  if (body_.failed()) return;
  CheckCallee(CalleeOf(callee, type), *start.attributes);
  Instruction& instruction = body_.Append(Opcode::kCallBr, type->result());
  body_.EndBlock();
  instruction.first_target = first_target;
  instruction.target_count = static_cast<uint32_t>(body_.function().targets.size()) - first_target;
  Call& call = AddCall(instruction, start, type, start.flags >> kConventionShift);
  ReadArguments(instruction, call, callee, record);
}

void CallReader::ReadOperandBundle(RecordOperands operands) {
  RecordCursor record(operands, body_);
  if (record.Number() >= body_.source().operand_bundle_tags().size()) {
    return body_.Fail("no tag of operand bundles has this number");
  }
  has_bundle_ = true;
}

}  // namespace firstcall::bitcode
