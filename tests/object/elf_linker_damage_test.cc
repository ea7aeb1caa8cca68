// Damaged objects: whatever their bytes are, they are refused, or loaded without reading or writing
// where nothing is. Only the sanitizers notice everything.

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "object/elf_linker.h"
#include "tests/object/linking.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr char kModule[] = R"(
  @own = global i32 1
  @tentative = common global i64 0
  @outside = external global i32
  @weak = weak global i32 3
  @table = private constant [3 x i32] [i32 1, i32 2, i32 3]
  @listed = internal constant ptr @f, section "list"
  @llvm.compiler.used = appending global [1 x ptr] [ptr @listed], section "llvm.metadata"
  @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
      [{ i32, ptr, ptr } { i32 7, ptr @construct, ptr null }]
  declare void @far(i32)
  declare extern_weak void @maybe()
  define internal void @construct() { ret void }
  define weak double @f(double %x, i32 %i) uwtable !dbg !4 {
    call void @far(i32 %i), !dbg !7
    call void @maybe(), !dbg !7
    %v = load i32, ptr @outside, !dbg !7
    store i32 %v, ptr @own, !dbg !7
    %p = getelementptr i32, ptr @table, i32 %i, !dbg !7
    %w = load i32, ptr %p, !dbg !7
    store i32 %w, ptr @own, !dbg !7
    %y = fadd double %x, 1.25, !dbg !7
    ret double %y, !dbg !7
  }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2, !3}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
  !1 = !DIFile(filename: "a.c", directory: "/")
  !2 = !{i32 2, !"Dwarf Version", i32 4}
  !3 = !{i32 2, !"Debug Info Version", i32 3}
  !4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
  !5 = !DISubroutineType(types: !6)
  !6 = !{null}
  !7 = !DILocation(line: 2, scope: !4)
)";

class ElfLinkerDamageTest : public ElfLinking {
 protected:
  ElfLinkerDamageTest() : whole_(CompileToObject(kModule)) {}

  // Does with an object all that can be done but running it. True if it was linked.
  bool Try(absl::Span<char> bytes) {
    absl::StatusOr<std::unique_ptr<ElfObject>> parsed = ElfObject::Parse(bytes, "test.o");
    if (!parsed.ok()) {
      EXPECT_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument,
                                   testing::StartsWith("reading object 'test.o': ")));
      return false;
    }
    ElfObject& object = **parsed;
    object.ReferrersTo("far");
    object.DescribeDefinitions();
    object.NamedSections();
    object.LifecyclePointers().IgnoreError();
    object.NearSymbols().IgnoreError();
    object.MemorySizes();
    object.Undefine("weak");
    object.MakeDefinitionsStrong();
    object.DefineAsZero("maybe");
    SymbolResolution resolution;
    for (const ElfObject::Undefined& symbol : object.undefined()) {
      resolution.emplace(symbol.name, arenas_->near_first());
    }
    object.BindCallsDirectly([](absl::string_view name) { return name == "far"; }).IgnoreError();
    const bool can_link = ElfLinker::CanLink(object).ok();
    absl::StatusOr<SymbolAddresses> defined = Load(object);
    EXPECT_TRUE(can_link || !defined.ok());
    if (!defined.ok() || !linker_.Bind(resolution).ok()) {
      linker_.Drop();
      return false;
    }
    EXPECT_THAT(linker_.Finalize(), IsOk());
    return true;
  }

  // The bytes are at the end of memory of their own, so that the sanitizer sees what is behind.
  bool TryCopy(const std::vector<char>& bytes) {
    std::unique_ptr<char[]> copy(new char[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), copy.get());
    return Try({copy.get(), bytes.size()});
  }

  std::vector<char> Whole() const { return {whole_.data(), whole_.data() + whole_.size()}; }

  const ObjectBytes whole_;
};

TEST_F(ElfLinkerDamageTest, WholeObjectIsLinked) {
  EXPECT_TRUE(TryCopy(Whole()));
  EXPECT_GT(arenas_->usage().used.total(), 0u);
}

TEST_F(ElfLinkerDamageTest, BytesNeedNoAlignment) {
  const std::vector<char> whole = Whole();
  for (size_t offset = 1; offset < 8; ++offset) {
    std::vector<char> moved(whole.size() + offset);
    std::copy(whole.begin(), whole.end(), moved.begin() + offset);
    EXPECT_TRUE(Try(absl::MakeSpan(moved).subspan(offset)));
  }
}

TEST_F(ElfLinkerDamageTest, EveryTruncatedObjectIsRefused) {
  const std::vector<char> whole = Whole();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(TryCopy({whole.begin(), whole.begin() + size})) << size;
  }
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
}

// Each byte of the headers, tables and names, which stand behind the contents, in some ways.
TEST_F(ElfLinkerDamageTest, EveryByteMayBeWrong) {
  const std::vector<char> whole = Whole();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int change : {0x01, 0x80, 0xff}) {
      std::vector<char> damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      TryCopy(damaged);
      owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
    }
  }
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
  EXPECT_EQ(unwind_registry_->registration_count(), 0u);
}

TEST_F(ElfLinkerDamageTest, SeveralBytesMayBeWrong) {
  const std::vector<char> whole = Whole();
  const char* const interesting = "\0\1\2\4\x10\x7f\x80\xff";
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    std::vector<char> damaged = whole;
    const size_t count = 1 + random() % 16;
    for (size_t i = 0; i < count; ++i)
      damaged[random() % damaged.size()] = interesting[random() % 8];
    SCOPED_TRACE(seed);
    TryCopy(damaged);
    owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
  }
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
}

}  // namespace
}  // namespace firstcall
