#include "splitter/symbol_index_builder.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "splitter/module_source.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Field;

void InitializeAssemblers() {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmParsers();
}

absl::StatusOr<SymbolIndex> IndexOf(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<ModuleSource>> source =
      ModuleSource::FromBitcode(llvm::MemoryBuffer::getMemBufferCopy(ParseToBitcode(text), "test"));
  if (!source.ok()) return source.status();
  absl::StatusOr<std::shared_ptr<ModuleView>> view = (*source)->OpenView();
  if (!view.ok()) return view.status();
  absl::StatusOr<SymbolIndex> built = BuildSymbolIndex(**view);
  // What is kept of an index is all of it.
  return built.ok() ? SymbolIndex::Decode(built->Encode()) : std::move(built);
}

Symbol Get(const SymbolIndex& index, absl::string_view name) {
  std::optional<SymbolOrdinal> ordinal = index.Find(name);
  EXPECT_TRUE(ordinal.has_value()) << name;
  return index.at(ordinal.value_or(SymbolOrdinal{0}));
}

std::vector<std::string> Names(const SymbolIndex& index, absl::Span<const SymbolOrdinal> group) {
  std::vector<std::string> names;
  for (SymbolOrdinal member : group) names.emplace_back(index.at(member).name);
  return names;
}

TEST(SymbolIndexBuilderTest, TellsDefinitionsFromDeclarations) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    declare void @declared()
    define available_externally void @elsewhere() { ret void }
    define void @defined() { ret void }
    @outside = external global i32
    @inside = global [3 x i32] zeroinitializer)"));
  EXPECT_FALSE(Get(index, "declared").is_definition);
  EXPECT_FALSE(Get(index, "elsewhere").is_definition);
  EXPECT_TRUE(Get(index, "defined").is_definition);
  EXPECT_FALSE(Get(index, "outside").is_definition);
  EXPECT_TRUE(Get(index, "inside").is_definition);
  EXPECT_EQ(Get(index, "inside").size, 12u);
  EXPECT_EQ(index.function_count(), 1u);
  EXPECT_FALSE(index.Find("nothing").has_value());
}

TEST(SymbolIndexBuilderTest, KnowsWhichVariablesMayBeOutOfReach) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex few, IndexOf(R"(
    @one = global [50000000 x i8] zeroinitializer
    @two = global i32 1)"));
  EXPECT_EQ(few.largest_near_variable(), 16u << 20);
  // Those of other modules and of threads do not count.
  ASSERT_OK_AND_ASSIGN(SymbolIndex many, IndexOf(R"(
    @a = global [15000000 x i8] zeroinitializer
    @b = global [15000000 x i8] zeroinitializer
    @c = global [15000000 x i8] zeroinitializer
    @d = global [15000000 x i8] zeroinitializer
    @e = global [15000000 x i8] zeroinitializer
    @small = global [1000 x i8] zeroinitializer
    @outside = external global [100000000 x i8]
    @of_thread = thread_local global [100000000 x i8] zeroinitializer)"));
  EXPECT_EQ(many.largest_near_variable(), 1000u);
}

TEST(SymbolIndexBuilderTest, LocalSymbolsGetTheirOrdinal) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @data = internal global i32 1
    define internal void @f() { ret void }
    define private void @0() { ret void }
    define void @g() { ret void })"));
  EXPECT_TRUE(Get(index, "data$0").is_local);
  EXPECT_TRUE(Get(index, "f$1").is_local);
  EXPECT_TRUE(Get(index, "$2").is_local);
  EXPECT_FALSE(Get(index, "g").is_local);
}

TEST(SymbolIndexBuilderTest, LocalNameGivesWayToGlobalOfSameSpelling) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    define internal void @f() { ret void }
    define void @"f$0"() { ret void })"));
  EXPECT_FALSE(Get(index, "f$0").is_local);
  EXPECT_TRUE(Get(index, "f$0$").is_local);
}

TEST(SymbolIndexBuilderTest, KnowsWeakBindings) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    define weak void @w() { ret void }
    define linkonce_odr void @l() { ret void }
    declare extern_weak void @e()
    @c = common global i32 0
    @t = thread_local global i32 0
    define void @s() { ret void })"));
  EXPECT_TRUE(Get(index, "w").is_weak);
  EXPECT_TRUE(Get(index, "l").is_weak);
  EXPECT_TRUE(Get(index, "e").is_weak);
  EXPECT_FALSE(Get(index, "e").is_definition);
  EXPECT_TRUE(Get(index, "c").is_weak);
  EXPECT_TRUE(Get(index, "c").is_common);
  EXPECT_TRUE(Get(index, "t").is_thread_local);
  EXPECT_FALSE(Get(index, "s").is_weak);
}

TEST(SymbolIndexBuilderTest, AliasesLeadToWhatTheyStandFor) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @table = global [4 x i32] zeroinitializer
    @third = alias i32, getelementptr ([4 x i32], ptr @table, i64 0, i64 2)
    @again = alias i32, ptr @third
    define void @f() { ret void }
    @g = alias void (), ptr @f)"));
  EXPECT_EQ(index.at(Get(index, "third").base).name, "table");
  EXPECT_EQ(Get(index, "third").offset, 8);
  EXPECT_EQ(index.at(Get(index, "again").base).name, "table");
  EXPECT_EQ(Get(index, "again").offset, 8);
  EXPECT_EQ(index.at(Get(index, "g").base).name, "f");
  EXPECT_EQ(Get(index, "g").offset, 0);
}

TEST(SymbolIndexBuilderTest, IFuncLeadsToItsResolver) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @chosen = ifunc void (), ptr @choose
    define ptr @choose() { ret ptr null })"));
  EXPECT_EQ(Get(index, "chosen").kind, SymbolKind::kIFunc);
  EXPECT_EQ(index.at(Get(index, "chosen").base).name, "choose");
}

TEST(SymbolIndexBuilderTest, OtherAliaseesAreUnimplemented) {
  EXPECT_THAT(IndexOf("@x = alias i32, inttoptr (i64 4096 to ptr)"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "alias 'x': an aliasee other than a symbol plus a constant offset"));
}

TEST(SymbolIndexBuilderTest, ReservedNamesAreUnimplemented) {
  EXPECT_THAT(IndexOf(R"(define void @"f$fc.call"() { ret void })"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "symbol 'f$fc.call': names with '$fc.' are reserved"));
}

TEST(SymbolIndexBuilderTest, PartsOfThreadLocalVariablesAreUnimplemented) {
  EXPECT_THAT(
      IndexOf(R"(
    @v = thread_local global [2 x i32] zeroinitializer
    @x = thread_local alias i32, getelementptr (i32, ptr @v, i64 1))"),
      StatusIs(absl::StatusCode::kUnimplemented, "alias 'x': a part of a thread-local variable"));
}

TEST(SymbolIndexBuilderTest, KnowsWhatIsFoundThroughAFunctionsAddress) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    define void @plain() { ret void }
    define void @with_prefix() prefix i32 1 { ret void })"));
  EXPECT_FALSE(Get(index, "plain").has_prefix);
  EXPECT_TRUE(Get(index, "with_prefix").has_prefix);
}

TEST(SymbolIndexBuilderTest, DistancesFromFunctionsHaveToBeComputed) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @to = global i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @to to i64))
    @from = global { i8, i64 } { i8 1, i64 sub (i64 ptrtoint (ptr @to to i64), i64 ptrtoint (ptr @f to i64)) }
    @within = global i32 trunc (i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr getelementptr (i8, ptr @f, i64 1) to i64)) to i32)
    @of_prefix = global ptr @p
    define void @f() { ret void }
    define void @p() prefix i64 sub (i64 ptrtoint (ptr @to to i64), i64 ptrtoint (ptr @p to i64)) { ret void }
    @g = alias void (), ptr @f)"));
  EXPECT_FALSE(Get(index, "to").is_computed);
  EXPECT_FALSE(Get(index, "of_prefix").is_computed) << "it only names the function";
  EXPECT_TRUE(Get(index, "from").is_computed);
  EXPECT_TRUE(Get(index, "within").is_computed);
}

TEST(SymbolIndexBuilderTest, SectionsNamedByIdentifiersHaveBounds) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @a = global i32 1, section "registry"
    @b = internal global i32 1, section "registry"
    @c = global i32 1, section ".rodata.mine"
    @d = external global i32, section "elsewhere")"));
  EXPECT_THAT(index.section_bounds(), ElementsAre(Field(&SectionBound::name, "__start_registry"),
                                                  Field(&SectionBound::name, "__stop_registry")));
}

std::vector<std::string> Functions(const SymbolIndex& index,
                                   absl::Span<const LifecycleFunction> list) {
  std::vector<std::string> names;
  for (const LifecycleFunction& entry : list) names.emplace_back(index.at(entry.function).name);
  return names;
}

TEST(SymbolIndexBuilderTest, PointersInStartUpSectionsAreConstructorsAndDestructors) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @1 = private constant ptr @late, section ".init_array"
    @2 = private constant [2 x ptr] [ptr @early, ptr @early2], section ".init_array.00101"
    @3 = private constant ptr @first, section ".preinit_array"
    @4 = private constant ptr @old, section ".ctors.65500"
    @5 = private constant ptr @last, section ".fini_array.7"
    @6 = private constant ptr @end, section ".fini_array"
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 50, ptr @listed, ptr null }]
    declare void @late()
    declare void @early()
    declare void @early2()
    declare void @first()
    declare void @old()
    declare void @last()
    declare void @end()
    declare void @listed())"));
  EXPECT_THAT(Functions(index, index.constructors()),
              ElementsAre("first", "old", "listed", "early", "early2", "late"));
  EXPECT_THAT(Functions(index, index.destructors()), ElementsAre("end", "last"));
}

TEST(SymbolIndexBuilderTest, OtherThingsInStartUpSectionsAreUnimplemented) {
  EXPECT_THAT(IndexOf(R"(@x = global i64 5, section ".init_array")"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "variable 'x': something other than functions in section '.init_array'"));
}

TEST(SymbolIndexBuilderTest, ConstructorsRunByPriorityThenOrder) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 65535, ptr @late, ptr null },
      { i32, ptr, ptr } { i32 101, ptr @early, ptr null },
      { i32, ptr, ptr } { i32 65535, ptr @later, ptr null }]
    @llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 1, ptr @early, ptr null },
      { i32, ptr, ptr } { i32 2, ptr @late, ptr null }]
    define void @early() { ret void }
    define void @late() { ret void }
    define void @later() { ret void })"));
  std::vector<SymbolOrdinal> constructors, destructors;
  for (const auto& entry : index.constructors()) constructors.push_back(entry.function);
  for (const auto& entry : index.destructors()) destructors.push_back(entry.function);
  EXPECT_THAT(Names(index, constructors), ElementsAre("early", "late", "later"));
  EXPECT_THAT(Names(index, destructors), ElementsAre("late", "early"));
}

TEST(SymbolIndexBuilderTest, BlockAddressesInDataMakeAGroup) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @labels = internal constant [1 x ptr] [ptr blockaddress(@jumps, %target)]
    define void @jumps(ptr %to) {
      indirectbr ptr %to, [label %target]
    target:
      ret void
    }
    define void @other() { ret void })"));
  EXPECT_THAT(Names(index, index.GroupOf(*index.Find("jumps"))), ElementsAre("labels$0", "jumps"));
  EXPECT_THAT(Names(index, index.GroupOf(*index.Find("labels$0"))),
              ElementsAre("labels$0", "jumps"));
  EXPECT_TRUE(index.GroupOf(*index.Find("other")).empty());
}

TEST(SymbolIndexBuilderTest, DataThatSharesBlockAddressesUnitesFunctions) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @labels = global [2 x ptr] [ptr blockaddress(@f, %here), ptr blockaddress(@g, %here)]
    define void @f(ptr %to) {
      indirectbr ptr %to, [label %here]
    here:
      ret void
    }
    define void @g(ptr %to) {
      indirectbr ptr %to, [label %here]
    here:
      ret void
    })"));
  EXPECT_THAT(Names(index, index.GroupOf(*index.Find("g"))), ElementsAre("labels", "f", "g"));
}

TEST(SymbolIndexBuilderTest, FunctionsThatReachAFrameAreInAGroupWithItsFunction) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    declare void @llvm.localescape(...)
    declare ptr @llvm.localrecover(ptr, ptr, i32)
    define ptr @reaches(ptr %frame) {
      %p = call ptr @llvm.localrecover(ptr @owner, ptr %frame, i32 0)
      ret ptr %p
    }
    define void @other() { ret void }
    define void @owner() {
      %v = alloca i32
      call void (...) @llvm.localescape(ptr %v)
      ret void
    }
    define ptr @reaches_too(ptr %frame) {
      %p = call ptr @llvm.localrecover(ptr @owner, ptr %frame, i32 0)
      ret ptr %p
    })"));
  EXPECT_THAT(Names(index, index.GroupOf(*index.Find("owner"))),
              ElementsAre("reaches", "owner", "reaches_too"));
  EXPECT_TRUE(index.GroupOf(*index.Find("other")).empty());
}

constexpr char kStackMaps[] = R"(
  declare void @llvm.experimental.stackmap(i64, i32, ...)
  define void @first() {
    call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0)
    ret void
  }
  define void @second() {
    call void (i64, i32, ...) @llvm.experimental.stackmap(i64 2, i32 0)
    ret void
  }
  define void @other() { ret void })";

TEST(SymbolIndexBuilderTest, AStackMapThatTheModuleNamesMakesAGroup) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(absl::StrCat(kStackMaps, R"(
    @__LLVM_StackMaps = external hidden constant i8
    @map = global [2 x ptr] [ptr null, ptr getelementptr (i8, ptr @__LLVM_StackMaps, i64 16)]
    define ptr @names() { ret ptr @__LLVM_StackMaps })")));
  EXPECT_THAT(Names(index, index.GroupOf(*index.Find("first"))),
              ElementsAre("map", "first", "second", "names"));
  EXPECT_TRUE(index.GroupOf(*index.Find("other")).empty());
}

TEST(SymbolIndexBuilderTest, AStackMapThatTheModuleDoesNotNameMakesNoGroup) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(kStackMaps));
  EXPECT_FALSE(index.has_groups());
}

TEST(SymbolIndexBuilderTest, SectionsThatTheCodeGeneratorFillsMakeAGroup) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    @__start___patchable_function_entries = external global ptr
    @__stop_covered = extern_weak hidden global ptr
    @__start_mine = external global ptr
    @__start_by_assembly = external global ptr
    @mine = global ptr null, section "mine"
    define ptr @names_entries() { ret ptr @__start___patchable_function_entries }
    define void @patchable() "patchable-function-entry"="2" { ret void }
    define ptr @names_covered() { ret ptr @__stop_covered }
    define void @covered() !pcsections !0 { ret void }
    define void @partly_covered(ptr %p) {
      store atomic i32 1, ptr %p monotonic, align 4, !pcsections !0
      ret void
    }
    define ptr @names_mine() { ret ptr @__start_mine }
    define ptr @names_by_assembly() { ret ptr @__start_by_assembly }
    define void @assembly() {
      call void asm ".pushsection by_assembly,\22a\22\0A.popsection", ""()
      ret void
    }
    define void @other_assembly() {
      call void asm ".pushsection not_by_assembly,\22a\22\0A.popsection", ""()
      ret void
    }
    define void @other() { ret void }
    !0 = !{!"covered!C"})"));
  const auto group_of = [&](absl::string_view name) {
    return Names(index, index.GroupOf(*index.Find(name)));
  };
  EXPECT_THAT(group_of("patchable"), ElementsAre("names_entries", "patchable"));
  EXPECT_THAT(group_of("covered"), ElementsAre("names_covered", "covered", "partly_covered"));
  EXPECT_THAT(group_of("names_by_assembly"), ElementsAre("names_by_assembly", "assembly"));
  for (const char* alone : {"other", "other_assembly", "names_mine", "mine"}) {
    EXPECT_TRUE(index.GroupOf(*index.Find(alone)).empty()) << alone;
  }
}

TEST(SymbolIndexBuilderTest, KnowsWhatInlineAssemblyDefines) {
  InitializeAssemblers();
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    target triple = "x86_64-pc-linux-gnu"
    module asm ".globl shown"
    module asm "shown: ret"
    module asm "hidden: ret"
    module asm "call elsewhere")"));
  ASSERT_EQ(index.assembly_symbols().size(), 2u);
  for (const AssemblySymbol& symbol : index.assembly_symbols()) {
    EXPECT_EQ(symbol.is_global, symbol.name == "shown") << symbol.name;
  }
}

TEST(SymbolIndexBuilderTest, KnowsWhatDirectivesOfInlineAssemblySay) {
  InitializeAssemblers();
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    target triple = "x86_64-pc-linux-gnu"
    module asm ".local counter"
    module asm ".comm counter,8,8"
    module asm ".comm shared,16,8"
    module asm ".weak weak"
    module asm "weak: ret"
    module asm ".globl hidden"
    module asm ".hidden hidden"
    module asm "hidden: ret"
    module asm ".hidden function"
    module asm ".set alias, function + 4"
    module asm ".globl local"
    module asm ".weak nowhere"
    module asm "1: .Ltemporary: ret"
    define void @function() { ret void }
    define internal void @local() { ret void })"));
  EXPECT_EQ(index.assembly_symbols().size(), 6u);
  const AssemblySymbol* counter = index.FindAssemblySymbol("counter");
  ASSERT_NE(counter, nullptr);
  EXPECT_FALSE(counter->is_global);
  EXPECT_EQ(counter->common_size, 0u);
  const AssemblySymbol* shared = index.FindAssemblySymbol("shared");
  ASSERT_NE(shared, nullptr);
  EXPECT_TRUE(shared->is_global && shared->is_weak);
  EXPECT_EQ(shared->common_size, 16u);
  const AssemblySymbol* weak = index.FindAssemblySymbol("weak");
  ASSERT_NE(weak, nullptr);
  EXPECT_TRUE(weak->is_global && weak->is_weak && weak->target.empty());
  const AssemblySymbol* hidden = index.FindAssemblySymbol("hidden");
  ASSERT_NE(hidden, nullptr);
  EXPECT_TRUE(hidden->is_global && hidden->is_hidden && !hidden->is_weak);
  EXPECT_TRUE(index.at(*index.Find("function")).is_hidden);
  const AssemblySymbol* alias = index.FindAssemblySymbol("alias");
  ASSERT_NE(alias, nullptr);
  EXPECT_EQ(alias->target, "function");
  EXPECT_EQ(alias->offset, 4);
  const AssemblySymbol* local = index.FindAssemblySymbol("local");
  ASSERT_NE(local, nullptr);
  EXPECT_TRUE(local->is_global);
  EXPECT_EQ(local->target, index.at(*index.FindLocal("local")).name);
  EXPECT_TRUE(index.IsWeakInAssembly("nowhere"));
  EXPECT_FALSE(index.IsWeakInAssembly("weak"));
}

TEST(SymbolIndexBuilderTest, VersionsAreNames) {
  InitializeAssemblers();
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    target triple = "x86_64-pc-linux-gnu"
    module asm ".symver old, memcpy@GLIBC_2.2.5"
    module asm ".symver first, answer@V1"
    module asm ".symver second, answer@@V2"
    module asm ".symver third, other@@@V3"
    declare void @old()
    define void @first() { ret void }
    define internal void @second() { ret void }
    define void @third() { ret void })"));
  const auto target_of = [&](absl::string_view name) {
    const AssemblySymbol* symbol = index.FindAssemblySymbol(name);
    return symbol == nullptr ? "none" : symbol->target;
  };
  EXPECT_EQ(target_of("old"), "memcpy@GLIBC_2.2.5");
  EXPECT_EQ(target_of("answer@V1"), "first");
  EXPECT_EQ(target_of("answer@V2"), "second");
  EXPECT_EQ(target_of("answer"), "second");
  EXPECT_EQ(target_of("other@V3"), "third");
  EXPECT_EQ(target_of("other"), "third");
  EXPECT_FALSE(index.FindAssemblySymbol("old")->is_global);
  EXPECT_TRUE(index.FindAssemblySymbol("answer@V1")->is_global);
}

TEST(SymbolIndexBuilderTest, KnowsTheTablesOfAGarbageCollector) {
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf("define void @f() gc \"ocaml\" { ret void }"));
  EXPECT_THAT(
      index.collector_tables(),
      ElementsAre(EndsWith("__code_begin"), EndsWith("__code_end"), EndsWith("__data_begin"),
                  EndsWith("__data_end"), EndsWith("__frametable")));
  ASSERT_OK_AND_ASSIGN(SymbolIndex other, IndexOf("define void @f() gc \"erlang\" { ret void }"));
  EXPECT_TRUE(other.collector_tables().empty());
}

TEST(SymbolIndexBuilderTest, BytesThatAreCutShortAreNoIndex) {
  InitializeAssemblers();
  ASSERT_OK_AND_ASSIGN(SymbolIndex index, IndexOf(R"(
    target triple = "x86_64-pc-linux-gnu"
    module asm ".weak nowhere"
    module asm ".set alias, f"
    @table = constant [1 x ptr] [ptr blockaddress(@f, %there)]
    @used = internal global i32 1
    @llvm.used = appending global [1 x ptr] [ptr @used]
    define void @f() gc "ocaml" { br label %there there: ret void }
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
        { i32, ptr, ptr } { i32 1, ptr @f, ptr null }])"));
  const std::string bytes = index.Encode();
  EXPECT_THAT(SymbolIndex::Decode(bytes), IsOk());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(SymbolIndex::Decode(bytes.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss))
        << size;
  }
  EXPECT_THAT(SymbolIndex::Decode(bytes + "x"), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace firstcall
