#include "backend/baseline/passing_expansion.h"

#include "backend/baseline/passing_coverage.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/vector_passing.h"
#include "ir/constant.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;
using Kind = VectorPassing::Kind;

}  // namespace

const ir::Type* PassingExpansion::FormOf(const ir::Type* type,
                                         const CallingConvention& convention) {
  if (!type->IsFixedVector() || PartCount(type) == 0) return nullptr;
  const VectorPassing passing = PassingOf(*type, convention);
  if (passing.is_wide && !knows_wide_) return nullptr;
  ir::MadeTypes& types = writer_.types();
  if (passing.kind == Kind::kWider) {
    return types.Vector(types.Integer(passing.lane_bits), type->count);
  }
  if (passing.kind != Kind::kLanes || type->count > kMaxParts) return nullptr;
  const ir::Type& element = *type->element();
  const ir::Type* lane = types.Copy(element);
  if (element.IsInteger(1)) {
    lane = types.Integer(8);
  } else if (element.bit_size == 64 && convention.passes_words_as_vectors) {
    lane = types.Float(ir::TypeKind::kDouble);
  }
  return type->count == 1 ? lane : types.Struct(lane, type->count);
}

const CallingConvention* PassingExpansion::ConventionOf(const ir::Instruction& call) const {
  if (call.opcode != Opcode::kCall && call.opcode != Opcode::kInvoke) return nullptr;
  if (function_->IntrinsicOf(call) != ir::IntrinsicId::kNone) return nullptr;
  const ir::Constant* const callee = function_->ConstantOf(function_->CalleeOf(call));
  const bool is_assembly =
      callee != nullptr && (callee->kind == ir::ConstantKind::kInlineAssembly ||
                            callee->kind == ir::ConstantKind::kEmptyAssembly);
  const ir::Call& properties = function_->CallOf(call);
  // What stands between a call with `musttail` and the return would be lost.
  if (is_assembly || properties.is_must_tail) return nullptr;
  return &architecture_->ConventionOf(properties.convention);
}

bool PassingExpansion::HasForms(const ir::Instruction& instruction) {
  if (instruction.opcode == Opcode::kRet && instruction.operand_count != 0) {
    return FormOf(function_->TypeAt(instruction, 0), *own_convention_) != nullptr;
  }
  const CallingConvention* const convention = ConventionOf(instruction);
  if (convention == nullptr) return false;
  if (instruction.opcode == Opcode::kCall && FormOf(instruction.type, *convention) != nullptr) {
    return true;
  }
  for (ir::Operand argument : function_->ArgumentsOf(instruction)) {
    if (FormOf(function_->TypeOf(argument), *convention) != nullptr) return true;
  }
  return false;
}

ExpansionWriter::Source PassingExpansion::LaneToForm(const Source& lane, const ir::Type* form) {
  const ir::Type* const type = writer_.TypeOf(lane);
  if (type->IsInteger(1)) return writer_.Add(Opcode::kZExt, form, {lane});
  if (!form->IsDouble() || type->IsDouble()) return lane;
  const ir::Type* const word = writer_.types().Integer(64);
  const Source bits = type->IsPointer() ? writer_.Add(Opcode::kPtrToInt, word, {lane}) : lane;
  return writer_.Add(Opcode::kBitCast, form, {bits});
}

ExpansionWriter::Source PassingExpansion::LaneFromForm(const Source& lane, const ir::Type* type) {
  if (type->IsInteger(1)) return writer_.Add(Opcode::kTrunc, type, {lane});
  if (!writer_.TypeOf(lane)->IsDouble() || type->IsDouble()) return lane;
  const Source bits = writer_.Add(Opcode::kBitCast, writer_.types().Integer(64), {lane});
  return type->IsPointer() ? writer_.Add(Opcode::kIntToPtr, type, {bits}) : bits;
}

ExpansionWriter::Source PassingExpansion::ToForm(const Source& vector, const ir::Type* form) {
  const ir::Type* const type = writer_.TypeOf(vector);
  if (form->IsVector()) {
    const bool is_mask = type->element()->IsInteger(1);
    return writer_.Add(is_mask ? Opcode::kSExt : Opcode::kZExt, form, {vector});
  }
  if (type->count == 1) return LaneToForm(writer_.ExtractLane(vector, 0), form);
  Source result = writer_.Undefined(form);
  for (uint32_t lane = 0; lane < type->count; ++lane) {
    const Source member = LaneToForm(writer_.ExtractLane(vector, lane), form->members()[lane]);
    result = writer_.Add(Opcode::kInsertValue, form, {result, member});
    writer_.rewriter().AddTarget(lane);
  }
  return result;
}

ExpansionWriter::Source PassingExpansion::FromForm(const Source& value, const ir::Type* vector) {
  const ir::Type* const form = writer_.TypeOf(value);
  if (form->IsVector()) return writer_.Add(Opcode::kTrunc, vector, {value});
  Source result = writer_.Undefined(vector);
  for (uint32_t lane = 0; lane < vector->count; ++lane) {
    Source member = value;
    if (form->IsStruct()) {
      member = writer_.Add(Opcode::kExtractValue, form->members()[lane], {value});
      writer_.rewriter().AddTarget(lane);
    }
    result = writer_.InsertLane(result, LaneFromForm(member, vector->element()), lane);
  }
  return result;
}

void PassingExpansion::BeginArguments() {
  for (uint32_t argument = 0; argument < function_->argument_count(); ++argument) {
    const ir::Type* const type = function_->values[argument].type;
    const ir::Type* const form = FormOf(type, *own_convention_);
    if (form == nullptr) continue;
    writer_.rewriter().SetArgumentType(argument, form);
    const Source vector = FromForm({ir::Operand::Value(argument)}, type);
    writer_.rewriter().SetNewValue(argument, vector.operand);
  }
}

void PassingExpansion::WriteCall(const ir::Instruction& call, const CallingConvention& convention) {
  for (uint32_t i = 0; i < function_->CallOf(call).argument_count; ++i) {
    const Source argument = writer_.Old(call, i);
    const ir::Type* const form = FormOf(writer_.TypeOf(argument), convention);
    if (form == nullptr) continue;
    writer_.rewriter().Replace(call.first_operand + i, ToForm(argument, form).operand);
  }
  const ir::Type* const form =
      call.opcode == Opcode::kCall ? FormOf(call.type, convention) : nullptr;
  if (form == nullptr) return writer_.rewriter().Copy(call);
  writer_.rewriter().CopyAs(call, form);
  const Source vector = FromForm({writer_.rewriter().Result()}, call.type);
  writer_.rewriter().SetNewValue(call.value, vector.operand);
}

void PassingExpansion::WriteReturn(const ir::Instruction& instruction) {
  const Source value = writer_.Old(instruction, 0);
  const ir::Type* const form = FormOf(writer_.TypeOf(value), *own_convention_);
  writer_.rewriter().Replace(instruction.first_operand, ToForm(value, form).operand);
  writer_.rewriter().Copy(instruction);
}

bool PassingExpansion::Expand(ir::Function& function, const Architecture& architecture,
                              const CoverageOptions& options) {
  function_ = &function;
  architecture_ = &architecture;
  own_convention_ = &architecture.ConventionOf(function.global().convention());
  knows_wide_ = !UsesWideRegisters(function, architecture, options);
  const ir::Type* const result_form = FormOf(function.result_type(), *own_convention_);
  bool has_any = result_form != nullptr;
  for (uint32_t argument = 0; argument < function.argument_count(); ++argument) {
    has_any = has_any || FormOf(function.values[argument].type, *own_convention_) != nullptr;
  }
  for (const ir::Instruction& instruction : function.instructions) {
    has_any = has_any || HasForms(instruction);
  }
  if (!has_any) return false;
  writer_.Begin(function);
  for (const ir::Block& block : function.blocks) {
    writer_.rewriter().BeginBlock(block.has_address_taken);
    if (&block == &function.blocks[0]) BeginArguments();
    for (const ir::Instruction& instruction : function.InstructionsOf(block)) {
      if (!HasForms(instruction)) {
        writer_.rewriter().Copy(instruction);
      } else if (instruction.opcode == Opcode::kRet) {
        WriteReturn(instruction);
      } else {
        WriteCall(instruction, *ConventionOf(instruction));
      }
    }
    writer_.rewriter().EndBlock();
  }
  writer_.rewriter().Finish();
  if (result_form != nullptr) function.set_result_type(result_form);
  return true;
}

}  // namespace firstcall::baseline
