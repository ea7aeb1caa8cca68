#include "splitter/prefix_thunk.h"

#include "absl/strings/str_cat.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "object/symbol_name.h"
#include "splitter/object_name.h"

namespace firstcall {
namespace {

// A landing pad for indirect calls, and a jump that changes no register; null if none is known.
const char* JumpOf(llvm::Triple::ArchType architecture) {
  switch (architecture) {
    case llvm::Triple::x86_64:
      return "endbr64\n\tjmp ${0:c}";
    case llvm::Triple::aarch64:
      return "hint #34\n\tb $0";  // bti c
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<llvm::Function*> AddPrefixThunk(const llvm::Function& original,
                                               absl::string_view name, llvm::Module& target) {
  const char* jump = JumpOf(llvm::Triple(target.getTargetTriple()).getArch());
  if (jump == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("function '", name, "': prefix data on this architecture"));
  }
  llvm::LLVMContext& context = target.getContext();
  llvm::FunctionType* type = original.getFunctionType();
  const auto add = [&](absl::string_view suffix) {
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                            IrName(absl::StrCat(name, suffix), original), &target);
    function->setCallingConv(original.getCallingConv());
    function->setDSOLocal(true);
    return function;
  };
  llvm::Function* callee = add(kCallSuffix);
  llvm::Function* thunk = add(kStubSuffix);
  thunk->addFnAttr(llvm::Attribute::Naked);
  thunk->addFnAttr(llvm::Attribute::NoInline);
  thunk->setUWTableKind(llvm::UWTableKind::Async);
  thunk->setAlignment(original.getAlign());
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", thunk));
  builder.CreateCall(
      llvm::InlineAsm::get(
          llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, /*isVarArg=*/false),
          jump, "s", /*hasSideEffects=*/true),
      {callee});
  builder.CreateUnreachable();
  return thunk;
}

}  // namespace firstcall
