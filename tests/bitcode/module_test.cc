// Tests the reading of whole modules, and through these what a module's blocks and records are read
// by: bitcode/file_layout, global_reader, global_fields, constant_reader, constant_expressions,
// metadata_reader, metadata_strings and module_reader.

#include "bitcode/module.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bitcode/bit_reader.h"
#include "bitcode/records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/global.h"
#include "ir/text.h"
#include "tests/bitcode/bit_writer.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::bitcode {
namespace {

using ::testing::HasSubstr;

// The types of the module that ModuleTest writes.
constexpr uint64_t kI32 = 0, kPtr = 1, kVoid = 2, kFunctionType = 3, kPair = 4;
// Numbers of linkages.
constexpr uint64_t kExternal = 0, kInternal = 3;
// Of a variable: it has the type that its record names.
constexpr uint64_t kHasType = 2;

// Writes a module with the names 'a', 'b' and so on. Tests write records into its block.
class ModuleTest : public ::testing::Test {
 protected:
  ModuleTest() {
    writer_.Magic().EnterBlock(kIdentificationBlock);
    writer_.TextRecord(kIdentificationString, "LLVM19.1").Record(kIdentificationEpoch, {0});
    writer_.EndBlock().EnterBlock(kModuleBlock).Record(kModuleVersion, {2});
    writer_.EnterBlock(kTypeBlock).Record(kTypeCount, {6}).Record(kTypeInteger, {32});
    writer_.Record(kTypePointer, {0}).Record(kTypeVoid).Record(kTypeFunction, {0, kVoid});
    writer_.Record(kTypeLiteralStruct, {0, kI32, kPtr}).Record(kTypeMetadata).EndBlock();
  }

  // A variable with the name number `name`. `initializer`: 0 or the constant's number and 1.
  void Variable(uint64_t name, uint64_t type, uint64_t initializer,
                const std::vector<uint64_t>& rest = {}) {
    std::vector<uint64_t> fields = {name, 1, type, kHasType, initializer, kExternal, 0, 0};
    fields.insert(fields.end(), rest.begin(), rest.end());
    writer_.Record(kModuleVariable, fields);
  }
  void Function(uint64_t name, bool is_declaration) {
    writer_.Record(kModuleFunction,
                   {name, 1, kFunctionType, 0, is_declaration ? 1u : 0u, kExternal, 0, 0, 0, 0});
  }
  BitWriter& BeginConstants(uint64_t type) {
    return writer_.EnterBlock(kConstantsBlock).Record(kConstantSetType, {type});
  }
  void Body(uint64_t blocks) {
    writer_.EnterBlock(kFunctionBlock).Record(kFunctionDeclareBlocks, {blocks});
    writer_.Record(kFunctionRet).EndBlock();
  }
  // Ends the file.
  absl::Status Read() {
    writer_.EndBlock().EnterBlock(kStringTableBlock).Define(2).Literal(kStringTableBlob);
    writer_.Field(kEncodingBlob).Id(kFirstAbbreviationId).Blob("abcdefgh").EndBlock();
    return ReadBytes(writer_.bytes());
  }
  absl::Status ReadBytes(const std::vector<uint8_t>& bytes) {
    absl::StatusOr<std::unique_ptr<BitcodeModule>> module = BitcodeModule::Read(bytes);
    if (!module.ok()) return module.status();
    module_ = *std::move(module);
    return absl::OkStatus();
  }
  void ExpectWrong(const char* cause) {
    EXPECT_THAT(Read(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(cause)));
  }
  void ExpectUnknown(const char* cause) {
    EXPECT_THAT(Read(), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(cause)));
  }
  std::string Text() const { return ir::TextOf(module_->module()); }
  const ir::Global& GlobalAt(size_t number) const { return module_->module().globals()[number]; }

  BitWriter writer_;
  std::unique_ptr<BitcodeModule> module_;
};

TEST_F(ModuleTest, ReadsAModuleWithoutAnything) {
  ASSERT_THAT(Read(), IsOk());
  EXPECT_EQ(module_->producer(), "LLVM19.1");
  EXPECT_TRUE(module_->module().globals().empty());
  EXPECT_EQ(module_->value_count(), 0u);
  EXPECT_EQ(module_->types().size(), 6u);
}

TEST_F(ModuleTest, NumbersGlobalsAndThenConstants) {
  Variable(0, kI32, 3);
  Function(1, /*is_declaration=*/false);
  BeginConstants(kI32).Record(kConstantInteger, {84}).EndBlock();
  Body(3);
  ASSERT_THAT(Read(), IsOk());
  EXPECT_EQ(module_->value_count(), 3u);
  EXPECT_EQ(GlobalAt(0).name, "a");
  EXPECT_EQ(module_->module().constant(GlobalAt(0).initializer).bits(), 42u);
  EXPECT_EQ(GlobalAt(1).name, "b");
  EXPECT_FALSE(GlobalAt(1).is_declaration());
  EXPECT_EQ(module_->BodyOf(0).bit(), 0u);
  EXPECT_EQ(module_->BodyOf(1).block_count(), 3u);
  BitReader reader(module_->bytes(), &module_->block_info());
  reader.Restart(module_->BodyOf(1).bit());
  ASSERT_TRUE(reader.EnterBlock(kFunctionBlock));
  reader.Next();
  EXPECT_EQ(reader.ReadRecord().code, kFunctionDeclareBlocks);
}

// The records of the functions differ in few bits.
TEST_F(ModuleTest, FunctionsMayHaveAlikeRecords) {
  const auto write = [&](uint64_t name, uint64_t is_declaration, uint64_t is_dso_local,
                         uint64_t comdat = 0) {
    writer_.Record(kModuleFunction,
                   {name, 1, kFunctionType, 0, is_declaration, kExternal, 0, 0, 0, 0, 0,
                    /*unnamed_addr=*/1, 0, 0, comdat, 0, 0, is_dso_local});
  };
  writer_.Record(kModuleComdat, {6, 2, 3});
  write(0, 0, 0);
  write(1, 0, 0);
  write(2, 1, 0);
  write(3, 0, 1);
  write(4, 0, 0);
  write(5, 0, 0, /*comdat=*/1);
  write(6, 0, 0, /*comdat=*/1);
  for (uint64_t blocks : {1, 1, 1, 2, 1, 1}) Body(blocks);
  ASSERT_THAT(Read(), IsOk());
  const char* const kNames[] = {"a", "b", "c", "d", "e", "f", "g"};
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(GlobalAt(i).name, kNames[i]);
    EXPECT_TRUE(GlobalAt(i).IsFunction());
    EXPECT_EQ(GlobalAt(i).unnamed_address(), ir::UnnamedAddress::kGlobal);
    EXPECT_EQ(GlobalAt(i).is_declaration(), i == 2);
    EXPECT_EQ(GlobalAt(i).is_dso_local(), i == 3);
    EXPECT_EQ(GlobalAt(i).comdat, i >= 5 ? 0u : ir::kNone);
  }
  EXPECT_EQ(GlobalAt(0).traits, GlobalAt(1).traits);
  EXPECT_EQ(module_->BodyOf(2).bit(), 0u);
  EXPECT_EQ(module_->BodyOf(4).block_count(), 2u);
}

TEST_F(ModuleTest, NamesOfAlikeRecordsAreChecked) {
  for (uint64_t name : {0, 9}) {
    writer_.Record(kModuleFunction,
                   {name, 1, kFunctionType, 0, 1, kExternal, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  }
  ExpectWrong("global 1: a name is not in the file's table of names");
}

TEST_F(ModuleTest, ReadsPropertiesOfVariables) {
  writer_.TextRecord(kModuleSectionName, ".data.x").Record(kModuleComdat, {6, 2, 3});
  // visibility, mode, unnamed_addr, initialized elsewhere, class, comdat, attributes, dso_local,
  // partition, sanitizers
  writer_.Record(kModuleVariable, {2, 1, kI32, kHasType | 1, 0, kExternal, 5, 1, 1, 3, 2, 1, 0, 1});
  Variable(3, kI32, 0, {0, 0, 0, 0, 0, 0, 0, 1, 0, 2});
  writer_.Record(kModuleVariable,
                 {4, 1, kI32, kHasType, 0, kExternal, 0, 0, 0, 0, 0, 0, 2, 0, 0, 7});
  ASSERT_THAT(Read(), IsOk());
  const ir::Global& first = GlobalAt(0);
  EXPECT_TRUE(first.is_constant());
  EXPECT_TRUE(first.is_declaration());
  EXPECT_EQ(first.alignment(), 16u);
  EXPECT_EQ(first.section(), ".data.x");
  EXPECT_EQ(first.visibility(), ir::Visibility::kHidden);
  EXPECT_EQ(first.thread_local_mode(), ir::ThreadLocalMode::kInitialExec);
  EXPECT_EQ(first.unnamed_address(), ir::UnnamedAddress::kLocal);
  EXPECT_TRUE(first.is_externally_initialized());
  EXPECT_TRUE(first.is_dso_local());  // Hidden.
  ASSERT_EQ(module_->module().comdats().size(), 1u);
  EXPECT_EQ(module_->module().comdats()[first.comdat].name, "gh");
  EXPECT_EQ(module_->module().comdats()[first.comdat].selection, 3);
  EXPECT_TRUE(GlobalAt(1).is_dso_local());
  EXPECT_TRUE(GlobalAt(1).has_unknown());
  EXPECT_FALSE(GlobalAt(2).is_dso_local());  // Only 1 means dso_local.
  EXPECT_TRUE(GlobalAt(2).has_unknown());
}

TEST_F(ModuleTest, ReadsExpressionsThatReferToLaterConstants) {
  Variable(0, kPair, 3);
  Variable(1, kI32, 5);
  BeginConstants(kPair).Record(kConstantAggregate, {4, 3});
  writer_.Record(kConstantSetType, {kPtr}).Record(kConstantGep, {kI32, 1, kPtr, 0, kI32, 4});
  writer_.Record(kConstantSetType, {kI32}).Record(kConstantInteger, {4}).EndBlock();
  ASSERT_THAT(Read(), IsOk());
  EXPECT_THAT(Text(), HasSubstr("{ i32, ptr } { i32 2, ptr getelementptr(i32, ptr @a, i32 2) }"));
  EXPECT_TRUE(module_->module().IsUsedByData(0));
  EXPECT_FALSE(module_->module().IsUsedByData(1));
}

TEST_F(ModuleTest, ReadsFlagsAndAttachments) {
  Variable(0, kI32, 0);
  BeginConstants(kI32).Record(kConstantInteger, {4}).Record(kConstantInteger, {6}).EndBlock();
  writer_.EnterBlock(kMetadataKindBlock).TextRecord(kMetadataKind, "dbg", {0}).EndBlock();
  writer_.EnterBlock(kMetadataBlock).Define(4).Literal(kMetadataStrings);
  writer_.FieldWithWidth(kEncodingVbr, 6).FieldWithWidth(kEncodingVbr, 6).Field(kEncodingBlob);
  BitWriter strings;
  strings.Vbr(2, 6).Vbr(5, 6).Align();
  const std::string lengths(strings.bytes().begin(), strings.bytes().end());
  writer_.Id(kFirstAbbreviationId).Vbr(2, 6).Vbr(4, 6).Blob(lengths + "noLevel");
  writer_.Record(kMetadataValue, {kI32, 1}).Record(kMetadataValue, {kI32, 2});
  writer_.Record(kMetadataNode, {3, 2, 4}).TextRecord(kMetadataName, "llvm.module.flags");
  writer_.Record(kMetadataNamedNode, {4}).Record(kMetadataGlobalAttachment, {0, 0, 4}).EndBlock();
  ASSERT_THAT(Read(), IsOk());
  EXPECT_EQ(module_->module().FlagOf("Level"), 3u);
  EXPECT_FALSE(module_->module().has_compile_units());
  EXPECT_TRUE(GlobalAt(0).has_debug_information());
  EXPECT_FALSE(GlobalAt(0).has_unknown());
  EXPECT_EQ(module_->MetadataKindOf(0), MetadataKind::kDebug);
  EXPECT_EQ(module_->MetadataKindOf(77), MetadataKind::kOther);
}

TEST_F(ModuleTest, KnowsWhetherThereAreCompileUnits) {
  writer_.EnterBlock(kMetadataBlock).Record(kMetadataDistinctNode);
  writer_.TextRecord(kMetadataName, "llvm.dbg.cu").Record(kMetadataNamedNode, {0}).EndBlock();
  ASSERT_THAT(Read(), IsOk());
  EXPECT_TRUE(module_->module().has_compile_units());
}

TEST_F(ModuleTest, AnEmptyListHasNoCompileUnits) {
  writer_.EnterBlock(kMetadataBlock);
  writer_.TextRecord(kMetadataName, "llvm.dbg.cu").Record(kMetadataNamedNode).EndBlock();
  ASSERT_THAT(Read(), IsOk());
  EXPECT_FALSE(module_->module().has_compile_units());
}

TEST_F(ModuleTest, ReadsNamesOfScopesAndBundles) {
  writer_.EnterBlock(kSyncScopeNamesBlock).TextRecord(kSyncScopeName, "singlethread");
  writer_.Record(kSyncScopeName).TextRecord(kSyncScopeName, "agent").EndBlock();
  writer_.EnterBlock(kOperandBundleTagsBlock).TextRecord(kOperandBundleTag, "deopt").EndBlock();
  ASSERT_THAT(Read(), IsOk());
  EXPECT_THAT(
      module_->sync_scopes(),
      ::testing::ElementsAre(SyncScope::kSingleThread, SyncScope::kSystem, SyncScope::kOther));
  EXPECT_THAT(module_->operand_bundle_tags(), ::testing::ElementsAre("deopt"));
}

TEST_F(ModuleTest, ReadsAliasesAndIfuncs) {
  Function(0, /*is_declaration=*/false);
  writer_.Record(kModuleAlias, {1, 1, kFunctionType, 0, 0, kInternal, 1});
  Body(1);
  ASSERT_THAT(Read(), IsOk());
  EXPECT_EQ(GlobalAt(1).kind(), ir::GlobalKind::kAlias);
  EXPECT_EQ(GlobalAt(1).visibility(), ir::Visibility::kDefault);  // Local.
  EXPECT_TRUE(GlobalAt(1).is_dso_local());
  EXPECT_EQ(GlobalAt(1).initializer, BitcodeModule::ValueOf(0));
}

TEST_F(ModuleTest, ReadsFilesWithAWrapper) {
  ASSERT_THAT(Read(), IsOk());
  BitWriter wrapper;
  const auto size = static_cast<uint32_t>(writer_.bytes().size());
  wrapper.Fixed(kWrapperMagic, 32).Fixed(0, 32).Fixed(20, 32).Fixed(size, 32).Fixed(7, 32);
  for (uint8_t byte : writer_.bytes()) wrapper.Fixed(byte, 8);
  wrapper.Fixed(0, 32);
  EXPECT_THAT(ReadBytes(wrapper.bytes()), IsOk());
}

TEST_F(ModuleTest, DoesNotKnowTwoModules) {
  writer_.EndBlock().EnterBlock(kModuleBlock);
  ExpectUnknown("reading bitcode: there are two modules");
}

TEST_F(ModuleTest, DoesNotKnowOtherBlocksAndRecords) {
  writer_.Record(99);
  ExpectUnknown("reading bitcode of 'LLVM19.1': a record of a module has code 99");
}

TEST_F(ModuleTest, DoesNotKnowOldLinkages) {
  writer_.Record(kModuleVariable, {0, 1, kI32, kHasType, 0, 4, 0, 0});
  ExpectUnknown("global 0: linkage 4");
}

TEST_F(ModuleTest, DoesNotKnowGlobalsBehindConstants) {
  BeginConstants(kI32).Record(kConstantInteger, {4}).EndBlock();
  Variable(0, kI32, 1);
  ExpectUnknown("global 0: it stands behind constants");
}

TEST_F(ModuleTest, RefusesBytesThatAreNoBitcode) {
  EXPECT_THAT(ReadBytes({}), StatusIs(absl::StatusCode::kInvalidArgument,
                                      "reading bitcode: the file does not begin as bitcode does"));
}

TEST_F(ModuleTest, RefusesNamesThatAreNotInTheTable) {
  Variable(8, kI32, 0);
  ExpectWrong("global 0: a name is not in the file's table of names");
}

TEST_F(ModuleTest, RefusesInitializersThatAreNotThere) {
  Variable(0, kI32, 9);
  ExpectWrong("global 0 refers to constant 8, which there is not");
}

TEST_F(ModuleTest, RefusesConstantsThatReferToNothing) {
  BeginConstants(kPair).Record(kConstantAggregate, {0, 7}).EndBlock();
  ExpectWrong("a constant refers to value 7, which there is not");
}

TEST_F(ModuleTest, RefusesConstantsWithTooFewMembers) {
  BeginConstants(kPair).Record(kConstantAggregate, {0}).EndBlock();
  ExpectWrong("constant 0: it has not as many members as its type");
}

TEST_F(ModuleTest, RefusesTypesThatHaveNoConstants) {
  BeginConstants(kVoid).Record(kConstantNull).EndBlock();
  ExpectWrong("constant 0: there are none of its type");
}

TEST_F(ModuleTest, RefusesAddressesOfBlocksThatAreNotThere) {
  Function(0, /*is_declaration=*/false);
  BeginConstants(kPtr).Record(kConstantBlockAddress, {kFunctionType, 0, 2}).EndBlock();
  Body(2);
  ExpectWrong("function 0 has no block 2, whose address is a constant");
}

TEST_F(ModuleTest, RefusesFunctionsWithoutBodiesAndBodiesWithoutFunctions) {
  Function(0, /*is_declaration=*/false);
  ExpectWrong("function 0 has no body");
}

TEST_F(ModuleTest, RefusesMoreBodiesThanFunctions) {
  Function(0, /*is_declaration=*/true);
  Body(1);
  ExpectWrong("there are more bodies than functions");
}

TEST_F(ModuleTest, RefusesWhatTheCheckRefuses) {
  Variable(0, kI32, 2);
  BeginConstants(kPtr).Record(kConstantNull).EndBlock();
  ExpectWrong("checking module: variable 'a': its initializer has another type");
}

TEST_F(ModuleTest, LeavesOperationsThatLlvmMakesInstructionsOfToLlvm) {
  Variable(0, kI32, 2);
  BeginConstants(kI32).Record(kConstantBinary, {kBinaryUDiv, 2, 2});
  writer_.Record(kConstantInteger, {4}).EndBlock();
  ASSERT_THAT(Read(), IsOk());
  EXPECT_THAT(Text(), HasSubstr("i32 other"));
}

}  // namespace
}  // namespace firstcall::bitcode
