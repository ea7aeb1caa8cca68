// Finds the labels in a module's data: which functions' blocks an initializer has the addresses of.
// And checks what the index of the module's symbols relies on: such a function shares no labels
// with other functions, which only bodies can tell.
//
// Thread-compatible. Tested in tests/direct/label_finder_test.cc.

#ifndef FIRSTCALL_DIRECT_LABEL_FINDER_H_
#define FIRSTCALL_DIRECT_LABEL_FINDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "bitcode/module.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::direct {

class LabelFinder {
 public:
  // `module` must outlive the finder.
  explicit LabelFinder(const ir::Module& module);

  // The numbers of the functions whose labels the constant `root` consists of, each once. Nothing
  // has none. All calls together take time in proportion to the module's constants, but for those
  // that have labels and are parts of several roots. Valid until the next call.
  absl::Span<const uint32_t> OwnersIn(ir::Operand root);

 private:
  bool HasLabels(uint32_t root);

  enum class Fact : uint8_t { kUnknown, kBegun, kNone, kLabels };

  const absl::Span<const ir::Constant> constants_;
  std::vector<Fact> facts_;  // By constant: whether it consists of labels.
  std::vector<uint32_t> pending_, owners_;
  std::vector<uint32_t> seen_in_;  // By constant: the last search that has seen it.
  uint32_t search_ = 0;
};

// OK if no function whose labels are in data of the module uses labels of another function, and no
// other function uses its labels. Reads the records of these functions' bodies, without their
// operands, and no other bodies. Unimplemented if there is such a function; InvalidArgument for
// damaged bytes.
absl::Status CheckOwnersOfLabels(const bitcode::BitcodeModule& source);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_LABEL_FINDER_H_
