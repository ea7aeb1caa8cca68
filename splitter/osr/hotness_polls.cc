// A poll in front of the code it interrupts (`body`):
//
//     left = counter.left - 1; counter.left = left
//     if (left < 0) goto ask        // The rest is at the end of the function.
//   body:
//     ...
//   ask:
//     continuation = counter.handler(&counter, loop)
//     if (continuation == null) goto body
//     frame = live values...        // Of a label, its number; if that is unknown, goto body.
//   leave:                          // Shared by the polls at all loops.
//     frame = addresses of live variables...
//     return continuation(&frame)
//
// Loads and stores are not atomic, because fast instruction selection does not support atomic ones.
// If threads count at the same time, counts may be lost, but nothing else.

#include "splitter/osr/hotness_polls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "splitter/osr/labels.h"

namespace firstcall {
namespace {

constexpr unsigned kLeftField = 0;
constexpr unsigned kHandlerField = 2;

// Costs without live-ins: of each poll, and of the code that all polls of a function share.
constexpr size_t kInstructionsOfPoll = 10;
constexpr size_t kInstructionsOfLeaving = 4;

// The cost of finding the number of a label, and how many table entries cost one instruction.
constexpr size_t kInstructionsOfLabel = 15;
constexpr size_t kTableEntriesPerInstruction = 8;

// When this many loops of a function have turned out to be impossible to leave or too expensive, no
// more are examined, because that takes time.
constexpr size_t kMaxMisses = 3;

llvm::StructType* CounterType(llvm::LLVMContext& context) {
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  return llvm::StructType::get(context, {word, word, llvm::PointerType::getUnqual(context)});
}

bool HasLabel(const LoopEntry* entry) {
  return llvm::any_of(entry->values, [](const LoopEntry::Value& value) { return value.is_label; });
}

class PollWriter {
 public:
  // `loops`: all loops at which WriteAt will be called.
  PollWriter(llvm::Function& function, llvm::GlobalVariable& counter,
             std::vector<const LoopEntry*> loops)
      : function_(function),
        counter_(counter),
        loops_(std::move(loops)),
        type_(CounterType(function.getContext())),
        context_(function.getContext()) {
    // Computed now, because polls change the blocks.
    if (llvm::any_of(loops_, HasLabel)) targets_ = IndirectTargets(function);
  }

  // Writes a poll before `place`. `ask` is the block behind the call of the handler, `answer` the
  // handler's result, and `body` the block where the function goes on.
  struct Poll {
    llvm::BasicBlock* ask;
    llvm::Value* answer;
    llvm::BasicBlock* body;
  };
  Poll Write(llvm::Instruction& place, uint32_t loop) {
    llvm::BasicBlock* head = place.getParent();
    llvm::BasicBlock* body = head->splitBasicBlock(&place);
    llvm::BasicBlock* ask = NewBlock();
    head->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(head);
    llvm::Value* address = builder.CreateConstInBoundsGEP2_32(type_, &counter_, 0, kLeftField);
    llvm::Value* left =
        builder.CreateSub(builder.CreateLoad(builder.getInt32Ty(), address), builder.getInt32(1));
    builder.CreateStore(left, address);
    builder.CreateCondBr(builder.CreateICmpSLT(left, builder.getInt32(0)), ask, body);
    builder.SetInsertPoint(ask);
    llvm::Value* handler = builder.CreateLoad(
        builder.getPtrTy(), builder.CreateConstInBoundsGEP2_32(type_, &counter_, 0, kHandlerField));
    auto* type = llvm::FunctionType::get(builder.getPtrTy(),
                                         {builder.getPtrTy(), builder.getInt32Ty()}, false);
    llvm::CallInst* answer = builder.CreateCall(type, handler, {&counter_, builder.getInt32(loop)});
    answer->setDoesNotThrow();
    return {ask, answer, body};
  }

  void WriteAtBeginning() {
    llvm::BasicBlock& first = function_.getEntryBlock();
    // Variables belong to the frame only if they are in the first block.
    llvm::Instruction* place = &*first.getFirstNonPHIOrDbgOrAlloca();
    for (llvm::AllocaInst* variable : FrameVariables(function_)) {
      if (!variable->comesBefore(place)) variable->moveBefore(place);
    }
    const Poll poll = Write(*place, kNoLoop);
    llvm::IRBuilder<>(poll.ask).CreateBr(poll.body);
  }

  void WriteAt(const LoopEntry& entry, uint32_t loop) {
    const Poll poll = Write(*entry.block->getFirstNonPHIIt(), loop);
    if (leave_ == nullptr) MakeLeave();
    llvm::IRBuilder<> builder(poll.ask);
    llvm::BasicBlock* store = NewBlock();
    builder.CreateCondBr(builder.CreateIsNull(poll.answer), poll.body, store);
    builder.SetInsertPoint(store);
    llvm::StructType* type = LiveValuesType(function_, entry);
    for (size_t i = 0; i < entry.values.size(); ++i) {
      llvm::Value* value = entry.values[i].value;
      if (entry.values[i].is_label) value = WriteNumberOf(*value, *poll.body, builder);
      builder.CreateStore(value, PlaceOfValue(i, type, frame_, builder));
    }
    builder.CreateBr(leave_);
    continuation_->addIncoming(poll.answer, builder.GetInsertBlock());
  }

 private:
  llvm::BasicBlock* NewBlock() { return llvm::BasicBlock::Create(context_, "", &function_); }

  // Computes which of the targets `label` is. Branches to `otherwise`, which has no phis, if it is
  // none of them, or if several match: a label that is only compared may have the address of
  // another one after the optimizer has removed the branches to it.
  llvm::Value* WriteNumberOf(llvm::Value& label, llvm::BasicBlock& otherwise,
                             llvm::IRBuilder<>& builder) {
    if (table_ == nullptr) table_ = MakeLabelTable(function_, targets_);
    llvm::BasicBlock* before = builder.GetInsertBlock();
    llvm::BasicBlock* look = NewBlock();
    llvm::BasicBlock* end = NewBlock();
    llvm::BasicBlock* found = NewBlock();
    builder.CreateBr(look);
    builder.SetInsertPoint(look);
    const auto count_from_zero = [&] {
      llvm::PHINode* phi = builder.CreatePHI(builder.getInt32Ty(), 2);
      phi->addIncoming(builder.getInt32(0), before);
      return phi;
    };
    llvm::PHINode* i = count_from_zero();
    llvm::PHINode* number = count_from_zero();
    llvm::PHINode* matches = count_from_zero();
    llvm::Value* place =
        builder.CreateInBoundsGEP(table_->getValueType(), table_, {builder.getInt32(0), i});
    llvm::Value* is_it =
        builder.CreateICmpEQ(builder.CreateLoad(builder.getPtrTy(), place), &label);
    llvm::Value* next_number = builder.CreateSelect(is_it, i, number);
    number->addIncoming(next_number, look);
    llvm::Value* next_matches =
        builder.CreateAdd(matches, builder.CreateZExt(is_it, builder.getInt32Ty()));
    matches->addIncoming(next_matches, look);
    llvm::Value* next = builder.CreateAdd(i, builder.getInt32(1));
    i->addIncoming(next, look);
    const auto count = static_cast<uint32_t>(targets_.size());
    builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt32(count)), look, end);
    builder.SetInsertPoint(end);
    builder.CreateCondBr(builder.CreateICmpEQ(next_matches, builder.getInt32(1)), found,
                         &otherwise);
    builder.SetInsertPoint(found);
    return next_number;
  }

  // Makes the block to which the polls at all loops branch when the function is to be left. It
  // writes the addresses of the variables that are live at any of these loops.
  void MakeLeave() {
    MakeFrame();
    leave_ = NewBlock();
    llvm::IRBuilder<> builder(leave_);
    continuation_ = builder.CreatePHI(builder.getPtrTy(), 0);
    llvm::BitVector written(static_cast<unsigned>(loops_.front()->variable_places));
    for (const LoopEntry* entry : loops_) {
      llvm::StructType* type = LiveValuesType(function_, *entry);
      for (const LoopEntry::Variable& variable : entry->variables) {
        if (written.test(static_cast<unsigned>(variable.place))) continue;
        written.set(static_cast<unsigned>(variable.place));
        builder.CreateStore(variable.variable, PlaceOfVariable(variable, type, frame_, builder));
      }
    }
    ReturnResultOf({ContinuationType(function_), continuation_}, {frame_}, function_, *leave_);
  }

  // Makes memory that is large enough for the live-ins of any of the loops.
  void MakeFrame() {
    const llvm::DataLayout& layout = function_.getDataLayout();
    uint64_t size = 1;
    llvm::Align alignment;
    for (const LoopEntry* loop : loops_) {
      llvm::StructType* type = LiveValuesType(function_, *loop);
      size = std::max<uint64_t>(size, layout.getTypeAllocSize(type).getFixedValue());
      alignment = std::max(alignment, layout.getABITypeAlign(type));
    }
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().begin());
    frame_ = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), size));
    frame_->setAlignment(alignment);
  }

  llvm::Function& function_;
  llvm::GlobalVariable& counter_;
  const std::vector<const LoopEntry*> loops_;
  std::vector<llvm::BasicBlock*> targets_;  // Empty if no label is live at any of the loops.
  llvm::GlobalVariable* table_ = nullptr;   // Of their addresses.
  llvm::StructType* const type_;
  llvm::LLVMContext& context_;
  llvm::AllocaInst* frame_ = nullptr;
  llvm::BasicBlock* leave_ = nullptr;
  llvm::PHINode* continuation_ = nullptr;  // In leave_.
};

// Blocks that end in computed gotos come first, because they are the heads of interpreters' loops,
// wherever in the function a front end has put them.
std::vector<uint32_t> PollOrder(const llvm::Function& function, const LoopEntries& entries) {
  llvm::SmallDenseMap<const llvm::BasicBlock*, uint32_t> places;
  std::vector<uint32_t> loops;
  for (uint32_t i = 0; i < entries.size(); ++i) places[&entries.block(i)] = i;
  for (const llvm::BasicBlock& block : function) {
    if (loops.size() == entries.size()) break;
    if (auto found = places.find(&block); found != places.end()) loops.push_back(found->second);
  }
  std::stable_partition(loops.begin(), loops.end(), [&](uint32_t loop) {
    return llvm::isa<llvm::IndirectBrInst>(entries.block(loop).getTerminator());
  });
  return loops;
}

}  // namespace

llvm::StructType* LiveValuesType(const llvm::Function& function, const LoopEntry& entry) {
  llvm::LLVMContext& context = function.getContext();
  std::vector<llvm::Type*> types;
  types.reserve(entry.values.size() + 1);
  types.push_back(
      llvm::ArrayType::get(llvm::PointerType::getUnqual(context), entry.variable_places));
  for (const LoopEntry::Value& value : entry.values) {
    types.push_back(value.is_label ? llvm::Type::getInt32Ty(context) : value.value->getType());
  }
  return llvm::StructType::get(context, types);
}

llvm::Value* PlaceOfVariable(const LoopEntry::Variable& variable, llvm::StructType* type,
                             llvm::Value* memory, llvm::IRBuilderBase& builder) {
  return builder.CreateInBoundsGEP(type, memory,
                                   {builder.getInt32(0), builder.getInt32(0),
                                    builder.getInt32(static_cast<uint32_t>(variable.place))});
}

llvm::Value* PlaceOfValue(size_t value, llvm::StructType* type, llvm::Value* memory,
                          llvm::IRBuilderBase& builder) {
  return builder.CreateConstInBoundsGEP2_32(type, memory, 0, static_cast<unsigned>(value + 1));
}

llvm::GlobalVariable* MakeLabelTable(llvm::Function& function,
                                     llvm::ArrayRef<llvm::BasicBlock*> targets) {
  std::vector<llvm::Constant*> labels;
  labels.reserve(targets.size());
  for (llvm::BasicBlock* target : targets) {
    labels.push_back(llvm::BlockAddress::get(&function, target));
  }
  llvm::ArrayType* type =
      llvm::ArrayType::get(llvm::PointerType::getUnqual(function.getContext()), labels.size());
  return new llvm::GlobalVariable(*function.getParent(), type, /*isConstant=*/true,
                                  llvm::GlobalValue::InternalLinkage,
                                  llvm::ConstantArray::get(type, labels), "labels");
}

llvm::FunctionType* ContinuationType(const llvm::Function& function) {
  return llvm::FunctionType::get(function.getReturnType(),
                                 {llvm::PointerType::getUnqual(function.getContext())},
                                 /*isVarArg=*/false);
}

void ReturnResultOf(llvm::FunctionCallee callee, llvm::ArrayRef<llvm::Value*> arguments,
                    const llvm::Function& function, llvm::BasicBlock& block) {
  llvm::IRBuilder<> builder(&block);
  // Line 0 says that it belongs to no line. Without it, a debugger shows the line that lies before.
  if (llvm::DISubprogram* subprogram = block.getParent()->getSubprogram()) {
    builder.SetCurrentDebugLocation(llvm::DILocation::get(block.getContext(), 0, 0, subprogram));
  }
  llvm::CallInst* result = builder.CreateCall(callee, arguments);
  result->setAttributes(llvm::AttributeList::get(block.getContext(), llvm::AttributeSet(),
                                                 function.getAttributes().getRetAttrs(), {}));
  if (result->getType()->isVoidTy()) {
    builder.CreateRetVoid();
  } else {
    builder.CreateRet(result);
  }
}

llvm::GlobalVariable* DeclareHotnessCounter(llvm::Module& module, const std::string& name,
                                            bool is_near) {
  auto* counter =
      new llvm::GlobalVariable(module, CounterType(module.getContext()), /*isConstant=*/false,
                               llvm::GlobalValue::ExternalLinkage, /*Initializer=*/nullptr, name);
  counter->setDSOLocal(is_near);
  return counter;
}

std::vector<uint32_t> ChoosePolls(llvm::Function& function, LoopEntries& entries, size_t allowance,
                                  size_t& taken) {
  taken = 0;
  std::vector<uint32_t> chosen;
  llvm::BitVector variables;  // Whose addresses are written when the function is left.
  size_t misses = 0;
  for (const uint32_t loop : PollOrder(function, entries)) {
    if (misses == kMaxMisses) break;
    size_t cost = kInstructionsOfPoll;
    if (chosen.empty()) cost += kInstructionsOfLeaving;
    // Checked first, because computing the live-ins takes time.
    if (taken + cost > allowance) continue;
    const LoopEntry* entry = entries.Find(loop);
    llvm::BitVector written = variables;
    if (entry != nullptr) {
      written.resize(static_cast<unsigned>(entry->variable_places));
      for (const LoopEntry::Variable& variable : entry->variables) {
        written.set(static_cast<unsigned>(variable.place));
      }
      cost += written.count() - variables.count() + entry->values.size();
      if (HasLabel(entry)) {
        cost +=
            kInstructionsOfLabel + IndirectTargets(function).size() / kTableEntriesPerInstruction;
      }
    }
    if (entry == nullptr || taken + cost > allowance) {
      ++misses;
      continue;
    }
    taken += cost;
    variables = std::move(written);
    chosen.push_back(loop);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void AddHotnessPolls(llvm::Function& function, llvm::GlobalVariable& counter, LoopEntries& entries,
                     llvm::ArrayRef<uint32_t> chosen, bool asks_when_called) {
  std::vector<const LoopEntry*> loops;
  loops.reserve(chosen.size());
  for (uint32_t loop : chosen) loops.push_back(entries.Find(loop));
  PollWriter writer(function, counter, loops);
  for (size_t i = 0; i < chosen.size(); ++i) writer.WriteAt(*loops[i], chosen[i]);
  if (asks_when_called) writer.WriteAtBeginning();
  if (chosen.empty()) return;
  // An OSR continuation treats the variables that it is passed as separate objects, but the code
  // generator lets variables share a place if their lifetimes do not overlap.
  for (llvm::AllocaInst* variable : FrameVariables(function)) EraseLifetimeMarks(*variable);
}

}  // namespace firstcall
