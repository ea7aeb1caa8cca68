// Makes a function count its calls and its loops' iterations, and go on elsewhere when it is told
// to: what tier 0 has in front of what tier 1 does.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_HEAT_POLLS_H_
#define FIRSTCALL_SPLITTER_HEAT_POLLS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/DerivedTypes.h"  // FunctionCallee
#include "splitter/loop_entries.h"

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

// What a function counts with, in memory; the engine provides it under the function's name with
// kHeatSuffix.
struct HeatCounter {
  // Asked when the counter has run out. `loop` is the index of the entry in LoopEntries, or
  // kNoLoop. Returns the continuation for that loop, which the function then calls with the address
  // of what lives there and whose result it returns, or null to go on. Must write `left`.
  using Handler = void* (*)(HeatCounter* counter, uint32_t loop);

  std::atomic<int32_t> left;  // Counted down at each poll; the handler is asked when negative.
  uint32_t padding;
  std::atomic<Handler> handler;
  std::atomic<void*> owner;  // The handler's.
};

inline constexpr uint32_t kNoLoop = UINT32_MAX;

// Declares a counter that objects call `name` in `module`; whether it is within its reach.
llvm::GlobalVariable* DeclareHeatCounter(llvm::Module& module, const std::string& name,
                                         bool is_near);

// What lives at an entry, in memory: first places for the addresses of all FrameVariables, of which
// those that live are written, then values. What a calling convention may do with other than plain
// types depends on the features of both sides' CPUs, and stores are what code is generated for
// fastest.
llvm::StructType* LiveValuesType(const llvm::Function& function, const LoopEntry& entry);

// Where the address of `variable` stands in `memory`, which is of LiveValuesType `type`, and where
// the value does that is number `value` of its entry.
llvm::Value* PlaceOfVariable(const LoopEntry::Variable& variable, llvm::StructType* type,
                             llvm::Value* memory, llvm::IRBuilderBase& builder);
llvm::Value* PlaceOfValue(size_t value, llvm::StructType* type, llvm::Value* memory,
                          llvm::IRBuilderBase& builder);

// The addresses of `targets`, which are blocks of `function`, in a constant table, as its own
// computed gotos have them.
llvm::GlobalVariable* MakeLabelTable(llvm::Function& function,
                                     llvm::ArrayRef<llvm::BasicBlock*> targets);

// The type of a continuation of `function`: from the address of its LiveValuesType.
llvm::FunctionType* ContinuationType(const llvm::Function& function);

// Writes a call of `callee` at the end of `block`, which returns what `function` returns, and
// returns that: extended in its register as `function` says.
void ReturnResultOf(llvm::FunctionCallee callee, llvm::ArrayRef<llvm::Value*> arguments,
                    const llvm::Function& function, llvm::BasicBlock& block);

// Which of the `entries` of `function`'s loops to poll at if that may take `allowance`
// instructions: by their indices, those that come first in the function first, because they are the
// outer ones. `taken` is what they do take.
std::vector<uint32_t> ChoosePolls(llvm::Function& function, LoopEntries& entries, size_t allowance,
                                  size_t& taken);

// Polls at those of the `entries` of `function` that are `chosen`, which are possible, and at its
// beginning if it `asks_when_called`. The function must have no frame that something scans, and no
// calling convention without a stack.
void AddHeatPolls(llvm::Function& function, llvm::GlobalVariable& counter, LoopEntries& entries,
                  llvm::ArrayRef<uint32_t> chosen, bool asks_when_called);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_HEAT_POLLS_H_
