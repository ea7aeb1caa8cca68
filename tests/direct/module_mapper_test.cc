#include "direct/module_mapper.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "tests/direct/read_both_ways.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kModule[] = R"(
  @variable = global [4 x i32] zeroinitializer
  @third = alias i32, getelementptr (i8, ptr @variable, i64 8)
  @text = private constant [2 x ptr] [ptr @variable, ptr @third]
  @table = constant { i32, [2 x ptr] } { i32 7, [2 x ptr] [ptr @callee, ptr @variable] }
  @label = global ptr blockaddress(@jumps, %here)
  declare void @callee()
  define void @calls() {
    call void @callee()
    call void @calls()
    call void @later()
    ret void
  }
  define void @later() { ret void }
  define ptr @takes() {
    call void @callee()
    ret ptr @callee
  }
  define ptr @points() { ret ptr getelementptr (i8, ptr @third, i64 1) }
  define ptr @reads() { ret ptr @text }
  define void @jumps() {
    br label %here
  here:
    ret void
  }
  define ptr @foreign() { ret ptr blockaddress(@jumps, %here) }
)";

// Addresses keep their names, calls get ".call" and entries of tables ".entry". Aliases stand for
// what they name, and private variables are copied.
class Names final : public ReferenceNames {
 public:
  explicit Names(const ReadBothWays& read) : read_(read) {}

  Reference OfAddress(uint32_t global) override {
    if (read_.NameOf(global) == "third") return {read_.NumberOf("variable"), 8, "variable"};
    return {global, 0, read_.NameOf(global), /*is_near=*/true, read_.NameOf(global) == "text"};
  }
  Reference OfCall(uint32_t global) override {
    return {global, 0, absl::StrCat(read_.NameOf(global), ".call")};
  }
  Reference OfTableEntry(uint32_t global) override {
    if (!read_.module().globals()[global].IsFunction()) return {};
    return {global, 0, absl::StrCat(read_.NameOf(global), ".entry")};
  }

 private:
  const ReadBothWays& read_;
};

class ModuleMapperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(read_.ok());
    mapper_.Begin(read_.module(), names_);
  }

  uint32_t Define(absl::string_view name) {
    return mapper_.DefineFunction(read_.NumberOf(name), name, /*is_near=*/true);
  }
  // Maps the function number `number` of the small module, the only one whose body is mapped.
  absl::Status Map(absl::string_view name, uint32_t number,
                   ModuleMapper::Calls calls = ModuleMapper::Calls::kStraight) {
    body_ = &read_.Body(name);
    mapper_.Collect(*body_, number, calls);
    FIRSTCALL_RETURN_IF_ERROR(mapper_.Complete());
    return mapper_.MapBody(*body_, number, calls);
  }

  // The names of the small module's globals, in their order.
  std::vector<std::string> Globals() const {
    std::vector<std::string> names;
    for (const ir::Global& global : mapper_.module().globals()) names.emplace_back(global.name);
    return names;
  }
  static std::string TextOf(const ir::Constant& constant, const ir::Constants& constants) {
    std::string text = constant.global == ir::kNone
                           ? absl::StrCat(constant.bits())
                           : std::string(constants.module().globals()[constant.global].name);
    if (constant.operands().empty()) return text;
    return absl::StrCat("(",
                        absl::StrJoin(constant.operands(), ", ",
                                      [&](std::string* out, ir::Operand operand) {
                                        absl::StrAppend(out, TextOf(constants[operand], constants));
                                      }),
                        ")");
  }
  std::string OfModule(ir::Operand operand) const {
    const ir::Constants constants(mapper_.module());
    return TextOf(constants[operand], constants);
  }
  // The operands of the mapped body that are constants.
  std::vector<std::string> Operands() const {
    const ir::Constants constants(mapper_.module(), body_->constants);
    std::vector<std::string> texts;
    for (ir::Operand operand : body_->operands) {
      if (operand.IsConstant()) texts.push_back(TextOf(constants[operand], constants));
    }
    return texts;
  }

  ReadBothWays read_{kModule};
  Names names_{read_};
  ModuleMapper mapper_;
  ir::Function* body_ = nullptr;
};

TEST_F(ModuleMapperTest, CallsGoStraightToTheModulesOwnFunctions) {
  const uint32_t calls = Define("calls");
  Define("later");
  ASSERT_THAT(Map("calls", calls), IsOk());
  EXPECT_THAT(Operands(), ElementsAre("callee.call", "calls", "later"));
}

TEST_F(ModuleMapperTest, CallsOfEarlierFunctionsCanGoWhereTheLinkerBindsThem) {
  const uint32_t calls = Define("calls");
  Define("later");
  ASSERT_THAT(Map("calls", calls, ModuleMapper::Calls::kStraightIfLater), IsOk());
  EXPECT_THAT(Operands(), ElementsAre("callee.call", "calls.call", "later"));
}

TEST_F(ModuleMapperTest, AnAddressAndACallHaveNamesOfTheirOwn) {
  const uint32_t takes = Define("takes");
  ASSERT_THAT(Map("takes", takes), IsOk());
  EXPECT_THAT(Globals(), ElementsAre("takes", "callee.call", "callee"));
  EXPECT_THAT(Operands(), ElementsAre("callee.call", "callee"));
  EXPECT_FALSE(mapper_.module().globals()[1].is_dso_local());
  EXPECT_TRUE(mapper_.module().globals()[2].is_dso_local());
}

TEST_F(ModuleMapperTest, AnAliasIsADistanceFromWhatItStandsFor) {
  const uint32_t points = Define("points");
  ASSERT_THAT(Map("points", points), IsOk());
  EXPECT_THAT(Globals(), ElementsAre("points", "variable"));
  EXPECT_THAT(Operands(), ElementsAre("((variable, 8), 1)"));
}

TEST_F(ModuleMapperTest, ACopyBringsWhatItsInitializerRefersTo) {
  const uint32_t reads = Define("reads");
  ASSERT_THAT(Map("reads", reads), IsOk());
  EXPECT_THAT(Globals(), ElementsAre("reads", "text", "variable"));
  EXPECT_THAT(OfModule(mapper_.module().globals()[1].initializer), "(variable, (variable, 8))");
}

TEST_F(ModuleMapperTest, EntriesOfTablesGetTheirNamesAndMakeThemWritable) {
  const uint32_t table = read_.NumberOf("table");
  const uint32_t number = mapper_.DefineVariable({table, table, /*is_table=*/true},
                                                 ir::NewGlobal(read_.module().globals()[table]));
  ASSERT_THAT(mapper_.Complete(), IsOk());
  EXPECT_THAT(Globals(), ElementsAre("table", "callee.entry", "variable"));
  const ir::Global& variable = mapper_.module().globals()[number];
  EXPECT_EQ(OfModule(variable.initializer), "(7, (callee.entry, variable))");
  EXPECT_FALSE(variable.is_constant());
}

TEST_F(ModuleMapperTest, OtherDataStayConstant) {
  const uint32_t table = read_.NumberOf("table");
  const uint32_t number =
      mapper_.DefineVariable({table, table}, ir::NewGlobal(read_.module().globals()[table]));
  ASSERT_THAT(mapper_.Complete(), IsOk());
  EXPECT_THAT(Globals(), ElementsAre("table", "variable", "callee"));
  EXPECT_TRUE(mapper_.module().globals()[number].is_constant());
}

TEST_F(ModuleMapperTest, ABlockOfAnotherFunctionCannotBeReferredTo) {
  const uint32_t foreign = Define("foreign");
  EXPECT_THAT(Map("foreign", foreign),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("a block of another function")));
}

TEST_F(ModuleMapperTest, ABlockOfAFunctionOfTheModuleCan) {
  Define("jumps");
  const uint32_t foreign = Define("foreign");
  ASSERT_THAT(Map("foreign", foreign), IsOk());
  EXPECT_THAT(Operands(), ElementsAre("jumps"));
}

TEST_F(ModuleMapperTest, ModulesAfterEachOtherShareNothing) {
  uint32_t number = Define("takes");
  ASSERT_THAT(Map("takes", number), IsOk());
  mapper_.Begin(read_.module(), names_);
  number = Define("points");
  ASSERT_THAT(Map("points", number), IsOk());
  EXPECT_THAT(Globals(), ElementsAre("points", "variable"));
}

}  // namespace
}  // namespace firstcall::direct
