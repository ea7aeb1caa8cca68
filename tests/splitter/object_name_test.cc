#include "splitter/object_name.h"

#include <memory>
#include <string>

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
