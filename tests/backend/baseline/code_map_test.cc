// What is recorded of code while it is generated.

#include "backend/baseline/code_map.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backend/baseline/baseline_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/stubs/disassembler.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

using ::testing::IsEmpty;
using Kind = CodeMap::Location::Kind;

constexpr const char* kTriples[] = {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"};

constexpr char kFunction[] = R"(
  declare void @look(ptr)
  define i64 @f(i64 %a, i64 %b) {
    %variable = alloca i64
    store i64 %a, ptr %variable
    call void @look(ptr %variable)
    %loaded = load i64, ptr %variable
    %sum = add i64 %loaded, %b
    ret i64 %sum
  }
)";

class CodeMapTest : public ::testing::TestWithParam<const char*> {
 protected:
  CodeMapTest() : module_(ParseModule(kFunction, context_)) {
    map_.watched = {0, 1, 2, 3, 4};
    Compile(&map_, code_);
  }

  void Compile(CodeMap* map, CompiledCode& code) {
    const auto compiler = BaselineCompiler::Create(GetParam(), BaselineOptions());
    ASSERT_THAT(compiler.status(), IsOk());
    ir::LlvmReader reader;
    ir::Function function;
    ASSERT_THAT(reader.Begin(*module_), IsOk());
    ASSERT_THAT(reader.Read(*module_->getFunction("f"), function), IsOk());
    EXPECT_EQ((*compiler)->Compile(function, /*is_near=*/true, code, map), Refusal::kNone);
  }

  // Where the value is when instruction number `instruction` begins.
  CodeMap::Location At(uint32_t instruction, uint32_t value) const {
    CodeMap::Location location;
    for (const CodeMap::Place& place : map_.places) {
      if (place.instruction != instruction) continue;
      for (const CodeMap::Change& change : map_.changes) {
        if (change.value == value && change.offset <= place.offset) location = change.location;
      }
    }
    return location;
  }

  llvm::LLVMContext context_;
  const std::unique_ptr<llvm::Module> module_;
  CodeMap map_;
  CompiledCode code_;
};

INSTANTIATE_TEST_SUITE_P(Architectures, CodeMapTest, ::testing::ValuesIn(kTriples));

TEST_P(CodeMapTest, RecordingDoesNotChangeTheCode) {
  CompiledCode other;
  Compile(nullptr, other);
  EXPECT_EQ(code_.sections[0].bytes, other.sections[0].bytes);
  EXPECT_EQ(code_.sections[1].bytes, other.sections[1].bytes);
  EXPECT_EQ(map_.size, code_.symbols[0].size);
}

TEST_P(CodeMapTest, PlacesAreBeginningsOfInstructions) {
  const testing::Disassembler disassembler(GetParam());
  std::vector<uint64_t> beginnings;
  for (const testing::Instruction& instruction :
       disassembler.Range(code_.sections[0].bytes, 0, 0, code_.symbols[0].size)) {
    beginnings.push_back(instruction.address);
  }
  ASSERT_FALSE(map_.places.empty());
  EXPECT_GT(map_.places.front().offset, 0u);  // The prologue is in front of it.
  for (const CodeMap::Place& place : map_.places) {
    EXPECT_TRUE(std::count(beginnings.begin(), beginnings.end(), place.offset)) << place.offset;
  }
  for (size_t i = 1; i < map_.places.size(); ++i) {
    EXPECT_LE(map_.places[i - 1].offset, map_.places[i].offset);
    EXPECT_LT(map_.places[i - 1].instruction, map_.places[i].instruction);
  }
}

TEST_P(CodeMapTest, VariableIsInTheFrame) {
  const CodeMap::Location location = At(2, 2);
  EXPECT_EQ(location.kind, Kind::kAddressOf);
  EXPECT_EQ(location.reg, std::string(GetParam()) == kTriples[0] ? 6 : 29);
  EXPECT_EQ(At(5, 2), location);
}

TEST_P(CodeMapTest, ArgumentIsInARegisterThatCallsPreserveOrInMemory) {
  const CodeMap::Location location = At(2, 1);
  EXPECT_TRUE(location.kind == Kind::kMemory || location.kind == Kind::kRegister);
  EXPECT_EQ(At(2, 0).kind, Kind::kNowhere);  // Its last use was in front of the call.
  EXPECT_EQ(At(2, 3).kind, Kind::kNowhere);  // Not computed yet.
}

TEST_P(CodeMapTest, RowsOfTheUnwindTableAreInOrder) {
  ASSERT_FALSE(map_.unwind.empty());
  for (size_t i = 1; i < map_.unwind.size(); ++i) {
    EXPECT_LE(map_.unwind[i - 1].offset, map_.unwind[i].offset);
  }
  EXPECT_LE(map_.unwind.back().offset, map_.size);
}

TEST_P(CodeMapTest, MapOfAnotherFunctionIsForgotten) {
  CodeMap map = map_;
  map.watched.clear();
  CompiledCode code;
  Compile(&map, code);
  EXPECT_THAT(map.changes, IsEmpty());
  EXPECT_EQ(map.places.size(), map_.places.size());
}

}  // namespace
}  // namespace firstcall::baseline
