// Bodies that are changed at random and that ir::Checker still accepts are compiled: whatever the
// checker lets through must not lead the code generator astray. What this finds shows best under
// AddressSanitizer.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/baseline/baseline_compiler.h"
#include "gtest/gtest.h"
#include "ir/check.h"
#include "ir/check_module.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "object/compiled_code.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr char kProgram[] = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i32, [4 x i8] }
@data = private unnamed_addr constant [6 x i8] c"hello\00"
@type = external constant ptr
declare i32 @personality(...)
declare i32 @thrower(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.fshl.i32(i32, i32, i32)

define i64 @integers(i64 %a, i64 %b, i128 %w, i8 %c) {
  %sum = add i64 %a, %b
  %wide = zext i64 %sum to i128
  %shifted = shl i128 %wide, %w
  %low = trunc i128 %shifted to i64
  %is = icmp slt i64 %low, 7
  %one = select i1 %is, i64 %a, i64 %low
  %narrow = trunc i64 %one to i32
  %checked = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %narrow, i32 5)
  %value = extractvalue { i32, i1 } %checked, 0
  %turned = call i32 @llvm.fshl.i32(i32 %value, i32 %narrow, i32 3)
  %result = sext i32 %turned to i64
  ret i64 %result
}

define i32 @memory(ptr %p, i64 %n, i32 %v) {
  %local = alloca %pair, i32 2, align 8
  %member = getelementptr %pair, ptr %p, i64 %n, i32 1, i64 2
  %byte = load i8, ptr %member
  %place = getelementptr %pair, ptr %local, i64 1, i32 0
  store i32 %v, ptr %place
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr @data, i64 6, i1 false)
  %old = atomicrmw add ptr %p, i32 %v seq_cst
  %pair = cmpxchg ptr %p, i32 %old, i32 %v acquire monotonic
  %got = extractvalue { i32, i1 } %pair, 0
  %wide = zext i8 %byte to i32
  %sum = add i32 %got, %wide
  ret i32 %sum
}

define i32 @vectors(<4 x i32> %a, <4 x i32> %b, i32 %i) {
  %sum = add <4 x i32> %a, %b
  %is = icmp ugt <4 x i32> %sum, %b
  %chosen = select <4 x i1> %is, <4 x i32> %a, <4 x i32> %sum
  %mixed = shufflevector <4 x i32> %chosen, <4 x i32> %b, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  %put = insertelement <4 x i32> %mixed, i32 %i, i32 1
  %all = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %put)
  ret i32 %all
}

define i32 @loop(i32 %n, i1 %c) personality ptr @personality {
entry:
  switch i32 %n, label %head [ i32 1, label %done i32 2, label %done i32 9, label %other ]
head:
  %i = phi i32 [ %n, %entry ], [ %next, %back ]
  %r = invoke i32 @thrower(i32 %i) to label %back unwind label %pad
back:
  %next = add i32 %i, %r
  br i1 %c, label %head, label %done
other:
  br label %done
pad:
  %e = landingpad { ptr, i32 } cleanup catch ptr @type
  resume { ptr, i32 } %e
done:
  %result = phi i32 [ 1, %entry ], [ 1, %entry ], [ %next, %back ], [ 3, %other ]
  ret i32 %result
}
)";

class Mutator {
 public:
  explicit Mutator(const ir::Module& module) : module_(module) {}

  // What a reader sees to itself stays true: all numbers are those of something.
  void Change(ir::Function& body) {
    ir::Instruction& changed = body.instructions[Below(body.instructions.size())];
    switch (Below(8)) {
      case 0:
      case 1:
      case 2:
        return ChangeOperand(body, changed);
      case 3:
        return ChangeTarget(body, changed);
      case 4:
        return ChangeOpcode(changed);
      case 5:
        return ChangeType(body, changed);
      case 6:
        changed.operand_count = static_cast<uint32_t>(Below(changed.operand_count + 1));
        return;
      default:
        return ChangeDetail(changed);
    }
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }
  const ir::Type* AnyType() { return &module_.types()[Below(module_.types().size())]; }

  // Often by one of the same type.
  void ChangeOperand(ir::Function& body, const ir::Instruction& changed) {
    if (changed.operand_count == 0) return;
    ir::Operand& operand = body.operands[changed.first_operand + Below(changed.operand_count)];
    const ir::Type* const type = body.TypeOf(operand);
    const bool may_differ = Below(4) == 0;
    const size_t constants = module_.constants().size() + body.constants.size();
    for (int attempt = 0; attempt < 20; ++attempt) {
      const ir::Operand other =
          Below(3) == 0 ? ir::Operand::Constant(static_cast<uint32_t>(Below(constants)))
                        : ir::Operand::Value(static_cast<uint32_t>(Below(body.values.size())));
      if (!may_differ && body.TypeOf(other) != type) continue;
      operand = other;
      return;
    }
  }

  void ChangeTarget(ir::Function& body, const ir::Instruction& changed) {
    if (changed.target_count == 0) return;
    const bool is_block = ir::IsTerminator(changed.opcode) || changed.opcode == ir::Opcode::kPhi;
    body.targets[changed.first_target + Below(changed.target_count)] =
        static_cast<uint32_t>(Below(is_block ? body.blocks.size() : 4));
  }

  // Terminators stay what they are, as does what has targets that are none of blocks.
  void ChangeOpcode(ir::Instruction& changed) {
    if (ir::IsTerminator(changed.opcode) || changed.target_count != 0) return;
    const auto first = static_cast<size_t>(ir::Opcode::kFNeg);
    const auto count = static_cast<size_t>(ir::Opcode::kFreeze) - first + 1;
    const auto opcode = static_cast<ir::Opcode>(first + Below(count));
    if (opcode == ir::Opcode::kCall && changed.call == ir::kNone) return;
    if (changed.source_type == nullptr) changed.source_type = AnyType();
    changed.opcode = opcode;
  }

  void ChangeType(ir::Function& body, ir::Instruction& changed) {
    const ir::Type* const type = AnyType();
    if (changed.source_type != nullptr && Below(2) == 0) changed.source_type = type;
    if (changed.value == ir::kNone || type->IsVoid()) return;
    changed.type = body.values[changed.value].type = type;
  }

  void ChangeDetail(ir::Instruction& changed) {
    switch (Below(4)) {
      case 0:
        changed.code = static_cast<uint8_t>(Below(48));
        return;
      case 1:
        changed.ordering = Below(8);
        return;
      case 2:
        changed.failure_ordering = Below(8);
        return;
      default:
        changed.alignment_log = static_cast<uint8_t>(Below(70));
        return;
    }
  }

  const ir::Module& module_;
  std::mt19937 random_{1};
};

TEST(CheckedBodiesTest, CompilesWhateverTheCheckerAccepts) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> source = ParseModule(kProgram, context);
  ASSERT_NE(source, nullptr);
  ir::LlvmReader reader;
  ASSERT_THAT(reader.Begin(*source), IsOk());
  ASSERT_THAT(ir::CheckModule(reader.module()), IsOk());
  std::vector<std::unique_ptr<baseline::BaselineCompiler>> compilers;
  for (const char* triple : {"x86_64-linux-gnu", "aarch64-linux-gnu"}) {
    ASSERT_OK_AND_ASSIGN(compilers.emplace_back(), baseline::BaselineCompiler::Create(triple, {}));
  }
  ir::Checker checker;
  CompiledCode code;
  Mutator mutator(reader.module());
  ir::Function original;
  size_t accepted = 0, refused = 0;
  for (const char* name : {"integers", "memory", "vectors", "loop"}) {
    ASSERT_THAT(reader.Read(*source->getFunction(name), original), IsOk());
    ASSERT_THAT(checker.Check(original), IsOk());
    for (int round = 0; round < 5000; ++round) {
      ir::Function body = original;
      for (int changes = 1 + round % 3; changes > 0; --changes) mutator.Change(body);
      for (ir::Value& value : body.values) value = {value.type, value.instruction};
      body.CountUses();
      if (!checker.Check(body).ok()) {
        ++refused;
        continue;
      }
      ++accepted;
      for (auto& compiler : compilers) compiler->Compile(body, /*is_near=*/true, code);
    }
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace firstcall
