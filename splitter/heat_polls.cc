// A poll is, in front of what it interrupts:
//
//     left = counter.left - 1; counter.left = left
//     if (left < 0) goto ask        // at the end of the function, with what follows
//   body:
//     ...
//   ask:
//     continuation = counter.handler(&counter, loop)
//     if (continuation == null) goto body
//     return continuation(live...)
//
// Plain loads and stores, because fast instruction selection knows no atomic ones: threads that
// count at the same time may lose counts, and nothing else.

#include "splitter/heat_polls.h"

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
  PollWriter(llvm::Function& function, llvm::GlobalVariable& counter)
      : function_(function),
        counter_(counter),
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
    llvm::IRBuilder<> builder(poll.ask);
    auto* leave = llvm::BasicBlock::Create(context_, "", &function_);
    builder.CreateCondBr(builder.CreateIsNull(poll.answer), poll.body, leave);
    builder.SetInsertPoint(leave);
    std::vector<llvm::Value*> arguments;
    arguments.reserve(entry.live.size());
    for (llvm::Value* value : entry.live) {
      if (!IsPassedInMemory(*value)) {
        arguments.push_back(value);
        continue;
      }
      arguments.push_back(new llvm::AllocaInst(value->getType(),
                                               function_.getDataLayout().getAllocaAddrSpace(), "",
                                               &*function_.getEntryBlock().begin()));
      builder.CreateStore(value, arguments.back());
    }
    llvm::CallInst* result =
        builder.CreateCall(ContinuationType(function_, entry), poll.answer, arguments);
    const llvm::AttributeList own = function_.getAttributes();
    result->setAttributes(
        llvm::AttributeList::get(context_, llvm::AttributeSet(), own.getRetAttrs(), {}));
    if (result->getType()->isVoidTy()) {
      builder.CreateRetVoid();
    } else {
      builder.CreateRet(result);
    }
  }

 private:
  llvm::Function& function_;
  llvm::GlobalVariable& counter_;
  llvm::StructType* const type_;
  llvm::LLVMContext& context_;
};

}  // namespace

bool IsPassedInMemory(const llvm::Value& value) {
  const llvm::Type* type = value.getType();
  return !type->isPointerTy() && !type->isFloatTy() && !type->isDoubleTy() &&
         !(type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

llvm::FunctionType* ContinuationType(const llvm::Function& function, const LoopEntry& entry) {
  std::vector<llvm::Type*> parameters;
  parameters.reserve(entry.live.size());
  llvm::Type* pointer = llvm::PointerType::getUnqual(function.getContext());
  for (const llvm::Value* value : entry.live) {
    parameters.push_back(IsPassedInMemory(*value) ? pointer : value->getType());
  }
  return llvm::FunctionType::get(function.getReturnType(), parameters, /*isVarArg=*/false);
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
                  const LoopEntries& entries) {
  PollWriter writer(function, counter);
  for (size_t i = 0; i < entries.entries.size(); ++i) {
    writer.WriteAt(entries.entries[i], static_cast<uint32_t>(i));
  }
  writer.WriteAtBeginning();
}

}  // namespace firstcall
