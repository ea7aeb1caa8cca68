#include "compiler/loop_exit_finder.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "backend/baseline/baseline_generator.h"
#include "backend/baseline/code_map.h"
#include "backend/code_generator.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "splitter/osr/hotness_polls.h"
#include "splitter/osr/labels.h"

namespace firstcall {
namespace {

using Location = baseline::CodeMap::Location;

// Numbers of values: arguments come first, then the instructions that have results.
llvm::DenseMap<const llvm::Value*, uint32_t> NumbersOfValues(llvm::Function& function) {
  llvm::DenseMap<const llvm::Value*, uint32_t> numbers;
  uint32_t next = 0;
  for (const llvm::Argument& argument : function.args()) numbers[&argument] = next++;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.getType()->isVoidTy()) numbers[&instruction] = next++;
  }
  return numbers;
}

// The continuation has the C calling convention, so it must return as the function does.
bool ReturnsAsC(const llvm::Function& function) {
  switch (function.getCallingConv()) {
    case llvm::CallingConv::C:
    case llvm::CallingConv::Fast:
    case llvm::CallingConv::Cold:
      return true;
    default: {
      const llvm::Type* const type = function.getReturnType();
      return type->isVoidTy() || type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() ||
             (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
    }
  }
}

// Nowhere: false.
bool SetSource(const Location& location, uint8_t first_vector, LiveInMove& move) {
  move.reg = location.reg;
  move.offset = location.offset;
  switch (location.kind) {
    case Location::Kind::kNowhere:
    case Location::Kind::kVariable:  // Its address is wanted at polls.
      return false;
    case Location::Kind::kRegister:
      move.from = location.reg >= first_vector ? LiveInMove::From::kVectorRegister
                                               : LiveInMove::From::kGeneralRegister;
      return true;
    case Location::Kind::kMemory:
      move.from = LiveInMove::From::kMemory;
      return true;
    case Location::Kind::kAddressOf:
      move.from = LiveInMove::From::kAddress;
      return true;
  }
  return false;
}

absl::Status AddMoves(const LiveIns& live_ins, const baseline::CodeMap& map, uint8_t first_vector,
                      LeavableLoop& loop) {
  for (size_t i = 0; i < live_ins.values.size(); ++i) {
    const LiveIns::Value& value = live_ins.values[i];
    const size_t end = i + 1 < map.first_parts.size() ? map.first_parts[i + 1] : map.parts.size();
    if (map.first_parts[i] == end) return absl::NotFoundError("a live-in has no place");
    for (size_t j = map.first_parts[i]; j < end; ++j) {
      const baseline::CodeMap::Part& part = map.parts[j];
      LiveInMove move;
      if (part.has_mask || !SetSource(part.location, first_vector, move)) {
        return absl::NotFoundError("the place of a live-in is not known");
      }
      move.bytes = part.bits != 0 ? static_cast<uint8_t>((part.bits + 7) / 8) : part.bytes;
      move.bits = part.bits;
      move.lanes = part.lanes;
      move.is_label = value.is_label;
      move.to = value.to + part.offset;
      loop.moves.push_back(move);
    }
  }
  return absl::OkStatus();
}

}  // namespace

LiveIns LiveInsOf(llvm::Function& function, const LoopEntry& entry) {
  LiveIns live_ins;
  const llvm::DataLayout& layout = function.getDataLayout();
  llvm::StructType* const type = LiveValuesType(function, entry);
  const llvm::StructLayout& places = *layout.getStructLayout(type);
  const llvm::DenseMap<const llvm::Value*, uint32_t> numbers = NumbersOfValues(function);
  const auto number_of = [&](const llvm::Value* value) { return numbers.find(value)->second; };
  const auto place_of_variables = static_cast<uint32_t>(places.getElementOffset(0));
  const uint32_t pointer_bytes = layout.getPointerSize();
  for (const LoopEntry::Variable& variable : entry.variables) {
    const auto place = static_cast<uint32_t>(variable.place);
    live_ins.values.push_back({number_of(variable.variable),
                               place_of_variables + place * pointer_bytes, /*is_label=*/false});
  }
  for (size_t i = 0; i < entry.values.size(); ++i) {
    const auto to = static_cast<uint32_t>(places.getElementOffset(static_cast<unsigned>(i + 1)));
    const LoopEntry::Value& value = entry.values[i];
    live_ins.values.push_back({number_of(value.value), to, value.is_label});
  }
  live_ins.bytes = static_cast<uint32_t>(layout.getTypeAllocSize(type).getFixedValue());
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> blocks;
  uint32_t number = 0;
  for (const llvm::BasicBlock& block : function) blocks[&block] = number++;
  for (const llvm::BasicBlock* target : IndirectTargets(function)) {
    live_ins.targets.push_back(blocks.lookup(target));
  }
  if (!ReturnsAsC(function)) live_ins.obstacle = "a result of another calling convention";
  if (layout.getABITypeAlign(type).value() > kLiveInAlignment) {
    live_ins.obstacle = "a live-in of large alignment";
  }
  return live_ins;
}

absl::StatusOr<std::optional<LeavableLoop>> FindLoopExit(const LiveIns& live_ins, uint32_t loop,
                                                         SymbolOrdinal function,
                                                         const FirstBodyOrder& order,
                                                         LoadedModule& module, ModuleView& view,
                                                         CompileContext& context) {
  // First, because of its errors: a continuation is made from IR that is not lowered.
  FIRSTCALL_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::Module> body,
                             ExtractFirstBody(view, module, function, order, context));
  FIRSTCALL_ASSIGN_OR_RETURN(baseline::BaselineGenerator * generator, context.Baseline());
  if (generator == nullptr) return std::nullopt;
  llvm::Function* const extracted =
      body->getFunction(ToStringRef(module.index().at(function).name));
  if (extracted == nullptr) return absl::InternalError("the function was extracted as another one");
  // Of other functions that have one, the first body is LLVM's.
  if (context.keeps_lines()) extracted->setSubprogram(nullptr);
  baseline::CodeMap map;
  map.loop = loop;
  for (const LiveIns::Value& value : live_ins.values) map.live.push_back(value.number);
  GenerationRequest request;
  request.is_far = order.is_far;
  FIRSTCALL_ASSIGN_OR_RETURN(GeneratedObject generated,
                             generator->GenerateWithMap(*extracted, request, map));
  if (generated.is_refused()) return std::nullopt;
  if (!map.has_poll) return absl::NotFoundError("the loop does not poll");
  if (live_ins.obstacle != nullptr) return absl::NotFoundError(live_ins.obstacle);
  LeavableLoop result;
  result.leave = map.leave;
  result.live_in_bytes = live_ins.bytes;
  const bool is_x86_64 = llvm::Triple(body->getTargetTriple()).isX86();
  FIRSTCALL_RETURN_IF_ERROR(
      AddMoves(live_ins, map, is_x86_64 ? kFirstVectorX86_64 : kFirstVectorAArch64, result));
  const bool has_label = std::any_of(live_ins.values.begin(), live_ins.values.end(),
                                     [](const LiveIns::Value& value) { return value.is_label; });
  if (has_label) {
    for (uint32_t block : live_ins.targets) {
      // Code that does not take the block's address has no such label.
      result.targets.push_back(block < map.blocks.size() ? map.blocks[block] : UINT32_MAX);
    }
  }
  result.body.assign(reinterpret_cast<const char*>(generated.bytes.data()), generated.bytes.size());
  return result;
}

}  // namespace firstcall
