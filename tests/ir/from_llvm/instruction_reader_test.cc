// Bodies: every kind of instruction.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ir/from_llvm/reading.h"

namespace firstcall::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Operand ValueNumber(uint32_t number) { return Operand::Value(number); }

TEST(InstructionReaderTest, NumbersArgumentsThenResults) {
  Reading reading(R"(
    define i32 @f(i32 %a, ptr %p) {
      store i32 %a, ptr %p
      %x = load i32, ptr %p
      %y = add i32 %x, %a
      ret i32 %y
    })");
  const Function& body = reading.Body("f");
  EXPECT_EQ(body.argument_count(), 2u);
  ASSERT_EQ(body.values.size(), 4u);
  EXPECT_EQ(body.values[0].instruction, kNone);
  EXPECT_EQ(body.values[2].instruction, 1u);
  EXPECT_EQ(body.values[0].uses, 2u);
  EXPECT_EQ(body.values[0].first_user, 0u);
  EXPECT_EQ(body.values[0].last_user, 2u);
  EXPECT_EQ(At(body, 0).value, kNone);
  EXPECT_TRUE(At(body, 0).type->IsVoid());
  EXPECT_THAT(body.OperandsOf(At(body, 0)), ElementsAre(ValueNumber(1), ValueNumber(0)));
  EXPECT_EQ(At(body, 2).value, 3u);
  EXPECT_THAT(body.OperandsOf(At(body, 2)), ElementsAre(ValueNumber(2), ValueNumber(0)));
  EXPECT_THAT(body.OperandsOf(At(body, 3)), ElementsAre(ValueNumber(3)));
  EXPECT_EQ(body.global().name, "f");
}

TEST(InstructionReaderTest, ListsBlocksAndTheirTargets) {
  Reading reading(R"(
    define void @f(i1 %c) {
      br i1 %c, label %a, label %b
    b:
      br label %a
    a:
      ret void
    })");
  const Function& body = reading.Body("f");
  ASSERT_EQ(body.blocks.size(), 3u);
  EXPECT_THAT(body.SuccessorsOf(body.blocks[0]), ElementsAre(2, 1));
  EXPECT_THAT(body.OperandsOf(At(body, 0)), ElementsAre(ValueNumber(0)));
  EXPECT_THAT(body.SuccessorsOf(body.blocks[1]), ElementsAre(2));
  EXPECT_THAT(body.OperandsOf(At(body, 1)), IsEmpty());
  EXPECT_THAT(body.SuccessorsOf(body.blocks[2]), IsEmpty());
  EXPECT_EQ(At(body, 2).block, 2u);
  EXPECT_EQ(At(body, 2).opcode, Opcode::kRet);
}

TEST(InstructionReaderTest, ReadsSwitches) {
  Reading reading(R"(
    define void @f(i8 %c) {
      switch i8 %c, label %a [ i8 3, label %b  i8 -1, label %a ]
    a:
      ret void
    b:
      unreachable
    })");
  const Function& body = reading.Body("f");
  const Instruction& instruction = At(body, 0);
  EXPECT_THAT(body.TargetsOf(instruction), ElementsAre(1, 2, 1));
  ASSERT_EQ(instruction.operand_count, 3u);
  EXPECT_EQ(body.OperandOf(instruction, 0), ValueNumber(0));
  EXPECT_EQ(body.constant(body.OperandOf(instruction, 1)).bits(), 3u);
  EXPECT_EQ(body.constant(body.OperandOf(instruction, 2)).bits(), UINT64_MAX);
  EXPECT_EQ(At(body, 2).opcode, Opcode::kUnreachable);
}

TEST(InstructionReaderTest, ReadsIndirectBranches) {
  Reading reading(R"(
    define void @f(i1 %c) {
      %p = select i1 %c, ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)
      indirectbr ptr %p, [label %a, label %b]
    a:
      ret void
    b:
      ret void
    })");
  const Function& body = reading.Body("f");
  EXPECT_THAT(body.OperandsOf(At(body, 1)), ElementsAre(ValueNumber(1)));
  EXPECT_THAT(body.TargetsOf(At(body, 1)), ElementsAre(1, 2));
  EXPECT_FALSE(body.blocks[0].has_address_taken);
  EXPECT_TRUE(body.blocks[2].has_address_taken);
  const Constant& address = body.constant(body.OperandOf(At(body, 0), 2));
  EXPECT_EQ(address.kind, ConstantKind::kBlockAddress);
  EXPECT_EQ(address.block(), 2u);
  EXPECT_EQ(address.global, body.global_number());
}

TEST(InstructionReaderTest, ReadsPhisWithUsesBeforeDefinitions) {
  Reading reading(R"(
    define i32 @f(i32 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %next = add nuw nsw i32 %i, 1
      %more = icmp ult i32 %next, %n
      br i1 %more, label %loop, label %end
    end:
      ret i32 %i
    })");
  const Function& body = reading.Body("f");
  const Instruction& phi = At(body, 1);
  EXPECT_EQ(phi.opcode, Opcode::kPhi);
  EXPECT_TRUE(body.OperandOf(phi, 0).IsConstant());
  EXPECT_EQ(body.OperandOf(phi, 1), ValueNumber(2));
  EXPECT_THAT(body.TargetsOf(phi), ElementsAre(0, 1));
  EXPECT_TRUE(At(body, 2).no_signed_wrap);
  EXPECT_TRUE(At(body, 2).no_unsigned_wrap);
  EXPECT_EQ(At(body, 3).predicate(), Predicate::kIcmpUlt);
}

TEST(InstructionReaderTest, ReadsFlagsOfIntegers) {
  Reading reading(R"(
    define void @f(i32 %a, i32 %b) {
      %1 = add i32 %a, %b
      %2 = sub nsw i32 %a, %b
      %3 = shl nuw i32 %a, %b
      %4 = udiv exact i32 %a, %b
      %5 = ashr i32 %a, %b
      %6 = or disjoint i32 %a, %b
      %7 = trunc nuw i32 %a to i8
      %8 = zext nneg i32 %a to i64
      ret void
    })");
  const Function& body = reading.Body("f");
  EXPECT_FALSE(At(body, 0).no_signed_wrap || At(body, 0).no_unsigned_wrap);
  EXPECT_TRUE(At(body, 1).no_signed_wrap && !At(body, 1).no_unsigned_wrap);
  EXPECT_TRUE(!At(body, 2).no_signed_wrap && At(body, 2).no_unsigned_wrap);
  EXPECT_TRUE(At(body, 3).is_exact);
  EXPECT_FALSE(At(body, 4).is_exact);
  EXPECT_FALSE(At(body, 5).is_exact || At(body, 5).no_unsigned_wrap);
  EXPECT_TRUE(At(body, 6).no_unsigned_wrap);
  EXPECT_FALSE(At(body, 7).no_unsigned_wrap);
}

TEST(InstructionReaderTest, ReadsFastMathAsInBitcode) {
  Reading reading(R"(
    declare float @g(float)
    define float @f(float %a, float %b) {
      %1 = fadd float %a, %b
      %2 = fmul fast float %1, %b
      %3 = fneg nnan float %2
      %4 = fcmp ninf olt float %3, %b
      %5 = select reassoc i1 %4, float %a, float %b
      %6 = call contract float @g(float %5)
      ret float %6
    })");
  const Function& body = reading.Body("f");
  EXPECT_EQ(At(body, 0).fast_math, 0);
  EXPECT_EQ(At(body, 1).fast_math, 0xfe);
  EXPECT_EQ(At(body, 2).fast_math, 1 << 1);
  EXPECT_EQ(At(body, 3).fast_math, 1 << 2);
  EXPECT_EQ(At(body, 3).predicate(), Predicate::kOlt);
  EXPECT_EQ(At(body, 4).fast_math, 1 << 7);
  EXPECT_EQ(At(body, 5).fast_math, 1 << 5);
}

TEST(InstructionReaderTest, ReadsEveryBinaryOperation) {
  Reading reading(R"(
    define void @f(i32 %a, double %d) {
      %1 = add i32 %a, %a
      %2 = fadd double %d, %d
      %3 = sub i32 %a, %a
      %4 = fsub double %d, %d
      %5 = mul i32 %a, %a
      %6 = fmul double %d, %d
      %7 = udiv i32 %a, %a
      %8 = sdiv i32 %a, %a
      %9 = fdiv double %d, %d
      %10 = urem i32 %a, %a
      %11 = srem i32 %a, %a
      %12 = frem double %d, %d
      %13 = shl i32 %a, %a
      %14 = lshr i32 %a, %a
      %15 = ashr i32 %a, %a
      %16 = and i32 %a, %a
      %17 = or i32 %a, %a
      %18 = xor i32 %a, %a
      ret void
    })");
  const Function& body = reading.Body("f");
  int expected = static_cast<int>(Opcode::kAdd);
  for (uint32_t i = 0; i < 18; ++i) {
    EXPECT_EQ(static_cast<int>(At(body, i).opcode), expected++);
    EXPECT_EQ(At(body, i).operand_count, 2u);
  }
}

TEST(InstructionReaderTest, ReadsEveryCast) {
  Reading reading(R"(
    define void @f(i32 %a, double %d, float %s, ptr %p) {
      %1 = trunc i32 %a to i8
      %2 = zext i32 %a to i64
      %3 = sext i32 %a to i64
      %4 = fptoui double %d to i32
      %5 = fptosi double %d to i32
      %6 = uitofp i32 %a to double
      %7 = sitofp i32 %a to double
      %8 = fptrunc double %d to float
      %9 = fpext float %s to double
      %10 = ptrtoint ptr %p to i64
      %11 = inttoptr i32 %a to ptr
      %12 = bitcast i32 %a to float
      %13 = addrspacecast ptr %p to ptr addrspace(1)
      ret void
    })");
  const Function& body = reading.Body("f");
  int expected = static_cast<int>(Opcode::kTrunc);
  for (uint32_t i = 0; i < 13; ++i) {
    EXPECT_EQ(static_cast<int>(At(body, i).opcode), expected++);
    EXPECT_EQ(At(body, i).operand_count, 1u);
  }
  EXPECT_TRUE(At(body, 0).type->IsInteger(8));
  EXPECT_EQ(At(body, 12).type->number, 1u);
}

TEST(InstructionReaderTest, ReadsMemoryAccesses) {
  Reading reading(R"(
    define void @f(i64 %n, ptr %p) {
      %1 = alloca i32, i64 %n, align 16
      %2 = alloca inalloca [4 x i8], align 1
      %3 = load volatile i64, ptr %p, align 2
      %4 = load atomic i32, ptr %p syncscope("singlethread") acquire, align 4
      store atomic i32 %4, ptr %p syncscope("other") release, align 8
      %5 = getelementptr inbounds { i32, [8 x i16] }, ptr %p, i64 %n, i32 1, i64 3
      %6 = getelementptr i8, ptr %p, i64 %n
      fence seq_cst
      ret void
    })");
  const Function& body = reading.Body("f");
  EXPECT_TRUE(At(body, 0).source_type->IsInteger(32));
  EXPECT_EQ(At(body, 0).alignment(), 16u);
  EXPECT_THAT(body.OperandsOf(At(body, 0)), ElementsAre(ValueNumber(0)));
  EXPECT_TRUE(At(body, 1).is_inalloca);
  EXPECT_EQ(body.constant(body.OperandOf(At(body, 1), 0)).bits(), 1u);
  EXPECT_TRUE(At(body, 2).is_volatile && !At(body, 2).IsAtomic());
  EXPECT_EQ(At(body, 2).alignment(), 2u);
  EXPECT_EQ(At(body, 3).ordering, static_cast<int>(Ordering::kAcquire));
  EXPECT_TRUE(At(body, 3).is_singlethread && !At(body, 3).has_other_scope);
  EXPECT_EQ(At(body, 4).ordering, static_cast<int>(Ordering::kRelease));
  EXPECT_TRUE(!At(body, 4).is_singlethread && At(body, 4).has_other_scope);
  EXPECT_THAT(body.OperandsOf(At(body, 4)), ElementsAre(ValueNumber(1), ValueNumber(5)));
  EXPECT_TRUE(At(body, 5).is_inbounds);
  EXPECT_TRUE(At(body, 5).source_type->IsStruct());
  EXPECT_EQ(At(body, 5).operand_count, 4u);
  EXPECT_FALSE(At(body, 6).is_inbounds);
  EXPECT_EQ(At(body, 7).opcode, Opcode::kFence);
  EXPECT_EQ(At(body, 7).ordering, static_cast<int>(Ordering::kSequentiallyConsistent));
  EXPECT_FALSE(At(body, 7).is_singlethread || At(body, 7).has_other_scope);
}

TEST(InstructionReaderTest, ReadsAtomicUpdates) {
  Reading reading(R"(
    define void @f(i32 %a, i32 %b, ptr %p) {
      %1 = cmpxchg weak volatile ptr %p, i32 %a, i32 %b acq_rel monotonic, align 8
      %2 = atomicrmw umax ptr %p, i32 %a monotonic, align 4
      %3 = atomicrmw uinc_wrap ptr %p, i32 %a seq_cst
      ret void
    })");
  const Function& body = reading.Body("f");
  const Instruction& exchange = At(body, 0);
  EXPECT_TRUE(exchange.is_weak && exchange.is_volatile);
  EXPECT_EQ(exchange.ordering, static_cast<int>(Ordering::kAcquireRelease));
  EXPECT_EQ(exchange.failure_ordering, static_cast<int>(Ordering::kMonotonic));
  EXPECT_EQ(exchange.alignment(), 8u);
  EXPECT_THAT(body.OperandsOf(exchange),
              ElementsAre(ValueNumber(2), ValueNumber(0), ValueNumber(1)));
  EXPECT_TRUE(exchange.type->IsStruct());
  EXPECT_EQ(At(body, 1).operation(), AtomicOperation::kUMax);
  EXPECT_THAT(body.OperandsOf(At(body, 1)), ElementsAre(ValueNumber(2), ValueNumber(0)));
  EXPECT_EQ(At(body, 2).operation(), AtomicOperation::kUIncWrap);
}

TEST(InstructionReaderTest, ReadsVectorsAndAggregates) {
  Reading reading(R"(
    define void @f(<4 x i32> %v, <4 x i32> %w, {i8, [2 x i16]} %s, i32 %i) {
      %1 = extractelement <4 x i32> %v, i32 %i
      %2 = insertelement <4 x i32> %v, i32 %1, i32 %i
      %3 = shufflevector <4 x i32> %v, <4 x i32> %w, <2 x i32> <i32 7, i32 poison>
      %4 = extractvalue {i8, [2 x i16]} %s, 1, 0
      %5 = insertvalue {i8, [2 x i16]} %s, i16 %4, 1, 1
      %6 = freeze {i8, [2 x i16]} %5
      %7 = select i1 true, i32 %i, i32 %1
      ret void
    })");
  const Function& body = reading.Body("f");
  EXPECT_THAT(body.OperandsOf(At(body, 0)), ElementsAre(ValueNumber(0), ValueNumber(3)));
  EXPECT_THAT(body.OperandsOf(At(body, 1)),
              ElementsAre(ValueNumber(0), ValueNumber(4), ValueNumber(3)));
  ASSERT_EQ(At(body, 2).operand_count, 3u);
  const Constant& mask = body.constant(body.OperandOf(At(body, 2), 2));
  EXPECT_EQ(mask.kind, ConstantKind::kAggregate);
  ASSERT_EQ(mask.operands().size(), 2u);
  EXPECT_EQ(body.constant(mask.operands()[0]).bits(), 7u);
  EXPECT_TRUE(body.constant(mask.operands()[1]).IsUndefined());
  EXPECT_THAT(body.TargetsOf(At(body, 3)), ElementsAre(1, 0));
  EXPECT_THAT(body.OperandsOf(At(body, 3)), ElementsAre(ValueNumber(2)));
  EXPECT_THAT(body.TargetsOf(At(body, 4)), ElementsAre(1, 1));
  EXPECT_THAT(body.OperandsOf(At(body, 4)), ElementsAre(ValueNumber(2), ValueNumber(7)));
  EXPECT_EQ(At(body, 5).opcode, Opcode::kFreeze);
  EXPECT_EQ(body.OperandOf(At(body, 6), 1), ValueNumber(3));
}

TEST(InstructionReaderTest, ReadsCalls) {
  Reading reading(R"(
    declare void @g(i32, ...)
    define void @f(i32 %a, ptr %p) {
      call void (i32, ...) @g(i32 zeroext %a, ptr %p) nounwind
      tail call fastcc void %p()
      musttail call void @f(i32 %a, ptr %p)
      ret void
    }
    define void @h(ptr %p) {
      notail call void %p() [ "deopt"(i32 1) ]
      call void asm "nop", ""()
      call void asm "", "~{memory}"()
      ret void
    })");
  const Function& body = reading.Body("f");
  const Call& first = body.CallOf(At(body, 0));
  EXPECT_EQ(first.argument_count, 2u);
  EXPECT_TRUE(first.function_type->is_variadic);
  EXPECT_TRUE(first.attributes->function.Has(Attribute::kNoUnwind));
  EXPECT_TRUE(first.attributes->OfParameter(0).Has(Attribute::kZExt));
  EXPECT_THAT(body.ArgumentsOf(At(body, 0)), ElementsAre(ValueNumber(0), ValueNumber(1)));
  ASSERT_NE(body.CalledFunctionOf(At(body, 0)), nullptr);
  EXPECT_EQ(body.CalledFunctionOf(At(body, 0))->name, "g");
  const Call& second = body.CallOf(At(body, 1));
  EXPECT_TRUE(second.is_tail && !second.is_must_tail && !second.is_no_tail);
  EXPECT_EQ(second.convention, kConventionFast);
  EXPECT_EQ(body.CalleeOf(At(body, 1)), ValueNumber(1));
  EXPECT_EQ(body.CalledFunctionOf(At(body, 1)), nullptr);
  const Call& third = body.CallOf(At(body, 2));
  EXPECT_TRUE(third.is_must_tail && !third.is_tail);
  const Function& other = reading.Body("h");
  const Call& with_bundle = other.CallOf(At(other, 0));
  EXPECT_TRUE(with_bundle.has_bundles && with_bundle.is_no_tail);
  EXPECT_EQ(At(other, 0).operand_count, 1u);
  EXPECT_EQ(other.constant(other.CalleeOf(At(other, 1))).kind, ConstantKind::kInlineAssembly);
  const Constant& empty = other.constant(other.CalleeOf(At(other, 2)));
  EXPECT_EQ(empty.kind, ConstantKind::kEmptyAssembly);
  EXPECT_EQ(empty.data(), "~{memory}");
}

TEST(InstructionReaderTest, ReadsCallsThatReturnTwoWays) {
  Reading reading(R"(
    declare void @g(i32)
    declare i32 @__gxx_personality_v0(...)
    @t = external constant ptr
    define void @f(i32 %a) personality ptr @__gxx_personality_v0 {
      invoke void @g(i32 %a) to label %end unwind label %pad
    pad:
      %p = landingpad { ptr, i32 } cleanup catch ptr @t filter [1 x ptr] [ptr @t]
      resume { ptr, i32 } %p
    end:
      ret void
    }
    define void @b() {
      callbr void asm "", "!i"() to label %x [label %y]
    x:
      ret void
    y:
      ret void
    })");
  const Function& body = reading.Body("f");
  EXPECT_THAT(body.TargetsOf(At(body, 0)), ElementsAre(2, 1));
  EXPECT_THAT(body.ArgumentsOf(At(body, 0)), ElementsAre(ValueNumber(0)));
  EXPECT_TRUE(At(body, 1).is_cleanup);
  EXPECT_THAT(body.TargetsOf(At(body, 1)), ElementsAre(0, 1));
  EXPECT_EQ(body.GlobalOf(body.OperandOf(At(body, 1), 0))->name, "t");
  EXPECT_EQ(body.constant(body.OperandOf(At(body, 1), 1)).kind, ConstantKind::kAggregate);
  EXPECT_THAT(body.OperandsOf(At(body, 2)), ElementsAre(ValueNumber(1)));
  const Function& other = reading.Body("b");
  EXPECT_EQ(At(other, 0).opcode, Opcode::kCallBr);
  EXPECT_THAT(other.TargetsOf(At(other, 0)), ElementsAre(1, 2));
}

TEST(InstructionReaderTest, ReadsPadsOfWindows) {
  Reading reading(R"(
    declare void @g()
    declare i32 @__CxxFrameHandler3(...)
    define void @f() personality ptr @__CxxFrameHandler3 {
      invoke void @g() to label %end unwind label %choice
    choice:
      %s = catchswitch within none [label %handler] unwind label %clean
    handler:
      %p = catchpad within %s [ptr null, i32 64]
      catchret from %p to label %end
    clean:
      %c = cleanuppad within none []
      cleanupret from %c unwind to caller
    end:
      ret void
    })");
  const Function& body = reading.Body("f");
  const Instruction& choice = FirstOf(body, Opcode::kCatchSwitch);
  EXPECT_THAT(body.TargetsOf(choice), ElementsAre(2, 3));
  EXPECT_EQ(body.constant(body.OperandOf(choice, 0)).kind, ConstantKind::kNull);
  EXPECT_TRUE(choice.type->IsToken());
  const Instruction& pad = FirstOf(body, Opcode::kCatchPad);
  ASSERT_EQ(pad.operand_count, 3u);
  EXPECT_EQ(body.OperandOf(pad, 0), ValueNumber(choice.value));
  EXPECT_EQ(body.constant(body.OperandOf(pad, 2)).bits(), 64u);
  const Instruction& handled = FirstOf(body, Opcode::kCatchRet);
  EXPECT_THAT(body.OperandsOf(handled), ElementsAre(ValueNumber(pad.value)));
  EXPECT_THAT(body.TargetsOf(handled), ElementsAre(4));
  const Instruction& clean = FirstOf(body, Opcode::kCleanupPad);
  EXPECT_EQ(clean.operand_count, 1u);
  const Instruction& cleaned = FirstOf(body, Opcode::kCleanupRet);
  EXPECT_THAT(body.OperandsOf(cleaned), ElementsAre(ValueNumber(clean.value)));
  EXPECT_THAT(body.TargetsOf(cleaned), IsEmpty());
}

TEST(InstructionReaderTest, ReadsFurtherArguments) {
  Reading reading(R"(
    define i32 @f(ptr %list) {
      %x = va_arg ptr %list, i32
      ret i32 %x
    })");
  const Function& body = reading.Body("f");
  EXPECT_EQ(At(body, 0).opcode, Opcode::kVAArg);
  EXPECT_TRUE(At(body, 0).type->IsInteger(32));
  EXPECT_THAT(body.OperandsOf(At(body, 0)), ElementsAre(ValueNumber(0)));
}

TEST(InstructionReaderTest, HasOneConstantForAllMetadata) {
  Reading reading(R"(
    declare void @llvm.write_register.i64(metadata, i64)
    define void @f(i64 %x) {
      call void @llvm.write_register.i64(metadata !0, i64 %x)
      call void @llvm.write_register.i64(metadata !1, i64 %x)
      ret void
    }
    !0 = !{!"rsp"}
    !1 = !{!"rbp"})");
  const Function& body = reading.Body("f");
  const Operand metadata = body.OperandOf(At(body, 0), 0);
  EXPECT_EQ(body.constant(metadata).kind, ConstantKind::kMetadata);
  EXPECT_EQ(body.constant(metadata).type->kind, TypeKind::kMetadata);
  EXPECT_EQ(body.OperandOf(At(body, 1), 0), metadata);
  EXPECT_EQ(body.constants.size(), 1u);
}

TEST(InstructionReaderTest, NotesDebugInformationAndUnknownMetadata) {
  Reading reading(R"(
    define void @f(ptr %p) !dbg !3 {
      %1 = load i32, ptr %p, !pcsections !5, !dbg !6
      %2 = load i32, ptr %p, !annotation !7, !dbg !6
      ret void, !dbg !6
    }
    define void @g() !pcsections !5 {
      ret void
    }
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!2}
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
    !1 = !DIFile(filename: "a.c", directory: "/")
    !2 = !{i32 2, !"Debug Info Version", i32 3}
    !3 = distinct !DISubprogram(name: "f", file: !1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
    !4 = !DISubroutineType(types: !5)
    !5 = !{}
    !6 = !DILocation(line: 1, scope: !3)
    !7 = !{!"note"})");
  const Function& body = reading.Body("f");
  EXPECT_TRUE(body.has_debug_information);
  EXPECT_FALSE(body.has_unknown);
  EXPECT_TRUE(At(body, 0).has_unknown);
  EXPECT_FALSE(At(body, 1).has_unknown);
  EXPECT_FALSE(At(body, 2).has_unknown);
  const Function& other = reading.Body("g");
  EXPECT_FALSE(other.has_debug_information);
  EXPECT_TRUE(other.has_unknown);
}

TEST(InstructionReaderTest, ConstantsBelongToTheBodyUnlessTheModuleHasThem) {
  Reading reading(R"(
    @g = global i32 7
    define void @f() {
      store i32 7, ptr @g
      store i32 8, ptr @g
      store i32 8, ptr @g
      ret void
    })");
  const size_t shared = reading.module().constants().size();
  EXPECT_EQ(shared, 3u);  // Two addresses, and 7.
  const Function& body = reading.Body("f");
  EXPECT_EQ(body.OperandOf(At(body, 0), 0), Operand::Constant(0));
  EXPECT_EQ(body.OperandOf(At(body, 0), 1), Operand::Constant(2));
  EXPECT_EQ(body.OperandOf(At(body, 1), 1), Operand::Constant(3));
  EXPECT_EQ(body.OperandOf(At(body, 2), 1), Operand::Constant(3));
  EXPECT_EQ(body.constants.size(), 1u);
  reading.Body("f");
  EXPECT_EQ(reading.module().constants().size(), shared);
}

}  // namespace
}  // namespace firstcall::ir
