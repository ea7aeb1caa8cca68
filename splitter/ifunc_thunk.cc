#include "splitter/ifunc_thunk.h"

#include "base/string_ref.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

// A landing pad, and a jump through the pointer $0 by way of a register that holds no argument: x16
// is reserved for veneers (AAPCS64, 6.1.1).
constexpr char kAArch64Jump[] =
    "hint #34\n\t"  // bti c
    "adrp x16, $0\n\tldr x16, [x16, :lo12:$0]\n\tbr x16";
constexpr char kAArch64MachoJump[] =
    "hint #34\n\t"
    "adrp x16, $0@PAGE\n\tldr x16, [x16, $0@PAGEOFF]\n\tbr x16";
constexpr char kX86_64Jump[] = "endbr64\n\tjmp *${0:c}(%rip)";

// Null if no jump is known.
const char* JumpOf(const llvm::Triple& triple) {
  if (triple.getArch() == llvm::Triple::aarch64) {
    return triple.isOSBinFormatMachO() ? kAArch64MachoJump : kAArch64Jump;
  }
  return triple.getArch() == llvm::Triple::x86_64 ? kX86_64Jump : nullptr;
}

llvm::Function* MakeThunk(const llvm::GlobalIFunc& ifunc, llvm::Constant& target,
                          llvm::Module& module) {
  const llvm::Triple triple(module.getTargetTriple());
  auto* thunk = llvm::Function::Create(llvm::cast<llvm::FunctionType>(ifunc.getValueType()),
                                       ifunc.getLinkage(), "", &module);
  thunk->setDSOLocal(true);
  thunk->addFnAttr(llvm::Attribute::Naked);
  thunk->addFnAttr(llvm::Attribute::NoInline);
  thunk->setUWTableKind(llvm::UWTableKind::Async);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", thunk));
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  const char* const constraint = triple.getArch() == llvm::Triple::x86_64 ? "s" : "S";
  builder.CreateCall(
      llvm::InlineAsm::get(type, JumpOf(triple), constraint, /*hasSideEffects=*/true), {&target});
  builder.CreateUnreachable();
  return thunk;
}

// Calls the resolver with as many of the arguments of `caller` as it takes.
llvm::Value* CallResolver(const llvm::GlobalIFunc& ifunc, llvm::Function& caller,
                          llvm::IRBuilder<>& builder) {
  auto* resolver = const_cast<llvm::Function*>(ifunc.getResolverFunction());
  llvm::SmallVector<llvm::Value*, 2> arguments;
  for (llvm::Argument& argument : caller.args()) {
    if (arguments.size() == resolver->arg_size()) break;
    llvm::Type* type = resolver->getFunctionType()->getParamType(arguments.size());
    if (argument.getType() != type) break;
    arguments.push_back(&argument);
  }
  if (arguments.size() < resolver->arg_size()) {
    // The resolver has parameters of unexpected types, for which there is no right value.
    for (llvm::Argument& argument : llvm::drop_begin(resolver->args(), arguments.size())) {
      arguments.push_back(llvm::PoisonValue::get(argument.getType()));
    }
  }
  llvm::CallInst* call = builder.CreateCall(resolver, arguments);
  call->setCallingConv(resolver->getCallingConv());
  return call;
}

}  // namespace

void ReplaceIFuncs(llvm::Module& module) {
  if (module.ifunc_empty() || JumpOf(llvm::Triple(module.getTargetTriple())) == nullptr) return;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* initializer = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {llvm::Type::getInt64Ty(context), pointer}, /*isVarArg=*/false),
      llvm::GlobalValue::ExternalLinkage, ToStringRef(kInitializer), &module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", initializer));
  for (llvm::GlobalIFunc& ifunc : llvm::make_early_inc_range(module.ifuncs())) {
    auto* target = new llvm::GlobalVariable(module, pointer, /*isConstant=*/false,
                                            llvm::GlobalValue::InternalLinkage,
                                            llvm::Constant::getNullValue(pointer), "");
    target->setDSOLocal(true);
    llvm::Function* thunk = MakeThunk(ifunc, *target, module);
    builder.CreateStore(CallResolver(ifunc, *initializer, builder), target);
    thunk->takeName(&ifunc);
    ifunc.replaceAllUsesWith(thunk);
    ifunc.eraseFromParent();
  }
  builder.CreateRetVoid();
}

}  // namespace firstcall
