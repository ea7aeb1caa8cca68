// Objects that clang has made are merged, linked by the system's linker and run: they must do what
// they do when they are linked one by one.

#include "object/object_merger.h"

#include <elf.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "object/elf_object.h"
#include "object/elf_writer.h"
#include "tests/programs/process.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::string compiler, not_merged;
std::vector<std::string> objects;

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string MergeAll() {
  ObjectMerger merger;
  for (const std::string& path : objects) EXPECT_TRUE(merger.Add(Read(path))) << path;
  return merger.Finish();
}

TEST(ObjectMergerTest, TheMergedObjectRunsAsItsParts) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the compiler of the test makes programs for another machine";
#endif
  const std::string merged = ::testing::TempDir() + "/merged.o";
  std::ofstream(merged, std::ios::binary) << MergeAll();
  std::vector<std::string> of_parts = {compiler, "-o", ::testing::TempDir() + "/of_parts"};
  of_parts.insert(of_parts.end(), objects.begin(), objects.end());
  of_parts.push_back(not_merged);
  const testing::ProcessResult linked = testing::RunProcess(of_parts);
  ASSERT_EQ(linked.exit_status, 0) << linked.errors;
  const testing::ProcessResult linked_merged = testing::RunProcess(
      {compiler, "-o", ::testing::TempDir() + "/of_merged", merged, not_merged});
  ASSERT_EQ(linked_merged.exit_status, 0) << linked_merged.errors;
  const testing::ProcessResult expected =
      testing::RunProcess({::testing::TempDir() + "/of_parts", "argument"});
  EXPECT_EQ(expected.output, "first\nsecond 1\ncaught 42\nprivate 1 2\n3.5 argument\n");
  EXPECT_EQ(testing::RunProcess({::testing::TempDir() + "/of_merged", "argument"}), expected);
}

TEST(ObjectMergerTest, MergingAgainChangesNothing) {
  const std::string merged = MergeAll();
  ObjectMerger again;
  EXPECT_TRUE(again.Add(merged));
  EXPECT_EQ(again.Finish(), merged);
}

// MCJIT's linker takes the beginning of the section, whatever the symbol's value is.
TEST(ObjectMergerTest, SymbolsOfSectionsStandForTheirBeginnings) {
  std::string merged = MergeAll();
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<ElfObject> object,
                       ElfObject::Parse(absl::MakeSpan(merged), "merged"));
  int sections = 0;
  for (size_t i = 1; i < object->symbol_count(); ++i) {
    const ElfObject::Symbol symbol = object->symbol(i);
    if (symbol.type() != STT_SECTION) continue;
    EXPECT_EQ(symbol.value, 0u) << i;
    ++sections;
  }
  EXPECT_GT(sections, 3);
}

CompiledCode Defining(const std::string& name, const std::string& reference = "") {
  CompiledCode code;
  code.sections.resize(1);
  code.sections[0].alignment = 16;
  code.sections[0].bytes.assign(17, 0x90);
  CodeSymbol symbol;
  symbol.name_size = static_cast<uint32_t>(name.size());
  symbol.is_defined = true;
  symbol.size = 17;
  code.symbols.push_back(symbol);
  code.names = name + reference;
  if (reference.empty()) return code;
  CodeSymbol other;
  other.name = static_cast<uint32_t>(name.size());
  other.name_size = static_cast<uint32_t>(reference.size());
  code.symbols.push_back(other);
  CodeRelocation relocation;
  relocation.offset = 8;
  relocation.symbol = 1;
  code.relocations.push_back(relocation);
  return code;
}

std::string ObjectOf(const CompiledCode& code) {
  return WriteElfObject({&code, 1}, Machine::kX86_64, "");
}

TEST(ObjectMergerTest, ReferencesToOneNameAreOne) {
  ObjectMerger merger;
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("f", "other"))));
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("g", "other"))));
  std::string merged = merger.Finish();
  ASSERT_OK_AND_ASSIGN(auto object, ElfObject::Parse(absl::MakeSpan(merged), "merged"));
  EXPECT_THAT(object->defined(), UnorderedElementsAre("f", "g"));
  ASSERT_EQ(object->undefined().size(), 1u);
  EXPECT_EQ(object->undefined()[0].name, "other");
  EXPECT_THAT(object->ReferrersTo("other"), UnorderedElementsAre("f", "g"));
}

TEST(ObjectMergerTest, WhatIsAppendedNeedsNoCopy) {
  constexpr size_t kSpare = 100000;
  ObjectMerger merger;
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("f"))));
  const std::string merged = merger.Finish(kSpare);
  EXPECT_GE(merged.capacity(), merged.size() + kSpare);
}

TEST(ObjectMergerTest, TheFirstDefinitionIsTheOneThatOthersSee) {
  ObjectMerger merger;
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("f"))));
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("f"))));
  std::string merged = merger.Finish();
  ASSERT_OK_AND_ASSIGN(auto object, ElfObject::Parse(absl::MakeSpan(merged), "merged"));
  EXPECT_THAT(object->defined(), ElementsAre("f"));
}

// To bind them to each other would be another meaning than that of the objects.
TEST(ObjectMergerTest, AReferenceAndADefinitionOfOneNameAreNotMerged) {
  ObjectMerger merger;
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("f", "g"))));
  EXPECT_FALSE(merger.Add(ObjectOf(Defining("g"))));
  EXPECT_FALSE(merger.Add(ObjectOf(Defining("h", "f"))));
  std::string merged = merger.Finish();
  ASSERT_OK_AND_ASSIGN(auto object, ElfObject::Parse(absl::MakeSpan(merged), "merged"));
  EXPECT_THAT(object->defined(), ElementsAre("f"));
}

TEST(ObjectMergerTest, OtherMachinesAreNotMerged) {
  ObjectMerger merger;
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("f"))));
  const CompiledCode other = Defining("g");
  EXPECT_FALSE(merger.Add(WriteElfObject({&other, 1}, Machine::kAArch64, "")));
}

// Parts of one module: names of one part are those of the other, whatever comes first.
TEST(ObjectMergerTest, PartsOfAModuleReferToEachOther) {
  CompiledCode local = Defining("f", "g");
  local.symbols[0].is_local = true;
  ObjectMerger merger({"g"});
  EXPECT_TRUE(merger.Add(ObjectOf(local)));
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("g", "f"))));
  EXPECT_TRUE(merger.Add(ObjectOf(Defining("h", "other"))));
  EXPECT_FALSE(merger.Add(ObjectOf(Defining("h"))));
  std::string merged = merger.Finish();
  ASSERT_OK_AND_ASSIGN(auto object, ElfObject::Parse(absl::MakeSpan(merged), "merged"));
  EXPECT_THAT(object->defined(), ElementsAre("h"));
  ASSERT_EQ(object->undefined().size(), 1u);
  EXPECT_EQ(object->undefined()[0].name, "other");
  EXPECT_THAT(object->ReferrersTo("f"), ElementsAre("g"));
  EXPECT_THAT(object->ReferrersTo("g"), ElementsAre("f"));
}

TEST(ObjectMergerTest, SectionsOfAModuleHaveOnePermission) {
  CompiledCode constant = Defining("a"), variable = Defining("b");
  for (CompiledCode* code : {&constant, &variable}) {
    code->sections[0].kind = SectionKind::kReadOnlyData;
    code->sections[0].name = static_cast<uint32_t>(code->names.size());
    code->sections[0].name_size = 4;
    code->names += "mine";
  }
  variable.sections[0].kind = SectionKind::kData;
  ObjectMerger of_module(std::vector<std::string>{});
  EXPECT_TRUE(of_module.Add(ObjectOf(constant)));
  EXPECT_FALSE(of_module.Add(ObjectOf(variable)));
  ObjectMerger others;
  EXPECT_TRUE(others.Add(ObjectOf(constant)));
  EXPECT_TRUE(others.Add(ObjectOf(variable)));
}

// Whatever is damaged, an object is refused or gives an object that can be read; nothing is read
// outside the bytes (asan).
TEST(ObjectMergerTest, EveryDamagedByteIsSafe) {
  const std::string sound = Read(objects.front());
  for (size_t i = 0; i < sound.size(); ++i) {
    for (char mask : {'\x01', '\x80', '\xff'}) {
      std::string damaged = sound;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      ObjectMerger merger, of_module({"main"});
      for (ObjectMerger* each : {&merger, &of_module}) {
        if (!each->Add(damaged)) continue;
        std::string merged = each->Finish();
        EXPECT_THAT(ElfObject::Parse(absl::MakeSpan(merged), "merged"), IsOk()) << i;
      }
    }
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (argc < 5) return EXIT_FAILURE;
  firstcall::compiler = argv[1];
  firstcall::objects = {argv[2], argv[3]};
  firstcall::not_merged = argv[4];
  return RUN_ALL_TESTS();
}
