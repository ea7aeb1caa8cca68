#include "ir/check_types.h"

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "ir/type.h"
#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

constexpr uint32_t kMostIntegerBits = uint32_t{1} << 23;
constexpr uint32_t kMostAddressSpaces = uint32_t{1} << 24;

// Members of structures and arrays.
bool MayBeMember(const Type& type) {
  return HasPlainValues(type) || type.kind == TypeKind::kOpaqueStruct;
}

bool MayBeInVector(const Type& type) {
  return type.IsIntegerOrPointer() || type.IsFloatingPoint() ||
         type.kind == TypeKind::kTargetExtension;
}

bool MayBeParameter(const Type& type) {
  return HasPlainValues(type) || type.IsToken() || type.kind == TypeKind::kMetadata;
}

bool MayBeResult(const Type& type) {
  return HasPlainValues(type) || type.IsVoid() || type.IsToken() ||
         type.kind == TypeKind::kOpaqueStruct;
}

Fault CheckFunctionType(const Type& type) {
  if (type.contained.empty()) return Fault::Invalid("a function without the type of its result");
  if (!MayBeResult(*type.result())) return Fault::Invalid("no function has such a result");
  for (const Type* parameter : type.parameters()) {
    if (parameter->kind == TypeKind::kOpaqueStruct) {
      return Fault::Unknown("a parameter of an opaque type");
    }
    if (!MayBeParameter(*parameter)) return Fault::Invalid("no function has such a parameter");
  }
  return {};
}

Fault CheckOne(const Type& type) {
  switch (type.kind) {
    case TypeKind::kInteger:
      return type.number >= 1 && type.number <= kMostIntegerBits
                 ? Fault()
                 : Fault::Invalid("no integer has such a width");
    case TypeKind::kPointer:
      return type.number < kMostAddressSpaces
                 ? Fault()
                 : Fault::Invalid("no address space has such a number");
    case TypeKind::kFunction:
      return CheckFunctionType(type);
    case TypeKind::kStruct:
      for (const Type* member : type.members()) {
        if (!MayBeMember(*member)) return Fault::Invalid("no structure has such a member");
      }
      return {};
    case TypeKind::kArray:
      return type.contained.size() == 1 && MayBeMember(*type.element())
                 ? Fault()
                 : Fault::Invalid("no array has such an element");
    case TypeKind::kFixedVector:
    case TypeKind::kScalableVector:
      if (type.contained.size() != 1 || !MayBeInVector(*type.element())) {
        return Fault::Invalid("no vector has such an element");
      }
      return type.count >= 1 && type.count <= UINT32_MAX
                 ? Fault()
                 : Fault::Invalid("no vector has so many elements");
    case TypeKind::kTargetExtension:
      return {};
    default:
      return type.contained.empty() ? Fault() : Fault::Invalid("such a type contains no other");
  }
}

// Looks for structures that contain themselves. No such structure has a layout: to get one, all its
// members must have theirs before.
class CycleSearch {
 public:
  explicit CycleSearch(const Module& module) : states_(module.types().size(), State::kNew) {}

  // Whether `root` is or contains such a structure. Without recursion, for types may contain each
  // other to any depth.
  bool Finds(const Type& root) {
    Enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.member == step.type->contained.size()) {
        states_[step.type->index] = State::kDone;
        path_.pop_back();
        continue;
      }
      const Type& member = *step.type->contained[step.member++];
      if (states_[member.index] == State::kOnPath) return true;
      Enter(member);
    }
    return false;
  }

 private:
  enum class State : uint8_t { kNew, kOnPath, kDone };
  struct Step {
    const Type* type;
    size_t member;  // The next one to look at.
  };

  void Enter(const Type& type) {
    if (type.is_sized || states_[type.index] != State::kNew) return;
    states_[type.index] = State::kOnPath;
    path_.push_back({&type, 0});
  }

  std::vector<State> states_;  // By type.
  std::vector<Step> path_;     // Each is contained in the one before.
};

}  // namespace

Fault CheckTypes(const Module& module, uint32_t& number) {
  for (const Type& type : module.types()) {
    number = type.index;
    if (Fault fault = CheckOne(type)) return fault;
  }
  CycleSearch search(module);
  for (const Type& type : module.types()) {
    if (type.is_sized) continue;
    number = type.index;
    if (search.Finds(type)) return Fault::Unknown("a structure that contains itself");
  }
  return {};
}

}  // namespace firstcall::ir
