// Makes a first body count its calls and its loops' iterations, and continue in an OSR continuation
// when it is told to. So code of tier 1 can replace code of tier 0.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_OSR_HOTNESS_POLLS_H_
#define FIRSTCALL_SPLITTER_OSR_HOTNESS_POLLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/DerivedTypes.h"  // FunctionCallee
#include "seam/hotness_counter.h"
#include "splitter/osr/loop_entries.h"

namespace llvm {
class BasicBlock;
class Function;
class GlobalVariable;
class IRBuilderBase;
class Module;
class StructType;
class Value;
}  // namespace llvm

namespace firstcall {

// Declares in `module` a counter that objects call `name`. `is_near`: it is within the code's
// reach.
llvm::GlobalVariable* DeclareHotnessCounter(llvm::Module& module, const std::string& name,
                                            bool is_near);

// The layout of an entry's live-ins in memory: first places for the addresses of all
// FrameVariables, of which those of live variables are written; then the values. They are passed in
// memory because calling conventions for types that are not simple depend on the CPU features of
// both sides, and because stores are generated fastest.
llvm::StructType* LiveValuesType(const llvm::Function& function, const LoopEntry& entry);

// The place of the address of `variable`, and the place of the entry's value number `value`, in
// `memory`, which has the LiveValuesType `type`.
llvm::Value* PlaceOfVariable(const LoopEntry::Variable& variable, llvm::StructType* type,
                             llvm::Value* memory, llvm::IRBuilderBase& builder);
llvm::Value* PlaceOfValue(size_t value, llvm::StructType* type, llvm::Value* memory,
                          llvm::IRBuilderBase& builder);

// Makes a constant table of the addresses of `targets`, which are blocks of `function`, as its own
// computed gotos use them.
llvm::GlobalVariable* MakeLabelTable(llvm::Function& function,
                                     llvm::ArrayRef<llvm::BasicBlock*> targets);

// The type of an OSR continuation of `function`: its parameter is the address of a LiveValuesType.
llvm::FunctionType* ContinuationType(const llvm::Function& function);

// Writes at the end of `block` a call of `callee`, whose return type is that of `function`, and a
// return of the result, extended in its register as `function` requires.
void ReturnResultOf(llvm::FunctionCallee callee, llvm::ArrayRef<llvm::Value*> arguments,
                    const llvm::Function& function, llvm::BasicBlock& block);

// Chooses which of the `entries` of `function`'s loops to poll at, if polls may take `allowance`
// instructions in total. Returns their indices. Loops whose header ends in a computed goto, as an
// interpreter's does, are tried first, and then the others in the function's order, in which outer
// loops come before inner ones. Gives up after a few loops that cannot be left or whose polls are
// too expensive. `taken` receives the instructions that the polls take.
std::vector<uint32_t> ChoosePolls(llvm::Function& function, LoopEntries& entries, size_t allowance,
                                  size_t& taken);

// Adds polls at those of the `entries` of `function` that are `chosen`, all of them possible, and
// at the beginning if it `asks_when_called`. The function's frame must not be scanned by anything,
// and its calling convention must have a stack.
void AddHotnessPolls(llvm::Function& function, llvm::GlobalVariable& counter, LoopEntries& entries,
                     llvm::ArrayRef<uint32_t> chosen, bool asks_when_called);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OSR_HOTNESS_POLLS_H_
