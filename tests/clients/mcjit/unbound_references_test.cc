#include "clients/mcjit/unbound_references.h"

#include <cstdint>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tests/testing/object.h"

namespace firstcall {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The archive that the bytes are; they must outlive it.
std::unique_ptr<llvm::object::Archive> ArchiveIn(const std::string& bytes) {
  return llvm::cantFail(
      llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, "test archive")));
}

TEST(UnboundReferencesTest, HasTheNamesUntilTheyAreBound) {
  UnboundReferences references;
  references.Add({"f", "g"});
  EXPECT_THAT(references.names(), UnorderedElementsAre("f", "g"));
  EXPECT_FALSE(references.has_files());
  references.Clear();
  EXPECT_THAT(references.names(), IsEmpty());
}

TEST(UnboundReferencesTest, CountsAdditions) {
  UnboundReferences references;
  const uint64_t before = references.additions();
  references.Add({"f"});
  EXPECT_NE(references.additions(), before);
  const uint64_t after = references.additions();
  references.Clear();
  EXPECT_EQ(references.additions(), after);
}

TEST(UnboundReferencesTest, AnObjectRefersToWhatItDoesNotDefine) {
  const ObjectBytes bytes = CompileToObject("@v = external global i32  @where = global ptr @v");
  const std::unique_ptr<llvm::object::ObjectFile> object =
      llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
          llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), "test object")));
  UnboundReferences references;
  references.AddObject(*object);
  EXPECT_THAT(references.names(), UnorderedElementsAre("v"));
  EXPECT_TRUE(references.has_files());
}

TEST(UnboundReferencesTest, MembersThatAreLinkedReferToMore) {
  const std::string bytes = MakeArchive({"@where = external global ptr  @first = global ptr @where",
                                         "@v = external global i32  @where = global ptr @v",
                                         "@nowhere = external global i32  @unused = global ptr "
                                         "@nowhere"});
  const std::unique_ptr<llvm::object::Archive> archive = ArchiveIn(bytes);
  UnboundReferences references;
  references.AddArchive(*archive);
  EXPECT_THAT(references.names(), IsEmpty());
  EXPECT_TRUE(references.has_files());
  EXPECT_TRUE(references.IsInArchive("first"));
  EXPECT_FALSE(references.IsInArchive("v"));
  references.Add({"first"});
  EXPECT_THAT(references.names(), UnorderedElementsAre("first", "where", "v"));
}

TEST(UnboundReferencesTest, MembersOfALaterArchiveAreLinkedForEarlierNames) {
  const std::string bytes = MakeArchive({"@v = external global i32  @where = global ptr @v"});
  const std::unique_ptr<llvm::object::Archive> archive = ArchiveIn(bytes);
  UnboundReferences references;
  references.Add({"where"});
  references.AddArchive(*archive);
  EXPECT_THAT(references.names(), UnorderedElementsAre("where", "v"));
}

}  // namespace
}  // namespace firstcall
