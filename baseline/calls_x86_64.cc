// Calls. What survives a call is stored before it; then all arguments are moved at once.
//
// Arguments on the stack lie at rsp: in space that the frame has for the most that any call needs,
// or, in a function whose rsp moves with dynamic allocas, in space taken for this call.

#include "baseline/lowering_x86_64.h"

namespace firstcall::baseline {
namespace {

// Where the address of an indirect callee is. No argument is passed in it (nest is not covered).
constexpr Register kCalleeRegister = kR10;

}  // namespace

ArgumentPlaces LoweringX86_64::PlaceArguments(const llvm::CallBase& call, ArgumentStep step) {
  ArgumentPlaces places;
  const bool may_pass_by_value = MayPassByValue(call);
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const llvm::Value* value = call.getArgOperand(i);
    if (may_pass_by_value && call.isByValArgument(i)) {
      const llvm::Align alignment = std::max(call.getParamAlign(i).valueOrOne(), llvm::Align(8));
      const uint64_t size = layout_->getTypeAllocSize(call.getParamByValType(i));
      const ArgumentPlace place = places.Stack(size, alignment.value());
      if (step == ArgumentStep::kCopyByValue) CopyByValue(value, size, place.offset);
      continue;
    }
    const PartList list = PartsOf(value->getType());
    places.ForEachPart(*value->getType(), list, [&](unsigned part, const ArgumentPlace& place) {
      if (step != ArgumentStep::kMove || llvm::isa<llvm::UndefValue>(value)) return;
      const PartType& type = list.parts[part];
      Move move = SourceOf(value, part, type);
      move.to = place.reg;
      if (place.reg == kNoRegister) move.to_memory = Mem::At(kRsp, place.offset);
      if (list.count == 1 && !type.is_vector && type.bits < 32) {
        move.is_signed = call.paramHasAttr(i, llvm::Attribute::SExt);
        if (move.is_signed || call.paramHasAttr(i, llvm::Attribute::ZExt)) {
          if (move.source != Move::Source::kConstant || !move.is_signed) {
            move.extended_bits = static_cast<uint8_t>(type.bits);
          }
        }
      }
      moves_.Add(move);
    });
  }
  return places;
}

void LoweringX86_64::CopyByValue(const llvm::Value* source, uint64_t size, int32_t offset) {
  constexpr uint64_t kMostInline = 64;
  if (size <= kMostInline) {
    const Mem from = AddressOf(source);
    uint64_t done = 0;
    while (done < size) {
      const uint64_t left = size - done;
      const unsigned piece = left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
      const Mem to = Mem::At(kRsp, offset + static_cast<int32_t>(done));
      if (piece == 16) {
        assembler_.VectorLoad(16, kVectorScratch, from.Plus(static_cast<int32_t>(done)));
        assembler_.VectorStore(16, to, kVectorScratch);
      } else {
        assembler_.Load(piece, kScratch, from.Plus(static_cast<int32_t>(done)));
        assembler_.Store(piece, to, kScratch);
      }
      done += piece;
    }
  } else {
    locations_.Claim(kRdi);
    locations_.Claim(kRcx);
    Claim(kRsi, source);
    assembler_.Lea(kRdi, Mem::At(kRsp, offset));
    assembler_.MovImmediate(kRcx, size, true);
    assembler_.RepMovsb();
  }
  locations_.Unpin();
}

void LoweringX86_64::PrepareCall(const llvm::User& user) {
  std::vector<ValuePart>& values = analysis_.values();
  for (const llvm::Use& use : user.operands()) {
    const uint32_t number = NumberOf(use.get());
    if (number != PointerMap::kMissing) --values[number].uses;
  }
  locations_.SpillSurvivors();
  for (const llvm::Use& use : user.operands()) {
    const uint32_t number = NumberOf(use.get());
    if (number != PointerMap::kMissing) ++values[number].uses;
  }
}

LoweringX86_64::CallExtent LoweringX86_64::EmitCall(const Callee& callee,
                                                    const ArgumentPlaces& places) {
  EmitMoves();
  if (callee.is_variadic) assembler_.MovImmediate(kRax, places.vectors(), true);
  CallExtent extent;
  extent.begin = assembler_.size();
  if (callee.pointer != nullptr) {
    assembler_.CallR(kCalleeRegister);
  } else if (callee.global != nullptr && IsNear(callee.global)) {
    assembler_.CallSymbol(SymbolOf(callee.global));
  } else {
    assembler_.CallM(LiteralOf(callee.global != nullptr ? SymbolOf(callee.global)
                                                        : SymbolOf(callee.library_function)));
  }
  extent.end = assembler_.size();
  locations_.Unpin();
  locations_.ForgetRegisters();
  return extent;
}

LoweringX86_64::CallExtent LoweringX86_64::LowerCall(const llvm::CallBase& call) {
  Callee callee;
  callee.is_variadic = call.getFunctionType()->isVarArg();
  const llvm::Value* operand = call.getCalledOperand();
  callee.global = llvm::dyn_cast<llvm::GlobalValue>(operand);
  if (callee.global == nullptr) callee.pointer = operand;

  const ArgumentPlaces sizes = PlaceArguments(call, ArgumentStep::kMeasure);
  const int32_t stack_bytes = (sizes.stack_bytes() + 15) & ~15;
  const bool moves_stack = analysis_.has_dynamic_alloca() && stack_bytes != 0;
  if (moves_stack) {
    assembler_.AluRi(Alu::kSub, 8, kRsp, stack_bytes);
  } else {
    frame_.NeedOutgoing(stack_bytes);
  }
  if (stack_bytes != 0) PlaceArguments(call, ArgumentStep::kCopyByValue);
  PrepareCall(call);
  const ArgumentPlaces places = PlaceArguments(call, ArgumentStep::kMove);
  if (callee.pointer != nullptr) {
    Move move = SourceOf(callee.pointer, 0, {false, 8, 64});
    move.to = kCalleeRegister;
    moves_.Add(move);
  }
  const CallExtent extent = EmitCall(callee, places);
  if (moves_stack) assembler_.AluRi(Alu::kAdd, 8, kRsp, stack_bytes);
  DefineResults(call);
  return extent;
}

void LoweringX86_64::DefineResults(const llvm::Instruction& result) {
  const uint32_t number = NumberOf(&result);
  if (number == PointerMap::kMissing) return;
  ResultPlaces places;
  for (unsigned i = 0; i < analysis_.values()[number].parts; ++i) {
    const ValuePart& part = analysis_.values()[number + i];
    locations_.DefineIn(number + i, places.Next(part.is_vector, part.bytes));
  }
}

void LoweringX86_64::CallLibrary(const char* name, const llvm::Instruction& result,
                                 std::initializer_list<const llvm::Value*> arguments) {
  // A value that is computed late for this instruction has to be computed now.
  for (const llvm::Value* argument : arguments) {
    if (DeferredOf(argument) != nullptr) In(argument);
  }
  PrepareCall(result);
  ArgumentPlaces places;
  for (const llvm::Value* argument : arguments) {
    const PartList list = PartsOf(argument->getType());
    places.ForEachPart(*argument->getType(), list, [&](unsigned part, const ArgumentPlace& place) {
      Move move = SourceOf(argument, part, list.parts[part]);
      move.to = place.reg;
      moves_.Add(move);
    });
  }
  Callee callee;
  callee.library_function = name;
  EmitCall(callee, places);
  DefineResults(result);
}

}  // namespace firstcall::baseline
