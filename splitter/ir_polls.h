// Polls in the IR of first bodies, for bodies that LLVM compiles. What the baseline code generator
// compiles polls in machine code, which costs the IR nothing; so polls are written into the IR only
// when the generator has refused the function-module.
//
// Thread-compatible: hold the mutex of the view that the function-module's context belongs to.
// Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_IR_POLLS_H_
#define FIRSTCALL_SPLITTER_IR_POLLS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/string_view.h"
#include "seam/hotness_signs.h"
#include "splitter/osr/labels.h"

namespace llvm {
class Function;
class GlobalVariable;
}  // namespace llvm

namespace firstcall {

// See FunctionModule, which has the same members.
struct HotnessOfBodies {
  std::vector<HotnessSigns> hotness_signs;
  int64_t poll_balance = 0;
};

class IrPolls {
 public:
  // `allowance`: see ReplaceableBody.
  IrPolls(int64_t allowance, bool asks_when_called)
      : allowance_(allowance), asks_when_called_(asks_when_called) {}

  // Adds a body that cannot be replaced, and so has no polls.
  void AddFixed() { bodies_.push_back({}); }
  // Adds a body that can, with the labels that were found before it was moved, and the name and the
  // place of its counter. Until Write, the body has attributes that make the baseline code
  // generator poll (seam/hotness_counter.h).
  void Add(llvm::Function& body, Labels labels, absl::string_view counter, bool is_near);

  // What Write would return if the baseline code generator polled.
  HotnessOfBodies HotnessInCode() const;
  // Writes polls into all bodies, once. `annotate`, unless it is empty, is called with the first
  // body when its loops were found.
  HotnessOfBodies Write(const std::function<void(llvm::Function&)>& annotate);

 private:
  struct Body {
    llvm::Function* function = nullptr;  // Null: the body cannot be replaced.
    Labels labels;
    llvm::GlobalVariable* counter = nullptr;
  };

  HotnessSigns Write(const Body& body, const std::function<void(llvm::Function&)>& annotate,
                     int64_t& balance) const;

  int64_t allowance_;
  bool asks_when_called_;
  std::vector<Body> bodies_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_IR_POLLS_H_
