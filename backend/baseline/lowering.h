// Compiles one analysed function to machine code, in one pass over its blocks. This class has the
// code that all architectures share; architecture-specific code is in virtual methods.
//
// Every instruction is lowered in the same way: its operands are brought into registers
// (value_locations.h), which are pinned; its result gets a register; then the uses of its operands
// are counted down and all registers are unpinned. An instruction that Analysis defers is lowered
// when its user asks for its value. Each subject has a file for its methods: operands, integers,
// wide_integers, comparisons, memory, control_flow, calls, floats, intrinsics, aggregates, vectors,
// exceptions, symbols.cc; lowering.cc has the pass.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LOWERING_H_
#define FIRSTCALL_BACKEND_BASELINE_LOWERING_H_

#include <cstdint>
#include <vector>

#include "backend/baseline/analysis.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/argument_places.h"
#include "backend/baseline/assembler.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/frame.h"
#include "backend/baseline/memory_update.h"
#include "backend/baseline/parallel_moves.h"
#include "backend/baseline/pool.h"
#include "backend/baseline/unwind_rows.h"
#include "backend/baseline/value_locations.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

struct LoweringOptions {
  const llvm::DataLayout* layout = nullptr;  // Null: the module's own.
  // dso_local symbols are within reach of a 32-bit distance from the code.
  bool is_near = true;
  CoverageOptions coverage;  // The processor's features.
  // The code may be so long that short branches do not reach across it.
  bool is_large = false;
};

// The conditions under which a comparison holds: one condition, or two combined.
struct FlagTest {
  enum class Combination : uint8_t { kOne, kBoth, kEither };
  Cond first = Cond::kNe;
  Cond second = Cond::kNe;
  Combination combination = Combination::kOne;
};

inline FlagTest One(Cond cond) { return {cond, cond, FlagTest::Combination::kOne}; }
// Returns the condition for a comparison of integers.
Cond CondOf(llvm::CmpInst::Predicate predicate);

// The number of lanes of a vector type, and the bits of each. The lanes of a vector of i1 fill 16
// bytes together.
unsigned LaneCount(const llvm::Type* type);
unsigned LaneBits(const llvm::Type* type);

// The right operand of an arithmetic instruction.
struct ArithmeticOperand {
  enum class Kind : uint8_t { kRegister, kImmediate, kMemory };
  Kind kind = Kind::kRegister;
  Register reg = kNoRegister;
  int32_t immediate = 0;
  Mem mem;
};

class Lowering {
 public:
  Lowering(const Architecture& architecture, Analysis& analysis, Assembler& assembler)
      : architecture_(architecture),
        analysis_(analysis),
        assembler_(assembler),
        frame_(architecture),
        locations_(analysis, frame_, assembler),
        moves_(architecture) {}
  virtual ~Lowering() = default;
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  // Writes the code of `function`, the function that was analysed, to `code` and returns kNone.
  // On any other result, the contents of `code` are unspecified: kRegisters if an instruction needs
  // more registers at once than there are; kSize if the frame is too large; kFunctionAttribute if
  // the frame is so large that LLVM would probe the stack; kReach if the code is so long that it
  // needs LoweringOptions::is_large or, with is_large, too long for any form.
  Refusal Run(const llvm::Function& function, const LoweringOptions& options, CompiledCode& code);

 protected:
  // ---- Architecture-specific methods ----
  // Resets architecture-specific state. Called before each function.
  virtual void Prepare() {}
  // Whether indirect jumps may lead only to landing marks.
  virtual bool IsBranchProtected(const llvm::Function& function) const = 0;
  // In a variadic function: saves the argument registers that hold no named argument, for va_start.
  virtual void SaveArgumentRegisters() = 0;
  // Emits the return from the function. The result is already in its registers.
  virtual void EmitReturn() = 0;
  // Called behind the last block.
  virtual void EndBody() {}
  // Writes the prologue in front of the body, and the rows of the unwind table. Their offsets are
  // offsets in the buffer. Returns the offset of the prologue's first byte.
  virtual uint32_t WritePrologue() = 0;

  // Returns a register with the count of a shift of `bits` bits, for ShiftRr. Clobbers only
  // registers that hold no live value.
  virtual Register InShiftCount(const llvm::Value* count, unsigned bits);
  virtual void EmitDivision(const llvm::BinaryOperator& binary, bool is_signed,
                            bool is_remainder) = 0;
  virtual void LowerWideMultiply(const llvm::BinaryOperator& binary) = 0;
  // Shifts the 64 bits of `dst` by 1 to 63. Bits of `other` fill the bits that become free.
  virtual void ShiftIn(bool is_left, Register dst, Register other, unsigned count) = 0;
  virtual void LowerWideShiftByVariable(const llvm::BinaryOperator& binary) = 0;
  virtual FlagTest EmitFloatCompare(const llvm::CmpInst& compare) = 0;
  // Copies many bytes to the address `to`. If `to` is null, copies them to `place`.
  virtual void CopyBlock(const llvm::Value* to, const Mem& place, const llvm::Value* from,
                         uint64_t size) = 0;

  virtual void LowerAtomicLoad(const llvm::LoadInst& load) = 0;
  virtual void LowerAtomicStore(const llvm::StoreInst& store) = 0;
  virtual void LowerAtomicUpdate(const llvm::AtomicRMWInst& update) = 0;
  virtual void LowerCompareExchange(const llvm::AtomicCmpXchgInst& exchange) = 0;
  virtual void LowerFence(const llvm::FenceInst& fence) = 0;

  virtual void LowerNegation(const llvm::UnaryOperator& negation) = 0;
  // Conversions from and to integers of up to 64 bits.
  virtual void EmitIntegerToFloat(const llvm::CastInst& cast, bool is_signed) = 0;
  virtual void EmitFloatToInteger(const llvm::CastInst& cast, bool is_signed) = 0;
  // `low` and `high` are the lower and the upper half of the 16 bytes of `vector`.
  virtual void SplitVector(Register low, Register high, Register vector) = 0;
  virtual void JoinVector(Register vector, Register low, Register high) = 0;

  virtual void LowerOverflow(const llvm::WithOverflowInst& intrinsic) = 0;
  virtual void LowerBitCount(const llvm::IntrinsicInst& intrinsic) = 0;
  virtual void LowerFunnelShift(const llvm::IntrinsicInst& intrinsic) = 0;
  virtual void LowerSaturating(const llvm::SaturatingInst& intrinsic) = 0;
  // If the intrinsic needs a library function: returns false and emits nothing.
  virtual bool EmitFloatIntrinsic(const llvm::IntrinsicInst& intrinsic) = 0;
  virtual void LowerVariadicStart(const llvm::IntrinsicInst& intrinsic) = 0;

  virtual void LowerVectorFloatCompare(const llvm::FCmpInst& compare) = 0;
  // Returns a register with a bit for each lane of a vector of i1. The first lane is the lowest
  // bit; the bits above the last lane are zero.
  virtual Register MaskBits(const llvm::Value* vector) = 0;

  // ---- The pass and the frame (lowering.cc) ----
  void Begin(const llvm::Function& function);
  void ReserveAllocas();
  void BindArguments();
  void CompileBlock(uint32_t number);
  void BeginBlock(uint32_t number);
  // Emits the code of an instruction. Its uses of its operands are not counted down yet.
  void Lower(const llvm::Instruction& instruction);
  // Counts down the uses of the instruction's operands, and unpins all registers.
  void EndInstruction(const llvm::Instruction& instruction);
  void CountDown(const llvm::Value* operand);
  // Copies `prologue` to just before the body and returns its start. Offsets in `rows` are relative
  // to it.
  uint32_t PutInFront(Assembler& prologue, std::vector<UnwindRow>& rows);
  // Writes the finished function to `code`. `begin`: the offset of the prologue in the buffer.
  // False if a target is out of reach.
  bool Finish(uint32_t begin, CompiledCode& code);
  bool ResolveFixups(uint32_t begin, uint32_t pool_offset, CompiledCode& code);
  RegisterSet SavedRegisters() const;
  // The size in bytes of the largest frame that needs no stack probe.
  int64_t LargestUnprobedFrame() const;

  // ---- Operands (operands.cc) ----
  uint32_t NumberOf(const llvm::Value* value) const { return analysis_.NumberOf(value); }
  static unsigned BitsOf(const llvm::Type* type) {
    return type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
  }
  unsigned BytesOf(const llvm::Value* value) const {
    return static_cast<unsigned>(layout_->getTypeStoreSize(value->getType()));
  }
  // Returns the register that holds the part. The caller must not change the register.
  Register In(const llvm::Value* value, unsigned part = 0);
  // Returns a register with a copy of the part, which may be changed.
  Register Copy(const llvm::Value* value, unsigned part = 0);
  // Makes `reg` hold a copy of the part, which may be changed.
  void Claim(Register reg, const llvm::Value* value, unsigned part = 0);
  // Returns a register with the integer, extended to `bytes`. The caller must not change it.
  Register InExtended(const llvm::Value* value, bool is_signed, unsigned bytes);
  void Extend(Register dst, Register src, unsigned bits, bool is_signed, unsigned bytes);
  Register Define(const llvm::Instruction& result, unsigned part = 0) {
    return locations_.Define(NumberOf(&result) + part);
  }
  void DefineIn(const llvm::Instruction& result, Register reg, unsigned part = 0) {
    locations_.DefineIn(NumberOf(&result) + part, reg);
  }
  Register DefineFrom(const llvm::Instruction& result, const llvm::Value* from,
                      unsigned result_part = 0, unsigned from_part = 0);
  // Calls `visit(part)` for each part of the result. Unpins all registers after each part.
  template <typename Visit>
  void ForEachPart(const llvm::Instruction& result, const Visit& visit) {
    const unsigned parts = analysis_.values()[NumberOf(&result)].parts;
    for (unsigned part = 0; part < parts; ++part) {
      visit(part);
      locations_.registers().UnpinAll();
    }
  }
  // As DefineFrom, with the value extended to `bytes`.
  Register DefineExtended(const llvm::Instruction& result, const llvm::Value* from, bool is_signed,
                          unsigned bytes);
  bool DiesHere(const llvm::Value* value) const;
  void Materialize(Register reg, const llvm::Constant& constant, unsigned part);
  void MaterializeBits(Register reg, const ConstantPart& part, unsigned bytes);
  void MaterializeAddress(Register reg, const llvm::GlobalValue* global, int64_t offset);
  // If `value` is a constant that fits 32 bits sign-extended: stores it, and returns true.
  bool ImmediateOf(const llvm::Value* value, int32_t& immediate, unsigned part = 0) const;
  // The deferred instruction that computes the value. Null if the value is not deferred, or already
  // computed.
  const llvm::Instruction* DeferredOf(const llvm::Value* value) const;
  ArithmeticOperand OperandOf(const llvm::Value* value, unsigned bytes, unsigned part = 0);
  void EmitAlu(Alu alu, unsigned bytes, Register dst, const ArithmeticOperand& operand);
  ConstantPart PartOf(const llvm::Constant& constant, unsigned part) const {
    return baseline::PartOf(constant, part, *layout_);
  }

  // ---- Integers (integers.cc, wide_integers.cc) ----
  void LowerBinary(const llvm::BinaryOperator& binary);
  void LowerArithmetic(const llvm::BinaryOperator& binary, Alu alu);
  // `binary` is an addition, a subtraction or a bitwise operation.
  static Alu AluOf(const llvm::BinaryOperator& binary);
  bool LowerAddAsLea(const llvm::BinaryOperator& binary, const llvm::Value* left,
                     const llvm::Value* right, unsigned bytes);
  void LowerMultiply(const llvm::BinaryOperator& binary);
  void LowerShift(const llvm::BinaryOperator& binary);
  void LowerDivision(const llvm::BinaryOperator& binary);
  void LowerExtension(const llvm::CastInst& cast, bool is_signed);
  void LowerTruncation(const llvm::CastInst& cast);
  void LowerWideBinary(const llvm::BinaryOperator& binary);
  void LowerWideShift(const llvm::BinaryOperator& binary);
  void LowerWideShiftBy(const llvm::BinaryOperator& binary, unsigned count);
  void LowerWideDivision(const llvm::BinaryOperator& binary);
  // Returns a register with the upper part of an integer of 65 to 128 bits, extended to 64 bits.
  Register InUpper(const llvm::Value* value, bool is_signed);

  // ---- Comparisons (comparisons.cc) ----
  FlagTest EmitCompare(const llvm::CmpInst& compare);
  FlagTest EmitIntegerCompare(const llvm::CmpInst& compare);
  bool IsDecidedByUpdate(const llvm::CmpInst& compare) const;
  FlagTest EmitWideCompare(const llvm::CmpInst& compare);
  void LowerCompare(const llvm::CmpInst& compare);
  void SetFrom(const FlagTest& test, Register dst);
  // Emits a test of an i1. The returned test holds if the i1 is set.
  FlagTest EmitTest(const llvm::Value* condition);
  void LowerSelect(const llvm::SelectInst& select);
  void SelectPart(const llvm::SelectInst& select, const FlagTest& test, unsigned part);

  // ---- Memory (memory.cc) ----
  Mem AddressOf(const llvm::Value* pointer);
  Mem AddressOfElement(const llvm::GEPOperator& element);
  void AddIndex(Mem& mem, const llvm::Value* index, uint64_t size);
  Mem WithBaseOnly(const Mem& mem);
  void Release(const Mem& mem);
  void LowerElementAddress(const llvm::GetElementPtrInst& element);
  void LowerLoad(const llvm::LoadInst& load);
  void LoadPart(Register dst, const Mem& mem, unsigned bits);
  void LowerStore(const llvm::StoreInst& store);
  // Whether one instruction performs the whole `update`.
  bool IsEmittedAsOne(const MemoryUpdate& update) const;
  void EmitUpdate(const llvm::StoreInst& store, const MemoryUpdate& update);
  void StorePart(const Mem& mem, const llvm::Value* value, unsigned part, const PartType& type);
  void LowerAlloca(const llvm::AllocaInst& alloca);

  // ---- Control flow (control_flow.cc) ----
  void LowerBranch(const llvm::BranchInst& branch);
  void EmitConditional(FlagTest test, const llvm::BasicBlock* if_true,
                       const llvm::BasicBlock* if_false);
  void LowerSwitch(const llvm::SwitchInst& instruction);
  // The label whose address is the block's address (blockaddress).
  uint32_t AddressLabelOf(const llvm::BasicBlock* block);
  void LowerIndirectBranch(const llvm::IndirectBrInst& branch);
  void LowerReturn(const llvm::ReturnInst& instruction);
  // Emits an edge to `target`: the moves for its phis and, if `target` is not the next block, a
  // jump.
  void EmitEdge(const llvm::BasicBlock* target);
  void EmitJump(const llvm::BasicBlock* target);
  bool EdgeHasMoves(const llvm::BasicBlock* target) const;
  void CollectEdgeMoves(const llvm::BasicBlock* target);
  void CountDownEdges(const llvm::Instruction& terminator);
  bool IsNext(const llvm::BasicBlock* block) const;
  bool KeepsRegisters(const llvm::Instruction& terminator) const;
  void SpillForEdges(const llvm::Instruction& terminator);
  uint32_t LabelOf(const llvm::BasicBlock* block) const {
    return analysis_.order().NumberOf(block);
  }
  uint32_t NewLabel();
  void Bind(uint32_t label);
  struct Case {
    int64_t value;
    uint32_t label;
  };
  void EmitCases(Register value, unsigned bytes, const Case* begin, const Case* end,
                 uint32_t otherwise);
  void EmitJumpTable(Register value, unsigned bytes, const Case* begin, const Case* end,
                     uint32_t otherwise);

  // ---- Calls (calls.cc) ----
  struct Callee {
    const llvm::GlobalValue* global = nullptr;
    const char* library_function = nullptr;
    const llvm::Value* pointer = nullptr;
    bool is_variadic = false;
  };
  // The extent of the call instruction in the code.
  struct CallExtent {
    uint32_t begin, end;
  };
  CallExtent LowerCall(const llvm::CallBase& call);
  // The step that PlaceArguments performs: kMeasure only determines the places; kCopyByValue copies
  // the arguments passed by value to their places; kMove adds the moves of the other arguments.
  enum class ArgumentStep : uint8_t { kMeasure, kCopyByValue, kMove };
  ArgumentPlaces PlaceArguments(const llvm::CallBase& call, ArgumentStep step);
  void CopyByValue(const llvm::Value* source, uint64_t size, int32_t offset);
  // Copies a few bytes through the scratch registers. Neither address may use a scratch register.
  void CopyBytes(const Mem& to, const Mem& from, uint64_t size);
  void PrepareCall(const llvm::User& user);
  CallExtent EmitCall(const Callee& callee, const ArgumentPlaces& places);
  void DefineResults(const llvm::Instruction& result);
  // If the call has an argument with `swifterror`: stores the error that the call has returned.
  void KeepError(const llvm::CallBase& call);
  // Calls a function of the C library or of the compiler's library with operands of an instruction.
  void CallLibrary(const char* name, const llvm::Instruction& result,
                   std::initializer_list<const llvm::Value*> arguments);
  // Returns a move whose source is the part's present place. The caller adds the destination.
  Move SourceOf(const llvm::Value* value, unsigned part, const PartType& type);
  void EmitMoves();

  // ---- Floating point (floats.cc) ----
  void LowerFloatBinary(const llvm::BinaryOperator& binary);
  void LowerFloatCast(const llvm::CastInst& cast);
  void LowerIntegerToFloat(const llvm::CastInst& cast, bool is_signed);
  void LowerFloatToInteger(const llvm::CastInst& cast, bool is_signed);
  void LowerBitCast(const llvm::CastInst& cast);
  static FloatKind KindOf(const llvm::Type* type);
  // Whether the scalar operand is best read from memory; then sets `mem` to its address.
  bool IsFloatInMemory(const llvm::Value* operand, Mem& mem);
  void EmitFloat(FloatOp op, const llvm::Type* type, Register dst, const llvm::Value* operand);
  // Calls the library function that computes the intrinsic.
  void CallMathFunction(const llvm::IntrinsicInst& intrinsic);

  // ---- Intrinsics (intrinsics.cc) ----
  void LowerIntrinsic(const llvm::IntrinsicInst& intrinsic);
  void LowerMemoryTransfer(const llvm::MemTransferInst& transfer);
  void LowerMemorySet(const llvm::MemSetInst& set);
  void LowerMinMax(const llvm::IntrinsicInst& intrinsic);
  void LowerAbs(const llvm::IntrinsicInst& intrinsic);
  void LowerByteSwap(const llvm::IntrinsicInst& intrinsic);
  void LowerVariadicCopy(const llvm::IntrinsicInst& intrinsic);
  void LowerThreadLocalAddress(const llvm::IntrinsicInst& intrinsic);

  // ---- Aggregates (aggregates.cc) ----
  void LowerExtractValue(const llvm::ExtractValueInst& extract);
  void LowerInsertValue(const llvm::InsertValueInst& insert);
  void CopyPart(const llvm::Instruction& result, unsigned result_part, const llvm::Value* from,
                unsigned from_part);

  // ---- Vectors (vectors.cc) ----
  // A vector in memory.
  struct Lanes {
    Mem mem;
    unsigned stride = 0;  // In bytes.
  };
  void LowerVectorBinary(const llvm::BinaryOperator& binary);
  void LowerLanes(const llvm::Instruction& instruction);
  Lanes LanesOf(const llvm::Value* vector);
  // Returns a place in the frame for a vector, valid until the end of the instruction.
  Mem TemporaryLanes(const llvm::Type* type);
  // Stores all parts of the vector to `mem`.
  void StoreParts(const Mem& mem, const llvm::Value* vector);
  Mem IndexedLane(const Lanes& lanes, const llvm::Value* index, unsigned count, Register value);
  void LoadLane(Register dst, const Lanes& lanes, unsigned lane, bool is_signed);
  void StoreLane(const Lanes& lanes, unsigned lane, Register value);
  // Steps of LowerLanes: `value` is a free register, `result` is the place for the result's lanes.
  void LowerExtractElement(const llvm::ExtractElementInst& extract, Register value);
  void InsertLane(const llvm::InsertElementInst& insert, const Lanes& result, Register value);
  void ShuffleLanes(const llvm::ShuffleVectorInst& shuffle, const Lanes& result, Register value);
  void SelectLanes(const llvm::SelectInst& select, const Lanes& result, Register value);
  void ConvertLanes(const llvm::CastInst& cast, const Lanes& result, Register value);
  void ConvertFloatLanes(const llvm::CastInst& cast, const Lanes& result, Register value);
  void ElementAddressLanes(const llvm::GetElementPtrInst& element, const Lanes& result,
                           Register value);
  void SpreadMaskBits(const llvm::CastInst& cast, const Lanes& result, Register value);
  void ReduceMask(const llvm::IntrinsicInst& intrinsic);
  void CombineLanes(const llvm::Instruction& instruction, const Lanes& result, Register value);
  void ReduceLanes(const llvm::IntrinsicInst& intrinsic, Register value);

  // ---- Exceptions (exceptions.cc) ----
  void LowerInvoke(const llvm::InvokeInst& invoke);
  void LowerLandingPad(const llvm::LandingPadInst& pad);
  void LowerResume(const llvm::ResumeInst& resume);
  void LowerTypeNumber(const llvm::IntrinsicInst& intrinsic);
  struct CallSite {
    uint32_t begin, end;  // The extent of the call in the code.
    uint32_t label;       // The landing pad's label.
    const llvm::LandingPadInst* pad;
  };
  // Writes the exception table (the language-specific data area) into the pool and returns its
  // offset in the pool. `begin`: the offset of the prologue in the buffer.
  uint32_t WriteExceptionTable(uint32_t begin);

  // ---- Constants and symbols (symbols.cc) ----
  uint32_t SymbolOf(const llvm::GlobalValue* global);
  uint32_t SymbolOf(const char* library_function);
  // The symbol of the control variable (__emutls_v.) that emulates the thread-local `variable`.
  uint32_t ControlSymbolOf(const llvm::GlobalValue* variable);
  bool IsNear(const llvm::GlobalValue* global) const;
  // If `global` is a constant that is copied into the function (constant_data.h), or a table of the
  // function's labels: its offset in the pool. Otherwise kNone.
  uint32_t PoolPlaceOf(const llvm::GlobalValue* global);
  uint32_t AppendLabelTable(const llvm::GlobalVariable& table);
  uint32_t AppendData(const llvm::GlobalVariable& variable);
  // The eight bytes in the pool that hold the symbol's address.
  Mem LiteralOf(uint32_t symbol);

  // The size in bytes of an operation on a byte if the bits above the byte are unspecified.
  unsigned ByteOperation() const { return architecture_.has_narrow_operations ? 1 : 4; }

  const Architecture& architecture_;
  Analysis& analysis_;
  Assembler& assembler_;
  Frame frame_;
  ValueLocations locations_;
  Pool pool_;
  ParallelMoves moves_;
  LoweringOptions options_;
  const llvm::Function* function_ = nullptr;
  const llvm::DataLayout* layout_ = nullptr;
  RegisterSet allocatable_ = 0;
  uint32_t block_ = 0;
  // Each label's offset in the code: first the labels of the blocks, then other labels.
  std::vector<uint32_t> labels_;
  std::vector<Case> cases_;
  // temporary_lanes_: the slots that the current instruction uses. wide_places_: places for vectors
  // of several parts; the current instruction uses the first wide_places_used_.
  std::vector<int32_t> temporary_lanes_;
  std::vector<int32_t> wide_places_;
  size_t wide_places_used_ = 0;
  // For a block whose address is taken and that has phis: the label that stands for the block.
  // The moves for the block's phis may follow the label.
  PointerMap address_labels_;
  std::vector<uint32_t> unbound_labels_;  // Pairs: a label of address_labels_, its block's label.
  Register table_base_ = kNoRegister;     // A register that the jump tables of a switch may use.
  std::vector<CallSite> call_sites_;
  std::vector<const llvm::Constant*> exception_types_;  // Numbered from 1.
  std::vector<UnwindRow> rows_;                         // Offsets are offsets in the buffer.
  bool is_protected_ = false;                           // IsBranchProtected
  struct Symbol {
    const llvm::GlobalValue* global;
    const char* library_function;
    uint32_t literal;        // Offset of the address in the pool, or kNone.
    bool is_control;         // The control variable of the thread-local `global`.
    uint32_t place = kNone;  // Offset of the constant, if it is in the pool.
  };
  std::vector<Symbol> symbols_;
  PointerMap symbol_numbers_;
  int32_t result_address_ = 0;  // Place in the frame of the sret address; 0 if it is not kept.
  int32_t error_place_ = 0;     // Place of the `swifterror` parameter's variable; 0 if none.
  // In a variadic function: the registers and stack bytes that its named arguments take.
  unsigned named_general_ = 0, named_vectors_ = 0;
  int32_t named_stack_ = 0;  // In bytes, a multiple of 8.
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LOWERING_H_
