#include "splitter/symbol_name.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

TEST(SymbolNameTest, TakesReferencesApart) {
  EXPECT_EQ(ParseReference("f").name, "f");
  EXPECT_EQ(ParseReference("f").kind, ReferenceKind::kPlain);
  EXPECT_EQ(ParseReference("f$fc.stub").name, "f");
  EXPECT_EQ(ParseReference("f$fc.stub").kind, ReferenceKind::kStub);
  EXPECT_EQ(ParseReference("f$7$fc.call").name, "f$7");
  EXPECT_EQ(ParseReference("f$7$fc.call").kind, ReferenceKind::kCall);
}

TEST(SymbolNameTest, LocalNamesCarryTheirOrdinal) {
  EXPECT_EQ(LocalSymbolName("f", SymbolOrdinal{12}), "f$12");
  EXPECT_EQ(LocalSymbolName("", SymbolOrdinal{0}), "$0");
}

TEST(SymbolNameTest, ObjectNamesAreWhatTheCodeGeneratorWrites) {
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

TEST(SymbolNameTest, ConventionsThatChangeNamesAreToldNotTo) {
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

TEST(SymbolNameTest, SectionsWithBoundsAreCIdentifiers) {
  EXPECT_TRUE(IsIdentifier("registry_2"));
  EXPECT_FALSE(IsIdentifier("2registry"));
  EXPECT_FALSE(IsIdentifier(".data"));
  EXPECT_FALSE(IsIdentifier(""));
}

}  // namespace
}  // namespace firstcall
