// Makes modules and functions by hand, array by array, also ones that are no valid IR.
//
//   FunctionBuilder builder;
//   const Type* i32 = builder.Integer(32);
//   builder.Begin(builder.FunctionType(i32, {i32, i32}));
//   builder.BeginBlock();
//   const Operand sum = builder.Add(Opcode::kAdd, i32, {builder.Argument(0), builder.Argument(1)});
//   builder.Add(Opcode::kRet, builder.Void(), {sum});
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_IR_FUNCTION_BUILDER_H_
#define FIRSTCALL_TESTS_IR_FUNCTION_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/function.h"
#include "ir/module.h"

namespace firstcall::ir {

class FunctionBuilder {
 public:
  // The module has the layout of x86-64 Linux and the function "f", which Begin defines.
  FunctionBuilder();

  // Types. The same type is the same object.
  const Type* Void() { return Simple(TypeKind::kVoid); }
  const Type* Float() { return Simple(TypeKind::kFloat); }
  const Type* Double() { return Simple(TypeKind::kDouble); }
  const Type* Token() { return Simple(TypeKind::kToken); }
  const Type* Metadata() { return Simple(TypeKind::kMetadata); }
  const Type* Opaque() { return Simple(TypeKind::kOpaqueStruct); }
  const Type* Simple(TypeKind kind);
  const Type* Integer(uint32_t bits);
  const Type* Pointer(uint32_t address_space = 0);
  const Type* Struct(std::vector<const Type*> members);
  const Type* Array(uint64_t count, const Type* element);
  const Type* Vector(uint64_t count, const Type* element);
  const Type* ScalableVector(uint64_t count, const Type* element);
  const Type* FunctionType(const Type* result, std::vector<const Type*> parameters,
                           bool is_variadic = false);

  // Globals. They are added before Begin. Return the number.
  uint32_t Declare(absl::string_view name, const Type* function_type);
  uint32_t AddVariable(absl::string_view name, const Type* type);
  Global& global(uint32_t number) { return module_.mutable_globals()[number]; }
  GlobalTraits& traits(uint32_t number) { return module_.mutable_traits(number); }
  // The attributes of a function, for changes.
  AttributeList& attributes(uint32_t function) { return *attributes_[function]; }
  Operand AddressOf(uint32_t global) const { return Operand::Constant(global); }

  // Begins the body of "f" anew.
  void Begin(const Type* function_type);

  // Constants of the function.
  Operand Constant(const Type* type, int64_t value);
  Operand Number(const Type* type, double value);
  Operand Null(const Type* type) { return Simple(ConstantKind::kNull, type); }
  Operand Undef(const Type* type) { return Simple(ConstantKind::kUndef, type); }
  Operand Simple(ConstantKind kind, const Type* type);
  Operand Aggregate(const Type* type, std::vector<Operand> members);
  Operand Data(const Type* type, std::string data);
  Operand Expression(Opcode opcode, const Type* type, std::vector<Operand> operands);
  Operand BlockAddress(uint32_t global, uint32_t block);
  // The constant made last.
  ir::Constant& last_constant() { return function_.constants.back(); }

  Operand Argument(uint32_t number) const { return Operand::Value(number); }
  // Returns the block's number.
  uint32_t BeginBlock();
  // Appends an instruction to the last block. Returns its result, or nothing if `type` is void.
  Operand Add(Opcode opcode, const Type* type, const std::vector<Operand>& operands,
              const std::vector<uint32_t>& targets = {});
  // Appends a kCall, kInvoke or kCallBr.
  Operand AddCall(Opcode opcode, const Type* function_type, Operand callee,
                  const std::vector<Operand>& arguments, const std::vector<uint32_t>& targets = {});
  // The result of the instruction that is added after `others` others with results.
  Operand Next(uint32_t others = 0) const {
    return Operand::Value(static_cast<uint32_t>(function_.values.size()) + others);
  }
  // The last instruction, for changes.
  Instruction& last() { return function_.instructions.back(); }
  // The attributes of the last call, for changes.
  AttributeList& AttributesOfCall();
  // Replaces the operands and targets of an earlier instruction, such as a phi.
  void SetOperands(uint32_t instruction, const std::vector<Operand>& operands,
                   const std::vector<uint32_t>& targets);

  Function& function() { return function_; }
  Module& module() { return module_; }

 private:
  const Type* Find(const Type& type);
  uint32_t AddGlobal(NewGlobal global);
  Operand AddConstant(const ir::Constant& constant);

  Module module_;
  Function function_;
  std::vector<AttributeList*> attributes_;  // For each global; null: it is no function.
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_TESTS_IR_FUNCTION_BUILDER_H_
