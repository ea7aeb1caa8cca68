// A poll is, in front of what it interrupts:
//
//     left = counter.left - 1; counter.left = left
//     if (left < 0) goto ask        // at the end of the function, with what follows
//   body:
//     ...
//   ask:
//     continuation = counter.handler(&counter, loop)
//     if (continuation == null) goto body
//     frame = values that live...
//   leave:                          // For all polls at loops.
//     frame = variables that live...
//     return continuation(&frame)
//
// Plain loads and stores, because fast instruction selection knows no atomic ones: threads that
// count at the same time may lose counts, and nothing else.

#include "splitter/heat_polls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace firstcall {
namespace {

constexpr unsigned kLeftField = 0;
constexpr unsigned kHandlerField = 2;

// Without what lives: of one poll, and of what all of a function share.
constexpr size_t kInstructionsOfPoll = 10;
constexpr size_t kInstructionsOfLeaving = 4;

// Loops that turn out to be impossible to leave, or too expensive, of a function, until no more are
// looked at: it takes time to find out.
constexpr size_t kMaxMisses = 3;

llvm::StructType* CounterType(llvm::LLVMContext& context) {
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  return llvm::StructType::get(context, {word, word, llvm::PointerType::getUnqual(context)});
}

class PollWriter {
 public:
  // `loops`: all that it will be asked to poll at.
  PollWriter(llvm::Function& function, llvm::GlobalVariable& counter,
             std::vector<const LoopEntry*> loops, size_t variables)
      : function_(function),
        counter_(counter),
        loops_(std::move(loops)),
        variables_(variables),
        type_(CounterType(function.getContext())),
        context_(function.getContext()) {}

  // Before `place`. Returns where what follows a call of the handler can be written, the handler's
  // answer, and where to go on.
  struct Poll {
    llvm::BasicBlock* ask;
    llvm::Value* answer;
    llvm::BasicBlock* body;
  };
  Poll Write(llvm::Instruction& place, uint32_t loop) {
    llvm::BasicBlock* head = place.getParent();
    llvm::BasicBlock* body = head->splitBasicBlock(&place);
    auto* ask = llvm::BasicBlock::Create(context_, "", &function_);
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
    // Only in the first block do they belong to the frame.
    llvm::Instruction* place = &*first.getFirstNonPHIOrDbgOrAlloca();
    for (llvm::AllocaInst* variable : FrameVariables(function_)) {
      if (!variable->comesBefore(place)) variable->moveBefore(place);
    }
    const Poll poll = Write(*place, kNoLoop);
    llvm::IRBuilder<>(poll.ask).CreateBr(poll.body);
  }

  void WriteAt(const LoopEntry& entry, uint32_t loop) {
    const Poll poll = Write(*entry.block->getFirstNonPHI(), loop);
    if (leave_ == nullptr) MakeLeave();
    llvm::IRBuilder<> builder(poll.ask);
    auto* store = llvm::BasicBlock::Create(context_, "", &function_);
    builder.CreateCondBr(builder.CreateIsNull(poll.answer), poll.body, store);
    builder.SetInsertPoint(store);
    llvm::StructType* type = LiveValuesType(function_, entry);
    for (size_t i = variables_; i < entry.live.size(); ++i) {
      builder.CreateStore(entry.live[i], builder.CreateConstInBoundsGEP2_32(type, frame_, 0, i));
    }
    builder.CreateBr(leave_);
    continuation_->addIncoming(poll.answer, store);
  }

 private:
  // Where the polls at all loops go on when the function is to be left.
  void MakeLeave() {
    MakeFrame();
    leave_ = llvm::BasicBlock::Create(context_, "", &function_);
    llvm::IRBuilder<> builder(leave_);
    continuation_ = builder.CreatePHI(builder.getPtrTy(), 0);
    const LoopEntry& entry = *loops_.front();  // The variables are the same in all.
    llvm::StructType* type = LiveValuesType(function_, entry);
    for (size_t i = 0; i < variables_; ++i) {
      builder.CreateStore(entry.live[i], builder.CreateConstInBoundsGEP2_32(type, frame_, 0, i));
    }
    ReturnResultOf({ContinuationType(function_), continuation_}, {frame_}, function_, *leave_);
  }

  // Where what lives at any of the loops can be written.
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
  const size_t variables_;  // How many of what lives at each.
  llvm::StructType* const type_;
  llvm::LLVMContext& context_;
  llvm::AllocaInst* frame_ = nullptr;
  llvm::BasicBlock* leave_ = nullptr;
  llvm::PHINode* continuation_ = nullptr;  // In leave_.
};

}  // namespace

llvm::StructType* LiveValuesType(const llvm::Function& function, const LoopEntry& entry) {
  std::vector<llvm::Type*> types;
  types.reserve(entry.live.size());
  for (const llvm::Value* value : entry.live) types.push_back(value->getType());
  return llvm::StructType::get(function.getContext(), types);
}

llvm::FunctionType* ContinuationType(const llvm::Function& function) {
  return llvm::FunctionType::get(function.getReturnType(),
                                 {llvm::PointerType::getUnqual(function.getContext())},
                                 /*isVarArg=*/false);
}

void ReturnResultOf(llvm::FunctionCallee callee, llvm::ArrayRef<llvm::Value*> arguments,
                    const llvm::Function& function, llvm::BasicBlock& block) {
  llvm::IRBuilder<> builder(&block);
  llvm::CallInst* result = builder.CreateCall(callee, arguments);
  result->setAttributes(llvm::AttributeList::get(block.getContext(), llvm::AttributeSet(),
                                                 function.getAttributes().getRetAttrs(), {}));
  if (result->getType()->isVoidTy()) {
    builder.CreateRetVoid();
  } else {
    builder.CreateRet(result);
  }
}

llvm::GlobalVariable* DeclareHeatCounter(llvm::Module& module, const std::string& name,
                                         bool is_near) {
  auto* counter =
      new llvm::GlobalVariable(module, CounterType(module.getContext()), /*isConstant=*/false,
                               llvm::GlobalValue::ExternalLinkage, /*Initializer=*/nullptr, name);
  counter->setDSOLocal(is_near);
  return counter;
}

std::vector<uint32_t> ChoosePolls(const llvm::Function& function, LoopEntries& entries,
                                  size_t allowance, size_t& taken) {
  llvm::SmallDenseMap<const llvm::BasicBlock*, uint32_t> places;
  for (size_t i = 0; i < entries.size(); ++i) {
    places[&entries.block(i)] = static_cast<uint32_t>(i);
  }
  taken = 0;
  std::vector<uint32_t> chosen;
  size_t misses = 0;
  for (const llvm::BasicBlock& block : function) {
    if (misses == kMaxMisses || places.empty()) break;
    auto found = places.find(&block);
    if (found == places.end()) continue;
    size_t cost = kInstructionsOfPoll;
    if (chosen.empty()) cost += kInstructionsOfLeaving + entries.variables().size();
    // Finding out what lives there takes time.
    if (taken + cost > allowance) continue;
    const LoopEntry* entry = entries.Find(found->second);
    if (entry != nullptr) cost += entry->live.size() - entries.variables().size();
    if (entry == nullptr || taken + cost > allowance) {
      ++misses;
      continue;
    }
    taken += cost;
    chosen.push_back(found->second);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void AddHeatPolls(llvm::Function& function, llvm::GlobalVariable& counter, LoopEntries& entries,
                  llvm::ArrayRef<uint32_t> chosen, bool asks_when_called) {
  std::vector<const LoopEntry*> loops;
  loops.reserve(chosen.size());
  for (uint32_t loop : chosen) loops.push_back(entries.Find(loop));
  PollWriter writer(function, counter, loops, entries.variables().size());
  for (size_t i = 0; i < chosen.size(); ++i) writer.WriteAt(*loops[i], chosen[i]);
  if (asks_when_called) writer.WriteAtBeginning();
}

}  // namespace firstcall
