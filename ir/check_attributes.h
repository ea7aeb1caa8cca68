// Checks the attributes of parameters and arguments that say how they are passed: which types they
// may have, and which attributes exclude each other.
//
// Thread-compatible. For ir/check and ir/check_module.

#ifndef FIRSTCALL_IR_CHECK_ATTRIBUTES_H_
#define FIRSTCALL_IR_CHECK_ATTRIBUTES_H_

#include <cstdint>

#include "ir/attributes.h"
#include "ir/fault.h"
#include "ir/type.h"

namespace firstcall::ir {

// The bit of an attribute in AttributeSet::kinds.
constexpr uint64_t BitOf(Attribute attribute) { return uint64_t{1} << static_cast<int>(attribute); }

// Checks one list of parameters or arguments, in which some attributes may occur only once.
class ParameterChecker {
 public:
  // Whether there is something to check if these are the kinds of all parameters together
  // (AttributeList::anywhere).
  static bool IsNeeded(uint64_t kinds) {
    return (kinds &
            (BitOf(Attribute::kByVal) | BitOf(Attribute::kByRef) | BitOf(Attribute::kStructRet) |
             BitOf(Attribute::kInAlloca) | BitOf(Attribute::kPreallocated) |
             BitOf(Attribute::kNest) | BitOf(Attribute::kSwiftSelf) |
             BitOf(Attribute::kSwiftError) | BitOf(Attribute::kSwiftAsync))) != 0;
  }

  // Parameter number `index`, of type `type`, has those attributes of `set` whose bits `kinds` has.
  Fault Add(uint32_t index, const Type& type, const AttributeSet& set, uint64_t kinds);

 private:
  Fault AddByValue(const AttributeSet& set);

  uint64_t seen_ = 0;   // The attributes that only one parameter may have, and one has.
  uint64_t bytes_ = 0;  // Of all that is passed by value.
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_ATTRIBUTES_H_
