// What is read is compared with what LLVM reads.

#include "object/line_table.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"
#include "object/dwarf_reader.h"
#include "tests/testing/debug_ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

// "section:offset file:line", for each row.
std::vector<std::string> OurRows(std::string& bytes) {
  std::unique_ptr<ElfObject> object = ElfObject::Parse(absl::MakeSpan(bytes), "object").value();
  const LineTable table = ReadLineTable(*object);
  EXPECT_EQ(HasLineTable(*object), !table.rows.empty());
  std::vector<std::string> rows;
  for (const LineRow& row : table.rows) {
    rows.push_back(absl::StrCat(row.section, ":", row.offset, " ",
                                row.line == 0 ? "" : table.files[row.file], ":", row.line));
  }
  return rows;
}

// `directory` is the unit's own, which only tables of version 5 name.
std::vector<std::string> LlvmsRows(const std::string& bytes, const char* directory) {
  auto file = llvm::cantFail(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "object")));
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(*file);
  std::vector<std::string> rows;
  for (const auto& unit : context->compile_units()) {
    const llvm::DWARFDebugLine::LineTable* table = context->getLineTableForUnit(unit.get());
    for (const llvm::DWARFDebugLine::Row& row : table->Rows) {
      std::string name;
      const uint32_t line = row.EndSequence ? 0 : row.Line;
      if (line != 0) {
        table->getFileNameByIndex(row.File, directory,
                                  llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
                                  name);
      }
      rows.push_back(
          absl::StrCat(row.Address.SectionIndex, ":", row.Address.Address, " ", name, ":", line));
    }
  }
  return rows;
}

class LineTableTest : public ::testing::TestWithParam<int> {
 protected:
  const ObjectBytes object_ = CompileToObject(DescribedProgram(GetParam()));
  std::string bytes_{object_.data(), object_.size()};
};

TEST_P(LineTableTest, HasTheRowsThatLlvmReads) {
  const std::vector<std::string> rows = OurRows(bytes_);
  EXPECT_EQ(rows, LlvmsRows(bytes_, GetParam() == 5 ? "/somewhere" : ""));
  EXPECT_THAT(rows, Contains(::testing::HasSubstr("a.c:400")));
  EXPECT_THAT(rows, Contains(::testing::HasSubstr("parts/b.h:72")));
}

TEST_P(LineTableTest, DamagedTablesAreReadWithinTheirBounds) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = bytes_;
    for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    auto object = ElfObject::Parse(absl::MakeSpan(damaged), "object");
    if (!object.ok()) continue;
    const LineTable table = ReadLineTable(**object);
    for (const LineRow& row : table.rows) {
      if (row.line != 0) {
        ASSERT_LT(row.file, table.files.size());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, LineTableTest, ::testing::Values(4, 5));

TEST(LineTableWithoutDebugInformationTest, IsEmpty) {
  const ObjectBytes object = CompileToObject("define void @f() { ret void }");
  std::string bytes(object.data(), object.size());
  EXPECT_THAT(OurRows(bytes), IsEmpty());
}

TEST(DwarfReaderTest, ReadsNumbersAndStopsAtTheEnd) {
  const std::string bytes(
      "\x2a\xe5\x8e\x26\x7f\x80\x7f"
      "a\0b",
      10);
  DwarfReader reader(bytes, 0);
  EXPECT_EQ(reader.Number(1), 42u);
  EXPECT_EQ(reader.Unsigned(), 624485u);
  EXPECT_EQ(reader.Signed(), -1);
  EXPECT_EQ(reader.Signed(), -128);
  EXPECT_EQ(reader.Text(), "a");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.Text(), "");
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.Number(1), 0u);
}

}  // namespace
}  // namespace firstcall
