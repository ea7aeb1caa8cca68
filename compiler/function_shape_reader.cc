#include "compiler/function_shape_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {
namespace {

using Slot = FunctionShape::Slot;

std::string Print(const llvm::Type& type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

// Attributes that change how a parameter is passed, and that C does not have.
constexpr llvm::Attribute::AttrKind kUncallable[] = {
    llvm::Attribute::InAlloca,     llvm::Attribute::InReg,      llvm::Attribute::Nest,
    llvm::Attribute::Preallocated, llvm::Attribute::SwiftAsync, llvm::Attribute::SwiftError,
    llvm::Attribute::SwiftSelf,    llvm::Attribute::ByRef,
};

absl::Status CheckConvention(const llvm::Function& function) {
  const auto uncallable = [&](absl::string_view what) {
    return absl::UnimplementedError(
        absl::StrCat("function '", function.getName().str(), "' cannot be called from C: ", what));
  };
  if (function.getCallingConv() != llvm::CallingConv::C) {
    return uncallable(absl::StrCat("its calling convention is LLVM's number ",
                                   static_cast<unsigned>(function.getCallingConv())));
  }
  for (const llvm::Argument& argument : function.args()) {
    for (llvm::Attribute::AttrKind kind : kUncallable) {
      if (argument.hasAttribute(kind)) {
        return uncallable(absl::StrCat("its parameter ", argument.getArgNo() + 1, " is ",
                                       llvm::Attribute::getNameFromAttrKind(kind).str()));
      }
    }
  }
  return absl::OkStatus();
}

Extension ExtensionOf(const llvm::AttributeSet& attributes) {
  if (attributes.hasAttribute(llvm::Attribute::SExt)) return Extension::kSign;
  if (attributes.hasAttribute(llvm::Attribute::ZExt)) return Extension::kZero;
  return Extension::kAsTheValue;
}

// Splits an aggregate into its scalars, as LLVM's code generators do.
void Flatten(llvm::Type* type, const llvm::DataLayout& layout, std::vector<Slot>& slots) {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    for (llvm::Type* element : structure->elements()) Flatten(element, layout, slots);
    return;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    for (uint64_t i = 0; i < array->getNumElements(); ++i) {
      Flatten(array->getElementType(), layout, slots);
    }
    return;
  }
  Slot slot;
  slot.name = Print(*type);
  if (type->isIntegerTy()) {
    slot.kind = Slot::Kind::kInteger;
    slot.integer.bits = type->getIntegerBitWidth();
  } else if (type->isFloatTy()) {
    slot.kind = Slot::Kind::kFloat;
  } else if (type->isDoubleTy()) {
    slot.kind = Slot::Kind::kDouble;
  } else if (type->isPointerTy() && type->getPointerAddressSpace() == 0) {
    slot.kind = Slot::Kind::kPointer;
  } else if (type->isVectorTy() && type->getScalarType()->isFloatTy() &&
             layout.getTypeAllocSize(type) == llvm::TypeSize::getFixed(8)) {
    slot.kind = Slot::Kind::kVector;
  }
  slots.push_back(std::move(slot));
}

// A pointer to a value of `type`, with the attribute that says so.
Slot MemorySlot(absl::string_view attribute, llvm::Type& type, const llvm::DataLayout& layout) {
  Slot slot;
  slot.kind = Slot::Kind::kMemory;
  slot.bytes = layout.getTypeAllocSize(&type);
  slot.name = absl::StrCat("ptr ", attribute, "(", Print(type), ")");
  return slot;
}

}  // namespace

absl::StatusOr<FunctionShape> ReadFunctionShape(const llvm::GlobalValue& symbol) {
  const llvm::Function* function = nullptr;
  if (auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(&symbol)) {
    function = llvm::dyn_cast_or_null<llvm::Function>(alias->getAliaseeObject());
  } else {
    function = llvm::dyn_cast<llvm::Function>(&symbol);
  }
  const auto* type = llvm::dyn_cast<llvm::FunctionType>(symbol.getValueType());
  if (type == nullptr || (function == nullptr && !llvm::isa<llvm::GlobalIFunc>(symbol))) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", symbol.getName().str(), "' is not a function"));
  }
  if (function != nullptr) FIRSTCALL_RETURN_IF_ERROR(CheckConvention(*function));
  const llvm::AttributeList attributes =
      function == nullptr ? llvm::AttributeList() : function->getAttributes();
  const llvm::DataLayout& layout = symbol.getParent()->getDataLayout();

  FunctionShape::Signature shape;
  shape.is_variadic = type->isVarArg();
  if (!type->getReturnType()->isVoidTy()) Flatten(type->getReturnType(), layout, shape.results);
  for (unsigned i = 0; i < type->getNumParams(); ++i) {
    const llvm::AttributeSet parameter = attributes.getParamAttrs(i);
    if (llvm::Type* result = parameter.getStructRetType()) {
      if (i != 0) {
        return absl::UnimplementedError(
            absl::StrCat("function '", symbol.getName().str(),
                         "' cannot be called from C: its result is not its first parameter"));
      }
      shape.has_hidden_result = true;
      shape.results = {MemorySlot("sret", *result, layout)};
    } else if (llvm::Type* copied = parameter.getByValType()) {
      Slot slot = MemorySlot("byval", *copied, layout);
      slot.alignment = parameter.getAlignment().valueOrOne().value();
      slot.begins_parameter = true;
      shape.parameters.push_back(std::move(slot));
    } else {
      const size_t first = shape.parameters.size();
      Flatten(type->getParamType(i), layout, shape.parameters);
      for (size_t j = first; j < shape.parameters.size(); ++j) {
        shape.parameters[j].begins_parameter = j == first;
        shape.parameters[j].integer.extension = ExtensionOf(parameter);
        if (kKeepsArraysTogether && type->getParamType(i)->isArrayTy()) {
          shape.parameters[j].array = shape.parameters.size() - first;
        }
      }
    }
  }
  return FunctionShape(std::move(shape));
}

}  // namespace firstcall
