#include "splitter/callee_importer.h"

#include "absl/container/flat_hash_set.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace firstcall {
namespace {

// LLVM's inliner takes a body of about 225 units of cost at -O2, most instructions being 5 and what
// simplifies being free; larger ones are not worth reading.
constexpr size_t kMaxBodyInstructions = 200;
// Bounds what a function-module costs beyond its own function.
constexpr size_t kMaxImportedInstructions = 2000;

bool MayBeInlined(const llvm::Function& function, bool ignores_noinline) {
  using llvm::Attribute;
  return !function.isIntrinsic() && !function.isInterposable() && !function.hasOptNone() &&
         (ignores_noinline || !function.hasFnAttribute(Attribute::NoInline)) &&
         !function.hasFnAttribute(Attribute::ReturnsTwice) &&
         !function.hasFnAttribute(Attribute::Naked) && !function.isPresplitCoroutine();
}

// Whether it makes a difference to `function` in whose frame it runs.
bool AsksForItsFrame(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr) continue;
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::returnaddress:
      case llvm::Intrinsic::addressofreturnaddress:
      case llvm::Intrinsic::frameaddress:
      case llvm::Intrinsic::sponentry:
        return true;
      default:
        break;
    }
  }
  return false;
}

}  // namespace

bool HasMeaninglessNoInline(const llvm::Module& module) {
  using llvm::Attribute;
  return llvm::all_of(module, [](const llvm::Function& function) {
    return function.isDeclaration() || function.hasFnAttribute(Attribute::NoInline) ||
           function.hasFnAttribute(Attribute::AlwaysInline);
  });
}

void AllowInlining(llvm::Function& function) {
  if (!AsksForItsFrame(function)) function.removeFnAttr(llvm::Attribute::NoInline);
}

std::vector<llvm::Function*> ChooseImports(absl::Span<llvm::Function* const> roots,
                                           bool ignores_noinline, MayBeImported may_be_imported) {
  std::vector<llvm::Function*> imports;
  absl::flat_hash_set<const llvm::Function*> seen(roots.begin(), roots.end());
  size_t total = 0;
  const auto add_callees_of = [&](llvm::Function& function) {
    if (function.hasOptNone()) return;  // Nothing is inlined into it.
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->getAttributes().hasFnAttr(llvm::Attribute::NoInline)) continue;
      llvm::Function* callee = call->getCalledFunction();
      if (callee == nullptr || !seen.insert(callee).second) continue;
      if (!MayBeInlined(*callee, ignores_noinline) || !may_be_imported(*callee)) continue;
      const size_t size = callee->getInstructionCount();
      if (!callee->hasFnAttribute(llvm::Attribute::AlwaysInline)) {
        if (size > kMaxBodyInstructions || total + size > kMaxImportedInstructions) continue;
      }
      total += size;
      imports.push_back(callee);
    }
  };
  for (llvm::Function* root : roots) add_callees_of(*root);
  for (size_t i = 0; i < imports.size(); ++i) add_callees_of(*imports[i]);
  return imports;
}

bool CanBeCloned(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    if (block.hasAddressTaken()) return false;
  }
  return true;
}

llvm::Function* CloneInView(llvm::Function& function) {
  auto* clone =
      llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                             function.getAddressSpace(), "", function.getParent());
  llvm::ValueToValueMapTy values;
  for (llvm::Argument& argument : function.args()) {
    llvm::Argument* copy = clone->getArg(argument.getArgNo());
    copy->setName(argument.getName());
    values[&argument] = copy;
  }
  llvm::SmallVector<llvm::ReturnInst*, 8> returns;
  llvm::CloneFunctionInto(clone, &function, values, llvm::CloneFunctionChangeType::LocalChangesOnly,
                          returns);
  // What links a store to the variable it assigns is one function's.
  llvm::DenseMap<llvm::DIAssignID*, llvm::DIAssignID*> assignments;
  for (llvm::Instruction& instruction : llvm::instructions(*clone)) {
    llvm::at::remapAssignID(assignments, instruction);
  }
  return clone;
}

}  // namespace firstcall
