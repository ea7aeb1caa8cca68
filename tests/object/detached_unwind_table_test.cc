// What was made is read by LLVM, and compared with what LLVM reads in the object.

#include "object/detached_unwind_table.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"
#include "object/machine.h"
#include "tests/testing/debug_ir.h"
#include "tests/testing/object.h"
#include "third_party/llvm/version/unwind_table.h"

namespace firstcall {
namespace {

// Anywhere.
constexpr uint64_t kCode = 0x10000;

// The rows of each function, by its address.
std::map<uint64_t, std::string> RowsOf(const llvm::DWARFDebugFrame& frames) {
  std::map<uint64_t, std::string> result;
  for (const llvm::dwarf::FrameEntry& entry : frames.entries()) {
    const auto* function = llvm::dyn_cast<llvm::dwarf::FDE>(&entry);
    if (function == nullptr) continue;
    auto rows = llvm_version::UnwindTableOf(*function);
    std::string& text = result[function->getInitialLocation()];
    llvm::raw_string_ostream stream(text);
    stream << "size " << function->getAddressRange() << "\n";
    if (!rows) {
      stream << llvm::toString(rows.takeError());
      continue;
    }
    for (llvm::dwarf::UnwindRow row : *rows) {
      if (row.hasAddress()) row.slideAddress(-function->getInitialLocation());
      stream << row << "\n";
    }
  }
  return result;
}

std::map<uint64_t, std::string> RowsOfObject(const std::string& bytes) {
  auto file = llvm::cantFail(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "object")));
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(*file);
  return RowsOf(*llvm::cantFail(context->getEHFrame()));
}

std::map<uint64_t, std::string> RowsOfTable(const DetachedUnwindTable& table, uint64_t size,
                                            llvm::Triple::ArchType arch) {
  const uint64_t at = kCode + (size + 7) / 8 * 8;
  llvm::DWARFDebugFrame frames(arch, /*IsEH=*/true, at);
  llvm::cantFail(frames.parse(llvm::DWARFDataExtractor(table.entries, true, 8)));
  return RowsOf(frames);
}

class DetachedUnwindTableTest : public ::testing::TestWithParam<bool> {
 protected:
  DetachedUnwindTableTest() {
    if (GetParam()) options_.codegen_level = CodegenLevel::kO2;
    object_ = CompileToObject(DescribedProgram(5), options_);
    bytes_.assign(object_.data(), object_.size());
    elf_ = ElfObject::Parse(absl::MakeSpan(bytes_), "object").value();
  }

  ElfObject::Symbol Find(const std::string& name) const {
    for (size_t i = 0; i < elf_->symbol_count(); ++i) {
      if (elf_->NameOf(elf_->symbol(i)) == name) return elf_->symbol(i);
    }
    ADD_FAILURE() << name;
    return {};
  }

  EngineOptions options_;
  ObjectBytes object_;
  std::string bytes_;
  std::unique_ptr<ElfObject> elf_;
};

TEST_P(DetachedUnwindTableTest, HasTheRowsOfTheFunctionAlone) {
  const std::map<uint64_t, std::string> expected = RowsOfObject(bytes_);
  EXPECT_EQ(expected.size(), 2u);
  for (const char* name : {"first", "second"}) {
    const ElfObject::Symbol symbol = Find(name);
    const DetachedUnwindTable table =
        UnwindTables(*elf_).Detach(symbol.index, symbol.value, symbol.size);
    const std::map<uint64_t, std::string> rows = RowsOfTable(
        table, symbol.size,
        HostMachine() == Machine::kX86_64 ? llvm::Triple::x86_64 : llvm::Triple::aarch64);
    ASSERT_EQ(rows.size(), 1u) << name;
    EXPECT_EQ(rows.begin()->first, kCode);
    ASSERT_EQ(expected.count(symbol.value), 1u);
    EXPECT_EQ(rows.begin()->second, expected.at(symbol.value));
  }
}

TEST_P(DetachedUnwindTableTest, IndexLeadsToTheEntries) {
  const ElfObject::Symbol symbol = Find("second");
  const DetachedUnwindTable table =
      UnwindTables(*elf_).Detach(symbol.index, symbol.value, symbol.size);
  ASSERT_EQ(table.index.size(), 20u);
  ASSERT_EQ(table.entries.size() % 8, 0u);
  int32_t values[4];  // Of the entries, their number, a function, its entry.
  std::memcpy(values, table.index.data() + 4, sizeof(values));
  const auto entries = static_cast<int32_t>(table.entries.size());
  EXPECT_EQ(values[0] + 4, -entries);
  EXPECT_EQ(values[1], 1);
  EXPECT_EQ(values[2] + entries + static_cast<int32_t>((symbol.size + 7) / 8 * 8), 0);
  // Its entry names the function.
  const int32_t entry = values[3] + entries;
  int32_t function;
  std::memcpy(&function, table.entries.data() + entry + 8, sizeof(function));
  EXPECT_EQ(function + entry + 8 + static_cast<int32_t>((symbol.size + 7) / 8 * 8), 0);
}

TEST_P(DetachedUnwindTableTest, CodeThatTheObjectDoesNotDescribeHasNone) {
  const DetachedUnwindTable table = UnwindTables(*elf_).Detach(Find("first").index, 1 << 20, 16);
  EXPECT_EQ(table.entries, "");
  EXPECT_EQ(table.index, "");
}

INSTANTIATE_TEST_SUITE_P(Optimized, DetachedUnwindTableTest, ::testing::Bool());

}  // namespace
}  // namespace firstcall
