// Calls of the hooks that a function requests at its entry and at its exits, which LLVM's pipelines
// insert: tools that trace or profile a program define the hooks.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/entry_hooks_test.cc.

#ifndef FIRSTCALL_SPLITTER_ENTRY_HOOKS_H_
#define FIRSTCALL_SPLITTER_ENTRY_HOOKS_H_

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// Adds calls of the hooks that each call of `function` reaches, inlined or not (clang's
// -finstrument-functions). The function's body must be in memory, and nothing inlined yet.
void CallHooksOfFunction(llvm::Function& function);

// Whether `function` requests hooks that are called where its body is not inlined (clang's
// -finstrument-functions-after-inlining and -pg).
bool HasHooksOfBody(const llvm::Function& function);

// Adds calls of those hooks to `body`, which is `function` or a copy of it in the same module. The
// hooks are told the address of `function`. The body must not be inlined afterwards.
void CallHooksOfBody(llvm::Function& body, llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_ENTRY_HOOKS_H_
