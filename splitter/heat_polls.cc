// A poll is, in front of what it interrupts:
//
//     left = counter.left - 1; counter.left = left
//     if (left < 0) goto ask        // at the end of the function, with what follows
//   body:
//     ...
//   ask:
//     continuation = counter.handler(&counter, loop)
//     if (continuation == null) goto body
//     frame = live...
//     return continuation(&frame)
//
// Plain loads and stores, because fast instruction selection knows no atomic ones: threads that
// count at the same time may lose counts, and nothing else.

#include "splitter/heat_polls.h"

#include <algorithm>
#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace firstcall {
namespace {

constexpr unsigned kLeftField = 0;
constexpr unsigned kHandlerField = 2;

llvm::StructType* CounterType(llvm::LLVMContext& context) {
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  return llvm::StructType::get(context, {word, word, llvm::PointerType::getUnqual(context)});
}

class PollWriter {
 public:
  PollWriter(llvm::Function& function, llvm::GlobalVariable& counter, const LoopEntries& entries)
      : function_(function),
        counter_(counter),
        entries_(entries),
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

  // Counts, and leaves it to others to look at the counter.
  void CountAtBeginning() {
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    CountDown(builder);
  }

  void WriteAt(const LoopEntry& entry, uint32_t loop) {
    const Poll poll = Write(*entry.block->getFirstNonPHI(), loop);
    if (frame_ == nullptr) MakeFrame();
    llvm::IRBuilder<> builder(poll.ask);
    auto* leave = llvm::BasicBlock::Create(context_, "", &function_);
    builder.CreateCondBr(builder.CreateIsNull(poll.answer), poll.body, leave);
    builder.SetInsertPoint(leave);
    llvm::StructType* type = LiveValuesType(function_, entry);
    for (size_t i = 0; i < entry.live.size(); ++i) {
      builder.CreateStore(entry.live[i], builder.CreateConstInBoundsGEP2_32(type, frame_, 0, i));
    }
    ReturnResultOf({ContinuationType(function_), poll.answer}, {frame_}, function_, *leave);
  }

 private:
  llvm::Value* CountDown(llvm::IRBuilder<>& builder) {
    llvm::Value* address = builder.CreateConstInBoundsGEP2_32(type_, &counter_, 0, kLeftField);
    llvm::Value* left =
        builder.CreateSub(builder.CreateLoad(builder.getInt32Ty(), address), builder.getInt32(1));
    builder.CreateStore(left, address);
    return left;
  }

  // Where what lives at any entry can be written.
  void MakeFrame() {
    const llvm::DataLayout& layout = function_.getDataLayout();
    uint64_t size = 1;
    llvm::Align alignment;
    for (const LoopEntry& entry : entries_.entries) {
      llvm::StructType* type = LiveValuesType(function_, entry);
      size = std::max<uint64_t>(size, layout.getTypeAllocSize(type).getFixedValue());
      alignment = std::max(alignment, layout.getABITypeAlign(type));
    }
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().begin());
    frame_ = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), size));
    frame_->setAlignment(alignment);
  }

  llvm::Function& function_;
  llvm::GlobalVariable& counter_;
  const LoopEntries& entries_;
  llvm::StructType* const type_;
  llvm::LLVMContext& context_;
  llvm::AllocaInst* frame_ = nullptr;
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

void AddHeatPolls(llvm::Function& function, llvm::GlobalVariable& counter,
                  const LoopEntries& entries, bool asks_when_called) {
  PollWriter writer(function, counter, entries);
  for (size_t i = 0; i < entries.entries.size(); ++i) {
    writer.WriteAt(entries.entries[i], static_cast<uint32_t>(i));
  }
  if (asks_when_called) {
    writer.WriteAtBeginning();
  } else {
    writer.CountAtBeginning();
  }
}

}  // namespace firstcall
