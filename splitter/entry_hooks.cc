#include "splitter/entry_hooks.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/EntryExitInstrumenter.h"

namespace firstcall {
namespace {

// The attributes that LLVM's pass looks for.
constexpr char kEntryHook[] = "instrument-function-entry";
constexpr char kExitHook[] = "instrument-function-exit";
constexpr char kEntryHookOfBody[] = "instrument-function-entry-inlined";
constexpr char kExitHookOfBody[] = "instrument-function-exit-inlined";

void Instrument(llvm::Function& function, bool after_inlining) {
  llvm::FunctionAnalysisManager unused;
  llvm::EntryExitInstrumenterPass(after_inlining).run(function, unused);
}

}  // namespace

void CallHooksOfFunction(llvm::Function& function) {
  if (!function.hasFnAttribute(kEntryHook) && !function.hasFnAttribute(kExitHook)) return;
  Instrument(function, /*after_inlining=*/false);
}

bool HasHooksOfBody(const llvm::Function& function) {
  return function.hasFnAttribute(kEntryHookOfBody) || function.hasFnAttribute(kExitHookOfBody);
}

void CallHooksOfBody(llvm::Function& body, llvm::Function& function) {
  if (!HasHooksOfBody(body)) return;
  Instrument(body, /*after_inlining=*/true);
  // Nothing else refers to a new copy.
  if (&body != &function) body.replaceAllUsesWith(&function);
}

}  // namespace firstcall
