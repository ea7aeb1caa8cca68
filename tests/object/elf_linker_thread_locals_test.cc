// Objects that define thread-local variables, or refer to them.

#include <elf.h>

#include <cstdint>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/thread_local_blocks.h"
#include "object/elf_linker.h"
#include "stubs/thread_local_resolver.h"
#include "tests/object/linking.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

#if defined(__aarch64__)
constexpr char kUsesPlaceInProgram[] = R"(module asm "adrp x0, :gottprel:variable")";
#else
constexpr char kUsesPlaceInProgram[] = R"(module asm "movq variable@GOTTPOFF(%rip), %rax")";
#endif

class ElfLinkerThreadLocalsTest : public ElfLinking {
 protected:
  ElfLinkerThreadLocalsTest() { InstallThreadLocalResolvers(); }

  static int32_t& Variable(const SymbolAddresses& defined, absl::string_view name) {
    return *static_cast<int32_t*>(
        AddressOfThreadLocal(*defined.at(name).InThisProcess<const ThreadLocalDescriptor*>()));
  }
};

// Of both kinds of sections, with alignments, pointers, and code in the same object.
constexpr char kVariables[] = R"(
  @one = thread_local global i32 1
  @wide = thread_local global i32 2, align 256
  @zeros = thread_local global [100 x i32] zeroinitializer, align 64
  @pointer = thread_local global ptr @global
  @local = internal thread_local global i32 5
  @global = global i32 77
  declare ptr @llvm.threadlocal.address.p0(ptr)
  define i32 @sum(i32 %n) {
    %one = call ptr @llvm.threadlocal.address.p0(ptr @one)
    %a = load i32, ptr %one
    %wide = call ptr @llvm.threadlocal.address.p0(ptr @wide)
    %b = load i32, ptr %wide
    %zeros = call ptr @llvm.threadlocal.address.p0(ptr @zeros)
    %last = getelementptr i32, ptr %zeros, i32 99
    %c = load i32, ptr %last
    %pointer = call ptr @llvm.threadlocal.address.p0(ptr @pointer)
    %global = load ptr, ptr %pointer
    %d = load i32, ptr %global
    %local = call ptr @llvm.threadlocal.address.p0(ptr @local)
    %e = load i32, ptr %local
    %next = add i32 %e, %n
    store i32 %next, ptr %local
    %ab = add i32 %a, %b
    %cd = add i32 %c, %d
    %abcd = add i32 %ab, %cd
    %all = add i32 %abcd, %e
    ret i32 %all
  })";

TEST_F(ElfLinkerThreadLocalsTest, EachThreadHasItsOwnVariables) {
  for (const CodegenLevel level : {CodegenLevel::kO0, CodegenLevel::kO2}) {
    EngineOptions options;
    options.codegen_level = level;
    const SymbolAddresses defined = Link(kVariables, {}, options);
    EXPECT_EQ(Call(defined, "sum", 10), 1 + 2 + 0 + 77 + 5);
    EXPECT_EQ(Call(defined, "sum", 10), 1 + 2 + 0 + 77 + 15);
    Variable(defined, "one") = 100;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(&Variable(defined, "wide")) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(&Variable(defined, "zeros")) % 64, 0u);
    std::thread([&] { EXPECT_EQ(Call(defined, "sum"), 1 + 2 + 0 + 77 + 5); }).join();
    EXPECT_EQ(Call(defined, "sum"), 100 + 2 + 0 + 77 + 25);
  }
}

TEST_F(ElfLinkerThreadLocalsTest, OtherObjectsReachVariables) {
  const SymbolAddresses defined = Link("@x = thread_local global i32 3");
  const SymbolAddresses user = Link(R"(
    @x = external thread_local global i32
    @missing = extern_weak thread_local global i32
    declare ptr @llvm.threadlocal.address.p0(ptr)
    define i32 @add(i32 %n) {
      %x = call ptr @llvm.threadlocal.address.p0(ptr @x)
      %old = load i32, ptr %x
      %new = add i32 %old, %n
      store i32 %new, ptr %x
      ret i32 %new
    }
    define i32 @is_missing(i32 %n) {
      %address = call ptr @llvm.threadlocal.address.p0(ptr @missing)
      %is = icmp eq ptr %address, null
      %result = zext i1 %is to i32
      ret i32 %result
    })",
                                    {{"x", defined.at("x")}, {"missing", ExecutorAddress()}});
  EXPECT_EQ(Call(user, "add", 4), 7);
  std::thread([&] { EXPECT_EQ(Call(user, "add", 1), 4); }).join();
  EXPECT_EQ(Variable(defined, "x"), 7);
  EXPECT_EQ(Call(user, "is_missing"), 1);
}

// The blocks of a freed object are gone.
TEST_F(ElfLinkerThreadLocalsTest, OwnerFreesTheBlocks) {
  const size_t before = CountThreadLocalMemory().blocks;
  const SymbolAddresses defined = Link("@x = thread_local global i32 3");
  EXPECT_EQ(Variable(defined, "x"), 3);
  EXPECT_EQ(CountThreadLocalMemory().blocks, before + 1);
  owner_ = nullptr;
  EXPECT_EQ(CountThreadLocalMemory().blocks, before);
}

TEST_F(ElfLinkerThreadLocalsTest, OtherModelsAreRefusedByName) {
  ElfObject& object = Parse(kUsesPlaceInProgram);
  EXPECT_THAT(ElfLinker::CanLink(object),
              StatusIs(absl::StatusCode::kUnimplemented,
                       ::testing::AllOf(HasSubstr("symbol 'variable': relocation"),
                                        HasSubstr("compile it with -fPIC"))));
}

TEST_F(ElfLinkerThreadLocalsTest, MixtureWithAnotherVariableIsRefusedByName) {
  ElfObject& object = Parse("@x = thread_local global i32 3 @p = global ptr null");
  bool has_changed = false;
  // As if the pointer were to hold the address of the thread-local variable.
  ElfObject& pointer = Parse("@y = external global i32 @p = global ptr @y");
  for (size_t i = 0; i < pointer.symbol_count(); ++i) {
    ElfObject::Symbol symbol = pointer.symbol(i);
    if (pointer.NameOf(symbol) != "y") continue;
    symbol.info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS);
    for (const ElfObject::Section& section : pointer.sections()) {
      if (section.name != ".symtab") continue;
      std::memcpy(pointer.bytes().data() + section.offset + i * sizeof(symbol), &symbol,
                  sizeof(symbol));
      has_changed = true;
    }
  }
  ASSERT_TRUE(has_changed);
  EXPECT_THAT(ElfLinker::CanLink(object), IsOk());
  EXPECT_THAT(ElfLinker::CanLink(pointer), StatusIs(absl::StatusCode::kInvalidArgument,
                                                    HasSubstr("symbol 'y' is thread-local")));
}

TEST_F(ElfLinkerThreadLocalsTest, BlockOfAnEnormousSizeIsRefused) {
  ElfObject& object = Parse("@x = thread_local global [2199023255552 x i8] zeroinitializer");
  EXPECT_THAT(ElfLinker::CanLink(object), StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace firstcall
