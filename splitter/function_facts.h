// What is known of the functions of a source module besides what their own IR says: attributes that
// were inferred from their bodies (FactFinder). An optimization gives them to the declarations and
// copies of callees (FactUse), because LLVM infers nothing from those.
//
// The facts belong to no LLVMContext, so that all views of the module share them.
//
// Thread-safe. Tested in tests/splitter/function_facts_test.cc and fact_finder_test.cc.

#ifndef FIRSTCALL_SPLITTER_FUNCTION_FACTS_H_
#define FIRSTCALL_SPLITTER_FUNCTION_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/ConstantRange.h"

namespace llvm {
class Function;
class LLVMContext;
}  // namespace llvm

namespace firstcall {

// An attribute of a function, of its result or of an argument.
struct InferredAttribute {
  unsigned index = 0;  // As in llvm::AttributeList.
  llvm::Attribute::AttrKind kind = llvm::Attribute::None;
  uint64_t value = 0;                       // Of an attribute with a number.
  std::vector<llvm::ConstantRange> ranges;  // Of one with a range, or with a list of ranges.
};

class FunctionFacts {
 public:
  struct Facts {
    // What was inferred, without the attributes that the function has anyway.
    std::vector<InferredAttribute> inferred;
    // What else the facts rest on: functions whose bodies, or facts, the inference has seen.
    std::vector<SymbolOrdinal> grounds;
  };

  // Notes the result of an inference, which is made once for each function. A function of which
  // nothing can be inferred has empty facts. What was noted first stays.
  void Note(SymbolOrdinal function, Facts facts) ABSL_LOCKS_EXCLUDED(mutex_);

  // Null if nothing was noted. The result lives as long as this object.
  const Facts* Find(SymbolOrdinal function) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `visit` once for each function that the facts of `function` rest on, itself included.
  void VisitGrounds(SymbolOrdinal function, absl::FunctionRef<void(SymbolOrdinal)> visit) const
      ABSL_LOCKS_EXCLUDED(mutex_);

  // How many instructions may be looked at: adds `instructions`, or takes them away as far as there
  // are so many. Both return what is left.
  size_t AddAllowance(size_t instructions) ABSL_LOCKS_EXCLUDED(mutex_);
  size_t TakeAllowance(size_t instructions) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<SymbolOrdinal, std::unique_ptr<const Facts>> facts_ ABSL_GUARDED_BY(mutex_);
  // docs/adr/0067 has what looking at instructions costs.
  static constexpr size_t kFirstAllowance = 2000;
  size_t allowance_ ABSL_GUARDED_BY(mutex_) = kFirstAllowance;
};

// The attributes that `function` has and `before` has not.
std::vector<InferredAttribute> InferredSince(const llvm::AttributeList& before,
                                             const llvm::Function& function);

// Adds `inferred` to `attributes`.
llvm::AttributeList WithInferred(llvm::AttributeList attributes,
                                 const std::vector<InferredAttribute>& inferred,
                                 llvm::LLVMContext& context);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_FUNCTION_FACTS_H_
