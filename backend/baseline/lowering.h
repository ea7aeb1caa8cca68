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
#include "base/pointer_map.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "ir/type.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

struct LoweringOptions {
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
Cond CondOf(ir::Predicate predicate);

// The number of lanes of a vector type, and the bits of each. The lanes of a vector of i1 fill 16
// bytes together.
unsigned LaneCount(const ir::Type* type);
unsigned LaneBits(const ir::Type* type);

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
  Refusal Run(const ir::Function& function, const LoweringOptions& options, CompiledCode& code);

 protected:
  // ---- Architecture-specific methods ----
  // Resets architecture-specific state. Called before each function.
  virtual void Prepare() {}
  // Whether indirect jumps may lead only to landing marks.
  virtual bool IsBranchProtected(const ir::Function& function) const = 0;
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
  virtual Register InShiftCount(ir::Operand count, unsigned bits);
  virtual void EmitDivision(const ir::Instruction& binary, bool is_signed, bool is_remainder) = 0;
  virtual void LowerWideMultiply(const ir::Instruction& binary) = 0;
  // Shifts the 64 bits of `dst` by 1 to 63. Bits of `other` fill the bits that become free.
  virtual void ShiftIn(bool is_left, Register dst, Register other, unsigned count) = 0;
  virtual void LowerWideShiftByVariable(const ir::Instruction& binary) = 0;
  virtual FlagTest EmitFloatCompare(const ir::Instruction& compare) = 0;
  // Copies many bytes to the address `to`. If `to` is null, copies them to `place`.
  virtual void CopyBlock(ir::Operand to, const Mem& place, ir::Operand from, uint64_t size) = 0;

  virtual void LowerAtomicLoad(const ir::Instruction& load) = 0;
  virtual void LowerAtomicStore(const ir::Instruction& store) = 0;
  virtual void LowerAtomicUpdate(const ir::Instruction& update) = 0;
  virtual void LowerCompareExchange(const ir::Instruction& exchange) = 0;
  virtual void LowerFence(const ir::Instruction& fence) = 0;

  virtual void LowerNegation(const ir::Instruction& negation) = 0;
  // Conversions from and to integers of up to 64 bits.
  virtual void EmitIntegerToFloat(const ir::Instruction& cast, bool is_signed) = 0;
  virtual void EmitFloatToInteger(const ir::Instruction& cast, bool is_signed) = 0;
  // `low` and `high` are the lower and the upper half of the 16 bytes of `vector`.
  virtual void SplitVector(Register low, Register high, Register vector) = 0;
  virtual void JoinVector(Register vector, Register low, Register high) = 0;

  virtual void LowerOverflow(const ir::Instruction& intrinsic) = 0;
  virtual void LowerBitCount(const ir::Instruction& intrinsic) = 0;
  virtual void LowerFunnelShift(const ir::Instruction& intrinsic) = 0;
  virtual void LowerSaturating(const ir::Instruction& intrinsic) = 0;
  // If the intrinsic needs a library function: returns false and emits nothing.
  virtual bool EmitFloatIntrinsic(const ir::Instruction& intrinsic) = 0;
  virtual void LowerVariadicStart(const ir::Instruction& intrinsic) = 0;

  virtual void LowerVectorFloatCompare(const ir::Instruction& compare) = 0;
  // Returns a register with a bit for each lane of a vector of i1. The first lane is the lowest
  // bit; the bits above the last lane are zero.
  virtual Register MaskBits(ir::Operand vector) = 0;

  // ---- The pass and the frame (lowering.cc) ----
  void Begin(const ir::Function& function);
  void ReserveAllocas();
  void BindArguments();
  void CompileBlock(uint32_t number);
  void BeginBlock(uint32_t number);
  // Emits the code of an instruction. Its uses of its operands are not counted down yet.
  void Lower(const ir::Instruction& instruction);
  void LowerCast(const ir::Instruction& cast);
  // Counts down the uses of the instruction's operands, and unpins all registers.
  void EndInstruction(const ir::Instruction& instruction);
  void CountDown(ir::Operand operand);
  void CountDownOperands(const ir::Instruction& instruction);
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
  // The number of the first part of the value, or of the result of the instruction; kNone if there
  // is none.
  uint32_t NumberOf(ir::Operand value) const { return analysis_.NumberOf(value); }
  uint32_t NumberOf(const ir::Instruction& result) const { return analysis_.NumberOf(result); }
  // Operand number `index` of the instruction (ir/instruction.h).
  ir::Operand OperandAt(const ir::Instruction& instruction, unsigned index) const {
    return function_->OperandOf(instruction, index);
  }
  const ir::Type* TypeOf(ir::Operand value) const { return function_->TypeOf(value); }
  const ir::Type* TypeAt(const ir::Instruction& instruction, unsigned index) const {
    return function_->TypeOf(function_->OperandOf(instruction, index));
  }
  // Null if the operand is no constant.
  const ir::Constant* ConstantOf(ir::Operand value) const { return function_->ConstantOf(value); }
  // The same, if the constant is an integer of at most 64 bits.
  const ir::Constant* IntegerOf(ir::Operand value) const {
    const ir::Constant* constant = ConstantOf(value);
    return constant != nullptr && constant->IsInteger() && constant->type->number <= 64 ? constant
                                                                                        : nullptr;
  }
  static unsigned BitsOf(const ir::Type* type) { return type->IsInteger() ? type->number : 64; }
  unsigned BytesOf(ir::Operand value) const {
    return static_cast<unsigned>(TypeOf(value)->store_size);
  }
  // Returns the register that holds the part. The caller must not change the register.
  Register In(ir::Operand value, unsigned part = 0);
  // Returns a register with a copy of the part, which may be changed.
  Register Copy(ir::Operand value, unsigned part = 0);
  // Makes `reg` hold a copy of the part, which may be changed.
  void Claim(Register reg, ir::Operand value, unsigned part = 0);
  // Returns a register with the integer, extended to `bytes`. The caller must not change it.
  Register InExtended(ir::Operand value, bool is_signed, unsigned bytes);
  void Extend(Register dst, Register src, unsigned bits, bool is_signed, unsigned bytes);
  Register Define(const ir::Instruction& result, unsigned part = 0) {
    return locations_.Define(NumberOf(result) + part);
  }
  void DefineIn(const ir::Instruction& result, Register reg, unsigned part = 0) {
    locations_.DefineIn(NumberOf(result) + part, reg);
  }
  Register DefineFrom(const ir::Instruction& result, ir::Operand from, unsigned result_part = 0,
                      unsigned from_part = 0);
  // Calls `visit(part)` for each part of the result. Unpins all registers after each part.
  template <typename Visit>
  void ForEachPart(const ir::Instruction& result, const Visit& visit) {
    const unsigned parts = analysis_.values()[NumberOf(result)].parts;
    for (unsigned part = 0; part < parts; ++part) {
      visit(part);
      locations_.registers().UnpinAll();
    }
  }
  // As DefineFrom, with the value extended to `bytes`.
  Register DefineExtended(const ir::Instruction& result, ir::Operand from, bool is_signed,
                          unsigned bytes);
  bool DiesHere(ir::Operand value) const;
  void Materialize(Register reg, const ir::Constant& constant, unsigned part);
  void MaterializeBits(Register reg, const ConstantPart& part, unsigned bytes);
  void MaterializeAddress(Register reg, const ir::Global* global, int64_t offset);
  // If `value` is a constant that fits 32 bits sign-extended: stores it, and returns true.
  bool ImmediateOf(ir::Operand value, int32_t& immediate, unsigned part = 0) const;
  // The deferred instruction that computes the value. Null if the value is not deferred, or already
  // computed.
  const ir::Instruction* DeferredOf(ir::Operand value) const;
  ArithmeticOperand OperandOf(ir::Operand value, unsigned bytes, unsigned part = 0);
  void EmitAlu(Alu alu, unsigned bytes, Register dst, const ArithmeticOperand& operand);
  ConstantPart PartOf(const ir::Constant& constant, unsigned part) const {
    return baseline::PartOf(constant, part, function_->all_constants());
  }

  // ---- Integers (integers.cc, wide_integers.cc) ----
  void LowerBinary(const ir::Instruction& binary);
  void LowerArithmetic(const ir::Instruction& binary, Alu alu);
  // `binary` is an addition, a subtraction or a bitwise operation.
  static Alu AluOf(const ir::Instruction& binary);
  bool LowerAddAsLea(const ir::Instruction& binary, ir::Operand left, ir::Operand right,
                     unsigned bytes);
  void LowerMultiply(const ir::Instruction& binary);
  void LowerShift(const ir::Instruction& binary);
  void LowerDivision(const ir::Instruction& binary);
  void LowerExtension(const ir::Instruction& cast, bool is_signed);
  void LowerTruncation(const ir::Instruction& cast);
  void LowerWideBinary(const ir::Instruction& binary);
  void LowerWideShift(const ir::Instruction& binary);
  void LowerWideShiftBy(const ir::Instruction& binary, unsigned count);
  void LowerWideDivision(const ir::Instruction& binary);
  // Returns a register with the upper part of an integer of 65 to 128 bits, extended to 64 bits.
  Register InUpper(ir::Operand value, bool is_signed);

  // ---- Comparisons (comparisons.cc) ----
  FlagTest EmitCompare(const ir::Instruction& compare);
  FlagTest EmitIntegerCompare(const ir::Instruction& compare);
  bool IsDecidedByUpdate(const ir::Instruction& compare) const;
  FlagTest EmitWideCompare(const ir::Instruction& compare);
  void LowerCompare(const ir::Instruction& compare);
  void SetFrom(const FlagTest& test, Register dst);
  // Emits a test of an i1. The returned test holds if the i1 is set.
  FlagTest EmitTest(ir::Operand condition);
  void LowerSelect(const ir::Instruction& select);
  void SelectPart(const ir::Instruction& select, const FlagTest& test, unsigned part);

  // ---- Memory (memory.cc) ----
  Mem AddressOf(ir::Operand pointer);
  Mem AddressOfElement(const ir::Instruction& element);
  void AddIndex(Mem& mem, ir::Operand index, uint64_t size);
  Mem WithBaseOnly(const Mem& mem);
  void Release(const Mem& mem);
  void LowerElementAddress(const ir::Instruction& element);
  void LowerLoad(const ir::Instruction& load);
  void LoadPart(Register dst, const Mem& mem, unsigned bits);
  void LowerStore(const ir::Instruction& store);
  // Whether one instruction performs the whole `update`.
  bool IsEmittedAsOne(const MemoryUpdate& update) const;
  void EmitUpdate(const ir::Instruction& store, const MemoryUpdate& update);
  void StorePart(const Mem& mem, ir::Operand value, unsigned part, const PartType& type);
  void LowerAlloca(const ir::Instruction& alloca);

  // ---- Control flow (control_flow.cc) ----
  void LowerBranch(const ir::Instruction& branch);
  void EmitConditional(FlagTest test, uint32_t if_true, uint32_t if_false);
  void LowerSwitch(const ir::Instruction& instruction);
  // The label whose address is the block's address (blockaddress).
  uint32_t AddressLabelOf(uint32_t block);
  void LowerIndirectBranch(const ir::Instruction& branch);
  void LowerReturn(const ir::Instruction& instruction);
  // Emits an edge to `target`: the moves for its phis and, if `target` is not the next block, a
  // jump.
  void EmitEdge(uint32_t target);
  void EmitJump(uint32_t target);
  bool EdgeHasMoves(uint32_t target) const;
  void CollectEdgeMoves(uint32_t target);
  void CountDownEdges(const ir::Instruction& terminator);
  bool IsNext(uint32_t block) const;
  bool KeepsRegisters(const ir::Instruction& terminator) const;
  void SpillForEdges(const ir::Instruction& terminator);
  uint32_t LabelOf(uint32_t block) const { return analysis_.order().NumberOf(block); }
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
    const ir::Global* global = nullptr;
    const char* library_function = nullptr;
    ir::Operand pointer;  // Nothing, if one of the others is set.
    bool is_variadic = false;
  };
  // The extent of the call instruction in the code.
  struct CallExtent {
    uint32_t begin, end;
  };
  CallExtent LowerCall(const ir::Instruction& call);
  // The step that PlaceArguments performs: kMeasure only determines the places; kCopyByValue copies
  // the arguments passed by value to their places; kMove adds the moves of the other arguments.
  enum class ArgumentStep : uint8_t { kMeasure, kCopyByValue, kMove };
  ArgumentPlaces PlaceArguments(const ir::Instruction& call, ArgumentStep step);
  void CopyByValue(ir::Operand source, uint64_t size, int32_t offset);
  // Copies a few bytes through the scratch registers. Neither address may use a scratch register.
  void CopyBytes(const Mem& to, const Mem& from, uint64_t size);
  void PrepareCall(const ir::Instruction& user);
  CallExtent EmitCall(const Callee& callee, const ArgumentPlaces& places);
  void DefineResults(const ir::Instruction& result);
  // If the call has an argument with `swifterror`: stores the error that the call has returned.
  void KeepError(const ir::Instruction& call);
  // Calls a function of the C library or of the compiler's library with operands of an instruction.
  void CallLibrary(const char* name, const ir::Instruction& result,
                   std::initializer_list<ir::Operand> arguments);
  // Returns a move whose source is the part's present place. The caller adds the destination.
  Move SourceOf(ir::Operand value, unsigned part, const PartType& type);
  void EmitMoves();

  // ---- Floating point (floats.cc) ----
  void LowerFloatBinary(const ir::Instruction& binary);
  void LowerFloatCast(const ir::Instruction& cast);
  void LowerIntegerToFloat(const ir::Instruction& cast, bool is_signed);
  void LowerFloatToInteger(const ir::Instruction& cast, bool is_signed);
  void LowerBitCast(const ir::Instruction& cast);
  static FloatKind KindOf(const ir::Type* type);
  // Whether the scalar operand is best read from memory; then sets `mem` to its address.
  bool IsFloatInMemory(ir::Operand operand, Mem& mem);
  void EmitFloat(FloatOp op, const ir::Type* type, Register dst, ir::Operand operand);
  // Calls the library function that computes the intrinsic.
  void CallMathFunction(const ir::Instruction& intrinsic);

  // ---- Intrinsics (intrinsics.cc) ----
  void LowerIntrinsic(const ir::Instruction& intrinsic);
  void LowerMemoryTransfer(const ir::Instruction& transfer);
  void LowerMemorySet(const ir::Instruction& set);
  void LowerMinMax(const ir::Instruction& intrinsic);
  void LowerAbs(const ir::Instruction& intrinsic);
  void LowerByteSwap(const ir::Instruction& intrinsic);
  void LowerVariadicCopy(const ir::Instruction& intrinsic);
  void LowerThreadLocalAddress(const ir::Instruction& intrinsic);

  // ---- Aggregates (aggregates.cc) ----
  void LowerExtractValue(const ir::Instruction& extract);
  void LowerInsertValue(const ir::Instruction& insert);
  void CopyPart(const ir::Instruction& result, unsigned result_part, ir::Operand from,
                unsigned from_part);

  // ---- Vectors (vectors.cc) ----
  // A vector in memory.
  struct Lanes {
    Mem mem;
    unsigned stride = 0;  // In bytes.
  };
  void LowerVectorBinary(const ir::Instruction& binary);
  void LowerLanes(const ir::Instruction& instruction);
  Lanes LanesOf(ir::Operand vector);
  // Returns a place in the frame for a vector, valid until the end of the instruction.
  Mem TemporaryLanes(const ir::Type* type);
  // Stores all parts of the vector to `mem`.
  void StoreParts(const Mem& mem, ir::Operand vector);
  Mem IndexedLane(const Lanes& lanes, ir::Operand index, unsigned count, Register value);
  void LoadLane(Register dst, const Lanes& lanes, unsigned lane, bool is_signed);
  void StoreLane(const Lanes& lanes, unsigned lane, Register value);
  // Steps of LowerLanes: `value` is a free register, `result` is the place for the result's lanes.
  void LowerExtractElement(const ir::Instruction& extract, Register value);
  void InsertLane(const ir::Instruction& insert, const Lanes& result, Register value);
  void ShuffleLanes(const ir::Instruction& shuffle, const Lanes& result, Register value);
  void SelectLanes(const ir::Instruction& select, const Lanes& result, Register value);
  void ConvertLanes(const ir::Instruction& cast, const Lanes& result, Register value);
  void ConvertFloatLanes(const ir::Instruction& cast, const Lanes& result, Register value);
  void ElementAddressLanes(const ir::Instruction& element, const Lanes& result, Register value);
  void SpreadMaskBits(const ir::Instruction& cast, const Lanes& result, Register value);
  void ReduceMask(const ir::Instruction& intrinsic);
  void CombineLanes(const ir::Instruction& instruction, const Lanes& result, Register value);
  void ReduceLanes(const ir::Instruction& intrinsic, Register value);

  // ---- Exceptions (exceptions.cc) ----
  void LowerInvoke(const ir::Instruction& invoke);
  void LowerLandingPad(const ir::Instruction& pad);
  void LowerResume(const ir::Instruction& resume);
  void LowerTypeNumber(const ir::Instruction& intrinsic);
  struct CallSite {
    uint32_t begin, end;  // The extent of the call in the code.
    uint32_t label;       // The landing pad's label.
    const ir::Instruction* pad;
  };
  // Writes the exception table (the language-specific data area) into the pool and returns its
  // offset in the pool. `begin`: the offset of the prologue in the buffer.
  uint32_t WriteExceptionTable(uint32_t begin);

  // ---- Constants and symbols (symbols.cc) ----
  uint32_t SymbolOf(const ir::Global* global);
  uint32_t SymbolOf(const char* library_function);
  // The symbol of the control variable (__emutls_v.) that emulates the thread-local `variable`.
  uint32_t ControlSymbolOf(const ir::Global* variable);
  // The number of the symbol with this key. The first call for a key adds `symbol`.
  struct Symbol;
  uint32_t NumberOfSymbol(const void* key, const Symbol& symbol);
  bool IsNear(const ir::Global* global) const;
  // If `global` is a constant that is copied into the function (constant_data.h), or a table of the
  // function's labels: its offset in the pool. Otherwise kNone.
  uint32_t PoolPlaceOf(const ir::Global* global);
  uint32_t AppendLabelTable(const ir::Global& table);
  uint32_t AppendData(const ir::Global& variable);
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
  const ir::Function* function_ = nullptr;
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
  // For a block whose address is taken and that has phis: the label that stands for the block, or
  // kNone. The moves for the block's phis may follow the label. Empty if no address is taken.
  std::vector<uint32_t> address_labels_;
  std::vector<uint32_t> unbound_labels_;  // Pairs: a label of address_labels_, its block's label.
  Register table_base_ = kNoRegister;     // A register that the jump tables of a switch may use.
  std::vector<CallSite> call_sites_;
  std::vector<ir::Operand> exception_types_;  // Constants without casts, numbered from 1.
  std::vector<UnwindRow> rows_;               // Offsets are offsets in the buffer.
  bool is_protected_ = false;                 // IsBranchProtected
  struct Symbol {
    const ir::Global* global;
    const char* library_function;
    uint32_t literal;        // Offset of the address in the pool, or kNone.
    bool is_control;         // The control variable of the thread-local `global`.
    uint32_t place = kNone;  // Offset of the constant, if it is in the pool.
  };
  std::vector<Symbol> symbols_;
  PointerMap<uint32_t> symbol_numbers_;
  int32_t result_address_ = 0;  // Place in the frame of the sret address; 0 if it is not kept.
  int32_t error_place_ = 0;     // Place of the `swifterror` parameter's variable; 0 if none.
  // In a variadic function: the registers and stack bytes that its named arguments take.
  unsigned named_general_ = 0, named_vectors_ = 0;
  int32_t named_stack_ = 0;  // In bytes, a multiple of 8.
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LOWERING_H_
