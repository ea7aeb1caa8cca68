// Labels: the addresses of a function's own blocks, to which a computed goto branches.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_DIRECT_LABELS_H_
#define FIRSTCALL_DIRECT_LABELS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "direct/user_lists.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::direct {

class Labels {
 public:
  enum class Place : uint8_t {
    kInside,  // Another body can take over, which has other labels (splitter/osr/labels.h).
    kEscape,
    kUnknown  // What splitter/osr would say is not known.
  };

  // Forgets the former function. Follows the labels of `function` through the constant tables and
  // the values that hold them, as splitter/osr/labels does. Costs hardly anything if there are no
  // labels; otherwise the time is proportional to the function and the module's constants.
  void Find(const ir::Function& function, UserLists& users);

  Place place() const { return place_; }

 private:
  // What a constant has to do with labels.
  enum class Mark : uint8_t {
    kNothing,
    kLabels,     // It is one, or consists of some.
    kTable,      // It is an address in a table of labels.
    kHidesTable  // It is made of such an address in another way.
  };

  void Escape() { place_ = Place::kEscape; }
  void FindUnknown() {
    if (place_ == Place::kInside) place_ = Place::kUnknown;
  }
  void MarkLabels();
  bool MarkUsersOf(const ir::Constant& constant, Mark& mark);
  void MarkUsers();
  void FindTables();
  void LookAtTable(const ir::Global& global);
  void FollowConstants();
  void Follow();
  // `value` holds a label, or is an address in a table of labels.
  void AddValue(uint32_t value);
  void AddPointer(uint32_t pointer);
  void FollowLabel(const ir::Instruction& user, uint32_t operand);
  void FollowStore(const ir::Instruction& store);
  void FollowPointer(const ir::Instruction& user);
  // Whether what the function branches to, and what it compares with labels, can only be labels of
  // its own.
  bool AreSourcesKnown();
  bool HoldsOnlyLabels(const ir::Instruction& variable);
  bool AreLabels(absl::Span<const ir::Operand> operands) const;
  bool IsLabel(ir::Operand operand) const;  // Or no address at all.

  const ir::Function* function_ = nullptr;
  UserLists* users_ = nullptr;
  Place place_ = Place::kInside;
  std::vector<Mark> marks_;            // By constant.
  std::vector<bool> holds_;            // By value; empty if the function has no labels.
  std::vector<bool> is_pointer_;       // By value.
  std::vector<uint32_t> pending_;      // Values of either kind whose users are to be looked at.
  std::vector<uint32_t> comparisons_;  // Instructions that compare labels.
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_LABELS_H_
