#include "ir/from_llvm/type_reader.h"

#include <utility>
#include <vector>

#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/Casting.h"
#include "third_party/llvm/version/types.h"

namespace firstcall::ir {
namespace {

TypeKind KindOf(const llvm::Type& type) {
  switch (type.getTypeID()) {
    case llvm::Type::VoidTyID:
      return TypeKind::kVoid;
    case llvm::Type::HalfTyID:
      return TypeKind::kHalf;
    case llvm::Type::BFloatTyID:
      return TypeKind::kBFloat;
    case llvm::Type::FloatTyID:
      return TypeKind::kFloat;
    case llvm::Type::DoubleTyID:
      return TypeKind::kDouble;
    case llvm::Type::X86_FP80TyID:
      return TypeKind::kX86Fp80;
    case llvm::Type::FP128TyID:
      return TypeKind::kFp128;
    case llvm::Type::PPC_FP128TyID:
      return TypeKind::kPpcFp128;
    case llvm::Type::X86_AMXTyID:
      return TypeKind::kX86Amx;
    case llvm::Type::LabelTyID:
      return TypeKind::kLabel;
    case llvm::Type::MetadataTyID:
      return TypeKind::kMetadata;
    case llvm::Type::TokenTyID:
      return TypeKind::kToken;
    case llvm::Type::IntegerTyID:
      return TypeKind::kInteger;
    case llvm::Type::PointerTyID:
      return TypeKind::kPointer;
    case llvm::Type::FunctionTyID:
      return TypeKind::kFunction;
    case llvm::Type::StructTyID:
      return llvm::cast<llvm::StructType>(type).isOpaque() ? TypeKind::kOpaqueStruct
                                                           : TypeKind::kStruct;
    case llvm::Type::ArrayTyID:
      return TypeKind::kArray;
    case llvm::Type::FixedVectorTyID:
      return TypeKind::kFixedVector;
    case llvm::Type::ScalableVectorTyID:
      return TypeKind::kScalableVector;
    default:
      return llvm_version::IsX86Mmx(type) ? TypeKind::kX86Mmx : TypeKind::kTargetExtension;
  }
}

}  // namespace

// Types may contain each other to any depth, so there is no recursion.
const Type* TypeReader::Add(const llvm::Type* source) {
  work_.push_back(source);
  while (!work_.empty()) {
    const llvm::Type* const type = work_.back();
    if (types_.Find(type) == nullptr) {
      if (PushMissing(type)) continue;
      types_.Insert(type, module_->AddType(Convert(type)));
    }
    work_.pop_back();
  }
  return *types_.Find(source);
}

// Puts the types that `source` contains, and that are not there yet, before it.
bool TypeReader::PushMissing(const llvm::Type* source) {
  if (source->isTargetExtTy()) return false;
  bool is_missing = false;
  for (const llvm::Type* contained : source->subtypes()) {
    if (types_.Find(contained) != nullptr) continue;
    work_.push_back(contained);
    is_missing = true;
  }
  return is_missing;
}

// All that `source` contains is there.
Type TypeReader::Convert(const llvm::Type* source) {
  Type type;
  type.kind = KindOf(*source);
  if (type.kind == TypeKind::kTargetExtension) return type;
  if (const auto* integer = llvm::dyn_cast<llvm::IntegerType>(source)) {
    type.number = integer->getBitWidth();
  } else if (const auto* pointer = llvm::dyn_cast<llvm::PointerType>(source)) {
    type.number = pointer->getAddressSpace();
  } else if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(source)) {
    type.count = array->getNumElements();
  } else if (const auto* vector = llvm::dyn_cast<llvm::VectorType>(source)) {
    type.count = vector->getElementCount().getKnownMinValue();
  } else if (const auto* function = llvm::dyn_cast<llvm::FunctionType>(source)) {
    type.is_variadic = function->isVarArg();
  } else if (const auto* structure = llvm::dyn_cast<llvm::StructType>(source)) {
    type.is_packed = structure->isPacked();
    type.is_literal = structure->isLiteral();
  }
  if (source->getNumContainedTypes() == 0) return type;
  std::vector<const Type*> contained;
  contained.reserve(source->getNumContainedTypes());
  for (const llvm::Type* part : source->subtypes()) contained.push_back(*types_.Find(part));
  type.contained = module_->storage().Keep(std::move(contained));
  return type;
}

}  // namespace firstcall::ir
