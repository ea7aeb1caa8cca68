#include "object/elf_writer.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Object/ELFObjectFile.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "object/elf_linker.h"
#include "object/elf_object.h"
#include "object/far_sections.h"
#include "tests/object/linking.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Machine kMachine =
#if defined(__aarch64__)
    Machine::kAArch64;
#else
    Machine::kX86_64;
#endif

// Adds a symbol; returns its number.
uint32_t AddSymbol(CompiledCode& code, absl::string_view name) {
  CodeSymbol& symbol = code.symbols.emplace_back();
  symbol.name = static_cast<uint32_t>(code.names.size());
  symbol.name_size = static_cast<uint32_t>(name.size());
  code.names.append(name.data(), name.size());
  return static_cast<uint32_t>(code.symbols.size() - 1);
}

// Adds a section with a symbol at its beginning; returns the symbol's number.
uint32_t AddData(CompiledCode& code, absl::string_view name, SectionKind kind,
                 std::vector<uint8_t> bytes, uint32_t alignment = 8) {
  const uint32_t number = AddSymbol(code, name);
  CodeSymbol& symbol = code.symbols[number];
  symbol.is_defined = true;
  symbol.section = static_cast<uint32_t>(code.sections.size());
  symbol.size = static_cast<uint32_t>(bytes.size());
  code.sections.push_back({kind, alignment, std::move(bytes)});
  return number;
}

class ElfWriterTest : public Linking {
 protected:
  ElfWriterTest() : Linking(std::make_unique<ElfLinker>()) {}

  std::unique_ptr<ElfObject> Write(const std::vector<CompiledCode>& parts) {
    bytes_ = WriteElfObject(parts, kMachine, "");
    return ElfObject::Parse(absl::MakeSpan(bytes_), "written").value();
  }

  SymbolAddresses Link(ElfObject& object, const SymbolResolution& resolution = {}) {
    SymbolAddresses defined = linker_.Load(object, *owner_, ExecutorAddress()).value();
    EXPECT_THAT(linker_.Finish(resolution), IsOk());
    return defined;
  }

  ObjectBytes bytes_;
};

TEST_F(ElfWriterTest, WhatIsWrittenIsLinked) {
  CompiledCode code;
  AddData(code, "read_only", SectionKind::kReadOnlyData, {1, 2, 3});
  const uint32_t data = AddData(code, "data", SectionKind::kData, std::vector<uint8_t>(24), 16);
  const uint32_t elsewhere = AddSymbol(code, "elsewhere");
  code.relocations.push_back({1, 0, data, RelocationKind::kAbsolute64, 5});
  code.relocations.push_back({1, 8, elsewhere, RelocationKind::kAbsolute64, 0});
  code.relocations.push_back({1, 16, 0, RelocationKind::kRelative32, 2});
  const std::unique_ptr<ElfObject> object = Write({code});
  ASSERT_THAT(object->undefined(), SizeIs(1));
  EXPECT_EQ(object->undefined()[0].name, "elsewhere");
  EXPECT_FALSE(object->undefined()[0].is_weak);
  const SymbolAddresses defined = Link(*object, {{"elsewhere", ExecutorAddress(0x1234)}});
  const uint64_t at = defined.at("data").value();
  EXPECT_EQ(at % 16, 0u);
  const auto* words = defined.at("data").InThisProcess<const uint64_t*>();
  EXPECT_EQ(words[0], at + 5);
  EXPECT_EQ(words[1], 0x1234u);
  const auto distance = static_cast<int32_t>(words[2]);
  EXPECT_EQ(at + 16 + static_cast<uint64_t>(static_cast<int64_t>(distance)),
            defined.at("read_only").value() + 2);
  EXPECT_EQ(defined.at("read_only").InThisProcess<const uint8_t*>()[2], 3);
}

// Of two parts, too: sections of one name are one section, and others of the same kind another.
TEST_F(ElfWriterTest, SectionsMayHaveNames) {
  const auto add = [](CompiledCode& code, absl::string_view symbol, absl::string_view section) {
    AddData(code, symbol, SectionKind::kData, std::vector<uint8_t>(8));
    code.sections.back().name = static_cast<uint32_t>(code.names.size());
    code.sections.back().name_size = static_cast<uint32_t>(section.size());
    code.names.append(section.data(), section.size());
  };
  CompiledCode one, two;
  add(one, "first", "mine");
  add(one, "other", "yours");
  AddData(one, "nameless", SectionKind::kData, std::vector<uint8_t>(8));
  add(two, "second", "mine");
  two.relocations.push_back({0, 0, 0, RelocationKind::kAbsolute64, 1});
  const std::unique_ptr<ElfObject> object = Write({one, two});
  std::vector<std::string> names;
  for (const ElfObject::NamedSection& section : object->NamedSections()) {
    names.push_back(absl::StrCat(section.name, " ", section.size));
  }
  EXPECT_THAT(names, ElementsAre("mine 16", "yours 8"));
  const SymbolAddresses defined = Link(*object);
  const ExecutorAddress second = defined.at("second");
  EXPECT_EQ(second, defined.at("first") + 8);
  EXPECT_EQ(*second.InThisProcess<const uint64_t*>(), second.value() + 1);
}

TEST_F(ElfWriterTest, WhatIsZeroTakesNoPlaceInTheObject) {
  CompiledCode code;
  constexpr uint32_t kSize = 100'000;
  for (const char* name : {"zeros", "more"}) {
    const uint32_t number = AddData(code, name, SectionKind::kZeroData, {}, 64);
    code.symbols[number].size = kSize;
    code.sections.back().zeros = kSize;
  }
  AddData(code, "data", SectionKind::kData, {1, 2, 3});
  const std::unique_ptr<ElfObject> object = Write({code});
  EXPECT_LT(bytes_.size(), 4096u);
  const SymbolAddresses defined = Link(*object);
  auto* zeros = reinterpret_cast<char*>(defined.at("zeros").value());
  auto* more = reinterpret_cast<char*>(defined.at("more").value());
  EXPECT_EQ(std::count(zeros, zeros + kSize, 0), kSize);
  EXPECT_EQ(std::count(more, more + kSize, 0), kSize);
  EXPECT_GE(more - zeros, kSize);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(more) % 64, 0u);
}

TEST_F(ElfWriterTest, LargeZerosMayLieAnywhere) {
  CompiledCode code;
  constexpr uint64_t kSize = uint64_t{5} << 30;
  const uint32_t zeros = AddData(code, "zeros", SectionKind::kLargeZeroData, {}, 64);
  code.symbols[zeros].size = kSize;
  code.sections.back().zeros = kSize;
  AddData(code, "pointer", SectionKind::kData, std::vector<uint8_t>(8));
  code.relocations.push_back({1, 0, zeros, RelocationKind::kAbsolute64, kSize - 1});
  const std::unique_ptr<ElfObject> object = Write({code});
  EXPECT_TRUE(HasLargeSections(*object));
  EXPECT_LT(bytes_.size(), 4096u);
  // The other tests' memory has addresses for one arena only.
  const std::shared_ptr<ArenaMemory> arenas =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), {}).value();
  OwnedCode owner(arenas, std::make_shared<UnwindRegistry>());
  const SymbolAddresses defined = linker_.Load(*object, owner, arenas->near_first()).value();
  ASSERT_THAT(linker_.Finish({}), IsOk());
  auto* first = reinterpret_cast<char*>(defined.at("zeros").value());
  char* last = *reinterpret_cast<char**>(defined.at("pointer").value());
  EXPECT_EQ(last - first, static_cast<int64_t>(kSize - 1));
  *last = 1;
  EXPECT_EQ(*first, 0);
}

TEST_F(ElfWriterTest, PartsFindEachOthersDefinitions) {
  CompiledCode first;
  AddData(first, "first", SectionKind::kData, std::vector<uint8_t>(8));
  first.relocations.push_back({0, 0, AddSymbol(first, "second"), RelocationKind::kAbsolute64, 0});
  CompiledCode second;
  AddData(second, "second", SectionKind::kData, std::vector<uint8_t>(8));
  second.symbols[0].is_local = true;
  second.relocations.push_back({0, 0, AddSymbol(second, "first"), RelocationKind::kAbsolute64, 0});
  const std::unique_ptr<ElfObject> object = Write({first, second});
  EXPECT_THAT(object->undefined(), IsEmpty());
  EXPECT_THAT(object->defined(), ElementsAre("first"));  // The other is local.
  const SymbolAddresses defined = Link(*object);
  const auto* word = defined.at("first").InThisProcess<const uint64_t* const*>();
  EXPECT_EQ(**word, defined.at("first").value());
}

TEST_F(ElfWriterTest, ASymbolThatTwoPartsMissIsWrittenOnce) {
  std::vector<CompiledCode> parts(2);
  for (CompiledCode& part : parts) {
    AddData(part, &part == &parts[0] ? "a" : "b", SectionKind::kData, std::vector<uint8_t>(8));
    const uint32_t missing = AddSymbol(part, "missing");
    part.symbols[missing].is_weak = true;
    part.relocations.push_back({0, 0, missing, RelocationKind::kAbsolute64, 0});
  }
  const std::unique_ptr<ElfObject> object = Write(parts);
  ASSERT_THAT(object->undefined(), SizeIs(1));
  EXPECT_TRUE(object->undefined()[0].is_weak);
}

// LLVM reads what is written, too.
TEST_F(ElfWriterTest, SaysWhatItIs) {
  CompiledCode code;
  AddData(code, "f", SectionKind::kCode, std::vector<uint8_t>(16, 0x90), 16);
  const uint32_t local = AddData(code, "", SectionKind::kReadOnlyData, {7});
  code.symbols[local].is_local = true;
  const ObjectBytes bytes = WriteElfObject({code}, kMachine, "made by a test");
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), "test"));
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  EXPECT_EQ((*file)->getArch(),
            kMachine == Machine::kX86_64 ? llvm::Triple::x86_64 : llvm::Triple::aarch64);
  std::vector<std::string> symbols, sections;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    symbols.push_back(llvm::cantFail(symbol.getName()).str());
  }
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    const llvm::StringRef name = llvm::cantFail(section.getName());
    sections.push_back(name.str());
    if (name == ".comment") {
      EXPECT_EQ(llvm::cantFail(section.getContents()), llvm::StringRef("\0made by a test\0", 16));
    }
  }
  EXPECT_THAT(symbols, ElementsAre("", "f"));  // A local one comes first.
  EXPECT_THAT(sections, ElementsAre("", ".text", ".data.rel.ro", ".symtab", ".strtab", ".comment",
                                    ".shstrtab"));
}

}  // namespace
}  // namespace firstcall
