#include "splitter/object_name.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

TEST(ObjectNameTest, ObjectNamesAreWhatTheCodeGeneratorWrites) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(R"(
    declare void @"\01_start"()
    declare void @main()
    declare x86_vectorcallcc void @v(i64, double))",
                                                     context);
  EXPECT_EQ(ObjectName(*module->getFunction("\1_start")), "_start");
  EXPECT_EQ(ObjectName(*module->getFunction("main")), "main");
  EXPECT_EQ(ObjectName(*module->getFunction("v")), "v@@16");
}

constexpr char kMachoLayout[] = "target datalayout = \"e-m:o\"\n";

// There a marked name has the underscore of all names, or is one that C cannot have.
TEST(ObjectNameTest, MachoNamesAreWithoutTheirUnderscore) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(absl::StrCat(kMachoLayout, R"(
    declare void @"\01_puts"()
    declare void @"\01start"()
    declare void @_exit()
    declare x86_vectorcallcc void @_v(i64))"),
                                                     context);
  EXPECT_TRUE(IsMacho(*module));
  EXPECT_EQ(ObjectName(*module->getFunction("\1_puts")), "puts");
  EXPECT_EQ(ObjectName(*module->getFunction("\1start")), "start");
  EXPECT_EQ(ObjectName(*module->getFunction("_exit")), "_exit");
  const llvm::Function& v = *module->getFunction("_v");
  EXPECT_EQ(ObjectName(v), "v@@8");
  EXPECT_EQ(IrName("v@@8$fc.stub", v), "\1_v@@8$fc.stub");
}

TEST(ObjectNameTest, ConventionsThatChangeNamesAreToldNotTo) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(R"(
    declare void @main()
    declare x86_vectorcallcc void @v(i64))",
                                                     context);
  EXPECT_EQ(IrName("main$fc.stub", *module->getFunction("main")), "main$fc.stub");
  const std::string name = IrName("v@@8$fc.stub", *module->getFunction("v"));
  module->getFunction("v")->setName(name);
  EXPECT_EQ(ObjectName(*module->getFunction(name)), "v@@8$fc.stub");
}

}  // namespace
}  // namespace firstcall
