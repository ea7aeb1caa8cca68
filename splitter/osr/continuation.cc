// Live-ins are first stored in memory of the continuation's own. So a second way to the entry does
// not require the function's SSA values to be repaired; the optimizer removes that memory.

#include "splitter/osr/continuation.h"

#include <vector>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "splitter/osr/hotness_polls.h"
#include "splitter/osr/labels.h"
#include "third_party/llvm/version/captures.h"

namespace firstcall {
namespace {

// The metadata by which an entrance names the body's subprogram. (It cannot have it itself yet: a
// subprogram belongs to one function.)
constexpr char kSubprogramOfBody[] = "firstcall.subprogram";

// Drops what a function's attributes say about its parameters and the memory it accesses. It does
// not hold for the continuation, which has other parameters and reads its caller's frame. Drops the
// hook at the function's entry, too, which the first body has called.
void CopyAttributes(const llvm::Function& function, llvm::Function& continuation) {
  const llvm::AttributeList own = function.getAttributes();
  continuation.setAttributes(llvm::AttributeList::get(
      function.getContext(),
      own.getFnAttrs().removeAttributes(function.getContext(),
                                        llvm::AttributeMask()
                                            .addAttribute(llvm::Attribute::Memory)
                                            .addAttribute(llvm::Attribute::AllocKind)
                                            .addAttribute(llvm::Attribute::AllocSize)
                                            .addAttribute(llvm::Attribute::AlwaysInline)
                                            .addAttribute(llvm::Attribute::WillReturn)
                                            .addAttribute(llvm::Attribute::Speculatable)
                                            .addAttribute("alloc-family")
                                            .addAttribute("fentry-call")),
      own.getRetAttrs(), {}));
}

class ContinuationMaker {
 public:
  ContinuationMaker(llvm::Function& function, const LoopEntry& entry, llvm::StringRef name)
      : function_(function),
        entry_(entry),
        outer_(*llvm::Function::Create(ContinuationType(function),
                                       llvm::GlobalValue::ExternalLinkage,
                                       function.getAddressSpace(), name, function.getParent())),
        inner_(*llvm::Function::Create(
            BodyType(function, entry), llvm::GlobalValue::InternalLinkage,
            function.getAddressSpace(), llvm::Twine(name) + ".body", function.getParent())) {}

  llvm::Function* Make() {
    CopyAttributes(function_, inner_);
    CopyAttributes(function_, outer_);
    outer_.setDSOLocal(true);
    inner_.setDSOLocal(true);
    WriteEntrance();
    if (function_.hasPersonalityFn()) {
      inner_.setPersonalityFn(function_.getPersonalityFn());
    }
    // Computed before the function is changed.
    const std::vector<llvm::AllocaInst*> variables = FrameVariables(function_);
    for (const LoopEntry::Variable& live : entry_.variables) {
      ways_.push_back(llvm::isAllocaPromotable(live.variable)        ? Way::kCopied
                      : live.is_named || !IsOnlyOurs(*live.variable) ? Way::kShared
                                                                     : Way::kOnlyOurs);
    }
    targets_ = IndirectTargets(function_);
    SplitEdgesOfResults();
    MoveBody();
    entrance_ = llvm::BasicBlock::Create(inner_.getContext(), "", &inner_, &inner_.getEntryBlock());
    auto* jump = llvm::BranchInst::Create(entry_.block, entrance_);
    // The continuation has its own copy of the variables that are not live, and of those it copies.
    for (llvm::AllocaInst* variable : variables) {
      variable->moveBefore(*entrance_, jump->getIterator());
    }
    unsigned argument = 0;
    for (size_t i = 0; i < entry_.variables.size(); ++i) {
      EnterVariable(*entry_.variables[i].variable, *inner_.getArg(argument++), ways_[i]);
    }
    for (const LoopEntry::Value& value : entry_.values) {
      Enter(value, *inner_.getArg(argument++), *jump);
    }
    // Whatever is not live at the entry gets poison.
    for (llvm::PHINode& phi : entry_.block->phis()) {
      phi.addIncoming(llvm::PoisonValue::get(phi.getType()), entrance_);
    }
    for (llvm::Argument& argument : function_.args()) {
      argument.replaceAllUsesWith(llvm::PoisonValue::get(argument.getType()));
    }
    llvm::removeUnreachableBlocks(inner_);
    function_.deleteBody();
    if (function_.use_empty()) function_.eraseFromParent();
    return &outer_;
  }

 private:
  // Whether the body is passed the address of `value`, because LLVM cannot pass values of all
  // types.
  static bool IsPassedInMemory(const LoopEntry::Value& value) {
    const llvm::Type* type = value.value->getType();
    return !type->isPointerTy() && !type->isFloatTy() && !type->isDoubleTy() &&
           !(type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
  }

  static llvm::FunctionType* BodyType(const llvm::Function& function, const LoopEntry& entry) {
    llvm::Type* pointer = llvm::PointerType::getUnqual(function.getContext());
    std::vector<llvm::Type*> parameters(entry.variables.size(), pointer);
    for (const LoopEntry::Value& value : entry.values) {
      parameters.push_back(value.is_label            ? llvm::Type::getInt32Ty(function.getContext())
                           : IsPassedInMemory(value) ? pointer
                                                     : value.value->getType());
    }
    return llvm::FunctionType::get(function.getReturnType(), parameters, /*isVarArg=*/false);
  }

  // The outer function loads the live-ins and passes them as arguments to the inner one, which has
  // the body: LLVM's aliasing attributes exist only for parameters.
  void WriteEntrance() {
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function_.getContext(), "", &outer_));
    llvm::StructType* type = LiveValuesType(function_, entry_);
    std::vector<llvm::Value*> arguments;
    for (const LoopEntry::Variable& variable : entry_.variables) {
      arguments.push_back(builder.CreateLoad(
          builder.getPtrTy(), PlaceOfVariable(variable, type, outer_.getArg(0), builder)));
    }
    for (size_t i = 0; i < entry_.values.size(); ++i) {
      llvm::Value* address = PlaceOfValue(i, type, outer_.getArg(0), builder);
      arguments.push_back(IsPassedInMemory(entry_.values[i])
                              ? address
                              : builder.CreateLoad(type->getElementType(i + 1), address));
    }
    ReturnResultOf(&inner_, arguments, function_, *builder.GetInsertBlock());
  }

  // How the continuation accesses a live variable.
  enum class Way {
    kCopied,    // A copy: no other code has the variable's address.
    kOnlyOurs,  // In the caller's frame: the address stays in the function, and has no other
                // source.
    kShared,    // In the caller's frame: other code may have the address.
  };

  static bool IsOnlyOurs(const llvm::AllocaInst& variable) {
    return !llvm_version::MayBeCaptured(variable);
  }

  // If a phi uses an invoke's result on the edge from the invoke, the result cannot be stored
  // there.
  void SplitEdgesOfResults() {
    std::vector<llvm::InvokeInst*> invokes;
    for (llvm::BasicBlock& block : function_) {
      auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator());
      if (invoke != nullptr && !invoke->use_empty()) invokes.push_back(invoke);
    }
    for (llvm::InvokeInst* invoke : invokes) {
      llvm::BasicBlock* normal = invoke->getNormalDest();
      if (normal->phis().empty()) continue;
      // llvm::SplitEdge would leave phis with a single value on the wrong side.
      auto* edge = llvm::BasicBlock::Create(function_.getContext(), "", &function_, normal);
      llvm::BranchInst::Create(normal, edge);
      invoke->setNormalDest(edge);
      normal->replacePhiUsesWith(invoke->getParent(), edge);
    }
  }

  void MoveBody() {
    inner_.copyMetadata(&function_, 0);
    function_.clearMetadata();
    if (llvm::DISubprogram* subprogram = inner_.getSubprogram()) {
      outer_.setMetadata(kSubprogramOfBody, subprogram);
    }
    std::vector<llvm::BlockAddress*> labels;
    for (llvm::BasicBlock& block : function_) {
      if (!block.hasAddressTaken()) continue;
      if (llvm::BlockAddress* label = llvm::BlockAddress::lookup(&block)) labels.push_back(label);
    }
    inner_.splice(inner_.end(), &function_);
    // Before LLVM 22, a block's address refers to the other function only if it is created again
    // after the move.
    for (llvm::BlockAddress* label : labels) {
      llvm::BlockAddress* const moved = llvm::BlockAddress::get(&inner_, label->getBasicBlock());
      if (moved == label) continue;
      label->replaceAllUsesWith(moved);
      label->destroyConstant();
    }
  }

  // The value that `argument` passes.
  llvm::Value* ValueOf(const LoopEntry::Value& live, llvm::Argument& argument,
                       llvm::IRBuilder<>& builder) {
    if (live.is_label) {
      if (table_ == nullptr) table_ = MakeLabelTable(inner_, targets_);
      return builder.CreateLoad(builder.getPtrTy(),
                                builder.CreateInBoundsGEP(table_->getValueType(), table_,
                                                          {builder.getInt32(0), &argument}));
    }
    if (IsPassedInMemory(live)) return builder.CreateLoad(live.value->getType(), &argument);
    return &argument;
  }

  void Enter(const LoopEntry::Value& entered, llvm::Argument& argument, llvm::Instruction& jump) {
    llvm::Value& live = *entered.value;
    llvm::IRBuilder<> builder(&jump);
    llvm::Value* value = ValueOf(entered, argument, builder);
    if (auto* outer = llvm::dyn_cast<llvm::Argument>(&live)) {
      outer->replaceAllUsesWith(value);
      return;
    }
    auto place = entrance_->getFirstInsertionPt();
    // A phi of the entry block is read at the entry; other values are read where they are used.
    auto* phi = llvm::dyn_cast<llvm::PHINode>(&live);
    llvm::AllocaInst* memory = phi != nullptr && phi->getParent() == entry_.block
                                   ? llvm::DemotePHIToStack(phi, place)
                                   : llvm::DemoteRegToStack(*llvm::cast<llvm::Instruction>(&live),
                                                            /*VolatileLoads=*/false, place);
    if (memory != nullptr) builder.CreateStore(value, memory);
  }

  void EnterVariable(llvm::AllocaInst& variable, llvm::Argument& argument, Way way) {
    EraseLifetimeMarks(variable);
    if (way == Way::kCopied) {
      llvm::IRBuilder<> builder(entrance_->getTerminator());
      builder.CreateAlignedStore(
          builder.CreateAlignedLoad(variable.getAllocatedType(), &argument, variable.getAlign()),
          &variable, variable.getAlign());
      return;
    }
    llvm::AttrBuilder attributes(inner_.getContext());
    attributes.addAttribute(llvm::Attribute::NonNull);
    attributes.addAlignmentAttr(variable.getAlign());
    if (std::optional<llvm::TypeSize> size = variable.getAllocationSize(inner_.getDataLayout());
        size && !size->isScalable()) {
      attributes.addDereferenceableAttr(size->getFixedValue());
    }
    if (way == Way::kOnlyOurs) attributes.addAttribute(llvm::Attribute::NoAlias);
    inner_.addParamAttrs(argument.getArgNo(), attributes);
    variable.replaceAllUsesWith(&argument);
    variable.eraseFromParent();
  }

  llvm::Function& function_;
  const LoopEntry& entry_;
  llvm::Function& outer_;
  llvm::Function& inner_;
  llvm::BasicBlock* entrance_ = nullptr;
  std::vector<Way> ways_;                   // For the live variables.
  std::vector<llvm::BasicBlock*> targets_;  // The blocks whose labels may be live.
  llvm::GlobalVariable* table_ = nullptr;   // Of their addresses.
};

}  // namespace

llvm::Function* MakeContinuation(llvm::Function& function, const LoopEntry& entry,
                                 llvm::StringRef name) {
  return ContinuationMaker(function, entry, name).Make();
}

void KeepDebugInfoOfContinuations(llvm::Module& module) {
  llvm::SmallPtrSet<const llvm::MDNode*, 8> attached;
  for (const llvm::Function& function : module) attached.insert(function.getSubprogram());
  for (llvm::Function& function : module) {
    llvm::MDNode* subprogram = function.getMetadata(kSubprogramOfBody);
    if (subprogram == nullptr) continue;
    function.setMetadata(kSubprogramOfBody, nullptr);
    // LLVM's inliner leaves the locations of the inlined code as they are, because the call of the
    // body has none.
    if (!attached.contains(subprogram)) {
      function.setSubprogram(llvm::cast<llvm::DISubprogram>(subprogram));
    }
  }
}

}  // namespace firstcall
