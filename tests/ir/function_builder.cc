#include "tests/ir/function_builder.h"

#include <cstring>
#include <utility>

#include "ir/data_layout.h"

namespace firstcall::ir {
namespace {

constexpr absl::string_view kLayout =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

bool IsSame(const Type& a, const Type& b) {
  return a.kind == b.kind && a.number == b.number && a.count == b.count &&
         a.is_variadic == b.is_variadic && a.contained == b.contained;
}

}  // namespace

FunctionBuilder::FunctionBuilder() {
  module_.set_layout(*DataLayout::Parse(kLayout));
  Declare("f", FunctionType(Void(), {}));
  traits(0).is_declaration = false;
}

const Type* FunctionBuilder::Find(const Type& type) {
  for (const Type& known : module_.types()) {
    if (IsSame(known, type)) return &known;
  }
  Type own = type;
  own.contained = module_.storage().Keep(
      std::vector<const Type*>(type.contained.begin(), type.contained.end()));
  return module_.AddType(own);
}

const Type* FunctionBuilder::Simple(TypeKind kind) {
  Type type;
  type.kind = kind;
  return Find(type);
}

const Type* FunctionBuilder::Integer(uint32_t bits) {
  Type type;
  type.kind = TypeKind::kInteger;
  type.number = bits;
  return Find(type);
}

const Type* FunctionBuilder::Pointer(uint32_t address_space) {
  Type type;
  type.kind = TypeKind::kPointer;
  type.number = address_space;
  return Find(type);
}

const Type* FunctionBuilder::Struct(std::vector<const Type*> members) {
  Type type;
  type.kind = TypeKind::kStruct;
  type.contained = members;
  return Find(type);
}

const Type* FunctionBuilder::Array(uint64_t count, const Type* element) {
  Type type;
  type.kind = TypeKind::kArray;
  type.count = count;
  type.contained = absl::MakeConstSpan(&element, 1);
  return Find(type);
}

const Type* FunctionBuilder::Vector(uint64_t count, const Type* element) {
  Type type;
  type.kind = TypeKind::kFixedVector;
  type.count = count;
  type.contained = absl::MakeConstSpan(&element, 1);
  return Find(type);
}

const Type* FunctionBuilder::ScalableVector(uint64_t count, const Type* element) {
  Type type;
  type.kind = TypeKind::kScalableVector;
  type.count = count;
  type.contained = absl::MakeConstSpan(&element, 1);
  return Find(type);
}

const Type* FunctionBuilder::FunctionType(const Type* result, std::vector<const Type*> parameters,
                                          bool is_variadic) {
  Type type;
  type.kind = TypeKind::kFunction;
  type.is_variadic = is_variadic;
  parameters.insert(parameters.begin(), result);
  type.contained = parameters;
  return Find(type);
}

uint32_t FunctionBuilder::AddGlobal(NewGlobal global) {
  const uint32_t number = static_cast<uint32_t>(module_.globals().size());
  global.traits.type = Pointer();
  attributes_.push_back(nullptr);
  if (global.traits.kind == GlobalKind::kFunction) {
    global.traits.attributes = attributes_.back() = module_.storage().AddAttributes();
  }
  ir::Constant address;
  address.kind = ConstantKind::kGlobal;
  address.type = global.traits.type;
  address.global = number;
  module_.mutable_constants().push_back(address);
  module_.AddGlobal(global);
  return number;
}

uint32_t FunctionBuilder::Declare(absl::string_view name, const Type* function_type) {
  NewGlobal function;
  function.name = module_.storage().Keep(std::string(name));
  function.traits.kind = GlobalKind::kFunction;
  function.traits.value_type = function_type;
  function.traits.intrinsic = IntrinsicOfName(name);
  return AddGlobal(function);
}

uint32_t FunctionBuilder::AddVariable(absl::string_view name, const Type* type) {
  NewGlobal variable;
  variable.name = module_.storage().Keep(std::string(name));
  variable.traits.kind = GlobalKind::kVariable;
  variable.traits.value_type = type;
  return AddGlobal(variable);
}

void FunctionBuilder::Begin(const Type* function_type) {
  traits(0).value_type = function_type;
  *attributes_[0] = AttributeList();
  function_.Clear(module_, 0);
  for (const Type* parameter : function_type->parameters()) function_.AddArgument(parameter);
}

Operand FunctionBuilder::AddConstant(const ir::Constant& constant) {
  function_.constants.push_back(constant);
  return Operand::Constant(
      static_cast<uint32_t>(module_.constants().size() + function_.constants.size() - 1));
}

Operand FunctionBuilder::Constant(const Type* type, int64_t value) {
  ir::Constant constant;
  constant.kind = ConstantKind::kInteger;
  constant.type = type;
  if (type->number <= 64) {
    constant.set_bits(static_cast<uint64_t>(value));
  } else {
    constant.set_words(
        function_.word_lists.emplace_back(std::vector<uint64_t>{static_cast<uint64_t>(value), 0}));
  }
  return AddConstant(constant);
}

Operand FunctionBuilder::Number(const Type* type, double value) {
  ir::Constant constant;
  constant.kind = ConstantKind::kFloat;
  constant.type = type;
  uint64_t bits = 0;
  if (type->IsDouble()) {
    std::memcpy(&bits, &value, sizeof(value));
  } else {
    const auto narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof(narrow));
  }
  constant.set_bits(bits);
  return AddConstant(constant);
}

Operand FunctionBuilder::Simple(ConstantKind kind, const Type* type) {
  ir::Constant constant;
  constant.kind = kind;
  constant.type = type;
  return AddConstant(constant);
}

Operand FunctionBuilder::Aggregate(const Type* type, std::vector<Operand> members) {
  ir::Constant constant;
  constant.kind = ConstantKind::kAggregate;
  constant.type = type;
  constant.set_operands(function_.operand_lists.emplace_back(std::move(members)));
  return AddConstant(constant);
}

Operand FunctionBuilder::Data(const Type* type, std::string data) {
  ir::Constant constant;
  constant.kind = ConstantKind::kData;
  constant.type = type;
  constant.set_data(function_.data.emplace_back(std::move(data)));
  return AddConstant(constant);
}

Operand FunctionBuilder::Expression(Opcode opcode, const Type* type,
                                    std::vector<Operand> operands) {
  ir::Constant constant;
  constant.kind = ConstantKind::kExpression;
  constant.opcode = opcode;
  constant.type = type;
  constant.set_operands(function_.operand_lists.emplace_back(std::move(operands)));
  return AddConstant(constant);
}

Operand FunctionBuilder::BlockAddress(uint32_t global, uint32_t block) {
  ir::Constant constant;
  constant.kind = ConstantKind::kBlockAddress;
  constant.type = Pointer();
  constant.global = global;
  constant.set_bits(block);
  return AddConstant(constant);
}

uint32_t FunctionBuilder::BeginBlock() {
  function_.blocks.emplace_back().first_instruction =
      static_cast<uint32_t>(function_.instructions.size());
  return static_cast<uint32_t>(function_.blocks.size() - 1);
}

Operand FunctionBuilder::Add(Opcode opcode, const Type* type, const std::vector<Operand>& operands,
                             const std::vector<uint32_t>& targets) {
  Instruction& instruction = function_.instructions.emplace_back();
  instruction.opcode = opcode;
  instruction.type = type;
  instruction.block = static_cast<uint32_t>(function_.blocks.size() - 1);
  const uint32_t number = static_cast<uint32_t>(function_.instructions.size() - 1);
  SetOperands(number, operands, targets);
  ++function_.blocks.back().instruction_count;
  if (type->IsVoid()) return Operand();
  instruction.value = static_cast<uint32_t>(function_.values.size());
  Value& value = function_.values.emplace_back();
  value.type = type;
  value.instruction = number;
  return Operand::Value(instruction.value);
}

Operand FunctionBuilder::AddCall(Opcode opcode, const Type* function_type, Operand callee,
                                 const std::vector<Operand>& arguments,
                                 const std::vector<uint32_t>& targets) {
  Call& call = function_.calls.emplace_back();
  call.function_type = function_type;
  call.attributes = module_.storage().AddAttributes();
  call.argument_count = static_cast<uint32_t>(arguments.size());
  std::vector<Operand> operands = arguments;
  operands.push_back(callee);
  const Operand result = Add(opcode, function_type->result(), operands, targets);
  last().call = static_cast<uint32_t>(function_.calls.size() - 1);
  return result;
}

AttributeList& FunctionBuilder::AttributesOfCall() {
  AttributeList* attributes = module_.storage().AddAttributes();
  function_.calls.back().attributes = attributes;
  return *attributes;
}

void FunctionBuilder::SetOperands(uint32_t instruction, const std::vector<Operand>& operands,
                                  const std::vector<uint32_t>& targets) {
  Instruction& changed = function_.instructions[instruction];
  changed.first_operand = static_cast<uint32_t>(function_.operands.size());
  changed.operand_count = static_cast<uint32_t>(operands.size());
  changed.first_target = static_cast<uint32_t>(function_.targets.size());
  changed.target_count = static_cast<uint32_t>(targets.size());
  function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
  function_.targets.insert(function_.targets.end(), targets.begin(), targets.end());
}

}  // namespace firstcall::ir
