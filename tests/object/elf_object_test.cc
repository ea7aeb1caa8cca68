#include "object/elf_object.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "object/far_sections.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr char kModule[] = R"(
  @own = global i32 1
  @hidden_here = internal global i32 2
  @weak_here = weak global i32 3
  @outside = external global i32
  declare void @far()
  declare void @near()
  declare extern_weak void @maybe()
  define weak void @f() {
    call void @far()
    call void @near()
    call void @maybe()
    %v = load i32, ptr @outside
    %w = load i32, ptr @hidden_here
    store i32 %v, ptr @own
    store i32 %w, ptr @own
    ret void
  })";

#if defined(__aarch64__)
constexpr char kNeedsTable[] = "needs_table: adrp x0, _GLOBAL_OFFSET_TABLE_";
constexpr char kCall[] = "R_AARCH64_CALL26", kDirectCall[] = "R_AARCH64_CALL26";
constexpr char kNear[] = "adrp x0, there", kShort[] = ".word there";
#else
constexpr char kNeedsTable[] = "needs_table: leaq _GLOBAL_OFFSET_TABLE_(%rip), %rax";
constexpr char kCall[] = "R_X86_64_PLT32", kDirectCall[] = "R_X86_64_PC32";
constexpr char kNear[] = "leaq there(%rip), %rax", kShort[] = ".long there";
#endif

template <typename Bytes>
absl::Span<char> Span(Bytes& bytes) {
  return {bytes.data(), bytes.size()};
}

class ElfObjectTest : public testing::Test {
 protected:
  void Load(absl::string_view text) {
    bytes_ = CompileToObject(text);
    absl::StatusOr<std::unique_ptr<ElfObject>> object = ElfObject::Parse(Span(bytes_), "test.o");
    ASSERT_THAT(object, IsOk());
    object_ = *std::move(object);
  }

  std::vector<std::string> UndefinedNames() const {
    std::vector<std::string> names;
    for (const ElfObject::Undefined& symbol : object_->undefined()) {
      names.push_back(std::string(symbol.name) + (symbol.is_weak ? " (weak)" : ""));
    }
    return names;
  }

  // What the bytes are by now, read anew.
  std::unique_ptr<llvm::object::ObjectFile> Reread() const {
    return llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(llvm::StringRef(bytes_.data(), bytes_.size()), "reread")));
  }

  // The types of the relocations that name each symbol.
  std::multimap<std::string, std::string> Relocations() const {
    const auto object = Reread();
    std::multimap<std::string, std::string> types;
    for (const llvm::object::SectionRef& section : object->sections()) {
      for (const llvm::object::RelocationRef& relocation : section.relocations()) {
        llvm::SmallString<32> type;
        relocation.getTypeName(type);
        if (relocation.getSymbol() == object->symbol_end()) continue;
        types.emplace(llvm::cantFail(relocation.getSymbol()->getName()).str(), type.str().str());
      }
    }
    return types;
  }

  static std::string TypeOf(const std::multimap<std::string, std::string>& types,
                            const std::string& symbol) {
    return types.count(symbol) == 1 ? types.find(symbol)->second : "not named once";
  }

  ObjectBytes bytes_;
  std::unique_ptr<ElfObject> object_;
};

TEST_F(ElfObjectTest, TellsWhatItNeedsAndWhatItGives) {
  Load(kModule);
  EXPECT_THAT(object_->defined(), UnorderedElementsAre("own", "weak_here", "f"));
  EXPECT_THAT(UndefinedNames(), UnorderedElementsAre("outside", "far", "near", "maybe (weak)"));
}

TEST_F(ElfObjectTest, TellsWhoRefersToASymbol) {
  Load(R"(
    @table = global ptr @far
    declare void @far()
    declare void @near()
    define void @f() { call void @far()  ret void }
    define internal void @g() { call void @far()  call void @near()  ret void }
    define ptr @h() { ret ptr @g })");
  EXPECT_THAT(object_->ReferrersTo("far"), UnorderedElementsAre("f", "g", "table"));
  EXPECT_THAT(object_->ReferrersTo("near"), ElementsAre("g"));
  EXPECT_THAT(object_->ReferrersTo("nobody"), ElementsAre());
}

TEST_F(ElfObjectTest, CallsGoElsewhereWhereTheFunctionIsNotWanted) {
  Load(R"(
    define void @f() uwtable { call void @g()  call void @h()  ret void }
    define void @g() uwtable { call void @h()  ret void }
    define void @h() uwtable { ret void })");
  object_->CallElsewhere({"f", "nobody"});  // Nobody calls them.
  EXPECT_THAT(UndefinedNames(), testing::IsEmpty());
  object_->CallElsewhere({"h"});
  EXPECT_THAT(UndefinedNames(), ElementsAre("h"));
  EXPECT_TRUE(object_->Defines("f"));
  EXPECT_TRUE(object_->Defines("g"));
  EXPECT_FALSE(object_->Defines("h"));
  EXPECT_THAT(object_->ReferrersTo("h"), UnorderedElementsAre("f", "g"));
}

// The linker has one of its own.
TEST_F(ElfObjectTest, GlobalOffsetTableIsNotNeeded) {
  Load(R"(
    module asm ")" +
       std::string(kNeedsTable) + R"("
    define void @f() { ret void })");
  EXPECT_THAT(UndefinedNames(), testing::IsEmpty());
}

TEST_F(ElfObjectTest, WhatNoRelocationNamesCanBeDropped) {
  Load(R"(
    module asm ".globl unused"
    @outside = external global i32
    define i32 @f() { %v = load i32, ptr @outside  ret i32 %v })");
  EXPECT_THAT(UndefinedNames(), UnorderedElementsAre("outside", "unused"));
  ASSERT_THAT(object_->DropUnneededSymbols([](absl::string_view name) { return name == "unused"; }),
              IsOk());
  EXPECT_THAT(UndefinedNames(), UnorderedElementsAre("outside", "unused"));
  ASSERT_THAT(object_->DropUnneededSymbols(), IsOk());
  EXPECT_THAT(UndefinedNames(), ElementsAre("outside"));
}

// A debugger's names are no references, but one that is wanted is there for something else.
TEST_F(ElfObjectTest, WhatOnlyDebugInformationNamesIsDroppedUnlessItIsWanted) {
  bytes_ = CompileToObject(R"(
    module asm ".globl wanted"
    module asm ".globl unused"
    define i32 @f() !dbg !3 { ret i32 1, !dbg !5 }
    !llvm.module.flags = !{!0}
    !llvm.dbg.cu = !{!1}
    !0 = !{i32 2, !"Debug Info Version", i32 3}
    !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)
    !2 = !DIFile(filename: "f.c", directory: "/")
    !3 = distinct !DISubprogram(name: "f", file: !2, line: 1, type: !4, unit: !1,
                                spFlags: DISPFlagDefinition)
    !4 = !DISubroutineType(types: !6)
    !5 = !DILocation(line: 1, scope: !3)
    !6 = !{})");
  const auto parse = [&](ElfObject::IsWanted is_wanted) {
    absl::StatusOr<std::unique_ptr<ElfObject>> object =
        ElfObject::Parse(Span(bytes_), "test.o", is_wanted);
    ASSERT_THAT(object, IsOk());
    object_ = *std::move(object);
  };
  parse(ElfObject::NoneIsWanted);
  EXPECT_TRUE(object_->has_debug_information());
  EXPECT_THAT(UndefinedNames(), ElementsAre());
  parse([](absl::string_view name) { return name == "wanted"; });
  EXPECT_THAT(UndefinedNames(), ElementsAre("wanted"));
}

// As GCC makes them of static variables of inline functions.
TEST_F(ElfObjectTest, UniqueDefinitionsAreWeak) {
  Load(R"(
    module asm ".type unique, %gnu_unique_object"
    module asm ".data"
    module asm "unique: .quad 1"
    @strong = global i32 1)");
  std::map<std::string, bool> is_weak;
  for (const ElfObject::Definition& definition : object_->DescribeDefinitions()) {
    is_weak[std::string(definition.name)] = definition.is_weak;
  }
  EXPECT_TRUE(is_weak.at("unique"));
  EXPECT_FALSE(is_weak.at("strong"));
  object_->MakeDefinitionsStrong();
  for (const ElfObject::Definition& definition : object_->DescribeDefinitions()) {
    EXPECT_FALSE(definition.is_weak) << definition.name;
  }
}

TEST_F(ElfObjectTest, PointersInOlderListsAreReversed) {
  Load(R"(
    @starts = internal constant [2 x ptr] [ptr @a, ptr @b], section ".ctors"
    @new.starts = internal constant [2 x ptr] [ptr @c, ptr @d], section ".init_array"
    @llvm.used = appending global [2 x ptr] [ptr @starts, ptr @new.starts]
    define void @a() section ".text.f" { ret void }
    define void @b() section ".text.f" { ret void }
    define void @c() section ".text.f" { ret void }
    define void @d() section ".text.f" { ret void })");
  ASSERT_OK_AND_ASSIGN(const std::vector<ElfObject::LifecyclePointer> pointers,
                       object_->LifecyclePointers());
  ASSERT_EQ(pointers.size(), 4u);
  EXPECT_GT(pointers[0].offset, pointers[1].offset);
  EXPECT_LT(pointers[2].offset, pointers[3].offset);
}

TEST_F(ElfObjectTest, WeakDefinitionsBecomeStrong) {
  Load(kModule);
  object_->MakeDefinitionsStrong();
  std::map<std::string, bool> is_weak;
  const auto object = Reread();
  for (const llvm::object::SymbolRef& symbol : object->symbols()) {
    is_weak[llvm::cantFail(symbol.getName()).str()] =
        (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Weak) != 0;
  }
  EXPECT_FALSE(is_weak.at("f"));
  EXPECT_FALSE(is_weak.at("weak_here"));
  EXPECT_TRUE(is_weak.at("maybe")) << "what is not defined stays as it is";
}

TEST_F(ElfObjectTest, WhatIsDefinedAsZeroIsNotNeededAndAbsolute) {
  Load(kModule);
  object_->DefineAsZero("maybe");
  EXPECT_THAT(UndefinedNames(), UnorderedElementsAre("outside", "far", "near"));
  EXPECT_THAT(object_->defined(), Not(Contains("maybe")));
  const auto object = Reread();
  int seen = 0;
  for (const llvm::object::SymbolRef& symbol : object->symbols()) {
    if (llvm::cantFail(symbol.getName()) != "maybe") continue;
    ++seen;
    EXPECT_TRUE(llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Absolute);
    EXPECT_EQ(llvm::cantFail(symbol.getAddress()), 0u);
  }
  EXPECT_EQ(seen, 1);
}

TEST_F(ElfObjectTest, SeveralSymbolsAreChangedAtOnce) {
  Load(R"(
    @a = extern_weak global i32
    @b = extern_weak global i32
    @c = extern_weak global i32
    @uses = global [3 x ptr] [ptr @a, ptr @b, ptr @c]
    define weak void @d() { ret void }
    define weak void @e() { ret void }
    define weak void @f() { ret void })");
  object_->DefineAsZero({"a", "c"});
  EXPECT_THAT(UndefinedNames(), ElementsAre("b (weak)"));
  object_->UndefineAll({"d", "f"});
  EXPECT_THAT(UndefinedNames(), UnorderedElementsAre("b (weak)", "d", "f"));
  EXPECT_THAT(object_->defined(), UnorderedElementsAre("uses", "e"));
}

TEST_F(ElfObjectTest, OnlyCallsOfWhatIsNearBecomeDirect) {
  Load(kModule);
  const auto before = Relocations();
  ASSERT_EQ(TypeOf(before, "near"), kCall);
  ASSERT_EQ(TypeOf(before, "far"), kCall);
  ASSERT_THAT(object_->BindCallsDirectly([](absl::string_view name) { return name == "near"; }),
              IsOk());
  auto expected = before;
  expected.find("near")->second = kDirectCall;
  EXPECT_EQ(Relocations(), expected);
  EXPECT_FALSE(object_->calls_are_direct());
}

TEST_F(ElfObjectTest, CallsAreDirectIfAllAreOfWhatIsNear) {
  Load(kModule);
  EXPECT_FALSE(object_->calls_are_direct());
  ASSERT_THAT(object_->BindCallsDirectly([](absl::string_view) { return true; }), IsOk());
  EXPECT_TRUE(object_->calls_are_direct());
}

// A call of address zero, which is never made, has no distance either.
TEST_F(ElfObjectTest, CallOfWhatIsZeroIsNotDirect) {
  Load(kModule);
  object_->DefineAsZero("maybe");
  ASSERT_THAT(object_->BindCallsDirectly([](absl::string_view) { return true; }), IsOk());
  EXPECT_FALSE(object_->calls_are_direct());
}

TEST_F(ElfObjectTest, TellsWhatMustBeNear) {
  Load(R"(
    module asm ")" +
       std::string(kNear) + R"("
    @outside = external global i32
    define i32 @f() { %v = load i32, ptr @outside  ret i32 %v })");
  absl::StatusOr<std::vector<absl::string_view>> symbols = object_->NearSymbols();
  ASSERT_THAT(symbols, IsOk());
  EXPECT_THAT(*symbols, ElementsAre("there"));
}

TEST_F(ElfObjectTest, SectionsOfLargeVariablesAreFarUnlessSomethingNeedsThemNear) {
  const auto names = [this] {
    std::vector<std::string> names;
    const std::vector<uint32_t> far = FarSections(*object_).value();
    for (const uint32_t section : far) {
      names.emplace_back(object_->sections()[section].name);
    }
    return names;
  };
  Load(R"(
    @zeros = global [100 x i8] zeroinitializer, section ".lbss"
    @data = global ptr @zeros, section ".ldata.data"
    @constant = constant i8 7, section ".lrodata"
    @table = global [3 x ptr] [ptr @zeros, ptr @data, ptr @constant])");
  EXPECT_TRUE(HasLargeSections(*object_));
  EXPECT_THAT(names(), UnorderedElementsAre(".lbss", ".ldata.data", ".lrodata"));
  Load(R"(
    @zeros = global [100 x i8] zeroinitializer, section ".lbss"
    @data = global i8 1, section ".ldata"
    @distance = global i32 trunc (i64 sub (i64 ptrtoint (ptr @zeros to i64),
                                           i64 ptrtoint (ptr @distance to i64)) to i32))");
  EXPECT_THAT(names(), UnorderedElementsAre(".ldata"));
  Load("@near = global i8 1");
  EXPECT_FALSE(HasLargeSections(*object_));
  EXPECT_THAT(names(), ::testing::IsEmpty());
}

TEST_F(ElfObjectTest, AddressOf32BitsIsUnimplemented) {
  Load(R"(
    module asm ")" +
       std::string(kShort) + R"("
    define void @f() { ret void })");
  EXPECT_THAT(object_->NearSymbols(),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("compile it with -fPIC")));
}

TEST_F(ElfObjectTest, GarbageIsInvalid) {
  for (const char* garbage : {"", "garbage", "\177ELF", "\177ELF\002\001\001"}) {
    std::string bytes = garbage;
    EXPECT_THAT(
        ElfObject::Parse(absl::MakeSpan(bytes), "junk.o"),
        StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("reading object 'junk.o': ")));
  }
}

TEST_F(ElfObjectTest, ObjectCutOffAnywhereIsAnErrorOrWithoutHarm) {
  const ObjectBytes whole = CompileToObject(kModule);
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); size += 7) {
    std::string cut(whole.begin(), whole.begin() + size);
    absl::StatusOr<std::unique_ptr<ElfObject>> object = ElfObject::Parse(Span(cut), "cut.o");
    if (object.ok()) continue;
    ++refused;
    EXPECT_THAT(object, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'cut.o'")));
  }
  // The table of sections stands at the end, so none that lacks bytes can be read.
  EXPECT_EQ(refused, (whole.size() + 6) / 7);
}

TEST_F(ElfObjectTest, OtherKindsOfElfAreInvalid) {
  const ObjectBytes whole = CompileToObject(kModule);
  std::string program(whole);
  program[offsetof(llvm::ELF::Elf64_Ehdr, e_type)] = llvm::ELF::ET_EXEC;
  EXPECT_THAT(
      ElfObject::Parse(Span(program), "program"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "reading object 'program': The file was not recognized as a valid object file: "
               "it is not a 64-bit little-endian relocatable ELF object"));
  std::string big_endian(whole);
  big_endian[llvm::ELF::EI_DATA] = llvm::ELF::ELFDATA2MSB;
  EXPECT_THAT(ElfObject::Parse(Span(big_endian), "big.o"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'big.o'")));
}

}  // namespace
}  // namespace firstcall
