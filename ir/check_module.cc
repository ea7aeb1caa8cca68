#include "ir/check_module.h"

#include <cstdint>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/check_attributes.h"
#include "ir/check_constants.h"
#include "ir/check_types.h"
#include "ir/constant.h"
#include "ir/fault.h"
#include "ir/global.h"
#include "ir/names.h"
#include "ir/operand.h"
#include "ir/operand_scope.h"

namespace firstcall::ir {
namespace {

constexpr uint64_t kMostAlignment = uint64_t{1} << 32;

Fault CheckParameters(const Type& type, const AttributeList& attributes) {
  if (attributes.parameters.size() > type.parameters().size()) {
    return Fault::Invalid("it has attributes of more parameters than the type has");
  }
  if (!ParameterChecker::IsNeeded(attributes.anywhere)) return {};
  ParameterChecker checker;
  for (uint32_t i = 0; i < attributes.parameters.size(); ++i) {
    const AttributeSet& set = attributes.parameters[i];
    if (Fault fault = checker.Add(i, *type.parameters()[i], set, set.kinds)) return fault;
  }
  return {};
}

Fault CheckFunction(const Global& function) {
  if (!function.value_type()->IsFunction()) return Fault::Invalid("its type is not a function's");
  if (function.intrinsic() != IntrinsicId::kNone && !function.is_declaration()) {
    return Fault::Invalid("an intrinsic has a body");
  }
  return CheckParameters(*function.value_type(), *function.attributes());
}

Fault CheckComdat(const Global& global, const Module& module) {
  if (global.comdat == kNone || global.comdat < module.comdats().size()) return {};
  return Fault::Invalid("its comdat does not exist");
}

// What does not need the constants to be checked. Depends on the traits, and on whether there is an
// initializer.
Fault CheckAlone(const Global& global) {
  if (!global.type()->IsPointer() || global.type()->number != global.address_space()) {
    return Fault::Invalid("its address is no pointer of its address space");
  }
  if (global.alignment() > kMostAlignment || (global.alignment() & (global.alignment() - 1)) != 0) {
    return Fault::Invalid("its alignment is no power of two, or too large");
  }
  if (global.IsFunction()) return CheckFunction(global);
  const bool has_value = global.initializer.IsConstant();
  if (!global.IsVariable()) {
    return has_value ? Fault() : Fault::Invalid("it stands for nothing");
  }
  return has_value != global.is_declaration()
             ? Fault()
             : Fault::Invalid("it is declared and has an initializer, or is defined and has none");
}

Fault CheckConstantsOf(const Global& global, const Module& module) {
  const auto type_of = [&](Operand operand) { return module.constant(operand).type; };
  if (!global.personality().IsNothing() && !type_of(global.personality())->IsPointer()) {
    return Fault::Invalid("its personality is no pointer");
  }
  if (!global.initializer.IsConstant()) return {};
  const Type* const type = type_of(global.initializer);
  switch (global.kind()) {
    case GlobalKind::kVariable:
      return type == global.value_type() ? Fault()
                                         : Fault::Invalid("its initializer has another type");
    case GlobalKind::kAlias:
      return type == global.type() ? Fault()
                                   : Fault::Invalid("it has another type than what it stands for");
    case GlobalKind::kIfunc:
      return type->IsPointer() ? Fault() : Fault::Invalid("its resolver is no pointer");
    case GlobalKind::kFunction:
      break;
  }
  return Fault::Invalid("a function has an initializer");
}

// Looks for aliases and ifuncs that stand for themselves.
class RingSearch {
 public:
  explicit RingSearch(const Module& module)
      : module_(module), states_(module.globals().size(), State::kNew) {}

  // Whether the alias number `root` stands for itself, or for another one that does. Without
  // recursion, for aliases may stand for each other in chains of any length.
  bool Finds(uint32_t root) {
    if (states_[root] != State::kNew) return false;
    Enter(root);
    while (!pending_.empty()) {
      const Operand operand = pending_.back();
      pending_.pop_back();
      if (operand.IsNothing()) {
        states_[path_.back()] = State::kDone;
        path_.pop_back();
      } else if (!Follow(module_.constant(operand))) {
        return true;
      }
    }
    return false;
  }

 private:
  enum class State : uint8_t { kNew, kOnPath, kDone };

  static bool IsAlias(const Global& global) {
    return global.kind() == GlobalKind::kAlias || global.kind() == GlobalKind::kIfunc;
  }

  void Enter(uint32_t alias) {
    states_[alias] = State::kOnPath;
    path_.push_back(alias);
    pending_.push_back(Operand());
    pending_.push_back(module_.globals()[alias].initializer);
  }

  // False if `constant` is the address of an alias on the path.
  bool Follow(const Constant& constant) {
    if (constant.kind == ConstantKind::kExpression) {
      for (Operand operand : constant.operands()) pending_.push_back(operand);
      return true;
    }
    if (!constant.IsGlobal() || !IsAlias(module_.globals()[constant.global])) return true;
    if (states_[constant.global] == State::kNew) {
      Enter(constant.global);
      return true;
    }
    return states_[constant.global] == State::kDone;
  }

  const Module& module_;
  std::vector<State> states_;     // By global.
  std::vector<uint32_t> path_;    // Each one is a part of what the one before stands for.
  std::vector<Operand> pending_;  // To be followed. Nothing: the last alias of `path_` is done.
};

// The names of a module's globals. Takes 8 bytes for a place, where a set of absl::string_view
// takes 17.
class NameSet {
 public:
  explicit NameSet(absl::Span<const Global> globals) : globals_(globals) {
    while (mask_ + 1 < globals.size() + globals.size() / 2) mask_ = 2 * mask_ + 1;
    places_.resize(mask_ + 1);
  }

  // Inserts the name of global number `number`. False: one before has the same name.
  bool Insert(uint32_t number) {
    const absl::string_view name = globals_[number].name;
    const size_t hash = absl::HashOf(name);
    const auto upper = static_cast<uint32_t>(hash >> 32);
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      Place& place = places_[i];
      if (place.next_number == 0) {
        place = {upper, number + 1};
        return true;
      }
      if (place.hash == upper && globals_[place.next_number - 1].name == name) return false;
    }
  }

 private:
  struct Place {
    uint32_t hash = 0;         // The upper half.
    uint32_t next_number = 0;  // The global's number and 1; 0: the place is empty.
  };

  const absl::Span<const Global> globals_;
  size_t mask_ = 1;  // There are so many places and one, a power of two.
  std::vector<Place> places_;
};

// A global that has the name of one before; null if there is none. (LLVM renames such globals.)
const Global* FindSecondOfName(const Module& module) {
  const absl::Span<const Global> globals = module.globals();
  NameSet names(globals);
  for (uint32_t number = 0; number < globals.size(); ++number) {
    if (!globals[number].name.empty() && !names.Insert(number)) return &globals[number];
  }
  return nullptr;
}

Fault CheckAddresses(const Module& module, uint32_t& number) {
  const absl::Span<const Constant> constants = module.constants();
  for (number = 0; number < module.globals().size(); ++number) {
    if (number >= constants.size() || !constants[number].IsGlobal() ||
        constants[number].global != number) {
      return Fault::Invalid("it is not the address of the global with this number");
    }
  }
  return {};
}

absl::Status FaultOfGlobal(const Fault& fault, const Global& global) {
  return fault.At(absl::StrCat("checking module: ", NameOf(global.kind()), " '", global.name, "'"));
}

}  // namespace

absl::Status CheckModule(const Module& module) {
  uint32_t number = 0;
  if (Fault fault = CheckTypes(module, number)) {
    return fault.At(absl::StrCat("checking module: type ", number));
  }
  // Globals in a row often have the same traits, which are checked once.
  const GlobalTraits* checked = nullptr;
  for (const Global& global : module.globals()) {
    if (Fault fault = CheckComdat(global, module)) return FaultOfGlobal(fault, global);
    if (global.traits == checked && global.initializer.IsNothing()) continue;
    if (Fault fault = CheckAlone(global)) return FaultOfGlobal(fault, global);
    checked = global.initializer.IsNothing() ? global.traits : nullptr;
  }
  if (const Global* const second = FindSecondOfName(module)) {
    return FaultOfGlobal(Fault::Unknown("another global has the same name"), *second);
  }
  if (Fault fault = CheckAddresses(module, number)) {
    return fault.At(absl::StrCat("checking module: constant ", number));
  }
  ConstantChecker constants;
  if (Fault fault = constants.Check(module.constants(), 0, OperandScope(module))) {
    return fault.At(absl::StrCat("checking module: constant ", constants.faulty()));
  }
  RingSearch rings(module);
  checked = nullptr;
  for (uint32_t i = 0; i < module.globals().size(); ++i) {
    const Global& global = module.globals()[i];
    if (global.traits == checked && global.initializer.IsNothing()) continue;
    checked = global.traits;
    if (Fault fault = CheckConstantsOf(global, module)) return FaultOfGlobal(fault, global);
    const bool is_alias = !global.IsFunction() && !global.IsVariable();
    if (is_alias && rings.Finds(i)) {
      return FaultOfGlobal(Fault::Invalid("it stands for itself"), global);
    }
  }
  return absl::OkStatus();
}

}  // namespace firstcall::ir
