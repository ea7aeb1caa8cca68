#include "engine/function_shape.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "engine/foreign_layout.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {
namespace {

std::string Print(const llvm::Type& type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

// What changes the way of a parameter and C knows nothing of.
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

// Registers that arguments have taken.
struct Registers {
  size_t integer = 0;
  size_t vector = 0;

  bool HasRoomFor(const Eightbytes& parts) const {
    return integer + parts.integers() <= kIntegerArgumentRegisters &&
           vector + parts.vectors() <= kVectorArgumentRegisters;
  }
  void Take(const Eightbytes& parts) {
    if (!HasRoomFor(parts)) return;
    integer += parts.integers();
    vector += parts.vectors();
  }
};

}  // namespace

// As LLVM's code generators take an aggregate: each scalar in it by itself.
void FunctionShape::Flatten(llvm::Type* type, const llvm::DataLayout& layout,
                            std::vector<Slot>& slots) {
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

absl::StatusOr<FunctionShape> FunctionShape::Of(const llvm::GlobalValue& symbol) {
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

  FunctionShape shape;
  shape.is_variadic_ = type->isVarArg();
  if (!type->getReturnType()->isVoidTy()) Flatten(type->getReturnType(), layout, shape.results_);
  for (unsigned i = 0; i < type->getNumParams(); ++i) {
    const llvm::AttributeSet parameter = attributes.getParamAttrs(i);
    if (llvm::Type* result = parameter.getStructRetType()) {
      Slot slot;
      slot.kind = Slot::Kind::kMemory;
      slot.bytes = layout.getTypeAllocSize(result);
      slot.name = absl::StrCat("ptr sret(", Print(*result), ")");
      if (i != 0) {
        return absl::UnimplementedError(
            absl::StrCat("function '", symbol.getName().str(),
                         "' cannot be called from C: its result is not its first parameter"));
      }
      shape.has_hidden_result_ = true;
      shape.results_ = {std::move(slot)};
    } else if (llvm::Type* copied = parameter.getByValType()) {
      Slot slot;
      slot.kind = Slot::Kind::kMemory;
      slot.bytes = layout.getTypeAllocSize(copied);
      slot.name = absl::StrCat("ptr byval(", Print(*copied), ")");
      shape.parameters_.push_back(std::move(slot));
    } else {
      const size_t first = shape.parameters_.size();
      Flatten(type->getParamType(i), layout, shape.parameters_);
      for (size_t j = first; j < shape.parameters_.size(); ++j) {
        shape.parameters_[j].integer.extension = ExtensionOf(parameter);
      }
    }
  }
  return shape;
}

// Of a scalar.
bool FunctionShape::Matches(const ForeignType& type, const Slot& slot) {
  switch (type.kind) {
    case ForeignKind::kFloat:
      return slot.kind == Slot::Kind::kFloat;
    case ForeignKind::kDouble:
      return slot.kind == Slot::Kind::kDouble;
    case ForeignKind::kPointer:
      return slot.kind == Slot::Kind::kPointer;
    case ForeignKind::kVoid:
    case ForeignKind::kStruct:
      return false;
    default: {
      // The narrowest integer that an IR integer fits into.
      const unsigned bits = BitsOf(type.kind);
      if (slot.kind != Slot::Kind::kInteger || slot.integer.bits > bits) return false;
      if (bits == 1 || bits == 128) return slot.integer.bits == bits;
      return slot.integer.bits > (bits == 8 ? 1 : bits / 2);
    }
  }
}

// Front ends write a 128-bit integer as one, or as the two registers it takes.
bool FunctionShape::IsInParts(const ForeignType& type, absl::Span<const Slot> slots) {
  if (type.kind != ForeignKind::kInt128) return type.kind == ForeignKind::kStruct;
  return !slots.empty() && slots.front().kind == Slot::Kind::kInteger &&
         slots.front().integer.bits == 64;
}

// Of a struct: each of its eightbytes and what holds it.
bool FunctionShape::Matches(const Eightbytes& parts, absl::Span<const Slot> slots) {
  if (parts.count != slots.size()) return false;
  for (size_t i = 0; i < parts.count; ++i) {
    const Slot& slot = slots[i];
    const size_t bits = 8 * parts.used[i];
    switch (slot.kind) {
      case Slot::Kind::kInteger:
        if (parts.is_vector[i] || slot.integer.bits < bits || slot.integer.bits > 64) return false;
        break;
      case Slot::Kind::kPointer:
        if (parts.is_vector[i] || bits != 64) return false;
        break;
      case Slot::Kind::kFloat:
        if (!parts.is_vector[i] || bits != 32) return false;
        break;
      case Slot::Kind::kDouble:
      case Slot::Kind::kVector:
        if (!parts.is_vector[i] || bits != 64) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

absl::Status FunctionShape::PlanResult(const ForeignType& type, CallPlan& plan) const {
  const auto wrong = [&]() {
    std::string returned;
    for (const Slot& slot : results_)
      absl::StrAppend(&returned, returned.empty() ? "" : ", ", slot.name);
    return absl::InvalidArgumentError(absl::StrCat("the result is asked for as ", NameOf(type),
                                                   ", but the function returns ",
                                                   returned.empty() ? "void" : returned));
  };
  if (type.kind == ForeignKind::kVoid) {
    return results_.empty() ? absl::OkStatus() : wrong();
  }
  if (!IsInParts(type, results_)) {
    if (results_.size() != 1 || !Matches(type, results_.front())) return wrong();
    plan.result.bits = results_.front().integer.bits;
    return absl::OkStatus();
  }
  const Layout layout = LayoutOf(type);
  const std::optional<Eightbytes> parts = EightbytesOf(type);
  if (has_hidden_result_ || !parts) {
    return has_hidden_result_ && !parts && layout.size == results_.front().bytes ? absl::OkStatus()
                                                                                 : wrong();
  }
  return Matches(*parts, results_) ? absl::OkStatus() : wrong();
}

absl::StatusOr<CallPlan> FunctionShape::Plan(const ForeignType& result,
                                             absl::Span<const ForeignValue> arguments) const {
  CallPlan plan;
  plan.is_variadic = is_variadic_;
  Registers used;
  // Whoever wants to may also give the address of a result in memory as what it is in IR.
  size_t next_argument = 0;
  const bool address_is_given = has_hidden_result_ && result.kind == ForeignKind::kVoid;
  if (has_hidden_result_) used.integer = 1;
  if (address_is_given) {
    if (arguments.empty() || arguments[0].type.kind != ForeignKind::kPointer) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the function returns a struct through ", results_.front().name,
          ": ask for a struct, or give a pointer to memory for it as the first argument"));
    }
    plan.arguments.emplace_back();
    next_argument = 1;
  } else {
    FIRSTCALL_RETURN_IF_ERROR(PlanResult(result, plan));
  }

  size_t next = 0;  // Of parameters_.
  for (; next_argument < arguments.size(); ++next_argument) {
    const ForeignType& type = arguments[next_argument].type;
    const auto which = [&] { return absl::StrCat("argument ", next_argument + 1); };
    plan.arguments.emplace_back();
    const std::optional<Eightbytes> parts = EightbytesOf(type);
    if (next == parameters_.size()) {
      if (!is_variadic_) {
        return absl::InvalidArgumentError(absl::StrCat(
            arguments.size(), " arguments are given, but the function takes ", next_argument));
      }
      if (type.kind == ForeignKind::kFloat || (BitsOf(type.kind) > 0 && BitsOf(type.kind) < 32)) {
        return absl::InvalidArgumentError(absl::StrCat(
            which(), " is a variable one and ", NameOf(type), ", which C passes as double or int"));
      }
      continue;
    }
    plan.fixed_arguments = next_argument + 1;
    const Slot& slot = parameters_[next];
    const auto wrong = [&] {
      return absl::InvalidArgumentError(
          absl::StrCat(which(), " is ", NameOf(type), ", but the function takes ", slot.name));
    };
    if (!IsInParts(type, {&slot, 1})) {
      if (!Matches(type, slot)) return wrong();
      if (type.kind == ForeignKind::kInt128 && used.integer + 1 == kIntegerArgumentRegisters) {
        return absl::UnimplementedError(absl::StrCat(
            which(), " is int128 where one register is left, which LLVM wastes and others use"));
      }
      plan.arguments.back() = slot.integer;
      used.Take(*parts);
      ++next;
      continue;
    }
    if (!parts) {
      if (slot.kind != Slot::Kind::kMemory || slot.bytes != LayoutOf(type).size) return wrong();
      ++next;
      continue;
    }
    const bool fits = used.HasRoomFor(*parts);
    used.Take(*parts);
    if (slot.kind == Slot::Kind::kMemory) {
      if (slot.bytes != LayoutOf(type).size) return wrong();
      if (fits) {
        return absl::UnimplementedError(absl::StrCat(which(), " is taken as ", slot.name,
                                                     ", where C passes ", NameOf(type),
                                                     " in registers"));
      }
      ++next;
      continue;
    }
    if (!Matches(*parts, absl::MakeConstSpan(parameters_).subspan(next, parts->count)))
      return wrong();
    next += parts->count;
    if (!fits && parts->count > 1) {
      return absl::UnimplementedError(
          absl::StrCat(which(), " is taken in parts, where C passes ", NameOf(type), " in memory"));
    }
  }
  if (next != parameters_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        arguments.size(),
        " arguments are given, but the function takes more: ", parameters_[next].name, " is next"));
  }
  return plan;
}

}  // namespace firstcall
