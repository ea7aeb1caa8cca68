#include "direct/function_shape_reader.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "direct/constant_address.h"
#include "direct/type_name.h"
#include "ir/attributes.h"
#include "ir/global.h"
#include "ir/names.h"
#include "ir/type.h"

namespace firstcall::direct {
namespace {

using Slot = FunctionShape::Slot;

// Attributes that change how a parameter is passed, and that C does not have.
constexpr ir::Attribute kUncallable[] = {
    ir::Attribute::kInAlloca,     ir::Attribute::kInReg,      ir::Attribute::kNest,
    ir::Attribute::kPreallocated, ir::Attribute::kSwiftAsync, ir::Attribute::kSwiftError,
    ir::Attribute::kSwiftSelf,    ir::Attribute::kByRef,
};

// Parts of parameters and results, counted with the aggregates that they are in.
constexpr size_t kMostParts = 16384;

Extension ExtensionOf(const ir::AttributeSet& attributes) {
  if (attributes.Has(ir::Attribute::kSExt)) return Extension::kSign;
  if (attributes.Has(ir::Attribute::kZExt)) return Extension::kZero;
  return Extension::kAsTheValue;
}

class Reader {
 public:
  Reader(const ir::Module& module, const ir::Global& symbol) : module_(module), symbol_(symbol) {}

  absl::StatusOr<FunctionShape> Read() {
    const ir::Global* const function = FindFunction();
    const ir::Type& type = *symbol_.value_type();
    if (!type.IsFunction() || (function == nullptr && symbol_.kind() != ir::GlobalKind::kIfunc)) {
      return absl::InvalidArgumentError(absl::StrCat("'", symbol_.name, "' is not a function"));
    }
    if (function != nullptr) FIRSTCALL_RETURN_IF_ERROR(CheckConvention(*function));
    static const auto* const none = new ir::AttributeList;
    const ir::AttributeList& attributes = function == nullptr ? *none : *function->attributes();
    shape_.is_variadic = type.is_variadic;
    if (!type.result()->IsVoid()) {
      FIRSTCALL_RETURN_IF_ERROR(Flatten(*type.result(), shape_.results));
    }
    for (uint32_t i = 0; i < type.parameters().size(); ++i) {
      FIRSTCALL_RETURN_IF_ERROR(AddParameter(i, *type.parameters()[i], attributes.OfParameter(i)));
    }
    return FunctionShape(std::move(shape_));
  }

 private:
  // The function that the symbol is or stands for; null if there is none.
  const ir::Global* FindFunction() const {
    if (symbol_.IsFunction()) return &symbol_;
    if (symbol_.kind() != ir::GlobalKind::kAlias) return nullptr;
    const std::optional<ConstantAddress> base = AddressOf(module_, symbol_.initializer);
    if (!base || !module_.globals()[base->global].IsFunction()) return nullptr;
    return &module_.globals()[base->global];
  }

  absl::Status CheckConvention(const ir::Global& function) const {
    const auto uncallable = [&](absl::string_view what) {
      return absl::UnimplementedError(
          absl::StrCat("function '", function.name, "' cannot be called from C: ", what));
    };
    if (function.convention() != ir::kConventionC) {
      return uncallable(
          absl::StrCat("its calling convention is LLVM's number ", function.convention()));
    }
    for (uint32_t i = 0; i < function.value_type()->parameters().size(); ++i) {
      for (ir::Attribute kind : kUncallable) {
        if (function.attributes()->OfParameter(i).Has(kind)) {
          return uncallable(absl::StrCat("its parameter ", i + 1, " is ", ir::NameOf(kind)));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddParameter(uint32_t number, const ir::Type& type,
                            const ir::AttributeSet& attributes) {
    if (attributes.Has(ir::Attribute::kStructRet)) {
      if (number != 0) {
        return absl::UnimplementedError(
            absl::StrCat("function '", symbol_.name,
                         "' cannot be called from C: its result is not its first parameter"));
      }
      shape_.has_hidden_result = true;
      FIRSTCALL_ASSIGN_OR_RETURN(Slot slot, MemorySlot("sret", *attributes.type));
      shape_.results = {std::move(slot)};
      return absl::OkStatus();
    }
    if (attributes.Has(ir::Attribute::kByVal)) {
      FIRSTCALL_ASSIGN_OR_RETURN(Slot slot, MemorySlot("byval", *attributes.type));
      slot.alignment = attributes.alignment == 0 ? 1 : attributes.alignment;
      slot.begins_parameter = true;
      shape_.parameters.push_back(std::move(slot));
      return absl::OkStatus();
    }
    const size_t first = shape_.parameters.size();
    FIRSTCALL_RETURN_IF_ERROR(Flatten(type, shape_.parameters));
    for (size_t i = first; i < shape_.parameters.size(); ++i) {
      shape_.parameters[i].begins_parameter = i == first;
      shape_.parameters[i].integer.extension = ExtensionOf(attributes);
      if (kKeepsArraysTogether && type.IsArray()) {
        shape_.parameters[i].array = shape_.parameters.size() - first;
      }
    }
    return absl::OkStatus();
  }

  // Splits an aggregate into its scalars, as LLVM's code generators do.
  absl::Status Flatten(const ir::Type& type, std::vector<Slot>& slots) {
    if (++parts_ > kMostParts) return Unknown("it has too many parts");
    if (type.IsStruct()) {
      for (const ir::Type* member : type.members()) {
        FIRSTCALL_RETURN_IF_ERROR(Flatten(*member, slots));
      }
      return absl::OkStatus();
    }
    if (type.IsArray()) {
      for (uint64_t i = 0; i < type.count; ++i) {
        const size_t before = slots.size();
        FIRSTCALL_RETURN_IF_ERROR(Flatten(*type.element(), slots));
        if (slots.size() == before) break;  // Elements without parts: any number of them has none.
      }
      return absl::OkStatus();
    }
    FIRSTCALL_ASSIGN_OR_RETURN(Slot slot, ScalarSlot(type));
    slots.push_back(std::move(slot));
    return absl::OkStatus();
  }

  absl::StatusOr<Slot> ScalarSlot(const ir::Type& type) const {
    Slot slot;
    FIRSTCALL_ASSIGN_OR_RETURN(slot.name, NameOf(type));
    if (type.IsInteger()) {
      slot.kind = Slot::Kind::kInteger;
      slot.integer.bits = type.number;
    } else if (type.IsFloat()) {
      slot.kind = Slot::Kind::kFloat;
    } else if (type.IsDouble()) {
      slot.kind = Slot::Kind::kDouble;
    } else if (type.IsPointer() && type.number == 0) {
      slot.kind = Slot::Kind::kPointer;
    } else if (type.IsFixedVector() && type.element()->IsFloat() && type.is_sized &&
               type.alloc_size == 8) {
      slot.kind = Slot::Kind::kVector;
    }
    return slot;
  }

  // A pointer to a value of `type`, with the attribute that says so.
  absl::StatusOr<Slot> MemorySlot(absl::string_view attribute, const ir::Type& type) const {
    if (!type.is_sized) return Unknown("a type whose size only LLVM knows");
    Slot slot;
    slot.kind = Slot::Kind::kMemory;
    slot.bytes = type.alloc_size;
    FIRSTCALL_ASSIGN_OR_RETURN(std::string name, NameOf(type));
    slot.name = absl::StrCat("ptr ", attribute, "(", name, ")");
    return slot;
  }

  absl::StatusOr<std::string> NameOf(const ir::Type& type) const {
    std::optional<std::string> name = TypeName(type);
    if (!name) return Unknown("the name of a type is not known");
    return *std::move(name);
  }

  absl::Status Unknown(absl::string_view what) const {
    return absl::UnimplementedError(
        absl::StrCat("how function '", symbol_.name, "' is called: ", what));
  }

  const ir::Module& module_;
  const ir::Global& symbol_;
  FunctionShape::Signature shape_;
  size_t parts_ = 0;
};

}  // namespace

absl::StatusOr<FunctionShape> ReadFunctionShape(const ir::Module& module, uint32_t global) {
  return Reader(module, module.globals()[global]).Read();
}

}  // namespace firstcall::direct
