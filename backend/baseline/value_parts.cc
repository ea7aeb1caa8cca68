#include "backend/baseline/value_parts.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/MathExtras.h"

namespace firstcall::baseline {
namespace {

// Of a vector that is supported; 0 if it is not.
unsigned VectorBytes(const llvm::FixedVectorType& type) {
  const llvm::Type* element = type.getElementType();
  const unsigned count = type.getNumElements();
  unsigned bits = 0;
  if (element->isIntegerTy(1)) {
    return count == 2 || count == 4 || count == 8 || count == 16 ? 16 : 0;  // Masks.
  }
  if (element->isIntegerTy()) {
    bits = element->getIntegerBitWidth();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return 0;
  } else if (element->isFloatTy()) {
    bits = 32;
  } else if (element->isDoubleTy() || element->isPointerTy()) {
    bits = 64;
  } else {
    return 0;
  }
  if (count < 2) return 0;
  const uint64_t total = uint64_t{bits} * count;
  return total >= 16 && total <= 1024 && llvm::isPowerOf2_64(total)
             ? static_cast<unsigned>(total / 8)
             : 0;
}

bool Append(const llvm::Type* type, PartList& list) {
  PartType part;
  switch (type->getTypeID()) {
    case llvm::Type::IntegerTyID: {
      const unsigned bits = type->getIntegerBitWidth();
      if (bits > 128) return false;
      if (bits > 64) {
        if (list.count + 2 > kMaxParts) return false;
        list.parts[list.count++] = {false, 8, 64, false};
        list.parts[list.count++] = {false, static_cast<uint8_t>(ContainerBytes(bits - 64)),
                                    static_cast<uint16_t>(bits - 64), false};
        return true;
      }
      part = {false, static_cast<uint8_t>(ContainerBytes(bits)), static_cast<uint16_t>(bits),
              false};
      break;
    }
    case llvm::Type::PointerTyID:
      if (type->getPointerAddressSpace() != 0) return false;
      part = {false, 8, 64, false};
      break;
    case llvm::Type::FloatTyID:
      part = {true, 4, 32, false};
      break;
    case llvm::Type::DoubleTyID:
      part = {true, 8, 64, false};
      break;
    case llvm::Type::FixedVectorTyID: {
      const unsigned bytes = VectorBytes(*llvm::cast<llvm::FixedVectorType>(type));
      if (bytes == 0) return false;
      if (bytes > 16) {
        if (list.count + bytes / 16 > kMaxParts) return false;
        for (unsigned done = 0; done < bytes; done += 16)
          list.parts[list.count++] = {true, 16, 128, true};
        return true;
      }
      part = {true, static_cast<uint8_t>(bytes), static_cast<uint16_t>(bytes * 8), true};
      break;
    }
    case llvm::Type::StructTyID:
      for (const llvm::Type* member : llvm::cast<llvm::StructType>(type)->elements()) {
        if (!Append(member, list)) return false;
      }
      return true;
    case llvm::Type::ArrayTyID: {
      const auto* array = llvm::cast<llvm::ArrayType>(type);
      if (array->getNumElements() > kMaxParts) return false;
      for (uint64_t i = 0; i < array->getNumElements(); ++i) {
        if (!Append(array->getElementType(), list)) return false;
      }
      return true;
    }
    default:
      return false;
  }
  if (list.count == kMaxParts) return false;
  list.parts[list.count++] = part;
  return true;
}

void AppendOffsets(const llvm::Type* type, const llvm::DataLayout& layout, int64_t offset,
                   PartOffsets& list) {
  if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* members =
        layout.getStructLayout(const_cast<llvm::StructType*>(structure));
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      const auto distance = static_cast<int64_t>(members->getElementOffset(i).getFixedValue());
      AppendOffsets(structure->getElementType(i), layout, offset + distance, list);
    }
  } else if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const auto size =
        static_cast<int64_t>(layout.getTypeAllocSize(array->getElementType()).getFixedValue());
    for (uint64_t i = 0; i < array->getNumElements(); ++i) {
      AppendOffsets(array->getElementType(), layout, offset + static_cast<int64_t>(i) * size, list);
    }
  } else {
    const unsigned distance = type->isVectorTy() ? 16 : 8;
    for (unsigned i = 0; i < PartCount(type); ++i) {
      list.offsets[list.count++] = static_cast<int32_t>(offset + distance * i);
    }
  }
}

}  // namespace

PartOffsets OffsetsOf(const llvm::Type* type, const llvm::DataLayout& layout) {
  PartOffsets list;
  if (type->isIntOrPtrTy() && PartCount(type) == 1) {
    list.count = 1;
    list.offsets[0] = 0;
  } else {
    AppendOffsets(type, layout, 0, list);
  }
  return list;
}

PartList PartsOf(const llvm::Type* type) {
  PartList list;
  // Most types are one of these.
  if (type->isPointerTy() && type->getPointerAddressSpace() == 0) {
    list.count = 1;
    list.parts[0] = {false, 8, 64, false};
    return list;
  }
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) {
    const unsigned bits = type->getIntegerBitWidth();
    list.count = 1;
    list.parts[0] = {false, static_cast<uint8_t>(ContainerBytes(bits)), static_cast<uint16_t>(bits),
                     false};
    return list;
  }
  if (!Append(type, list)) list.count = 0;
  return list;
}

unsigned PartCountOfOthers(const llvm::Type* type) {
  switch (type->getTypeID()) {
    case llvm::Type::FloatTyID:
    case llvm::Type::DoubleTyID:
      return 1;
    case llvm::Type::VoidTyID:
      return 0;
    default:
      return PartsOf(type).count;
  }
}

}  // namespace firstcall::baseline
