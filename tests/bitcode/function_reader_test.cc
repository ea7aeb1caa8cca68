// Bodies from bitcode, through FunctionReader: also its parts (record_cursor, body_builder,
// *_records, call_reader, attachment_reader, addressed_blocks, value_numbering), which have no
// tests of their own. That all kinds of instructions are read as LLVM reads them is what
// compare_readers_test.cc shows; here is what LLVM cannot be asked about.

#include "bitcode/function_reader.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/module.h"
#include "bitcode/records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/text.h"
#include "tests/bitcode/bit_writer.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::bitcode {
namespace {

using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::Opcode;
using ir::Operand;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The module `text`, written by LLVM and read without LLVM.
class Reading {
 public:
  explicit Reading(absl::string_view text) : bytes_(ParseToBitcode(text)) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes_.data());
    absl::StatusOr<std::unique_ptr<BitcodeModule>> module =
        BitcodeModule::Read({data, bytes_.size()});
    EXPECT_THAT(module, IsOk());
    if (!module.ok()) return;
    module_ = *std::move(module);
    reader_ = std::make_unique<FunctionReader>(*module_);
  }

  FunctionReader& reader() { return *reader_; }
  uint32_t NumberOf(absl::string_view name) const {
    const absl::Span<const ir::Global> globals = module_->module().globals();
    for (uint32_t number = 0; number < globals.size(); ++number) {
      if (globals[number].name == name) return number;
    }
    return kNone;
  }

  absl::Status Read(absl::string_view name) { return reader_->Read(NumberOf(name), body_); }
  // Reads the function; valid until the next call.
  const Function& Body(absl::string_view name) {
    EXPECT_THAT(Read(name), IsOk());
    return body_;
  }

 private:
  const std::string bytes_;
  std::unique_ptr<BitcodeModule> module_;
  std::unique_ptr<FunctionReader> reader_;
  Function body_;
};

const Instruction& At(const Function& body, uint32_t number) { return body.instructions[number]; }

TEST(FunctionReaderTest, NumbersArgumentsThenResults) {
  Reading reading(R"(
    @g = global i32 5
    define i32 @f(i32 %a, ptr %p) {
      store i32 %a, ptr %p
      %x = load i32, ptr @g
      %y = add i32 %x, 77
      %z = add i32 %y, %a
      ret i32 %z
    })");
  const Function& body = reading.Body("f");
  EXPECT_EQ(body.argument_count(), 2u);
  ASSERT_EQ(body.values.size(), 5u);
  EXPECT_EQ(body.values[0].uses, 2u);
  EXPECT_EQ(At(body, 0).value, kNone);
  EXPECT_EQ(At(body, 1).value, 2u);
  EXPECT_THAT(body.OperandsOf(At(body, 0)), ElementsAre(Operand::Value(1), Operand::Value(0)));
  EXPECT_EQ(body.GlobalOf(body.OperandOf(At(body, 1), 0))->name, "g");
  EXPECT_EQ(body.OperandOf(At(body, 2), 0), Operand::Value(2));
  EXPECT_EQ(body.ConstantOf(body.OperandOf(At(body, 2), 1))->bits(), 77u);
  EXPECT_THAT(body.OperandsOf(At(body, 3)), ElementsAre(Operand::Value(3), Operand::Value(0)));
}

// Blocks in an order in which definitions come behind uses.
TEST(FunctionReaderTest, FindsValuesThatAreDefinedBehindTheirUses) {
  Reading reading(R"(
    define i32 @f(i1 %c, ptr %p) {
      br label %define
    use:
      %sum = add i32 %later, %later
      %narrow = trunc i32 %later to i8
      %address = getelementptr i8, ptr %p, i32 %later
      call void (i32, ...) @g(i32 %later, i32 %later)
      br label %end
    define:
      %later = load i32, ptr %p
      br i1 %c, label %use, label %end
    end:
      %both = phi i32 [ %sum, %use ], [ %later, %define ]
      ret i32 %both
    }
    declare void @g(i32, ...))");
  const Function& body = reading.Body("f");
  const uint32_t later = 5;
  EXPECT_EQ(body.values[later].instruction, 6u);
  EXPECT_EQ(body.values[later].uses, 7u);
  EXPECT_THAT(body.OperandsOf(At(body, 1)),
              ElementsAre(Operand::Value(later), Operand::Value(later)));
  EXPECT_EQ(At(body, 1).type, body.values[later].type);
  EXPECT_THAT(body.OperandsOf(At(body, 3)), ElementsAre(Operand::Value(1), Operand::Value(later)));
  EXPECT_THAT(body.OperandsOf(At(body, 8)), ElementsAre(Operand::Value(2), Operand::Value(later)));
}

TEST(FunctionReaderTest, ReadsBodiesInAnyOrderAndAgain) {
  Reading reading(R"(
    define void @a() {
      ret void
    }
    define i64 @b(i64 %x) {
      %y = mul i64 %x, 12345678901
      ret i64 %y
    })");
  const std::string b = ir::TextOf(reading.Body("b"));
  const std::string a = ir::TextOf(reading.Body("a"));
  EXPECT_THAT(a, HasSubstr("ret"));
  EXPECT_EQ(ir::TextOf(reading.Body("b")), b);
  EXPECT_EQ(ir::TextOf(reading.Body("a")), a);
}

TEST(FunctionReaderTest, RefusesWhatHasNoBody) {
  Reading reading(R"(
    @v = global i32 0
    declare void @g()
    define void @f() {
      ret void
    })");
  Function body;
  EXPECT_THAT(reading.Read("g"),
              StatusIs(absl::StatusCode::kInvalidArgument, "reading function 'g': it has no body"));
  EXPECT_THAT(reading.Read("v"),
              StatusIs(absl::StatusCode::kInvalidArgument, "reading function 'v': it has no body"));
  EXPECT_THAT(reading.reader().Read(3, body),
              StatusIs(absl::StatusCode::kInvalidArgument, "reading function 3: no such number"));
  EXPECT_THAT(reading.Read("f"), IsOk());
}

TEST(FunctionReaderTest, MarksBlocksWhoseAddressesAreTaken) {
  Reading reading(R"(
    @table = constant [1 x ptr] [ptr blockaddress(@data, %x)]
    define void @data() {
      br label %w
    w:
      br label %x
    x:
      ret void
    }
    define void @own(ptr %p) {
      store ptr blockaddress(@own, %x), ptr %p
      br label %w
    w:
      br label %x
    x:
      ret void
    }
    define void @shared() {
      br label %x
    x:
      ret void
    }
    define ptr @user() {
      ret ptr blockaddress(@shared, %x)
    }
    define void @none() {
      br label %x
    x:
      ret void
    })");
  const auto taken = [&](absl::string_view name) {
    std::string marks;
    for (const ir::Block& block : reading.Body(name).blocks) {
      marks += block.has_address_taken ? '1' : '0';
    }
    return marks;
  };
  EXPECT_EQ(taken("data"), "001");
  EXPECT_EQ(taken("own"), "001");
  EXPECT_EQ(taken("shared"), "11");
  EXPECT_EQ(taken("user"), "0");
  EXPECT_EQ(taken("none"), "00");
}

// Of other metadata it is known that there is some.
TEST(FunctionReaderTest, KeepsTextsOfConstrainedOperations) {
  Reading reading(R"(
    declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
    declare double @llvm.experimental.constrained.powi.f64(double, i32, metadata, metadata)
    declare i1 @llvm.type.test(ptr, metadata)
    define double @f(double %x, ptr %p) strictfp {
      %y = call double @llvm.experimental.constrained.fadd.f64(
          double %x, double %x, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
      %z = call double @llvm.experimental.constrained.powi.f64(
          double %y, i32 3, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
      %t = call i1 @llvm.type.test(ptr %p, metadata !"fpexcept.strict")
      ret double %z
    }
    define double @g(double %x) strictfp {
      %y = call double @llvm.experimental.constrained.fadd.f64(
          double %x, double %x, metadata !"round.dynamic", metadata !"fpexcept.ignore") strictfp
      ret double %y
    })");
  const auto text = [](const Function& body, uint32_t instruction, uint32_t operand) {
    const ir::Constant& constant = body.constant(body.OperandOf(At(body, instruction), operand));
    EXPECT_EQ(constant.kind, ir::ConstantKind::kMetadata);
    return constant.data();
  };
  const Function& f = reading.Body("f");
  EXPECT_EQ(text(f, 0, 2), "round.upward");
  EXPECT_EQ(text(f, 0, 3), "fpexcept.strict");
  EXPECT_EQ(text(f, 1, 2), "round.dynamic");
  EXPECT_EQ(f.OperandOf(At(f, 0), 3), f.OperandOf(At(f, 1), 3));
  EXPECT_EQ(text(f, 2, 1), "");
  const Function& g = reading.Body("g");
  EXPECT_EQ(text(g, 0, 2), "round.dynamic");
  EXPECT_EQ(text(g, 0, 3), "fpexcept.ignore");
}

// A module with one function "f" of the type i32 (i32, i32), whose records a test writes.
constexpr uint32_t kVoid = 0, kI32 = 1, kFunctionType = 2;

absl::Status ReadRecords(const std::vector<std::vector<uint64_t>>& records, uint64_t blocks = 1) {
  BitWriter writer;
  writer.Magic().EnterBlock(kModuleBlock).Record(kModuleVersion, {2});
  writer.EnterBlock(kTypeBlock).Record(kTypeCount, {3}).Record(kTypeVoid);
  writer.Record(kTypeInteger, {32}).Record(kTypeFunction, {0, kI32, kI32, kI32}).EndBlock();
  writer.Record(kModuleFunction, {0, 1, kFunctionType, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  writer.EnterBlock(kFunctionBlock).Record(kFunctionDeclareBlocks, {blocks});
  for (const std::vector<uint64_t>& record : records) {
    writer.Record(static_cast<uint32_t>(record[0]), {record.begin() + 1, record.end()});
  }
  writer.EndBlock().EndBlock();
  writer.EnterBlock(kStringTableBlock, 3).Define(2).Literal(kStringTableBlob);
  writer.Field(kEncodingBlob).Id(kFirstAbbreviationId).Blob("f").EndBlock();
  const absl::StatusOr<std::unique_ptr<BitcodeModule>> module = BitcodeModule::Read(writer.bytes());
  EXPECT_THAT(module, IsOk());
  if (!module.ok()) return module.status();
  FunctionReader reader(**module);
  Function body;
  return reader.Read(0, body);
}

// Distances to the arguments from the first result.
constexpr uint64_t kSecond = 1, kFirst = 2;
constexpr uint64_t kBehind = UINT32_MAX;  // The distance to the result behind the next one.

TEST(FunctionReaderTest, ReadsRecordsOfATest) {
  EXPECT_THAT(ReadRecords({{kFunctionBinary, kFirst, kSecond, kBinaryAdd}, {kFunctionRet, 1}}),
              IsOk());
}

TEST(FunctionReaderTest, RefusesDamagedRecords) {
  const struct {
    std::vector<std::vector<uint64_t>> records;
    absl::string_view reason;
  } kCases[] = {
      {{{kFunctionCast, kFirst, 9, 0}}, "instruction 0: no type has this number"},
      {{{kFunctionRet, kBehind}}, "the record lacks operands"},
      {{{kFunctionRet, uint64_t{1} << 32}}, "a value is too far away"},
      {{{kFunctionRet, 0, kI32}}, "an operand is a value that no instruction defines"},
      {{{kFunctionBinary, kFirst, kSecond, 0}}, "the last block has no terminator"},
      {{{kFunctionBinary, kFirst}}, "the record lacks operands"},
      {{{kFunctionBr, 1}}, "no block has this number"},
      {{{kFunctionRet, kFirst}, {kFunctionRet, kFirst}},
       "instruction 1: an instruction stands behind the last block"},
      {{{kFunctionDeclareBlocks, 1}}, "the body says twice how many blocks it has"},
      {{{kFunctionCompare2, kFirst, kSecond, 3}}, "a predicate that the type lacks"},
      {{{kFunctionCast, kFirst, kVoid, 0}}, "a result of a type that no value has"},
      {{{kFunctionExtractValue, kFirst, 0}}, "an aggregate has no part with this index"},
      {{{kFunctionCall, 1, 1 << 15, kFunctionType, kFirst}}, "no list of attributes"},
      {{{kFunctionCall, 0, 1 << 15, kI32, kFirst}}, "a call with a type of no function"},
  };
  for (const auto& one : kCases) {
    EXPECT_THAT(ReadRecords(one.records),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(one.reason)));
  }
}

TEST(FunctionReaderTest, LeavesOlderAndNewerFormsToLlvm) {
  const struct {
    std::vector<std::vector<uint64_t>> records;
    absl::string_view reason;
  } kCases[] = {
      {{{kFunctionOldStore, kFirst, kSecond}}, "an unknown record, or one of an older LLVM"},
      {{{250, 1}}, "an unknown record, or one of an older LLVM"},
      {{{kFunctionBinary, kFirst, kSecond, 13}}, "an unknown operation"},
      {{{kFunctionBinary, kFirst, kSecond, kBinaryAdd, 4}}, "an unknown flag"},
      {{{kFunctionBinary, kFirst, kSecond, kBinaryAdd, 1, 1}}, "unknown operands"},
      {{{kFunctionCast, kFirst, kI32, 13}}, "an unknown cast"},
      {{{kFunctionAlloca, kI32, kI32, 1, 0}}, "an alloca of an older form"},
      {{{kFunctionCall, 0, 0, kFirst}}, "a call of an older form"},
      {{{kFunctionInvoke, 0, 0, 0, 0, kFirst}}, "an invoke of an older form"},
      {{{kFunctionLoad, kFirst, kI32, 0, 0}}, "an access without an alignment"},
  };
  for (const auto& one : kCases) {
    EXPECT_THAT(ReadRecords(one.records),
                StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(one.reason)));
  }
}

}  // namespace
}  // namespace firstcall::bitcode
