// Debug information of code that LLVM has not generated, as LLVM's reader of DWARF sees it. That
// GDB reads it is tested in tests/debugger.

#include "backend/llvm/debug_object.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "backend/llvm/target.h"
#include "base/diagnostic_collector.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using Variable = DescribedCode::Variable;

constexpr char kSource[] = R"(
  define void @f() !dbg !4 { ret void }
  define void @g() !dbg !20 { ret void }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2, !3}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
  !1 = !DIFile(filename: "a.c", directory: "/")
  !2 = !{i32 2, !"Dwarf Version", i32 5}
  !3 = !{i32 2, !"Debug Info Version", i32 3}
  !4 = distinct !DISubprogram(name: "f", file: !1, line: 1, scopeLine: 1, type: !5, unit: !0,
                              spFlags: DISPFlagDefinition)
  !5 = !DISubroutineType(types: !6)
  !6 = !{null}
  !7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
  !8 = !DILocalVariable(name: "v", scope: !4, file: !1, line: 2, type: !7)
  !20 = distinct !DISubprogram(name: "g", file: !1, line: 9, scopeLine: 9, type: !5, unit: !0,
                               spFlags: DISPFlagDefinition)
  !named = !{!8}
)";

class DebugObjectTest : public testing::Test {
 protected:
  DebugObjectTest() : source_(ParseModule(kSource, context_)), described_("description", context_) {
    CollectDiagnostics(context_);
    absl::StatusOr<Target> target = Target::Create(TargetSettings());
    EXPECT_THAT(target.status(), IsOk());
    target_ = std::make_unique<Target>(*std::move(target));
    EXPECT_THAT(target_->Adopt(described_), IsOk());
    for (const char* name : {"llvm.dbg.cu", "llvm.module.flags"}) {
      llvm::NamedMDNode* const copy = described_.getOrInsertNamedMetadata(name);
      for (llvm::MDNode* node : source_->getNamedMetadata(name)->operands()) copy->addOperand(node);
    }
  }

  llvm::Function& Add(const char* name) {
    llvm::Function* const function = source_->getFunction(name);
    llvm::DISubprogram* const subprogram = function->getSubprogram();
    function->setSubprogram(nullptr);
    scope_ = subprogram;
    return AddDescribedFunction(described_, name, *subprogram);
  }

  llvm::DILocation* Line(unsigned line) const {
    return llvm::DILocation::get(scope_->getContext(), line, 1, scope_);
  }

  // A variable `v` of f, whose place is in the frame from `offset` on.
  Variable InFrame(uint32_t offset, int64_t place) {
    Variable variable;
    variable.offset = offset;
    variable.variable =
        llvm::cast<llvm::DILocalVariable>(source_->getNamedMetadata("named")->getOperand(0));
    variable.expression = llvm::DIExpression::get(context_, {});
    variable.location = Line(2);
    variable.kind = Variable::Kind::kAddress;
    variable.reg = target_->triple().isX86() ? 6 : 29;
    variable.place = place;
    return variable;
  }

  void Make(const DescribedFunctions& functions) {
    absl::StatusOr<ObjectBytes> bytes = MakeDebugObject(*target_, described_, functions);
    ASSERT_THAT(bytes.status(), IsOk());
    bytes_ = *std::move(bytes);
    auto object = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef({bytes_.data(), bytes_.size()}, "object"));
    ASSERT_TRUE(static_cast<bool>(object));
    object_ = std::move(*object);
    dwarf_ = llvm::DWARFContext::create(*object_);
  }

  // The line of the code at `offset` in section number `section` among those of code.
  unsigned LineAt(const char* section, uint64_t offset) const {
    for (const llvm::object::SectionRef& each : object_->sections()) {
      if (llvm::cantFail(each.getName()) != section) continue;
      // A DILineInfo, since LLVM 21 or nothing.
      const std::optional<llvm::DILineInfo> line =
          dwarf_->getLineInfoForAddress({offset, each.getIndex()});
      return line ? line->Line : 0;
    }
    ADD_FAILURE() << "no section " << section;
    return 0;
  }

  std::string Dump() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DIDumpOptions options;
    options.ShowChildren = true;
    options.DumpType = llvm::DIDT_DebugInfo | llvm::DIDT_DebugFrame;
    dwarf_->dump(stream, options);
    return text;
  }

  llvm::LLVMContext context_;
  const std::unique_ptr<llvm::Module> source_;
  llvm::Module described_;
  std::unique_ptr<Target> target_;
  llvm::DISubprogram* scope_ = nullptr;
  ObjectBytes bytes_;
  std::unique_ptr<llvm::object::ObjectFile> object_;
  std::unique_ptr<llvm::DWARFContext> dwarf_;
};

TEST_F(DebugObjectTest, LinesBeginWhereTheyAreSaidTo) {
  DescribedFunctions functions;
  llvm::Function& f = Add("f");
  functions[&f] = {40, {{8, Line(5)}, {20, Line(6)}, {32, Line(5)}}, {}, {}};
  llvm::Function& g = Add("g");
  functions[&g] = {16, {{4, Line(10)}}, {}, {}};
  Make(functions);
  EXPECT_EQ(LineAt(".text.1", 0), 1u);  // The function's own.
  EXPECT_EQ(LineAt(".text.1", 8), 5u);
  EXPECT_EQ(LineAt(".text.1", 16), 5u);
  EXPECT_EQ(LineAt(".text.1", 20), 6u);
  EXPECT_EQ(LineAt(".text.1", 36), 5u);
  EXPECT_EQ(LineAt(".text.2", 0), 9u);
  EXPECT_EQ(LineAt(".text.2", 12), 10u);
  EXPECT_THAT(Dump(), HasSubstr("DW_AT_name\t(\"f\")"));
}

TEST_F(DebugObjectTest, VariableIsWhereItIsSaidToBe) {
  DescribedFunctions functions;
  llvm::Function& f = Add("f");
  functions[&f] = {40, {{8, Line(5)}, {20, Line(6)}}, {InFrame(8, -24)}, {}};
  Make(functions);
  const std::string text = Dump();
  EXPECT_THAT(text, HasSubstr("DW_AT_name\t(\"v\")"));
  EXPECT_TRUE(absl::StrContains(text, "DW_OP_fbreg -24") ||
              absl::StrContains(text, "DW_OP_breg6 RBP-24") ||
              absl::StrContains(text, "DW_OP_breg29 W29-24"))
      << text;
}

TEST_F(DebugObjectTest, ConstantAndUnknownValuesEachHaveTheirPartOfTheCode) {
  llvm::Function& f = Add("f");
  Variable constant = InFrame(8, 0);
  constant.kind = Variable::Kind::kConstant;
  constant.place = 77;
  Variable unknown = InFrame(24, 0);
  unknown.kind = Variable::Kind::kUnknown;
  DescribedFunctions functions;
  functions[&f] = {40, {{8, Line(5)}, {20, Line(6)}}, {constant, unknown}, {}};
  Make(functions);
  EXPECT_THAT(Dump(), HasSubstr("+77, DW_OP_stack_value"));
}

TEST_F(DebugObjectTest, UnwindRowsAreWritten) {
  DescribedFunctions functions;
  llvm::Function& f = Add("f");
  DescribedCode code = {40, {{8, Line(5)}}, {}, {}};
  code.unwind.push_back({4, llvm::MCCFIInstruction::cfiDefCfaOffset(nullptr, 48)});
  functions[&f] = std::move(code);
  Make(functions);
  EXPECT_THAT(Dump(), HasSubstr("DW_CFA_def_cfa_offset: +48"));
}

}  // namespace
}  // namespace firstcall
