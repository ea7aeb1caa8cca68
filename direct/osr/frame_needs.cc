#include "direct/osr/frame_needs.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "direct/osr/address_uses.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::direct {
namespace {

using ir::Attribute;
using ir::IntrinsicId;
using ir::Opcode;
using Answer = FrameNeeds::Answer;

// The personalities of scoped exception handling (llvm::isScopedEHPersonality).
constexpr absl::string_view kScoped[] = {
    "_except_handler3",   "_except_handler4",    "__C_specific_handler",
    "__CxxFrameHandler3", "ProcessCLRException", "__gxx_wasm_personality_v0",
};

// The intrinsics without a number in ir/ that use the frame.
constexpr absl::string_view kUsesOfFrame[] = {
    "llvm.addressofreturnaddress",
    "llvm.sponentry",
    "llvm.eh.dwarf.cfa",
    "llvm.eh.return.i32",
    "llvm.eh.return.i64",
    "llvm.eh.unwind.init",
    "llvm.read_register",
    "llvm.read_volatile_register",
    "llvm.write_register",
    "llvm.gcroot",
    "llvm.swift.async.context.addr",
    "llvm.call.preallocated.setup",
};

template <size_t kCount>
bool IsOneOf(absl::string_view name, const absl::string_view (&names)[kCount]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Types of arguments may follow the name.
bool NamesUseOfFrame(absl::string_view name) {
  return std::any_of(std::begin(kUsesOfFrame), std::end(kUsesOfFrame), [&](absl::string_view use) {
    return absl::StartsWith(name, use) && (name.size() == use.size() || name[use.size()] == '.');
  });
}

Answer NeedsOfDefinition(const ir::Function& function) {
  const ir::Global& global = function.global();
  if (!global.collector().empty()) return Answer::kYes;
  const ir::AttributeSet& attributes = global.attributes()->function;
  if (attributes.Has(Attribute::kPresplitCoroutine)) return Answer::kYes;
  // The first body could not call the continuation, which saves other registers than C requires.
  if (attributes.HasString("no_callee_saved_registers")) return Answer::kYes;
  for (Attribute attribute :
       {Attribute::kSwiftError, Attribute::kInAlloca, Attribute::kPreallocated}) {
    if (!global.attributes()->HasAnywhere(attribute)) continue;
    for (const ir::AttributeSet& set : global.attributes()->parameters) {
      if (set.Has(attribute)) return Answer::kYes;
    }
  }
  if (global.personality().IsNothing()) return Answer::kNo;
  const ir::Global* const personality = function.GlobalOf(global.personality());
  if (personality == nullptr) return Answer::kUnknown;
  return IsOneOf(personality->name, kScoped) ? Answer::kYes : Answer::kNo;
}

bool ReturnsTwice(const ir::Function& function, const ir::Instruction& call) {
  if (function.CallOf(call).attributes->function.Has(Attribute::kReturnsTwice)) return true;
  const ir::Global* const callee = function.GlobalOf(function.CalleeOf(call));
  return callee != nullptr && callee->IsFunction() &&
         callee->attributes()->function.Has(Attribute::kReturnsTwice);
}

bool IsForDebugging(IntrinsicId intrinsic) {
  switch (intrinsic) {
    case IntrinsicId::kDbgAssign:
    case IntrinsicId::kDbgDeclare:
    case IntrinsicId::kDbgLabel:
    case IntrinsicId::kDbgValue:
      return true;
    default:
      return false;
  }
}

// Of the call of an intrinsic, or of none.
bool UsesFrame(const ir::Function& function, const ir::Instruction& call, IntrinsicId intrinsic) {
  switch (intrinsic) {
    case IntrinsicId::kNone:
      return false;
    case IntrinsicId::kFrameaddress:
    case IntrinsicId::kReturnaddress:
    case IntrinsicId::kVaStart:
    case IntrinsicId::kStackrestore:
    case IntrinsicId::kLocalescape:
      return true;
    case IntrinsicId::kLifetimeStart:
    case IntrinsicId::kLifetimeEnd: {
      // If the marker's object is unknown, liveness cannot be computed.
      const ir::Instruction* const object = function.DefinitionOf(MarkedObject(function, call));
      return object == nullptr || object->opcode != Opcode::kAlloca;
    }
    case IntrinsicId::kOther:
      return NamesUseOfFrame(function.GlobalOf(function.CalleeOf(call))->name);
    default:
      return false;
  }
}

Answer NeedsOfCall(const ir::Function& function, const ir::Instruction& call,
                   IntrinsicId intrinsic) {
  const ir::Call& details = function.CallOf(call);
  if (call.opcode == Opcode::kCallBr || details.is_must_tail || ReturnsTwice(function, call) ||
      UsesFrame(function, call, intrinsic)) {
    return Answer::kYes;
  }
  return details.has_bundles ? Answer::kUnknown : Answer::kNo;
}

}  // namespace

FrameNeeds FindFrameNeeds(const ir::Function& function) {
  FrameNeeds needs;
  needs.needs_its_frame = NeedsOfDefinition(function);
  for (const ir::Instruction& instruction : function.instructions) {
    if (needs.needs_its_frame == Answer::kYes) break;
    Answer answer = Answer::kNo;
    if (instruction.opcode == Opcode::kAlloca) {
      if (instruction.is_swift_error || instruction.is_inalloca) answer = Answer::kYes;
    } else if (instruction.IsCall()) {
      const IntrinsicId intrinsic = function.IntrinsicOf(instruction);
      answer = NeedsOfCall(function, instruction, intrinsic);
      needs.has_debug_calls |= IsForDebugging(intrinsic);
    }
    if (answer != Answer::kNo) needs.needs_its_frame = answer;
  }
  return needs;
}

bool IsDebugCall(const ir::Function& function, const ir::Instruction& instruction) {
  return instruction.opcode == Opcode::kCall && IsForDebugging(function.IntrinsicOf(instruction));
}

}  // namespace firstcall::direct
