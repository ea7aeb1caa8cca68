// Objects come from the engine's emitter, and what is linked is run.

#include "object/elf_linker.h"

#include <cxxabi.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/instruction_cache.h"
#include "memory/memory_manager.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "tests/object/linking.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What it promises as a linker is tested in tests/backend/mcjit/linker_test.cc.
class ElfLinkerTest : public ElfLinking {};

// --- Sections ---

TEST_F(ElfLinkerTest, DataOfEveryKindIsLoaded) {
  const SymbolAddresses defined = Link(R"(
    $group = comdat any
    @tentative = common global [5 x i64] zeroinitializer, align 32
    @zeros = global [70 x i64] zeroinitializer, align 64
    @group = linkonce_odr global i32 11, comdat
    @text = constant [3 x i8] c"ab\00"
    @pointers = constant [2 x ptr] [ptr @text, ptr @group]
    define i32 @f() { ret i32 1 })");
  EXPECT_EQ(Call(defined, "f"), 1);
  EXPECT_EQ(defined.at("tentative").value() % 32, 0u);
  EXPECT_EQ(defined.at("zeros").value() % 64, 0u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(defined.at("tentative").InThisProcess<int64_t*>()[i], 0);
  for (int i = 0; i < 70; ++i) EXPECT_EQ(defined.at("zeros").InThisProcess<int64_t*>()[i], 0);
  defined.at("tentative").InThisProcess<int64_t*>()[4] = 1;
  EXPECT_EQ(*defined.at("group").InThisProcess<int*>(), 11);
  EXPECT_STREQ(defined.at("text").InThisProcess<const char*>(), "ab");
  EXPECT_EQ(defined.at("pointers").InThisProcess<void**>()[0],
            defined.at("text").InThisProcess<void*>());
  EXPECT_EQ(defined.at("pointers").InThisProcess<void**>()[1],
            defined.at("group").InThisProcess<void*>());
}

TEST_F(ElfLinkerTest, TellsWhereNamedSectionsAndConstructorsAre) {
  ElfObject& object = Parse(R"(
    @count = global i32 0
    @first = constant i32 5, section "my_list"
    @second = constant i32 6, section "my_list"
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
        [{ i32, ptr, ptr } { i32 7, ptr @construct, ptr null }]
    define internal void @construct() {
      %n = load i32, ptr @count
      %m = add i32 %n, 1
      store i32 %m, ptr @count
      ret void
    })");
  const std::vector<ElfObject::NamedSection> named = object.NamedSections();
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].name, "my_list");
  EXPECT_EQ(named[0].size, 8u);
  ASSERT_OK_AND_ASSIGN(const auto pointers, object.LifecyclePointers());
  ASSERT_EQ(pointers.size(), 1u);
  EXPECT_EQ(pointers[0].phase, LifecyclePhase::kStart);
  EXPECT_EQ(pointers[0].priority, 7);
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(object));
  ASSERT_THAT(linker_.Finish({}), IsOk());
  const int* const list = linker_.AddressOf(named[0].section).InThisProcess<const int*>();
  EXPECT_EQ(list[0] + list[1], 11);
  (linker_.AddressOf(pointers[0].section) + pointers[0].offset).InThisProcess<void (*)()>()();
  EXPECT_EQ(*defined.at("count").InThisProcess<int*>(), 1);
  EXPECT_TRUE(linker_.AddressOf(0).is_null());
  EXPECT_TRUE(linker_.AddressOf(1000).is_null());
}

// As LLVM writes a section for each function, for tables of the functions' places.
TEST_F(ElfLinkerTest, SectionsOfOneNameLieTogetherIfTheirBoundsAreNamed) {
  ElfObject& object = Parse(R"(
    module asm ".section entries,\22aw\22,@progbits,unique,1"
    module asm ".quad 1"
    module asm ".section between,\22aw\22,@progbits"
    module asm ".quad 10"
    module asm ".section entries,\22aw\22,@progbits,unique,2"
    module asm ".quad 2, 3"
    module asm ".data"
    module asm ".globl bounds"
    module asm "bounds: .quad __start_entries, __stop_entries, __start_between, __stop_between"
    module asm ".quad __start_others")");
  object.DefineSectionBounds([](absl::string_view name) { return name != "__start_between"; });
  EXPECT_TRUE(object.joins_sections());
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(object));
  std::vector<absl::string_view> undefined;
  for (const ElfObject::Undefined& symbol : object.undefined()) undefined.push_back(symbol.name);
  EXPECT_THAT(undefined, testing::UnorderedElementsAre("__start_between", "__start_others"));
  const int64_t elsewhere = 0;
  const auto address = ExecutorAddress::Of(&elsewhere);
  ASSERT_THAT(linker_.Finish({{"__start_between", address}, {"__start_others", address}}), IsOk());
  const int64_t* const* const bounds = defined.at("bounds").InThisProcess<const int64_t**>();
  EXPECT_EQ(std::vector<int64_t>(bounds[0], bounds[1]), std::vector<int64_t>({1, 2, 3}));
  EXPECT_EQ(bounds[2], &elsewhere);
  EXPECT_EQ(bounds[3][-1], 10);
  EXPECT_EQ(bounds[4], &elsewhere);
}

TEST_F(ElfLinkerTest, SectionsOfOneNameWithDifferentPermissionsAreInvalid) {
  ElfObject& object = Parse(R"(
    module asm ".section entries,\22aw\22,@progbits,unique,1"
    module asm ".quad 1"
    module asm ".section entries,\22a\22,@progbits,unique,2"
    module asm ".quad 2"
    module asm ".data"
    module asm ".quad __stop_entries")");
  object.DefineSectionBounds([](absl::string_view) { return true; });
  EXPECT_THAT(Load(object),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("section 'entries' is there with different permissions")));
}

TEST_F(ElfLinkerTest, SymbolsOfEmptyAndOfNoSectionsHaveAddresses) {
  const SymbolAddresses defined = Link(R"(
    module asm ".globl absolute, nothing"
    module asm "absolute = 0x1234"
    module asm "nothing:")");
  EXPECT_EQ(defined.at("absolute").value(), 0x1234u);
  EXPECT_FALSE(defined.at("nothing").is_null());
}

// Only what is one word, and the whole address, can be written while the program runs.
TEST_F(ElfLinkerTest, TellsWhereEntriesOfTablesAre) {
  ElfObject& object = Parse(R"(
    @table = global { ptr, ptr, ptr } { ptr @"f$fc.table", ptr @"f$fc.stub", ptr @"g$fc.table" }
    @behind = global ptr getelementptr (i8, ptr @"f$fc.table", i64 1)
    @across = global <{ i8, ptr }> <{ i8 1, ptr @"f$fc.table" }>, align 8
    module asm ".section .constants,\22a\22"
    module asm ".p2align 3"
    module asm ".quad \22f$fc.table\22"
    declare void @"f$fc.table"()
    declare void @"f$fc.stub"()
    declare void @"g$fc.table"())");
  EXPECT_TRUE(linker_.TableEntries().empty());
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(object));
  ASSERT_THAT(linker_.Bind({{"f$fc.table", ExecutorAddress(0x1000)},
                            {"f$fc.stub", ExecutorAddress(0x2000)},
                            {"g$fc.table", ExecutorAddress(0x3000)}}),
              IsOk());
  const std::vector<TableEntry> entries = linker_.TableEntries();
  ASSERT_THAT(linker_.Finalize(), IsOk());
  auto* const table = defined.at("table").InThisProcess<uint64_t*>();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].function, "f$fc.table");
  EXPECT_EQ(entries[0].place->load(), 0x1000u);
  EXPECT_EQ(entries[1].function, "g$fc.table");
  entries[1].place->store(0x4000);
  EXPECT_EQ(table[2], 0x4000u);
}

// --- Failures ---

// An object that has an ifunc.
TEST_F(ElfLinkerTest, WhatIsNotSupportedIsRefusedBeforeAnythingChanges) {
  const struct {
    const char* text;
    const char* reason;
  } cases[] = {
      {"@chosen = ifunc void (), ptr @choose define ptr @choose() { ret ptr null }",
       "symbol 'chosen': indirect functions are not supported"},
  };
  for (const auto& c : cases) {
    ElfObject& object = Parse(c.text);
    const std::string before(object.bytes().begin(), object.bytes().end());
    EXPECT_THAT(ElfLinker::CanLink(object), StatusIs(absl::StatusCode::kUnimplemented, c.reason));
    EXPECT_THAT(Load(object), StatusIs(absl::StatusCode::kUnimplemented,
                                       absl::StrCat("loading an object: ", c.reason)));
    EXPECT_EQ(std::string(object.bytes().begin(), object.bytes().end()), before);
    EXPECT_EQ(arenas_->usage().used.total(), 0u);
  }
}

TEST_F(ElfLinkerTest, UnknownRelocationIsRefusedWithItsNumberAndSymbol) {
  ElfObject& object = Parse("@missing = external global i32 @f = global ptr @missing");
  for (const ElfObject::Section& section : object.sections()) {
    if (section.name != ".rela.data") continue;
    ElfObject::Relocation relocation = object.relocation(section, 0);
    relocation.type = 999;
    std::memcpy(object.bytes().data() + section.offset, &relocation, sizeof(relocation));
  }
  EXPECT_THAT(ElfLinker::CanLink(object),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "symbol 'missing': relocation 999 is not supported"));
  EXPECT_THAT(Load(object), StatusIs(absl::StatusCode::kUnimplemented));
}

TEST_F(ElfLinkerTest, WhatIsOutOfReachCanBeBoundAgainToWhatIsNot) {
  ElfObject& object = Parse(R"(
    @elsewhere = external global i32
    @near = external global i32
    @distances = global i32 trunc (i64 sub (i64 ptrtoint (ptr @near to i64),
                                            i64 ptrtoint (ptr @distances to i64)) to i32)
    define ptr @f() { ret ptr @elsewhere })");
  const SymbolAddresses other = Link("@variable = global i32 7");
  const ExecutorAddress close = other.at("variable");
  const ExecutorAddress far = close + (uint64_t{5} << 30);
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(object));
  // Whether code reads an address from the table or computes it is decided each time.
  for (ExecutorAddress elsewhere : {close, far, close}) {
    EXPECT_THAT(linker_.Bind({{"elsewhere", elsewhere}, {"near", far}}),
                StatusIs(absl::StatusCode::kInternal,
                         HasSubstr("binding an object's references: 'near' is out of reach")));
  }
  ASSERT_THAT(linker_.Bind({{"elsewhere", far}, {"near", close}}), IsOk());
  ASSERT_THAT(linker_.Finalize(), IsOk());
  EXPECT_EQ(defined.at("f").InThisProcess<uint64_t (*)()>()(), far.value());
  EXPECT_EQ(defined.at("distances").value() +
                static_cast<uint64_t>(*defined.at("distances").InThisProcess<int32_t*>()),
            close.value());
}

TEST_F(ElfLinkerTest, BindingNothingIsAnError) {
  EXPECT_THAT(linker_.Bind({}),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("no object is loaded")));
}

// Memory of the arenas, of which one request fails.
class FailingMemory final : public MemoryManager {
 public:
  explicit FailingMemory(std::shared_ptr<MemoryManager> memory) : memory_(std::move(memory)) {}
  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override {
    if (allowed_requests-- == 0) return absl::ResourceExhaustedError("request refused");
    return memory_->Allocate(request);
  }
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override {
    if (allowed_requests-- == 0) return absl::ResourceExhaustedError("request refused");
    return memory_->Finalize(blocks);
  }
  void Free(absl::Span<const MemoryBlock> blocks) override { memory_->Free(blocks); }

  int allowed_requests = 0;

 private:
  const std::shared_ptr<MemoryManager> memory_;
};

constexpr char kInAllSegments[] = R"(
  @table = internal constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
  @variable = global i32 2
  define i32 @f(i32 %i) {
    %p = getelementptr [4 x i32], ptr @table, i32 0, i32 %i
    %t = load i32, ptr %p
    %v = load i32, ptr @variable
    %s = add i32 %t, %v
    ret i32 %s
  })";

TEST_F(ElfLinkerTest, AfterAnyRequestHasFailedTheObjectCanBeLinkedAgain) {
  auto memory = std::make_shared<FailingMemory>(arenas_);
  auto owner = std::make_unique<OwnedCode>(memory, unwind_registry_);
  ElfObject& object = Parse(kInAllSegments);
  SymbolAddresses defined;
  int failures = 0;
  for (bool is_linked = false; !is_linked; ++failures) {
    memory->allowed_requests = failures;
    absl::StatusOr<SymbolAddresses> loaded = linker_.Load(object, *owner, arenas_->near_first());
    const absl::Status status = loaded.ok() ? linker_.Finish({}).status() : loaded.status();
    is_linked = status.ok();
    if (is_linked) {
      defined = *loaded;
    } else {
      EXPECT_THAT(status,
                  StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("request refused")));
      EXPECT_EQ(arenas_->usage().used.total(), 0u);
      EXPECT_EQ(unwind_registry_->registration_count(), 0u);
    }
  }
  EXPECT_EQ(failures, 5);  // Three blocks, and Finalize; then none.
  EXPECT_EQ(Call(defined, "f", 2), 32);
}

TEST_F(ElfLinkerTest, FinalizeCanBeRepeated) {
  auto memory = std::make_shared<FailingMemory>(arenas_);
  auto owner = std::make_unique<OwnedCode>(memory, unwind_registry_);
  memory->allowed_requests = 3;
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined,
                       linker_.Load(Parse(kInAllSegments), *owner, arenas_->near_first()));
  ASSERT_THAT(linker_.Bind({}), IsOk());
  EXPECT_THAT(linker_.Finalize(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(linker_.Finalize(), IsOk());
  EXPECT_EQ(Call(defined, "f", 2), 32);
}

// A client's memory without an address to be near: the first block decides.
TEST_F(ElfLinkerTest, ObjectMayLieAnywhere) {
  ElfObject& object = Parse(kInAllSegments);
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined,
                       linker_.Load(object, *owner_, ExecutorAddress()));
  ASSERT_THAT(linker_.Finish({}), IsOk());
  EXPECT_EQ(Call(defined, "f", 2), 32);
}

}  // namespace
}  // namespace firstcall
