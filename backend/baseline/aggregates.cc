// Structures and arrays as values: their parts are values of their own.

#include "backend/baseline/lowering.h"

namespace firstcall::baseline {
namespace {

// The number of parts before the member that `indices` name.
unsigned PartsBefore(const llvm::Type* type, llvm::ArrayRef<unsigned> indices) {
  unsigned parts = 0;
  for (unsigned index : indices) {
    if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      for (unsigned i = 0; i < index; ++i) parts += PartCount(structure->getElementType(i));
      type = structure->getElementType(index);
    } else {
      type = llvm::cast<llvm::ArrayType>(type)->getElementType();
      parts += index * PartCount(type);
    }
  }
  return parts;
}

}  // namespace

// Parts are copied one after the other, and none is kept in a register for the next.
void Lowering::CopyPart(const llvm::Instruction& result, unsigned result_part,
                        const llvm::Value* from, unsigned from_part) {
  if (llvm::isa<llvm::UndefValue>(from)) {
    Define(result, result_part);
  } else {
    DefineFrom(result, from, result_part, from_part);
  }
  locations_.registers().UnpinAll();
}

void Lowering::LowerExtractValue(const llvm::ExtractValueInst& extract) {
  const llvm::Value* aggregate = extract.getAggregateOperand();
  const unsigned first = PartsBefore(aggregate->getType(), extract.getIndices());
  const unsigned count = analysis_.values()[NumberOf(&extract)].parts;
  for (unsigned i = 0; i < count; ++i) CopyPart(extract, i, aggregate, first + i);
}

void Lowering::LowerInsertValue(const llvm::InsertValueInst& insert) {
  const llvm::Value* aggregate = insert.getAggregateOperand();
  const llvm::Value* member = insert.getInsertedValueOperand();
  const unsigned first = PartsBefore(aggregate->getType(), insert.getIndices());
  const unsigned members = PartCount(member->getType());
  const unsigned count = analysis_.values()[NumberOf(&insert)].parts;
  for (unsigned i = 0; i < count; ++i) {
    if (i >= first && i < first + members) {
      CopyPart(insert, i, member, i - first);
    } else {
      CopyPart(insert, i, aggregate, i);
    }
  }
}

}  // namespace firstcall::baseline
